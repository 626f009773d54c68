// Package sqlite writes PostgreSQL SELECT statements for the embedded database.
//
// [Render] takes the tree of a statement that was checked and secured by
// package guard and writes it as SQLite SQL that gives the result PostgreSQL
// would give on the same rows. What it cannot express that way is refused with
// an [Unsupported], which names the construct and its position; it is never
// written as something similar.
//
// The SQLite driver has the functions and collations that rendered statements use in
// every program that imports this package.
//
// # How values are represented
//
// Rendering is typed: every expression has a PostgreSQL type, found with
// PostgreSQL's rules, and a fixed form in SQLite.
//
//	bool                    0 or 1
//	int2, int4, int8        INTEGER
//	numeric                 decimal text with its scale ("12.50"), or INTEGER
//	float8                  REAL
//	text, varchar, bpchar   TEXT
//	date                    "2006-01-02"
//	timestamp, timestamptz  "2006-01-02 15:04:05", a fraction without trailing zeros; UTC
//	interval                ISO 8601, "P1Y2M3DT4H5M6S"
//	bytea                   BLOB, of a base table alone
//	arrays                  JSON text, as the right side of ANY and ALL alone
//
// [Text] writes what a rendered statement returns as PostgreSQL would.
//
// The dialect is plain SQL and what the documents, metrics, query templates and
// tasks of the module use. All else is refused, with the advice to run PostgreSQL.
//
// # Differences that remain
//
// Texts are ordered by their bytes, as in a PostgreSQL database with the
// locale C.UTF-8. The time zone is UTC. The order of rows without ORDER BY is
// the database's own, as everywhere. Functions and casts raise the same errors
// as in PostgreSQL ([ErrorCode]), but, as there, whether an expression is
// evaluated for a row that another condition removes is not defined.
package sqlite
