//go:build race

package aiquery_test

// thinned is how much less of the long corpora runs on the embedded database:
// with the race detector it is many times slower, and the same code runs for
// each statement.
const thinned = 4
