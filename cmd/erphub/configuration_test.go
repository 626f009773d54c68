package main

import (
	"go/ast"
	"go/parser"
	"go/token"
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

// The reference of the configuration is what the code says.
func TestConfigurationReference(t *testing.T) {
	t.Parallel()
	want := configurationReference(servers(t))
	path := filepath.Join("..", "..", "docs", "configuration.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	if string(got) != want {
		t.Error("docs/configuration.md is not what the code says: go test ./cmd/erphub -run TestConfigurationReference -update")
	}
}

// variable is the name of an environment variable.
var variable = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)

// ours are the beginnings of names that are variables wherever they stand.
var ours = regexp.MustCompile(`^(ERP|ERPHUB|AI|ARTIFACTS|AWS|EMAIL|GENERATOR|OTEL|REPOSITORY|SMTP|XDG|LISTEN|WATCHDOG|NOTIFY)_[A-Z0-9_]*[A-Z0-9]$`)

// Every variable that the code reads is in the reference.
func TestVariablesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	require.NoError(t, err)
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("`([A-Z][A-Z0-9_]+)`").FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = true
	}
	read := map[string]string{} // variables, with a place
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if d.IsDir() {
			switch {
			case strings.HasPrefix(d.Name(), ".") && path != root, d.Name() == "testdata", rel == "internal/testkit", rel == "internal/release", rel == "cmd/internal/ci", rel == "erp/rest", rel == "examples", rel == "erp/erptest":
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		return readVariables(path, func(name string) { read[name] = rel })
	}))
	for _, known := range []string{"ERP_URL", "ERPHUB_REDIS_URL", "ERP_TOKEN_SECRET", "ERPHUB_SPOOL", "NO_COLOR", "AI_API_TOKEN", "OTEL_SDK_DISABLED"} {
		assert.Contains(t, read, known, "the search does not find what there is")
	}
	for name, place := range read {
		assert.True(t, documented[name], "%s is read in %s: name it in internal/config, so that docs/configuration.md has it", name, place)
	}
}

// readVariables finds the variables in a file: what is given to a function whose name
// ends in env, and text that can be nothing else.
func readVariables(path string, found func(string)) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	literal := func(e ast.Expr, is *regexp.Regexp) {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil && is.MatchString(s) {
				found(s)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			if strings.HasSuffix(strings.ToLower(name), "env") && len(n.Args) == 1 {
				literal(n.Args[0], variable)
			}
		case *ast.BasicLit:
			literal(n, ours)
		}
		return true
	})
	return nil
}
