// Package aiquery answers SQL that nobody reviewed: an assistant asks what it
// likes, and learns what its user's role may know.
//
//	db, err := aiquery.OpenPostgres(ctx, "postgres://aiq_login@db/erp", nil)
//	engine, err := aiquery.New(db, registry, nil)
//	result, err := engine.Query(ctx, aiquery.Caller{UserID: 101}, aiquery.Request{
//		SQL: "SELECT documentno, grandtotal FROM c_order WHERE dateordered > $1",
//		Params: []json.RawMessage{[]byte(`"2026-01-01"`)},
//		RoleID: 102,
//	})
//
// # The property
//
// The answer to a statement is the answer it would give on a database reduced
// to what the role may see, or a refusal that depends on nothing hidden.
// Package guard rewrites the statement so; this package decides what the role
// may see, runs the result and keeps the record of it.
//
// # Policy
//
// What one user may read under one role comes from the ERP's own rights tables,
// read from the same database, and from the dictionary. It is kept for a short
// while, and what it was made of is compared again in the transaction that runs
// the statement: a right taken away between the two is noticed. See [Options]
// for the settings that open what is closed by default.
//
// # Running
//
// A statement runs in a transaction that is read only, is always rolled back,
// and is bounded in time, rows and bytes. If it fails on a value, it is run once
// more with a fence around every table, so that only rows the role may see can
// have made it fail; errors that come while it runs count as such even when
// their code is that of a wrong statement. Of the database's own words nothing reaches the caller but
// what is wrong with the statement itself.
//
// # What remains
//
// The database plans with statistics of all rows. Where a statement leaves the
// order of rows open, that order can depend on values in rows the role may not
// see, and so can the time it takes and the shape of a plan: whoever may ask often
// enough can narrow such values down. [Options.AlwaysFence] closes this for the roles it names, at
// the price of slow answers. Tables that hold copies of others' values, such as
// AD_ChangeLog, are worth a place in [Options.DeniedTables].
//
// # Audit
//
// Every query has one record, made before it runs and completed afterwards,
// over connections of its own. A query whose record cannot be made is not run,
// unless [Options.AuditOptional] says otherwise. [AuditTable] describes the
// table, [Install] makes it.
//
// Of a statement that was run the first 64 KiB are kept, of one that was refused
// the first 4 KiB, with the SHA-256 of the whole where it is longer. A user whose
// records have filled [Options.AuditBytes] in a day gets no more answers until
// midnight, UTC. Refusals that cost their sender nothing, those of
// [CodeRateLimited], share records, of which each user causes at most two a minute.
//
// # Databases
//
// [OpenPostgres] is for installations, [NewEmbedded] for the embedded ERP.
package aiquery
