package dictionary

import (
	"bytes"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/review"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
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
	r := newChangesReport(cmp.result)
	r.Steps, r.Findings = plan.Rows(), findings
	var b bytes.Buffer
	if err := cmp.result.WriteText(&b); err != nil {
		return err
	}
	text := a.PaintChanges(b.String())
	if c.Bool("steps") && plan.Len() > 0 {
		b.Reset()
		if err := plan.WriteText(&b); err != nil {
			return err
		}
		text += "\n" + b.String()
	}
	if err := a.Print(c, r, output.Table{List: "changes", Below: text + findingsText(findings)}); err != nil {
		return err
	}
	if choice, err := a.Choice(c, ""); err == nil && choice.ForPeople() && r.Destructive > 0 {
		fmt.Fprintf(a.Streams.Err, "%s destructive: apply needs --allow-destructive for %s\n", shell.Count(r.Destructive, "of the changes is", "of the changes are"),
			map[bool]string{true: "it", false: "them"}[r.Destructive == 1])
	}
	return nil
}
