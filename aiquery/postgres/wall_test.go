package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// What would happen if a statement got past the guard: it runs with the owner's
// login here, as a superuser, and still cannot change anything, nor leave
// anything behind for the next.
func TestSecondWall(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	db, err := Open(t.Context(), aitest.Postgres(t), &Options{Connections: 1})
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	query := func(sql string) (*run.Output, error) {
		return db.Runner().Run(t.Context(), &run.Statement{Plan: &guard.Plan{SQL: sql}, Rows: 10, Bytes: 1000, CellBytes: 1000, Timeout: 5 * time.Second})
	}
	for sql, state := range map[string]string{
		"DELETE FROM adempiere.c_order":                                      "25006",
		"SELECT 1; DELETE FROM adempiere.c_order":                            "42601",
		"WITH d AS (DELETE FROM adempiere.c_order RETURNING 1) SELECT 1":     "25006",
		"CREATE TABLE adempiere.x (y int)":                                   "25006",
		"SELECT nextval('adempiere.x')":                                      "42P01",
		"SET TRANSACTION READ WRITE":                                         "25001",
		"SELECT pg_catalog.set_config('transaction_read_only', 'off', true)": "25001",
	} {
		_, err := query(sql)
		require.Error(t, err, sql)
		var server *pgconn.PgError
		if state != "" && assert.ErrorAs(t, err, &server, sql) {
			assert.Equal(t, state, server.Code, sql)
		}
	}
	leaves := []string{
		"SELECT pg_catalog.set_config('search_path', 'adempiere', false), pg_catalog.set_config('statement_timeout', '0', false), pg_catalog.set_config('default_transaction_read_only', 'off', false)",
		"SELECT pg_catalog.pg_advisory_lock(770417), 1/0", // the lock outlives a rollback
		"SELECT pg_catalog.pg_notify('a', 'b')",
	}
	for _, sql := range leaves {
		_, _ = query(sql) // some fail, on purpose
	}
	out, err := query(`SELECT current_setting('search_path'), current_setting('default_transaction_read_only'), current_setting('statement_timeout'),
		(SELECT count(*) FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND objid = 770417), current_setting('transaction_isolation'), current_setting('transaction_read_only')`)
	require.NoError(t, err)
	assert.Equal(t, []any{"pg_catalog", "on", "5s"}, out.Rows[0][:3])
	assert.Equal(t, "0", out.Rows[0][3].(interface{ String() string }).String())
	assert.Equal(t, []any{"repeatable read", "on"}, out.Rows[0][4:])
}

// The words of a server about values reach neither callers nor the log.
func TestServerErrors(t *testing.T) {
	t.Parallel()
	const secret = "QZX7 of somebody else"
	for state, want := range map[string]api.Code{
		"22P02": api.CodeData, "22012": api.CodeData, "21000": api.CodeData, "P0001": api.CodeData, "23514": api.CodeData,
		"0A000": api.CodeData, "42501": api.CodeDenied, "57014": api.CodeTimeout, "57P01": api.CodeUnavailable,
		"08006": api.CodeUnavailable, "53200": api.CodeResources, "53400": api.CodeResources, "53300": api.CodeResources,
		"54001": api.CodeTooComplex, "55P03": api.CodeResources, "XX000": api.CodeInternal, "40001": api.CodeInternal, "": api.CodeInternal,
	} {
		err := &pgconn.PgError{Code: state, Message: secret, Detail: secret, Hint: secret, Where: secret, Routine: "routine"}
		for _, cause := range []error{err, executed{err}} {
			f := (&database{}).Failure(cause)
			assert.Equal(t, want, f.Public.Code, state)
			assert.NotContains(t, f.Error(), "QZX7", state)
		}
		assert.NotContains(t, (&database{}).LogText(executed{err}), "QZX7", state)
	}
	undefined := &pgconn.PgError{Code: "42703", Message: `column "x" of adempiere.c_order does not exist`, Hint: secret}
	f := (&database{opts: Options{Schema: "adempiere"}}).Failure(undefined)
	assert.Equal(t, `column "x" of c_order does not exist`, f.Error(), "what is wrong with the statement is told")
	for state, why := range map[string]string{"42P22": "it is noticed when a row is compared", "54000": "chr and repeat refuse a value"} {
		f = (&database{}).Failure(executed{&pgconn.PgError{Code: state, Message: secret}})
		assert.Equal(t, api.CodeData, f.Public.Code, why)
		assert.NotContains(t, f.Error(), "QZX7", state)
	}
	f = (&database{}).Failure(&pgconn.PgError{Code: "54000", Message: secret})
	assert.Equal(t, api.CodeTooComplex, f.Public.Code, "before anything runs it is the statement")
}
