package postgres

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// DefaultSchema is the schema of the ERP's tables in PostgreSQL.
const DefaultSchema = "adempiere"

// Options change how a database is used. Nil and the zero value are the
// defaults.
type Options struct {
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
	// the engine's Health says when nobody has. What is set and lower stays.
	TempFileLimit string
	// TimeZone is the session's; empty: UTC.
	TimeZone string
}

// Database is an ERP's database on a PostgreSQL server. It is safe for concurrent
// use.
type Database struct{ d *database }

// Runner is for package aiquery.
func (db *Database) Runner() run.Runner { return db.d }

// String names the database without user and password.
func (db *Database) String() string { return db.d.origin }

// GoString is as String: no format shows more.
func (db *Database) GoString() string { return db.d.origin }

// Close waits for what is under way.
func (db *Database) Close() error {
	db.d.queries.Close()
	db.d.records.Close()
	return nil
}

// database runs statements.
type database struct {
	opts    Options
	origin  string
	queries *pgxpool.Pool
	records *pgxpool.Pool
	types   *pgtype.Map
	audit   auditTable

	described bounded[*guard.Plan, []string]   // the types of a plan's parameters
	stamps    bounded[*run.Fingerprint, stamp] // of permissions
	seen      bounded[string, bool]            // names of statements that were run
}

// memorySize is a size as PostgreSQL's settings take it, with its unit.
var memorySize = lazyregexp.New(`^(-1|[0-9]{1,9}(kB|MB|GB|TB))$`)

var schemaName = lazyregexp.New(`^[a-z_][a-z0-9_]{0,62}$`)

// Open connects to an ERP's PostgreSQL database. The address is a URL
// or a list of settings; no error shows it. The login needs the privilege to select
// from the tables that are to be queried, from the permission tables (AD_Role,
// AD_…_Access and so on), and should have no other: the engine's Health says what
// it has too much.
func Open(ctx context.Context, url string, opts *Options) (*Database, error) {
	d := &database{types: pgtype.NewMap()}
	if opts != nil {
		d.opts = *opts
	}
	d.opts.Schema = cmp.Or(d.opts.Schema, DefaultSchema)
	if !schemaName().MatchString(d.opts.Schema) {
		return nil, fmt.Errorf("open the database: the schema %q is not a plain name; use small letters, digits and _", d.opts.Schema)
	}
	defaults := []struct {
		value *string
		def   string
	}{{&d.opts.WorkMem, "32MB"}, {&d.opts.TempFileLimit, "1GB"}, {&d.opts.TimeZone, "UTC"}, {&d.opts.AuditURL, url}}
	for _, o := range defaults {
		if *o.value == "" {
			*o.value = o.def
		}
	}
	if !memorySize().MatchString(d.opts.TempFileLimit) {
		return nil, fmt.Errorf("open the database: TempFileLimit %q is not a size; write it as 500MB or 1GB, or -1 for any", d.opts.TempFileLimit)
	}
	if d.opts.Connections <= 0 {
		d.opts.Connections = 10
	}
	if d.opts.AuditConnections <= 0 {
		d.opts.AuditConnections = 4
	}
	var err error
	if d.queries, err = d.pool(ctx, url, "erphub-query", d.opts.Connections, d.establishQueries); err != nil {
		return nil, err
	}
	config := d.queries.Config().ConnConfig
	d.origin = "postgres://" + config.Host + ":" + strconv.Itoa(int(config.Port)) + "/" + config.Database
	if d.records, err = d.pool(ctx, d.opts.AuditURL, "erphub-audit", d.opts.AuditConnections, func(ctx context.Context, conn *pgconn.PgConn) error {
		return establish(ctx, conn, []string{
			"search_path", "pg_catalog", "client_encoding", "UTF8", "lock_timeout", "2s", "statement_timeout", "5s",
			"default_transaction_read_only", "off", "timezone", "UTC", "datestyle", "ISO, YMD",
		})
	}); err != nil {
		d.queries.Close()
		return nil, err
	}
	return &Database{d}, nil
}

// Schema implements run.Runner.
func (d *database) Schema() string { return d.opts.Schema }
