package aiquery

import (
	"context"
	"crypto/sha256"
	"errors"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/internal/aitest"
)

// What would happen if a statement got past the guard: it runs with the owner's
// login here, as a superuser, and still cannot change anything, nor leave
// anything behind for the next.
func TestSecondWall(t *testing.T) {
	t.Parallel()
	db, err := OpenPostgres(t.Context(), aitest.Postgres(t), &PostgresOptions{Connections: 1})
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	run := func(sql string) (*output, error) {
		return db.run(t.Context(), &statement{sql: sql, plan: &guard.Plan{}, rows: 10, bytes: 1000, cellBytes: 1000, timeout: 5 * time.Second})
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
		_, err := run(sql)
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
		_, _ = run(sql) // some fail, on purpose
	}
	out, err := run(`SELECT current_setting('search_path'), current_setting('default_transaction_read_only'), current_setting('statement_timeout'),
		(SELECT count(*) FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND objid = 770417), current_setting('transaction_isolation'), current_setting('transaction_read_only')`)
	require.NoError(t, err)
	assert.Equal(t, []any{"pg_catalog", "on", "5s"}, out.rows[0][:3])
	assert.Equal(t, "0", out.rows[0][3].(interface{ String() string }).String())
	assert.Equal(t, []any{"repeatable read", "on"}, out.rows[0][4:])
}

// A panic is an error of ours, and its record is kept like any other.
func TestPanic(t *testing.T) {
	t.Parallel()
	err := protect(func() error { panic("at the wrong place") })
	var known *Error
	require.ErrorAs(t, err, &known)
	assert.Equal(t, CodeInternal, known.Code)
	assert.Equal(t, "internal error", err.Error())
}

// The words of a server about values reach neither callers nor the log.
func TestServerErrors(t *testing.T) {
	t.Parallel()
	const secret = "QZX7 of somebody else"
	for state, want := range map[string]Code{
		"22P02": CodeData, "22012": CodeData, "21000": CodeData, "P0001": CodeData, "23514": CodeData,
		"0A000": CodeData, "42501": CodeDenied, "57014": CodeTimeout, "57P01": CodeUnavailable,
		"08006": CodeUnavailable, "53200": CodeResources, "53400": CodeResources, "53300": CodeResources,
		"54000": CodeTooComplex, "55P03": CodeResources, "XX000": CodeInternal, "40001": CodeInternal, "": CodeInternal,
	} {
		err := &pgconn.PgError{Code: state, Message: secret, Detail: secret, Hint: secret, Where: secret, Routine: "routine"}
		for _, cause := range []error{err, executed{err}} {
			f := (&postgres{}).failure(cause)
			assert.Equal(t, want, f.Code, state)
			assert.NotContains(t, f.Error(), "QZX7", state)
		}
		assert.NotContains(t, quiet(executed{err}), "QZX7", state)
	}
	undefined := &pgconn.PgError{Code: "42703", Message: `column "x" of adempiere.c_order does not exist`, Hint: secret}
	f := (&postgres{opts: PostgresOptions{Schema: "adempiere"}}).failure(undefined)
	assert.Equal(t, `column "x" of c_order does not exist`, f.Error(), "what is wrong with the statement is told")
	f = (&postgres{}).failure(executed{&pgconn.PgError{Code: "42P22", Message: secret}})
	assert.Equal(t, CodeData, f.Code, "which is noticed when a row is compared")
	assert.NotContains(t, f.Error(), "QZX7")
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	cell := func(texts ...string) cells {
		var row cells
		for _, s := range texts {
			c := cells{{}}[0]
			if c.Valid = s != "-"; c.Valid {
				c.String = s
			}
			row = append(row, c)
		}
		return row
	}
	sum := func(rows ...cells) [sha256.Size]byte { return digest(rows) }
	assert.Equal(t, sum(cell("a"), cell("b")), sum(cell("b"), cell("a")), "the order of rows does not count")
	different := [][sha256.Size]byte{
		sum(), sum(cell("a")), sum(cell("a"), cell("a")), sum(cell("-")), sum(cell("")), sum(cell("a", "b")), sum(cell("b", "a")), sum(cell("ab", "")),
		sum(cell("a"), cell("b")), sum(cell("\x01a")), sum(cell("a\x01\x01b")),
	}
	for i := range different {
		for j := range i {
			assert.NotEqual(t, different[i], different[j], "%d and %d", i, j)
		}
	}
	var f fingerprint
	f.add("SELECT 1", []cells{cell("1")})
	read := func(rows []cells, err error) reader {
		return func(context.Context, string) ([]cells, error) { return rows, err }
	}
	require.NoError(t, f.check(t.Context(), read([]cells{cell("1")}, nil)))
	require.ErrorIs(t, f.check(t.Context(), read([]cells{cell("2")}, nil)), errRightsChanged)
	require.ErrorIs(t, f.check(t.Context(), read(nil, errBusy)), errBusy)
	require.NoError(t, (*fingerprint)(nil).check(t.Context(), nil))
}

func TestLateRecords(t *testing.T) {
	t.Parallel()
	t.Run("waited for", func(t *testing.T) {
		t.Parallel()
		var l lateRecords
		l.init()
		written := false
		require.True(t, l.add(func(context.Context) { written = true }))
		require.NoError(t, l.close(t.Context()))
		assert.True(t, written)
		assert.False(t, l.add(func(context.Context) {}), "after the end there is nobody to write")
	})
	t.Run("given up", func(t *testing.T) {
		t.Parallel()
		var l lateRecords
		l.init()
		ended := make(chan error, maxLate)
		for range maxLate {
			require.True(t, l.add(func(ctx context.Context) {
				<-ctx.Done()
				ended <- ctx.Err()
			}))
		}
		assert.False(t, l.add(func(context.Context) {}), "memory is bounded")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, l.close(ctx), context.Canceled)
		assert.Len(t, ended, maxLate, "all have ended")
		assert.True(t, errors.Is(<-ended, context.Canceled))
	})
}

// Refusals that share a record are written without another request.
func TestGatheredRefusalsAreWrittenInTime(t *testing.T) {
	t.Parallel()
	srv := aitest.Embedded(t)
	db, err := NewEmbedded(EmbeddedDatabase{Read: srv.Database(), Write: srv.Write})
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	require.NoError(t, Install(t.Context(), db))
	source, err := dbdict.New(srv.Database(), dbdict.SQLite, nil)
	require.NoError(t, err)
	reg, err := dict.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	e, err := New(db, reg, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close(context.WithoutCancel(t.Context()))) }()
	e.gather.every = 50 * time.Millisecond
	read := srv.Database()
	defer read.Close()
	messages := func() (all []string) {
		rows, err := read.QueryContext(t.Context(), "SELECT AIG_ErrorMessage FROM AIG_QueryLog ORDER BY AIG_QueryLog_ID")
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var message string
			require.NoError(t, rows.Scan(&message))
			all = append(all, message)
		}
		require.NoError(t, rows.Err())
		return all
	}
	together := regexp.MustCompile(`^(\d+) statements from`)
	for round := 1; round <= 2; round++ {
		for range 3 {
			_ = e.Refused(t.Context(), Caller{UserID: aitest.User}, Request{RoleID: -1}, fail(CodeRateLimited, nil, "too many"))
		}
		require.Eventually(t, func() bool {
			accounted := 0
			for _, message := range messages() {
				n := 1
				if m := together.FindStringSubmatch(message); m != nil {
					n, _ = strconv.Atoi(m[1])
				}
				accounted += n
			}
			return accounted == 3*round
		}, 20*time.Second, 10*time.Millisecond)
	}
}
