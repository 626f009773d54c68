package erphub

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notDrawn are the packages that the picture of the architecture leaves out.
var notDrawn = []string{"cmd/...", "internal/...", "examples/...", "docs"}

func architecture(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", "architecture.md"))
	require.NoError(t, err)
	return string(text)
}

// pictureBox is a box of the picture: packages that are drawn as one.
type pictureBox struct {
	name     string
	packages []string
	imports  []string // names of boxes
}

// pictureBoxes reads the table of boxes, which is in the order of the picture.
func pictureBoxes(t *testing.T) (boxes []pictureBox) {
	t.Helper()
	_, table, found := strings.Cut(architecture(t), "| Box | Packages | Imports | What it does |\n|---|---|---|---|\n")
	require.True(t, found, "docs/architecture.md has a table of boxes")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		if len(cells) != 4 {
			break
		}
		b := pictureBox{name: cells[0], packages: strings.Split(strings.ReplaceAll(cells[1], "`", ""), ", ")}
		if cells[2] != "none" {
			b.imports = strings.Split(cells[2], "; ")
		}
		boxes = append(boxes, b)
	}
	require.NotEmpty(t, boxes)
	return boxes
}

// boxOf is the name of the box of a package: the one that names it, or the longest
// folder above it.
func boxOf(boxes []pictureBox, pkg string) string {
	box, longest := "", -1
	for _, b := range boxes {
		for _, entry := range b.packages {
			tree, below := strings.CutSuffix(entry, "/...")
			if (pkg == tree || below && strings.HasPrefix(pkg, tree+"/")) && len(tree) > longest {
				box, longest = b.name, len(tree)
			}
		}
	}
	return box
}

// boxImports are the boxes that each box imports, with an import for each, and the
// boxes that have packages at all.
func boxImports(t *testing.T, boxes []pictureBox) (imports map[string]map[string]string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	require.NoError(t, err)
	imports = map[string]map[string]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg, ours := strings.CutPrefix(fields[0], module+"/")
		if !ours || covers(notDrawn, pkg) {
			continue
		}
		from := boxOf(boxes, pkg)
		if !assert.NotEmpty(t, from, "%s is in no box of docs/architecture.md", pkg) {
			continue
		}
		if imports[from] == nil {
			imports[from] = map[string]string{}
		}
		for _, imp := range fields[1:] {
			imp, ours := strings.CutPrefix(imp, module+"/")
			if !ours || covers([]string{"internal/..."}, imp) {
				continue
			}
			assert.False(t, covers(notDrawn, imp), "%s imports %s", pkg, imp)
			if to := boxOf(boxes, imp); to != from {
				imports[from][to] = pkg + " imports " + imp
			}
		}
	}
	return imports
}

// Table and picture show the imports there are, no more and no less, and all of them
// lead down.
func TestArchitecturePicture(t *testing.T) {
	t.Parallel()
	boxes := pictureBoxes(t)
	imports := boxImports(t, boxes)
	for i, b := range boxes {
		there, ok := imports[b.name]
		assert.True(t, ok, "no package is in the box %s", b.name)
		for to, because := range there {
			assert.Contains(t, b.imports, to, "docs/architecture.md, imports of the box %s: %s", b.name, because)
			assert.True(t, slices.ContainsFunc(boxes[i+1:], func(below pictureBox) bool { return below.name == to }),
				"the box %s has to stand above %s, which it imports: %s", b.name, to, because)
		}
		for _, to := range b.imports {
			assert.Contains(t, there, to, "docs/architecture.md says that the box %s imports it, and no package does", b.name)
		}
	}

	path := filepath.Join("docs", "architecture.svg")
	want := pictureSVG(boxes)
	if *updateModules {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, want == string(have), "docs/architecture.svg is not what the table says: go test . -run TestArchitecturePicture -update")
}

// pictureHead begins the picture.
const pictureHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-labelledby="t">
<title id="t">Which boxes of packages import which; the table in architecture.md says the same</title>
<style>
text { font: 12px sans-serif; text-anchor: middle; fill: #1f2328 }
rect { fill: #eef2fb; stroke: #57606a }
path { fill: none; stroke: #57606a }
circle { fill: #0969da }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } rect { fill: #1c2a44; stroke: #9198a1 } path { stroke: #9198a1 } circle { fill: #4493f8 }
}
</style>
`

// pictureSVG draws the boxes on a diagonal, so that each has a row and a column of its
// own for its lines, and lines meet only where there is a dot.
func pictureSVG(boxes []pictureBox) string {
	const column, row, width, height, margin = 94, 60, 86, 44, 12
	x := func(i int) int { return margin + column*i + column/2 }
	y := func(i int) int { return margin + row*i + row/2 }
	place := map[string]int{}
	for i, box := range boxes {
		place[box.name] = i
	}
	var b strings.Builder
	fmt.Fprintf(&b, pictureHead, column*len(boxes)+2*margin, row*len(boxes)+2*margin)
	for i, box := range boxes {
		for _, to := range box.imports {
			j := place[to]
			fmt.Fprintf(&b, `<path d="M%d %dH%dV%dm-4 -7l4 7l4 -7"/><circle cx="%d" cy="%d" r="4"/>`+"\n", x(i)+width/2, y(i), x(j), y(j)-height/2, x(j), y(i))
		}
	}
	for i, box := range boxes {
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="5"/>`+"\n", x(i)-width/2, y(i)-height/2, width, height)
		lines := inTwo(box.name)
		for n, line := range lines {
			fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", x(i), y(i)+4+16*n-8*(len(lines)-1), line)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// inTwo breaks a long name at the space that is nearest to its middle.
func inTwo(name string) []string {
	best := -1
	for i, r := range name {
		if r == ' ' && (best < 0 || max(2*i, len(name))-min(2*i, len(name)) < max(2*best, len(name))-min(2*best, len(name))) {
			best = i
		}
	}
	if best < 0 || len(name) < 12 {
		return []string{name}
	}
	return []string{name[:best], name[best+1:]}
}

// Packages that the page names are there.
func TestArchitectureNamesPackages(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`((?:internal|mcp|aiquery|dict|erp|generator|deploylog|tokens)/[\\w/]+)").FindAllStringSubmatch(architecture(t), -1)
	require.NotEmpty(t, named)
	for _, m := range named {
		assert.DirExists(t, filepath.FromSlash(strings.TrimSuffix(m[1], "/")))
	}
}

// rulesMark begins what is written from the rules.
const rulesMark = "<!-- The rest of this page is written from the rules in imports_test.go: go test . -run TestArchitectureRules -update -->\n"

// The table of who may link what is that of the rules.
func TestArchitectureRules(t *testing.T) {
	t.Parallel()
	text := architecture(t)
	head, rest, found := strings.Cut(text, rulesMark)
	require.True(t, found)
	var b strings.Builder
	b.WriteString(`
## What a package may link

Packages that are made to be imported one at a time. A test compares what each of them links, directly or through others, with this
table. Leaves, packages below a folder ` + "`internal`" + ` and what the named modules need themselves are left out here; ` + "`imports_test.go`" + ` has
them all. A package that is not listed has no such rule.

| Package | Links of this module | Links from outside | Because |
|---|---|---|---|
`)
	direct := directModules(t)
	for _, pkg := range slices.Sorted(maps.Keys(rules)) {
		if strings.Contains(pkg, "/internal/") {
			continue
		}
		r := rules[pkg]
		ours := slices.DeleteFunc(slices.Clone(r.ours), func(p string) bool { return strings.Contains("/"+p+"/", "/internal/") })
		outside := slices.DeleteFunc(slices.Clone(r.outside), func(m string) bool { return !slices.Contains(direct, m) })
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", pkg, codeList(ours), codeList(outside), r.reason)
	}
	b.WriteString("\nSome modules are imported by few packages only, so that one place changes when they do:\n\n| Module | Imported by |\n|---|---|\n")
	for _, m := range slices.Sorted(maps.Keys(owners)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", m, codeList(owners[m]))
	}
	if want := "\n" + strings.TrimPrefix(b.String(), "\n"); want != rest {
		if *updateModules {
			require.NoError(t, os.WriteFile(filepath.Join("docs", "architecture.md"), []byte(head+rulesMark+want), 0o644))
			return
		}
		t.Error("docs/architecture.md is not what the rules say: go test . -run TestArchitectureRules -update")
	}
}

func codeList(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return "`" + strings.Join(list, "`, `") + "`"
}

// directModules are the modules that go.mod requires and that are not marked as
// indirect.
func directModules(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json").Output()
	require.NoError(t, err)
	var file struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	require.NoError(t, json.Unmarshal(out, &file))
	var direct []string
	for _, r := range file.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	return direct
}
