package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// repository is the address that shows files that are not pages.
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

// markdown reads what GitHub reads. It aligns cells by an attribute, because the policy of
// the pages forbids styles.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList,
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))))

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
		if i := slices.IndexFunc(s.pages, func(o *page) bool { return strings.EqualFold(o.name, p.name) }); i >= 0 {
			return nil, fmt.Errorf("%s and %s would both be the page %s; rename one", s.pages[i].source, name, p.name)
		}
		p.tree = markdown.Parser().Parse(text.NewReader(p.markdown))
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

// look finds the title and gives the headings the identifiers that they have on GitHub.
func (p *page) look() {
	given := map[string]int{}
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		h, ok := n.(*ast.Heading)
		if !entering || !ok {
			return ast.WalkContinue, nil
		}
		title := plain(h, p.markdown)
		id := identifier(title)
		if given[id]++; given[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, given[id]-1)
		}
		h.SetAttributeString("id", []byte(id))
		p.headings = append(p.headings, id)
		if p.title == "" {
			p.title = title
		}
		return ast.WalkSkipChildren, nil
	})
}

func identifier(title string) string {
	var id strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r == ' ':
			id.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			id.WriteRune(r)
		}
	}
	return id.String()
}

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
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" || u.Host != "" { // another server, a mail
		return link, err
	}
	to := p
	if u.Path != "" {
		file := path.Join(path.Dir(p.source), u.Path)
		if strings.HasPrefix(u.Path, "/") {
			file = path.Clean(u.Path[1:])
		}
		if to = s.byPath[file]; to == nil {
			return s.resolveFile(file, u.Fragment)
		}
	}
	switch {
	case u.Fragment == "":
		return to.name, nil
	case !slices.Contains(to.headings, u.Fragment):
		return link, fmt.Errorf("%s has no such heading", to.source)
	}
	return to.name + "#" + u.EscapedFragment(), nil
}

// pictures are copied into the site.
var pictures = []string{".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"}

func (s *site) resolveFile(file, fragment string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return file, errors.New("it is outside of the project")
	}
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(file)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, errors.New("there is no such file")
	case err != nil:
		return file, err
	case info.Mode().IsRegular() && slices.Contains(pictures, strings.ToLower(path.Ext(file))):
		s.files[file] = true
		return (&url.URL{Path: file}).EscapedPath(), nil
	}
	kind := "blob"
	if info.IsDir() {
		kind = "tree"
	}
	return (&url.URL{Scheme: "https", Host: "github.com", Path: path.Join("/erphub/erphub", kind, "main", file), Fragment: fragment}).String(), nil
}
