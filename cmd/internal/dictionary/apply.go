package dictionary

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/plans"
	"github.com/erphub/erphub/cmd/internal/review"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

// checkApply refuses flags that do not go together.
func (a *app) checkApply(c *cli.Context, format *format) error {
	switch {
	case c.Bool("resume") && !format.onServer():
		return shell.Usagef("--resume is for the format rest only; write the files again")
	case c.Bool("resume") && c.Bool("dry-run"):
		return shell.Usagef("--resume continues a run; --dry-run does nothing")
	case c.Bool("apply") && format.onServer():
		return shell.Usagef("the format rest changes the ERP anyway; --apply goes with migration and pack")
	}
	return a.checkDelivery(c, format)
}

func (a *app) dictApply(c *cli.Context) error {
	format, err := chooseFormat(c)
	if err != nil {
		return err
	}
	if err := a.checkApply(c, format); err != nil {
		return err
	}
	opts := runOptions(c, defaultCheckpoint)
	switch {
	case c.Bool("dry-run"):
		return a.dictPlan(c)
	case c.String("rehearse") != "":
		return a.rehearse(c, c.String("rehearse"), format, opts)
	case c.Bool("resume"):
		return a.resumeApply(c, opts)
	}
	if format.onServer() {
		if err := notInterrupted(opts.Checkpoint); err != nil {
			return err
		}
	}
	cmp, plan, err := a.planned(c)
	if err != nil {
		return err
	}
	findings, err := a.review(c, cmp)
	if err != nil {
		return err
	}
	if err := a.showBeforeApply(c, cmp.result, plan, findings); err != nil || plan.Len() == 0 {
		return err
	}
	if err := a.mayApply(c, cmp.result, findings, format.onServer() || c.Bool("apply")); err != nil {
		return err
	}
	if format.onServer() {
		return a.applyCompared(c, cmp, plan, opts, findings)
	}
	return format.writePlan(a, c, plan, knowledge{reference: ddl.Resolver(c.Context, cmp.reg), record: restdict.Identify(c.Context, cmp.client)})
}

// notInterrupted returns an error if a run of dict apply stopped early: what takes it
// back must not be written over.
func notInterrupted(checkpoint string) error {
	if _, err := os.Lstat(checkpoint); err == nil {
		return shell.Usagef("an interrupted run left %[1]s: continue with `erphub dict apply --resume`, or delete %[1]s to start over", checkpoint)
	}
	return nil
}

// applyCompared runs the plan, and can take it back.
func (a *app) applyCompared(c *cli.Context, cmp *comparison, plan *dict.Plan, opts *restdict.Options, findings []review.Finding) error {
	return undoable(c.Context, cmp, opts, opts.Checkpoint, func() error {
		return a.carryOut(c, cmp.client, plan, opts, applyReport{Changes: cmp.result.Changes, Findings: findings})
	})
}

// showBeforeApply shows a person what is about to be done, and a program that nothing
// is.
func (a *app) showBeforeApply(c *cli.Context, result *diff.Result, plan *dict.Plan, findings []review.Finding) error {
	switch {
	case !c.Bool("json"):
		return a.showChanges(result, findings)
	case plan.Len() == 0:
		return a.PrintJSON(applyReport{Changes: []diff.Change{}})
	}
	return nil
}

// mayApply returns an error unless the changes can succeed, and are wanted.
func (a *app) mayApply(c *cli.Context, result *diff.Result, findings []review.Finding, changesERP bool) error {
	if refused := review.Refused(findings); changesERP && len(refused) > 0 {
		return fmt.Errorf("nothing was done: the database would refuse %d of the changes:\n  %s", len(refused), refusals(refused))
	}
	if n := len(result.Destructive()); n > 0 && !c.Bool("allow-destructive") {
		return fmt.Errorf("nothing was done: %s, then give --allow-destructive",
			shell.Count(n, "of the changes is destructive; look at it with --dry-run", "of the changes are destructive; look at them with --dry-run"))
	}
	if !changesERP {
		return nil
	}
	return a.consent(c)
}

// planned is the plan to carry out: the saved one that is named, or that of the
// definitions.
func (a *app) planned(c *cli.Context) (*comparison, *dict.Plan, error) {
	if path, ok, err := planArgument(c); ok || err != nil {
		if err != nil {
			return nil, nil, err
		}
		return a.savedPlan(c, path)
	}
	cmp, err := a.compared(c)
	if err != nil {
		return nil, nil, err
	}
	plan, err := diff.NewPlan(cmp.result, &diff.PlanOptions{SynchroniseAll: c.Bool("sync-all")})
	return cmp, plan, err
}

// consent asks a person at a terminal; elsewhere --yes has to be given.
func (a *app) consent(c *cli.Context) error {
	if c.Bool("yes") {
		return nil
	}
	if !a.Asks() || c.Bool("json") {
		return shell.Usagef("nothing was done: there is no terminal to ask on, so give --yes")
	}
	fmt.Fprint(a.Streams.Err, "Apply these changes? Type yes to continue: ")
	line, err := shell.ReadLine(c.Context, bufio.NewReader(a.Streams.In))
	if err != nil {
		return fmt.Errorf("nothing was done: reading the input: %w", err)
	}
	if answer := strings.TrimSpace(line); !strings.EqualFold(answer, "yes") {
		return errors.New("nothing was done, because the question was not confirmed with yes")
	}
	return nil
}

// resumeApply goes on with the plan of the run that was interrupted: comparing
// again in the middle of it would give another.
func (a *app) resumeApply(c *cli.Context, opts *restdict.Options) error {
	cp, err := restdict.ReadCheckpoint(opts.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return shell.Usagef("there is nothing to resume: no run left %s; apply without --resume", opts.Checkpoint)
	}
	if err != nil {
		return fmt.Errorf("resuming: %w", err)
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	return a.carryOut(c, client, cp.Plan, opts, applyReport{})
}

// applyReport is what apply tells a machine.
type applyReport struct {
	Changes  []diff.Change    `json:"changes,omitempty"`
	Findings []review.Finding `json:"findings,omitempty"`
	Created  int              `json:"created"`
	Changed  int              `json:"changed"`
	Found    int              `json:"found"`
	Ran      int              `json:"ran"`
	Messages []string         `json:"messages,omitempty"`
	Millis   int64            `json:"millis"`
}

// carryOut runs the plan and completes the report with what came of it.
func (a *app) carryOut(c *cli.Context, client *erp.Client, plan *dict.Plan, opts *restdict.Options, r applyReport) error {
	result, err := plans.Run(c.Context, a.Shell, client, plan, opts)
	if err != nil {
		return err
	}
	if err := stillBehind(c.Context, client, r.Changes); err != nil {
		return err
	}
	r.Created, r.Changed, r.Found = result.Count(restdict.Created), result.Count(restdict.Changed), result.Count(restdict.Found)
	r.Ran, r.Millis = result.Count(restdict.Ran), result.Took.Milliseconds()
	for _, s := range result.Steps {
		if s.Message != "" {
			r.Messages = append(r.Messages, s.Message)
		}
	}
	if c.Bool("json") {
		return a.PrintJSON(r)
	}
	_, err = fmt.Fprintf(a.Streams.Out, "Done: %s created, %d changed, %d already existed; %s ran.\n", shell.Count(r.Created, "record", "records"), r.Changed, r.Found,
		shell.Count(r.Ran, "process", "processes"))
	return err
}

// showChanges writes what is about to be done, and what was found about it, for a
// person.
func (a *app) showChanges(result *diff.Result, findings []review.Finding) error {
	var b strings.Builder
	if err := result.WriteText(&b); err != nil {
		return err
	}
	_, err := fmt.Fprint(a.Streams.Out, a.PaintChanges(b.String())+findingsText(findings))
	return err
}

// refusals are findings in one sentence.
func refusals(findings []review.Finding) string {
	var parts []string
	for _, f := range findings {
		parts = append(parts, shell.Printable(f.Where+": "+f.Message+"; "+f.Advice))
	}
	return strings.Join(parts, "\n  ")
}
