package config

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ErrNoProfile is wrapped by errors about a profile that does not exist.
var ErrNoProfile = errors.New("there is no such profile")

// section returns the mapping of a profile, nil if there is none. "" is the
// default profile.
func (d *Document) section(profile string) *yaml.Node {
	if profile == "" {
		return d.root()
	}
	return child(child(d.root(), profilesKey), profile)
}

// Get returns the text of a setting of a profile ("" is the default one) and
// whether it is there: a list of values has commas between them. A key without a
// value counts as absent.
func (d *Document) Get(profile, key string) (string, bool) {
	n := find(d.section(profile), key)
	return text(n)
}

// text is the value of a node: that of a scalar, or of a list of scalars with commas
// between.
func text(n *yaml.Node) (string, bool) {
	switch {
	case n == nil || isNull(n):
		return "", false
	case n.Kind == yaml.ScalarNode:
		return n.Value, true
	case n.Kind != yaml.SequenceNode || len(n.Content) == 0:
		return "", false
	}
	var values []string
	for _, item := range n.Content {
		item = deref(item)
		if item.Kind != yaml.ScalarNode || isNull(item) {
			return "", false
		}
		values = append(values, item.Value)
	}
	return strings.Join(values, ","), true
}

// Set changes a setting of a profile, and makes profile and key if they do
// not exist. It does not check whether the key is known. The words profile,
// profiles and version are taken.
func (d *Document) Set(profile, key, value string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if profile != "" {
		if err := d.AddProfile(profile); err != nil {
			return err
		}
	}
	known, _ := Lookup(key)
	sec := d.section(profile)
	owner, i := locate(sec, key)
	if owner == nil {
		v := &yaml.Node{}
		scalar(v, value, known.Kind)
		sec.Content = append(sec.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, v)
		sec.Style &^= yaml.FlowStyle
		return nil
	}
	v := owner.Content[i+1]
	switch {
	case v.Kind == yaml.AliasNode:
		// Changing what the alias stands for would change it elsewhere, too.
		v = &yaml.Node{LineComment: v.LineComment, HeadComment: v.HeadComment, FootComment: v.FootComment}
		owner.Content[i+1] = v
	case v.Kind != yaml.ScalarNode:
		return fmt.Errorf("line %d: %s holds further settings, not one value", v.Line, key)
	case v.Anchor != "":
		return fmt.Errorf("line %d: %s is used elsewhere by an anchor; change it in an editor", v.Line, key)
	}
	scalar(v, value, known.Kind)
	return nil
}

// SetAddress stores the address of the ERP in a profile that has none of its
// own, unless it inherits the same.
func (d *Document) SetAddress(profile, url string) error {
	if has, _ := d.Get(profile, "url"); has != "" {
		return nil
	}
	if inherited, _ := d.Get("", "url"); inherited == url {
		return nil
	}
	return d.Set(profile, "url", url)
}

// Unset removes a setting of a profile and reports whether it was there.
func (d *Document) Unset(profile, key string) bool {
	if checkKey(key) != nil {
		return false
	}
	owner, i := locate(d.section(profile), key)
	if owner == nil {
		return false
	}
	remove(owner, i)
	return true
}

// remove takes the pair at i out of a mapping. A comment above the first key
// is usually about the file, so it moves to the next one.
func remove(m *yaml.Node, i int) {
	if head := m.Content[i].HeadComment; head != "" && i == 0 && len(m.Content) > 2 && m.Content[2].HeadComment == "" {
		m.Content[2].HeadComment = head
	}
	m.Content = slices.Delete(m.Content, i, i+2)
}

func checkKey(key string) error {
	first, _, _ := strings.Cut(key, ".")
	if key == "" || first == profileKey || first == profilesKey || first == versionKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("%q cannot be the name of a setting", key)
	}
	return nil
}

// All yields every setting of a profile, known or not, with its dotted key,
// in the order of the file. Settings without a value are left out.
func (d *Document) All(profile string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		walk(d.section(profile), "", profile == "", 0, yield)
	}
}

func walk(m *yaml.Node, prefix string, top bool, depth int, yield func(string, string) bool) bool {
	m = deref(m)
	if m == nil || m.Kind != yaml.MappingNode || depth > maxDepth {
		return true
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, v := m.Content[i].Value, deref(m.Content[i+1])
		if top && (key == profilesKey || key == profileKey || key == versionKey) {
			continue
		}
		switch {
		case v.Kind == yaml.MappingNode:
			if !walk(v, prefix+key+".", false, depth+1, yield) {
				return false
			}
		default:
			if value, ok := text(v); ok && !yield(prefix+key, value) {
				return false
			}
		}
	}
	return true
}
