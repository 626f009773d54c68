package deploy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/ci"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/spool"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/tokens"
)

func (a *app) envCommand() *cli.Command {
	return &cli.Command{
		Name: "env", Usage: "work with environments: what runs where",
		Subcommands: []*cli.Command{a.deployCommand()},
	}
}

func (a *app) deployCommand() *cli.Command {
	return &cli.Command{
		Name: "deploy", Usage: "record builds and deployments, and see what runs where",
		Description: "These commands build and deploy nothing: they keep a log of who does. A run is started once, then updated, then completed:\n\n" +
			"   id=$(erphub env deploy start --env PROD --version 12.0.3)\n" +
			"   erphub env deploy update --id \"$id\" --status DEPLOYING\n" +
			"   erphub env deploy complete --id \"$id\" --status SUCCESS\n\n" +
			"A deployment that is over already takes one call:\n\n" +
			"   erphub env deploy start --env PROD --version 12.0.3 --status SUCCESS\n\n" +
			"On a build server, calls that the ERP cannot be reached for are kept in a folder and delivered by the " +
			"next call or by flush, so that the log is never the reason why a deployment fails.",
		Subcommands: []*cli.Command{
			a.deployStartCommand(),
			a.deployUpdateCommand(),
			a.deployCompleteCommand(),
			a.deployRollbackCommand(),
			a.deployStatusCommand(),
			a.deployHistoryCommand(),
			a.deployCompareCommand(),
			a.deployWatchCommand(),
			a.deployFlushCommand(),
			a.deploySpoolCommand(),
			a.deployInstallCommand(),
		},
	}
}

// spoolFlags say what happens when the ERP cannot be reached.
func spoolFlags() []cli.Flag {
	return append(shell.ValueFlags(),
		spoolFolderFlag()[0],
		&cli.BoolFlag{Name: "strict", Usage: "fail when the ERP cannot be reached"},
	)
}

func spoolFolderFlag() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "spool", Usage: "folder that keeps calls while the ERP cannot be reached (ERPHUB_SPOOL; on build servers a folder of its own by default)", TakesFile: true},
	}
}

func idFlag() cli.Flag {
	return &cli.StringFlag{Name: "id", Usage: "the run, as start printed it: a number or a UUID"}
}

// runID is the run that --id names.
func runID(c *cli.Context) (erp.ID, error) {
	text := strings.TrimSpace(c.String("id"))
	if text == "" {
		return erp.ID{}, shell.Usagef("which run? give --id, as env deploy start printed it")
	}
	id, err := erp.ParseID(text)
	return id, shell.Usage(err)
}

// deploy is what the commands that record something work with.
type deploy struct {
	log   *deploylog.Log
	spool *spool.Spool // nil: fail when the ERP cannot be reached
	dir   string       // of the spool
	hooks *webhooks
}

// deployLog connects to the log, for reading.
func (a *app) deployLog(c *cli.Context) (*deploylog.Log, error) {
	client, err := a.Client(c)
	if err != nil {
		return nil, err
	}
	return deploylog.New(client, &deploylog.Options{Logger: a.Log}), nil
}

// openDeploy connects to the log, for recording.
func (a *app) openDeploy(c *cli.Context, spoolAlways bool) (*deploy, error) {
	if c.Bool("strict") && c.String("spool") != "" {
		return nil, shell.Usagef("--spool and --strict contradict each other: keep calls for later, or fail")
	}
	s, err := a.Setup(c)
	if err != nil {
		return nil, err
	}
	var more []erp.Option
	dir, err := a.spoolDir(c, s, spoolAlways)
	if err != nil {
		return nil, err
	}
	if dir != "" { // what is kept need not be tried for long
		more = append(more, erp.WithRetryPolicy(erp.RetryPolicy{Max: 1, MinWait: 200 * time.Millisecond, MaxWait: time.Second, MaxRetryAfter: 5 * time.Second}))
	}
	client, err := a.ClientFor(c, s, more...)
	if err != nil {
		return nil, err
	}
	d := &deploy{log: deploylog.New(client, &deploylog.Options{Logger: a.Log}), hooks: a.openWebhooks(c, s)}
	if dir == "" {
		return d, nil
	}
	d.dir = dir
	d.spool = spool.New(dir, &spool.Options{
		Logger: a.Log, Unreachable: func(err error) bool { return errors.Is(err, tokens.ErrUnreachable) }, Delivered: d.hooks.carried,
	})
	return d, nil
}

// spoolDir is the folder calls are kept in, empty for none. Each ERP and each
// login has a folder of its own below the one that was named, so that no call
// reaches another ERP than the one it was made for.
func (a *app) spoolDir(c *cli.Context, s *shell.Setup, always bool) (string, error) {
	if c.Bool("strict") || !always && c.String("spool") == "" && a.Getenv("ERPHUB_SPOOL") == "" && !ci.Detected(a.Getenv) {
		return "", nil
	}
	return a.keepDir(c, s)
}

// keepDir is the folder for what is kept for the ERP and the login, whether calls
// are kept or not; empty where there is no place for one.
func (a *app) keepDir(c *cli.Context, s *shell.Setup) (string, error) {
	dir := c.String("spool")
	if dir == "" {
		dir = a.Getenv("ERPHUB_SPOOL")
	}
	if dir == "" {
		if dir = a.StateFile("deployments"); dir == "" {
			return "", nil // nowhere to keep anything
		}
	}
	url, err := s.URL()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{url, s.Profile, s.Resolver.Lookup("auth.username"), s.Resolver.Lookup("auth.default-client-id")}, "\x00")))
	return filepath.Join(dir, hex.EncodeToString(sum[:6])), nil
}

// deployCall makes a call, at once or by way of the spool, and prints what came
// of it. The calls that follow are about the run that the first one starts.
func (a *app) deployCall(c *cli.Context, call spool.Call, follow ...spool.Call) error {
	d, err := a.openDeploy(c, false)
	if err != nil {
		return err
	}
	last, outcome, err := call, spool.Outcome{}, error(nil)
	for i, next := range append([]spool.Call{call}, follow...) {
		if i > 0 {
			next.ID = outcome.ID
		}
		if next.Update != nil && i > 0 && outcome.Run != nil && outcome.Run.Status != deploylog.Building {
			continue // an earlier try of the same build got further
		}
		next.Note = d.hooks.note(&next)
		last = next
		outcome, err = d.do(c.Context, next)
		for _, w := range outcome.Warnings {
			a.Note("warning: %v", w)
		}
		if err != nil {
			if i > 0 {
				err = fmt.Errorf("run %[1]s is recorded, and not that it is over: %[2]w; go on with `erphub env deploy update --id %[1]s --status DEPLOYING` and "+
					"`erphub env deploy complete --id %[1]s --status %[3]s`", next.ID, err, c.String("status"))
			}
			return deployError(err)
		}
	}
	err = a.printCall(c, call, outcome)
	d.hooks.send(c.Context, last)
	return err
}

// do makes a call, by way of the spool where there is one.
func (d *deploy) do(ctx context.Context, call spool.Call) (spool.Outcome, error) {
	if d.spool != nil {
		return d.spool.Do(ctx, d.log, call)
	}
	var run deploylog.Run
	var err error
	switch {
	case call.Start != nil:
		run, err = d.log.Start(ctx, *call.Start)
	case call.Update != nil:
		run, err = d.log.Update(ctx, call.ID, *call.Update)
	case call.Complete != nil:
		run, err = d.log.Complete(ctx, call.ID, *call.Complete)
	default:
		run, err = d.log.Rollback(ctx, call.ID, *call.Rollback)
	}
	if err == nil {
		d.hooks.carried(ctx, call, run)
	}
	return spool.Outcome{ID: run.ID, Run: &run}, err
}

// deployError marks wrong input as wrong usage.
func deployError(err error) error {
	var e *erp.Error
	switch {
	case errors.Is(err, deploylog.ErrInvalid):
		return shell.Usage(err)
	case errors.As(err, &e) && e.Status == 404 && strings.Contains(e.Detail, "table name"):
		return fmt.Errorf("%w; the deployment log is not installed: an administrator does that with erphub env deploy install", err)
	}
	return err
}

// callReport is what a call tells a machine.
type callReport struct {
	ID      erp.ID         `json:"id"`
	UUID    string         `json:"uuid,omitempty"`
	Spooled bool           `json:"spooled"`
	Waiting int            `json:"waiting,omitempty"`
	Run     *deploylog.Run `json:"run,omitempty"`
}

func (a *app) printCall(c *cli.Context, call spool.Call, o spool.Outcome) error {
	switch {
	case errors.Is(o.Cause, spool.ErrHeld):
		a.Note("the call is kept: %v; `erphub env deploy spool` shows it, and --retry or --discard go on; %s", o.Cause, waiting(o.Waiting))
	case errors.Is(o.Cause, spool.ErrFolder):
		a.Note("the call is kept: %v; the next one or erphub env deploy flush delivers it; %s", o.Cause, waiting(o.Waiting))
	case o.Spooled:
		a.Note("the ERP cannot be reached (%v); the call is kept and will be delivered by the next one or by erphub env deploy flush; %s", o.Cause, waiting(o.Waiting))
	}
	r := callReport{ID: o.ID, Spooled: o.Spooled, Waiting: o.Waiting, Run: o.Run}
	if o.Run != nil {
		r.UUID = o.Run.UUID
	} else {
		r.UUID, _ = o.ID.UUID()
	}
	text := fmt.Sprintf("run %s: delivered\n", o.ID)
	switch {
	case call.Start != nil:
		text = o.ID.String() + "\n"
	case o.Run != nil:
		text = fmt.Sprintf("recorded run %s: %s\n", o.Run.ID, shell.Printable(describeProgress(o.Run)))
	case o.Spooled:
		text = ""
	}
	return a.Print(c, r, output.Table{Below: text})
}

func waiting(n int) string {
	return shell.Count(n, "call is waiting", "calls are waiting")
}

// describeProgress is the state of a run in one line.
func describeProgress(r *deploylog.Run) string {
	text := string(r.Status)
	switch {
	case r.Status.InProgress():
		text += fmt.Sprintf(", %d %%", r.Progress)
		if r.CurrentStep != "" {
			text += ", " + firstLine(r.CurrentStep)
		}
	case r.Status == deploylog.Failed:
		text += ": " + firstLine(r.ErrorMessage)
	case r.Status == deploylog.RolledBack:
		text += " to " + r.VersionPrevious
	}
	return text
}

func firstLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if strings.TrimSpace(rest) != "" {
		line += " …"
	}
	return strings.TrimSpace(line)
}

// fileText is the value of a text flag; @FILE reads it from a file, for changes
// and errors that are longer than a command line.
func (a *app) fileText(c *cli.Context, flag string) (string, error) {
	text := c.String(flag)
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return text, nil
	}
	const most = 1 << 20
	data, err := os.ReadFile(name)
	if err != nil {
		return "", shell.Usage(fmt.Errorf("reading the text of --%s: %w", flag, err))
	}
	return string(data[:min(len(data), most)]), nil
}
