// Package plans runs plans of the dictionary for the families of commands that
// have them, and shows what plans would do and have done.
package plans

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

// Show prints what a plan would do.
func Show(sh *shell.Shell, c *cli.Context, plan *dict.Plan) error {
	if c.Bool("json") {
		return sh.PrintJSON(map[string]any{"name": plan.Name(), "fingerprint": plan.Fingerprint(), "steps": plan.Rows()})
	}
	PrintSteps(sh, plan)
	s := plan.Summary()
	_, err := fmt.Fprintf(sh.Streams.Out, "\n%d columns; nothing was done\n", s.Columns)
	return err
}

// PrintSteps prints the steps of a plan as a table.
func PrintSteps(sh *shell.Shell, plan *dict.Plan) {
	var rows [][]string
	for _, r := range plan.Rows() {
		rows = append(rows, []string{strconv.Itoa(r.Number), r.Action, r.Kind, r.Name, r.Detail})
	}
	sh.PrintTable([]string{"#", "action", "what", "name", "detail"}, rows)
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
	if c.Bool("json") {
		return sh.PrintJSON(r)
	}
	fmt.Fprintf(sh.Streams.Out, "%s: %d columns; %d records created, %d already existed\n", r.Table, r.Columns, r.Created, r.Found)
	for _, d := range r.Differs {
		fmt.Fprintf(sh.Streams.Out, "  left as it was: %s has %s %q, not %q\n", shell.Printable(d.Step), d.Column, shell.Printable(d.Has), shell.Printable(d.Wanted))
	}
	if r.Synced {
		fmt.Fprintf(sh.Streams.Out, "the database table exists; read it with `erphub record list %s`\n", table.Name)
	}
	return nil
}
