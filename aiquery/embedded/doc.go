// Package embedded runs secured statements of package aiquery on the database of
// the embedded ERP, which is SQLite's.
//
//	db, err := embedded.Open(erptest.New(t))
//	engine, err := aiquery.New(db, registry, nil)
//
// Statements are PostgreSQL's, and so are the responses: a statement is written
// anew for SQLite, which is taught the functions that this needs. What cannot be
// said there is refused with the code unsupported. The dialect is not meant to
// grow: what needs more of PostgreSQL needs a PostgreSQL database, see package
// postgres beside this one.
//
// The plan of a statement has no costs, and texts are ordered by their bytes.
package embedded
