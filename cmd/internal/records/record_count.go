package records

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/aggregate"
)

func (a *app) countCommand() *cli.Command {
	return &cli.Command{
		Name: "count", Usage: "count records, or add up their columns, in groups", ArgsUsage: "TABLE",
		Description: "Without --by and --measure it asks the ERP for the number alone. Otherwise it reads the columns that are needed of all records, and computes exactly.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "filter", Usage: "condition, such as \"IsVendor eq true and contains(Name,'Tree')\""},
			&cli.StringFlag{Name: "by", Usage: "columns to group by; of dates also day, month, quarter or year, such as DocStatus,DateOrdered:month"},
			&cli.StringFlag{Name: "measure", Usage: "what to compute, such as count,sum(GrandTotal),avg(GrandTotal),min(DateOrdered) (default: count)"},
			&cli.StringFlag{Name: "orderby", Usage: "order of the groups: a group or a measure, and desc, such as \"count desc\" (default: by group)"},
			&cli.BoolFlag{Name: "chart", Usage: "draw the first measure as bars"},
		}, shell.OutputFlags()...),
		Action: shell.Takes(a.recordCount, "a table"),
	}
}

func (a *app) recordCount(c *cli.Context) error {
	table, groups, measures := c.Args().First(), shell.CommaList(c.String("by")), shell.CommaList(c.String("measure"))
	totals, err := aggregate.New(groups, measures)
	if err != nil {
		return shell.Usage(err)
	}
	if _, _, err := totals.Rows(c.String("orderby"), 0); err != nil {
		return shell.Usage(err)
	}
	client, filter, err := a.clientFor(c, table, nil)
	if err != nil {
		return err
	}
	if len(groups)+len(measures) == 0 {
		n, err := countRecords(c.Context, client, table, filter)
		if err != nil {
			return a.hint(c, client, table, shell.Input(err))
		}
		return a.Print(c, map[string]any{"table": table, "count": n}, output.Table{Below: fmt.Sprintln(n)})
	}
	q := &erp.Query{Filter: filter, Select: totals.Columns()}
	for rec, err := range client.Records(c.Context, table, q) {
		if err != nil {
			return a.hint(c, client, table, shell.Input(err))
		}
		if err := totals.Add(rec); err != nil {
			return shell.Usage(err)
		}
	}
	rows, _, err := totals.Rows(c.String("orderby"), 0)
	if err != nil {
		return shell.Usage(err)
	}
	return a.printTotals(c, totals, rows)
}

// countRecords is how many records a filter finds. The ERP tells that with any
// page, and does not send the rest of it.
func countRecords(ctx context.Context, client *erp.Client, table string, filter erp.Filter) (int, error) {
	page, err := client.Query(ctx, table, &erp.Query{Filter: filter, Select: []string{"AD_Client_ID"}, Top: 1})
	if err != nil {
		return 0, err
	}
	if page.Rows >= 0 {
		return page.Rows, nil
	}
	n := 0
	for _, err := range client.Records(ctx, table, &erp.Query{Filter: filter, Select: []string{"AD_Client_ID"}}) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

func (a *app) printTotals(c *cli.Context, totals *aggregate.Totals, rows []aggregate.Row) error {
	t := output.Table{Empty: "no records"}
	var columns []string
	for _, g := range totals.Groups {
		columns = append(columns, g.String())
		t.Columns = append(t.Columns, output.Column{Name: g.String(), Max: 60})
	}
	for _, m := range totals.Measures {
		columns = append(columns, m.String())
		t.Columns = append(t.Columns, output.Column{Name: m.String(), Right: true})
	}
	values := make([]float64, len(rows))
	for i, row := range rows {
		values[i], _ = strconv.ParseFloat(row.Values[0].String(), 64) // what is not a number has no bar
	}
	if c.Bool("chart") {
		t.Columns = append(t.Columns, output.Column{Name: ""})
	}
	largest := largestOf(values)
	for i, row := range rows {
		var cells []string
		for _, key := range row.Keys {
			cells = append(cells, cmp.Or(key.Name, key.ID))
		}
		for _, v := range row.Values {
			cells = append(cells, v.String())
		}
		if c.Bool("chart") {
			cells = append(cells, bar(values[i], largest))
		}
		t.Rows = append(t.Rows, cells)
	}
	return a.Print(c, totalObjects(columns, rows), t)
}

// totalObjects are the rows as objects, with the key of a group that has a name
// beside it.
func totalObjects(columns []string, rows []aggregate.Row) []map[string]any {
	objects := make([]map[string]any, len(rows))
	for i, row := range rows {
		objects[i] = map[string]any{}
		for j, key := range row.Keys {
			switch {
			case key.ID == "" && key.Name == "":
				objects[i][columns[j]] = nil
			case key.Name == "" || key.Name == key.ID:
				objects[i][columns[j]] = key.ID
			default:
				objects[i][columns[j]] = map[string]any{"id": key.ID, "name": key.Name}
			}
		}
		for j, v := range row.Values {
			objects[i][columns[len(row.Keys)+j]] = v
		}
	}
	return objects
}
