package dictionary

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/nearest"
)

func (a *app) syncCommand() *cli.Command {
	flags := append([]cli.Flag{
		&cli.StringFlag{Name: "format", Usage: "rest, migration or sql (default: rest)"},
		&cli.BoolFlag{Name: "dry-run", Usage: "show what would be done, and do nothing"},
		&cli.StringFlag{Name: "sync-process", Usage: "slug or number of the process that synchronises tables, where it is not the ERP's own"},
	}, scriptFlags()...)
	const about = "Over REST the ERP's own process does it. The formats migration and sql write what it means for the database: " +
		"with --database the difference between the dictionary and the database, else everything."
	return &cli.Command{
		Name: "sync", Usage: "bring the database in line with the dictionary",
		Subcommands: []*cli.Command{
			{Name: "table", Usage: "synchronise a table with all its columns", ArgsUsage: "TABLE", Description: about, Flags: flags,
				Action: shell.Takes(func(c *cli.Context) error { return a.sync(c, c.Args().First(), "") }, "a table name such as XX_Demo")},
			{Name: "column", Usage: "synchronise one column", ArgsUsage: "TABLE.COLUMN", Description: about, Flags: flags,
				Action: shell.Takes(func(c *cli.Context) error {
					table, column, ok := strings.Cut(c.Args().First(), ".")
					if !ok || table == "" || column == "" || strings.Contains(column, ".") {
						return shell.Usagef("%q is not a column; write the table, a dot and the column: XX_Demo.Name", c.Args().First())
					}
					return a.sync(c, table, column)
				}, "a column such as XX_Demo.Name")},
		},
	}
}

func (a *app) sync(c *cli.Context, table, column string) error {
	name := cmp.Or(c.String("format"), formatREST)
	format := findFormat(name)
	if format == nil || !format.onServer() && format.writeSync == nil {
		return shell.Usagef("there is no format %q for synchronising; use rest, migration or sql", name)
	}
	if err := a.checkDelivery(c, format); err != nil {
		return err
	}
	if format.onServer() {
		return a.syncREST(c, table, column)
	}
	return a.syncFiles(c, format, table, column)
}

// syncReport is what synchronising over REST tells a machine.
type syncReport struct {
	Table   string `json:"table"`
	Column  string `json:"column,omitempty"`
	Process string `json:"process"`
	Record  int64  `json:"record"` // AD_Column_ID the process runs with
	Done    bool   `json:"done"`
	Summary string `json:"summary"`
}

// syncREST runs the ERP's process with a column of the table.
func (a *app) syncREST(c *cli.Context, table, column string) error {
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	r := syncReport{}
	if r.Table, r.Column, r.Record, err = syncRecord(c.Context, client, table, column); err != nil {
		return err
	}
	process, err := restdict.FindProcess(c.Context, client, dict.SyncTable, c.String("sync-process"))
	if err != nil {
		return err
	}
	r.Process = process.Value
	params := &erp.ProcessParams{RecordID: r.Record, Table: "AD_Column"}
	if column == "" {
		params.Values = map[string]any{"DateFrom": "1970-01-01T00:00:00Z"} // every column, not this one alone
		r.Column = ""
	}
	if !c.Bool("dry-run") {
		result, err := client.RunProcess(c.Context, process.Slug, params)
		if err != nil {
			return fmt.Errorf("synchronising %s: %w", c.Args().First(), err)
		}
		r.Done, r.Summary = true, result.Summary
	}
	switch {
	case c.Bool("json"):
		return a.PrintJSON(r)
	case !r.Done:
		_, err = fmt.Fprintf(a.Streams.Out, "would run the process %q with AD_Column_ID %d; nothing was done\n", shell.Printable(r.Process), r.Record)
	default:
		_, err = fmt.Fprintf(a.Streams.Out, "synchronised %s\n%s\n", c.Args().First(), shell.Printable(strings.TrimSpace(r.Summary)))
	}
	return err
}

// syncRecord finds the column that the process runs with: the requested one, or
// the table's key, else any that the database has a place for.
func syncRecord(ctx context.Context, client *erp.Client, table, column string) (string, string, int64, error) {
	t, found, err := shell.TableRecord(ctx, client, table, "TableName", "IsView")
	if err != nil {
		return "", "", 0, fmt.Errorf("looking for table %s: %w", table, err)
	}
	if !found {
		return "", "", 0, fmt.Errorf("the dictionary has no table %q that this role sees", table)
	}
	table, _ = t.Text("TableName")
	if view, _ := t.Bool("IsView"); view {
		return "", "", 0, &ddl.ViewError{Table: table}
	}
	best, bestName := int64(0), ""
	query := &erp.Query{Filter: erp.Eq("AD_Table_ID", t.ID()), Select: []string{"ColumnName", "ColumnSQL", "IsKey", "IsActive"}, OrderBy: []string{"AD_Column_ID"}}
	var names []string
	for rec, err := range client.Records(ctx, "AD_Column", query) {
		if err != nil {
			return "", "", 0, fmt.Errorf("reading the columns of %s: %w", table, err)
		}
		name, _ := rec.Text("ColumnName")
		names = append(names, name)
		if column != "" && !strings.EqualFold(name, column) {
			continue
		}
		why, id := notInDatabase(rec)
		switch key, _ := rec.Bool("IsKey"); {
		case why != "" && column != "":
			return "", "", 0, fmt.Errorf("the column %s.%s %s", table, name, why)
		case why == "" && id != 0 && (best == 0 || key):
			best, bestName = id, name
		}
	}
	if best == 0 {
		return "", "", 0, noColumn(table, column, names)
	}
	return table, bestName, best, nil
}

// notInDatabase says why a column has no place in the database, "" when it has one.
func notInDatabase(column erp.Record) (why string, id int64) {
	id, _ = column.ID().Int()
	virtual, _ := column.Text("ColumnSQL")
	active, told := column.Bool("IsActive")
	switch {
	case virtual != "":
		why = "is virtual; it has no column in the database"
	case told && !active:
		why = "is deactivated (IsActive=N): activate it before synchronising it"
	}
	return why, id
}

// noColumn is the error of a table without the column, or without any.
func noColumn(table, column string, names []string) error {
	if column == "" {
		return fmt.Errorf("table %s has no column for the database; add columns first", table)
	}
	hint := ""
	if s := nearest.Name(column, names); s != "" {
		hint = fmt.Sprintf("; did you mean %q?", s)
	}
	return fmt.Errorf("table %s has no column %q%s", table, column, hint)
}

// syncScript is what synchronising a table, or one column of it, means for the
// database.
type syncScript struct {
	table, column string
	statements    func(dict.Dialect) []ddl.Statement
}

// about names what is synchronised.
func (s *syncScript) about() string {
	if s.column == "" {
		return s.table
	}
	return s.table + "_" + s.column
}

// fileName is the name of a file of plain DDL.
func (s *syncScript) fileName() string {
	if s.column == "" {
		return "01_table_" + s.about() + ".sql"
	}
	return "01_column_" + s.about() + ".sql"
}

// syncFiles writes what synchronising means for the database.
func (a *app) syncFiles(c *cli.Context, format *format, table, column string) error {
	want, actual, err := a.syncSides(c, table)
	if err != nil {
		return err
	}
	if column != "" {
		found := false
		for _, pc := range want.Columns {
			if found = strings.EqualFold(pc.Name, column); found {
				column = pc.Name
				break
			}
		}
		if !found {
			return fmt.Errorf("table %s has no column %q for the database: it is unknown, virtual or deactivated", want.Table, column)
		}
	}
	statements := func(d dict.Dialect) []ddl.Statement { return syncStatements(want, actual, column, d) }
	if len(statements(dict.PostgreSQL)) == 0 {
		if c.Bool("json") {
			return a.PrintJSON(delivered{Format: format.name, Files: []string{}})
		}
		_, err := fmt.Fprintf(a.Streams.Out, "%s: the database is as the dictionary says; there is nothing to write\n", c.Args().First())
		return err
	}
	if c.Bool("dry-run") {
		return a.showStatements(c, format.name, statements)
	}
	return format.writeSync(a, c, syncScript{want.Table, column, statements})
}

// syncSides are the table as the dictionary wants it, and as the database has
// it; nil when there is no database to look at.
func (a *app) syncSides(c *cli.Context, table string) (want *dict.Physical, actual *ddl.Actual, err error) {
	url, err := a.databaseURL(c)
	if err != nil {
		return nil, nil, err
	}
	scope := registry.Scope{Tables: []string{table}}
	var catalog *registry.Catalog
	if url != "" {
		catalog, err = a.databaseCatalog(c, url, &scope)
	} else {
		var client *erp.Client
		if client, err = a.Client(c); err == nil {
			catalog, err = a.part(c.Context, client, scope)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if want, err = ddl.FromRegistry(c.Context, catalog, table); err != nil || url == "" {
		return want, nil, err
	}
	err = a.withDatabase(c.Context, url, func(db *sql.DB) error {
		actual, err = ddl.ReadTable(c.Context, db, a.Schema(c), want.Table)
		return err
	})
	if err == nil && actual.View {
		err = errors.New("the database has a view where the dictionary has table " + want.Table + "; drop it first")
	}
	return want, actual, err
}

// syncStatements are the statements that bring the database in line.
func syncStatements(want *dict.Physical, actual *ddl.Actual, column string, d dict.Dialect) []ddl.Statement {
	opts := &ddl.Options{Style: ddl.Script}
	switch {
	case actual != nil:
		return ddl.Difference(want, actual, column, d, ddl.Script)
	case column == "":
		return ddl.Whole(want, d, opts)
	}
	for _, c := range want.Columns {
		if c.Name == column {
			return ddl.WholeColumn(want.Table, c, d, opts)
		}
	}
	return nil
}

func (a *app) showStatements(c *cli.Context, format string, statements func(dict.Dialect) []ddl.Statement) error {
	list, err := dialects(c, format)
	if err != nil {
		return err
	}
	byDialect := map[dict.Dialect][]string{}
	for _, d := range list {
		for _, s := range statements(d) {
			byDialect[d] = append(byDialect[d], s.Text)
		}
	}
	if c.Bool("json") {
		return a.PrintJSON(map[string]any{"format": format, "ddl": byDialect})
	}
	for _, d := range list {
		fmt.Fprintf(a.Streams.Out, "-- %s\n", d)
		for _, text := range byDialect[d] {
			fmt.Fprintln(a.Streams.Out, shell.Printable(text)+";")
		}
	}
	_, err = fmt.Fprintln(a.Streams.Out, "nothing was done")
	return err
}
