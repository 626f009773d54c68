package docs

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// importable are the packages that Go blocks of the documents use.
var importable = []string{
	"context", "errors", "fmt", "os", "testing",
	"github.com/erphub/erphub/dict", "github.com/erphub/erphub/dict/restdict", "github.com/erphub/erphub/erp",
	"github.com/erphub/erphub/erp/connect", "github.com/erphub/erphub/erp/erptest", "github.com/erphub/erphub/erp/rest",
}

// Go blocks of the documents compile, as the body of a function that has a context
// and a client. A line or an argument of dots stands for the reader's own code.
func TestGoBlocks(t *testing.T) {
	t.Parallel()
	compiled := exportData(t)
	blocks := 0
	for name, text := range pages(t) {
		for _, m := range regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
			blocks++
			assert.NoError(t, compile(compiled, m[1]), "%s:\n%s", name, m[1])
		}
	}
	assert.Greater(t, blocks, 5)
	assert.Error(t, compile(compiled, "client.NoSuchMethod(ctx)\n"))
}

// exportData are the files of what the compiler made of packages, by import path.
func exportData(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, importable...)...).Output()
	require.NoError(t, err)
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[name] = file
	}
	return files
}

var declared = regexp.MustCompile(`(?m)^(\w+(?:, \w+)*) :=`)

// compile type-checks a block.
func compile(compiled map[string]string, block string) error {
	block = regexp.MustCompile(`(?m)^\s*\.\.\.$`).ReplaceAllString(block, "")
	block = strings.ReplaceAll(block, ", ...)", ")")
	body := block
	if !strings.HasPrefix(block, "func ") {
		names := ""
		for _, m := range declared.FindAllStringSubmatch(block, -1) {
			for name := range strings.SplitSeq(m[1], ", ") {
				names += "_ = " + name + "\n"
			}
		}
		body = "func _(ctx context.Context, client *erp.Client, err error, baseURL string, tokens erp.TokenSource) error {\n{\n" + block + names + "}\nreturn nil\n}\n"
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "block.go", "package block\n"+body, 0)
	if err != nil {
		return err
	}
	var used []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used = append(used, x.Name)
			}
		}
		return true
	})
	imports := ""
	for _, p := range importable {
		if slices.Contains(used, path.Base(p)) {
			imports += fmt.Sprintf("import %q\n", p)
		}
	}
	parsed, err = parser.ParseFile(fset, "block.go", "package block\n"+imports+body, 0)
	if err != nil {
		return err
	}
	open := func(name string) (io.ReadCloser, error) { return os.Open(compiled[name]) }
	var wrong []error
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", open), Error: func(err error) {
		// In a test of its own a reader uses what the block declares.
		if !strings.HasPrefix(block, "func ") || !strings.Contains(err.Error(), "declared and not used") {
			wrong = append(wrong, err)
		}
	}}
	_, _ = config.Check("block", fset, []*ast.File{parsed}, nil) // Error gets each
	if len(wrong) > 0 {
		return fmt.Errorf("%w", wrong[0])
	}
	return nil
}
