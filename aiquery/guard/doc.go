// Package guard turns a SELECT written by somebody who is not trusted, such
// as an AI assistant, into one that is safe to run for a given role.
//
// A [Policy] says what one caller may read. [Guard.Secure] parses the
// statement with PostgreSQL's own grammar, checks every node of its tree
// against a list of what is allowed, resolves every name as the server would,
// and replaces every table by a subquery of the permitted columns and rows in
// which redacted columns are masked already. The result of the resulting
// [Plan] is the result the statement would give on a database that holds only
// what the policy permits. What the package does not fully understand it
// refuses with a [*Refusal]: a reason, a hint and a position.
//
// # Passes
//
// The passes change one tree in place, so their order matters. This is the
// order, with what each needs of those before it and what must not have been
// done yet. [Guard.Secure] runs them by job.plan (guard.go), job.secure and
// job.render (job.go).
//
//  1. Parse (Guard.parse). Length, encoding and nesting are tested on the text
//     first: every later pass is recursive and relies on the depth, and so does
//     the parser. The tree is one SELECT and belongs to this job.
//     Calls of functions of the ERP that are known here are then written out as
//     subqueries (macros.go), and are from there on what the caller has written.
//  2. Check (check.go): every node, against the lists of what is allowed. It
//     writes functions, types and collations in full, and counts parameters and
//     nodes. It has to see the caller's tree and nothing else: it refuses the
//     names that begin with erphub_ and the parameters above the caller's, and
//     later passes add both. Later passes meet only kinds of nodes that it let
//     through, and a SELECT wherever the grammar allows any statement.
//  3. Names in WITH and FROM (resolve.go, from.go), before anything that may
//     name them. Passes 3 to 7 are made for each SELECT, which they see as pass 2
//     left it; one inside goes through all of them where it is met. Tables are
//     noted, not replaced. The definition of a view goes through passes 1 to 7 here
//     (views.go), because its columns are needed; its tables stay noted. ON is
//     treated like WHERE.
//  4. WHERE: for each condition, whether it is plain (plain.go), a comparison
//     with a subquery of its own or a join (sublink.go), or none of these
//     (quals.go). That is decided on names and constants as they were written:
//     before the condition is resolved, which changes references, before its
//     constants become parameters (lift.go) and before its subqueries move to
//     the front. It gates columns, of tables of this level and of those inside.
//  5. Output columns, GROUP BY, HAVING, WINDOW, DISTINCT, ORDER BY, LIMIT
//     (resolve.go). GROUP BY and ORDER BY may name output columns; an expression
//     of GROUP BY is written as the equal output column was.
//  6. Values to compute before any row is looked at are put in front of WHERE
//     (resolve.go). ON and WHERE collected them. They are resolved already and
//     must not be resolved again.
//  7. Order (order.go, order_calls.go): closes what the statement leaves open.
//     It is the last pass over a SELECT: the columns that are used tell the rows
//     of a table without a key apart, so that all expressions have to be
//     resolved; it needs the aggregates and window functions that were met; and
//     the keys it adds are written as resolved ones are.
//  8. Tables (secure.go, piece.go): each becomes a name for its secured
//     subquery. Only when the whole statement is resolved is it known which
//     columns are used, and which are gated: a condition further out may use
//     what a subquery passes on. The administrator's rules are parsed, checked
//     and resolved here, against the table's own columns, and the tables of
//     views and rules are replaced here. Each subquery goes through passes 10
//     and 11 by itself.
//  9. Front (job.go): subqueries that pass 4 moved become items of WITH, and the
//     SELECT that limits the rows is put around the statement. It needs the
//     output columns and the hidden ones that pass 7 added. Nothing is added to
//     the tree after it.
//  10. Write, parse again, compare (job.written): the text means the tree. The
//     number of nodes is tested here, with those of the subqueries.
//  11. Verify (verify.go) the tree that pass 10 parsed, not the one it wrote,
//     knowing the policy and nothing of passes 2 to 9. It looks for columns in
//     conditions that lack their gate (verify_gates.go), and finds the places where
//     names stand for secured subqueries.
//  12. Put the subqueries' texts in those places (piece.go). A verified text
//     replaces a verified name at its offset in this very text, so nothing may
//     change the text between 10 and 12.
//
// # What runs
//
// The caller's text never reaches a database. The text of a Plan is rendered
// from the rewritten tree, parsed again, compared with that tree and checked by
// a verifier that shares with the rewriter the lists of what is allowed and the walk
// over a tree, and nothing that decides.
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
// # Functions of the ERP
//
// The ERP's own functions read the rows of everybody and are refused, but for
// those of [Policy.Functions]. Four that people know are written out as subqueries
// over the tables they read, so that they see the rows of the role:
//
//   - currencyRate(from, to, date, conversionType, tenant, organization) and
//     currencyConvert(amount, …): by C_Conversion_Rate. The tenant's rates go before
//     those of all tenants, then the organization's, then the latest. No date is
//     today, no type the default one. NULL where there is no rate. Fixed rates of
//     currencies that became the euro are not known.
//   - invoiceOpen(C_Invoice_ID, C_InvoicePaySchedule_ID): the invoice, or a part of its
//     payment schedule, less allocations with discount and write-off; credit memos
//     are negative. NULL when no rate converts an allocation.
//   - paymentTermDueDate(C_PaymentTerm_ID, date)
//
// An argument cannot be an aggregate or window function: compute that in a
// subquery first.
//
// # Order
//
// Rows that are returned, limited, chosen by DISTINCT ON, numbered by window
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
