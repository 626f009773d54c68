//go:build unix

package pgcluster

import "testing"

// Find is the folder of the server's programs.
func Find() (string, error) { return find() }

// OnlyPath has installations looked for on the PATH alone, until the test ends.
func OnlyPath(t *testing.T) {
	all := places
	places = nil
	t.Cleanup(func() { places = all })
}

// Below has the folders of clusters made in dir, until the test ends.
func Below(t *testing.T, dir string) {
	t.Setenv("TMPDIR", dir)
	before := rootTemp
	rootTemp = dir
	t.Cleanup(func() { rootTemp = before })
}
