package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
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
	if n, ok := r.ID.Int(); ok {
		line.ID = int(n)
	}
	for _, s := range r.MayBecome() {
		line.MayBecome = append(line.MayBecome, string(s))
	}
	return line
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// deployments is the deployment log, as the caller may use it.
func (b *Toolbox) deployments(ctx context.Context, c *mcp.Call) (context.Context, *deploylog.Log, error) {
	ctx, client, err := b.connect(ctx, c, "read and write the deployment log")
	if err != nil {
		return nil, nil, err
	}
	return ctx, deploylog.New(client, &deploylog.Options{Logger: c.Log}), nil
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
			words := make([]string, len(move.Allowed))
			for i, s := range move.Allowed {
				words[i] = string(s)
			}
			e.Hint = "it may become " + strings.Join(words, " or ")
		}
		return e
	case errors.Is(err, deploylog.ErrInvalid):
		return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: err.Error(), Err: err}
	case errors.Is(err, deploylog.ErrBusy):
		return &mcp.Error{Code: mcp.CodeConflict, Message: err.Error(), Hint: "look at it with currentDeployments and call again", RetryAfter: 5 * time.Second, Err: err}
	case errors.Is(err, erp.ErrNotFound):
		return &mcp.Error{
			Code: mcp.CodeNotFound, Message: err.Error(),
			Hint: "currentDeployments and deploymentHistory show the runs; without the table XX_Deploy_Log an administrator installs it with `erphub env deploy install`", Err: err,
		}
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
		return "", &mcp.Error{Code: mcp.CodeInvalidArguments, Message: err.Error(), Err: err}
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
	}, func(ctx context.Context, c *mcp.Call, in currentDeploymentsIn) (*currentDeploymentsOut, error) {
		env, err := environmentOf(in.Environment)
		if err != nil {
			return nil, err
		}
		ctx, log, err := b.deployments(ctx, c)
		if err != nil {
			return nil, err
		}
		list, err := log.Status(ctx, deploylog.StatusQuery{Environment: env})
		if err != nil {
			return nil, fromDeploys(err)
		}
		out := &currentDeploymentsOut{Environments: make([]environmentLine, len(list))}
		for i, s := range list {
			line := environmentLine{Environment: string(s.Environment), Running: s.Running, Since: timeText(s.Since), InProgress: s.InProgress}
			if s.Current != nil {
				run := b.lineOfRun(s.Current)
				line.Current = &run
			}
			out.Environments[i] = line
		}
		return out, nil
	})
}

type deploymentHistoryIn struct {
	Environment string `json:"environment,omitempty" jsonschema:"PROD, STAGING, DEV or another of the ERP's list"`
	Status      string `json:"status,omitempty" jsonschema:"only runs in this state"`
	Since       string `json:"since,omitempty" jsonschema:"only runs that began then or later: a day such as 2026-08-01, or RFC 3339"`
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
	status := property(in, "status")
	for _, s := range deploylog.States() {
		status.Enum = append(status.Enum, string(s))
	}
	return mcp.New(mcp.Tool{
		Name: "deploymentHistory", Title: "Past deployments", Sets: []string{SetDeploy}, Hints: readOnly,
		Description: "Lists builds and deployments, newest first: when, which version, how they ended.",
		Input:       in,
	}, func(ctx context.Context, c *mcp.Call, in deploymentHistoryIn) (*deploymentHistoryOut, error) {
		q := deploylog.HistoryQuery{PageSize: in.Limit}
		var err error
		if q.Environment, err = environmentOf(in.Environment); err != nil {
			return nil, err
		}
		if in.Status != "" {
			q.Status = deploylog.State(in.Status)
		}
		if q.Since, err = dayOrTime(in.Since); err != nil {
			return nil, err
		}
		ctx, log, err := b.deployments(ctx, c)
		if err != nil {
			return nil, err
		}
		list, err := log.HistoryPage(ctx, q, in.Cursor)
		if err != nil {
			return nil, fromDeploys(err)
		}
		lines := b.linesOfRuns(list.Runs)
		if fit := fitting(lines); len(fit) < len(lines) { // a shorter page has a cursor of its own
			q.PageSize = len(fit)
			if list, err = log.HistoryPage(ctx, q, in.Cursor); err != nil {
				return nil, fromDeploys(err)
			}
			lines = b.linesOfRuns(list.Runs)
		}
		return &deploymentHistoryOut{Runs: lines, Total: list.Total, NextCursor: list.Next, Truncated: list.Next != ""}, nil
	})
}

func (b *Toolbox) linesOfRuns(runs []deploylog.Run) []runLine {
	lines := make([]runLine, len(runs))
	for i := range runs {
		lines[i] = b.lineOfRun(&runs[i])
	}
	return lines
}

// dayOrTime reads a day or a point in time; "" is none.
func dayOrTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: fmt.Sprintf("%q is no time", clip(text, 40)), Hint: "give a day such as 2026-08-01, or a time such as 2026-08-01T12:00:00Z"}
}
