package erptest

import (
	"context"
	"database/sql"
	"fmt"
)

// Database opens the server's database for reading, for services that run
// beside it and read it by SQL, as they would read a real ERP's: the dialect is
// SQLite's, and decimals and times are kept as text. It cannot write. When
// the server is in memory, a transaction or a result that is open keeps it from
// writing, so do not call the server or [Server.Write] before it is closed. The
// caller closes it.
func (s *Server) Database() *sql.DB { return s.db.Reader() }

// Write runs fn in a transaction that writes to the server's database, beside
// the ERP's own rules, and commits it unless fn answers an error. Name the
// tables it writes to: what the server remembers of them is forgotten.
func (s *Server) Write(ctx context.Context, fn func(*sql.Tx) error, tables ...string) error {
	if err := s.db.Write(ctx, fn, tables...); err != nil {
		return fmt.Errorf("writing to the database of the embedded ERP: %w", err)
	}
	return nil
}
