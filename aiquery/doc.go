// Package aiquery runs SQL that nobody reviewed: an assistant sends what it
// likes, and learns what its user's role may know.
//
//	db, err := postgres.Open(ctx, "postgres://aiq_login@db/erp", nil)
//	engine, err := aiquery.New(db, registry, nil)
//	result, err := engine.Query(ctx, aiquery.Caller{UserID: 101}, aiquery.Request{
//		SQL: "SELECT documentno, grandtotal FROM c_order WHERE dateordered > $1",
//		Params: []json.RawMessage{[]byte(`"2026-01-01"`)},
//		RoleID: 102,
//	})
//
// # The property
//
// A response is a function of the statement, the caller and the rows the role may
// see: the one the statement would have on a database reduced to those rows, or a
// refusal. "What remains" below has the exceptions. Package guard rewrites the
// statement so; this package decides what the role may see, runs the result once
// and keeps the record of it.
//
// The tests ask generated statements of databases that differ in what is hidden,
// of servers that plan differently, and with a constant that nobody has in place
// of one that hidden rows have: the responses are the same bytes.
//
// # Policy
//
// What one user may read under one role comes from the ERP's own permission tables,
// read from the same database, and from the dictionary. It is kept for a short
// while, and what it was made of is compared again in the transaction that runs
// the statement: a permission taken away between the two is noticed. See [Options]
// for the settings that open what is closed by default.
//
// # Running
//
// A statement runs once, in a transaction that is read only, is always rolled
// back, and is bounded in time, rows and bytes. Constants that are compared with
// columns travel as parameters and the server plans without their values. With
// PostgreSQL the transaction, the comparison of the permissions, the statement and the
// end are one round trip. Of the database's own words nothing reaches the caller
// but what is wrong with the statement itself.
//
// # What remains
//
// Time. A comparison that uses an index looks at hidden entries before it drops
// them, so that a statement which probes an index some 100,000 times for a key
// takes measurably longer when a hidden row has it: about 1.5 times as long in
// the worst case measured. That a key exists in a shared table can be found so;
// what a hidden row holds beside it cannot. The greatest or least value of an
// indexed column is found the more slowly, the more hidden rows lie beyond it.
// The server's plan follows statistics of all rows, so that times tell something
// of the size of tables. A limit of statements per user raises the price of such
// questions. Only separate databases, or partitions by tenant, close them.
//
// Errors. Whether a statement fails for a row that the role may see can depend
// on the plan, and so on hidden rows, where what can fail stands in a subquery
// of an expression, in the condition of an outer join, or in an argument of a
// function in FROM. The error names no value and not which of several
// expressions failed, and after 30 failures of a user within a minute
// statements that can fail are refused. [Options.Failures] changes the number.
//
// Tables that hold copies of others' values, such as AD_ChangeLog, are worth a
// place in [Options.DeniedTables].
//
// # Audit
//
// Every query has one record, made before it runs and completed afterwards,
// over connections of its own. A query whose record cannot be made is not run,
// unless [Options.AuditOptional] says otherwise. [AuditTable] describes the
// table, [Install] makes it.
//
// Statements hold constants that others must not know, so governed SQL never
// reads the table, and the row rule of [AuditPlan] makes the ERP show it to
// administrators alone, over the REST API too.
//
// Of a statement that was run the first 64 KiB are kept, of one that was refused
// the first 4 KiB, with the SHA-256 of the whole where it is longer. A user whose
// records have filled [Options.AuditBytes] in a day gets no more results until
// midnight, UTC. Refusals that cost their sender nothing, those of
// [api.CodeRateLimited], share records, of which each user causes at most two
// a minute.
//
// # Databases
//
// Package postgres is for installations, package embedded for the embedded ERP.
// This package links neither: who uses the one does not link the other's driver.
// Both take the secured statement in PostgreSQL's dialect.
package aiquery
