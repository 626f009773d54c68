//go:build race

package diff_test

// raceEnabled thins out the long tests: under the race detector the embedded
// ERP is ten times slower, and races do not hide in the kind of a change.
const raceEnabled = true
