//go:build !race

package aiquery_test

// thinned is how much less of the long corpora runs on the embedded database.
const thinned = 1
