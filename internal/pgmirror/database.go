package pgmirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// database is the copy: the connection, and what is known to be there.
type database struct {
	opts   *Options
	origin string // set once, as is server
	server string

	conn    *pgx.Conn // holds the lock; nil: not connected
	schema  string    // where the copy is: a place beside its own while it is made anew
	release func() error

	version int
	shapes  map[string]*shape
	views   []view
	made    []string // the names of the views that could be made
	rows    map[string]rowSet

	relaxed map[misplaced]string // types of columns whose values do not fit the ERP's
	keyless map[string]bool      // tables whose keys PostgreSQL cannot tell apart
}

// misplaced is a column, by upper-case names.
type misplaced struct{ table, column string }

func (d *database) init(opts *Options) {
	d.opts, d.schema, d.relaxed, d.keyless = opts, opts.Schema, map[misplaced]string{}, map[string]bool{}
}

// forget gives up what is known, and the connection with it.
func (d *database) forget() {
	d.shapes, d.views, d.made, d.rows, d.version = nil, nil, nil, nil, 0
	_ = d.disconnect() // there is an error already
}

func (d *database) disconnect() error {
	if d.conn == nil {
		return nil
	}
	release := d.release
	d.conn, d.release = nil, nil
	return release()
}

func (d *database) close() error {
	d.opts = nil
	return d.disconnect()
}

// Errors of [Open].
var (
	ErrForeign = errors.New("it was not made by a sandbox of erphub")
	ErrInUse   = errors.New("another sandbox uses it")
	ErrBusy    = errors.New("other programs hold tables of it")
)

const (
	// lockWait is how long a change of structure waits for those who read a table,
	// the first time; lockTries is how often it is tried, each time waiting so much
	// longer, before the copy counts as busy. Others who come meanwhile wait behind
	// it: it stays below what statements of the AI API wait.
	lockWait  = 25 * time.Millisecond
	lockTries = 20
)

// unlocked runs a change in a transaction, and tries again while others hold what it
// needs. In between it holds nothing, and the others read.
func (d *database) unlocked(ctx context.Context, change func() error) error {
	for try := 1; ; try++ {
		wait := time.Duration(try) * lockWait
		err := d.within(ctx, func() error {
			if err := d.exec(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d", wait.Milliseconds())); err != nil {
				return err
			}
			return change()
		})
		var server *pgconn.PgError
		if !errors.As(err, &server) || server.Code != "55P03" && server.Code != "40P01" {
			return err
		}
		if try == lockTries {
			return fmt.Errorf("change the schema %s of %s: %w: end their transactions, or name a database of its own", d.opts.Schema, d.origin, ErrBusy)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// lockClass is the first half of the advisory lock's number; the second is made
// from the name of the schema.
const lockClass = 0x65727068

// connect connects to the database, if it is not, and takes the lock.
func (d *database) connect(ctx context.Context) error {
	if d.opts == nil {
		return errClosed
	}
	if d.conn != nil {
		return nil
	}
	pool, origin, err := dbdict.Connect(ctx, d.opts.URL)
	if err != nil {
		return err
	}
	d.origin = cmp.Or(d.origin, origin)
	one, err := pool.Conn(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("connect to %s: %w", origin, err), pool.Close())
	}
	d.release = func() error { return errors.Join(one.Close(), pool.Close()) }
	if err := one.Raw(func(driver any) error {
		d.conn = driver.(*stdlib.Conn).Conn()
		if d.server == "" {
			d.server, _, _ = strings.Cut(d.conn.PgConn().ParameterStatus("server_version"), " ")
		}
		return nil
	}); err != nil {
		return errors.Join(err, d.release())
	}
	if err := d.lock(ctx); err != nil {
		return errors.Join(err, d.disconnect())
	}
	return nil
}

// lock makes the session ours and keeps others from the schema.
func (d *database) lock(ctx context.Context) error {
	var encoding string
	// One of ours that broke off may not be over for the server yet.
	if err := d.exec(ctx, `SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET client_min_messages = 'warning'; SET search_path = pg_catalog;
		SET statement_timeout = 0; SET default_transaction_read_only = off; SET lock_timeout = '2s'`); err != nil {
		return fmt.Errorf("set the session up: %w", err)
	}
	_, err := d.conn.Exec(ctx, `SELECT pg_advisory_lock($1::int4, hashtext($2))`, pgx.QueryExecModeExec, lockClass, d.opts.Schema)
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Code == "55P03" {
		return fmt.Errorf("the schema %s of %s: %w: end that one, or name another database", d.opts.Schema, d.origin, ErrInUse)
	}
	if err == nil {
		err = d.conn.QueryRow(ctx, `SELECT current_setting('server_encoding')`, pgx.QueryExecModeExec).Scan(&encoding)
	}
	switch {
	case err != nil:
		return fmt.Errorf("take the schema %s: %w", d.opts.Schema, err)
	case encoding != "UTF8":
		return fmt.Errorf("the encoding of %s is %s: use a database with the encoding UTF8", d.origin, encoding)
	}
	return d.exec(ctx, "SET lock_timeout = 0")
}

// lost reports whether the connection, and the lock with it, is over.
func (d *database) lost(ctx context.Context) bool {
	if d.conn == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return d.conn.Ping(ctx) != nil
}

// pingTimeout bounds the check whether the server is there.
const pingTimeout = 5 * time.Second

// misfit is a value that a column of the copy cannot have, or a key that is
// there twice for PostgreSQL. Its error has no value in it.
type misfit struct {
	table, column string // column is empty for a key
	kind          string // the column's type
	code          string
}

func (m *misfit) Error() string {
	return fmt.Sprintf("the table %s has a value that does not fit its column %s (SQLSTATE %s)", m.table, m.column, m.code)
}

var copyPlace = lazyregexp.New(`^COPY .*, line [0-9]+, column ([^:]+)`)

// misfitOf tells errors about values from others.
func misfitOf(s *shape, err error) error {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return err
	}
	switch {
	case strings.HasPrefix(server.Code, "22"):
		place := copyPlace().FindStringSubmatch(server.Where)
		if place == nil {
			break
		}
		for _, c := range s.columns {
			if strings.EqualFold(c.source, place[1]) {
				return &misfit{table: s.source, column: c.source, kind: c.kind, code: server.Code}
			}
		}
	case server.Code == "23505", server.Code == "23502":
		if len(s.key) > 0 {
			return &misfit{table: s.source, code: server.Code}
		}
	}
	// The server's words may quote values.
	return fmt.Errorf("write the table %s: SQLSTATE %s", s.source, server.Code)
}

// relax has the column be of a type that its values fit, from the next look on.
func (d *database) relax(m *misfit) error {
	upper := strings.ToUpper(m.table)
	if m.column == "" {
		if d.keyless[upper] {
			return m
		}
		d.keyless[upper] = true
	} else if _, err := d.wider(m); err != nil {
		return err
	}
	d.version = -1 // the tables are compared again
	return nil
}

// wider is the type that the values of a column fit, which it keeps from the next
// look on.
func (d *database) wider(m *misfit) (string, error) {
	kind := "text"
	switch {
	case m.kind == "text":
		return "", m
	case m.kind == "numeric(10)" && m.code == "22003":
		kind = "numeric"
	case m.code == "22001":
		kind = "varchar"
	}
	d.relaxed[misplaced{strings.ToUpper(m.table), strings.ToUpper(m.column)}] = kind
	return kind, nil
}

// tell logs what the copy has in another way than the ERP would.
func (d *database) tell(m *misfit) {
	d.opts.Logger.Warn("the copy in PostgreSQL cannot have this as the ERP would", "table", m.table, "column", m.column, "code", m.code)
}

// rollbackTimeout bounds giving a transaction up.
const rollbackTimeout = 5 * time.Second

// within runs do in a transaction.
func (d *database) within(ctx context.Context, do func() error) (err error) {
	if err := d.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	if err := do(); err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
		defer cancel()
		return errors.Join(err, d.exec(ctx, "ROLLBACK"))
	}
	return d.exec(ctx, "COMMIT")
}

// exec runs statements of our own.
func (d *database) exec(ctx context.Context, text string) error {
	_, err := d.conn.PgConn().Exec(ctx, text).ReadAll()
	return err
}
