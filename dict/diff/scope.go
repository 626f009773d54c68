package diff

import (
	"cmp"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// Scope is the part of a dictionary that [Compare] asks about when it compares
// the tables, for [registry.LoadScope].
func Scope(tables ...dict.Table) registry.Scope {
	s := registry.Scope{TableWindows: true}
	for _, t := range tables {
		s.Tables = append(s.Tables, t.Name)
		if t.Was != "" {
			s.Tables = append(s.Tables, t.Was)
			s.Elements = append(s.Elements, t.Was+"_ID", t.Was+"_UU")
		}
		s.Tables = append(s.Tables, targets(t)...)
		for _, c := range t.AllColumns() {
			s.Elements = append(s.Elements, c.Name)
			if c.Reference != nil && c.Reference.Name != "" {
				s.References = append(s.References, c.Reference.Name)
			}
			if c.Reference != nil && c.Reference.Was != "" {
				s.References = append(s.References, c.Reference.Was)
			}
		}
		if t.Window != nil {
			s.Windows = append(s.Windows, cmp.Or(t.Window.Name, t.Label, defaultLabel(t.Name)))
			if t.Window.Was != "" {
				s.Windows = append(s.Windows, t.Window.Was)
			}
			if t.Was != "" {
				s.Windows = append(s.Windows, defaultLabel(t.Was))
			}
		}
	}
	return s
}

// DefinitionScope is the part of a dictionary that [Definition] asks about when
// it describes the tables of these names.
func DefinitionScope(tables ...string) registry.Scope {
	return registry.Scope{Tables: tables, TableWindows: true}
}
