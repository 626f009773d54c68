package erphub

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// What a module brings is how many others are linked with the packages of it that are
// imported here, in tests of the module for those that only tests import.
func TestDecisionsOnWhatModulesBring(t *testing.T) {
	t.Parallel()
	rows := decisionRows(t, "Libraries that programs and importers link")
	maps.Copy(rows, decisionRows(t, "Libraries of tests and of the build"))
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "-f",
		`{{if not .Standard}}{{.ImportPath}}|{{with .Module}}{{.Path}}{{end}}|{{range .Imports}}{{.}}|{{end}}{{end}}`, "./...").Output()
	require.NoError(t, err)
	imports, moduleOf, used := map[string][]string{}, map[string]string{}, map[string]map[string]bool{}
	var ours []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		for i := range fields {
			fields[i], _, _ = strings.Cut(fields[i], " [") // built for a test
		}
		if len(fields) < 2 {
			continue
		}
		pkg := fields[0]
		moduleOf[pkg] = fields[1]
		imports[pkg] = append(imports[pkg], fields[2:]...)
		if fields[1] == module {
			ours = append(ours, pkg)
		}
	}
	for _, pkg := range ours {
		for _, imp := range imports[pkg] {
			m := moduleOf[imp]
			if used[m] == nil {
				used[m] = map[string]bool{}
			}
			used[m][imp] = true
		}
	}
	for name, cells := range rows {
		if len(used[name]) == 0 {
			continue // in builds for other systems, or without cgo
		}
		brings, seen := map[string]bool{}, map[string]bool{}
		var walk func(pkg string)
		walk = func(pkg string) {
			if seen[pkg] {
				return
			}
			seen[pkg] = true
			if m := moduleOf[pkg]; m != "" && m != name {
				brings[m] = true
			}
			for _, imp := range imports[pkg] {
				walk(imp)
			}
		}
		for pkg := range used[name] {
			walk(pkg)
		}
		said, _, _ := strings.Cut(cells[1], ",")
		assert.Equal(t, said, strconv.Itoa(len(brings)), "docs/decisions.md, what %s brings: %v", name, slices.Sorted(maps.Keys(brings)))
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
	paths, sum := regexp.MustCompile("`([^`]+)`"), 0
	for what, cells := range decisionRows(t, "Written by hand") {
		require.Len(t, cells, 5, what)
		said, err := strconv.Atoi(cells[1])
		require.NoError(t, err, what)
		sum += said
		lines := 0
		for _, m := range paths.FindAllStringSubmatch(cells[0], -1) {
			lines += goLines(t, filepath.FromSlash(m[1]))
		}
		assert.InDelta(t, lines, said, max(60, float64(lines)/3), fmt.Sprintf("%s: docs/decisions.md says %d lines, there are %d", what, said, lines))
	}
	text, err := os.ReadFile(filepath.Join("docs", "decisions.md"))
	require.NoError(t, err)
	assert.Contains(t, string(text), fmt.Sprintf("Together they are %d lines.", sum))
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

// TestActionsAreFixed: a workflow names an action by the commit that was looked at,
// because a tag can be moved to another one, and Go by its version.
func TestActionsAreFixed(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{".github/workflows/*.yml", "examples/*/*.yml", "docs/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	action, fixed := regexp.MustCompile(`uses: *[\w-]+/.*`), regexp.MustCompile(`@[0-9a-f]{40} # v\d+\.\d+\.\d+`)
	actions := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, use := range action.FindAllString(string(text), -1) {
			assert.Regexp(t, fixed, use, file)
			actions++
		}
		assert.NotContains(t, string(text), "go-version: stable", file)
	}
	assert.Greater(t, actions, 10)
}
