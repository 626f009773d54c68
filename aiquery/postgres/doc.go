// Package postgres runs secured statements of package aiquery on the PostgreSQL
// database of an ERP.
//
//	db, err := postgres.Open(ctx, "postgres://aiq_login@db/erp", nil)
//	engine, err := aiquery.New(db, registry, nil)
//
// A statement runs in a transaction that is read only, is always rolled back, and
// is bounded in time, memory, temporary files and the size of a row. The
// transaction, the comparison of the rights, the statement and the end are one
// round trip. Constants travel as parameters, and the server plans without their
// values.
//
// Records of the audit are written over connections of their own, with the login
// of [Options.AuditURL].
package postgres
