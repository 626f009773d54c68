// Package plans runs plans of the dictionary for the families of commands that
// have them, and shows what plans would do and have done.
package plans

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

// Show prints what a plan would do.
func Show(sh *shell.Shell, c *cli.Context, plan *dict.Plan) error {
	t := Steps(plan)
	t.Below = fmt.Sprintf("\n%s; nothing was done\n", shell.Count(plan.Summary().Columns, "column", "columns"))
	return sh.Print(c, map[string]any{"name": plan.Name(), "fingerprint": plan.Fingerprint(), "steps": plan.Rows()}, t)
}

// Steps are the steps of a plan as a table.
func Steps(plan *dict.Plan) output.Table {
	var rows [][]string
	for _, r := range plan.Rows() {
		rows = append(rows, []string{strconv.Itoa(r.Number), r.Action, r.Kind, r.Name, r.Detail})
	}
	return output.Table{Columns: output.Columns(">#=number", "action", "what=kind", "name", "detail"), Rows: rows, List: "steps"}
}

// Run runs a plan with a progress bar for people.
func Run(ctx context.Context, sh *shell.Shell, client *erp.Client, plan *dict.Plan, opts *restdict.Options) (*restdict.Result, error) {
	if opts.Checkpoint != "" {
		if err := shell.MakeFolder(opts.Checkpoint); err != nil {
			return nil, err
		}
	}
	var notes []string
	bar := sh.Progress(plan.Len(), plan.Name())
	opts.Observe = func(e restdict.Event) {
		switch e.Kind {
		case restdict.StepStarted:
			bar.Describe(e.Step.Title())
		case restdict.StepDone, restdict.StepSkipped, restdict.StepFailed, restdict.StepWaiting:
			bar.Add()
		case restdict.Note:
			notes = append(notes, e.Text)
		}
	}
	result, err := restdict.Run(ctx, client, plan, opts)
	bar.Done()
	for _, n := range notes {
		sh.Note("%s", n)
	}
	return result, err
}

// tableReport is what add table tells a machine.
type tableReport struct {
	Table    string            `json:"table"`
	ID       string            `json:"id,omitempty"`
	Columns  int               `json:"columns"`
	Created  int               `json:"created"`
	Found    int               `json:"found"`
	Synced   bool              `json:"synced"`
	Messages []string          `json:"messages"`
	Differs  []tableDifference `json:"differs"`
	Millis   int64             `json:"millis"`
}

// tableDifference is a record that was there with another value.
type tableDifference struct {
	Step string `json:"step"`
	restdict.Difference
}

// ReportTable tells what came of the plan of a table.
func ReportTable(sh *shell.Shell, c *cli.Context, table dict.Table, plan *dict.Plan, result *restdict.Result) error {
	r := tableReport{
		Table: table.Name, Columns: plan.Summary().Columns, Messages: []string{}, Differs: []tableDifference{},
		Created: result.Count(restdict.Created), Found: result.Count(restdict.Found),
		Synced: result.Count(restdict.Ran) > 0, Millis: result.Took.Milliseconds(),
	}
	for _, s := range result.Steps {
		if step, _ := plan.Step(s.Key); step != nil {
			if rec, ok := step.(*dict.RecordStep); ok && rec.Table == "AD_Table" && rec.Action != dict.Update && rec.Name == table.Name && !s.ID.IsZero() {
				r.ID = s.ID.String()
			}
		}
		if s.Message != "" {
			r.Messages = append(r.Messages, s.Message)
		}
		for _, d := range s.Differences {
			r.Differs = append(r.Differs, tableDifference{s.Title, d})
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s; %s created, %d already existed\n", r.Table, shell.Count(r.Columns, "column", "columns"), shell.Count(r.Created, "record", "records"), r.Found)
	for _, d := range r.Differs {
		fmt.Fprintf(&b, "  left as it was: %s has %s %q, not %q\n", shell.Printable(d.Step), d.Column, shell.Printable(d.Has), shell.Printable(d.Wanted))
	}
	if r.Synced {
		fmt.Fprintf(&b, "the database table exists; read it with `erphub record list %s`\n", table.Name)
	}
	return sh.Print(c, r, output.Table{Below: b.String()})
}
