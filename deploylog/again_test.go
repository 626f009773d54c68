package deploylog_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// A call that is made again with the same outcome is done: a build server that
// was killed before it saw the response may retry. Nothing is written again.
func TestSameOutcomeTwice(t *testing.T) {
	t.Parallel()
	srv, log, clock := newLog(t)
	ctx := t.Context()
	for _, c := range []struct {
		name  string
		from  deploylog.State
		call  func(id erp.ID) (deploylog.Run, error)
		other func(id erp.ID) (deploylog.Run, error) // the same state, other texts
	}{
		{"deploying", deploylog.Building, func(id erp.ID) (deploylog.Run, error) {
			return log.Update(ctx, id, deploylog.Update{Status: deploylog.Deploying})
		}, nil},
		{"success", deploylog.Deploying, func(id erp.ID) (deploylog.Run, error) {
			return log.Complete(ctx, id, deploylog.Completion{Status: deploylog.Success, Changes: "faster\n"})
		}, func(id erp.ID) (deploylog.Run, error) {
			return log.Complete(ctx, id, deploylog.Completion{Status: deploylog.Success, Changes: "slower"})
		}},
		{"failed", deploylog.Deploying, func(id erp.ID) (deploylog.Run, error) {
			return log.Complete(ctx, id, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "disk full"})
		}, func(id erp.ID) (deploylog.Run, error) {
			return log.Complete(ctx, id, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "disk on fire"})
		}},
		{"failed for no reason", deploylog.Building, func(id erp.ID) (deploylog.Run, error) {
			return log.Complete(ctx, id, deploylog.Completion{Status: deploylog.Failed})
		}, nil},
		{"rolled back", deploylog.Success, func(id erp.ID) (deploylog.Run, error) {
			return log.Rollback(ctx, id, deploylog.Rollback{Version: "0", Reason: "slow"})
		}, func(id erp.ID) (deploylog.Run, error) {
			return log.Rollback(ctx, id, deploylog.Rollback{Version: "00"})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := inState(t, log, c.from, false).ID
			first, err := c.call(id)
			require.NoError(t, err)
			clock.advance(time.Hour)
			srv.Faults().Reset()
			again, err := c.call(id)
			require.NoError(t, err)
			assert.Equal(t, first, again)
			for _, r := range srv.Faults().Requests() {
				assert.Equal(t, http.MethodGet, r.Method, "nothing is written")
			}
			if c.other == nil {
				return
			}
			// Other words are not dropped in silence.
			_, err = c.other(id)
			require.ErrorIs(t, err, deploylog.ErrTransition)
			assert.Contains(t, err.Error(), "already")
			assert.Contains(t, err.Error(), "other")
			stored, err := log.Get(ctx, id)
			require.NoError(t, err)
			assert.Equal(t, first, stored)
		})
	}

	// A report that comes with the state the run is in is a report, and does not
	// put the progress back.
	run := inState(t, log, deploylog.Deploying, false)
	run, err := log.Update(ctx, run.ID, deploylog.Update{Progress: ptr(60)})
	require.NoError(t, err)
	run, err = log.Update(ctx, run.ID, deploylog.Update{Status: deploylog.Deploying, CurrentStep: ptr("copying")})
	require.NoError(t, err)
	assert.Equal(t, 60, run.Progress)
	assert.Equal(t, "copying", run.CurrentStep)
}

// The first deployment to an environment has no previous version. That it got
// as far as deploying is known nevertheless.
func TestFirstDeployment(t *testing.T) {
	t.Parallel()
	_, client := start(t, erptest.Options{})
	log := deploylog.New(client, nil)
	ctx := t.Context()
	stored := func(id erp.ID) erp.Record {
		rec, err := client.Get(ctx, deploylog.TableName, id, nil)
		require.NoError(t, err)
		return rec
	}
	run := deploying(t, log, deploylog.Staging, "1")
	assert.Empty(t, run.VersionPrevious)
	assert.False(t, stored(run.ID).Has("VersionPrevious"), "the column is empty")
	_, err := log.Update(ctx, run.ID, deploylog.Update{CurrentStep: ptr("copying plugins")})
	require.NoError(t, err)
	run, err = log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "disk full"})
	require.NoError(t, err)
	assert.False(t, stored(run.ID).Has("VersionPrevious"))
	assert.True(t, run.ReachedDeployment())
	assert.Contains(t, run.CurrentStep, "copying plugins")
	again, err := log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "disk full"})
	require.NoError(t, err)
	assert.Equal(t, run, again)
	_, err = log.Rollback(ctx, run.ID, deploylog.Rollback{})
	require.ErrorIs(t, err, deploylog.ErrInvalid, "nobody knows which version to go back to")
	back, err := log.Rollback(ctx, run.ID, deploylog.Rollback{Version: "0.9"})
	require.NoError(t, err)
	assert.Equal(t, "0.9", back.RunningAfter())

	// A build cannot be taken for a deployment by what its step says.
	build, err := log.Start(ctx, deploylog.NewRun{Environment: deploylog.Staging, CurrentStep: "failed while deploying"})
	require.NoError(t, err)
	build, err = log.Complete(ctx, build.ID, deploylog.Completion{Status: deploylog.Failed})
	require.NoError(t, err)
	assert.False(t, build.ReachedDeployment())
}

func TestLinksAreAddresses(t *testing.T) {
	t.Parallel()
	_, log, _ := newLog(t)
	ctx := t.Context()
	run := inState(t, log, deploylog.Building, false)
	for _, bad := range []string{"pigeon", "ci.example.com/42", "javascript:alert(1)", "https://", "http:///x", "ftp://ci.example.com/1", "https://ci.example.com/a b\x7f", "//ci.example.com/1", "https://%zz/"} {
		_, err := log.Start(ctx, deploylog.NewRun{Environment: deploylog.Staging, BuildURL: bad})
		require.ErrorIs(t, err, deploylog.ErrInvalid, bad)
		assert.Contains(t, err.Error(), "https://", "the error shows what one looks like")
		_, err = log.Start(ctx, deploylog.NewRun{Environment: deploylog.Staging, AutomationURL: bad})
		require.ErrorIs(t, err, deploylog.ErrInvalid, bad)
		_, err = log.Update(ctx, run.ID, deploylog.Update{AutomationURL: &bad})
		require.ErrorIs(t, err, deploylog.ErrInvalid, bad)
	}
	for _, good := range []string{"", "https://ci.example.com/42", "http://10.0.0.7:8080/job/a%20b/1/?x=1#log", "HTTPS://CI.example.com", "https://[::1]:8443/1"} {
		_, err := log.Start(ctx, deploylog.NewRun{Environment: deploylog.Staging, BuildURL: good, AutomationURL: good})
		require.NoError(t, err, good)
		_, err = log.Update(ctx, run.ID, deploylog.Update{AutomationURL: &good})
		require.NoError(t, err, good)
	}
}
