package dict

import "slices"

// join fills in what rows say about each other. Nothing it writes is read from
// a source, so joining again gives the same.
func (c *Catalog) join() {
	c.joinLookups()
	c.joinColumns()
	c.joinWindows()
	c.joinProcesses()

	c.indexColumns = slices.Clone(c.indexColumns)
	for i := range c.indexColumns {
		r := &c.indexColumns[i]
		r.Column = c.columnName(r.ColumnID)
	}
}

func (c *Catalog) joinLookups() {
	c.lookups = slices.Clone(c.lookups)
	for i := range c.lookups {
		l := &c.lookups[i]
		l.Table, l.Key, l.Display = c.tableName(l.TableID), c.columnName(l.KeyID), c.columnName(l.DisplayID)
	}
}

func (c *Catalog) joinColumns() {
	processes := make(map[int]string, len(c.processes))
	for i := range c.processes {
		processes[c.processes[i].ID] = c.processes[i].Value
	}
	c.tables = slices.Clone(c.tables)
	c.columns = slices.Clone(c.columns)
	for t := range c.tables {
		table := &c.tables[t]
		table.ColumnCount = 0
		of := c.columnsOf[t]
		for i := of.from; i < of.to; i++ {
			r := &c.columns[i]
			if r.Active {
				table.ColumnCount++
			}
			r.Table = table.Name
			r.ElementName, r.PrintName = "", ""
			if e, ok := c.element(r.ElementID); ok {
				r.ElementName, r.PrintName = e.Label, e.PrintName
			}
			r.TypeName = c.typeName(r.Type)
			r.Reference = c.referenceName(r.ReferenceID)
			r.ForeignTable = c.foreignTable(r.Name, r.Type, r.ReferenceID)
			r.ValRule, r.ValRuleCode = "", ""
			if rule, ok := c.rule(r.ValRuleID); ok {
				r.ValRule, r.ValRuleCode = rule.Name, rule.Code
			}
			r.Process = processes[r.ProcessID]
		}
	}
}

func (c *Catalog) joinWindows() {
	c.tabs = slices.Clone(c.tabs)
	for i := range c.tabs {
		t := &c.tabs[i]
		t.Table, t.LinkColumn = c.tableName(t.TableID), c.columnName(t.LinkColumnID)
	}
	c.fields = slices.Clone(c.fields)
	for i := range c.fields {
		f := &c.fields[i]
		f.Table, f.Column = "", ""
		if at, ok := c.columnByID[f.ColumnID]; ok {
			f.Table, f.Column = c.columns[at].Table, c.columns[at].Name
		}
	}
}

func (c *Catalog) joinProcesses() {
	c.parameters = slices.Clone(c.parameters)
	for i := range c.parameters {
		p := &c.parameters[i]
		p.TypeName = c.typeName(p.Type)
		p.Reference = c.referenceName(p.ReferenceID)
		p.ForeignTable = c.foreignTable(p.Column, p.Type, p.ReferenceID)
	}
}

// typeName is the name of a display type, also of one that belongs to the
// installation.
func (c *Catalog) typeName(t DisplayType) string {
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
// of. A table that only seems to exist, by the name of the column, is none.
func (c *Catalog) foreignTable(name string, t DisplayType, reference int) string {
	column := Column{Name: name, Type: t}
	if reference != 0 {
		column.Reference = &Reference{ID: reference}
		if l, ok := c.lookup(reference); ok {
			column.Reference.Target = l.Table
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
