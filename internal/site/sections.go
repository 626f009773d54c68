package main

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// section is what search finds: a heading with the text below it.
type section struct {
	Page  string `json:"p"` // file and identifier of the heading
	Title string `json:"t"`
	Text  string `json:"x"`
}

// sections are those of a page, for search.
func (p *page) sections() (out []section) {
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		if !entering {
			return ast.WalkContinue, nil
		}
		if h, ok := n.(*ast.Heading); ok {
			next := section{Page: p.name, Title: p.title}
			if id, ok := h.AttributeString("id"); ok && len(out) > 0 {
				next.Page, next.Title = p.name+"#"+string(id.([]byte)), p.title+": "+plain(h, p.markdown)
			}
			out = append(out, next)
			return ast.WalkSkipChildren, nil
		}
		if n.Kind() == ast.KindHTMLBlock {
			return ast.WalkSkipChildren, nil
		}
		if n.Type() == ast.TypeBlock && len(out) > 0 && (n.FirstChild() == nil || n.FirstChild().Type() == ast.TypeInline) {
			last := &out[len(out)-1]
			last.Text = strings.TrimSpace(last.Text + " " + plain(n, p.markdown))
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return out
}

// plain is the text of a block, without its marks.
func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	if n.Type() == ast.TypeBlock && n.FirstChild() == nil { // of code
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			out.Write(line.Value(source))
		}
	}
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		switch n := n.(type) {
		case *ast.AutoLink:
			if entering {
				out.Write(n.Label(source))
			}
		case *ast.Text:
			if !entering {
				break
			}
			value := n.Segment.Value(source)
			if _, code := n.Parent().(*ast.CodeSpan); !code {
				value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
			}
			out.Write(value)
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(out.String()), " ")
}
