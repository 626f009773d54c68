package dictionary

import (
	"bytes"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/review"
)

// changesReport is what diff and plan tell a machine.
type changesReport struct {
	Changes     []diff.Change  `json:"changes"`
	Summary     diff.Summary   `json:"summary"`
	Destructive int            `json:"destructive"`
	Steps       []dict.Row     `json:"steps,omitempty"`
	Unfinished  *unfinishedRun `json:"unfinished,omitempty"`
	Database    []tableDrift   `json:"database,omitempty"`

	Findings []review.Finding `json:"findings,omitempty"`
}

func newChangesReport(result *diff.Result) changesReport {
	return changesReport{Changes: result.Changes, Summary: result.Summary(), Destructive: len(result.Destructive())}
}

func (a *app) dictPlan(c *cli.Context) error {
	cmp, plan, err := a.planned(c)
	if err != nil {
		return err
	}
	findings, err := a.review(c, cmp)
	if err != nil {
		return err
	}
	if err := a.savePlan(c, cmp); err != nil {
		return err
	}
	if err := a.writeComment(c, cmp, findings); err != nil {
		return err
	}
	if c.String("comment") != "-" {
		if err := a.showPlan(c, cmp, plan, findings); err != nil {
			return err
		}
	}
	if c.Bool("exit-code") && plan.Len() > 0 {
		return shell.ErrDrift
	}
	return nil
}

// showPlan prints a plan for people, or for a machine.
func (a *app) showPlan(c *cli.Context, cmp *comparison, plan *dict.Plan, findings []review.Finding) error {
	if c.Bool("json") {
		r := newChangesReport(cmp.result)
		r.Steps, r.Findings = plan.Rows(), findings
		return a.PrintJSON(r)
	}
	if err := cmp.result.WriteText(a.Streams.Out); err != nil {
		return err
	}
	if c.Bool("steps") && plan.Len() > 0 {
		var b bytes.Buffer
		if err := plan.WriteText(&b); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.Streams.Out, "\n%s", b.Bytes()); err != nil {
			return err
		}
	}
	if err := a.showFindings(findings); err != nil {
		return err
	}
	if n := len(cmp.result.Destructive()); n > 0 {
		fmt.Fprintf(a.Streams.Err, "%d of the changes are destructive: apply needs --allow-destructive for them\n", n)
	}
	return nil
}
