//go:build race

package restdict_test

// raceEnabled thins out the long tests: under the race detector the embedded
// ERP is ten times slower, and races do not hide in the number of a request.
const raceEnabled = true
