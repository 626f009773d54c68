package synthdict

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict/registry"
)

// Dialect is the SQL of a database.
type Dialect string

// The dialects.
const (
	PostgreSQL Dialect = "postgresql"
	SQLite     Dialect = "sqlite"
)

// Create makes the dictionary's tables in an empty database and fills them. On
// PostgreSQL they go into that schema, which is made; empty: none.
func (d *Dictionary) Create(ctx context.Context, db *sql.DB, dialect Dialect, schema string) error {
	w := writer{dialect: dialect}
	if schema != "" {
		w.schema = `"` + schema + `".`
		if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+schema); err != nil {
			return err
		}
	}
	return w.within(ctx, db, func(tx *sql.Tx) error {
		for _, t := range d.tables {
			if _, err := tx.ExecContext(ctx, w.create(t)); err != nil {
				return fmt.Errorf("create %s: %w", t.Name, err)
			}
			if err := w.insert(ctx, tx, t, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// Append adds the dictionary to the tables of an embedded ERP's database,
// without the display types, which it has. Columns it lacks are left out.
func (d *Dictionary) Append(ctx context.Context, db *sql.DB) error {
	w := writer{dialect: SQLite, audit: true}
	return w.within(ctx, db, func(tx *sql.Tx) error {
		for _, t := range d.tables {
			has, err := columnsOf(ctx, tx, t.Name)
			if err != nil {
				return err
			}
			if err := w.insert(ctx, tx, t, has); err != nil {
				return err
			}
		}
		return nil
	})
}

func columnsOf(ctx context.Context, tx *sql.Tx, table string) (_ map[string]bool, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT * FROM "`+table+`" LIMIT 0`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	names, err := rows.Columns()
	has := map[string]bool{}
	for _, name := range names {
		has[strings.ToLower(name)] = true
	}
	return has, err
}

type writer struct {
	dialect Dialect
	schema  string
	audit   bool // fill the standard columns, too
}

func (w writer) within(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// name is a column as it is called in the database: PostgreSQL has the ERP's
// names in lower case.
func (w writer) name(column string) string {
	if w.dialect == PostgreSQL {
		return `"` + strings.ToLower(column) + `"`
	}
	return `"` + column + `"`
}

func (w writer) create(t *table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s%s (", w.schema, w.name(t.Name))
	for _, c := range t.Columns {
		fmt.Fprintf(&b, "%s %s, ", w.name(c.Name), w.sqlType(c))
	}
	stamp := "TEXT"
	if w.dialect == PostgreSQL {
		stamp = "TIMESTAMP"
	}
	fmt.Fprintf(&b, "%s %s NOT NULL)", w.name("Updated"), stamp)
	return b.String()
}

func (w writer) sqlType(c registry.SourceColumn) string {
	pg := w.dialect == PostgreSQL
	switch {
	case c.Type == registry.SourceInt && pg:
		return "NUMERIC(10)"
	case c.Type == registry.SourceInt:
		return "INTEGER"
	case c.Type == registry.SourceFlag:
		return "CHAR(1)"
	case strings.HasSuffix(c.Name, "_UU") && pg:
		return "UUID"
	case pg:
		return "VARCHAR(4000)"
	}
	return "TEXT"
}

const rowsAtOnce = 100

func (w writer) insert(ctx context.Context, tx *sql.Tx, t *table, has map[string]bool) error {
	var columns []string
	var places []int
	for i, c := range t.Columns {
		if has == nil || has[strings.ToLower(c.Name)] {
			columns, places = append(columns, w.name(c.Name)), append(places, i)
		}
	}
	columns = append(columns, w.name("Updated"))
	extra := []any{}
	if w.audit {
		for _, name := range []string{"AD_Client_ID", "AD_Org_ID", "CreatedBy", "UpdatedBy"} {
			columns, extra = append(columns, w.name(name)), append(extra, 0)
		}
		columns, extra = append(columns, w.name("Created")), append(extra, epoch.Format("2006-01-02 15:04:05"))
		if t.Name == "AD_Column" {
			columns, extra = append(columns, w.name("Version")), append(extra, "0")
		}
	}
	var all []any
	n := 0
	flush := func() error {
		if n == 0 {
			return nil
		}
		query := fmt.Sprintf("INSERT INTO %s%s (%s) VALUES %s", w.schema, w.name(t.Name), strings.Join(columns, ","),
			w.marks(n, len(columns)))
		if _, err := tx.ExecContext(ctx, query, all...); err != nil {
			return fmt.Errorf("fill %s: %w", t.Name, err)
		}
		all, n = all[:0], 0
		return nil
	}
	for i, row := range t.rows {
		if w.audit && t.Name == "AD_Reference" && row[t.at["validationtype"]].Text == "D" {
			continue
		}
		for _, at := range places {
			all = append(all, w.value(t.Columns[at], row[at]))
		}
		all = append(all, t.updated[i].Format("2006-01-02 15:04:05"))
		all = append(all, extra...)
		if n++; n == rowsAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (w writer) value(c registry.SourceColumn, v registry.SourceValue) any {
	switch {
	case c.Type == registry.SourceFlag && v.Int == 1:
		return "Y"
	case c.Type == registry.SourceFlag:
		return "N"
	case c.Type == registry.SourceInt && v.Int == 0 && strings.HasSuffix(c.Name, "_ID"), c.Type == registry.SourceText && v.Text == "":
		return nil
	case c.Type == registry.SourceInt:
		return v.Int
	}
	return v.Text
}

func (w writer) marks(rows, columns int) string {
	var b strings.Builder
	n := 0
	for i := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('(')
		for j := range columns {
			if j > 0 {
				b.WriteByte(',')
			}
			n++
			if w.dialect == PostgreSQL {
				b.WriteString("$" + strconv.Itoa(n))
			} else {
				b.WriteByte('?')
			}
		}
		b.WriteByte(')')
	}
	return b.String()
}
