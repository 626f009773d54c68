package twin

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Dialect is the SQL that a database understands.
type Dialect string

// The dialects.
const (
	PostgreSQL Dialect = "postgresql"
	SQLite     Dialect = "sqlite" // of the embedded ERP
)

// DatabaseOptions say how an ERP's database is read. Nil and the zero value are the
// defaults.
type DatabaseOptions struct {
	// Schema is where the tables are; empty: adempiere on PostgreSQL, none on SQLite.
	Schema string
	// Origin names the ERP in reports; empty: "database". It must not hold secrets.
	Origin string
	// Location is the zone of the ERP's server, in which it writes times without one;
	// nil: UTC.
	Location *time.Location
}

// Database reads an ERP from its database, in one transaction that only reads and
// sees one state. After an error another one is begun, which may see a later
// state; [Database.Transactions] tells.
type Database struct {
	db      *sql.DB
	dialect Dialect
	opts    DatabaseOptions
	tx      *sql.Tx
	begun   int
	tables  map[string]*dbTable // by name in lower case
	mu      sync.Mutex          // for stamps, of which several are asked for at once
}

// dbTable is a table as the database has it.
type dbTable struct {
	name     string
	readable bool
	columns  map[string]dbColumn // by name in lower case
}

type dbColumn struct{ name, kind string }

// NewDatabase makes a source of an open database, which stays the caller's. An
// embedded ERP in memory (erptest.Server.Database) cannot write before the source
// is closed.
func NewDatabase(db *sql.DB, dialect Dialect, opts *DatabaseOptions) (*Database, error) {
	s := &Database{db: db, dialect: dialect}
	if opts != nil {
		s.opts = *opts
	}
	s.opts.Origin = cmp.Or(s.opts.Origin, "database")
	if s.opts.Location == nil {
		s.opts.Location = time.UTC
	}
	switch {
	case db == nil:
		return nil, errors.New("read an ERP from its database: the database is nil; open one")
	case dialect == PostgreSQL && s.opts.Schema == "":
		s.opts.Schema = "adempiere"
	case dialect != PostgreSQL && dialect != SQLite:
		return nil, fmt.Errorf("read an ERP from its database: the dialect %q is unknown; use %q or %q", dialect, PostgreSQL, SQLite)
	}
	return s, nil
}

// Origin implements [Source].
func (s *Database) Origin() string { return s.opts.Origin }

// Kind implements [Source].
func (s *Database) Kind() string { return "database" }

// Transactions is how many transactions were begun: 1 means that everything was
// read from one state.
func (s *Database) Transactions() int { return s.begun }

// Close ends the transaction.
func (s *Database) Close() error {
	if s.tx == nil {
		return nil
	}
	err := s.tx.Rollback()
	s.tx, s.tables = nil, nil
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// begin is the transaction, with the catalog as it sees it.
func (s *Database) begin(ctx context.Context) (*sql.Tx, error) {
	if s.tx != nil {
		return s.tx, nil
	}
	opts := &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
	if s.dialect == SQLite {
		opts.Isolation = sql.LevelDefault // which is one state; its driver takes no level
	}
	// It lives as long as the source, not as long as the call that began it.
	tx, err := s.db.BeginTx(context.WithoutCancel(ctx), opts)
	if err != nil {
		return nil, s.classify(err)
	}
	s.begun++
	if s.tables, err = s.catalog(ctx, tx); err != nil {
		return nil, errors.Join(s.classify(err), tx.Rollback())
	}
	s.tx = tx
	return tx, nil
}

// failed ends a transaction that had an error: in PostgreSQL nothing more can be
// read in it.
func (s *Database) failed(err error) error {
	if s.tx != nil {
		_ = s.tx.Rollback() // the error says more
		s.tx = nil
	}
	return s.classify(err)
}

// errRefused is in an error of a database that comes again however often the same is
// read.
var errRefused = errors.New("the database refuses to read it")

// classify says what an error means for reading on. The text of one about data has
// values of them, which nobody has masked: its code is passed on alone.
func (s *Database) classify(err error) error {
	var server interface{ SQLState() string }
	if !errors.As(err, &server) {
		return err
	}
	state := server.SQLState()
	if len(state) != 5 {
		return err
	}
	switch class := state[:2]; {
	case state == "42P01": // no such table
		return fmt.Errorf("%w: %w", ErrNoTable, err)
	case state == "42501", state == "42703": // no privilege, no such column
		return fmt.Errorf("%w: %w", ErrNotReadable, err)
	case class == "28", class == "3D", class == "3F": // login, database, schema
		return fmt.Errorf("%w: %w", ErrFatal, err)
	case class == "42": // other names
		return fmt.Errorf("%w: %w", errRefused, err)
	case class == "08", class == "40", class == "53", class == "55", class == "57", class == "58": // connection, conflict, resources, operator, system
		return err
	}
	return fmt.Errorf("%w: SQLSTATE %s; its log says why", errRefused, state)
}

func (s *Database) catalog(ctx context.Context, tx *sql.Tx) (_ map[string]*dbTable, err error) {
	query := `SELECT c.relname, pg_catalog.has_table_privilege(c.oid, 'SELECT'), a.attname, t.typname FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
		WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')`
	args := []any{s.opts.Schema}
	if s.dialect == SQLite {
		names := `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')`
		switch err := tx.QueryRowContext(ctx, names+` AND name = ?`, store.AbsentTable).Scan(new(string)); {
		case err == nil: // an embedded ERP, whose list lacks tables without a row
			names += " UNION SELECT TableName FROM " + store.AbsentTable
		case !errors.Is(err, sql.ErrNoRows):
			return nil, err
		}
		query, args = `SELECT m.name, 1, p.name, lower(p.type) FROM (`+names+`) m JOIN pragma_table_info(m.name) p`, nil
	}
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all := map[string]*dbTable{}
	for rows.Next() {
		var table string
		var readable bool
		var c dbColumn
		if err := rows.Scan(&table, &readable, &c.name, &c.kind); err != nil {
			return nil, err
		}
		t := all[strings.ToLower(table)]
		if t == nil {
			t = &dbTable{name: table, readable: readable, columns: map[string]dbColumn{}}
			all[strings.ToLower(table)] = t
		}
		t.columns[strings.ToLower(c.name)] = c
	}
	return all, rows.Err()
}

// table finds a table the login may read.
func (s *Database) table(ctx context.Context, name string) (*sql.Tx, *dbTable, error) {
	tx, err := s.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := s.tables[strings.ToLower(name)]
	switch {
	case t == nil:
		return nil, nil, fmt.Errorf("%w: the database has no table %s in the schema %q, or hides the schema from the login", ErrNoTable, name, s.opts.Schema)
	case !t.readable:
		return nil, nil, fmt.Errorf("%w: the login has no privilege to select from %s", ErrNotReadable, name)
	}
	return tx, t, nil
}

// Hides implements [Source].
func (s *Database) Hides(t *Table, c *Column) string {
	if own := s.tables[strings.ToLower(t.Name)]; own != nil {
		if _, ok := own.columns[strings.ToLower(c.Name)]; !ok {
			return "the table of the database has no such column"
		}
	}
	return ""
}

// Stamp implements [Source].
func (s *Database) Stamp(ctx context.Context, t *Table) (Stamp, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tx, own, err := s.table(ctx, t.Name)
	if err != nil {
		return Stamp{}, err
	}
	newest := "NULL"
	if c, ok := own.columns["updated"]; ok {
		newest = "MAX(" + sqlquote.Name(c.name) + ")"
	}
	var stamp Stamp
	var at any
	if err := tx.QueryRowContext(ctx, "SELECT COUNT(*), "+newest+" FROM "+s.from(own)).Scan(&stamp.Rows, &at); err != nil {
		return Stamp{}, s.failed(err)
	}
	switch at := at.(type) {
	case time.Time:
		stamp.Newest = at.UTC()
	case string:
		stamp.Newest, _ = time.Parse(time.DateTime, at)
	}
	return stamp, nil
}

// Rows implements [Source].
func (s *Database) Rows(ctx context.Context, q *Query, row func([]any) error) (err error) {
	tx, own, err := s.table(ctx, q.Table.Name)
	if err != nil {
		return err
	}
	query, args, local, err := s.statement(own, q)
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return s.failed(err)
	}
	values, scan := make([]any, len(q.Columns)), make([]any, len(q.Columns))
	for i := range values {
		scan[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(scan...); err != nil {
			_ = rows.Close() // the error says more
			return s.failed(err)
		}
		for _, i := range local {
			if at, ok := values[i].(time.Time); ok { // as the server's clock showed it
				values[i] = time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), s.opts.Location)
			}
		}
		if err := row(values); err != nil {
			_ = rows.Close() // what it did not read is not of interest
			return err
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return s.failed(err)
	}
	return nil
}
