package store

import (
	"context"
	"database/sql"
)

// WriterOf is the connection that writes, for changes the store is not told of.
func WriterOf(s *Store) *sql.DB { return s.write }

// Moves reports whether the result of a condition changes by itself.
func Moves(where string) bool { return moving().MatchString(where) }

// ReadAnew runs a select whatever the transaction remembers.
func ReadAnew(ctx context.Context, tx *Tx, query string, args ...any) ([][]any, error) {
	return tx.values(ctx, query, args)
}

// Kept is how many results the transaction remembers.
func Kept(tx *Tx) int { return len(tx.kept.results) }
