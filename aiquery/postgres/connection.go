package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/sqlquote"
)

// maxMessage bounds what the database may send in one piece: a row. A row
// that is larger ends the connection.
const maxMessage = 32 << 20

// session is what is set for a connection that runs statements, as pairs.
func (d *database) session() []string {
	return []string{
		"search_path", "pg_catalog", "standard_conforming_strings", "on", "client_encoding", "UTF8",
		"timezone", d.opts.TimeZone, "datestyle", "ISO, YMD", "intervalstyle", "iso_8601", "bytea_output", "hex",
		"transform_null_equals", "off", "jit", "off", "lock_timeout", "1s", "default_transaction_read_only", "on",
		"extra_float_digits", "1", "row_security", "on", "plan_cache_mode", "force_generic_plan",
	}
}

// pool connects once and fails when that does not work.
func (d *database) pool(ctx context.Context, url, name string, size int, establish func(context.Context, *pgconn.PgConn) error) (*pgxpool.Pool, error) {
	if !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") && !strings.Contains(url, "=") {
		return nil, errors.New("open the database: the address is no PostgreSQL address; write postgres://user@host/database")
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The driver's message contains parts of the address.
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
func (d *database) establishQueries(ctx context.Context, conn *pgconn.PgConn) error {
	if err := establish(ctx, conn, d.session()); err != nil {
		return err
	}
	return d.limitTempFiles(ctx, conn)
}

// limitTempFiles bounds temporary files where the login may.
func (d *database) limitTempFiles(ctx context.Context, conn *pgconn.PgConn) error {
	if d.opts.TempFileLimit == "-1" {
		return nil
	}
	may := "u.rolsuper"
	if major, _, _ := strings.Cut(conn.ParameterStatus("server_version"), "."); len(major) == 2 && major >= "15" {
		may += " OR pg_catalog.has_parameter_privilege('temp_file_limit', 'SET')"
	}
	limit := sqlquote.Text(d.opts.TempFileLimit)
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
		set = append(set, "pg_catalog.set_config("+sqlquote.Text(settings[i])+", "+sqlquote.Text(settings[i+1])+", false)")
		ask = append(ask, "pg_catalog.current_setting("+sqlquote.Text(settings[i])+")")
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

// query runs a statement of our own over the extended protocol, unnamed.
func query(ctx context.Context, conn *pgconn.PgConn, text string) ([]run.Cells, error) {
	return collect(conn.ExecParams(ctx, text, nil, nil, nil, nil))
}

func collect(r *pgconn.ResultReader) ([]run.Cells, error) {
	var out []run.Cells
	for r.NextRow() {
		values := r.Values()
		row := make(run.Cells, len(values))
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
