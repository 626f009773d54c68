package testproc

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Program builds one of the module's programs, such as "erphub", and returns
// its path. It is gone with the test.
func Program(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "github.com/erphub/erphub/cmd/"+name).CombinedOutput()
	if err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	return path
}
