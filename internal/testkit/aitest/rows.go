package aitest

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writer changes the embedded database.
type writer struct {
	t   testing.TB
	ctx context.Context
	tx  *sql.Tx
}

func (w *writer) exec(query string, args ...any) {
	w.t.Helper()
	_, err := w.tx.ExecContext(w.ctx, query, args...)
	require.NoError(w.t, err, query)
}

func (w *writer) strings(query string, args ...any) []string {
	w.t.Helper()
	rows, err := w.tx.QueryContext(w.ctx, query, args...)
	require.NoError(w.t, err, query)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		require.NoError(w.t, rows.Scan(&s))
		out = append(out, s)
	}
	require.NoError(w.t, rows.Err())
	return out
}

// values are columns by name.
type values map[string]any

// clone copies the row that where finds, with other values.
func (w *writer) clone(table, where string, set values) {
	w.t.Helper()
	columns := w.strings(`SELECT name FROM pragma_table_info(?)`, table)
	require.NotEmpty(w.t, columns, table)
	for name := range set {
		require.True(w.t, slices.Contains(columns, name), "%s.%s", table, name)
	}
	var selected []string
	var args []any
	for _, c := range columns {
		v, ok := set[c]
		switch {
		case ok:
			selected = append(selected, "?")
			args = append(args, v)
		case strings.EqualFold(c, table+"_UU"):
			selected = append(selected, "NULL")
		default:
			selected = append(selected, `"`+c+`"`)
		}
	}
	res, err := w.tx.ExecContext(w.ctx, fmt.Sprintf(`INSERT INTO "%s" ("%s") SELECT %s FROM "%s" WHERE %s LIMIT 1`,
		table, strings.Join(columns, `", "`), strings.Join(selected, ", "), table, where), args...)
	require.NoError(w.t, err, "%s %v", table, set)
	n, err := res.RowsAffected()
	require.NoError(w.t, err)
	require.EqualValues(w.t, 1, n, "no row to clone: %s where %s", table, where)
}

// rule inserts a row of a permission table from nothing but the standard columns.
func (w *writer) rule(table string, set values) {
	w.t.Helper()
	names := []string{"AD_Client_ID", "AD_Org_ID", "IsActive", "Created", "CreatedBy", "Updated", "UpdatedBy"}
	args := []any{Tenant, 0, "Y", stamp, 100, stamp, 100}
	for name, v := range set {
		if i := slices.Index(names, name); i >= 0 {
			args[i] = v
			continue
		}
		names, args = append(names, name), append(args, v)
	}
	w.exec(fmt.Sprintf(`INSERT INTO "%s" ("%s") VALUES (%s)`, table, strings.Join(names, `", "`),
		strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")), args...)
}

const stamp = "2026-01-02 03:04:05"

func (w *writer) tableID(name string) int64 {
	w.t.Helper()
	var id int64
	require.NoError(w.t, w.tx.QueryRowContext(w.ctx, `SELECT AD_Table_ID FROM AD_Table WHERE TableName=?`, name).Scan(&id), name)
	return id
}

func (w *writer) columnID(table, column string) int64 {
	w.t.Helper()
	var id int64
	require.NoError(w.t, w.tx.QueryRowContext(w.ctx, `SELECT AD_Column_ID FROM AD_Column WHERE AD_Table_ID=? AND ColumnName=?`,
		w.tableID(table), column).Scan(&id), "%s.%s", table, column)
	return id
}
