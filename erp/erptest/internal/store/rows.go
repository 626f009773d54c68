package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/sqlquote"
)

// Row is one record: stored values by the dictionary's column names. A NULL
// has no entry. Values are int64, string, float64 or []byte as SQLite gives
// them; [Column.Kind] tells what they mean.
type Row map[string]any

// Int is the integer in the column, 0 when it is NULL or no number.
func (r Row) Int(column string) int64 { return IntOf(r[column]) }

// IntOf is a stored value as an integer, 0 when it is not a number.
func IntOf(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return 0
}

// String is the text in the column, "" when it is NULL.
func (r Row) String(column string) string { return TextOf(r[column]) }

// TextOf is a stored value as text, "" for NULL.
func TextOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case nil:
		return ""
	case []byte:
		return string(v)
	default:
		return fmt.Sprint(v)
	}
}

// Bool reports whether the column holds 'Y'.
func (r Row) Bool(column string) bool { return r.String(column) == "Y" }

// Selection says which rows of a table to read. Conditions are SQL over the
// table's columns with ? parameters.
type Selection struct {
	Columns []*Column // nil: all
	Where   string    // "" for all rows
	Args    []any
	OrderBy string // SQL, "" for no order
	Limit   int    // 0: no limit
	Offset  int
}

// Select reads rows. Virtual columns are computed by their ColumnSQL; those
// of the kinds "@SQL=" and "@SQLFIND=" belong to the user interface and are
// left out. The table stands under its own name, unaliased.
func (tx *Tx) Select(ctx context.Context, t *Table, sel Selection) ([]Row, error) {
	sheet, err := tx.Read(ctx, t, sel)
	if err != nil {
		return nil, err
	}
	return sheet.Rows(), nil
}

// SelectSQL is the statement [Tx.Select] runs for those columns.
func SelectSQL(t *Table, columns []*Column, sel Selection) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Expr(t, c))
	}
	if len(columns) == 0 {
		b.WriteString("1")
	}
	b.WriteString(" FROM " + sqlquote.Name(t.Name))
	if sel.Where != "" {
		b.WriteString(" WHERE " + sel.Where)
	}
	if sel.OrderBy != "" {
		b.WriteString(" ORDER BY " + sel.OrderBy)
	}
	if sel.Limit > 0 || sel.Offset > 0 {
		limit := sel.Limit
		if limit == 0 {
			limit = -1
		}
		fmt.Fprintf(&b, " LIMIT %d OFFSET %d", limit, sel.Offset)
	}
	return b.String()
}

// Expr is the SQL expression for a column of t: its quoted, qualified name,
// or its ColumnSQL in parentheses.
func Expr(t *Table, c *Column) string {
	if c.IsVirtual() {
		return "(" + c.ColumnSQL + ")"
	}
	return sqlquote.Name(t.Name) + "." + sqlquote.Name(c.Name)
}

// One reads the single row the condition finds; the error wraps
// [sql.ErrNoRows] when there is none.
func (tx *Tx) One(ctx context.Context, t *Table, where string, args ...any) (Row, error) {
	rows, err := tx.Select(ctx, t, Selection{Where: where, Args: args, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("reading %s: %w", t.Name, sql.ErrNoRows)
	}
	return rows[0], nil
}

// Count counts rows.
func (tx *Tx) Count(ctx context.Context, t *Table, where string, args ...any) (int, error) {
	var n int
	if err := tx.QueryRow(ctx, countSQL(t, where), args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("counting %s: %w", t.Name, err)
	}
	return n, nil
}

func countSQL(t *Table, where string) string {
	query := "SELECT COUNT(*) FROM " + sqlquote.Name(t.Name)
	if where != "" {
		query += " WHERE " + where
	}
	return query
}

// Insert writes one record as it is given; columns that are absent become
// NULL or the database's default. Rules of saving are the caller's business.
func (tx *Tx) Insert(ctx context.Context, t *Table, row Row) error {
	names, args := sortedValues(row)
	var cols, marks strings.Builder
	for i, n := range names {
		if i > 0 {
			cols.WriteByte(',')
			marks.WriteByte(',')
		}
		cols.WriteString(sqlquote.Name(n))
		marks.WriteByte('?')
	}
	if _, err := tx.exec(ctx, "INSERT INTO "+sqlquote.Name(t.Name)+"("+cols.String()+") VALUES("+marks.String()+")", args...); err != nil {
		return fmt.Errorf("inserting into %s: %w", t.Name, err)
	}
	tx.forget(t, row)
	return nil
}

// Set changes the given columns (a nil value means NULL) of the rows the
// condition finds and tells how many there were.
func (tx *Tx) Set(ctx context.Context, t *Table, row Row, where string, args ...any) (int64, error) {
	if len(row) == 0 {
		return 0, errors.New("setting nothing in " + t.Name)
	}
	names, values := sortedValues(row)
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(sqlquote.Name(n) + "=?")
	}
	res, err := tx.exec(ctx, "UPDATE "+sqlquote.Name(t.Name)+" SET "+b.String()+" WHERE "+where, append(values, args...)...)
	if err != nil {
		return 0, fmt.Errorf("updating %s: %w", t.Name, err)
	}
	tx.forget(t, nil)
	return res.RowsAffected()
}

// Delete removes the rows the condition finds and tells how many there were.
func (tx *Tx) Delete(ctx context.Context, t *Table, where string, args ...any) (int64, error) {
	res, err := tx.exec(ctx, "DELETE FROM "+sqlquote.Name(t.Name)+" WHERE "+where, args...)
	if err != nil {
		return 0, fmt.Errorf("deleting from %s: %w", t.Name, err)
	}
	tx.forget(t, nil)
	return res.RowsAffected()
}

func sortedValues(row Row) ([]string, []any) {
	names := make([]string, 0, len(row))
	for n := range row {
		names = append(names, n)
	}
	slices.Sort(names)
	values := make([]any, len(names))
	for i, n := range names {
		values[i] = row[n]
	}
	return names, values
}

// forget drops from this transaction's dictionary what a write may have
// changed. row, when known, narrows a new column down to its table.
func (tx *Tx) forget(t *Table, row Row) {
	tx.touch(strings.ToUpper(t.Name))
	switch strings.ToUpper(t.Name) {
	case "AD_COLUMN":
		d := tx.changeDict()
		if id := row.Int("AD_Table_ID"); id != 0 && d.names != nil {
			delete(d.tables, d.names[id])
			return
		}
		clear(d.tables)
	case "AD_TABLE":
		d := tx.changeDict()
		d.names, d.upper = nil, nil
		if row == nil {
			clear(d.tables)
		}
	case "AD_ELEMENT":
		if row == nil { // a new element changes no column yet
			clear(tx.changeDict().tables)
		}
	case "AD_REFERENCE", "AD_REF_LIST", "AD_REF_TABLE":
		clear(tx.changeDict().refs)
	}
}

// DictionaryChanged forgets everything known of the dictionary; for callers
// that write AD_ tables with SQL of their own.
func (tx *Tx) DictionaryChanged() {
	tx.touch(everyTable)
	tx.own = newDictionary()
}

// Changed says that the transaction changed a table with SQL of its own; see
// [Store.OnChange].
func (tx *Tx) Changed(table string) { tx.touch(strings.ToUpper(table)) }

// Names that stand for tables; see [Store.OnChange].
const (
	everyTable = "*"
	anyTable   = "?"
)

func (tx *Tx) touch(table string) {
	if tx.changed == nil {
		tx.changed = map[string]bool{}
	}
	tx.changed[table] = true
	tx.kept.forget(table)
}
