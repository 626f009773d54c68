package tablefile

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/nearest"
)

// Limits of what is read. Aliases count with what they stand for.
const (
	maxFileBytes = 4 << 20
	maxSetBytes  = 64 << 20
	maxFiles     = 10_000
	maxDocuments = 2_000   // per file
	maxNodes     = 250_000 // per document; a table of 1000 columns with all keys has 80,000
	maxDepth     = 20
	maxProblems  = 200
	maxNumber    = 1<<31 - 1
)

const mergeTag = "!!merge"

// decoder turns the nodes of one document into structures and collects what is
// wrong.
type decoder struct {
	file     string
	nodes    int
	problems []Problem
	spent    bool // a limit is reached: what follows is not looked at
	places   map[any]Position
}

func (d *decoder) at(n *yaml.Node) Position { return Position{d.file, n.Line, n.Column} }

func (d *decoder) problem(n *yaml.Node, do, format string, args ...any) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{d.at(n), fmt.Sprintf(format, args...), do})
	}
}

// enter counts a node and follows an alias. It reports false when the node is
// not to be looked at.
func (d *decoder) enter(n *yaml.Node, depth int) (*yaml.Node, bool) {
	if d.spent {
		return n, false
	}
	for n.Kind == yaml.AliasNode {
		d.nodes++
		if n.Alias == nil || depth > maxDepth {
			break
		}
		n, depth = n.Alias, depth+1
	}
	d.nodes++
	switch {
	case d.nodes > maxNodes:
		d.spent = true
		d.problem(n, "write it out, or split it", "the document is larger than %d values when its aliases are expanded", maxNodes)
		return n, false
	case depth > maxDepth:
		d.spent = true
		d.problem(n, "use the keys of the format only", "values are nested more than %d deep", maxDepth)
		return n, false
	}
	return n, true
}

// into reads a node into a value of the format.
func (d *decoder) into(n *yaml.Node, v reflect.Value, f field, depth int) {
	n, ok := d.enter(n, depth)
	if !ok {
		return
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		d.problem(n, "give it one, or leave the key out", "%s has no value", f.key)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.into(n, v.Elem(), f, depth)
	case reflect.Struct:
		if short, ok := v.Addr().Interface().(*existing); ok && n.Kind == yaml.ScalarNode {
			d.text(n, reflect.ValueOf(&short.Name).Elem(), field{key: f.key, is: "any"})
			return
		}
		d.object(n, v, f, depth)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.problem(n, "begin each entry with a dash", "%s is %s, not a list", f.key, kindOf(n))
			return
		}
		list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
		for i, item := range n.Content {
			d.into(item, list.Index(i), f, depth+1)
		}
		v.Set(list)
	default:
		d.scalar(n, v, f)
	}
}

func (d *decoder) scalar(n *yaml.Node, v reflect.Value, f field) {
	if n.Kind != yaml.ScalarNode {
		d.problem(n, "", "%s is %s, not a single value", f.key, kindOf(n))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		if n.ShortTag() != "!!bool" {
			d.problem(n, "write true or false", "%s is %s", f.key, quote(n.Value))
			return
		}
		v.SetBool(n.Value == "true" || n.Value == "True" || n.Value == "TRUE")
	case reflect.Int:
		number, err := strconv.Atoi(n.Value)
		if n.ShortTag() != "!!int" || err != nil || number < 0 || number > maxNumber {
			d.problem(n, fmt.Sprintf("write a whole number from 0 to %d, in digits", maxNumber), "%s is %s", f.key, quote(n.Value))
			return
		}
		v.SetInt(int64(number))
	default:
		d.text(n, v, f)
	}
}

func (d *decoder) text(n *yaml.Node, v reflect.Value, f field) {
	tag := n.ShortTag()
	switch {
	case f.enum == "type" && tag == "!!int":
		number, err := strconv.Atoi(n.Value)
		if err != nil || number <= adid.MaxOfficial || number > maxNumber {
			d.problem(n, "name the display type, such as String; only types of plug-ins go by their number, which is above 999999",
				"there is no display type %s", quote(n.Value))
			return
		}
		v.SetString(n.Value)
		return
	case f.is == "any" && slices.Contains([]string{"!!int", "!!float", "!!bool", "!!timestamp"}, tag):
	case tag != "!!str":
		d.problem(n, "put it in quotes", "%s is %s, which YAML does not take for text", f.key, quote(n.Value))
		return
	}
	if f.enum != "" {
		words := wordsOf(f.enum)
		if !slices.Contains(words, n.Value) {
			do := "use one of them: " + join(words)
			if near := nearest.Name(n.Value, words); near != "" {
				do = fmt.Sprintf("did you mean %q?", near)
			}
			d.problem(n, do, "there is no %s %s", f.key, quote(n.Value))
			return
		}
	}
	if (f.need || f.is == "table") && n.Value == "" {
		d.problem(n, "", "%s is empty", f.key)
		return
	}
	v.SetString(n.Value)
}

// object reads a mapping into a structure.
func (d *decoder) object(n *yaml.Node, v reflect.Value, parent field, depth int) {
	if n.Kind != yaml.MappingNode {
		d.problem(n, "write it as keys with values", "%s is %s", parent.key, kindOf(n))
		return
	}
	fields := fieldsOf(v.Type())
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	given := map[string]*yaml.Node{}
	d.pairs(n, keys, given, depth, true)
	for _, f := range fields {
		value, ok := given[f.key]
		switch {
		case ok:
			d.into(value, v.Field(f.index), f, depth+1)
		case f.need && !d.spent:
			d.problem(n, missing(f.key, given), "%s has no %s", named(parent.key, given), f.key)
		}
	}
	if _, ok := v.Addr().Interface().(*document); ok && !d.spent {
		d.tableNamed(n, given["table"], given["extend"])
	}
	d.places[v.Addr().Interface()] = d.at(n)
}

// named is what an entry of a list is called: its name, or the list's.
func named(key string, given map[string]*yaml.Node) string {
	if name := given["name"]; name != nil && name.Kind == yaml.ScalarNode && name.Value != "" {
		return quote(name.Value)
	}
	return key
}

// missing says what to add for a key. What a column has beside its type tells the type.
func missing(key string, given map[string]*yaml.Node) string {
	switch {
	case key == "type" && given["list"] != nil:
		return "add type: List"
	case key == "type" && given["lookup"] != nil:
		return "add type: Table, or type: Search"
	}
	return "add " + key + ": …"
}

// tableNamed checks that a document is about one table, made or extended.
func (d *decoder) tableNamed(n, table, extend *yaml.Node) {
	switch {
	case table == nil && extend == nil:
		d.problem(n, "add table: …, or extend: … to add columns to one that the ERP has", "a table has no name")
	case table != nil && extend != nil:
		d.problem(n, "keep table, or extend", "a table is either made or extended, and this has both keys")
	}
}

// pairs collects keys and values of a mapping. Keys that already exist win
// over those of a merged mapping; in the mapping itself a second one is a
// problem.
func (d *decoder) pairs(n *yaml.Node, keys []string, given map[string]*yaml.Node, depth int, own bool) {
	var merged []*yaml.Node
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if d.nodes++; d.spent {
			return
		}
		if key.Kind == yaml.ScalarNode && key.ShortTag() == mergeTag {
			merged = append(merged, value)
			continue
		}
		if key.Kind != yaml.ScalarNode {
			d.problem(key, "", "a key is %s", kindOf(key))
			continue
		}
		if before, ok := first[key.Value]; ok {
			d.problem(key, "give each key once", "the key %s is given twice, first in line %d", quote(key.Value), before.Line)
			continue
		}
		first[key.Value] = key
		if !slices.Contains(keys, key.Value) {
			do := "possible are " + join(keys)
			if near := nearest.Name(key.Value, keys); near != "" {
				do = fmt.Sprintf("did you mean %q?", near)
			}
			d.problem(key, do, "there is no key %s", quote(key.Value))
			continue
		}
		if _, ok := given[key.Value]; !ok || own {
			given[key.Value] = value
		}
	}
	for _, m := range merged {
		d.merge(m, keys, given, depth+1)
	}
}

// merge takes over what the value of a << key has: a mapping, or a list of
// them.
func (d *decoder) merge(n *yaml.Node, keys []string, given map[string]*yaml.Node, depth int) {
	n, ok := d.enter(n, depth)
	if !ok {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		d.pairs(n, keys, given, depth, false)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if item.Kind == yaml.SequenceNode {
				d.problem(item, "name mappings", "what is merged is a list of lists")
				continue
			}
			d.merge(item, keys, given, depth+1)
		}
	default:
		d.problem(n, "merge an alias of a mapping", "what is merged is %s", kindOf(n))
	}
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return "empty"
		}
		return quote(n.Value)
	}
	return "not a value"
}

func join(words []string) string {
	text := ""
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += w
	}
	return text
}
