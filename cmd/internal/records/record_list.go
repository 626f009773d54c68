package records

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// listOptions is what record list was asked for.
type listOptions struct {
	table   string
	columns []string
	query   *erp.Query
	all     bool // every page
	choice  *output.Choice
}

// forTable reports whether the records are shown as rows under headings.
func (o *listOptions) forTable() bool {
	return o.choice.Format == output.FormatTable || o.choice.Format == output.FormatWide
}

func (a *app) listOptions(c *cli.Context) (*listOptions, error) {
	o := &listOptions{table: c.Args().First(), columns: shell.CommaList(c.String("columns")), all: c.Bool("all")}
	var usual output.Format
	if o.all {
		usual = output.FormatNDJSON
	}
	var err error
	if o.choice, err = a.Choice(c, usual); err != nil {
		return nil, err
	}
	switch {
	case o.all && o.forTable():
		return nil, shell.Usagef("--all cannot be printed as a table: give -o csv, ndjson, json, yaml, name or vertical, or --top N for a table of N records")
	case c.Int("top") < 0 || c.Int("skip") < 0 || c.IsSet("top") && c.Int("top") == 0:
		return nil, shell.Usagef("--top must be 1 or more and --skip 0 or more")
	case c.Bool("names") && o.choice.Format != output.FormatCSV:
		return nil, shell.Usagef("--names belongs to -o csv")
	}
	o.query = &erp.Query{
		Select: selected(o.columns), Expand: expands(c),
		OrderBy: shell.CommaList(c.String("orderby")), Top: c.Int("top"), Skip: c.Int("skip"),
	}
	return o, nil
}

func (a *app) recordList(c *cli.Context) error {
	o, err := a.listOptions(c)
	if err != nil {
		return err
	}
	client, filter, err := a.clientFor(c, o.table, o.query.OrderBy)
	if err != nil {
		return err
	}
	o.query.Filter = filter
	list, err := o.read(c.Context, client)
	if err != nil {
		return a.hint(c, client, o.table, shell.Input(err))
	}
	var n int
	if o.forTable() {
		n, err = a.printRecords(c, o.choice, o.columns, list)
	} else {
		n, err = a.exportRecords(c, client, o, list)
	}
	if err != nil {
		return a.hint(c, client, o.table, shell.Input(err))
	}
	if n == 0 && (o.forTable() || o.choice.Format == output.FormatVertical) {
		if o.choice.Format == output.FormatVertical {
			a.Note("no records")
		}
		a.EmptyHint(c.Context, func() bool { return shell.OfTenants(c.Context, client, o.table) })
	}
	if list.page != nil && list.page.More() {
		a.Note("these are %d of %d records; --skip %d shows the next ones, --all reads all",
			len(list.page.Records), list.page.Rows, list.page.Skip+len(list.page.Records))
	}
	return nil
}

// read asks for one page, or for all records with --all and --top, which may be more
// than the server sends at once.
func (o *listOptions) read(ctx context.Context, client *erp.Client) (listing, error) {
	if o.all || o.query.Top > 0 {
		if !o.all {
			o.query.Limit = o.query.Top
		}
		return listing{records: client.Records(ctx, o.table, o.query)}, nil
	}
	page, err := client.Query(ctx, o.table, o.query)
	if err != nil {
		return listing{}, err
	}
	return listing{slices2(page.Records), page}, nil
}

// listing is records on their way, and the page they are when it is one.
type listing struct {
	records iter.Seq2[erp.Record, error]
	page    *erp.Page
}

// slices2 yields records that already exist.
func slices2(records []erp.Record) iter.Seq2[erp.Record, error] {
	return func(yield func(erp.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// exportRecords writes records for programs.
func (a *app) exportRecords(c *cli.Context, client *erp.Client, o *listOptions, list listing) (int, error) {
	choice, columns := o.choice, o.columns
	opts := &output.RecordOptions{Columns: columns, Names: c.Bool("names"), Shown: shown}
	if list.page != nil && list.page.Rows >= 0 {
		opts.Total = &list.page.Rows
	}
	records := list.records
	if choice.Format == output.FormatCSV && len(columns) == 0 {
		next, stop := iter.Pull2(records)
		defer stop()
		var err error
		if opts.Columns, records, err = csvColumns(c.Context, client, o.table, next); err != nil {
			return 0, err
		}
		opts.Unlisted = func(column string) {
			if column == "model-name" {
				return // the table, which is known
			}
			a.Note("some records have %s, which is not among the columns of the file; name columns with --columns", column)
		}
	}
	if choice.Format == output.FormatCSV && len(opts.Columns) == 0 {
		return 0, nil // an empty table whose columns the role may not know
	}
	return a.PrintRecords(c, choice, records, opts)
}

// csvColumns finds the columns of a file: those of the first record, and those
// the table has beyond, because columns without value are not sent. It returns
// all records again.
func csvColumns(ctx context.Context, client *erp.Client, table string, next func() (erp.Record, error, bool)) ([]string, iter.Seq2[erp.Record, error], error) {
	first, err, ok := next()
	if err != nil {
		return nil, nil, err
	}
	var columns []string
	if ok {
		columns = slices.DeleteFunc(first.Columns(), func(name string) bool { return name == "model-name" })
	}
	have := map[string]bool{}
	for _, name := range columns {
		have[strings.ToLower(name)] = true
	}
	for _, name := range shell.SchemaColumns(ctx, client, table) {
		if key := strings.ToLower(name); !have[key] && key != "model-name" {
			have[key] = true
			columns = append(columns, name)
		}
	}
	return columns, func(yield func(erp.Record, error) bool) {
		for rec, err := first, error(nil); ok; rec, err, ok = next() {
			if !yield(rec, err) {
				return
			}
		}
	}, nil
}

// printRecords shows records as a table, and returns how many there are.
func (a *app) printRecords(c *cli.Context, choice *output.Choice, columns []string, list listing) (int, error) {
	var records []erp.Record
	for rec, err := range list.records {
		if err != nil {
			return 0, err
		}
		records = append(records, rec)
	}
	return len(records), a.PrintAs(c, choice, nil, tableOf(records, columns, choice.Format))
}

// tableOf shows records with these columns, or with those that matter.
func tableOf(records []erp.Record, columns []string, format output.Format) output.Table {
	most, more := len(columns), 0
	if len(columns) == 0 {
		if most = tableColumns; format == output.FormatWide {
			most = math.MaxInt
		}
		columns, more = interesting(records, format)
	}
	t := output.Table{Rows: make([][]string, len(records)), More: more, Empty: "no records"}
	for i, name := range columns {
		t.Columns = append(t.Columns, output.Column{Name: name, Max: 60, Right: numbers(records, name), Spare: i >= most})
	}
	for i, rec := range records {
		for _, name := range columns {
			raw, _ := rec.Raw(name)
			t.Rows[i] = append(t.Rows[i], output.Cell(raw, true))
		}
	}
	return t
}

// numbers reports whether a column has numbers and nothing else.
func numbers(records []erp.Record, column string) bool {
	some := false
	for _, rec := range records {
		switch raw, _ := rec.Raw(column); {
		case len(raw) == 0 || string(raw) == "null":
		case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
			some = true
		default:
			return false
		}
	}
	return some
}

// tableColumns bounds the columns shown when nobody named them, spareColumns those
// that a wide screen has besides.
const tableColumns, spareColumns = 6, 6

// known are columns that people know a record by, and then what matters about a
// document or a line of one: whose it is, when, how far, and how much. They come before
// the others, of each group the first that there is.
var known = [][]string{{"DocumentNo"}, {"Value"}, {"TableName"}, {"ColumnName"}, {"Name"}, {"Line"}, {"M_Product_ID", "C_BPartner_ID"},
	{"DateInvoiced", "MovementDate", "DateTrx", "StatementDate", "DateOrdered"}, {"DocStatus"}, {"MovementQty", "QtyInvoiced", "QtyEntered"},
	{"LineNetAmt", "GrandTotal", "PayAmt"}}

// secondary are columns that say little about a record.
var secondary = []string{"uid", "model-name", "AD_Client_ID", "AD_Org_ID", "Created", "CreatedBy", "Updated", "UpdatedBy"}

// interesting chooses columns to show: the key, what people know a record by and
// what matters, then whatever comes first and says more than yes or no; or everything
// there is. It also returns how many others have values.
func interesting(records []erp.Record, format output.Format) (columns []string, more int) {
	all, flags := withValues(records)
	most := tableColumns
	if format == output.FormatWide {
		most = len(all) + 1
	} else {
		all = slices.DeleteFunc(all, func(name string) bool { return slices.Contains(flags, name) })
	}
	if format == output.FormatTable {
		most += spareColumns
	}
	key := "id"
	if !slices.Contains(all, key) {
		key = "uid"
	}
	columns = append(columns, key)
	add := func(names ...string) {
		for _, name := range names {
			if slices.Contains(all, name) && !slices.Contains(columns, name) && len(columns) < most {
				columns = append(columns, name)
			}
		}
	}
	for _, group := range known {
		if i := slices.IndexFunc(group, func(name string) bool { return slices.Contains(all, name) }); i >= 0 {
			add(group[i])
		}
	}
	add(slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(secondary, name) })...)
	if format == output.FormatWide {
		add(slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == "model-name" })...)
	}
	if format != output.FormatWide {
		more = max(0, len(all)+len(flags)-len(columns))
	}
	return columns, more
}

// withValues are the columns that records have values of, as they come, and those of
// them that say yes or no alone.
func withValues(records []erp.Record) (all, flags []string) {
	yesNo := map[string]bool{}
	for _, rec := range records {
		for name, raw := range rec.All() {
			is := string(raw) == "true" || string(raw) == "false"
			if was, seen := yesNo[name]; !seen {
				all = append(all, name)
				yesNo[name] = is
			} else {
				yesNo[name] = was && is
			}
		}
	}
	return all, slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !yesNo[name] })
}
