package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"

	"github.com/erphub/erphub/erp/erptest/internal/layer"
)

// Store is one ERP database. It is safe for concurrent use.
//
// Each reader sees the state that the database had when the reader began, so readers
// go on beside the writer and wait for its commit alone.
type Store struct {
	db     *sql.DB // for readers
	write  *sql.DB // for the writer, who does not wait for a connection to a file while many read
	path   string
	uri    string       // where other connections of this process find the database
	layer  *layer.Layer // of one in memory
	writer sync.Mutex   // held by the one transaction that writes
	kept   memory       // of the transaction that wrote last; writer guards it

	absent *absentTables // that the database may lack
	common *Common       // nil: none
	whole  atomic.Bool   // it has them all

	// state is held for reading while a reader takes its snapshot, and for writing while
	// a commit becomes visible. It guards the commits, so that what is remembered beside
	// the database belongs to the state of it that a transaction sees.
	state   sync.RWMutex
	commits uint64 // how many changes were committed

	journal int64 // the size from which on the journal is shortened; belongs to the writer

	dict     atomic.Pointer[Dictionary] // as of the last commit
	totals   totals
	refused  atomic.Pointer[error] // why the last write failed, nil when it did not
	damaged  atomic.Bool           // a statement found the file damaged
	missed   atomic.Pointer[missed]
	onChange func(commit uint64, tables map[string]bool)
	changes  changes
}

// Options change how a database is opened.
type Options struct {
	// Durable has every commit wait until it is on the disk. Without it a killed
	// process loses nothing, but a power failure may undo the last commits.
	Durable bool
	// Existing refuses a file that is not there instead of creating it.
	Existing bool
	// Cache is how many bytes of the file each connection holds; 0 is the database's
	// default, 2 MB.
	Cache int
	// ReadOnly opens a file for [Store.View] alone. One that nobody writes to stays as
	// it is to the byte.
	ReadOnly bool
	// Of is the image that the file is a copy of, with nothing changed yet.
	Of *Image
}

// Open opens the database file, and creates an empty one if it is missing. An
// empty path opens a database in memory that ends with the Store.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	if path == "" {
		empty, err := ImageOf(strings.NewReader(""), 0)
		if err != nil {
			return nil, err
		}
		return empty.Open(ctx, opts)
	}
	synchronous := "NORMAL"
	if opts.Durable {
		synchronous = "FULL"
	}
	mode := "rwc"
	if opts.Existing {
		mode = "rw"
	}
	s := &Store{path: path, uri: "file:" + escapePath(path) + "?mode=" + mode + "&_pragma=journal_mode(WAL)&_pragma=synchronous(" + synchronous + ")"}
	if opts.ReadOnly {
		s.uri = readOnlyURI(path)
	}
	if opts.Of != nil {
		s.absent = opts.Of.absent
	}
	return open(ctx, s, opts)
}

// open opens what s names.
func open(ctx context.Context, s *Store, opts Options) (*Store, error) {
	if opts.Cache > 0 {
		s.uri += fmt.Sprintf("&_pragma=cache_size(%d)", -opts.Cache/1024)
	}
	s.uri += fmt.Sprintf("&_pragma=busy_timeout(%d)", busyWait)
	plain, err := sqlite.NewConnector(s.uri + "&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("opening the ERP database: %w", err)
	}
	conns := connector{plain}
	s.db = sql.OpenDB(conns)
	s.db.SetMaxIdleConns(16)
	s.db.SetMaxOpenConns(16)
	s.write, s.journal = s.db, longJournal
	s.dict.Store(newDictionary())
	if s.path != "" {
		s.write = sql.OpenDB(conns)
		s.write.SetMaxOpenConns(1)
	}
	if err := s.write.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the ERP database: %w", err), s.Close())
	}
	return s, nil
}

// Close ends the store; a database in memory is gone with it.
func (s *Store) Close() error {
	s.writer.Lock()
	defer s.writer.Unlock()
	s.state.Lock()
	defer s.state.Unlock()
	err := errors.Join(s.db.Close(), s.write.Close()) // closing twice does nothing
	if s.layer != nil {
		s.layer.Close()
	}
	return err
}

// CopyTo writes the database to a file that is not there yet or empty, without the
// pages that nothing is in any more, which may hold rows that were deleted.
func (s *Store) CopyTo(ctx context.Context, path string) error {
	if _, err := s.write.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return fmt.Errorf("copying the ERP database to %s: %w", path, err)
	}
	return nil
}

// Path is the database file, "" for one in memory.
func (s *Store) Path() string { return s.path }

// Tx is one transaction. It belongs to the goroutine that runs it.
type Tx struct {
	tx     *sql.Tx
	s      *Store
	shared *Dictionary // the dictionary of the state the transaction sees
	own    *Dictionary // set once the transaction changed the dictionary
	commit uint64      // the last commit the transaction sees
	write  bool
	wrote  bool // something that is in no table
	depth  int

	changed map[string]bool // upper-case names of the tables written to
	exists  map[string]bool // tables the database was seen to have
	kept    memory
}

// Commit is the number of the last commit the transaction sees. What was read at
// one commit holds at another unless a change in between says otherwise; see
// [Store.OnChange].
func (tx *Tx) Commit() uint64 { return tx.commit }

// Written are the tables written to so far, as [Store.OnChange] tells them.
func (tx *Tx) Written() map[string]bool { return tx.changed }

// Writing reports whether the transaction may write.
func (tx *Tx) Writing() bool { return tx.write }

// View runs fn in a reading transaction.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	tx, done, err := s.beginRead(ctx)
	if err != nil {
		s.note(err)
		return fmt.Errorf("beginning a read: %w", err)
	}
	defer done()
	err = fn(tx)
	s.note(err)
	return err
}

// beginRead begins a transaction on a state of the database; done ends it.
func (s *Store) beginRead(ctx context.Context) (tx *Tx, done func(), err error) {
	// The connection comes first: waiting for one must not hold up commits.
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	s.state.RLock()
	defer s.state.RUnlock()
	sqlTx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	done = func() {
		_ = sqlTx.Rollback() // nothing was written
		_ = conn.Close()     // it goes back to the pool
	}
	var version int // the state is that of the first statement
	if err := sqlTx.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version); err != nil {
		done()
		return nil, nil, err
	}
	return &Tx{tx: sqlTx, s: s, shared: s.dict.Load(), commit: s.commits}, done, nil
}

// Update runs fn in a writing transaction and commits it when fn returns nil;
// otherwise nothing of it remains.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	s.writer.Lock()
	defer s.writer.Unlock()
	err := s.update(ctx, fn)
	s.note(err)
	return err
}

func (s *Store) update(ctx context.Context, fn func(*Tx) error) error {
	sqlTx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning a write: %w", err)
	}
	defer sqlTx.Rollback() //nolint:errcheck // after Commit it does nothing
	// Only writers change what is remembered beside the database. It is forgotten
	// when the transaction fails, because what it read may be of what it wrote.
	tx := &Tx{tx: sqlTx, s: s, write: true, shared: s.dict.Load(), commit: s.commits, kept: s.kept}
	s.kept.clear()
	if err := fn(tx); err != nil {
		return err
	}
	s.state.Lock()
	defer s.state.Unlock()
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	s.publish(tx)
	s.kept = tx.kept
	if tx.wrote || len(tx.changed) > 0 {
		s.refused.Store(nil)
	}
	s.shortenJournal(ctx)
	return nil
}

// publish makes what is remembered beside the database that of the transaction,
// which was committed. The caller holds state.
func (s *Store) publish(tx *Tx) {
	if tx.own != nil {
		s.dict.Store(tx.own)
	}
	if len(tx.changed) > 0 {
		s.commits++
		s.totals.committed(s.commits, tx.changed)
		s.changes.committed(s.commits, tx.changed)
		if s.onChange != nil {
			s.onChange(s.commits, tx.changed)
		}
	}
}

// OnChange has fn told, after each commit and before any other transaction sees
// it, the number of the commit and the upper-case names of the tables that were
// written. The name "*" stands for all tables of the dictionary, "?" for SQL of a
// caller's own ([Tx.Exec]). It is called once, before the store is used, and fn
// must not use the store.
func (s *Store) OnChange(fn func(commit uint64, tables map[string]bool)) { s.onChange = fn }

// Savepoint runs fn so that, when it returns an error, its own changes are
// undone and those made before stay.
func (tx *Tx) Savepoint(ctx context.Context, fn func() error) error {
	tx.depth++
	name := fmt.Sprintf("sp%d", tx.depth)
	defer func() { tx.depth-- }()
	if _, err := tx.exec(ctx, "SAVEPOINT "+name); err != nil {
		return err
	}
	own := tx.own
	if own != nil {
		own = own.clone()
	}
	if err := fn(); err != nil {
		tx.own = own
		clear(tx.exists)
		tx.kept.clear()
		_, rerr := tx.exec(context.WithoutCancel(ctx), "ROLLBACK TO "+name+"; RELEASE "+name)
		return errors.Join(err, rerr)
	}
	_, err := tx.exec(ctx, "RELEASE "+name)
	return err
}

func (tx *Tx) dict() *Dictionary {
	if tx.own != nil {
		return tx.own
	}
	return tx.shared
}

// changeDict is the dictionary this transaction may forget things from. What was
// derived of it is forgotten.
func (tx *Tx) changeDict() *Dictionary {
	if tx.own == nil {
		tx.own = tx.shared.clone()
	}
	tx.own.derived = nil
	return tx.own
}

// Exec runs a statement of the caller's own. Unless it plainly writes to the rows of
// one table, what is remembered of any table's rows is forgotten.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	table, ok := writtenTable(query)
	if table = strings.ToUpper(table); !ok || dictionaryTables[table] {
		tx.changeDict() // other statements may change what columns tables have
	}
	if ok {
		tx.touch(table)
	} else {
		tx.touch(anyTable)
		clear(tx.exists)
	}
	return tx.exec(ctx, query, args...)
}

func (tx *Tx) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	res, err := tx.tx.ExecContext(ctx, query, args...)
	if err == nil {
		return res, nil
	}
	switch made, merr := tx.makeFor(ctx, query, err); {
	case merr != nil:
		return nil, errors.Join(err, merr)
	case made:
		return tx.tx.ExecContext(ctx, query, args...)
	}
	return nil, err
}

// Query runs one select.
func (tx *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return tx.tx.QueryContext(ctx, query, args...)
}

// QueryRow runs one select of at most one row.
func (tx *Tx) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return tx.tx.QueryRowContext(ctx, query, args...)
}
