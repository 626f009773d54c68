package metrics

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/nearest"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// Set is a set of definitions. It is safe for concurrent use.
type Set struct {
	list []*Definition // by name
}

// Builtin is the built-in set.
func Builtin() (*Set, error) {
	sub, err := fs.Sub(builtin, "builtin")
	if err != nil {
		return nil, err
	}
	list, err := read(sub, true)
	if err != nil {
		return nil, err
	}
	return newSet(list), nil
}

// Load is the built-in set with the definitions of a folder's .yaml files, which
// replace those of the same name. A nil folder is the built-in set alone. The error
// joins everything that cannot be read, each with file and line; what can be read
// and makes no sense is found by [Set.Check].
func Load(folder fs.FS) (*Set, error) {
	set, err := Builtin()
	if err != nil || folder == nil {
		return set, err
	}
	own, err := read(folder, false)
	if err != nil {
		return nil, err
	}
	for _, d := range set.list {
		if !slices.ContainsFunc(own, func(o *Definition) bool { return o.Name == d.Name }) {
			own = append(own, d)
		}
	}
	return newSet(own), nil
}

func newSet(list []*Definition) *Set {
	slices.SortStableFunc(list, func(a, b *Definition) int { return strings.Compare(a.Name, b.Name) })
	return &Set{list: list}
}

// Definitions are all definitions, by name.
func (s *Set) Definitions() []*Definition { return slices.Clone(s.list) }

// Own are the definitions that are not built in.
func (s *Set) Own() *Set {
	return &Set{list: slices.DeleteFunc(slices.Clone(s.list), func(d *Definition) bool { return d.source.Builtin })}
}

// Find finds a definition by name, in any case of letters and with _ for -. The
// error is an [*Error] that says which names are near.
func (s *Set) Find(name string) (*Definition, error) {
	wanted := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
	names := make([]string, len(s.list))
	for i, d := range s.list {
		if names[i] = d.Name; d.Name == wanted {
			return d, nil
		}
	}
	return nil, &Error{Kind: NotFound, Message: fmt.Sprintf("there is no metric %q", clip(name)), Hint: near(wanted, names)}
}

// near is a hint at names.
func near(name string, names []string) string {
	found := nearest.Names(name, names, 3)
	if len(found) == 0 {
		for _, n := range names { // part of a longer name
			if len(name) > 2 && strings.Contains(n, name) {
				found = append(found, n)
			}
		}
	}
	if len(found) > 0 {
		return "did you mean " + strings.Join(found, " or ") + "?"
	}
	if len(names) == 0 {
		return "there are none"
	}
	return "there are: " + strings.Join(names, ", ")
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// read reads the definitions of a folder's .yaml files.
func read(folder fs.FS, isBuiltin bool) ([]*Definition, error) {
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("read metrics: the folder has no .yaml files")
	}
	var list []*Definition
	var problems []error
	seen := map[string]Source{}
	for _, name := range names {
		content, err := fs.ReadFile(folder, name)
		if err != nil {
			problems = append(problems, fmt.Errorf("read metrics: %w", err))
			continue
		}
		found, err := parse(path.Base(name), content)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, d := range found {
			d.source.Builtin = isBuiltin
			if other, twice := seen[d.Name]; twice && d.Name != "" {
				problems = append(problems, fmt.Errorf("%s: there is a metric %q at %s already; choose another name", d.source, d.Name, other))
				continue
			}
			seen[d.Name] = d.source
			list = append(list, d)
		}
	}
	return list, errors.Join(problems...)
}

// file is the content of a file.
type file struct {
	Metrics []*Definition `yaml:"metrics"`
	// Approval is the approval of definitions without one of their own.
	Approval *Approval `yaml:"approval"`
	// Shared is for anchors that definitions refer to.
	Shared map[string]any `yaml:"shared"`
}

// parse reads one file.
func parse(name string, content []byte) ([]*Definition, error) {
	var f file
	dec := yaml.NewDecoder(bytes.NewReader(content))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, unread(name, err)
	}
	var tree yaml.Node
	if err := yaml.Unmarshal(content, &tree); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(f.Metrics) == 0 {
		return nil, fmt.Errorf("%s: there is no metric in it; write one below metrics, or remove the file", name)
	}
	nodes := items(&tree)
	for i, d := range f.Metrics {
		if d == nil {
			return nil, fmt.Errorf("%s: item %d of metrics is empty; write a definition or remove it", name, i+1)
		}
		d.source = Source{File: name, Line: 1}
		if i < len(nodes) {
			d.source.Line, d.source.lines = nodes[i].Line, partLines(nodes[i])
		}
		d.About = strings.Join(strings.Fields(d.About), " ")
		d.Approval = cmp.Or(d.Approval, f.Approval)
	}
	return f.Metrics, nil
}

var (
	inLine        = lazyregexp.New(`^line (\d+): `)
	unknownMember = lazyregexp.New(`field (\S+) not found in type \S+`)
)

// unread is why a file cannot be read, each problem with its line.
func unread(name string, err error) error {
	texts := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	var several *yaml.TypeError
	if errors.As(err, &several) {
		texts = several.Errors
	}
	var all []error
	for _, text := range texts {
		where := name
		if found := inLine().FindStringSubmatch(text); found != nil {
			where, text = name+":"+found[1], strings.TrimPrefix(text, found[0])
		}
		text = unknownMember().ReplaceAllString(text, "there is no member $1 here")
		all = append(all, fmt.Errorf("%s: %s; docs/metric-files.md has the format", where, text))
	}
	return errors.Join(all...)
}

// items are the nodes of the definitions.
func items(tree *yaml.Node) []*yaml.Node {
	if len(tree.Content) == 0 {
		return nil
	}
	if list := member(tree.Content[0], "metrics"); list != nil {
		return list.Content
	}
	return nil
}

func member(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// partLines are the lines of a definition's members, and of the items of lists.
func partLines(n *yaml.Node) map[string]int {
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		lines[key] = n.Content[i].Line
		if value.Kind == yaml.SequenceNode {
			for k, item := range value.Content {
				lines[fmt.Sprintf("%s.%d", key, k)] = item.Line
			}
		}
	}
	return lines
}

// at is where a part of a definition stands.
func (s Source) at(part string) string {
	line := s.Line
	if l, ok := s.lines[part]; ok {
		line = l
	}
	return fmt.Sprintf("%s:%d", s.File, line)
}
