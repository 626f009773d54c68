package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// DefaultProfile is how people call the profile without a name: the settings at
// the top of the file.
const DefaultProfile = "default"

// ErrProfileExists is wrapped by errors about a name that is taken.
var ErrProfileExists = errors.New("there is such a profile already")

// Profiles returns the names of the named profiles in the order of the file.
func (d *Document) Profiles() []string {
	var names []string
	if p := child(d.root(), profilesKey); p != nil && p.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(p.Content); i += 2 {
			names = append(names, p.Content[i].Value)
		}
	}
	return names
}

// WithAddress returns the names of the named profiles that have an address of an
// ERP, sorted.
func (d *Document) WithAddress() []string {
	names := slices.DeleteFunc(d.Profiles(), func(name string) bool {
		address, _ := d.Get(name, "url")
		return address == ""
	})
	slices.Sort(names)
	return names
}

// Current returns the name of the profile to use when none is named; ""
// is the default one. The profile need not exist: see [Document.Choose].
func (d *Document) Current() string {
	if n := child(d.root(), profileKey); n != nil && n.Kind == yaml.ScalarNode && !isNull(n) {
		return n.Value
	}
	return ""
}

// Choose returns the profile to work with: name if it is not empty, the
// current one otherwise. [DefaultProfile] is the one without a name, unless one is
// called so. A profile that does not exist is an [ErrNoProfile].
func (d *Document) Choose(name string) (string, error) {
	if name == "" {
		name = d.Current()
	}
	if name == DefaultProfile && !slices.Contains(d.Profiles(), name) {
		return "", nil
	}
	if name == "" || slices.Contains(d.Profiles(), name) {
		return name, nil
	}
	have := cmp.Or(strings.Join(d.Profiles(), ", "), "none")
	return "", fmt.Errorf("profile %q: %w; there are: %s", name, ErrNoProfile, have)
}

// Use makes name the current profile; "" goes back to the default one.
func (d *Document) Use(name string) error {
	root := d.root()
	i := index(root, profileKey)
	if name == "" {
		if i >= 0 {
			remove(root, i)
		}
		return nil
	}
	name, err := d.Choose(name)
	if err != nil {
		return err
	}
	if name == "" {
		return d.Use("")
	}
	if i < 0 {
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: profileKey}, &yaml.Node{})
		i = len(root.Content) - 2
	}
	scalar(root.Content[i+1], name, Text)
	return nil
}

// AddProfile makes an empty profile; that it exists already is not an error.
func (d *Document) AddProfile(name string) error {
	if name == "" || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("%q cannot be the name of a profile: 1 to 100 characters, no blanks", name)
	}
	if name == DefaultProfile && !slices.Contains(d.Profiles(), name) {
		return fmt.Errorf("%q is the profile without a name; take another name", name)
	}
	ps := section(d.root(), profilesKey)
	section(ps, name)
	return nil
}

// RenameProfile gives a profile another name. All that is in it, comments
// included, stays where it is in the file. "" is the default profile: its settings
// become the named one, and what other profiles inherit of them is written there.
// The profile that is current stays that.
func (d *Document) RenameProfile(from, to string) error {
	if slices.Contains(d.Profiles(), to) {
		return fmt.Errorf("profile %q: %w", to, ErrProfileExists)
	}
	if from != "" && !slices.Contains(d.Profiles(), from) {
		return fmt.Errorf("profile %q: %w", from, ErrNoProfile)
	}
	current := d.Current()
	if from == "" {
		if err := d.nameDefault(to); err != nil {
			return err
		}
	} else {
		if err := d.AddProfile(to); err != nil { // it checks the name
			return err
		}
		ps := deref(child(d.root(), profilesKey))
		remove(ps, index(ps, to))
		ps.Content[index(ps, from)].Value = to
	}
	if current == from {
		return d.Use(to)
	}
	return nil
}

// nameDefault moves the settings of the default profile into a new one.
func (d *Document) nameDefault(to string) error {
	for _, k := range Keys() {
		inherited, ok := d.Get("", k.Name)
		if !ok || !k.Inherited {
			continue
		}
		for _, p := range d.Profiles() {
			if own, _ := d.Get(p, k.Name); own == "" {
				if err := d.Set(p, k.Name, inherited); err != nil {
					return err
				}
			}
		}
	}
	if err := d.AddProfile(to); err != nil {
		return err
	}
	root, named := d.root(), d.section(to)
	var stay []*yaml.Node
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch root.Content[i].Value {
		case profileKey, profilesKey, versionKey:
			stay = append(stay, root.Content[i:i+2]...)
		default:
			named.Content = append(named.Content, root.Content[i:i+2]...)
			named.Style &^= yaml.FlowStyle
		}
	}
	root.Content = stay
	return nil
}

// RemoveProfile removes a named profile with all its settings. When it was
// the current one, the default profile becomes that.
func (d *Document) RemoveProfile(name string) error {
	ps := child(d.root(), profilesKey)
	i := index(ps, name)
	if i < 0 {
		return fmt.Errorf("profile %q: %w", name, ErrNoProfile)
	}
	remove(ps, i)
	if d.Current() == name {
		return d.Use("")
	}
	return nil
}

// section returns the mapping below key, and makes it if it is missing.
func section(m *yaml.Node, key string) *yaml.Node {
	i := index(m, key)
	if i < 0 {
		sub := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, sub)
		m.Style &^= yaml.FlowStyle
		return sub
	}
	sub := deref(m.Content[i+1])
	if sub.Kind != yaml.MappingNode { // null: check has refused everything else
		*sub = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", HeadComment: sub.HeadComment, LineComment: sub.LineComment}
	}
	return sub
}
