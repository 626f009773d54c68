package erphub

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateModules = flag.Bool("update", false, "write testdata/modules anew")

// What importing a package brings into somebody's build is listed with versions,
// so that a change shows in review. imports_test.go says what may be there and why.
func TestModulesOfImporters(t *testing.T) {
	t.Parallel()
	for _, pkg := range []string{"erp", "dict", "tokens", "deploylog"} {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./"+pkg).Output()
			require.NoError(t, err)
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			slices.Sort(lines)
			lines = slices.DeleteFunc(slices.Compact(lines), func(l string) bool { return l == "" })
			got := strings.Join(append(lines, ""), "\n")
			if len(lines) == 0 {
				got = "none\n"
			}
			golden := filepath.Join("testdata", "modules", pkg+".txt")
			if *updateModules {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got, "if this is meant: go test . -run TestModulesOfImporters -update")
		})
	}
}
