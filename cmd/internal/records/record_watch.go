package records

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/export"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/watch"
)

func (a *app) watchCommand() *cli.Command {
	return &cli.Command{
		Name: "watch", Usage: "follow the records of a table, or one record, as they change", ArgsUsage: "TABLE [ID]",
		Description: "It asks the ERP again and again for what has changed, until you interrupt it. Deletions are seen of one record only. With --json it writes one JSON object per change and line.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "select", Usage: "columns to read, separated by commas (default: all)"},
			&cli.StringFlag{Name: "filter", Usage: "condition, such as \"DocStatus eq 'CO'\""},
			&cli.DurationFlag{Name: "every", Value: 5 * time.Second, Usage: "time between two requests"},
			&cli.IntFlag{Name: "count", Usage: "stop after so many changes"},
		},
		Action: a.recordWatch,
	}
}

// changeOut is a change for programs.
type changeOut struct {
	Time    time.Time  `json:"time"`
	Kind    watch.Kind `json:"kind"`
	Table   string     `json:"table"`
	ID      erp.ID     `json:"id"`
	Columns []string   `json:"columns,omitempty"`
	Record  any        `json:"record,omitempty"`
}

// watchOptions is what record watch was asked for.
type watchOptions struct {
	watch.Options
	table string
	one   bool
	most  int // changes; 0: no bound
}

func readWatchOptions(c *cli.Context) (*watchOptions, error) {
	if c.NArg() != 1 && c.NArg() != 2 {
		return nil, shell.Usagef("record watch takes a table, or a table and an id, such as record watch C_Order 100")
	}
	o := &watchOptions{table: c.Args().First(), one: c.NArg() == 2, most: c.Int("count"), Options: watch.Options{
		Filter: erp.Raw(c.String("filter")), Select: selected(shell.CommaList(c.String("select"))), Every: c.Duration("every"),
	}}
	switch {
	case o.Every < 100*time.Millisecond:
		return nil, shell.Usagef("--every must be 100ms or more")
	case o.most < 0 || c.IsSet("count") && o.most == 0:
		return nil, shell.Usagef("--count must be 1 or more")
	case o.one && c.String("filter") != "":
		return nil, shell.Usagef("--filter chooses among the records of a table; leave it out for one record")
	}
	return o, nil
}

func (a *app) recordWatch(c *cli.Context) error {
	o, err := readWatchOptions(c)
	if err != nil {
		return err
	}
	client, err := a.clientFor(c, o.table, nil)
	if err != nil {
		return err
	}
	changes, what := watch.Table(c.Context, client, o.table, &o.Options), o.table
	if o.one {
		id, err := a.find(c, client, o.table, c.Args().Get(1))
		if err != nil {
			return err
		}
		changes, what = watch.Record(c.Context, client, o.table, id, &o.Options), o.table+" "+id.String()
	}
	if shell.Terminal(a.Streams.Out) {
		a.Note("watching %s; Ctrl-C ends it", what)
	}
	n := 0
	for change, err := range changes {
		if err != nil {
			return a.hint(c, client, o.table, shell.Input(err))
		}
		if err := a.printChange(c, o.table, change); err != nil {
			return err
		}
		if n++; n == o.most {
			return nil
		}
	}
	return nil
}

// shownChanges bounds the columns of a change in its line.
const shownChanges = 6

// printChange tells a change in one line.
func (a *app) printChange(c *cli.Context, table string, change watch.Change) error {
	rec, now := change.Record, time.Now()
	if change.Kind == watch.Deleted {
		rec = change.Previous
	}
	if c.Bool("json") {
		out := changeOut{Time: now.UTC(), Kind: change.Kind, Table: table, ID: rec.ID(), Columns: change.Columns}
		if change.Kind != watch.Deleted {
			out.Record = rec
		}
		enc := json.NewEncoder(a.Data())
		enc.SetEscapeHTML(false)
		return enc.Encode(out)
	}
	line := fmt.Sprintf("%s  %s  %s %s", now.Format(time.TimeOnly), change.Kind, table, rec.ID())
	if name := nameOf(rec); name != "" {
		line += "  " + name
	}
	for i, column := range change.Columns {
		if i == shownChanges {
			line += fmt.Sprintf("  and %d more columns", len(change.Columns)-i)
			break
		}
		before, _ := change.Previous.Raw(column)
		after, _ := rec.Raw(column)
		line += fmt.Sprintf("  %s: %s → %s", column, shell.OrDash(shell.Short(export.Cell(before, true), 40)), shell.OrDash(shell.Short(export.Cell(after, true), 40)))
	}
	_, err := fmt.Fprintln(a.Streams.Out, shell.Printable(line))
	return err
}
