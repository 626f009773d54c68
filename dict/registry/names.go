package registry

import "slices"

// NameColumns are the text columns that can hold what people call a record of the
// table: Value, DocumentNo, Name, display (which a reference may name; "" for none)
// and the identifiers, as far as the table has them and they can be read.
// identifiers are those of which the ERP makes the name it shows, in their order.
func (t *Table) NameColumns(display string) (columns, identifiers []string) {
	var parts []Column
	for _, c := range t.Columns {
		if c.Identifier && c.holdsName() {
			parts = append(parts, c)
		}
	}
	slices.SortStableFunc(parts, func(a, b Column) int { return a.SeqNo - b.SeqNo })
	for _, c := range parts {
		identifiers = append(identifiers, c.Name)
	}
	for _, name := range append([]string{"Value", "DocumentNo", "Name", display}, identifiers...) {
		if c, ok := t.Column(name); ok && c.holdsName() && !slices.Contains(columns, c.Name) {
			columns = append(columns, c.Name)
		}
	}
	return columns, identifiers
}

// Readable reports whether the ERP gives out values of the column as they are:
// it is active, stored, and neither encrypted nor secure.
func (c *Column) Readable() bool { return c.Active && !c.Virtual() && !c.Encrypted && !c.Secure }

func (c *Column) holdsName() bool {
	return c.Readable() && c.Type.IsText() && !c.Type.IsList() && c.ForeignTable == ""
}
