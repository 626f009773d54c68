package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	_ "modernc.org/sqlite" // the driver named "sqlite"
)

// Store is one ERP database. It is safe for concurrent use.
type Store struct {
	db   *sql.DB
	path string
	uri  string       // where other connections of this process find the database
	mu   sync.RWMutex // one writer or many readers
	dict atomic.Pointer[Dictionary]

	onChange func(tables map[string]bool) // set before first use
}

// memoryNames makes every in-memory database its own.
var memoryNames atomic.Int64

// Open opens the database file, creating an empty one when there is none. An
// empty path opens a database in memory that ends with the Store.
func Open(ctx context.Context, path string) (*Store, error) {
	registerFunctions()
	dsn := fmt.Sprintf("file:/erptest-%d?vfs=memdb", memoryNames.Add(1))
	if path != "" {
		dsn = "file:" + escapePath(path) + "?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
	} else {
		dsn += "&_pragma=synchronous(OFF)"
	}
	dsn += "&_txlock=immediate&_pragma=busy_timeout(10000)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("opening the ERP database: %w", err)
	}
	db.SetMaxIdleConns(16)
	db.SetMaxOpenConns(16)
	s := &Store{db: db, path: path, uri: dsn}
	s.dict.Store(newDictionary())
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the ERP database: %w", err), db.Close())
	}
	return s, nil
}

// Close ends the store; a database in memory is gone with it.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.db.Close()
}

// Path is the database file, "" for one in memory.
func (s *Store) Path() string { return s.path }

// Tx is one transaction. It belongs to the goroutine that runs it.
type Tx struct {
	tx    *sql.Tx
	s     *Store
	own   *Dictionary // set once the transaction changed the dictionary
	write bool
	hooks []func() // run after commit
	depth int

	changed map[string]bool // upper-case names of the tables written to
}

// View runs fn in a reading transaction.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sqlTx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("beginning a read: %w", err)
	}
	defer sqlTx.Rollback() //nolint:errcheck // nothing was written
	return fn(&Tx{tx: sqlTx, s: s})
}

// Update runs fn in a writing transaction and commits it when fn answers nil;
// otherwise nothing of it remains.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sqlTx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning a write: %w", err)
	}
	defer sqlTx.Rollback() //nolint:errcheck // after Commit it does nothing
	tx := &Tx{tx: sqlTx, s: s, write: true}
	if err := fn(tx); err != nil {
		return err
	}
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	if tx.own != nil {
		s.dict.Store(tx.own)
	}
	if s.onChange != nil && len(tx.changed) > 0 {
		s.onChange(tx.changed)
	}
	for _, h := range tx.hooks {
		h()
	}
	return nil
}

// OnChange has fn told, after each commit and before any other transaction,
// the upper-case names of the tables that were written with [Tx.Insert],
// [Tx.Set] and [Tx.Delete]; [Tx.DictionaryChanged] counts as the name "*". It
// is called once, before the store is used, and fn must not use the store.
func (s *Store) OnChange(fn func(tables map[string]bool)) { s.onChange = fn }

// AfterCommit has h run once the transaction is committed, not when it fails.
func (tx *Tx) AfterCommit(h func()) { tx.hooks = append(tx.hooks, h) }

// Savepoint runs fn so that, when it answers an error, its own changes are
// undone and those made before stay.
func (tx *Tx) Savepoint(ctx context.Context, fn func() error) error {
	tx.depth++
	name := fmt.Sprintf("sp%d", tx.depth)
	defer func() { tx.depth-- }()
	if _, err := tx.Exec(ctx, "SAVEPOINT "+name); err != nil {
		return err
	}
	own, hooks := tx.own, len(tx.hooks)
	if own != nil {
		own = own.clone()
	}
	if err := fn(); err != nil {
		tx.own, tx.hooks = own, tx.hooks[:hooks]
		_, rerr := tx.Exec(context.WithoutCancel(ctx), "ROLLBACK TO "+name+"; RELEASE "+name)
		return errors.Join(err, rerr)
	}
	_, err := tx.Exec(ctx, "RELEASE "+name)
	return err
}

func (tx *Tx) dict() *Dictionary {
	if tx.own != nil {
		return tx.own
	}
	return tx.s.dict.Load()
}

// changeDict is the dictionary this transaction may forget things from.
func (tx *Tx) changeDict() *Dictionary {
	if tx.own == nil {
		tx.own = tx.s.dict.Load().clone()
	}
	return tx.own
}

// Exec runs one statement.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return tx.tx.ExecContext(ctx, query, args...)
}

// Query runs one select.
func (tx *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return tx.tx.QueryContext(ctx, query, args...)
}

// QueryRow runs one select of at most one row.
func (tx *Tx) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return tx.tx.QueryRowContext(ctx, query, args...)
}
