package guard

// proof says why what a use of a column names needs no gate. A use without a
// proof is gated, whatever form it has: a form that nobody thought of is slow,
// not open. New proofs need a reason here and a generator in the tests of
// package aiquery, which look for both.
//
// Constants have a rule of their own, which does not rely on these: see lift.go.
type proof int

const (
	// unproved uses are gated.
	unproved proof = iota

	// afterRows: output columns, sort keys, groups, windows, values of VALUES,
	// counts of LIMIT, and arguments of aggregates, window functions and functions in
	// FROM are computed from rows that the conditions have let through. An output
	// column that a condition further out uses is gated for that condition.
	afterRows

	// plainComparison: a comparison of a column with parameters, with values
	// computed before any row is looked at, or with columns of the same family can
	// neither fail nor take long, and no estimate knows the values (plain.go). Columns
	// that are compared with one another are gated together (link).
	plainComparison

	// readFirst: a comparison with a subquery that names nothing around it, and
	// is read into a parameter before any row is looked at (scalarCondition).
	readFirst

	// joinedColumns: x IN (SELECT y …), where the subquery names nothing around it
	// and y is a column of a table: the server joins x and y, which are gated together,
	// and compares nothing else with them (joinedCondition).
	joinedColumns

	// ownRule: a rule of the administrator is not the caller's to choose.
	ownRule
)

// proved is the environment of a use that has a proof.
func (e env) proved(p proof) env {
	e.proof = p
	return e
}
