package deploy

import (
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/ci"
	"github.com/erphub/erphub/cmd/internal/notify"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/spool"
	"github.com/erphub/erphub/deploylog"
)

func (a *app) deployStartCommand() *cli.Command {
	return &cli.Command{
		Name: "start", Usage: "record that a build begins, and print the id of the run",
		Description: "Prints nothing but the id: a number, or a UUID when the ERP cannot be reached yet. Starting again with " +
			"the same build number and environment prints the same run. On a build server the build number, its URL and " +
			"the user are read from the environment unless flags say otherwise.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "env", Usage: "PROD, STAGING, DEV or another one of the ERP's list"},
			&cli.StringFlag{Name: "version", Usage: "version that is built or deployed"},
			&cli.StringFlag{Name: "components", Usage: "what is deployed; @FILE reads it from a file"},
			&cli.StringFlag{Name: "changes", Usage: "summary of what changed; @FILE reads it from a file"},
			&cli.StringFlag{Name: "step", Usage: "what the run is doing"},
			&cli.StringFlag{Name: "ci-build", Usage: "build number on the build server"},
			&cli.StringFlag{Name: "ci-url", Usage: "link to the build"},
			&cli.StringFlag{Name: "automation-job", Usage: "job of the deployment automation"},
			&cli.StringFlag{Name: "automation-url", Usage: "link to that job"},
			&cli.StringFlag{Name: "status", Usage: "SUCCESS or FAILED, for a deployment that is over already"},
			&cli.StringFlag{Name: "error", Usage: "why it failed, with --status FAILED; @FILE reads it from a file"},
			&cli.StringFlag{Name: "deployed-by", Usage: "who triggered the run (default: the user the build server names, else that of the login)"},
		}, spoolFlags()...),
		Action: shell.Takes(a.deployStart),
	}
}

func (a *app) deployStart(c *cli.Context) error {
	if c.String("env") == "" {
		return shell.Usagef("which environment? give --env PROD, STAGING, DEV or another one of the ERP's list")
	}
	env, err := deploylog.ParseEnvironment(c.String("env"))
	if err != nil {
		return shell.Usage(err)
	}
	components, err := a.fileText(c, "components")
	if err != nil {
		return err
	}
	changes, err := a.fileText(c, "changes")
	if err != nil {
		return err
	}
	ended, err := a.ended(c)
	if err != nil {
		return err
	}
	build := ci.Detect(a.Getenv)
	return a.deployCall(c, spool.Call{Start: &deploylog.NewRun{
		Environment: env, Version: c.String("version"), Components: components, Changes: changes, CurrentStep: c.String("step"),
		BuildNo:         a.fromBuild(c, "ci-build", build.Number, 50),
		BuildURL:        a.fromBuild(c, "ci-url", build.URL, 255),
		AutomationJobID: c.String("automation-job"), AutomationURL: c.String("automation-url"),
		DeployedBy: a.deployedBy(c, build.User),
	}}, ended...)
}

// ended are the calls that bring a run that starts to its end at once, as --status says.
func (a *app) ended(c *cli.Context) ([]spool.Call, error) {
	if !c.IsSet("status") {
		if c.IsSet("error") {
			return nil, shell.Usagef("--error says why a deployment failed: give --status FAILED, too")
		}
		return nil, nil
	}
	completion, err := a.completion(c)
	if err != nil {
		return nil, err
	}
	return []spool.Call{{Update: &deploylog.Update{Status: deploylog.Deploying}}, {Complete: completion}}, nil
}

// completion is how a run ended, as the flags say.
func (a *app) completion(c *cli.Context) (*deploylog.Completion, error) {
	state, err := deploylog.ParseState(c.String("status"))
	if err != nil || state != deploylog.Success && state != deploylog.Failed {
		return nil, shell.Usagef("how did it end? give --status SUCCESS or FAILED")
	}
	completion := deploylog.Completion{Status: state}
	if completion.Changes, err = a.fileText(c, "changes"); err != nil {
		return nil, err
	}
	completion.ErrorMessage, err = a.fileText(c, "error")
	return &completion, err
}

// onRun is the action of a command about the run that --id names: it makes the
// call and sends it.
func (a *app) onRun(call func(*cli.Context) (*spool.Call, error)) cli.ActionFunc {
	return shell.Takes(func(c *cli.Context) error {
		id, err := runID(c)
		if err != nil {
			return err
		}
		made, err := call(c)
		if err != nil {
			return err
		}
		made.ID = id
		return a.deployCall(c, *made)
	})
}

// fromBuild is the value of a flag, else what the build server says. What the
// build server says and the record cannot hold is left out: nobody typed it, so
// it is no reason to fail.
func (a *app) fromBuild(c *cli.Context, flag, detected string, limit int) string {
	if c.IsSet(flag) {
		return c.String(flag)
	}
	if utf8.RuneCountInString(detected) > limit {
		a.Note("the build server's value for --%s has more than %d characters and is left out", flag, limit)
		return ""
	}
	return detected
}

// deployedBy is who triggered the run.
func (a *app) deployedBy(c *cli.Context, detected string) string {
	if by := a.fromBuild(c, "deployed-by", detected, 100); by != "" || c.IsSet("deployed-by") {
		return by
	}
	s, err := a.Setup(c)
	if err != nil {
		return "" // the call itself will say so
	}
	return a.loginUser(c.Context, s)
}

func (a *app) deployUpdateCommand() *cli.Command {
	return &cli.Command{
		Name: "update", Usage: "report the progress of a run",
		Flags: append([]cli.Flag{
			idFlag(),
			&cli.IntFlag{Name: "progress", Usage: "how far it is, 0 to 100; starts again at 0 with --status DEPLOYING"},
			&cli.StringFlag{Name: "step", Usage: "what it is doing"},
			&cli.StringFlag{Name: "status", Usage: "DEPLOYING, when the build is finished"},
			&cli.StringFlag{Name: "components", Usage: "what is deployed; @FILE reads it from a file"},
			&cli.StringFlag{Name: "automation-job", Usage: "job of the deployment automation"},
			&cli.StringFlag{Name: "automation-url", Usage: "link to that job"},
		}, spoolFlags()...),
		Action: a.onRun(func(c *cli.Context) (*spool.Call, error) {
			u, err := a.updateFromFlags(c)
			if err != nil {
				return nil, err
			}
			return &spool.Call{Update: u}, nil
		}),
	}
}

func (a *app) updateFromFlags(c *cli.Context) (*deploylog.Update, error) {
	u := &deploylog.Update{}
	given := false
	if c.IsSet("progress") {
		n := c.Int("progress")
		u.Progress, given = &n, true
	}
	for flag, into := range map[string]**string{
		"step": &u.CurrentStep, "components": &u.Components, "automation-job": &u.AutomationJobID, "automation-url": &u.AutomationURL,
	} {
		if !c.IsSet(flag) {
			continue
		}
		text, err := c.String(flag), error(nil)
		if flag == "components" {
			if text, err = a.fileText(c, flag); err != nil {
				return nil, err
			}
		}
		*into, given = &text, true
	}
	if c.IsSet("status") {
		state, err := deploylog.ParseState(c.String("status"))
		if err != nil {
			return nil, shell.Usage(err)
		}
		if state != deploylog.Deploying {
			return nil, shell.Usagef("update moves a run to DEPLOYING only; it ends with env deploy complete, and goes back with env deploy rollback")
		}
		u.Status, given = state, true
	}
	if !given {
		return nil, shell.Usagef("nothing to report: give --progress, --step or --status DEPLOYING")
	}
	return u, nil
}

func (a *app) deployCompleteCommand() *cli.Command {
	return &cli.Command{
		Name: "complete", Usage: "record how a run ended",
		Flags: append([]cli.Flag{
			idFlag(),
			&cli.StringFlag{Name: "status", Usage: "SUCCESS or FAILED"},
			&cli.StringFlag{Name: "changes", Usage: "summary of what changed; @FILE reads it from a file"},
			&cli.StringFlag{Name: "error", Usage: "why it failed; @FILE reads it from a file"},
		}, endFlags()...),
		Action: a.onRun(func(c *cli.Context) (*spool.Call, error) {
			completion, err := a.completion(c)
			return &spool.Call{Complete: completion}, err
		}),
	}
}

func (a *app) deployRollbackCommand() *cli.Command {
	return &cli.Command{
		Name: "rollback", Usage: "record that a run was rolled back and which version is running again",
		Flags: append([]cli.Flag{
			idFlag(),
			&cli.StringFlag{Name: "version", Usage: "version that is running again (default: the one that ran before)"},
			&cli.StringFlag{Name: "reason", Usage: "why, for a run that has no error message"},
		}, endFlags()...),
		Action: a.onRun(func(c *cli.Context) (*spool.Call, error) {
			return &spool.Call{Rollback: &deploylog.Rollback{Version: c.String("version"), Reason: c.String("reason")}}, nil
		}),
	}
}

func (a *app) deployFlushCommand() *cli.Command {
	return &cli.Command{
		Name: "flush", Usage: "deliver the calls and webhooks that are kept because the ERP or a receiver could not be reached",
		Description: "Ends with 0 if and only if everything that was kept is in the ERP. It fails, too, while a file that cannot be " +
			"read holds back calls, refused calls are set aside, or the folder has calls for another address or login: see erphub " +
			"env deploy spool. Webhooks that stay make no difference to that.",
		Flags: slices.Concat(shell.ValueFlags(), spoolFolderFlag(), webhookFlags()),
		Action: shell.Takes(func(c *cli.Context) error {
			d, err := a.openDeploy(c, true)
			if err != nil {
				return err
			}
			if d.spool == nil {
				return shell.Usagef("no folder keeps calls; name it with --spool")
			}
			n, err := d.spool.Flush(c.Context, d.log)
			return a.reportFlush(c, d, n, err)
		}),
	}
}

// reportFlush tells what was delivered and what is left. A refused call is
// nobody's wrong usage now, whatever it was when it was made.
func (a *app) reportFlush(c *cli.Context, d *deploy, delivered int, err error) error {
	told := d.hooks.flush(c.Context)
	list, listErr := d.spool.List()
	if listErr != nil && err == nil {
		err = listErr
	}
	left := countKept(list)
	if choice, err := a.Choice(c, ""); err == nil && choice.ForPeople() {
		a.Note("%d delivered, %s", delivered, left)
	}
	if printErr := a.Print(c, struct {
		Delivered int `json:"delivered"`
		spoolCounts
		Webhooks *notify.Report `json:"webhooks,omitempty"`
	}{delivered, left, told}, output.Table{}); printErr != nil {
		return printErr
	}
	if len(list) > left.Waiting {
		a.Note("`erphub env deploy spool` shows what is left; --retry delivers it and --discard removes it")
	}
	for _, o := range otherSpools(d.dir) {
		err = errors.Join(err, errors.New(o.String()))
	}
	if err != nil && errors.Is(err, deploylog.ErrInvalid) {
		return err
	}
	return deployError(err)
}
