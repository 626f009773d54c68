package store

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
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

// Writable tells what the last write that failed says about the files, nil when
// writes work. After a failure it tries whether they work again.
func (s *Store) Writable(ctx context.Context) error {
	last := s.refused.Load()
	if last == nil {
		return nil
	}
	if !s.writer.TryLock() {
		return *last // somebody else is trying
	}
	s.writer.Unlock()
	if err := s.Touch(ctx); err != nil {
		return err
	}
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

// noteRefusal remembers whether the files could be written.
func (s *Store) noteRefusal(err error) {
	if cond := Condition(err); cond != nil {
		s.refused.Store(&cond)
	}
}
