package erphub

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A package that others may import shows its shortest use in an example, which
// compiles and, where it says what it prints, runs.
func TestPublicPackagesHaveExamples(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	require.NoError(t, err)
	public := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Name, Dir              string
			GoFiles, TestGoFiles, XTestGoFiles []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/examples/") || p.Name == "main" || len(p.GoFiles) == 0 || slices.Contains(strings.Split(p.ImportPath, "/"), "internal") {
			continue // the first holds no code, the second are examples
		}
		public++
		var files []*ast.File
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, f)
		}
		assert.NotEmpty(t, doc.Examples(files...), "%s has no example; write the shortest useful one in its example_test.go", p.ImportPath)
	}
	assert.NotZero(t, public)
	assert.LessOrEqual(t, public, mostPublic, "packages that others may import; one that only commands use belongs below cmd/internal")
}
