package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// repository is where files that are no pages are shown.
const repository = "https://github.com/erphub/erphub/"

// single are the pages that are not in docs, in the order of the menu.
var single = []string{"README.md", "examples/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}

// page is one document.
type page struct {
	source   string // its path in the project, with slashes
	name     string // its file in the site
	title    string
	body     string // HTML
	markdown []byte
	tree     ast.Node
	headings []string // their identifiers
}

// site is all of them.
type site struct {
	root   string
	pages  []*page // in the order of the menu
	files  map[string]bool
	byPath map[string]*page
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// read reads the documents below root. Those of docs follow in the order in which their
// index names them.
func read(root string) (*site, error) {
	s := &site{root: root, files: map[string]bool{}, byPath: map[string]*page{}}
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s has no docs/*.md; give the folder of the project with -root", root)
	}
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(docs, func(a, b string) int { return mentioned(index, a) - mentioned(index, b) })
	names := slices.Clone(single)
	for _, file := range docs {
		names = append(names, "docs/"+filepath.Base(file))
	}
	for _, name := range names {
		p := &page{source: name, name: fileOf(name)}
		if p.markdown, err = os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return nil, err
		}
		p.tree = markdown.Parser().Parse(text.NewReader(p.markdown), parser.WithContext(parser.NewContext(parser.WithIDs(&headingIDs{given: map[string]int{}}))))
		p.look()
		s.pages = append(s.pages, p)
		s.byPath[name] = p
	}
	return s, nil
}

// mentioned is where the index names a document; the index itself comes first.
func mentioned(index []byte, file string) int {
	return bytes.Index(index, []byte("]("+filepath.Base(file)+")"))
}

// fileOf is the file of a page: that of the project's README is where a site begins.
func fileOf(source string) string {
	switch source {
	case "README.md":
		return "index.html"
	case "docs/README.md":
		return "documents.html"
	case "examples/README.md":
		return "examples.html"
	case "SECURITY.md": // docs has one of its own
		return "vulnerabilities.html"
	}
	return strings.ToLower(strings.TrimSuffix(path.Base(source), ".md")) + ".html"
}

// look finds the title and the headings.
func (p *page) look() {
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		h, ok := n.(*ast.Heading)
		if !entering || !ok {
			return ast.WalkContinue, nil
		}
		if id, ok := h.AttributeString("id"); ok {
			p.headings = append(p.headings, string(id.([]byte)))
		}
		if p.title == "" {
			p.title = plain(h, p.markdown)
		}
		return ast.WalkSkipChildren, nil
	})
}

// headingIDs gives headings the identifiers that they have on GitHub.
type headingIDs struct{ given map[string]int }

func (ids *headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	var id strings.Builder
	for _, r := range strings.ToLower(string(value)) {
		switch {
		case r == ' ':
			id.WriteByte('-')
		case r == '-' || r == '_' || isWord(r):
			id.WriteRune(r)
		}
	}
	name := id.String()
	n := ids.given[name]
	ids.given[name]++
	if n > 0 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	return []byte(name)
}

func (ids *headingIDs) Put(value []byte) { ids.given[string(value)]++ }

// render makes the pages' HTML, with links that lead within the site.
func (s *site) render() (wrong []error) {
	for _, p := range s.pages {
		err := ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			var target *[]byte
			switch n := n.(type) {
			case *ast.Link:
				target = &n.Destination
			case *ast.Image:
				target = &n.Destination
			default:
				return ast.WalkContinue, nil
			}
			to, err := s.resolve(p, string(*target))
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: link to %s: %w", p.source, *target, err))
			}
			*target = []byte(to)
			return ast.WalkContinue, nil
		})
		var html bytes.Buffer
		if err := errors.Join(err, markdown.Renderer().Render(&html, p.markdown, p.tree)); err != nil {
			return append(wrong, fmt.Errorf("%s: %w", p.source, err))
		}
		p.body = html.String()
	}
	return wrong
}

// resolve is what a link of a page leads to in the site: a page, a copied picture, or
// the repository. It fails if that is not there.
func (s *site) resolve(p *page, link string) (string, error) {
	target, fragment, fragmented := strings.Cut(link, "#")
	if strings.Contains(target, ":") { // another server, a mail
		return link, nil
	}
	to := p
	if target != "" {
		file := path.Join(path.Dir(p.source), target)
		if to = s.byPath[file]; to == nil {
			return s.resolveFile(file)
		}
	}
	if fragmented && !slices.Contains(to.headings, fragment) {
		return link, fmt.Errorf("%s has no such heading", to.source)
	}
	if fragmented {
		return to.name + "#" + fragment, nil
	}
	return to.name, nil
}

func (s *site) resolveFile(file string) (string, error) {
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(file)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, errors.New("there is no such file")
	case err != nil:
		return file, err
	case info.IsDir():
		return repository + "tree/main/" + file, nil
	case slices.Contains([]string{".png", ".svg"}, path.Ext(file)):
		s.files[file] = true
		return file, nil
	}
	return repository + "blob/main/" + file, nil
}
