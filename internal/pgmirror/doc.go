// Package pgmirror keeps a copy of the embedded ERP's tables in a PostgreSQL
// database, so that they can be queried in PostgreSQL's dialect.
//
//	m, err := pgmirror.Open(ctx, srv, pgmirror.Options{URL: address})
//	defer m.Close()
//	leave, err := m.Enter(ctx)
//	defer leave()
//	// The copy has all that was written before Enter, and keeps its structure.
//
// The copy is in one schema. It has the tables of the dictionary with the column
// types the ERP has in PostgreSQL and with their primary keys, the views, and a
// few of the ERP's functions; it has no other indexes but one of AD_Column, by table,
// and no defaults or constraints.
// Sequences, triggers and tables outside of the dictionary are left out.
//
// # Keeping it current
//
// The ERP says which tables were written to since a state of its database. Those
// are read in one snapshot and compared with digests of the rows that the copy
// has; what differs is written in one transaction, so that the copy is at any time
// a state the ERP has had. When nothing was written, nothing is read.
//
// # Whose schema it is
//
// The schema and what is in it carry a comment. A schema without that comment, or
// with objects of others in it, is refused and left as it is. A copy is made anew
// when it is opened, and stays in the database afterwards. While it is open, an
// advisory lock keeps other processes from it. Readers wait for a change of names.
package pgmirror
