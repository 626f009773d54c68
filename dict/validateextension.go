package dict

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Extension says of a [Table] that the ERP, or a plugin, brings it: the table's
// Columns are added to it, and the rest of it stays as it is. The table's EntityType
// is that of the columns.
type Extension struct {
	// Fields shows the columns in the windows of the table: each tab gets a field for
	// each of them, after its other fields.
	Fields bool
}

// validateExtension refuses names and entity types that belong to the ERP, because an
// update of it could bring a column of the same name, and columns that the rows there
// are cannot have.
func (t Table) validateExtension(f *findings) {
	where := shown(t.Name)
	only := Table{Name: t.Name, EntityType: t.EntityType, Columns: t.Columns, Extends: t.Extends}
	if !reflect.DeepEqual(t, only) {
		f.add(where, "extension.content", "the table is extended, and more than columns is said of it", "leave out all but its columns and their entity type")
	}
	if len(t.Columns) == 0 {
		f.add(where, "extension.columns", "the table is extended by no column", "name the columns that are added")
	}
	for _, c := range t.Columns {
		t.validateAdded(f, where+"."+shown(c.Name), c)
	}
}

func (t Table) validateAdded(f *findings, where string, c Column) {
	owner := t.ownerOf(c)
	if owner == "D" || owner == "C" {
		f.add(where, "extension.entitytype", fmt.Sprintf("the entity type %s is the ERP's own", owner), "leave the entity type out, or give that of your plugin")
		return
	}
	prefixes := []string{CustomPrefix}
	if owner != DefaultEntityType {
		prefixes = append(prefixes, owner+"_")
	}
	own := func(prefix string) bool { return strings.HasPrefix(c.Name, prefix) && len(c.Name) > len(prefix) }
	switch {
	case !strings.HasPrefix(t.Name, CustomPrefix) && !slices.ContainsFunc(prefixes, own):
		f.add(where, "extension.prefix",
			fmt.Sprintf("%s is a table of the ERP: the name of a column added to it begins with %s, and %s does not", shown(t.Name), strings.Join(prefixes, " or "), quote(c.Name)),
			"a prefix keeps it apart from columns that updates of the ERP bring; a reference under another name has the type Table and names its table")
	case c.Mandatory && c.Default == "":
		f.add(where, "extension.mandatory", fmt.Sprintf("the column %s is mandatory without a default, and the rows there are would have no value", c.Name),
			"give a default, or leave mandatory out")
	}
}

// ownerOf is the entity type of a column that is added to a table.
func (t Table) ownerOf(c Column) string {
	return cmp.Or(c.EntityType, t.entityType())
}
