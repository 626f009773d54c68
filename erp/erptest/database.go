package erptest

import (
	"context"
	"database/sql"
	"fmt"
)

// Database opens the server's database for reading, for services that run
// beside it and read it by SQL, as they would read a real ERP's: the dialect is
// SQLite's, and decimals and times are kept as text. It cannot write. A transaction
// reads the state it began with, whatever the server writes meanwhile. Tables without
// a row are there for statements and for pragma_table_info; sqlite_schema may lack
// them, see [Server.EmptyTables]. The ERP's views are not there: the table
// REST_ViewQuery has what they show (SQLite, PostgreSQL) and their columns with
// types, a line each. The caller closes it.
func (s *Server) Database() *sql.DB { return s.erp.DB.Reader() }

// EmptyTables are the names of tables that had no row at the start, which the
// sqlite_schema of [Server.Database] may lack, in no order.
func (s *Server) EmptyTables() []string { return s.erp.DB.Absent() }

// Write runs fn in a transaction that writes to the server's database, beside
// the ERP's own rules, and commits it unless fn returns an error. Name the
// tables it writes to: what the server remembers of them is forgotten, and fn can
// write to no other that has no row yet. None, or "*", is all tables.
func (s *Server) Write(ctx context.Context, fn func(*sql.Tx) error, tables ...string) error {
	if err := s.erp.DB.Write(ctx, fn, tables...); err != nil {
		return fmt.Errorf("writing to the database of the embedded ERP: %w", err)
	}
	return nil
}

// Snapshot runs fn in a transaction that reads one state of the server's
// database, with the number of that state for [Server.Changed].
func (s *Server) Snapshot(ctx context.Context, fn func(tx *sql.Tx, state uint64) error) error {
	return s.erp.DB.Snapshot(ctx, fn)
}

// Changed lists the tables written to since a state of the database, in upper
// case and in no order, with the state that is the last one; all says that any
// other table may have changed, too. It costs little, so that whoever keeps a copy
// can ask often. Called within [Server.Snapshot] it tells all that the snapshot
// sees, and perhaps more. The state 0 is that of the start.
func (s *Server) Changed(since uint64) (state uint64, tables []string, all bool) {
	return s.erp.DB.Changed(since)
}
