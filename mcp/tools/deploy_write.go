package tools

import (
	"context"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

// unaskedDeploy is why the user is not asked about a run that begins or goes on.
const unaskedDeploy = "it records without asking, because only the log of deployments changes, as the build goes on; how a run ended is asked"

type startDeploymentIn struct {
	Environment   string `json:"environment" jsonschema:"PROD, STAGING, DEV or another of the ERP's list"`
	Version       string `json:"version,omitempty" jsonschema:"target version"`
	Components    string `json:"components,omitempty" jsonschema:"what is updated"`
	Changes       string `json:"changes,omitempty" jsonschema:"summary of what changed"`
	Step          string `json:"step,omitempty" jsonschema:"what the run is doing"`
	BuildNo       string `json:"buildNo,omitempty" jsonschema:"number on the build server: with it the call can be retried"`
	BuildURL      string `json:"buildUrl,omitempty" jsonschema:"address of the build"`
	AutomationJob string `json:"automationJob,omitempty" jsonschema:"job of the deployment automation"`
	AutomationURL string `json:"automationUrl,omitempty" jsonschema:"address of that job"`
	DeployedBy    string `json:"deployedBy,omitempty" jsonschema:"who triggered it"`
}

type runOut struct {
	Run runLine `json:"run"`
}

func (b *Toolbox) startDeployment() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "startDeployment", Title: "Record a build", Sets: []string{SetDeploy}, Unasked: unaskedDeploy,
		Description: "Records that a build begins, and returns the run in BUILDING. It builds nothing itself. With the same buildNo and environment it returns the existing run. Then updateDeployment, at the end completeDeployment.",
		Input:       input[startDeploymentIn](shorter(2000, "components", "changes"), shorter(40, "version"), shorter(60, "environment"), shorter(50, "buildNo", "automationJob"), shorter(255, "step", "buildUrl", "automationUrl"), shorter(100, "deployedBy")),
	}, ofDeployments(b, func(ctx context.Context, c *mcp.Call, log *deploylog.Log, in startDeploymentIn) (*runOut, error) {
		env, err := environmentOf(in.Environment)
		if err != nil {
			return nil, err
		}
		if err := c.Begin(ctx); err != nil {
			return nil, err
		}
		run, err := log.Start(ctx, deploylog.NewRun{
			Environment: env, Version: in.Version, Components: in.Components, Changes: in.Changes, CurrentStep: in.Step,
			BuildNo: in.BuildNo, BuildURL: in.BuildURL, AutomationJobID: in.AutomationJob, AutomationURL: in.AutomationURL, DeployedBy: in.DeployedBy,
		})
		return &runOut{b.lineOfRun(&run)}, err
	}))
}

type updateDeploymentIn struct {
	ID            recordKey `json:"id" jsonschema:"number or UUID of the run"`
	Progress      *int      `json:"progress,omitempty" jsonschema:"percent"`
	Step          *string   `json:"step,omitempty" jsonschema:"what it is doing"`
	Deploying     bool      `json:"deploying,omitempty" jsonschema:"the build is finished: move it to DEPLOYING"`
	Components    *string   `json:"components,omitempty" jsonschema:"what is updated"`
	Changes       *string   `json:"changes,omitempty" jsonschema:"summary of what changed"`
	AutomationJob *string   `json:"automationJob,omitempty" jsonschema:"job of the deployment automation"`
	AutomationURL *string   `json:"automationUrl,omitempty" jsonschema:"address of that job"`
}

func (b *Toolbox) updateDeployment() mcp.Tool {
	in := input[updateDeploymentIn](shorter(2000, "components", "changes"), shorter(50, "automationJob"), shorter(255, "step", "automationUrl"), keyed("id"))
	low, high := 0.0, 100.0
	property(in, "progress").Minimum, property(in, "progress").Maximum = &low, &high
	return mcp.New(mcp.Tool{
		Name: "updateDeployment", Title: "Report progress", Sets: []string{SetDeploy}, Hints: mcp.Hints{Idempotent: true}, Unasked: unaskedDeploy,
		Description: "Reports the progress of a run that is BUILDING or DEPLOYING, and moves it from the one to the other.",
		Input:       in,
	}, ofDeployments(b, func(ctx context.Context, c *mcp.Call, log *deploylog.Log, in updateDeploymentIn) (*runOut, error) {
		id, err := runID(in.ID)
		if err != nil {
			return nil, err
		}
		u := deploylog.Update{
			Progress: in.Progress, CurrentStep: in.Step, Components: in.Components, Changes: in.Changes, AutomationJobID: in.AutomationJob, AutomationURL: in.AutomationURL,
		}
		if in.Deploying {
			u.Status = deploylog.Deploying
		}
		if u == (deploylog.Update{}) {
			return nil, fail(mcp.CodeInvalidArguments, "give progress, step, deploying or another argument", "there is nothing to report")
		}
		if in.Deploying { // a second call is not a mistake
			run, err := log.Get(ctx, id)
			if err != nil {
				return nil, err
			}
			if run.Status == deploylog.Deploying {
				u.Status = ""
			}
			if u == (deploylog.Update{}) {
				return &runOut{b.lineOfRun(&run)}, nil
			}
		}
		if err := c.Begin(ctx); err != nil {
			return nil, err
		}
		run, err := log.Update(ctx, id, u)
		return &runOut{b.lineOfRun(&run)}, err
	}))
}

type completeDeploymentIn struct {
	ID      recordKey `json:"id" jsonschema:"number or UUID of the run"`
	Status  string    `json:"status" jsonschema:"SUCCESS after DEPLOYING; FAILED at any time"`
	Changes string    `json:"changes,omitempty" jsonschema:"summary of what changed"`
	Error   string    `json:"error,omitempty" jsonschema:"with FAILED: why"`
}

func (b *Toolbox) completeDeployment() mcp.Tool {
	in := input[completeDeploymentIn](shorter(2000, "changes", "error"), keyed("id"))
	property(in, "status").Enum = []any{string(deploylog.Success), string(deploylog.Failed)}
	return mcp.New(mcp.Tool{
		Name: "completeDeployment", Title: "Record the end", Sets: []string{SetDeploy}, Hints: mcp.Hints{Idempotent: true}, Confirms: true,
		Description: "Records how a run ended, after asking the user. It cannot be taken back.",
		Input:       in,
	}, ofDeployments(b, func(ctx context.Context, c *mcp.Call, log *deploylog.Log, in completeDeploymentIn) (*runOut, error) {
		id, err := runID(in.ID)
		if err != nil {
			return nil, err
		}
		run, err := log.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if run.Status == deploylog.State(in.Status) { // a second call is not a mistake
			return &runOut{b.lineOfRun(&run)}, nil
		}
		question := mcp.Ask("Record the end of the deployment of %s %s in %s as %s? It cannot be taken back.",
			run.Components, run.Version, mcp.Name(run.Environment), mcp.Name(in.Status)).Fact("run", run.ID).Fact("status now", mcp.Name(run.Status))
		if in.Changes != "" {
			question.Fact("changes", in.Changes)
		}
		if in.Error != "" {
			question.Fact("error", in.Error)
		}
		if err := c.Confirmed(ctx, question); err != nil {
			return nil, err
		}
		run, err = log.Complete(ctx, id, deploylog.Completion{Status: deploylog.State(in.Status), Changes: in.Changes, ErrorMessage: in.Error})
		return &runOut{b.lineOfRun(&run)}, err
	}))
}

func runID(key recordKey) (erp.ID, error) {
	id, err := erp.ParseID(string(key))
	if err != nil {
		return id, because(err, mcp.CodeInvalidArguments, "give the number or the UUID of the run, as currentDeployments tells it")
	}
	return id, nil
}
