package dict

import "slices"

// NewTable starts the definition of a table without columns; add those every
// table has with [Table.With] and [Standard].
func NewTable(name string) Table { return Table{Name: name} }

// WithLabel sets the name that people read.
func (t Table) WithLabel(label string) Table { t.Label = label; return t }

// WithDescription sets the one-line description.
func (t Table) WithDescription(text string) Table { t.Description = text; return t }

// WithHelp sets the help text.
func (t Table) WithHelp(text string) Table { t.Help = text; return t }

// WithAccessLevel sets to whom the rows belong.
func (t Table) WithAccessLevel(level AccessLevel) Table { t.AccessLevel = level; return t }

// WithEntityType sets the owner of the dictionary records.
func (t Table) WithEntityType(code string) Table { t.EntityType = code; return t }

// With adds templates. A template that is there already is not added again.
func (t Table) With(templates ...Template) Table {
	t.Templates = slices.Clone(t.Templates)
	for _, tpl := range templates {
		if !slices.Contains(t.Templates, tpl) {
			t.Templates = append(t.Templates, tpl)
		}
	}
	return t
}

// Column adds own columns after those that are there.
func (t Table) Column(columns ...Column) Table {
	t.Columns = append(slices.Clip(t.Columns), columns...)
	return t
}

// Index adds an index over columns of the table.
func (t Table) Index(indexes ...Index) Table {
	t.Indexes = append(slices.Clip(t.Indexes), indexes...)
	return t
}

// ImportInto makes the table an import table for target: it gets the [Import]
// template and a copy of the target's own columns, all optional. The columns
// come from a registry; columns every table has, buttons, virtual columns and
// those the templates bring are not copied.
func (t Table) ImportInto(target string, columns []Column) Table {
	t = t.With(Import)
	t.Target = &ImportTarget{Table: target, Columns: slices.Clone(columns)}
	return t
}

// WithWindow asks for a window on the table.
func (t Table) WithWindow(w Window) Table {
	w.Roles = slices.Clone(w.Roles)
	t.Window = &w
	return t
}

// List is a new list reference with its values.
func List(name string, values ...ListValue) *Reference {
	return &Reference{Name: name, Values: values}
}

// Lookup is a new table reference.
func Lookup(name string, lookup TableLookup) *Reference {
	return &Reference{Name: name, Lookup: &lookup}
}

// ExistingReference is a reference that is already in the ERP. The id is its
// official one, or 0 when it has to be found by name; target is the table it
// leads to, or empty for a list.
func ExistingReference(name string, id int, target string) *Reference {
	return &Reference{Name: name, ID: id, Target: target}
}
