package gogen

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// Options say what to write.
type Options struct {
	// Package is the name of the package; empty: model.
	Package string
	// Tables are the tables to write types for, at least one.
	Tables []string
}

// ErrPackage is in the error for a package name that Go does not accept.
var ErrPackage = errors.New("not a name for a package")

// Generate writes one Go file with a struct for each table, constants for the
// tables' names, and a type with constants for each list they use. The text is
// formatted and the same for the same dictionary. The error matches
// [registry.ErrNotFound] when there is no such table.
func Generate(ctx context.Context, reg registry.Registry, o Options) ([]byte, error) {
	o.Package = cmp.Or(o.Package, "model")
	if !token.IsIdentifier(o.Package) || o.Package == "_" {
		return nil, fmt.Errorf("%q: %w; use small letters, such as model", o.Package, ErrPackage)
	}
	if len(o.Tables) == 0 {
		return nil, errors.New("there are no tables to write types for; name at least one")
	}
	g := &generator{reg: reg, taken: names{"Selections": true}, lists: map[int]string{}}
	seen := map[int]bool{}
	var tables []registry.Table
	for _, name := range o.Tables {
		t, err := reg.Table(ctx, name)
		if err != nil {
			return nil, err
		}
		if !seen[t.ID] {
			seen[t.ID] = true
			tables = append(tables, t)
		}
	}
	structs := make([]string, len(tables)) // tables have the first choice of names
	for i, t := range tables {
		name := cmp.Or(exported(t.Name), "Record")
		for g.taken["Table"+name] {
			name += "_"
		}
		structs[i] = g.taken.take(name)
		g.taken["Table"+structs[i]] = true
	}
	for i, t := range tables {
		if err := g.table(ctx, t, structs[i]); err != nil {
			return nil, err
		}
	}
	return g.file(o.Package)
}

type generator struct {
	reg        registry.Registry
	taken      names          // identifiers of the package
	lists      map[int]string // type by AD_Reference_ID
	structs    bytes.Buffer
	enums      bytes.Buffer
	selections bool
}

func (g *generator) table(ctx context.Context, t registry.Table, name string) error {
	b := &g.structs
	fmt.Fprintf(b, "\n// Table%s is the name of the table behind [%s].\nconst Table%s = %s\n", name, name, name, strconv.Quote(t.Name))
	fmt.Fprintf(b, "\n// %s is a record of %s", name, t.Name)
	if text := comment(t.Description); text != "" {
		fmt.Fprintf(b, ": %s", strings.TrimSuffix(text, "."))
	}
	fmt.Fprintf(b, ".\ntype %s struct {\n", name)
	fields := names{}
	if slices.ContainsFunc(t.Columns, func(c registry.Column) bool { return isKey(t, c) }) {
		fmt.Fprintf(b, "%s int64 `json:\"id,omitzero\"` // %s_ID\n", fields.take("ID"), t.Name)
	}
	if slices.ContainsFunc(t.Columns, func(c registry.Column) bool { return isUUID(t, c) }) {
		fmt.Fprintf(b, "%s string `json:\"uid,omitzero\"` // %s_UU\n", fields.take("UID"), t.Name)
	}
	for _, c := range t.Columns {
		if isKey(t, c) || isUUID(t, c) {
			continue
		}
		if err := g.column(ctx, c, fields); err != nil {
			return fmt.Errorf("column %s.%s: %w", t.Name, c.Name, err)
		}
	}
	b.WriteString("}\n")
	return nil
}

// isKey reports whether the column is shown as id.
func isKey(t registry.Table, c registry.Column) bool {
	return c.Key && strings.EqualFold(c.Name, t.Name+"_ID")
}

// isUUID reports whether the column is shown as uid.
func isUUID(t registry.Table, c registry.Column) bool { return strings.EqualFold(c.Name, t.Name+"_UU") }

func (g *generator) column(ctx context.Context, c registry.Column, fields names) error {
	b := &g.structs
	typ := typeOf(c)
	name := exported(c.Name)
	if name == "" || strings.ContainsFunc(c.Name, notInTag) {
		typ.skip = "which has a name that no field can have"
	}
	if typ.skip != "" {
		fmt.Fprintf(b, "// %s is left out: it is %s.\n", comment(c.Name), typ.skip)
		return nil
	}
	if typ.list {
		list, err := g.list(ctx, c)
		if err != nil {
			return err
		}
		typ.text = list
	}
	g.selections = g.selections || typ.text == "Selections"
	fmt.Fprintf(b, "%s %s `json:\"%s,omitzero\"`", fields.take(name), typ.text, c.Name)
	if text := remark(c); text != "" {
		fmt.Fprintf(b, " // %s", text)
	}
	b.WriteByte('\n')
	return nil
}

// notInTag reports whether a character would break a field's tag.
func notInTag(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
}

// remark is what a reader of the struct wants to know about a column.
func remark(c registry.Column) string {
	var parts []string
	if label := comment(c.Label); label != "" && !strings.EqualFold(strings.ReplaceAll(label, " ", ""), c.Name) {
		parts = append(parts, label)
	}
	if c.ForeignTable != "" {
		parts = append(parts, "to "+comment(c.ForeignTable))
	}
	if c.Mandatory && c.Type != dict.TypeYesNo {
		parts = append(parts, "mandatory")
	}
	if c.Virtual() {
		parts = append(parts, "computed")
	}
	return strings.Join(parts, "; ")
}

// list is the type of a column whose values come from a list.
func (g *generator) list(ctx context.Context, c registry.Column) (string, error) {
	if c.ReferenceID == 0 {
		return "erp.Ref", nil // the dictionary does not say which list
	}
	if name, ok := g.lists[c.ReferenceID]; ok {
		return name, nil
	}
	info, err := g.reg.Reference(ctx, strconv.Itoa(c.ReferenceID))
	if err != nil {
		return "", err
	}
	name := g.taken.take(cmp.Or(exported(info.Name), "List"+strconv.Itoa(info.ID)))
	g.lists[c.ReferenceID] = name
	b := &g.enums
	fmt.Fprintf(b, "\n// %s is a value of the list %q.\ntype %s string\n", name, comment(info.Name), name)
	if len(info.Values) > 0 {
		fmt.Fprintf(b, "\n// The values of [%s].\nconst (\n", name)
		for _, v := range info.Values {
			constant := g.taken.take(name + cmp.Or(joined(v.Name), joined(v.Value), "Value"))
			fmt.Fprintf(b, "%s %s = %s", constant, name, strconv.Quote(v.Value))
			if text := comment(v.Name); text != "" {
				fmt.Fprintf(b, " // %s", text)
			}
			b.WriteByte('\n')
		}
		b.WriteString(")\n")
	}
	fmt.Fprintf(b, `
// UnmarshalJSON reads the value from the object that the ERP sends for it.
func (v *%[1]s) UnmarshalJSON(data []byte) error {
	var ref erp.Ref
	if err := ref.UnmarshalJSON(data); err != nil {
		return err
	}
	*v = %[1]s(ref.Code())
	return nil
}
`, name)
	return name, nil
}

// file puts the parts together.
func (g *generator) file(pkg string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated by erphub generate go. DO NOT EDIT.\n\n" +
		"// A field that is zero is left out when a record is written. To write false, 0 or an empty text, send a map.\n\n")
	fmt.Fprintf(&b, "package %s\n\n", pkg)
	body := g.structs.String() + g.enums.String()
	if g.selections {
		body += `
// Selections is the content of a column that holds several references.
type Selections struct {
	Selections []erp.Ref ` + "`json:\"selections\"`" + `
}
`
	}
	b.WriteString("import (\n")
	for _, imp := range []struct{ use, path string }{
		{"json.RawMessage", "encoding/json"}, {"time.Time", "time"}, {"", ""}, {"erp.", "github.com/erphub/erphub/erp"},
	} {
		switch {
		case imp.path == "":
			b.WriteByte('\n')
		case strings.Contains(code(body), imp.use):
			fmt.Fprintf(&b, "%q\n", imp.path)
		}
	}
	b.WriteString(")\n")
	b.WriteString(body)
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("formatting what was generated: %w", err)
	}
	return text, nil
}

// code is the text without its comments, which may speak of anything.
func code(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		before, _, _ := strings.Cut(line, "//")
		b.WriteString(before + "\n")
	}
	return b.String()
}
