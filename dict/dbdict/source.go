package dbdict

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/textcache"
)

// Dialect is the SQL that a database understands.
type Dialect string

// The dialects.
const (
	PostgreSQL Dialect = "postgresql"
	SQLite     Dialect = "sqlite" // of the embedded ERP
)

// DefaultSchema is the schema of the ERP's tables in PostgreSQL.
const DefaultSchema = "adempiere"

// Options say where the tables are. Nil and the zero value are the defaults.
type Options struct {
	// Schema is the database schema; empty: [DefaultSchema] on PostgreSQL, none
	// on SQLite.
	Schema string
	// Origin names the ERP, see [registry.Source]; empty: host, port and database of
	// the address, or "database" when there is none.
	Origin string
}

// Source reads the dictionary from a database. It is safe for concurrent use.
type Source struct {
	db      *sql.DB
	dialect Dialect
	schema  string
	origin  string
}

var _ registry.Source = (*Source)(nil)

// New makes a source of an open database, which stays the caller's.
func New(db *sql.DB, dialect Dialect, opts *Options) (*Source, error) {
	if db == nil {
		return nil, errors.New("read the dictionary from a database: the database is nil; open one")
	}
	s := &Source{db: db, dialect: dialect, origin: "database"}
	if opts != nil {
		s.schema = opts.Schema
		if opts.Origin != "" {
			s.origin = opts.Origin
		}
	}
	switch dialect {
	case PostgreSQL:
		s.schema = cmp.Or(s.schema, DefaultSchema)
	case SQLite:
	default:
		return nil, fmt.Errorf("read the dictionary from a database: the dialect %q is unknown; use %q or %q", dialect, PostgreSQL, SQLite)
	}
	return s, nil
}

// Origin implements [registry.Source].
func (s *Source) Origin() string { return s.origin }

// String names the origin and shows nothing secret.
func (s *Source) String() string { return "dictionary of " + s.origin }

// GoString is String.
func (s *Source) GoString() string { return s.String() }

// Close closes the database that [Open] opened. For a source made with [New]
// that closes the caller's.
func (s *Source) Close() error { return s.db.Close() }

// Stamps implements [registry.Source].
func (s *Source) Stamps(ctx context.Context, tables []registry.SourceTable) (stamps []registry.Stamp, err error) {
	err = s.within(ctx, func(db *session) error {
		present, now, err := s.look(ctx, db, tables)
		if err != nil {
			return err
		}
		states, err := s.states(ctx, db, tables, present, func(registry.SourceTable) bool { return false })
		stamps = stampsOf(states, present, now)
		return err
	})
	return stamps, err
}

// look finds out what there is, and what time it is.
func (s *Source) look(ctx context.Context, db *session, tables []registry.SourceTable) (present []columns, now int64, err error) {
	if present, err = s.present(ctx, db, tables); err == nil {
		now, err = s.now(ctx, db)
	}
	return present, now, err
}

func stampsOf(states []state, present []columns, now int64) []registry.Stamp {
	stamps := make([]registry.Stamp, len(states))
	for i := range states {
		if stamps[i].Missing = present[i] == nil; !stamps[i].Missing {
			stamps[i] = states[i].stamp(now)
		}
	}
	return stamps
}

// expecting is a sink that makes room for rows when it knows how many come.
type expecting interface{ Expect(table, rows int) }

// sharing is a sink that need not look for equal texts, because it gets each once.
type sharing interface {
	RowOfShared(table int, values []registry.SourceValue) error
}

// taker is how a sink takes rows whose equal texts share their memory.
func taker(sink registry.Sink) func(table int, values []registry.SourceValue) error {
	if s, ok := sink.(sharing); ok {
		return s.RowOfShared
	}
	return sink.Row
}

// Read implements [registry.Source].
func (s *Source) Read(ctx context.Context, tables []registry.SourceTable, sink registry.Sink) (stamps []registry.Stamp, err error) {
	err = s.within(ctx, func(db *session) error {
		present, now, err := s.look(ctx, db, tables)
		if err != nil {
			return err
		}
		// The state of a table that is read as a whole is that of its rows.
		whole := func(t registry.SourceTable) bool { return t.Since == 0 }
		states, err := s.states(ctx, db, tables, present, whole)
		if err != nil {
			return err
		}
		take, texts := taker(sink), textcache.New()
		for i, t := range tables {
			sink.Begin(i)
			if present[i] == nil {
				continue
			}
			if e, ok := sink.(expecting); ok && whole(t) && len(t.Where) == 0 {
				e.Expect(i, states[i].rows)
			}
			sel := s.selection(t, present[i], texts)
			st, err := s.rows(ctx, db, t, present[i], sel, func() error { return take(i, sel.row) })
			if err != nil {
				return fmt.Errorf("read %s: %w", t.Name, clean(err))
			}
			if whole(t) {
				states[i] = st
			}
		}
		stamps = stampsOf(states, present, now)
		for i, t := range tables {
			stamps[i].Partial = !whole(t) && !stamps[i].Missing
		}
		return nil
	})
	return stamps, err
}

// session is a connection with a transaction.
type session struct {
	conn *sql.Conn
	tx   *sql.Tx
}

// within runs do in a transaction that sees one state and changes nothing.
func (s *Source) within(ctx context.Context, do func(*session) error) (err error) {
	opts := &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
	if s.dialect == SQLite {
		// One state is what a transaction of SQLite always sees, and its driver
		// takes no level.
		opts.Isolation = sql.LevelDefault
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to the database of the ERP (%s): %w", s.origin, clean(err))
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	tx, err := conn.BeginTx(ctx, opts)
	if err != nil {
		return fmt.Errorf("connect to the database of the ERP (%s): %w", s.origin, clean(err))
	}
	defer func() {
		// There is nothing to commit. When the context ended, it is rolled back.
		if end := tx.Rollback(); err == nil && end != nil && !errors.Is(end, sql.ErrTxDone) {
			err = clean(end)
		}
	}()
	return do(&session{conn, tx})
}
