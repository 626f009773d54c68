package shell

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
)

// printed runs a command that prints a table and returns standard output and error.
func printed(t *testing.T, table output.Table, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), append([]string{"erphub", "list"}, args...), nil, Streams{In: &bytes.Buffer{}, Out: &stdout, Err: &stderr}, func(sh *Shell) *cli.App {
		return sh.Program(&cli.Command{Name: "list", Flags: OutputFlags(), Action: func(c *cli.Context) error {
			return sh.Print(c, []map[string]string{{"name": "a"}}, table)
		}})
	})
	return stdout.String(), stderr.String(), code
}

// A file is there as a whole or not at all, and for its owner alone when it holds a
// secret.
func TestPrintToAFile(t *testing.T) {
	t.Parallel()
	table := output.Table{Columns: output.Columns("name"), Rows: [][]string{{"a"}}}
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		secret bool
		mode   os.FileMode
	}{"data": {false, 0o644}, "secret": {true, 0o600}} {
		table.Secret = tt.secret
		path := filepath.Join(dir, "deep", name+".csv")
		out, errs, code := printed(t, table, "-o", path)
		assert.Zero(t, code, errs)
		assert.Empty(t, out)
		assert.Contains(t, errs, "wrote "+path)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "name\na\n", string(text))
		if st, err := os.Stat(path); assert.NoError(t, err) && runtime.GOOS != "windows" {
			assert.Equal(t, tt.mode, st.Mode().Perm(), name)
		}
	}
	_, errs, code := printed(t, table, "-o", filepath.Join(dir, "no.json"), "--jq", ".[0].name | error")
	assert.Equal(t, ExitFailed, code)
	assert.Contains(t, errs, "--jq")
	assert.NoFileExists(t, filepath.Join(dir, "no.json"))
}

// What is said about the output is checked before the command does anything.
func TestOutputIsCheckedFirst(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-o", "cvs"}, {"-o", ""}, {"--columns", ","}, {"--jq", ".["}, {"--json", "-o", "csv"}, {"--format", "csv"}, {"--csv"}} {
		ran := false
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), append([]string{"erphub", "list"}, args...), nil, Streams{In: &bytes.Buffer{}, Out: &stdout, Err: &stderr}, func(sh *Shell) *cli.App {
			return sh.Program(&cli.Command{Name: "list", Flags: OutputFlags(), Action: func(*cli.Context) error { ran = true; return nil }})
		})
		assert.Equal(t, ExitUsage, code, "%v", args)
		assert.False(t, ran, "%v: %s", args, stderr.String())
	}
}
