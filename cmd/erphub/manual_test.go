package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/help"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/testkit/testproc"
)

// backspaces are how terminals of old show bold letters.
var backspaces = regexp.MustCompile(`.\x08`)

// docs/commands.md is what the program says of itself:
// go test ./cmd/erphub -run TestCommandReference -update
func TestCommandReference(t *testing.T) {
	t.Parallel()
	want := commandReference(help.All(newProgram(&shell.Shell{})))
	path := filepath.Join("..", "..", "docs", "commands.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, string(kept) == want, "docs/commands.md is not current: run go test ./cmd/erphub -run TestCommandReference -update")
}

// Every page of the manual is one that the formatter has nothing to say about, and
// reads as the help does.
func TestManual(t *testing.T) {
	t.Parallel()
	mandoc := testproc.Find(t, "install mandoc to check the manual pages; make setup does, on Debian as root", "mandoc")
	dir := t.TempDir()
	var out, problems bytes.Buffer
	code := execute(t.Context(), []string{"erphub", "man", dir}, nil, shell.Streams{In: strings.NewReader(""), Out: &out, Err: &problems})
	require.Zero(t, code, problems.String())
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 100)
	lint, _ := exec.CommandContext(t.Context(), mandoc, append([]string{"-Tlint", "-Wwarning"}, pages...)...).CombinedOutput()
	found := 0
	for line := range strings.Lines(string(lint)) {
		found++ // pages have no date, so that they are the same whenever they are made
		assert.Contains(t, line, `WARNING: missing date, using "": TH`)
	}
	assert.Equal(t, len(pages), found, "the check has looked at all of them: %s", lint)
	shown, err := exec.CommandContext(t.Context(), mandoc, "-Tutf8", "-Owidth=100", filepath.Join(dir, "erphub-record-list.1")).Output()
	require.NoError(t, err)
	plain := strings.Join(strings.Fields(backspaces.ReplaceAllString(string(shown), "")), " ")
	for _, want := range []string{
		"erphub-record-list - list records", "erphub record list TABLE [FLAGS]", "--filter CONDITION", "GLOBAL FLAGS",
		`erphub record list C_BPartner --filter "IsVendor eq true" --select Value,Name,TaxID --orderby Name`, "erphub-query(1)",
	} {
		assert.Contains(t, plain, want)
	}
}
