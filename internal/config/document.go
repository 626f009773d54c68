package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/internal/lazyregexp"
)

const (
	profilesKey = "profiles"
	profileKey  = "profile"
)

// maxSize bounds a configuration file.
const maxSize = 1 << 20

// Document is a configuration file in memory. It keeps what it does not
// understand. It is not safe for concurrent use, and holds secrets: its
// printed form shows nothing of it. The zero value is an empty document.
type Document struct{ doc *yaml.Node } // doc is a DocumentNode, or nil

// String returns a fixed text.
func (d *Document) String() string { return "configuration document" }

// Parse reads a document. One of another form is an [ErrVersion]. What is no YAML, more than one YAML document, no
// mapping at the top, a key that stands twice, an alias for a group, or a list where a setting has
// one value, is an error that names the line and contains nothing of the
// content.
func Parse(data []byte) (*Document, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("it is longer than %d bytes", maxSize)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		// Nothing, or only comments. Those are kept as the head of the
		// document.
		return &Document{doc: commentsOnly(data)}, nil
	case err != nil:
		return nil, yamlError(err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, yamlError(err)
		}
		return nil, errors.New("it contains more than one YAML document (a line ---)")
	}
	d := &Document{doc: &doc}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return &Document{doc: commentsOnly(data)}, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: at the top there must be settings of the form key: value", root.Line)
	}
	if err := d.checkVersion(); err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	return d, nil
}

// commentsOnly makes an empty document out of lines that are all comments.
func commentsOnly(data []byte) *yaml.Node {
	doc := emptyDoc()
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("#")) {
			if doc.HeadComment != "" {
				doc.HeadComment += "\n"
			}
			doc.HeadComment += string(line)
		}
	}
	return doc
}

func emptyDoc() *yaml.Node {
	return &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}}}
}

// lineOf finds the line number in the YAML library's texts. Nothing else of
// them is used: "unknown anchor 'x' referenced" would quote a password that
// begins with an asterisk.
var lineOf = lazyregexp.New(`\bline (\d+)\b`)

func yamlError(err error) error {
	if m := lineOf().FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("line %s or near: it is not valid YAML; quote values that begin with a special character", m[1])
	}
	return errors.New("it is not valid YAML; quote values that begin with a special character such as * or &")
}

// check looks for what would be lost or misread.
func (d *Document) check() error {
	if err := checkMapping(d.root(), 0); err != nil {
		return err
	}
	section := []*yaml.Node{d.root()}
	if p := child(d.root(), profilesKey); p != nil && !isNull(p) {
		if p.Kind != yaml.MappingNode {
			return fmt.Errorf("line %d: profiles must be settings below names", p.Line)
		}
		for i := 0; i+1 < len(p.Content); i += 2 {
			v := deref(p.Content[i+1])
			if v.Kind != yaml.MappingNode && !isNull(v) {
				return fmt.Errorf("line %d: a profile must consist of settings", v.Line)
			}
			section = append(section, v)
		}
	}
	if p := child(d.root(), profileKey); p != nil && p.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: profile must be one name", p.Line)
	}
	for _, s := range section {
		for _, k := range Keys() {
			if n := find(s, k.Name); n != nil && n.Kind != yaml.ScalarNode {
				return fmt.Errorf("line %d: %s must be a single value", n.Line, k.Name)
			}
		}
	}
	return nil
}

// maxDepth bounds nesting; settings need four levels.
const maxDepth = 50

func checkMapping(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("line %d: it is nested too deeply", n.Line)
	}
	if n.Kind == yaml.MappingNode {
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind == yaml.ScalarNode && seen[k.Value] {
				return fmt.Errorf("line %d: this key stands here for the second time", k.Line)
			}
			seen[k.Value] = true
		}
	}
	if n.Kind == yaml.AliasNode && n.Alias.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: an alias (*) may stand for one value, not for a group of them; write the group out", n.Line)
	}
	for _, c := range n.Content {
		if err := checkMapping(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Bytes renders the document. It ends with a line break unless it is empty.
func (d *Document) Bytes() ([]byte, error) {
	if d.doc == nil {
		return nil, nil
	}
	if len(d.root().Content) == 0 {
		if d.doc.HeadComment == "" {
			return nil, nil
		}
		return []byte(d.doc.HeadComment + "\n"), nil
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(d.doc), enc.Close()); err != nil {
		return nil, errors.New("the configuration cannot be written as YAML")
	}
	return b.Bytes(), nil
}

// root returns the top mapping, and makes it if it is missing.
func (d *Document) root() *yaml.Node {
	if d.doc == nil {
		d.doc = emptyDoc()
	}
	return d.doc.Content[0]
}

// deref follows an alias.
func deref(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// child returns the value of a literal key of a mapping, nil if absent.
func child(m *yaml.Node, key string) *yaml.Node {
	if i := index(m, key); i >= 0 {
		return deref(m.Content[i+1])
	}
	return nil
}

// index returns where key stands in the mapping, -1 if it does not.
func index(m *yaml.Node, key string) int {
	m = deref(m)
	if m == nil || m.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Kind == yaml.ScalarNode && m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// find returns the value of a dotted key, written out or in sections.
func find(m *yaml.Node, key string) *yaml.Node {
	if owner, i := locate(m, key); owner != nil {
		return deref(owner.Content[i+1])
	}
	return nil
}

// locate returns the mapping that holds a dotted key and the place in it. The
// key written out wins over sections, a longer first part over a shorter one.
func locate(m *yaml.Node, key string) (*yaml.Node, int) {
	m = deref(m)
	if i := index(m, key); i >= 0 {
		return m, i
	}
	for dot := len(key) - 1; dot > 0; dot-- {
		if key[dot] != '.' {
			continue
		}
		if sub := child(m, key[:dot]); sub != nil && sub.Kind == yaml.MappingNode {
			if owner, i := locate(sub, key[dot+1:]); owner != nil {
				return owner, i
			}
		}
	}
	return nil, -1
}

// scalar makes n hold value in the plain style where that keeps its meaning.
func scalar(n *yaml.Node, value string, k Kind) {
	n.Kind, n.Value, n.Content, n.Alias, n.Anchor = yaml.ScalarNode, value, nil, nil, ""
	n.Tag, n.Style = "!!str", 0
	switch _, err := strconv.Atoi(value); {
	case (k == Integer || k == ID) && err == nil:
		n.Tag = "!!int"
	case k == Boolean && (value == "true" || value == "false"):
		n.Tag = "!!bool"
	}
}
