package aiquery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/erphub/erphub/aiquery/guard"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DefaultSchema is where the ERP's tables are in PostgreSQL.
const DefaultSchema = "adempiere"

// maxMessage bounds what the database may send in one piece: a row. A row
// that is larger ends the connection.
const maxMessage = 32 << 20

// PostgresOptions change how a PostgreSQL database is used. Nil and the zero
// value are the defaults.
type PostgresOptions struct {
	// Schema is the schema of the ERP's tables; empty: adempiere.
	Schema string
	// AuditURL is the address for the audit, with a login that may insert into
	// and update that table and nothing else; empty: the database's own.
	AuditURL string
	// Connections for statements; 0: 10. AuditConnections for the audit; 0: 4.
	Connections, AuditConnections int
	// WorkMem is PostgreSQL's work_mem for a statement; empty: 32MB.
	WorkMem string
	// TempFileLimit is PostgreSQL's temp_file_limit, how much a statement may write
	// into temporary files; empty: 1GB, "-1": any. Only some logins may set it:
	// for others an administrator does (ALTER ROLE … SET temp_file_limit), and
	// [Engine.Health] says when nobody has. What is set and lower stays.
	TempFileLimit string
	// TimeZone is the session's; empty: UTC.
	TimeZone string
}

// postgres runs statements on PostgreSQL.
type postgres struct {
	opts    PostgresOptions
	origin  string
	queries *pgxpool.Pool
	records *pgxpool.Pool
	types   *pgtype.Map
	audit   auditTable

	described sync.Map     // *guard.Plan to the types of its parameters, []string
	kept      atomic.Int64 // how many there are
}

// memorySize is a size as PostgreSQL's settings take it, with its unit.
var memorySize = regexp.MustCompile(`^(-1|[0-9]{1,9}(kB|MB|GB|TB))$`)

var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// OpenPostgres connects to an ERP's PostgreSQL database. The address is a URL
// or a list of settings; no error shows it. The login needs the right to select
// from the tables that are to be asked, from the rights tables (AD_Role,
// AD_…_Access and so on), and should have no other: [Engine.Health] says what
// it has too much.
func OpenPostgres(ctx context.Context, url string, opts *PostgresOptions) (Database, error) {
	p := &postgres{types: pgtype.NewMap()}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.Schema == "" {
		p.opts.Schema = DefaultSchema
	}
	if !schemaName.MatchString(p.opts.Schema) {
		return nil, fmt.Errorf("open the database: the schema %q is no plain name; use small letters, digits and _", p.opts.Schema)
	}
	defaults := []struct {
		value *string
		def   string
	}{{&p.opts.WorkMem, "32MB"}, {&p.opts.TempFileLimit, "1GB"}, {&p.opts.TimeZone, "UTC"}, {&p.opts.AuditURL, url}}
	for _, d := range defaults {
		if *d.value == "" {
			*d.value = d.def
		}
	}
	if !memorySize.MatchString(p.opts.TempFileLimit) {
		return nil, fmt.Errorf("open the database: TempFileLimit %q is no size; write it as 500MB or 1GB, or -1 for any", p.opts.TempFileLimit)
	}
	if p.opts.Connections <= 0 {
		p.opts.Connections = 10
	}
	if p.opts.AuditConnections <= 0 {
		p.opts.AuditConnections = 4
	}
	var err error
	if p.queries, err = p.pool(ctx, url, "erphub-query", p.opts.Connections, p.establishQueries); err != nil {
		return nil, err
	}
	config := p.queries.Config().ConnConfig
	p.origin = "postgres://" + config.Host + ":" + strconv.Itoa(int(config.Port)) + "/" + config.Database
	if p.records, err = p.pool(ctx, p.opts.AuditURL, "erphub-audit", p.opts.AuditConnections, func(ctx context.Context, conn *pgconn.PgConn) error {
		return establish(ctx, conn, []string{
			"search_path", "pg_catalog", "client_encoding", "UTF8", "lock_timeout", "2s", "statement_timeout", "5s",
			"default_transaction_read_only", "off", "timezone", "UTC", "datestyle", "ISO, YMD",
		})
	}); err != nil {
		p.queries.Close()
		return nil, err
	}
	return p, nil
}

// session is what is set for a connection that runs statements, as pairs.
func (p *postgres) session() []string {
	return []string{
		"search_path", "pg_catalog", "standard_conforming_strings", "on", "client_encoding", "UTF8",
		"timezone", p.opts.TimeZone, "datestyle", "ISO, YMD", "intervalstyle", "iso_8601", "bytea_output", "hex",
		"transform_null_equals", "off", "jit", "off", "lock_timeout", "1s", "default_transaction_read_only", "on",
		"extra_float_digits", "1", "row_security", "on", "plan_cache_mode", "force_generic_plan",
	}
}

// pool connects once and fails when that does not work.
func (p *postgres) pool(ctx context.Context, url, name string, size int, establish func(context.Context, *pgconn.PgConn) error) (*pgxpool.Pool, error) {
	if !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") && !strings.Contains(url, "=") {
		return nil, errors.New("open the database: the address is no PostgreSQL address; write postgres://user@host/database")
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The driver's words repeat parts of the address.
		return nil, errors.New("open the database: the address cannot be understood; write postgres://user@host:port/database " +
			"with special characters of the password escaped (%40 for @)")
	}
	config.MaxConns = int32(size) //nolint:gosec // a handful
	config.MinConns, config.MinIdleConns = 0, 0
	config.MaxConnIdleTime = 5 * time.Minute
	config.ConnConfig.ConnectTimeout = 5 * time.Second
	config.ConnConfig.StatementCacheCapacity, config.ConnConfig.DescriptionCacheCapacity = 0, 0
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.ConnConfig.RuntimeParams["application_name"] = name
	config.ConnConfig.OnNotice = func(*pgconn.PgConn, *pgconn.Notice) {} // may quote values
	config.ConnConfig.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		f := pgproto3.NewFrontend(r, w)
		f.SetMaxBodyLen(maxMessage)
		return f
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error { return establish(ctx, conn.PgConn()) }
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", clean(err))
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to the database (%s:%d/%s): %w", config.ConnConfig.Host, config.ConnConfig.Port, config.ConnConfig.Database, clean(err))
	}
	return pool, nil
}

// establishQueries sets a session up that runs statements.
func (p *postgres) establishQueries(ctx context.Context, conn *pgconn.PgConn) error {
	if err := establish(ctx, conn, p.session()); err != nil {
		return err
	}
	return p.limitTempFiles(ctx, conn)
}

// limitTempFiles bounds temporary files where the login may.
func (p *postgres) limitTempFiles(ctx context.Context, conn *pgconn.PgConn) error {
	if p.opts.TempFileLimit == "-1" {
		return nil
	}
	may := "u.rolsuper"
	if major, _, _ := strings.Cut(conn.ParameterStatus("server_version"), "."); len(major) == 2 && major >= "15" {
		may += " OR pg_catalog.has_parameter_privilege('temp_file_limit', 'SET')"
	}
	limit := literal(p.opts.TempFileLimit)
	// The setting is in kB.
	_, err := query(ctx, conn, "SELECT pg_catalog.set_config('temp_file_limit', "+limit+`, false)
		FROM pg_catalog.pg_roles u, pg_catalog.pg_settings s WHERE u.rolname = CURRENT_USER AND s.name = 'temp_file_limit'
			AND (`+may+`) AND (s.setting = '-1' OR s.setting::pg_catalog.int8 * 1024 > pg_catalog.pg_size_bytes(`+limit+`))`)
	if err != nil {
		return fmt.Errorf("limit temporary files: %w", clean(err))
	}
	return nil
}

// establish sets a session up and makes sure that it is.
func establish(ctx context.Context, conn *pgconn.PgConn, settings []string) error {
	var set, ask []string
	for i := 0; i < len(settings); i += 2 {
		set = append(set, "pg_catalog.set_config("+literal(settings[i])+", "+literal(settings[i+1])+", false)")
		ask = append(ask, "pg_catalog.current_setting("+literal(settings[i])+")")
	}
	if _, err := query(ctx, conn, "SELECT "+strings.Join(set, ", ")); err != nil {
		return fmt.Errorf("set the session up: %w", clean(err))
	}
	rows, err := query(ctx, conn, "SELECT "+strings.Join(ask, ", "))
	if err != nil {
		return fmt.Errorf("look at the session: %w", clean(err))
	}
	if len(rows) != 1 {
		return fmt.Errorf("look at the session: %d rows", len(rows))
	}
	for i := 0; i < len(settings); i += 2 {
		got := rows[0][i/2].String
		switch settings[i] {
		case "search_path", "standard_conforming_strings", "client_encoding", "default_transaction_read_only":
			if got != settings[i+1] {
				return fmt.Errorf("set the session up: %s is %q and not %q", settings[i], got, settings[i+1])
			}
		}
	}
	return nil
}

// literal is a text in SQL; there are no backslashes in ours.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// query runs a statement of our own over the extended protocol, unnamed.
func query(ctx context.Context, conn *pgconn.PgConn, text string) ([]cells, error) {
	return collect(conn.ExecParams(ctx, text, nil, nil, nil, nil))
}

func collect(r *pgconn.ResultReader) ([]cells, error) {
	var out []cells
	for r.NextRow() {
		values := r.Values()
		row := make(cells, len(values))
		for i, v := range values {
			if v != nil {
				row[i] = sql.NullString{String: string(v), Valid: true}
			}
		}
		out = append(out, row)
	}
	_, err := r.Close()
	return out, err
}

// clean takes the driver's account of how it tried to connect off an error: it
// names the user. What went wrong is behind it.
func clean(err error) error {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		if cause := connect.Unwrap(); cause != nil {
			return cause
		}
	}
	return err
}

func (p *postgres) String() string   { return p.origin }
func (p *postgres) GoString() string { return p.origin }
func (p *postgres) schema() string   { return p.opts.Schema }

// Close waits for what is under way.
func (p *postgres) Close() error {
	p.queries.Close()
	p.records.Close()
	return nil
}

// snapshot implements database.
func (p *postgres) snapshot(ctx context.Context, do func(reader) error) (err error) {
	conn, err := p.acquire(ctx, ownTimeout, nil, nil)
	if err != nil {
		return err
	}
	defer func() { p.end(conn, err != nil) }()
	pg := conn.Conn().PgConn()
	return do(func(ctx context.Context, text string) ([]cells, error) { return query(ctx, pg, text) })
}

// acquire takes a connection and begins a transaction on it, or runs a statement
// in one that is over when it returns. Connections that the server has given up
// in the meantime are passed over.
func (p *postgres) acquire(ctx context.Context, timeout time.Duration, rights *fingerprint, only *pipelined) (*pgxpool.Conn, error) {
	for attempt := 0; ; attempt++ {
		conn, err := p.queries.Acquire(ctx)
		if err != nil {
			return nil, unavailable(err)
		}
		pg := conn.Conn().PgConn()
		if err = p.begin(ctx, pg, timeout, rights, only); err == nil {
			return conn, nil
		}
		again := errors.As(err, new(notBegun)) && pg.IsClosed() && ctx.Err() == nil && attempt < p.opts.Connections
		p.end(conn, !errors.Is(err, errRightsChanged))
		if !again {
			return nil, err
		}
	}
}

// ownTimeout bounds the statements that read rights and the catalog.
const ownTimeout = 10 * time.Second

// begin begins a transaction that only reads, bounds it, and compares the
// rights, in one round trip. With a statement it runs that, too, and ends the
// transaction.
func (p *postgres) begin(ctx context.Context, conn *pgconn.PgConn, timeout time.Duration, rights *fingerprint, only *pipelined) (err error) {
	ms := strconv.FormatInt(max(timeout.Milliseconds(), 1), 10)
	pipeline := conn.StartPipeline(ctx)
	defer func() {
		if closed := pipeline.Close(); !conn.IsClosed() || err != nil {
			err = errors.Join(err, closed)
		}
	}()
	send := func(text string) { pipeline.SendQueryParams(text, nil, nil, nil, nil) }
	send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	send("SELECT pg_catalog.set_config('statement_timeout', '" + ms + "ms', true), pg_catalog.set_config('work_mem', " + literal(p.opts.WorkMem) +
		", true), pg_catalog.set_config('max_parallel_workers_per_gather', '0', true), " +
		"pg_catalog.set_config('idle_in_transaction_session_timeout', '15s', true)")
	count := 0
	if rights != nil {
		for _, q := range rights.queries {
			send(q)
		}
		count = len(rights.queries)
	}
	if only != nil {
		pipeline.SendQueryParams(only.text, only.values, only.types, nil, nil)
		send("ROLLBACK")
	}
	if err := pipeline.Sync(); err != nil {
		return notBegun{err}
	}
	changed := false
	for i := -2; ; i++ {
		result, err := pipeline.GetResults()
		switch {
		case err != nil && i == -2:
			return notBegun{err}
		case err != nil && i >= count:
			return ofStatement(err)
		case err != nil:
			return ofRights(i, err)
		}
		switch r := result.(type) {
		case *pgconn.ResultReader:
			if i == count && only != nil {
				switch err := only.read(r); {
				case errors.Is(err, errEnough):
					return conn.Close(ctx) // the rest is not waited for
				case err != nil:
					return ofStatement(err)
				}
				continue
			}
			rows, err := collect(r)
			if err != nil {
				return ofRights(i, err)
			}
			if i >= 0 && i < count && !rights.same(i, rows) {
				changed = true
			}
			if changed && i == count-1 {
				return errRightsChanged // what comes of the statement is not looked at
			}
		case *pgconn.PipelineSync:
			if changed {
				return errRightsChanged
			}
			return nil
		default:
			return fmt.Errorf("begin a transaction: unexpected %T", result)
		}
	}
}

// notBegun is an error before the transaction began: nothing was run.
type notBegun struct{ error }

func (e notBegun) Unwrap() error { return e.error }

// ofStatement tells errors of a statement that ran from those of one that is
// wrong: only the latter have a position in it.
func ofStatement(err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Position == 0 {
		return executed{err}
	}
	return err
}

// remember keeps the types of a plan's parameters, while there are not too many.
func (p *postgres) remember(plan *guard.Plan, kinds []string) {
	if p.kept.Add(1) > maxDescribed {
		p.described.Clear()
		p.kept.Store(1)
	}
	p.described.Store(plan, kinds)
}

// maxDescribed is how many plans' types are kept.
const maxDescribed = 10_000

// ofRights tells errors about the rights' tables and columns, which are no more
// what they were, from others.
func ofRights(i int, err error) error {
	var server *pgconn.PgError
	if i >= 0 && errors.As(err, &server) && strings.HasPrefix(server.Code, "42") {
		return errors.Join(errRightsChanged, err)
	}
	return err
}

// end rolls back and gives the connection back, or closes it when that does
// not work. After a failure the session is made as new.
func (p *postgres) end(conn *pgxpool.Conn, failed bool) {
	defer conn.Release()
	pg := conn.Conn().PgConn()
	if pg.IsClosed() {
		return
	}
	// The caller may be gone; the connection must be clean all the same.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := query(ctx, pg, "ROLLBACK")
	if err == nil && failed {
		if _, err = query(ctx, pg, "DISCARD ALL"); err == nil {
			err = p.establishQueries(ctx, pg)
		}
	}
	if err != nil || pg.TxStatus() != 'I' {
		_ = pg.Close(ctx) // of no use to anybody
	}
}

// unavailable is a database that did not answer.
func unavailable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fail(CodeUnavailable, clean(err), "the database does not answer").hint("try again later")
}
