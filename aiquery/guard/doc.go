// Package guard turns a SELECT written by somebody who is not trusted, such
// as an AI assistant, into one that is safe to run for a given role.
//
// A [Policy] says what one caller may read. [Guard.Secure] parses the
// statement with PostgreSQL's own grammar, checks every node of its tree
// against a list of what is allowed, resolves every name as the server would,
// and replaces every table by a subquery of the permitted columns and rows in
// which redacted columns are masked already. The answer of the resulting
// [Plan] is the answer the statement would give on a database that holds only
// what the policy permits. What the package does not fully understand it
// refuses with a [*Refusal]: a reason, a hint and a position.
//
// # Passes
//
// In this order: parse; check every node against the lists of what is allowed
// (check.go); resolve every name, decide for each condition whether it is plain,
// replace constants in plain ones by parameters, close what the statement leaves
// open in order (resolve.go, quals.go, plain.go, order.go); replace tables by
// secured subqueries, gated or not (secure.go), which comes last because only the
// whole statement tells which columns are gated; write; parse again; compare;
// verify (verify.go).
//
// # What runs
//
// The caller's text never reaches a database. The text of a Plan is rendered
// from the rewritten tree, parsed again, compared with that tree and checked by
// a verifier that shares no code with the rewriter.
//
// # Hidden rows
//
// A database may test the caller's conditions before those of the role, and may
// move them to the table from any place in the statement. A condition that can
// fail or take long would then tell of rows that are not shown. Therefore:
//
//   - Plain comparisons, between columns of like types, and of columns with
//     values, may meet hidden rows. They can neither fail nor take long, and
//     they use indexes. Their constants become parameters ([Plan.Values]): the
//     planner would compare them with samples of all rows. Values that have to
//     be computed are computed before any row is looked at.
//   - Every other condition meets NULL in place of hidden values: the subquery
//     that stands for a table has CASE WHEN its conditions THEN the column END
//     for the columns of such conditions, wherever they are used.
//   - It comes after the role's conditions, because PostgreSQL orders the
//     conditions on a table by cost, and a gated column costs more than each of
//     them. References from subqueries, which PostgreSQL leaves out of its
//     account, are brought into it.
//
// Output columns of the outermost SELECT, sort keys, groups and arguments of
// aggregates are computed from rows that have passed; they need no gate.
//
// # Order
//
// Rows that are answered, limited, chosen by DISTINCT ON, numbered by window
// functions or collected by aggregates are put in an order that tells any two of
// them apart that differ; a statement's own ORDER BY comes first. What cannot be
// ordered is refused with [OpenOrder]. Numbers that are equal and look different
// stay open: see [OutputColumn.AnyOf].
//
// # Parsers
//
// With cgo the parser is libpg_query by way of pg_query_go; without, the same
// library compiled to WebAssembly, which is loaded when the first statement
// comes, needs some 300 MB, and takes a second to start. It also has little
// stack, so that statements may be nested less deeply there.
package guard
