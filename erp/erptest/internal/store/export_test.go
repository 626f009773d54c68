package store

import "database/sql"

// WriterOf is the connection that writes, for changes the store is not told of.
func WriterOf(s *Store) *sql.DB { return s.write }

// Moves tells whether the result of a condition changes by itself.
func Moves(where string) bool { return moving.MatchString(where) }
