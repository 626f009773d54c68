package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// Options are the knobs of an [ERP]. All must be set unless they say what
// nil means.
type Options struct {
	Clock    func() time.Time // the time the ERP lives in
	Location *time.Location   // the zone in which it writes times for people
	// Strict deactivates what the ERP accepts beyond the real one.
	Strict bool
	// Changed is called with the tables that a commit wrote to, by upper-case names,
	// after the caches of the ERP; nil: no calls.
	Changed func(commit uint64, tables map[string]bool)
	// Log receives what goes wrong, Events what the ERP's own log files show as well.
	Log, Events *slog.Logger
	// Represent shows a record as callers get it, which is what reports print: all
	// columns for none.
	Represent func(ctx context.Context, s *Session, tx *store.Tx, t *store.Table, row store.Row, columns []*store.Column) (*wire.Object, error)
}

// ERP is the ERP: a database with a dictionary, and what the ERP's programs
// do around it. It is safe for concurrent use.
type ERP struct {
	Options Options // not changed
	DB      *store.Store

	Roles   RoleCache
	Records RecordCaches
	Files   Files
}

// New is the ERP over a database that is filled. It closes the database.
func New(db *store.Store, opts Options) *ERP {
	e := &ERP{Options: opts, DB: db}
	db.OnChange(func(commit uint64, tables map[string]bool) {
		e.Roles.changed(commit, tables)
		e.Records.changed(tables)
		if opts.Changed != nil {
			opts.Changed(commit, tables)
		}
	})
	return e
}

// Close closes the database.
func (e *ERP) Close() error { return e.DB.Close() }

// Now is the ERP's time.
func (e *ERP) Now() time.Time { return e.Options.Clock() }

// Update runs fn in a writing transaction: in tx when it is there, else in one of
// its own. When fn fails, what it changed is undone in both cases.
func (e *ERP) Update(ctx context.Context, tx *store.Tx, fn func(*store.Tx) error) error {
	if tx != nil {
		return tx.Savepoint(ctx, func() error { return fn(tx) })
	}
	return e.DB.Update(ctx, fn)
}

// View runs fn in tx when it is there, else in a reading transaction of its own.
func (e *ERP) View(ctx context.Context, tx *store.Tx, fn func(*store.Tx) error) error {
	if tx != nil {
		return fn(tx)
	}
	return e.DB.View(ctx, fn)
}
