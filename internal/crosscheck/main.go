// Command crosscheck type-checks packages and all they need for other systems,
// without cgo:
//
//	go run ./internal/crosscheck windows/amd64,darwin/arm64 ./cmd/...
//
// It finds what a build for that system would refuse, in a tenth of the time:
// nothing is compiled, and of other modules' functions only the heads are read.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("crosscheck: ")
	if len(os.Args) < 3 {
		log.Fatal("usage: crosscheck OS/ARCH[,OS/ARCH...] PACKAGE...")
	}
	for system := range strings.SplitSeq(os.Args[1], ",") {
		if err := check(".", system, os.Args[2:]...); err != nil {
			log.Fatalf("%s: %v", system, err)
		}
	}
}

// check type-checks packages of the module in a folder for a system.
func check(dir, system string, patterns ...string) error {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return fmt.Errorf("%q is no system; write windows/amd64", system)
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes | packages.NeedModule,
		Dir:  root,
		Env:  append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS="),
		ParseFile: func(set *token.FileSet, name string, src []byte) (*ast.File, error) {
			if strings.HasPrefix(name, root+string(filepath.Separator)) {
				return parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			}
			file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			if file != nil {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}, patterns...)
	if err != nil {
		return err
	}
	if len(loaded) == 0 {
		return errors.New("there are no such packages")
	}
	var found []error
	packages.Visit(loaded, nil, func(p *packages.Package) {
		ours := p.Module != nil && p.Module.Main
		for _, e := range p.Errors {
			// Without bodies, imports of other modules look unused.
			if ours || e.Kind == packages.ListError {
				found = append(found, e)
			}
		}
	})
	return errors.Join(found...)
}
