package records

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

func (a *app) recordCommand() *cli.Command {
	shape := append(shell.ValueFlags(),
		&cli.StringFlag{Name: "columns", Aliases: []string{"select"}, Usage: "columns to read and print, separated by commas"},
		&cli.StringFlag{Name: "expand", Usage: "referenced records to include: a reference column or a child table, such as C_OrderLine($select=Line)"},
	)
	values := append(shell.ValueFlags(),
		&cli.StringFlag{Name: "data", Usage: "values as a JSON object, @FILE, or - for standard input", TakesFile: true},
		&cli.BoolFlag{Name: "dry-run", Usage: "have the ERP check and fill the record, show it, and store nothing"},
	)
	const aboutValues = "NAME is a column or its label. VALUE is read by the type of the column, as an import reads it: a reference takes the " +
		"number, the UUID or the name of the record, a list its code or its label. NAME= clears the column; " +
		"NAME:=JSON is sent as it is, and NAME@=FILE takes the text of a file, or of standard input for -. Arguments win over --data. doc-action=CO completes a document.\n"
	const aboutTrial = "\nWith --dry-run the ERP writes the record and takes it back: nothing is stored, but numbers that it takes from " +
		"sequences are used up, and what its plugins send elsewhere is sent."
	const aboutID = "ID is a number, a UUID, or what the record is known by: its search key, document number or name; " +
		"COLUMN=VALUE says by which column, such as DocumentNo=80000."
	return &cli.Command{
		Name: "record", Usage: "read and write records of any table",
		Subcommands: append([]*cli.Command{
			{
				Name: "get", Usage: "show one record, a document with its lines", ArgsUsage: "TABLE ID",
				Description: aboutID,
				Flags:       shape, Action: shell.Takes(a.recordGet, "a table", "an id"),
			},
			{
				Name: "list", Usage: "list records", ArgsUsage: "TABLE",
				Description: "Without --top it shows one page, as many as the server gives (usually 100). --all goes through all " +
					"of them, ordered by key, and writes them as they come: one JSON object per line, or as -o says; --jq and " +
					"--template then see one record at a time. -o name prints the keys that other commands take. Cells of a " +
					"CSV file are exact; for a spreadsheet give --no-formulas.",
				Flags: append(slices.Clone(shape),
					&cli.StringFlag{Name: "filter", Usage: "condition, such as \"IsVendor eq true and contains(Name,'Tree')\""},
					&cli.StringFlag{Name: "orderby", Usage: "columns to order by, such as \"Name desc,Value\""},
					&cli.IntFlag{Name: "top", Usage: "how many records at most; with --all, how many per request"},
					&cli.IntFlag{Name: "skip", Usage: "how many records to skip at the start"},
					&cli.BoolFlag{Name: "all", Usage: "read all records, page by page"},
					&cli.BoolFlag{Name: "names", Usage: "in CSV, the names of references and lists instead of their keys"},
				),
				Action: shell.Takes(a.recordList, "a table"),
			},
			{
				Name: "create", Usage: "add a record", ArgsUsage: "TABLE [NAME=VALUE...]",
				Description: aboutValues + aboutTrial, Flags: values, Action: a.recordCreate,
			},
			{
				Name: "update", Usage: "change columns of a record and leave the others alone", ArgsUsage: "TABLE ID [NAME=VALUE...]",
				Description: aboutID + " " + aboutValues + aboutTrial, Flags: values, Action: a.recordUpdate,
			},
			{
				Name: "delete", Usage: "delete records", ArgsUsage: "TABLE ID [ID...]",
				Description: aboutID + " Of several records all are deleted or none. On a terminal it asks before it deletes; elsewhere --yes is needed.",
				Flags: append(shell.ValueFlags(),
					&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
					&cli.BoolFlag{Name: "dry-run", Usage: "ask the ERP whether it would delete them, and delete nothing"},
				),
				Action: a.recordDelete,
			},
			a.countCommand(), a.printCommand(), a.importCommand(), a.exportCommand(),
		}, a.fileCommands()...),
	}
}

// selected is what --select sends: id, uid and model-name come anyway, and the
// server knows no columns of these names.
func selected(columns []string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(c string) bool {
		return c == "id" || c == "uid" || c == "model-name"
	})
}

// expands reads --expand, which is in the server's own language.
func expands(c *cli.Context) []erp.Expand {
	if text := c.String("expand"); text != "" {
		return []erp.Expand{erp.RawExpand(text)}
	}
	return nil
}

func (a *app) recordGet(c *cli.Context) error {
	client, table, id, err := a.record(c)
	if err != nil {
		return err
	}
	columns := shell.CommaList(c.String("columns"))
	rec, err := client.Get(c.Context, table, id, &erp.GetOptions{Select: selected(columns), Expand: expands(c)})
	if err != nil {
		return a.hint(c, client, table, shell.Input(err))
	}
	var then func(output.Format) *output.Table
	if _, document := rec.Raw("DocStatus"); document && len(columns) == 0 && !c.IsSet("expand") {
		then = func(format output.Format) *output.Table { return a.lines(c.Context, client, table, rec, format) }
	}
	return a.printRecord(c, rec, columns, then)
}

// mostLines is how many lines of a document are shown with it.
const mostLines = 100

// lines are those of a document, as a list of them shows them; nil for none.
func (a *app) lines(ctx context.Context, client *erp.Client, table string, rec erp.Record, format output.Format) *output.Table {
	name := erp.LineTable(table)
	page, err := client.Query(ctx, name, &erp.Query{Filter: erp.Eq(table+"_ID", rec.ID()), Top: mostLines})
	switch {
	case errors.Is(err, erp.ErrNotFound) || err == nil && len(page.Records) == 0: // it has no lines, by its nature or yet
		return nil
	case err != nil:
		a.Note("its lines in %s are not shown: %v", name, err)
		return nil
	}
	slices.SortStableFunc(page.Records, func(x, y erp.Record) int {
		m, _ := x.Int("Line")
		n, _ := y.Int("Line")
		return cmp.Compare(m, n)
	})
	t := tableOf(page.Records, nil, format)
	t.Above = "\n" + name + "\n"
	if more := page.Rows - len(page.Records); more > 0 {
		t.Below = fmt.Sprintf("and %s; `erphub record list %s --filter '%s_ID eq %s'` shows all\n", shell.Count(more, "further line", "further lines"), name, table, rec.ID())
	}
	return &t
}

// printRecord shows one record: a line per column. Columns that were named come in
// their order, for people behind the keys of the record. then makes the table that
// people see below it; nil: none.
func (a *app) printRecord(c *cli.Context, rec erp.Record, columns []string, then func(output.Format) *output.Table) error {
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	text := shown
	switch choice.Format {
	case output.FormatCSV, output.FormatName:
		text = func(raw json.RawMessage) string { return output.Cell(raw, false) }
	case output.FormatVertical:
	default:
		if len(columns) > 0 {
			columns = append(slices.DeleteFunc([]string{"id", "uid"}, func(key string) bool { return slices.Contains(columns, key) }), columns...)
		}
	}
	if len(columns) == 0 {
		columns = rec.Columns()
	}
	t := output.Table{Single: &[2]string{"column", "value"}, Rows: [][]string{nil}}
	for _, name := range columns {
		if name != "model-name" {
			raw, _ := rec.Raw(name)
			t.Columns = append(t.Columns, output.Column{Name: name, Max: 100})
			t.Rows[0] = append(t.Rows[0], text(raw))
		}
	}
	if then != nil && choice.ForPeople() && choice.Format != output.FormatVertical && !choice.Filtered() && choice.File == "" {
		t.Then = then(choice.Format)
	}
	return a.PrintAs(c, choice, rec, t)
}

// shown is a value for people: the name of a reference with its key.
func shown(raw json.RawMessage) string {
	name, key := output.Cell(raw, true), output.Cell(raw, false)
	if name != key {
		name = fmt.Sprintf("%s (%s)", name, key)
	}
	return name
}
