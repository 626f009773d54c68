package pgmirror_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/pgmirror"
)

// fewer starts an embedded ERP whose dictionary knows the tables that have rows, and
// those that tests write to, and which has no views: making and comparing a copy takes
// as long as there are tables, of which the ERP has a thousand. TestCopy copies them all.
func fewer(t *testing.T, o ...erptest.Options) *erptest.Server {
	t.Helper()
	srv := erptest.New(t, o...)
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		known := []string{"AD_ChangeLog", "AD_Session", "C_BPartner", "C_Charge"}
		for _, table := range srv.EmptyTables() {
			if slices.Contains(known, table) {
				continue
			}
			if _, err := tx.ExecContext(t.Context(), `DELETE FROM AD_Table WHERE TableName=?`, table); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(t.Context(), `DELETE FROM REST_ViewQuery`)
		return err
	}, "AD_Table", "REST_ViewQuery"))
	return srv
}

// open makes a copy that is closed with the test.
func open(t *testing.T, srv *erptest.Server, o pgmirror.Options) *pgmirror.Mirror {
	t.Helper()
	m, err := pgmirror.Open(t.Context(), srv, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.Close()) })
	return m
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	})
	return conn
}

func write(t *testing.T, srv *erptest.Server, statements ...string) {
	t.Helper()
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		for _, s := range statements {
			if _, err := tx.ExecContext(t.Context(), s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	}))
}

// enter waits for the copy.
func enter(t *testing.T, m *pgmirror.Mirror) {
	t.Helper()
	leave, err := m.Enter(t.Context())
	require.NoError(t, err)
	leave()
}

// list reads texts.
func list(t *testing.T, conn *pgx.Conn, query string, args ...any) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), query, append([]any{pgx.QueryExecModeExec}, args...)...)
	require.NoError(t, err, query)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err, query)
	return texts
}

// contents are the rows of all tables of the dictionary, sorted, each as its
// values in one text.
type contents map[string][]string

// large are tables of the dictionary that take most of the time to compare.
func large() []string {
	return []string{"AD_Column", "AD_Element", "AD_Field", "AD_Ref_List", "AD_Process_Para", "AD_Sequence_Audit", "AD_TreeNodeMM", "AD_Menu", "AD_Message", "AD_Window_Access", "AD_Process_Access"}
}

// ofERP reads the embedded ERP, but for some tables.
func ofERP(t *testing.T, srv *erptest.Server, without []string) contents {
	t.Helper()
	db := srv.Database()
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_master WHERE type='table' AND upper(name) IN (SELECT upper(TableName) FROM AD_Table)`)
	require.NoError(t, err)
	all := contents{}
	for rows.Next() {
		var table string
		require.NoError(t, rows.Scan(&table))
		all[strings.ToLower(table)] = nil
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())
	for table := range all {
		if slices.ContainsFunc(without, func(w string) bool { return strings.EqualFold(w, table) }) {
			continue
		}
		rows, err := db.QueryContext(t.Context(), `SELECT * FROM "`+table+`"`)
		require.NoError(t, err)
		columns, err := rows.Columns()
		require.NoError(t, err)
		values, scan := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			scan[i] = &values[i]
		}
		for rows.Next() {
			require.NoError(t, rows.Scan(scan...))
			var line []string
			for _, v := range values {
				if b, ok := v.([]byte); ok {
					v = `\x` + hex.EncodeToString(b)
				}
				line = append(line, common(fmt.Sprint(v), v == nil))
			}
			all[table] = append(all[table], strings.Join(line, "|"))
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
		slices.Sort(all[table])
	}
	return all
}

// ofCopy reads the copy.
func ofCopy(t *testing.T, conn *pgx.Conn, schema string) contents {
	t.Helper()
	all := contents{}
	for _, table := range list(t, conn, `SELECT relname::text FROM pg_class WHERE relkind='r' AND relnamespace=$1::text::regnamespace`, schema) {
		results, err := conn.PgConn().Exec(t.Context(), `SELECT * FROM "`+schema+`"."`+table+`"`).ReadAll()
		require.NoError(t, err)
		all[table] = nil
		for _, row := range results[0].Rows {
			var line []string
			for _, v := range row {
				line = append(line, common(string(v), v == nil))
			}
			all[table] = append(all[table], strings.Join(line, "|"))
		}
		slices.Sort(all[table])
	}
	return all
}

// common writes a value as both databases do: PostgreSQL fills char(n) up, says
// that a time is UTC, and writes JSON in its own way.
func common(text string, null bool) string {
	if null {
		return "NULL"
	}
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			plain, _ := json.Marshal(v)
			text = string(plain)
		}
	}
	text = strings.TrimRight(text, " ")
	if len(text) > len("2006-01-02 15:04:05") && text[4] == '-' && text[10] == ' ' {
		text = strings.TrimSuffix(text, "+00")
		if strings.Contains(text, ".") {
			text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		}
	}
	return text
}

// same compares the ERP with its copy, which is to have no rows of the tables
// without.
func same(t *testing.T, srv *erptest.Server, m *pgmirror.Mirror, conn *pgx.Conn, without []string, about string) {
	t.Helper()
	enter(t, m)
	want, got := ofERP(t, srv, without), ofCopy(t, conn, "adempiere")
	require.Len(t, got, len(want), about)
	for table, rows := range want {
		require.Equal(t, rows, got[table], "%s: %s", about, table)
	}
}
