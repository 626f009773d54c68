package records

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/text"
)

func (a *app) exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write records to a CSV, NDJSON, JSON or XLSX file that record import reads", ArgsUsage: "TABLE [FILE]",
		Description: "The extension of FILE says the format; without FILE it is CSV on standard output. The columns " +
			"are those an import writes, with the number (id) and the UUID (uid) of the record. Importing the " +
			"file with --key uid changes nothing; importing it into another ERP creates equal records.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "columns", Aliases: []string{"select"}, Usage: "columns to write, such as uid,Value,Name"},
			&cli.StringFlag{Name: "filter", Usage: "condition, such as \"IsVendor eq true and contains(Name,'Tree')\""},
			&cli.StringFlag{Name: "orderby", Usage: "columns to order by, such as \"Name desc,Value\""},
			&cli.IntFlag{Name: "top", Usage: "how many records at most"},
			&cli.StringFlag{Name: "references", Usage: "what stands for records that are referred to: key, value (search key or name) or uid", Value: "key"},
			&cli.StringFlag{Name: "format", Usage: "csv, tsv, ndjson, json or xlsx, where the extension does not say it"},
		},
		Action: a.recordExport,
	}
}

// exportOptions is what record export was asked for.
type exportOptions struct {
	transfer.ExportOptions
	path   string // empty: standard output
	format string
}

func (a *app) exportOptions(c *cli.Context) (*exportOptions, error) {
	if n := c.NArg(); n < 1 || n > 2 {
		return nil, shell.Usagef("record export takes a table, and the file to write; got %d arguments", n)
	}
	o := &exportOptions{path: c.Args().Get(1), format: c.String("format"), ExportOptions: transfer.ExportOptions{
		Table: c.Args().First(), Columns: shell.CommaList(c.String("columns")),
		OrderBy: shell.CommaList(c.String("orderby")), Limit: c.Int("top"), References: c.String("references"),
	}}
	if o.path == "-" {
		o.path = ""
	}
	switch {
	case o.Limit < 0 || c.IsSet("top") && o.Limit == 0:
		return nil, shell.Usagef("--top must be 1 or more")
	case o.References == "key":
		o.References = transfer.ByKey
	case o.References != transfer.ByUUID && o.References != transfer.ByValue:
		return nil, shell.Usagef("--references is key, value or uid, not %q", o.References)
	}
	return o, a.chooseExportFormat(o, c.Bool("json"))
}

// chooseExportFormat finds the format by the name of the file, where no flag says it.
func (a *app) chooseExportFormat(o *exportOptions, json bool) error {
	switch {
	case o.format != "":
	case o.path != "":
		o.format = strings.ToLower(o.path[strings.LastIndexByte(o.path, '.')+1:])
	case json:
		o.format = "json"
	default:
		o.format = "csv"
	}
	if _, ok := transfer.FormatOf("." + o.format); !ok && o.format != "xlsx" {
		return shell.Usagef("%s: the extension does not say what it is to be; give --format csv, tsv, ndjson, json or xlsx", o.path)
	}
	if o.format == "xlsx" && o.path == "" && shell.Terminal(a.Streams.Out) {
		return shell.Usagef("a workbook is not for a terminal: name a file, such as %s.xlsx", strings.ToLower(o.Table))
	}
	return nil
}

func (a *app) recordExport(c *cli.Context) error {
	o, err := a.exportOptions(c)
	if err != nil {
		return err
	}
	client, filter, err := a.clientFor(c, o.Table, o.OrderBy)
	if err != nil {
		return err
	}
	o.Filter = filter
	n := 0
	write := func(out io.Writer) error {
		n, err = a.exportTo(c.Context, client, out, o.format, c.Bool("no-formulas"), o.ExportOptions)
		return err
	}
	if o.path == "" {
		out := a.Data()
		if o.format == "xlsx" {
			out = a.Streams.Out
		}
		return a.hint(c, client, o.Table, shell.Input(write(out)))
	}
	before := ""
	if _, err := os.Stat(o.path); err == nil {
		before = ", in place of the file that was there"
	}
	if err := atomicfile.WriteFunc(o.path, 0o644, write); err != nil {
		return a.hint(c, client, o.Table, shell.Input(err))
	}
	if c.Bool("json") {
		return a.PrintJSON(map[string]any{"file": o.path, "records": n})
	}
	_, err = fmt.Fprintf(a.Streams.Out, "wrote %d records of %s to %s%s\n", n, shell.Printable(o.Table), o.path, before)
	return err
}

// exportTo writes records in a format.
func (a *app) exportTo(ctx context.Context, client *erp.Client, out io.Writer, format string, noFormulas bool, opts transfer.ExportOptions) (int, error) {
	var w transfer.RowWriter
	var err error
	if format == "xlsx" {
		w, err = transfer.NewWorkbookWriter(out, opts.Table)
	} else {
		text, _ := transfer.FormatOf("." + format)
		w, err = transfer.NewWriter(out, text)
	}
	if err != nil {
		return 0, err
	}
	if (format == "csv" || format == "tsv") && noFormulas {
		w = plainCells{w}
	}
	return transfer.Export(ctx, client, values.NewDictionary(restdict.NewSource(client, nil)), w, opts)
}

// plainCells writes rows in which a spreadsheet finds no formula.
type plainCells struct{ transfer.RowWriter }

func (w plainCells) Row(cells []values.Cell) error {
	plain := slices.Clone(cells)
	for i := range plain {
		plain[i].Text = text.NoFormula(plain[i].Text)
	}
	return w.RowWriter.Row(plain)
}
