// Package testpg starts a real PostgreSQL server for tests.
//
//	db := testpg.Open(t)        // *sql.DB of a database of its own
//	url := testpg.URL(t)        // the same as an address
//
// One server runs per test binary, started by the first test that needs it and
// stopped when the binary ends, however it ends. It keeps nothing: files are in
// a temporary folder and never synced. Without the programs of PostgreSQL tests
// are skipped with the reason, except with CI=true, where that fails.
package testpg
