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
// # What runs
//
// The caller's text never reaches a database. The text of a Plan is rendered
// from the rewritten tree, parsed again, compared with that tree and checked by
// a verifier that shares no code with the rewriter.
//
// # Errors of the database
//
// A database may evaluate the caller's expressions before the conditions of
// the role, so an error, and its text, can depend on hidden rows. Never show
// the text. After an error caused by data run [Plan.Fenced] and answer with
// its outcome instead.
//
// # Parsers
//
// With cgo the parser is libpg_query by way of pg_query_go; without, the same
// library compiled to WebAssembly, which is loaded when the first statement
// comes, needs some 300 MB, and takes a second to start. It also has little
// stack, so that statements may be nested less deeply there.
package guard
