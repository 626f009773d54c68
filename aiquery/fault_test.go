package aiquery_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// endless would make ten billion rows.
const endless = `SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b`

// owner is a connection of the database's owner.
func owner(t testing.TB, w *world) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the test may have lost it
	return conn
}

// connections are the engine's connections that a condition holds for.
func connections(t testing.TB, conn *pgx.Conn, condition string) (n int) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name LIKE 'erphub-%' AND `+condition).Scan(&n))
	return n
}

// soon waits for a condition.
func soon(t testing.TB, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 30*time.Second, 20*time.Millisecond, what)
}

// code is the code of an error of the engine.
func code(t testing.TB, err error) api.Code {
	t.Helper()
	var known *api.Error
	require.ErrorAs(t, err, &known)
	assert.Empty(t, aitest.Leaks(err.Error()))
	return known.Code
}

// start asks in the background.
func (w *world) ask(t testing.TB, ctx context.Context, sql string) <-chan error { //nolint:revive // as a test helper
	done := make(chan error, 1)
	go func() {
		_, err := w.Query(ctx, user, query(sql))
		done <- err
	}()
	return done
}

func TestDatabaseKilled(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	admin := owner(t, w)
	kill := func(condition string) {
		t.Helper()
		_, err := admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE 'erphub-%' AND `+condition)
		require.NoError(t, err)
	}
	done := w.ask(t, t.Context(), endless)
	soon(t, "it runs", func() bool { return connections(t, admin, "state = 'active' AND query LIKE '%generate_series%'") == 1 })
	kill("application_name = 'erphub-query'")
	assert.Equal(t, api.CodeUnavailable, code(t, <-done))
	records := w.audit(t)
	require.Len(t, records, 1)
	assert.Equal(t, aiquery.StatusError, records[0]["aig_querystatus"])
	assert.Equal(t, "the connection to the database was lost; try again", records[0]["aig_errormessage"])

	// The audit's connections go at the same time. The one that was killed may still be
	// listed when its client knows.
	soon(t, "it is gone", func() bool { return connections(t, admin, "query LIKE '%generate_series%'") == 0 })
	done = w.ask(t, t.Context(), endless)
	soon(t, "it runs", func() bool { return connections(t, admin, "state = 'active' AND query LIKE '%generate_series%'") == 1 })
	kill("true")
	assert.Equal(t, api.CodeUnavailable, code(t, <-done))
	require.Len(t, w.audit(t), 2)
	assert.Equal(t, records[0]["aig_errormessage"], w.audit(t)[1]["aig_errormessage"])

	// Connections that died while nobody used them are no failure of anybody's.
	for range 3 {
		kill("true")
		soon(t, "all are gone", func() bool { return connections(t, admin, "true") == 0 })
		w.Invalidate()
		_, err := w.Query(t.Context(), user, query("SELECT count(*) FROM c_order"))
		require.NoError(t, err, w.log)
	}
	assert.Len(t, w.audit(t), 5)
	assert.Empty(t, aitest.Leaks(w.log.String()))
}

func TestAuditTableLocked(t *testing.T) {
	t.Parallel()
	for name, optional := range map[string]bool{"required": false, "optional": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := onPostgres(t, func(o *aiquery.Options) { o.AuditOptional = optional })
			_, err := w.Query(t.Context(), user, query("SELECT 1"))
			require.NoError(t, err)
			tx, err := owner(t, w).Begin(t.Context())
			require.NoError(t, err)
			lock := func() {
				t.Helper()
				_, err := tx.Exec(t.Context(), "LOCK TABLE adempiere.aig_querylog IN ACCESS EXCLUSIVE MODE")
				require.NoError(t, err)
			}
			// While one runs that has its record, the table is locked.
			admin := owner(t, w)
			done := w.ask(t, t.Context(), "SELECT count(*) FROM generate_series(1, 4000000) a WHERE a::text LIKE '%7%'")
			soon(t, "it runs", func() bool { return connections(t, admin, "state = 'active' AND query LIKE '%generate_series%'") == 1 })
			lock()
			if err := <-done; optional {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "withheld")
				assert.Equal(t, api.CodeUnavailable, code(t, err))
			}
			// One that has none is not run.
			r, err := w.Query(t.Context(), user, query("SELECT count(*) FROM c_order"))
			if optional {
				require.NoError(t, err)
				assert.Equal(t, 1, r.RowCount)
			} else {
				assert.Equal(t, api.CodeUnavailable, code(t, err))
				assert.Nil(t, r)
				assert.Zero(t, connections(t, admin, "query LIKE '%c_order%'"))
			}
			require.NoError(t, tx.Rollback(t.Context()))
			want := 3
			if optional {
				want = 2 // of the one that could not have one
			}
			soon(t, "records are written late", func() bool {
				records := w.audit(t)
				return len(records) == want && records[1]["aig_errormessage"] != "not finished"
			})
			records := w.audit(t)
			if optional {
				assert.Equal(t, aiquery.StatusSuccess, records[1]["aig_querystatus"])
				return
			}
			assert.Contains(t, records[1]["aig_errormessage"], "withheld")
			assert.Contains(t, records[2]["aig_errormessage"], "was not run")
			for _, r := range records[1:] {
				assert.Equal(t, aiquery.StatusError, r["aig_querystatus"])
			}
		})
	}
}

// brokenWriter fails as often as is said.
type brokenWriter struct {
	*erptest.Server
	fails atomic.Int32 // writes that fail from now on
	skip  atomic.Int32 // after this many that work
}

func (b *brokenWriter) Write(ctx context.Context, fn func(*sql.Tx) error, tables ...string) error {
	if b.skip.Add(-1) >= 0 {
		return b.Server.Write(ctx, fn, tables...)
	}
	if b.fails.Add(-1) >= 0 {
		return errors.New("the disk is full")
	}
	return b.Server.Write(ctx, fn, tables...)
}

func TestEmbeddedAuditFails(t *testing.T) {
	t.Parallel()
	var broken brokenWriter
	w := onEmbeddedWith(t, func(srv *erptest.Server) embedded.Server {
		broken.Server = srv
		return &broken
	}, nil)
	broken.fails.Store(1)
	_, err := w.Query(t.Context(), user, query("SELECT 1"))
	require.ErrorContains(t, err, "was not run")
	soon(t, "the record", func() bool { return len(w.audit(t)) == 1 })

	broken.skip.Store(1)
	broken.fails.Store(3)
	_, err = w.Query(t.Context(), user, query("SELECT count(*) FROM c_order"))
	require.ErrorContains(t, err, "withheld")
	soon(t, "the record", func() bool {
		records := w.audit(t)
		return len(records) == 2 && records[1]["aig_errormessage"] != "not finished"
	})
	assert.Contains(t, w.audit(t)[1]["aig_errormessage"], "withheld")
	_, err = w.Query(t.Context(), user, query("SELECT 1"))
	require.NoError(t, err)
	assert.Len(t, w.audit(t), 3)
}

// A thousand clients hang up, at any moment between waiting for a slot and the
// end; a hundred with -short, and on the embedded database.
func TestClientsHangUp(t *testing.T) {
	t.Parallel()
	many := func(o *aiquery.Options) { o.Queued = 4000 }
	for name, c := range map[string]struct {
		open  func(testing.TB, func(*aiquery.Options)) *world
		calls int
	}{"postgresql": {onPostgres, 1000}, "embedded": {onEmbedded, 100}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.open(t, many)
			calls := c.calls
			if testing.Short() {
				calls = 100
			}
			var group sync.WaitGroup
			var gone, completed atomic.Int32
			for i := range calls {
				group.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					timer := time.AfterFunc(time.Duration(i%50)*time.Millisecond, cancel)
					defer timer.Stop()
					_, err := w.Query(ctx, user, query("SELECT count(*) FROM generate_series(1, 200000) a WHERE a % 3 = $1", fmt.Sprint(i%3)))
					var known *api.Error
					switch {
					case err == nil:
						completed.Add(1)
					case errors.As(err, &known) && known.Code == api.CodeCanceled:
						gone.Add(1)
					default:
						t.Errorf("%v", err)
					}
				})
			}
			group.Wait()
			assert.Positive(t, gone.Load())
			assert.EqualValues(t, calls, gone.Load()+completed.Load())
			// Records that could not be written at once are written later.
			succeeded := 0
			soon(t, "one finished record each", func() bool {
				records := w.audit(t)
				succeeded = 0
				for _, r := range records {
					if r["aig_errormessage"] == "not finished" {
						return false
					}
					if r["aig_querystatus"] == aiquery.StatusSuccess {
						succeeded++
					}
				}
				return len(records) == calls
			})
			assert.EqualValues(t, completed.Load(), succeeded)
			if w.url != "" {
				admin := owner(t, w)
				soon(t, "the server stops, too", func() bool { return connections(t, admin, "state <> 'idle'") == 0 })
			}
			_, err := w.Query(t.Context(), user, query("SELECT 1"))
			require.NoError(t, err, "slots are free again")
		})
	}
}

func TestBillionsOfRows(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	for name, open := range map[string]func(testing.TB, func(*aiquery.Options)) *world{"postgresql": onPostgres, "embedded": onEmbedded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patient := open(t, nil)
			r, err := patient.Query(t.Context(), user, query(`WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r`))
			require.NoError(t, err, patient.log)
			assert.Len(t, r.Rows, aiquery.DefaultRows)
			assert.True(t, r.Truncated)
			w := open(t, func(o *aiquery.Options) { o.StatementTimeout, o.RequestTimeout = 500*time.Millisecond, 3*time.Second })
			statements := []string{
				endless,
				`SELECT a FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b ORDER BY a + b DESC`,
				`SELECT a, b FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b`, // its order is closed, which takes all rows
				`SELECT 1 UNION ALL SELECT 2 UNION ALL (` + endless + `)`,                       // the first rows are there at once
				`WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r`,
				`SELECT o.documentno FROM c_order o WHERE (` + endless + `) > 5`,
			}
			for _, sql := range statements {
				start := time.Now()
				_, err := w.Query(t.Context(), user, query(sql))
				assert.Equal(t, api.CodeTimeout, code(t, err), "%s\n%s", sql, w.log)
				assert.Less(t, time.Since(start), 30*time.Second, sql)
			}
			assert.Len(t, w.audit(t), len(statements))
			_, err = w.Query(t.Context(), user, query("SELECT 1"))
			require.NoError(t, err)
		})
	}
}

// What changes between the making of a policy and the run of a statement
// counts for the run.
func TestPermissionsChangeBeforeTheRun(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		asked := 0
		for _, c := range []struct {
			name, change, undo, sql string
			code                    api.Code
			rows                    int
		}{
			{
				"table excluded", `INSERT INTO ad_table_access (ad_role_id, ad_table_id, ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby, isreadonly, isexclude, accesstyperule)
				VALUES (2000001, 259, 11, 0, 'Y', '2026-01-01', 0, '2026-01-01', 0, 'N', 'Y', 'A')`,
				`DELETE FROM ad_table_access WHERE ad_role_id=2000001 AND ad_table_id=259`, `SELECT documentno FROM c_order`, api.CodeDenied, 0,
			},
			{
				"role taken away", `UPDATE ad_user_roles SET isactive='N' WHERE ad_role_id=2000001 AND ad_user_id=2000100`,
				`UPDATE ad_user_roles SET isactive='Y' WHERE ad_role_id=2000001 AND ad_user_id=2000100`, `SELECT documentno FROM c_order`, api.CodeDenied, 0,
			},
			{
				"user locked", `UPDATE ad_user SET islocked='Y' WHERE ad_user_id=2000100`, `UPDATE ad_user SET islocked='N' WHERE ad_user_id=2000100`,
				`SELECT 1`, api.CodeDenied, 0,
			},
			{
				"organizations taken away", `UPDATE ad_role_orgaccess SET isactive='N' WHERE ad_role_id=2000001 AND ad_org_id<>12`,
				`UPDATE ad_role_orgaccess SET isactive='Y' WHERE ad_role_id=2000001`, `SELECT DISTINCT ad_org_id FROM c_order WHERE ad_org_id <> 0`, "", 1,
			},
			{
				"record hidden", `UPDATE ad_record_access SET record_id=118 WHERE record_id=117 AND ad_role_id=2000001`,
				`UPDATE ad_record_access SET record_id=117 WHERE record_id=118 AND ad_role_id=2000001`, `SELECT 1 FROM c_bpartner WHERE c_bpartner_id = 118`, "", 0,
			},
		} {
			_, err := w.Query(t.Context(), user, query(c.sql))
			require.NoError(t, err, "%s\n%s", c.name, w.log)
			before := policy(t, w, aitest.User, aitest.Reader)
			w.exec(t, c.change)
			assert.Same(t, before, policy(t, w, aitest.User, aitest.Reader), "the old policy is still at hand")
			r, err := w.Query(t.Context(), user, query(c.sql))
			asked += 2
			records := w.audit(t)
			if c.code != "" {
				assert.Equal(t, c.code, code(t, err), c.name)
			} else if assert.NoError(t, err, "%s\n%s", c.name, w.log) {
				assert.Equal(t, c.rows, r.RowCount, c.name)
				assert.NotEqual(t, before.Guard.Version, records[len(records)-1]["aig_policyversion"])
			}
			assert.Len(t, records, asked, c.name)
			w.exec(t, c.undo)
			w.Invalidate() // what is given again is only seen after a while
		}
	})
}

// A column that is marked as secure is masked from the next statement on, through
// views, too, although the dictionary in memory does not know of it.
func TestSecuredMeanwhile(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		statements := map[string]string{
			"table": `SELECT o.documentno FROM c_order o JOIN c_bpartner b USING (c_bpartner_id) ORDER BY 1 LIMIT 1`,
			"view":  `SELECT documentno FROM rv_order_detail ORDER BY 1 LIMIT 1`,
		}
		ask := func(name string) string {
			out, err := w.Query(t.Context(), user, query(statements[name]))
			require.NoError(t, err, name)
			return fmt.Sprint(out.Rows[0][0])
		}
		for name := range statements {
			assert.NotContains(t, ask(name), "***", name)
		}
		w.exec(t, "UPDATE ad_column SET issecure='Y' WHERE ad_table_id=259 AND columnname='DocumentNo'")
		for name := range statements {
			assert.Contains(t, ask(name), "***", name)
		}
		meta, err := w.TableMetadata(t.Context(), user, aitest.Reader, "C_Order")
		require.NoError(t, err)
		for _, c := range meta.Columns {
			if c.Name == "DocumentNo" {
				assert.True(t, c.Redacted)
			}
		}
		w.exec(t, "UPDATE ad_column SET issecure='N' WHERE ad_table_id=259 AND columnname='DocumentNo'")
		assert.NotContains(t, ask("table"), "***")
	})
}

// Permissions that cannot be read are no permissions.
func TestPermissionsAreUnreadable(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	_, err := w.Query(t.Context(), user, query("SELECT 1"))
	require.NoError(t, err)
	w.exec(t, "REVOKE SELECT ON ad_record_access FROM "+aitest.ReadLogin)
	for range 2 {
		_, err = w.Query(t.Context(), user, query("SELECT 1"))
		assert.Equal(t, api.CodeUnavailable, code(t, err), "it is the service that lacks a permission")
	}
	w.exec(t, "GRANT SELECT ON ad_record_access TO "+aitest.ReadLogin)
	_, err = w.Query(t.Context(), user, query("SELECT 1"))
	require.NoError(t, err)
	assert.Len(t, w.audit(t), 4)
}

// A registry that was not loaded is said to be the reason.
func TestDictionaryIsNotLoaded(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	database := srv.Database()
	t.Cleanup(func() { _ = database.Close() })
	source, err := dbdict.New(database, dbdict.SQLite, nil)
	require.NoError(t, err)
	cache := registry.NewCache(source, nil)
	db, err := embedded.Open(srv)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	require.NoError(t, aiquery.Install(t.Context(), db))
	engine, err := aiquery.New(db, cache, nil)
	require.NoError(t, err)
	t.Cleanup(func() { engine.Close(context.Background()) })
	_, err = engine.Query(t.Context(), user, query("SELECT 1"))
	assert.Equal(t, api.CodeUnavailable, code(t, err))
	assert.ErrorContains(t, err, "the dictionary is empty")
}

func TestRefusedBeforeTheEngine(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		why := w.Refused(t.Context(), user, query("SELECT 1"), &api.Error{Code: api.CodeBusy, Message: "too much at a time"})
		assert.NotEmpty(t, why.RequestID)
		assert.Equal(t, api.CodeBusy, why.Code)
		records := w.audit(t)
		require.Len(t, records, 1)
		assert.Equal(t, "too much at a time", records[0]["aig_errormessage"])
		assert.Equal(t, "SELECT 1", records[0]["aig_querysql"])
		assert.Equal(t, why.RequestID, records[0]["aig_requestid"])
	})
}

func TestQueueIsFull(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, func(o *aiquery.Options) { o.PerUser, o.Queued = 1, 2 })
	admin := owner(t, w)
	ctx, cancel := context.WithCancel(t.Context())
	running := w.ask(t, ctx, endless)
	soon(t, "it runs", func() bool { return connections(t, admin, "state = 'active' AND query LIKE '%generate_series%'") == 1 })
	results := make(chan error, 5)
	for range cap(results) {
		go func() {
			_, err := w.Query(ctx, user, query("SELECT 1"))
			results <- err
		}()
	}
	for range cap(results) - 1 { // one may wait
		assert.Equal(t, api.CodeBusy, code(t, <-results))
	}
	cancel()
	assert.Equal(t, api.CodeCanceled, code(t, <-running))
	assert.Equal(t, api.CodeCanceled, code(t, <-results))
	records := w.audit(t)
	require.Len(t, records, 6)
	for _, r := range records {
		assert.Equal(t, aiquery.StatusError, r["aig_querystatus"])
	}
}
