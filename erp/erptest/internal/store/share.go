package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
)

// Reader opens the store's database for reading alone, for services that run
// beside the server: its connections cannot write. The transactions and results
// of a database in memory hold the store's lock as those of View do: the caller
// must not write to the store while one is open. The caller closes it.
func (s *Store) Reader() *sql.DB {
	db := sql.OpenDB(readConnector{s})
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(4)
	return db
}

// Write runs fn in a writing transaction of database/sql and commits it when fn
// returns nil. The names of the tables it writes to are told to what
// [Store.OnChange] has set; without any, all may have changed.
func (s *Store) Write(ctx context.Context, fn func(*sql.Tx) error, tables ...string) error {
	return s.Update(ctx, func(tx *Tx) error {
		if err := fn(tx.tx); err != nil {
			return err
		}
		if len(tables) == 0 {
			tx.touch(anyTable)
		}
		for _, t := range tables {
			t = strings.ToUpper(t)
			tx.touch(t)
			if dictionaryTables[t] {
				tx.DictionaryChanged()
			}
		}
		return nil
	})
}

// dictionaryTables are those that [Dictionary] is read from.
var dictionaryTables = map[string]bool{
	"AD_TABLE": true, "AD_COLUMN": true, "AD_ELEMENT": true, "AD_REFERENCE": true, "AD_REF_LIST": true, "AD_REF_TABLE": true,
}

// holdRead keeps writers away from a reader that does not have a state of its own.
func (s *Store) holdRead() {
	if !s.snapshots {
		s.state.RLock()
	}
}

func (s *Store) releaseRead() {
	if !s.snapshots {
		s.state.RUnlock()
	}
}

// readConnector makes connections that only read.
type readConnector struct{ s *Store }

// Driver is the one that has the functions and collations.
func (c readConnector) Driver() driver.Driver { return c.s.db.Driver() }

func (c readConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.Driver().Open(c.s.uri + "&_query_only=1")
	if err != nil {
		return nil, fmt.Errorf("opening the ERP database for reading: %w", err)
	}
	full, ok := conn.(fullConn)
	if !ok {
		return nil, errors.Join(errors.New("opening the ERP database for reading: the driver lacks contexts"), conn.Close())
	}
	return &readConn{fullConn: full, s: c.s}, nil
}

// fullConn is what the driver's connections can do.
type fullConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// readConn takes the store's lock around everything that reads. database/sql
// uses a connection from one goroutine at a time.
type readConn struct {
	fullConn
	s    *Store
	inTx bool
}

func (c *readConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.s.holdRead()
	opts.ReadOnly = true // begins without the writer's lock
	tx, err := c.fullConn.BeginTx(ctx, opts)
	if err != nil {
		c.s.releaseRead()
		return nil, err
	}
	c.inTx = true
	return &readTx{Tx: tx, c: c}, nil
}

func (c *readConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inTx {
		return c.fullConn.QueryContext(ctx, query, args)
	}
	c.s.holdRead()
	rows, err := c.fullConn.QueryContext(ctx, query, args)
	if err != nil {
		c.s.releaseRead()
		return nil, err
	}
	return &readRows{Rows: rows, s: c.s}, nil
}

// PrepareContext serves transactions; a statement outside of one would hold no
// lock.
func (c *readConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if !c.inTx {
		return nil, errors.New("prepare a statement: begin a transaction first")
	}
	return c.fullConn.PrepareContext(ctx, query)
}

type readTx struct {
	driver.Tx
	c *readConn
}

func (t *readTx) Commit() error { return t.Rollback() }

func (t *readTx) Rollback() error {
	defer func() {
		t.c.inTx = false
		t.c.s.releaseRead()
	}()
	return t.Tx.Rollback()
}

// readRows is a result outside of a transaction.
type readRows struct {
	driver.Rows
	s      *Store
	closed bool
}

func (r *readRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	defer r.s.releaseRead()
	return r.Rows.Close()
}

func (r *readRows) ColumnTypeDatabaseTypeName(i int) string {
	if named, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return named.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}
