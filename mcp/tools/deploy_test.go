package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/mcp"
)

type runResponse struct {
	ID                        int
	UUID, Environment, Status string
	Progress                  int
	Step, Version, Error      string
	Started, Completed        string
	MayBecome                 []string
}

func TestDeployments(t *testing.T) {
	t.Parallel()
	k := workshop(t)
	refusal(t, k, root, "currentDeployments", args{}, mcp.CodeNotFound) // nobody installed the log yet
	plan, err := deploylog.Plan(&deploylog.InstallOptions{NoWindow: true})
	require.NoError(t, err)
	ctx, client := k.client(t, root)
	_, err = restdict.Run(ctx, client, plan, &restdict.Options{BatchSize: 200})
	require.NoError(t, err)

	type one struct{ Run runResponse }
	type current struct {
		Environments []struct {
			Environment, Running string
			InProgress           int
			Current              *runResponse
		}
	}
	type history struct {
		Runs       []runResponse
		Total      int
		Truncated  bool
		NextCursor string
	}
	empty := response[current](t, k, root, "currentDeployments", args{})
	require.Len(t, empty.Environments, 3)
	assert.Nil(t, empty.Environments[0].Current)

	started := response[one](t, k, root, "startDeployment", args{"environment": "staging", "version": "12.0.3", "buildNo": "42", "step": `it's "quoted"`}).Run
	assert.Equal(t, "BUILDING", started.Status)
	assert.Equal(t, "STAGING", started.Environment)
	assert.Equal(t, `it's "quoted"`, started.Step)
	assert.Equal(t, []string{"DEPLOYING", "FAILED"}, started.MayBecome)
	again := response[one](t, k, root, "startDeployment", args{"environment": "STAGING", "version": "12.0.3", "buildNo": "42"}).Run
	assert.Equal(t, started.ID, again.ID)

	half := response[one](t, k, root, "updateDeployment", args{"id": started.ID, "progress": 50}).Run
	assert.Equal(t, 50, half.Progress)
	e := refusal(t, k, root, "completeDeployment", args{"id": started.UUID, "status": "SUCCESS"}, mcp.CodeConflict)
	assert.Equal(t, "it may become DEPLOYING or FAILED", e.Hint)
	for range 2 { // a second call is not a mistake
		moved := response[one](t, k, root, "updateDeployment", args{"id": fmt.Sprint(started.ID), "deploying": true}).Run
		assert.Equal(t, "DEPLOYING", moved.Status)
	}
	now := response[current](t, k, root, "currentDeployments", args{"environment": "STAGING"})
	require.Len(t, now.Environments, 1)
	require.NotNil(t, now.Environments[0].Current)
	assert.Equal(t, started.ID, now.Environments[0].Current.ID)
	assert.Equal(t, 1, now.Environments[0].InProgress)
	for range 2 {
		done := response[one](t, k, root, "completeDeployment", args{"id": started.ID, "status": "success", "changes": "all new"}).Run
		assert.Equal(t, "SUCCESS", done.Status)
		assert.NotEmpty(t, done.Completed)
	}
	e = refusal(t, k, root, "completeDeployment", args{"id": started.ID, "status": "FAILED"}, mcp.CodeConflict)
	assert.Contains(t, e.Hint, "ROLLED_BACK")
	now = response[current](t, k, root, "currentDeployments", args{"environment": "STAGING"})
	assert.Equal(t, "12.0.3", now.Environments[0].Running)

	for i := range 3 {
		run := response[one](t, k, root, "startDeployment", args{"environment": "DEV", "version": fmt.Sprint(i)}).Run
		failed := response[one](t, k, root, "completeDeployment", args{"id": run.ID, "status": "FAILED", "error": "no disk"}).Run
		assert.Equal(t, "no disk", failed.Error)
	}
	first := response[history](t, k, root, "deploymentHistory", args{"environment": "DEV", "limit": 2})
	assert.Len(t, first.Runs, 2)
	assert.True(t, first.Truncated)
	second := response[history](t, k, root, "deploymentHistory", args{"environment": "DEV", "limit": 2, "cursor": first.NextCursor})
	assert.Len(t, second.Runs, 1)
	assert.False(t, second.Truncated)
	long := strings.Repeat("ö", 1000)
	for i := range 24 {
		response[one](t, k, root, "startDeployment", args{"environment": "PROD", "version": fmt.Sprint(i), "changes": long, "components": long})
	}
	all := response[history](t, k, root, "deploymentHistory", args{"environment": "PROD", "limit": 50})
	assert.True(t, all.Truncated, "it is cut before it gets too long")
	rest := response[history](t, k, root, "deploymentHistory", args{"environment": "PROD", "limit": 50, "cursor": all.NextCursor})
	assert.Equal(t, 24, len(all.Runs)+len(rest.Runs))

	ended := response[history](t, k, root, "deploymentHistory", args{"status": "SUCCESS", "since": "2020-01-01"})
	require.Len(t, ended.Runs, 1)
	assert.Equal(t, started.ID, ended.Runs[0].ID)

	for name, tc := range map[string]struct {
		tool      string
		arguments args
		code      string
	}{
		"an unknown environment":  {"startDeployment", args{"environment": "MOON"}, mcp.CodeInvalidArguments},
		"no environment":          {"startDeployment", args{}, mcp.CodeInvalidArguments},
		"a version too long":      {"startDeployment", args{"environment": "DEV", "version": strings.Repeat("1", 41)}, mcp.CodeInvalidArguments},
		"nothing to report":       {"updateDeployment", args{"id": started.ID}, mcp.CodeInvalidArguments},
		"too far":                 {"updateDeployment", args{"id": started.ID, "progress": 101}, mcp.CodeInvalidArguments},
		"it has ended":            {"updateDeployment", args{"id": started.ID, "progress": 1}, mcp.CodeConflict},
		"no such run":             {"updateDeployment", args{"id": 999, "progress": 1}, mcp.CodeNotFound},
		"no such run to end":      {"completeDeployment", args{"id": 999, "status": "FAILED"}, mcp.CodeNotFound},
		"an id that is a path":    {"completeDeployment", args{"id": "../AD_User/100", "status": "FAILED"}, mcp.CodeInvalidArguments},
		"an id that is a number":  {"completeDeployment", args{"id": 1.5, "status": "FAILED"}, mcp.CodeInvalidArguments},
		"another end":             {"completeDeployment", args{"id": started.ID, "status": "ROLLED_BACK"}, mcp.CodeInvalidArguments},
		"no time":                 {"deploymentHistory", args{"since": "yesterday"}, mcp.CodeInvalidArguments},
		"a cursor of nobody":      {"deploymentHistory", args{"cursor": "x'y"}, mcp.CodeInvalidArguments},
		"a status there is not":   {"deploymentHistory", args{"status": "DONE"}, mcp.CodeInvalidArguments},
		"a misspelt environment":  {"currentDeployments", args{"environment": "PRODD"}, mcp.CodeInvalidArguments},
		"an argument there isn't": {"currentDeployments", args{"env": "PROD"}, mcp.CodeInvalidArguments},
	} {
		e := refusal(t, k, root, tc.tool, tc.arguments, tc.code)
		assert.NotEmpty(t, e.Message, name)
	}
	require.NoError(t, k.srv.RestrictPath(t.Context(), "v1/models/(?i:XX_Deploy_Log).*", 102, "GET"))
	response[current](t, k, admin, "currentDeployments", args{})
	refusal(t, k, admin, "startDeployment", args{"environment": "DEV", "version": "1"}, mcp.CodeUnauthorized) // the ERP's way to refuse a path
	refusal(t, k, user, "currentDeployments", args{}, mcp.CodeUnauthorized)
	_, err = k.invoke(t, &mcp.Call{}, "currentDeployments", args{})
	assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
}
