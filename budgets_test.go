package erphub

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// budget is the most that an area may have. It is raised in the change that needs
// more, with the reason in its commit, and lowered by the one that needs less.
type budget struct {
	area     string // a folder; its folders that have a budget of their own do not count
	lines    int    // of Go written by hand, without tests
	exported int    // names that others may import: types, functions, methods, constants, variables
}

// budgets cover the module.
var budgets = []budget{
	{"aiquery", 19_818, 307},
	{"aiquery/embedded", 6_150, 19},
	{"cmd", 36_466, 0},
	{"deploylog", 3_488, 95},
	{"dict", 28_732, 635},
	{"erp", 10_500, 446},
	{"erp/erptest", 52_570, 203},
	{"examples", 1_250, 2},
	{"generator", 10_445, 207},
	{"internal", 21_265, 0},
	{"mcp", 22_437, 352},
	{"tokens", 3_920, 140},
}

// Functions that decide much are hard to change: none may have a complexity above the
// first number, and no more functions than the second may have one above 15.
const (
	mostComplex = 30
	mostAbove15 = 113
)

// Packages that others may import. A new one is what two outsiders would import.
const mostPublic = 35

// Commands and rows of flags in docs/commands.md.
const (
	mostCommands = 105
	mostFlagRows = 893
)

// written is one file of Go that people write.
type written struct {
	path  string
	lines int
	file  *ast.File
}

func writtenFiles(t *testing.T) []written {
	t.Helper()
	var all []written
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, content, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && !ast.IsGenerated(file) {
			all = append(all, written{filepath.ToSlash(path), bytes.Count(content, []byte("\n")), file})
		}
		return err
	}))
	return all
}

// areaOf is the budget of a file: that of the longest folder; nil for the root.
func areaOf(path string) *budget {
	var found *budget
	for i := range budgets {
		if b := &budgets[i]; strings.HasPrefix(path, b.area+"/") && (found == nil || len(b.area) > len(found.area)) {
			found = b
		}
	}
	return found
}

// exportedNames counts what a file exports to those who may import it.
func exportedNames(w written) (count int) {
	if strings.Contains("/"+w.path, "/internal/") || w.file.Name.Name == "main" {
		return 0
	}
	for _, decl := range w.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				count++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						count++
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							count++
						}
					}
				}
			}
		}
	}
	return count
}

// complexity counts the decisions of a function, as gocyclo does.
func complexity(f *ast.FuncDecl) int {
	count := 1
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			count++
		case *ast.CaseClause:
			if n.List != nil {
				count++
			}
		case *ast.CommClause:
			if n.Comm != nil {
				count++
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				count++
			}
		}
		return true
	})
	return count
}

// The size of each area is decided, and does not just happen.
func TestBudgets(t *testing.T) {
	t.Parallel()
	lines, exported := map[string]int{}, map[string]int{}
	above15 := 0
	for _, w := range writtenFiles(t) {
		if b := areaOf(w.path); b != nil {
			lines[b.area] += w.lines
			exported[b.area] += exportedNames(w)
		} else if strings.Contains(w.path, "/") {
			t.Errorf("%s is in no area that has a budget", w.path)
		}
		for _, decl := range w.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := complexity(f)
			assert.LessOrEqual(t, n, mostComplex, "%s: %s has a complexity of %d; split it, or make its cases a table", w.path, f.Name.Name, n)
			if n > 15 {
				above15++
			}
		}
	}
	assert.LessOrEqual(t, above15, mostAbove15, "functions with a complexity above 15")
	total := 0
	for _, b := range budgets {
		assert.LessOrEqual(t, lines[b.area], b.lines, "lines of %s", b.area)
		assert.LessOrEqual(t, exported[b.area], b.exported, "exported names of %s", b.area)
		total += lines[b.area]
		t.Logf("%s: %d of %d lines, %d of %d exported names", b.area, lines[b.area], b.lines, exported[b.area], b.exported)
	}
	t.Logf("%d lines written by hand, %d functions above 15", total, above15)
}

// Whoever adds a command or a flag looks for one that nobody would miss.
func TestBudgetOfTheCommandLine(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("docs", "commands.md"))
	require.NoError(t, err)
	var commands []string
	for _, m := range regexp.MustCompile(`(?m)^#{2,4} (erphub .*)$`).FindAllSubmatch(page, -1) {
		commands = append(commands, string(m[1]))
	}
	leaves := slices.DeleteFunc(slices.Clone(commands), func(c string) bool {
		return slices.ContainsFunc(commands, func(other string) bool { return strings.HasPrefix(other, c+" ") })
	})
	rows := len(regexp.MustCompile("(?m)^\\| `-").FindAll(page, -1))
	require.NotEmpty(t, leaves)
	assert.LessOrEqual(t, len(leaves), mostCommands, "commands")
	assert.LessOrEqual(t, rows, mostFlagRows, "rows of flags")
	t.Logf("%d commands, %d rows of flags", len(leaves), rows)
}
