package erphub

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decisionRows are the first cells, which name a thing in code, and the other
// cells of the rows below a heading of docs/decisions.md.
func decisionRows(t *testing.T, heading string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", "decisions.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	require.True(t, found, heading)
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string][]string{}
	for line := range strings.Lines(section) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		name := strings.Trim(cells[0], "`")
		switch name {
		case "Module", "Tool", "What":
			continue
		}
		assert.NotContains(t, rows, name, "%s is listed twice", name)
		rows[name] = cells[1:]
	}
	require.NotEmpty(t, rows, heading)
	return rows
}

// Every module that go.mod requires directly has a row, in the table of what is
// linked or in that of tests, and no row is about one that is gone.
func TestDecisionsNameEveryModule(t *testing.T) {
	t.Parallel()
	linked, tests := decisionRows(t, "Libraries that programs and importers link"), decisionRows(t, "Libraries of tests and of the build")
	direct := map[string]bool{}
	for _, m := range directModules(t) {
		direct[m] = true
		_, a := linked[m]
		_, b := tests[m]
		assert.True(t, a != b, "%s needs one row in docs/decisions.md: what it is for, what it brings, and what else there is", m)
	}
	for _, rows := range []map[string][]string{linked, tests} {
		for name, cells := range rows {
			assert.True(t, direct[name], "docs/decisions.md has a row about %s, which go.mod does not require directly", name)
			for i, cell := range cells {
				assert.NotEmpty(t, cell, "%s, column %d", name, i+2)
			}
		}
	}
}

// toolsRun are the places that name a tool with its version.
var toolsRun = []struct {
	file string
	tool *regexp.Regexp
}{
	{"Makefile", regexp.MustCompile(`(?m)^STATICCHECK := ([^\s@]+)@`)},
	{".ci/vulncheck", regexp.MustCompile(`(?m)^tool=([^\s@]+)@`)},
	{".ci/setup", regexp.MustCompile(`go install "([^"@]+)@`)},
	{".ci/conformance/run", regexp.MustCompile(`npm install .* (\w+)@[\d.]+`)},
	{"erp/contract/lint.sh", regexp.MustCompile(`npx --yes (@?[^\s@]+)@`)},
}

// Every tool that the build runs has a row, and no row is about one that is gone.
func TestDecisionsNameEveryTool(t *testing.T) {
	t.Parallel()
	run := map[string]bool{"github.com/deepmap/oapi-codegen/cmd/oapi-codegen": true} // by erp/rest/internal/generate
	for _, place := range toolsRun {
		text, err := os.ReadFile(filepath.FromSlash(place.file))
		require.NoError(t, err)
		found := place.tool.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, found, "%s names no tool with a version any more", place.file)
		for _, m := range found {
			run[m[1]] = true
		}
	}
	text, err := os.ReadFile(filepath.Join(".ci", "conformance", "package.json"))
	require.NoError(t, err)
	var packages struct{ Dependencies map[string]string }
	require.NoError(t, json.Unmarshal(text, &packages))
	for name := range packages.Dependencies {
		run[name] = true
	}
	rows := decisionRows(t, "Tools that the build runs")
	for name := range run {
		assert.Contains(t, rows, name, "docs/decisions.md has no row about a tool that the build runs")
	}
	for name := range rows {
		assert.True(t, run[name], "docs/decisions.md has a row about %s, which nothing runs", name)
	}
}

// What is written by hand is where the table says, and about as long.
func TestDecisionsOnWhatIsByHand(t *testing.T) {
	t.Parallel()
	paths := regexp.MustCompile("`([^`]+)`")
	for what, cells := range decisionRows(t, "Written by hand") {
		require.Len(t, cells, 4, what)
		said, err := strconv.Atoi(cells[1])
		require.NoError(t, err, what)
		lines := 0
		for _, m := range paths.FindAllStringSubmatch(cells[0], -1) {
			lines += goLines(t, filepath.FromSlash(m[1]))
		}
		assert.InDelta(t, lines, said, max(60, float64(lines)/3), fmt.Sprintf("%s: docs/decisions.md says %d lines, there are %d", what, said, lines))
	}
}

// goLines counts the lines of a file, or of the Go files of a folder without tests
// and without the folders below it.
func goLines(t *testing.T, path string) (lines int) {
	t.Helper()
	files := []string{path}
	if !strings.HasSuffix(path, ".go") {
		var err error
		files, err = fs.Glob(os.DirFS(path), "*.go")
		require.NoError(t, err)
		require.NotEmpty(t, files, path)
		for i := range files {
			files[i] = filepath.Join(path, files[i])
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		lines += strings.Count(string(text), "\n")
	}
	return lines
}
