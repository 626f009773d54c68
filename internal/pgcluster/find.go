package pgcluster

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// ErrNotInstalled is in the error of Start when there is no PostgreSQL to start.
var ErrNotInstalled = errors.New("no PostgreSQL server is installed (looked on the PATH and where Debian, Red Hat, Homebrew and Postgres.app " +
	"put it); install the package postgresql, or put the folder with initdb and postgres on the PATH")

// places are where installations put their programs when they are not on the PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin", // Debian
	"/usr/pgsql-*/bin",          // Red Hat
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// find is the folder of the server's programs: the one on the PATH, else the
// newest.
func find() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil && complete(filepath.Dir(path)) {
			return filepath.Dir(path), nil
		}
	}
	best, newest := "", -1.0
	for _, place := range places {
		found, err := filepath.Glob(place)
		if err != nil {
			return "", err
		}
		for _, dir := range found {
			if v := versionIn(dir); v > newest && complete(dir) {
				best, newest = dir, v
			}
		}
	}
	if best == "" {
		return "", ErrNotInstalled
	}
	return best, nil
}

var number = lazyregexp.New(`[0-9]+(\.[0-9]+)?`)

// versionIn is the version that the name of the folder above says, 0 for none.
func versionIn(bin string) float64 {
	v, err := strconv.ParseFloat(number().FindString(filepath.Base(filepath.Dir(bin))), 64)
	if err != nil {
		return 0
	}
	return v
}

// complete reports whether a folder has all that is needed: some packages bring
// the server without what makes its files.
func complete(dir string) bool {
	for _, program := range []string{"postgres", "initdb"} {
		if info, err := os.Stat(filepath.Join(dir, program)); err != nil || info.IsDir() {
			return false
		}
	}
	return true
}
