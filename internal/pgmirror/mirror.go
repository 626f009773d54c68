package pgmirror

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// Source is an embedded ERP: package erptest has one.
type Source interface {
	// Snapshot runs fn in a transaction that reads one state of the database.
	Snapshot(ctx context.Context, fn func(tx *sql.Tx, state uint64) error) error
	// EmptyTables names tables that statements find although sqlite_schema lacks them.
	EmptyTables() []string
	// Changed lists the tables written to since a state, in upper case, with the
	// last state; all says that any other may have changed, too.
	Changed(since uint64) (state uint64, tables []string, all bool)
}

// Options say where the copy is.
type Options struct {
	// URL is the address of the database, with a login that may create schemas
	// in it. No error shows it.
	URL string
	// Schema is the schema of the copy; empty: adempiere.
	Schema string
	// Reader is a login that is given the privilege to select from the copy; empty:
	// none is.
	Reader string
	// Empty are tables that are copied without their rows, because nobody reads
	// them there.
	Empty []string
	// Logger receives what the copy cannot have as the ERP has it; nil discards
	// it.
	Logger *slog.Logger
}

// DefaultSchema is the schema of the ERP's tables in PostgreSQL.
const DefaultSchema = "adempiere"

// syncTimeout bounds bringing the copy up to date. In memory, the ERP cannot
// write in the meantime.
const syncTimeout = 60 * time.Second

// Mirror is a copy that is kept current. It is safe for concurrent use.
type Mirror struct {
	src   Source
	opts  Options
	empty map[string]bool // by upper-case name

	// gate is held for reading by those who use the copy, and for writing while
	// its structure changes, which would be seen by transactions under way.
	gate sync.RWMutex
	turn chan struct{} // holds an element while one brings the copy up to date, or closes it
	copy database      // belongs to whose turn it is

	state atomic.Uint64 // of the ERP, which the copy has
	valid atomic.Bool   // the copy is a state of the ERP

	watched atomic.Int64 // when the connection was last looked at, in nanoseconds of 1970
}

var schemaName = lazyregexp.New(`^[a-z_][a-z0-9_]{0,58}$`) // with room for what staging adds

// Open connects to a database, takes the schema for this process, and fills it.
// The error is [ErrForeign] when the schema is somebody else's, [ErrInUse] when
// another process has it, and [ErrBusy] when others hold tables that an earlier
// process left in it.
func Open(ctx context.Context, src Source, opts Options) (*Mirror, error) {
	opts.Schema = cmp.Or(opts.Schema, DefaultSchema)
	if !schemaName().MatchString(opts.Schema) || strings.HasPrefix(opts.Schema, "pg_") {
		return nil, fmt.Errorf("copy the ERP to PostgreSQL: %q is not a plain name of a schema; use small letters, digits and _", opts.Schema)
	}
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	m := &Mirror{src: src, opts: opts, empty: map[string]bool{}, turn: make(chan struct{}, 1)}
	for _, t := range opts.Empty {
		m.empty[strings.ToUpper(t)] = true
	}
	m.copy.init(&m.opts)
	if err := m.refresh(ctx); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// String names the database without user and password.
func (m *Mirror) String() string { return m.copy.origin }

// Version is the server's, such as 15.4.
func (m *Mirror) Version() string { return m.copy.server }

// errClosed is in the error of Enter after Close.
var errClosed = errors.New("the copy of the ERP in PostgreSQL was closed")

// Enter waits until the copy has all that the ERP had committed when it was
// called. From then on until leave is called the structure of the copy does not
// change, while rows may. Enter must not be called again before leave by the same
// goroutine.
func (m *Mirror) Enter(ctx context.Context) (leave func(), err error) {
	if err := m.refresh(ctx); err != nil {
		return nil, err
	}
	m.gate.RLock()
	return m.gate.RUnlock, nil
}

// Close gives the schema up and closes the connection. The copy stays.
func (m *Mirror) Close() error {
	m.turn <- struct{}{}
	defer func() { <-m.turn }()
	m.valid.Store(false)
	return m.copy.close()
}

// current reports whether nothing was written since the copy was brought up to
// date.
func (m *Mirror) current() bool {
	if !m.valid.Load() {
		return false
	}
	_, tables, all := m.src.Changed(m.state.Load())
	return !all && !slices.ContainsFunc(tables, func(t string) bool { return !m.empty[t] })
}

// watchEvery is how often the connection is looked at.
const watchEvery = time.Second

// watch notices that the connection is lost: without its lock the copy may be
// another one's by now.
func (m *Mirror) watch(ctx context.Context) {
	now := time.Now().UnixNano()
	last := m.watched.Load()
	if now-last < int64(watchEvery) || !m.watched.CompareAndSwap(last, now) {
		return
	}
	select {
	case m.turn <- struct{}{}:
		m.notice(context.WithoutCancel(ctx)) // who leaves does not break it
		<-m.turn
	default: // who works with it notices
	}
}

// notice forgets a copy whose connection is lost. It is the caller's turn.
func (m *Mirror) notice(ctx context.Context) {
	if m.copy.lost(ctx) {
		m.valid.Store(false)
		m.copy.forget()
	}
}

// refresh brings the copy up to date. It goes on when ctx ends: what is begun is
// of use to the next one.
func (m *Mirror) refresh(ctx context.Context) error {
	m.watch(ctx)
	if m.current() {
		return nil
	}
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if m.current() { // somebody else has done it
		<-m.turn
		return nil
	}
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), syncTimeout)
		defer cancel()
		err := m.sync(ctx)
		<-m.turn
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxMisfits bounds how many columns and keys are given up in one go.
const maxMisfits = 100

// sync copies what has changed. After an error it is not known what the copy has:
// the next one makes it anew.
func (m *Mirror) sync(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			m.valid.Store(false)
			m.copy.forget()
			err = fmt.Errorf("copy the ERP to PostgreSQL: %w", err)
		}
	}()
	m.notice(ctx)
	if err := m.copy.connect(ctx); err != nil {
		return err
	}
	for range maxMisfits {
		var misfit *misfit
		err = m.src.Snapshot(ctx, func(tx *sql.Tx, state uint64) error {
			c, err := m.look(ctx, tx)
			if err != nil {
				return err
			}
			if c.structural() {
				m.gate.Lock()
				defer m.gate.Unlock()
			}
			if err := m.copy.apply(ctx, c); err != nil {
				return err
			}
			m.state.Store(state)
			m.valid.Store(true)
			return nil
		})
		if !errors.As(err, &misfit) {
			return err
		}
		if err := m.copy.relax(misfit); err != nil {
			return err
		}
		m.copy.tell(misfit)
	}
	return err
}
