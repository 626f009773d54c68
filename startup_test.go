package erphub

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A command that needs no regular expression does not wait for those of the whole
// program: none is compiled before main runs.
func TestNoExpressionIsCompiledAtStart(t *testing.T) {
	t.Parallel()
	for _, w := range writtenFiles(t) {
		if strings.HasPrefix(w.path, "internal/testkit/") {
			continue
		}
		for _, decl := range w.file.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				for _, value := range spec.(*ast.ValueSpec).Values {
					call, ok := value.(*ast.CallExpr)
					if !ok {
						continue
					}
					called, ok := call.Fun.(*ast.SelectorExpr)
					assert.False(t, ok && called.Sel.Name == "MustCompile", "%s: %s: use internal/lazyregexp", w.path, spec.(*ast.ValueSpec).Names[0].Name)
				}
			}
		}
	}
}
