package aiquery_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

var user = aiquery.Caller{UserID: aitest.User, Name: "AiUser"}

// world is an engine over one of the two databases.
type world struct {
	*aiquery.Engine
	db  aiquery.Database
	log *logBuffer
	// exec changes the database as its owner.
	exec func(t testing.TB, statement string)
	// audit are the audit's records, newest last.
	audit func(t testing.TB) []map[string]string
	url   string          // of PostgreSQL
	srv   *erptest.Server // of the embedded database
	read  *sql.DB         // reads the embedded database; each one opened reads the whole schema
	dirty bool            // something of the ERP's was changed
}

// logBuffer keeps the service's own log.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// options are the tests' defaults.
func options(change func(*aiquery.Options)) (*aiquery.Options, *logBuffer) {
	log := &logBuffer{}
	opts := &aiquery.Options{
		Logger: slog.New(slog.NewTextHandler(log, nil)), PerUser: 8, AuditBytes: 1 << 40, Failures: 1 << 30,
		StatementTimeout: 2 * time.Minute, RequestTimeout: 3 * time.Minute, // the machine may be busy
	}
	if change != nil {
		change(opts)
	}
	return opts, log
}

func catalogOf(t testing.TB, source registry.Source) *registry.Catalog {
	t.Helper()
	c, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	return c
}

// erpDatabase is a database with the audit's table.
type erpDatabase struct {
	owner string // its address as the owner of everything
	reg   registry.Registry
}

// idle are databases that are as they were made: copying one takes longer than
// most tests.
var idle struct {
	mu   sync.Mutex
	list []erpDatabase
}

// onPostgres is an engine with the low login on a database that nobody else
// uses meanwhile.
func onPostgres(t testing.TB, change func(*aiquery.Options)) *world {
	t.Helper()
	var d erpDatabase
	idle.mu.Lock()
	if n := len(idle.list); n > 0 {
		d, idle.list = idle.list[n-1], idle.list[:n-1]
	}
	idle.mu.Unlock()
	if d.owner == "" {
		d = prepare(t, aitest.Postgres(t))
	}
	var w *world
	t.Cleanup(func() { // after the engine's
		if w == nil || w.dirty || t.Failed() {
			return
		}
		ctx := context.Background() // the test's has ended
		conn, err := pgx.Connect(ctx, d.owner)
		if err == nil {
			_, err = conn.PgConn().Exec(ctx, "TRUNCATE adempiere.aig_querylog; ALTER SEQUENCE adempiere.aig_querylog_sq RESTART").ReadAll()
			err = errors.Join(err, conn.Close(ctx))
		}
		if err != nil {
			t.Errorf("clearing the audit: %v", err)
			return
		}
		idle.mu.Lock()
		defer idle.mu.Unlock()
		idle.list = append(idle.list, d)
	})
	w = d.world(t, aitest.As(t, d.owner, aitest.ReadLogin), nil, change)
	return w
}

// prepare makes the audit's table.
func prepare(t testing.TB, owner string) erpDatabase {
	t.Helper()
	admin, err := postgres.Open(t.Context(), owner, nil)
	require.NoError(t, err)
	require.NoError(t, aiquery.Install(t.Context(), admin))
	require.NoError(t, admin.Close())
	execute(t, owner, "GRANT INSERT, UPDATE, SELECT ON aig_querylog TO "+aitest.AuditLogin+"; GRANT USAGE ON SEQUENCE aig_querylog_sq TO "+aitest.AuditLogin+
		"; GRANT SELECT ON aig_querylog TO "+aitest.ReadLogin)
	dictionary.once.Do(func() {
		source, err := dbdict.Open(t.Context(), owner, nil)
		require.NoError(t, err)
		defer source.Close()
		dictionary.catalog = catalogOf(t, source)
	})
	require.NotNil(t, dictionary.catalog, "the dictionary could not be read")
	return erpDatabase{owner, dictionary.catalog}
}

// dictionary is that of all databases with the audit's table: they are copies of
// one, and reading it takes as long as copying.
var dictionary struct {
	once    sync.Once
	catalog *registry.Catalog
}

func execute(t testing.TB, address, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.PgConn().Exec(t.Context(), "SET search_path = adempiere; "+statement).ReadAll()
	require.NoError(t, err, statement)
}

// world is an engine on the database, with a login for statements.
func (d erpDatabase) world(t testing.TB, login string, opts *postgres.Options, change func(*aiquery.Options)) *world {
	t.Helper()
	w := &world{url: d.owner}
	if opts == nil {
		opts = &postgres.Options{}
	}
	opts.AuditURL = aitest.As(t, d.owner, aitest.AuditLogin)
	var err error
	w.db, err = postgres.Open(t.Context(), login, opts)
	require.NoError(t, err)
	w.exec = func(t testing.TB, statement string) {
		t.Helper()
		w.dirty = true
		execute(t, d.owner, statement)
	}
	w.audit = func(t testing.TB) []map[string]string {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), d.owner)
		require.NoError(t, err)
		defer conn.Close(context.WithoutCancel(t.Context()))
		results, err := conn.PgConn().Exec(t.Context(), "SELECT * FROM adempiere.aig_querylog ORDER BY aig_querylog_id").ReadAll()
		require.NoError(t, err)
		var out []map[string]string
		for _, row := range results[0].Rows {
			record := map[string]string{}
			for i, f := range results[0].FieldDescriptions {
				if row[i] != nil {
					record[f.Name] = string(row[i])
				}
			}
			out = append(out, record)
		}
		return out
	}
	w.start(t, d.reg, change)
	return w
}

func (w *world) start(t testing.TB, reg registry.Registry, change func(*aiquery.Options)) {
	t.Helper()
	var opts *aiquery.Options
	opts, w.log = options(change)
	var err error
	w.Engine, err = aiquery.New(w.db, reg, opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := w.Close(ctx); err != nil {
			t.Errorf("closing: %v", err)
		}
		if err := w.db.Close(); err != nil {
			t.Errorf("closing the database: %v", err)
		}
	})
}

func query(sql string, params ...string) aiquery.Request {
	q := aiquery.Request{SQL: sql, RoleID: aitest.Reader}
	for _, p := range params {
		q.Params = append(q.Params, json.RawMessage(p))
	}
	return q
}

// shown is everything of a result in text.
func shown(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// embeddedERP is an embedded ERP with the audit's table.
type embeddedERP struct {
	srv *erptest.Server
	reg registry.Registry
}

// idleEmbedded are ERPs that are as they were made.
var idleEmbedded struct {
	mu   sync.Mutex
	list []embeddedERP
}

// outlives is a test whose servers live on.
type outlives struct{ testing.TB }

func (outlives) Cleanup(func())           {}
func (outlives) Context() context.Context { return context.Background() }

// onEmbedded is an engine on an embedded ERP that nobody else uses meanwhile.
func onEmbedded(t testing.TB, change func(*aiquery.Options)) *world {
	t.Helper()
	return onEmbeddedWith(t, nil, change)
}

func onEmbeddedWith(t testing.TB, with func(*erptest.Server) embedded.Server, change func(*aiquery.Options)) *world {
	t.Helper()
	var e embeddedERP
	idleEmbedded.mu.Lock()
	if n := len(idleEmbedded.list); n > 0 {
		e, idleEmbedded.list = idleEmbedded.list[n-1], idleEmbedded.list[:n-1]
	}
	idleEmbedded.mu.Unlock()
	if e.srv == nil {
		e.srv = aitest.Embedded(outlives{t})
		db, err := embedded.Open(e.srv)
		require.NoError(t, err)
		require.NoError(t, aiquery.Install(t.Context(), db))
		require.NoError(t, db.Close())
		read := e.srv.Database()
		defer read.Close()
		source, err := dbdict.New(read, dbdict.SQLite, nil)
		require.NoError(t, err)
		e.reg = catalogOf(t, source)
	}
	srv := e.srv
	w := &world{srv: srv}
	t.Cleanup(func() { // after the engine's
		if w.dirty || t.Failed() {
			if err := srv.Close(); err != nil {
				t.Errorf("closing the ERP: %v", err)
			}
			return
		}
		if err := srv.Write(context.Background(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(context.Background(), "DELETE FROM AIG_QueryLog")
			return err
		}, "AIG_QueryLog"); err != nil {
			t.Errorf("clearing the audit: %v", err)
			return
		}
		idleEmbedded.mu.Lock()
		defer idleEmbedded.mu.Unlock()
		idleEmbedded.list = append(idleEmbedded.list, e)
	})
	w.read = srv.Database()
	t.Cleanup(func() {
		if err := w.read.Close(); err != nil {
			t.Errorf("closing the ERP's database: %v", err)
		}
	})
	var opened embedded.Server = srv
	if with != nil {
		opened = with(srv)
	}
	var err error
	w.db, err = embedded.Open(opened)
	require.NoError(t, err)
	w.exec = func(t testing.TB, statement string) {
		t.Helper()
		w.dirty = true
		require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		}, "*"))
	}
	w.audit = func(t testing.TB) []map[string]string {
		t.Helper()
		rows, err := w.read.QueryContext(t.Context(), "SELECT * FROM AIG_QueryLog ORDER BY AIG_QueryLog_ID")
		require.NoError(t, err)
		defer rows.Close()
		columns, err := rows.Columns()
		require.NoError(t, err)
		var out []map[string]string
		for rows.Next() {
			cells, scan := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for i := range cells {
				scan[i] = &cells[i]
			}
			require.NoError(t, rows.Scan(scan...))
			record := map[string]string{}
			for i, c := range cells {
				if c.Valid {
					record[strings.ToLower(columns[i])] = c.String
				}
			}
			out = append(out, record)
		}
		require.NoError(t, rows.Err())
		return out
	}
	w.start(t, e.reg, change)
	return w
}
