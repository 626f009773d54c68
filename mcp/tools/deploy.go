package tools

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

func (b *Toolbox) deployTools() mcp.Set {
	return needs[backend.Connector](b, b.currentDeployments(), b.deploymentHistory(), b.startDeployment(), b.updateDeployment(), b.completeDeployment())
}

// runLine is a deployment run.
type runLine struct {
	ID          int      `json:"id"`
	UUID        string   `json:"uuid,omitempty"`
	Environment string   `json:"environment"`
	Status      string   `json:"status" jsonschema:"BUILDING, DEPLOYING, SUCCESS, FAILED or ROLLED_BACK"`
	Progress    int      `json:"progress" jsonschema:"percent"`
	Step        string   `json:"step,omitempty"`
	Version     string   `json:"version,omitempty"`
	Previous    string   `json:"previousVersion,omitempty"`
	Components  string   `json:"components,omitempty"`
	Changes     string   `json:"changes,omitempty"`
	Started     string   `json:"started,omitempty"`
	Completed   string   `json:"completed,omitempty"`
	Seconds     int      `json:"seconds,omitempty" jsonschema:"how long it took, or has been running"`
	Error       string   `json:"error,omitempty"`
	BuildNo     string   `json:"buildNo,omitempty"`
	BuildURL    string   `json:"buildUrl,omitempty"`
	DeployedBy  string   `json:"deployedBy,omitempty"`
	MayBecome   []string `json:"mayBecome,omitempty" jsonschema:"states it may move to"`
}

func (b *Toolbox) lineOfRun(r *deploylog.Run) runLine {
	line := runLine{
		UUID: r.UUID, Environment: string(r.Environment), Status: string(r.Status), Progress: r.Progress, Step: r.CurrentStep,
		Version: r.Version, Previous: r.VersionPrevious, Components: clip(r.Components, 300), Changes: clip(r.Changes, 500),
		Started: timeText(r.DateStarted), Completed: timeText(r.DateCompleted), Seconds: int(r.Elapsed(b.now()).Seconds()),
		Error: clip(r.ErrorMessage, 500), BuildNo: r.BuildNo, BuildURL: r.BuildURL, DeployedBy: r.DeployedBy,
	}
	line.ID = numberOf(r.ID)
	line.MayBecome = stateNames(r.MayBecome())
	return line
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func stateNames(states []deploylog.State) []string {
	return mapped(states, func(s *deploylog.State) string { return string(*s) })
}

// ofDeployments is the handler of a tool that works with the deployment log, as the
// caller may use it.
func ofDeployments[In, Out any](b *Toolbox, work func(ctx context.Context, c *mcp.Call, log *deploylog.Log, in In) (*Out, error)) func(context.Context, *mcp.Call, In) (*Out, error) {
	return func(ctx context.Context, c *mcp.Call, in In) (*Out, error) {
		ctx, client, err := b.connect(ctx, c, "read and write the deployment log")
		if err != nil {
			return nil, err
		}
		out, err := work(ctx, c, deploylog.New(client, &deploylog.Options{Logger: c.Log}), in)
		return out, fromDeploys(err)
	}
}

// fromDeploys turns errors of the deployment log into ones that say what to do
// next.
func fromDeploys(err error) error {
	var move *deploylog.TransitionError
	var own *mcp.Error
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.As(err, &move):
		e := &mcp.Error{Code: mcp.CodeConflict, Message: err.Error(), Hint: "the run has ended: start another", Err: err}
		if len(move.Allowed) > 0 {
			e.Hint = "it may become " + strings.Join(stateNames(move.Allowed), " or ")
		}
		return e
	case errors.Is(err, deploylog.ErrInvalid):
		return because(err, mcp.CodeInvalidArguments, "")
	case errors.Is(err, deploylog.ErrBusy):
		return &mcp.Error{Code: mcp.CodeConflict, Message: err.Error(), Hint: "look at it with currentDeployments and call again", RetryAfter: 5 * time.Second, Err: err}
	case errors.Is(err, erp.ErrNotFound):
		return because(err, mcp.CodeNotFound, "currentDeployments and deploymentHistory show the runs; without the table XX_Deploy_Log an administrator installs it with `erphub env deploy install`")
	}
	return err
}

// environmentOf reads an environment. The log looks for it in the ERP's list.
func environmentOf(text string) (deploylog.Environment, error) {
	if text == "" {
		return "", nil
	}
	e, err := deploylog.ParseEnvironment(text)
	if err != nil {
		return "", because(err, mcp.CodeInvalidArguments, "")
	}
	return e, nil
}

type currentDeploymentsIn struct {
	Environment string `json:"environment,omitempty" jsonschema:"PROD, STAGING, DEV or another of the ERP's list"`
}

type environmentLine struct {
	Environment string   `json:"environment"`
	Running     string   `json:"running,omitempty" jsonschema:"version that runs there, as far as the log knows"`
	Since       string   `json:"since,omitempty"`
	InProgress  int      `json:"inProgress" jsonschema:"runs under way"`
	Current     *runLine `json:"current,omitempty" jsonschema:"newest run in progress, else the newest"`
}

type currentDeploymentsOut struct {
	Environments []environmentLine `json:"environments"`
}

func (b *Toolbox) currentDeployments() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "currentDeployments", Title: "Current deployments", Sets: []string{SetDeploy}, Hints: readOnly,
		Description: "Tells per environment which version runs there, and how far the current build or deployment is.",
		Input:       input[currentDeploymentsIn](shorter(60, "environment")),
	}, ofDeployments(b, func(ctx context.Context, _ *mcp.Call, log *deploylog.Log, in currentDeploymentsIn) (*currentDeploymentsOut, error) {
		env, err := environmentOf(in.Environment)
		if err != nil {
			return nil, err
		}
		list, err := log.Status(ctx, deploylog.StatusQuery{Environment: env})
		if err != nil {
			return nil, err
		}
		return &currentDeploymentsOut{mapped(list, func(s *deploylog.EnvironmentStatus) environmentLine {
			line := environmentLine{Environment: string(s.Environment), Running: s.Running, Since: timeText(s.Since), InProgress: s.InProgress}
			if s.Current != nil {
				run := b.lineOfRun(s.Current)
				line.Current = &run
			}
			return line
		})}, nil
	}))
}

type deploymentHistoryIn struct {
	Environment string `json:"environment,omitempty" jsonschema:"PROD, STAGING, DEV or another of the ERP's list"`
	Status      string `json:"status,omitempty" jsonschema:"only runs in this state"`
	Since       string `json:"since,omitempty" jsonschema:"only runs that began then or later: a day such as 2026-08-01, a time in RFC 3339, or an age such as 7d"`
	Limit       int    `json:"limit,omitempty" jsonschema:"most runs to return"`
	Cursor      string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page"`
}

type deploymentHistoryOut struct {
	Runs       []runLine `json:"runs" jsonschema:"newest first"`
	Total      int       `json:"total" jsonschema:"how many there are from this page on, -1 if nobody knows"`
	Truncated  bool      `json:"truncated" jsonschema:"whether there are more; call again with nextCursor as cursor"`
	NextCursor string    `json:"nextCursor,omitempty"`
}

func (b *Toolbox) deploymentHistory() mcp.Tool {
	in := input[deploymentHistoryIn](between("limit", 1, 50, 20), shorter(60, "environment"), shorter(40, "since"))
	property(in, "status").Enum = anyOf(stateNames(deploylog.States()))
	return mcp.New(mcp.Tool{
		Name: "deploymentHistory", Title: "Past deployments", Sets: []string{SetDeploy}, Hints: readOnly,
		Description: "Lists builds and deployments, newest first: when, which version, how they ended.",
		Input:       in,
	}, ofDeployments(b, func(ctx context.Context, _ *mcp.Call, log *deploylog.Log, in deploymentHistoryIn) (*deploymentHistoryOut, error) {
		q := deploylog.HistoryQuery{PageSize: in.Limit, Status: deploylog.State(in.Status)}
		var err error
		if q.Environment, err = environmentOf(in.Environment); err != nil {
			return nil, err
		}
		if in.Since != "" {
			if q.Since, err = text.Moment(in.Since, time.Now(), time.UTC); err != nil {
				return nil, fail(mcp.CodeInvalidArguments, "give another since, or none", "%v", err)
			}
		}
		for {
			list, err := log.HistoryPage(ctx, q, in.Cursor)
			if err != nil {
				return nil, err
			}
			lines := mapped(list.Runs, b.lineOfRun)
			fit := len(fitting(lines))
			if fit == len(lines) {
				return &deploymentHistoryOut{Runs: lines, Total: list.Total, NextCursor: list.Next, Truncated: list.Next != ""}, nil
			}
			q.PageSize = fit // a shorter page has a cursor of its own
		}
	}))
}
