package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/sqlquote"
)

// The ERP has a hundred views, and each connection would read the definitions of them
// all. So the database does not have them: it has their statements, in a table, and a
// connection gets a view for itself when a statement first names it.

// ViewTable is the table with the ERP's views: what SQLite runs for a view, the same in
// PostgreSQL's dialect for what governs SQL and what copies the database, and its
// columns with their declared types, a line each. A view stands after those it reads.
const (
	ViewTable = "REST_ViewQuery"
	ViewSQL   = `CREATE TABLE "REST_ViewQuery" ("TableName" TEXT NOT NULL COLLATE NOCASE PRIMARY KEY, "SQLite" TEXT NOT NULL, "PostgreSQL" TEXT NOT NULL, "Columns" TEXT NOT NULL)`
)

// View is a view of the ERP.
type View struct {
	Name       string
	SQLite     string // its SELECT
	PostgreSQL string // the same for PostgreSQL
	Columns    string // see [ViewColumns]
}

// ViewColumns are the columns of a view as [ViewTable] has them.
func ViewColumns(t *Table) string {
	var b strings.Builder
	for _, c := range t.Columns {
		if !c.IsVirtual() {
			b.WriteString(c.Name + " " + c.SQLType() + "\n")
		}
	}
	return b.String()
}

// Missing is a missing value of the column's type in PostgreSQL.
func (c *Column) Missing() string {
	switch c.Kind() {
	case KindInteger, KindDecimal:
		return "CAST(NULL AS numeric)"
	case KindDate, KindDateTime, KindInstant, KindTime:
		return "CAST(NULL AS timestamp)"
	}
	return "CAST(NULL AS varchar)"
}

// AddView gives a database with a [ViewTable] a view.
func (tx *Tx) AddView(ctx context.Context, v View) error {
	_, err := tx.Exec(ctx, "INSERT INTO "+ViewTable+" VALUES (?, ?, ?, ?)", v.Name, v.SQLite, v.PostgreSQL, v.Columns)
	return err
}

// Views are the views of a database with a [ViewTable], in an order in which they can
// be made.
func (tx *Tx) Views(ctx context.Context) ([]View, error) {
	rows, err := tx.Values(ctx, "SELECT TableName, SQLite, PostgreSQL, Columns FROM "+ViewTable+" ORDER BY rowid")
	if err != nil {
		return nil, err
	}
	views := make([]View, len(rows))
	for i, row := range rows {
		views[i] = View{TextOf(row[0]), TextOf(row[1]), TextOf(row[2]), TextOf(row[3])}
	}
	return views, nil
}

// ViewExists reports whether the database has a view of that name.
func (tx *Tx) ViewExists(ctx context.Context, name string) (bool, error) {
	if there, err := tx.TableExists(ctx, name); err != nil || there {
		return there, err
	}
	if there, err := tx.TableExists(ctx, ViewTable); err != nil || !there {
		return false, err
	}
	found, err := tx.Known(ctx, "SELECT 1 FROM "+ViewTable+" WHERE TableName=?", name)
	return len(found) > 0, err
}

var missingTable = lazyregexp.New(`no such table: (?:\w+\.)?(\w+)`)

// maxViews bounds how many views one statement can make a connection get.
const maxViews = 20

// withViews runs a statement again for each view that it lacks.
func (c *keepingConn) withViews(ctx context.Context, run func() error) error {
	for range maxViews {
		err := run()
		if err == nil {
			return nil
		}
		m := missingTable().FindStringSubmatch(err.Error())
		if m == nil {
			return err
		}
		if made, merr := c.makeView(ctx, m[1]); merr != nil || !made {
			return errors.Join(err, merr)
		}
	}
	return run()
}

// makeView has the connection get a view, and reports whether there is one of that name.
func (c *keepingConn) makeView(ctx context.Context, name string) (made bool, err error) {
	if strings.EqualFold(name, ViewTable) {
		return false, nil
	}
	rows, err := c.writingConn.QueryContext(ctx, "SELECT TableName, SQLite FROM "+ViewTable+" WHERE TableName=?", []driver.NamedValue{{Ordinal: 1, Value: name}})
	if err != nil {
		return false, nil //nolint:nilerr // a database without such a table: what failed says why
	}
	found := make([]driver.Value, 2)
	err = rows.Next(found)
	if cerr := rows.Close(); err == nil {
		err = cerr
	}
	switch {
	case errors.Is(err, io.EOF):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("reading the view %s: %w", name, err)
	}
	view, query := fmt.Sprint(found[0]), fmt.Sprint(found[1])
	if _, err := c.writingConn.ExecContext(ctx, "CREATE TEMP VIEW IF NOT EXISTS "+sqlquote.Name(view)+" AS "+query, nil); err != nil {
		return false, fmt.Errorf("making the view %s: %w", view, err)
	}
	return true, nil
}
