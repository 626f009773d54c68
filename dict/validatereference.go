package dict

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// validateReferences checks the references of a table's columns. References are
// shared by name, so two columns may use the same one, but not two different
// ones of the same name; seen carries them over all tables of a plan.
func (t Table) validateReferences(f *findings, columns []origin, seen map[string]*Reference) {
	for _, c := range columns {
		r := c.Reference
		if r == nil {
			continue
		}
		where := shown(t.Name) + "." + shown(c.Name)
		if first, ok := seen[r.Name]; ok {
			if !sameReference(first, r) {
				f.add(where, "reference.clash", fmt.Sprintf("another reference is called %s too, with other content", quote(r.Name)),
					"name it otherwise")
			} else {
				seen[r.Name] = knownMore(first, r)
			}
			continue
		}
		seen[r.Name] = r
		f.text(where, "reference.name", "the reference name", r.Name, maxLabel)
		if strings.TrimSpace(r.Name) == "" {
			f.add(where, "reference.name", "its reference has no name", "name it")
		}
		f.text(where, "reference.description", "the reference's description", r.Description, maxDescription)
		if r.ID < 0 {
			f.add(where, "reference.id", fmt.Sprintf("there is no reference %d", r.ID), "use 0 to have it found by name")
		}
		if len(r.Values) > 0 && r.Lookup != nil {
			f.add(where, "reference.form", "its reference is both a list and a table", "use one of them")
		}
		if r.ID != 0 && (len(r.Values) > 0 || r.Lookup != nil) {
			f.add(where, "reference.form", "its reference is both existing and defined here", "drop the id or the definition")
		}
		validateValues(f, where, r)
		validateLookup(f, where, r)
	}
}

// sameReference reports whether two columns mean the same reference. One that
// the ERP has already is known by its name: its number and where it leads may be
// told or not, and whose the columns are makes no difference.
func sameReference(a, b *Reference) bool {
	existing := func(r *Reference) bool { return len(r.Values) == 0 && r.Lookup == nil }
	if !existing(a) || !existing(b) {
		return reflect.DeepEqual(a, b)
	}
	return (a.ID == b.ID || a.ID == 0 || b.ID == 0) && (a.Target == b.Target || a.Target == "" || b.Target == "")
}

// knownMore is what two columns together tell of a reference, for comparing it
// with the next one.
func knownMore(a, b *Reference) *Reference {
	both := *a
	if both.ID == 0 {
		both.ID = b.ID
	}
	if both.Target == "" {
		both.Target = b.Target
	}
	return &both
}

func validateValues(f *findings, where string, r *Reference) {
	seen := map[string]bool{}
	for _, v := range r.Values {
		f.text(where, "reference.value", "the list value", v.Value, maxLabel)
		f.text(where, "reference.value", "the name of a list value", v.Name, maxLabel)
		f.text(where, "reference.value", "the description of a list value", v.Description, maxDescription)
		if v.Value == "" || strings.TrimSpace(v.Name) == "" {
			f.add(where, "reference.value", fmt.Sprintf("the list value %s has no value or no name", quote(v.Value+" "+v.Name)), "give it both")
		}
		if seen[v.Value] {
			f.add(where, "reference.value", fmt.Sprintf("the list has the value %s twice", quote(v.Value)), "drop one")
		}
		seen[v.Value] = true
	}
}

func validateLookup(f *findings, where string, r *Reference) {
	if r.Lookup == nil {
		return
	}
	for _, name := range []struct {
		what, name string
		limit      int
		optional   bool
	}{
		{"table", r.Lookup.Table, MaxTableName, false},
		{"key column", r.Lookup.Key, MaxColumnName, false},
		{"display column", r.Lookup.Display, MaxColumnName, true},
	} {
		if name.optional && name.name == "" {
			continue
		}
		if problem := checkIdentifier(name.name, name.limit); problem != "" {
			f.add(where, "reference.lookup", fmt.Sprintf("the reference's %s %s %s", name.what, quote(name.name), problem), "name an existing one")
		}
	}
	f.text(where, "reference.lookup", "the reference's where clause", r.Lookup.Where, maxLogic)
	f.text(where, "reference.lookup", "the reference's order", r.Lookup.OrderBy, maxLogic)
}

// validateLookupColumns checks that table references to tables of the same plan
// name columns those tables have. What is in the ERP already is checked when
// the plan runs.
func validateLookupColumns(f *findings, tables []Table, references map[string]*Reference) {
	columns := map[string]map[string]bool{}
	for _, t := range tables {
		names := map[string]bool{}
		for _, c := range t.AllColumns() {
			names[strings.ToLower(c.Name)] = true
		}
		columns[strings.ToLower(t.Name)] = names
	}
	for _, name := range slices.Sorted(maps.Keys(references)) {
		l := references[name].Lookup
		if l == nil {
			continue
		}
		names, ok := columns[strings.ToLower(l.Table)]
		if !ok {
			continue
		}
		for _, column := range []string{l.Key, l.Display} {
			if column != "" && !names[strings.ToLower(column)] {
				f.add("reference "+shown(name), "reference.lookup", fmt.Sprintf("table %s has no column %s", shown(l.Table), quote(column)),
					"name a column of the table, or add the STANDARD template for its key")
			}
		}
	}
}
