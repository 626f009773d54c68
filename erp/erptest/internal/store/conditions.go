package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// What keeps a database from being used, whatever the statement; found with
// [errors.Is] in what [Condition] returns.
var (
	ErrDiskFull = errors.New("the disk is full")
	ErrReadOnly = errors.New("the files cannot be written")
	ErrNotOpen  = errors.New("the files cannot be opened")
	ErrDamaged  = errors.New("the file is damaged, or no database")
	ErrDisk     = errors.New("the disk cannot be read or written")
)

// ErrIncomplete is in the error of [Store.Usable] when a table lacks columns of the
// ERP. Columns that somebody added to the dictionary lack until they are
// synchronised, which says nothing about the health of the ERP.
var ErrIncomplete = errors.New("a table lacks columns of the ERP")

// ownNumbers is the first number of what an installation adds to the dictionary.
const ownNumbers = 1_000_000

// Condition is what an error of the database says about its files: one of the
// errors above, or nil.
func Condition(err error) error {
	var db *sqlite.Error
	if !errors.As(err, &db) {
		return nil
	}
	switch code := db.Code(); code {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE: // the latter: no room for the journal's index
		return ErrDiskFull
	default:
		switch code & 0xff {
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
			return ErrReadOnly
		case sqlite3.SQLITE_CANTOPEN:
			return ErrNotOpen
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return ErrDamaged
		case sqlite3.SQLITE_IOERR:
			return ErrDisk
		}
	}
	return nil
}

// Usable tells what the last failure says about the files, nil when reads and
// writes work. After a failed write it tries whether they work again. A file that
// was found damaged stays so: nothing but another file mends it.
func (s *Store) Usable(ctx context.Context) error {
	if s.damaged.Load() {
		return ErrDamaged
	}
	if err := s.complete(ctx); err != nil {
		return err
	}
	last := s.refused.Load()
	if last == nil {
		return nil
	}
	if !s.writer.TryLock() {
		return *last // somebody else is trying
	}
	s.writer.Unlock()
	return s.Touch(ctx)
}

// complete looks again for the table or column that a statement missed last.
func (s *Store) complete(ctx context.Context) error {
	missed := s.missed.Load()
	if missed == nil {
		return nil
	}
	var lacks bool
	err := s.View(ctx, func(tx *Tx) error {
		t, err := tx.Table(ctx, missed.table)
		if err != nil || t.IsView {
			return err
		}
		have, err := tx.PhysicalColumns(ctx, t.Name)
		lacks = slices.ContainsFunc(t.Columns, func(c *Column) bool {
			return c.ID < ownNumbers && !c.IsVirtual() && !slices.ContainsFunc(have, func(p PhysicalColumn) bool { return strings.EqualFold(p.Name, c.Name) })
		})
		return err
	})
	switch {
	case err != nil && !errors.Is(err, ErrNoTable):
		return err
	case lacks:
		return fmt.Errorf("%w: %s", ErrIncomplete, missed.table)
	}
	s.missed.CompareAndSwap(missed, nil) // the statement was wrong, or what it missed is back
	return nil
}

// Touch writes without changing anything.
func (s *Store) Touch(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error {
		var version int
		if err := tx.QueryRow(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		tx.wrote = true
		_, err := tx.exec(ctx, fmt.Sprintf("PRAGMA user_version=%d", version))
		return err
	})
}

// missed names the table of a statement that found no such table or column.
type missed struct{ table string }

// missing finds in what the database says that a statement of ours, which names
// columns with their tables, named something that is not there.
var missing = lazyregexp.New(`no such (?:column: (\w+)\.\w+|table: (?:main\.)?(\w+))`)

// note remembers what the error of a transaction says about the files.
func (s *Store) note(err error) {
	var db *sqlite.Error
	if !errors.As(err, &db) {
		return
	}
	switch cond := Condition(err); {
	case errors.Is(cond, ErrDamaged):
		s.damaged.Store(true)
	case cond != nil:
		s.refused.Store(&cond)
	default:
		if m := missing().FindStringSubmatch(db.Error()); m != nil {
			s.missed.Store(&missed{m[1] + m[2]})
		}
	}
}
