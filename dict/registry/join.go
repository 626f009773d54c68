package registry

import "github.com/erphub/erphub/dict"

// What rows say about each other is put together when they are handed out: it
// takes less than a microsecond a row, and a start does not wait for it.

// joinColumn fills in what belongs to a column.
func (c *Catalog) joinColumn(r *Column) {
	r.Table = c.tableName(r.TableID)
	if e, ok := c.element(r.ElementID); ok {
		r.ElementName, r.PrintName = e.Label, e.PrintName
		if r.Description == "" {
			r.Description = e.Description
		}
		if r.Help == "" {
			r.Help = e.Help
		}
	}
	r.TypeName = c.typeName(r.Type)
	r.Reference = c.referenceName(r.ReferenceID)
	r.ForeignTable = c.foreignTable(r.Name, r.Type, r.ReferenceID)
	if rule, ok := c.rule(r.ValRuleID); ok {
		r.ValRule, r.ValRuleCode = rule.Name, rule.Code
	}
	if at, ok := c.processByID[r.ProcessID]; ok {
		r.Process = c.processes[at].Value
	}
}

func (c *Catalog) joinIndexColumn(r *IndexColumn) { r.Column = c.columnName(r.ColumnID) }

func (c *Catalog) joinTab(t *Tab) {
	t.Table, t.LinkColumn = c.tableName(t.TableID), c.columnName(t.LinkColumnID)
}

func (c *Catalog) joinField(f *Field) {
	if at, ok := c.columnByID[f.ColumnID]; ok {
		f.Table, f.Column = c.tableName(c.columns[at].TableID), c.columns[at].Name
	}
}

func (c *Catalog) joinParameter(p *Parameter) {
	p.TypeName = c.typeName(p.Type)
	p.Reference = c.referenceName(p.ReferenceID)
	p.ForeignTable = c.foreignTable(p.Column, p.Type, p.ReferenceID)
}

func (c *Catalog) joinLookup(l *Lookup) {
	l.Table, l.Key, l.Display = c.tableName(l.TableID), c.columnName(l.KeyID), c.columnName(l.DisplayID)
}

// typeName is the name of a display type, also of one that belongs to the
// installation.
func (c *Catalog) typeName(t dict.DisplayType) string {
	if !t.Known() {
		if name := c.referenceName(int(t)); name != "" {
			return name
		}
	}
	return t.String()
}

func (c *Catalog) referenceName(id int) string {
	if r, ok := c.reference(id); ok {
		return r.Name
	}
	return ""
}

// foreignTable is the table that the values of a column or parameter are ids
// of; "" without one, or if the name of the column suggests a table that does not exist.
func (c *Catalog) foreignTable(name string, t dict.DisplayType, reference int) string {
	column := dict.Column{Name: name, Type: t}
	if reference != 0 {
		column.Reference = &dict.Reference{ID: reference}
		if l, ok := c.lookup(reference); ok {
			column.Reference.Target = c.tableName(l.TableID)
		}
	}
	target, ok := column.TargetTable()
	if !ok {
		return ""
	}
	at, ok := c.tableByName[lowerASCII(target)]
	if !ok {
		return ""
	}
	return baseOfView(c.tables[at].Name)
}

// baseOfView is the table behind one of the three views over all tenants that
// lookups use in its place.
func baseOfView(name string) string {
	switch lowerASCII(name) {
	case "ad_allclients_v":
		return "AD_Client"
	case "ad_allusers_v":
		return "AD_User"
	case "ad_allroles_v":
		return "AD_Role"
	}
	return name
}

// lowerASCII lowers a name of the dictionary; it does not allocate when there is
// nothing to lower.
func lowerASCII(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for i := range b {
				b[i] = lowerByte(b[i])
			}
			return string(b)
		}
	}
	return s
}
