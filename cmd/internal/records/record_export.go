package records

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/transfer/xlsx"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/atomicfile"
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
			&cli.StringFlag{Name: "format", Usage: "csv, ndjson, json or xlsx, where the extension does not say it"},
		},
		Action: a.recordExport,
	}
}

func (a *app) recordExport(c *cli.Context) error {
	if n := c.NArg(); n < 1 || n > 2 {
		return shell.Usagef("record export takes a table, and the file to write; got %d arguments", n)
	}
	table, path := c.Args().First(), c.Args().Get(1)
	opts := transfer.ExportOptions{
		Table: table, Columns: shell.CommaList(c.String("columns")), Filter: erp.Raw(c.String("filter")),
		OrderBy: shell.CommaList(c.String("orderby")), Limit: c.Int("top"), References: c.String("references"),
	}
	switch {
	case opts.Limit < 0 || c.IsSet("top") && opts.Limit == 0:
		return shell.Usagef("--top must be 1 or more")
	case opts.References == "key":
		opts.References = transfer.ByKey
	case opts.References != transfer.ByUUID && opts.References != transfer.ByValue:
		return shell.Usagef("--references is key, value or uid, not %q", opts.References)
	}
	format := c.String("format")
	toFile := path != "" && path != "-"
	if format == "" {
		format = "csv"
		if c.Bool("json") {
			format = "json"
		}
		if toFile {
			format = strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])
		}
	}
	if _, ok := transfer.FormatOf("." + format); !ok && format != "xlsx" {
		return shell.Usagef("%s: the extension does not say what it is to be; give --format csv, ndjson, json or xlsx", path)
	}
	if format == "xlsx" && !toFile && shell.Terminal(a.Streams.Out) {
		return shell.Usagef("a workbook is not for a terminal: name a file, such as %s.xlsx", strings.ToLower(table))
	}
	terms, err := erp.FilterTerms(c.String("filter"))
	if err != nil {
		return shell.Input(err)
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	if err := checkFlags(c, client, table, terms); err != nil {
		return err
	}
	if len(opts.OrderBy) > 0 {
		if err := checkOrder(c, client, table, opts.OrderBy); err != nil {
			return err
		}
	}
	n := 0
	write := func(out io.Writer) error {
		n, err = a.exportTo(c.Context, client, out, format, c.Bool("no-formulas"), opts)
		return err
	}
	if !toFile {
		out := a.Data()
		if format == "xlsx" {
			out = a.Streams.Out
		}
		return a.hint(c, client, table, shell.Input(write(out)))
	}
	if err := atomicfile.WriteFunc(path, 0o644, write); err != nil {
		return a.hint(c, client, table, shell.Input(err))
	}
	if c.Bool("json") {
		return a.PrintJSON(map[string]any{"file": path, "records": n})
	}
	_, err = fmt.Fprintf(a.Streams.Out, "wrote %d records of %s to %s\n", n, shell.Printable(table), path)
	return err
}

// exportTo writes records in a format.
func (a *app) exportTo(ctx context.Context, client *erp.Client, out io.Writer, format string, noFormulas bool, opts transfer.ExportOptions) (int, error) {
	var w transfer.RowWriter
	var err error
	if format == "xlsx" {
		w, err = xlsx.NewWriter(out, opts.Table)
	} else {
		text, _ := transfer.FormatOf("." + format)
		w, err = transfer.NewWriter(out, text)
	}
	if err != nil {
		return 0, err
	}
	if format == "csv" && noFormulas {
		w = plainCells{w}
	}
	return transfer.Export(ctx, client, values.NewDictionary(restdict.NewSource(client, nil)), w, opts)
}

// plainCells writes rows in which a spreadsheet finds no formula.
type plainCells struct{ transfer.RowWriter }

func (w plainCells) Row(cells []values.Cell) error {
	plain := slices.Clone(cells)
	for i := range plain {
		plain[i].Text = output.NoFormula(plain[i].Text)
	}
	return w.RowWriter.Row(plain)
}
