package dict

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Longest texts the dictionary holds, in characters.
const (
	maxLabel       = 60
	maxDescription = 255
	maxHelp        = 2000
	maxLogic       = 2000
	maxEntityType  = 40
	maxVarchar     = 4000 // of both databases together
	maxColumns     = 1000 // Oracle's limit; PostgreSQL's is 1600
)

// Validate checks tables that go into one plan together and reports everything
// it finds as one [*ValidationError]. Nil options mean the defaults.
func Validate(opts *Options, tables ...Table) error {
	opts = cmp.Or(opts, &Options{})
	f := validate(opts, tables)
	if len(f.list) > 0 && opts.Known != nil {
		f.excuse(opts, tables)
	}
	return f.err()
}

func validate(opts *Options, tables []Table) findings {
	var f findings
	if len(tables) == 0 {
		f.add("plan", "plan.empty", "there is no table", "define at least one")
	}
	tableNames, indexNames, references := map[string]string{}, map[string]string{}, map[string]*Reference{}
	for _, t := range tables {
		where := shown(t.Name)
		key := strings.ToLower(t.Name)
		if other, ok := tableNames[key]; ok && t.Name != "" {
			f.add(where, "name.duplicate", fmt.Sprintf("the plan already has a table %s", shown(other)),
				"leave one out; the ERP does not distinguish case")
		}
		tableNames[key] = t.Name
		t.validateHead(&f, opts)
		switch {
		case t.Removed:
			if !reflect.DeepEqual(t, Table{Name: t.Name, Removed: true}) {
				f.add(where, "removed.content", "the table is removed, and more is said of it", "leave out all but its name")
			}
			continue
		case t.Extends != nil:
			t.validateExtension(&f)
		}
		columns := t.expand()
		t.validateColumns(&f, columns)
		t.validateIndexes(&f, columns, indexNames)
		t.validateReferences(&f, columns, references)
		t.validateWindow(&f)
	}
	validateLookupColumns(&f, tables, references)
	validateFormerNames(&f, tables)
	return f
}

// excuse takes away what the ERP's own tables of these names are found wrong with,
// too.
func (f *findings) excuse(opts *Options, tables []Table) {
	known := map[string]bool{}
	var own []Table
	for _, t := range tables {
		if k, ok := opts.Known(t.Name); ok {
			own = append(own, k)
			known[shown(t.Name)] = true
		}
	}
	if len(own) == 0 {
		return
	}
	old := map[Finding]bool{}
	for _, finding := range validate(opts, own).list {
		old[finding] = true
	}
	f.list = slices.DeleteFunc(f.list, func(finding Finding) bool {
		return old[finding] || finding.Rule == "name.prefix" && known[finding.Where]
	})
}

// shown is a name as a place in a message: as it is when it is harmless, else
// quoted and cut.
func shown(name string) string {
	if name == "" {
		return "(no name)"
	}
	if len(name) <= MaxColumnName && checkText(name, MaxColumnName) == "" && !strings.ContainsAny(name, " \t\n\r") {
		return name
	}
	return quote(name)
}

func (t Table) validateHead(f *findings, opts *Options) {
	where := shown(t.Name)
	if problem := checkIdentifier(t.Name, MaxTableName); problem != "" {
		f.add(where, "name.identifier", fmt.Sprintf("the table name %s %s", quote(t.Name), problem),
			"use a letter, then letters, digits and underscores, at most 60 characters")
	}
	if !opts.AnyPrefix && t.Extends == nil && (!strings.HasPrefix(t.Name, CustomPrefix) || len(t.Name) == len(CustomPrefix)) && t.Name != "" {
		f.add(where, "name.prefix", fmt.Sprintf("the table name %s does not start with %s", quote(t.Name), CustomPrefix),
			"call it "+CustomPrefix+"…, or allow other prefixes explicitly")
	}
	f.text(where, "table.label", "the label", t.Label, maxLabel)
	if t.Label != "" && strings.TrimSpace(t.Label) == "" {
		f.add(where, "table.label", "the label is blank", "give it text or leave it out")
	}
	f.text(where, "table.description", "the description", t.Description, maxDescription)
	f.text(where, "table.help", "the help", t.Help, maxHelp)
	if !t.accessLevel().valid() {
		f.add(where, "table.access", fmt.Sprintf("there is no access level %s", quote(string(t.AccessLevel))),
			"use 1 Organization, 2 Client only, 3 Client+Organization, 4 System only, 6 System+Client or 7 All")
	}
	if !slices.Contains([]Replication{ReplicationLocal, ReplicationMerge, ReplicationReference}, t.replication()) {
		f.add(where, "table.replication", fmt.Sprintf("there is no replication type %s", quote(string(t.Replication))),
			"use L (local), M (merge) or R (reference)")
	}
	entityType(f, where, t.entityType())
	for _, tpl := range t.Templates {
		if !slices.Contains(Templates(), tpl) {
			f.add(where, "template.unknown", fmt.Sprintf("there is no template %s", quote(string(tpl))),
				"use STANDARD, DOCUMENT, ACCOUNTING, DESCRIPTION, VALUE_NAME, TREE or IMPORT")
		}
	}
	if t.Target != nil {
		t.validateTarget(f, where)
	}
}

func (t Table) validateTarget(f *findings, where string) {
	if problem := checkIdentifier(t.Target.Table, MaxTableName); problem != "" {
		f.add(where, "import.target", fmt.Sprintf("the import target %s %s", quote(t.Target.Table), problem), "name an existing table")
	} else if len(t.Target.Columns) == 0 {
		f.add(where, "import.target", fmt.Sprintf("the columns of the import target %s are not known", t.Target.Table),
			"give them, as read from the ERP")
	}
	if !slices.Contains(t.Templates, Import) {
		f.add(where, "import.template", "an import target is given without the IMPORT template", "add the template or drop the target")
	}
}

func entityType(f *findings, where, code string) {
	if problem := checkIdentifier(code, maxEntityType); problem != "" {
		f.add(where, "entitytype", fmt.Sprintf("the entity type %s %s", quote(code), problem),
			"use the code of an entity type of the ERP, such as U")
	}
}

func (t Table) validateIndexes(f *findings, columns []origin, names map[string]string) {
	for _, index := range t.Indexes {
		where := shown(t.Name) + " index " + shown(index.Name)
		if problem := checkIdentifier(index.Name, MaxColumnName); problem != "" {
			f.add(where, "index.name", fmt.Sprintf("the index name %s %s", quote(index.Name), problem),
				"use a letter, then letters, digits and underscores, at most 63 characters")
		}
		key := strings.ToLower(index.Name)
		if other, ok := names[key]; ok {
			f.add(where, "index.duplicate", fmt.Sprintf("table %s already has an index of that name", shown(other)), "name it otherwise")
		}
		names[key] = t.Name
		if index.Constraint && !index.Unique {
			f.add(where, "index.constraint", "a constraint has to be unique", "make it unique, or an index without constraint")
		}
		if len(index.Columns) == 0 {
			f.add(where, "index.columns", "it has no columns", "name at least one")
		}
		seen := map[string]bool{}
		for _, name := range index.Columns {
			i := slices.IndexFunc(columns, func(c origin) bool { return strings.EqualFold(c.Name, name) })
			switch {
			case i < 0:
				f.add(where, "index.columns", fmt.Sprintf("the table has no column %s", quote(name)), "name a column of the table")
			case columns[i].SQL != "":
				f.add(where, "index.columns", fmt.Sprintf("column %s is virtual", shown(name)), "index real columns only")
			case seen[strings.ToLower(name)]:
				f.add(where, "index.columns", fmt.Sprintf("column %s is named twice", shown(name)), "name it once")
			}
			seen[strings.ToLower(name)] = true
		}
	}
}

func (t Table) validateWindow(f *findings) {
	if t.Window == nil {
		return
	}
	where := shown(t.Name) + " window"
	f.text(where, "window.name", "the name", t.Window.Name, maxLabel)
	f.text(where, "window.description", "the description", t.Window.Description, maxDescription)
	f.text(where, "window.menu", "the menu folder", t.Window.MenuParent, maxLabel)
	switch t.windowType() {
	case WindowMaintain, WindowTransaction, WindowQueryOnly, WindowSingle:
	default:
		f.add(where, "window.type", fmt.Sprintf("there is no window type %s", quote(string(t.Window.Type))), "use M, T, Q or S")
	}
	columns := t.AllColumns()
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c Column) bool { return strings.EqualFold(c.Name, name) && c.SQL == "" })
	}
	for _, name := range []string{"AD_Client_ID", "AD_Org_ID", "IsActive", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
		if !has(name) {
			f.add(where, "window.columns", fmt.Sprintf("a window needs the column %s", name), "add the STANDARD template")
		}
	}
	if t.windowType() == WindowTransaction && !has("Processed") {
		f.add(where, "window.columns", "a transaction window needs the column Processed", "add the DOCUMENT template or use type M")
	}
	for _, role := range t.Window.Roles {
		if role < 0 {
			f.add(where, "window.roles", fmt.Sprintf("there is no role %d", role), "use AD_Role_IDs")
		}
	}
}

func (t Table) windowType() WindowType {
	return cmp.Or(t.Window.Type, WindowMaintain)
}

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
	both.ID = cmp.Or(both.ID, b.ID)
	both.Target = cmp.Or(both.Target, b.Target)
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
		if t.Extends != nil {
			continue // it has more than it says
		}
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
