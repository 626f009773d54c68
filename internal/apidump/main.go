// Command apidump writes what the module's packages export to api.txt, without
// comments, so that a change of the API shows in review. `go generate` at the
// module's root runs it.
//
// Left out are internal packages, programs, and the generated client, whose
// source is the contract.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module = "github.com/erphub/erphub"
	output = "api.txt"
)

// leftOut are folders whose packages are not in the dump.
var leftOut = []string{"cmd", "examples", "erp/rest"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("apidump: ")
	text, err := dump(".")
	if err == nil {
		err = os.WriteFile(output, text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// dump is the text for the module in the folder root.
func dump(root string) ([]byte, error) {
	var out bytes.Buffer
	err := filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if name := entry.Name(); rel != "." && (strings.HasPrefix(name, ".") || name == "internal" || name == "testdata" || slices.Contains(leftOut, rel)) {
			return fs.SkipDir
		}
		return dumpPackage(&out, dir, path.Join(module, rel))
	})
	return out.Bytes(), err
}

// dumpPackage writes what the package in dir exports, if there is one.
func dumpPackage(out *bytes.Buffer, dir, importPath string) error {
	context := build.Default // the same text on every machine
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", false
	found, err := context.ImportDir(dir, 0)
	if _, none := err.(*build.NoGoError); none { //nolint:errorlint // go/build returns it as it is
		return nil
	}
	if err != nil {
		return err
	}
	if found.Name == "main" {
		return nil
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(fset, files, importPath)
	if err != nil {
		return err
	}
	w := &writer{out: out, fset: fset}
	fmt.Fprintf(out, "package %s // import %q\n", p.Name, importPath)
	w.values(p.Consts)
	w.values(p.Vars)
	w.funcs(p.Funcs)
	for _, t := range p.Types {
		w.node(t.Decl)
		w.values(t.Consts)
		w.values(t.Vars)
		w.funcs(t.Funcs)
		w.funcs(t.Methods)
	}
	out.WriteString("\n")
	return w.err
}

// writer prints declarations and keeps the first error.
type writer struct {
	out  *bytes.Buffer
	fset *token.FileSet
	err  error
}

func (w *writer) values(list []*doc.Value) {
	for _, v := range list {
		w.node(v.Decl)
	}
}

func (w *writer) funcs(list []*doc.Func) {
	for _, f := range list {
		f.Decl.Body = nil
		w.node(f.Decl)
	}
}

func (w *writer) node(decl ast.Decl) {
	var text bytes.Buffer
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	err := config.Fprint(&text, w.fset, decl)
	w.err = cmp.Or(w.err, err)
	for line := range bytes.Lines(append(text.Bytes(), '\n')) {
		if len(bytes.TrimSpace(line)) > 0 { // where a comment stood
			w.out.Write(line)
		}
	}
}
