package testproc

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"
)

// programs are what this test binary built already, by name and flags.
var programs struct {
	mu    sync.Mutex // guards built, and held while something is built
	built map[string]string
}

// Program builds one of the module's programs, such as "erphub", with flags of
// go build, such as -buildmode=pie, and returns its path. It is not built for
// the race detector, whatever the tests are.
//
// What is built is shared by all tests: linking takes seconds. It is kept in the
// user's cache, apart for each folder with the module's source, and built anew
// when the source changed since.
func Program(t testing.TB, name string, flags ...string) string {
	t.Helper()
	programs.mu.Lock()
	defer programs.mu.Unlock()
	key := strings.Join(append([]string{name}, flags...), " ")
	shared, ok := programs.built[key]
	if !ok {
		shared = build(t, name, flags)
		if programs.built == nil {
			programs.built = map[string]string{}
		}
		programs.built[key] = shared
	}
	own := filepath.Join(t.TempDir(), name)
	if err := os.Link(shared, own); err != nil {
		return shared // as good, as long as nobody builds another one
	}
	return own
}

// build brings the shared program up to date, one process at a time.
func build(t testing.TB, name string, flags []string) string {
	t.Helper()
	where, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/erphub/erphub").Output()
	if err != nil {
		t.Fatalf("looking for the module's source: %v", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir() // without a home
	}
	sum := sha256.Sum256([]byte(string(where) + strings.Join(flags, " ")))
	dir := filepath.Join(cache, "erphub-tests", "programs", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatalf("making a folder for programs of tests: %v", err)
	}
	lock := flock.New(filepath.Join(dir, name+".lock"))
	if err := lock.Lock(); err != nil {
		t.Fatalf("waiting for others that build %s: %v", name, err)
	}
	defer lock.Close()
	path := filepath.Join(dir, name)
	args := append(append([]string{"build"}, flags...), "-o", path, "github.com/erphub/erphub/cmd/"+name)
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	return path
}
