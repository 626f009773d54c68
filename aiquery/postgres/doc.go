// Package postgres runs secured statements of package aiquery on the PostgreSQL
// database of an ERP.
//
//	db, err := postgres.Open(ctx, "postgres://aiq_login@db/erp", nil)
//	engine, err := aiquery.New(db, registry, nil)
//
// A statement runs in a transaction that is read only, is always rolled back, and
// is bounded in time, temporary files and the size of a row, and in memory by what
// the guard lets it collect and build (see aiquery.Options). The
// transaction, the comparison of the permissions, the statement and the end are one
// round trip. Constants travel as parameters, and the server plans without their
// values. Statements that come again are kept prepared on the connection, the last
// hundred and at most 256 KiB of text, which the server needs up to 40 MB for. A
// prepared statement responds faster the second time: callers can tell by time that
// the same statement ran on this connection lately, not for whom.
//
// What the comparison reads takes longer than many a statement where it scans
// tables. The ERP's own indexes prevent that, above all ad_column_name of AD_Column;
// a copy of the database for queries should have them.
//
// # Slow plans
//
// A plan made without values takes an open range (dateordered >= $1) for a third
// of the table and a closed one (BETWEEN) for a two-hundredth. A narrow range that
// is joined with a large table is where this is much slower: with a million
// orders and a million lines, the orders of ten days took 30 times as long with an
// open range as with a plan made for the value, and 12 times with a closed one.
// Equality is planned for the average value of the column. What helps: ranges
// closed at both ends, a condition on the joined table itself, cost settings for
// the login that suit the disks (ALTER ROLE … SET random_page_cost = 1.1,
// effective_cache_size), and a view or table of the recent rows, made known to the
// dictionary. Planning with values cannot be enabled: it is what would tell
// callers how many hidden rows have a value.
//
// Records of the audit are written over connections of their own, with the login
// of [Options.AuditURL].
package postgres
