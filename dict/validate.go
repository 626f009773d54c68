package dict

import (
	"fmt"
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
	if opts == nil {
		opts = &Options{}
	}
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
		columns := t.expand()
		t.validateColumns(&f, columns)
		t.validateIndexes(&f, columns, indexNames)
		t.validateReferences(&f, columns, references)
		t.validateWindow(&f)
	}
	validateLookupColumns(&f, tables, references)
	return f.err()
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
	if !opts.AnyPrefix && (!strings.HasPrefix(t.Name, CustomPrefix) || len(t.Name) == len(CustomPrefix)) && t.Name != "" {
		f.add(where, "name.prefix", fmt.Sprintf("the table name %s does not start with %s", quote(t.Name), CustomPrefix),
			"call it "+CustomPrefix+"…, or allow other prefixes explicitly")
	}
	f.text(where, "table.label", "the label", t.Label, maxLabel)
	if t.Label != "" && strings.TrimSpace(t.Label) == "" {
		f.add(where, "table.label", "the label is blank", "give it text or leave it out")
	}
	f.text(where, "table.description", "the description", t.Description, maxDescription)
	f.text(where, "table.help", "the help", t.Help, maxHelp)
	if !t.accessLevel().Valid() {
		f.add(where, "table.access", fmt.Sprintf("there is no access level %s", quote(string(t.AccessLevel))),
			"use 1 Organization, 2 Client only, 3 Client+Organization, 4 System only, 6 System+Client or 7 All")
	}
	switch t.replication() {
	case ReplicationLocal, ReplicationMerge, ReplicationReference:
	default:
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
	if t.Window.Type == "" {
		return WindowMaintain
	}
	return t.Window.Type
}
