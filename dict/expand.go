package dict

import (
	"cmp"
	"slices"
	"strings"
)

// AllColumns are the columns the table gets in the end: those of its templates,
// merged and in the templates' order, then those copied from an import target,
// then its own; every one with all defaults filled in and with the rules
// applied that the ERP applies on save. It does not validate; see [Validate].
func (t Table) AllColumns() []Column {
	expanded := t.expand()
	columns := make([]Column, len(expanded))
	for i, c := range expanded {
		columns[i] = c.Column
	}
	return columns
}

// origin says where a column comes from.
type origin struct {
	Column
	template Template // empty: an own column
	target   bool     // copied from the import target
	own      int      // index in Table.Columns, for own columns
}

func (t Table) expand() []origin {
	var all []origin
	index := map[string]int{} // lower-case name to place in all
	for _, tpl := range Templates() {
		if !slices.Contains(t.Templates, tpl) {
			continue
		}
		for _, c := range tpl.Columns(t.Name) {
			key := strings.ToLower(c.Name)
			if i, ok := index[key]; ok {
				all[i].Column = stricter(all[i].Column, c)
				continue
			}
			index[key] = len(all)
			all = append(all, origin{Column: c, template: tpl})
		}
	}
	if t.Target != nil {
		for _, c := range t.Target.Columns {
			key := strings.ToLower(c.Name)
			if _, ok := index[key]; ok || !copied(t.Target.Table, c) {
				continue
			}
			index[key] = len(all)
			all = append(all, origin{Column: importColumn(t.Target.Table, c), target: true})
		}
	}
	for i, c := range t.Columns {
		all = append(all, origin{Column: c, own: i})
	}
	for i := range all {
		all[i].Column = t.normal(all[i].Column)
	}
	markIdentifier(all)
	numberIdentifiers(all)
	nameForeignKeys(t.Name, all)
	return all
}

// stricter merges a column that two templates bring: a stays, and every flag
// that narrows what is accepted is taken from either.
func stricter(a, b Column) Column {
	a.Mandatory = a.Mandatory || b.Mandatory
	a.NotUpdateable = a.NotUpdateable || b.NotUpdateable
	a.Key = a.Key || b.Key
	a.Unique = a.Unique || b.Unique
	a.Identifier = a.Identifier || b.Identifier
	a.Selection = a.Selection || b.Selection
	if b.Length > 0 && b.Length < a.Length {
		a.Length = b.Length
	}
	a.Default = cmp.Or(a.Default, b.Default)
	return a
}

// copied reports whether an import table copies a column of its target.
func copied(target string, c Column) bool {
	switch strings.ToLower(c.Name) {
	case "ad_client_id", "ad_org_id", "isactive", "created", "createdby", "updated", "updatedby",
		"processed", "processing", strings.ToLower(target) + "_uu":
		return false
	}
	return c.SQL == "" && c.Type != TypeUUID && c.Type != TypeButton
}

// importColumn is a column of the target as the import table has it: nothing is
// demanded before the import has checked it, and the target's key becomes a
// link to the record that the import made.
func importColumn(target string, c Column) Column {
	if c.Key || strings.EqualFold(c.Name, target+"_ID") {
		c = Column{Name: c.Name, Label: c.Label, Description: c.Description, Type: TypeTableDir, Length: 10}
	}
	c.Mandatory, c.Parent, c.Unique, c.Identifier, c.NotUpdateable = false, false, false, false, false
	c.SeqNo, c.Callout, c.ReadOnlyLogic, c.MandatoryLogic, c.EntityType = 0, "", "", "", ""
	c.ForeignKeyName = ""
	if c.Type != TypeYesNo {
		c.Default = ""
	}
	return c
}

// normal fills in what a definition leaves out and applies the rules the ERP
// applies when a column is saved.
func (t Table) normal(c Column) Column {
	if c.Label == "" && c.Key && strings.EqualFold(c.Name, t.Name+"_ID") {
		c.Label = t.label()
	}
	c.Label = cmp.Or(c.Label, labelOf(c.Name))
	if c.Reference != nil {
		ref := *c.Reference
		if ref.Lookup != nil {
			lookup := *ref.Lookup
			lookup.Key = cmp.Or(lookup.Key, lookup.Table+"_ID")
			ref.Lookup, ref.Target = &lookup, lookup.Table
		}
		ref.EntityType = cmp.Or(ref.EntityType, t.entityType())
		c.Reference = &ref
	}
	if c.Type == TypePayment {
		c.Reference = &Reference{Name: "_Payment Rule", ID: 195}
	}
	c.EntityType = cmp.Or(c.EntityType, t.entityType())
	c.ForeignKey = cmp.Or(c.ForeignKey, FKNoAction)
	if e, ok := knownElement(c.Name); ok && c.ElementID == 0 {
		c.ElementID = e.ID
	}

	c.Length = cmp.Or(c.Length, c.usualLength())
	if c.Type.isLOB() {
		c.Length = 0
	}
	if c.Type.IsUUID() {
		c.Length = 36
	}
	if c.Type == TypeYesNo {
		c.Mandatory, c.Length = true, 1
		if c.Default == "" {
			c.Default = "N"
			if strings.EqualFold(c.Name, "IsActive") {
				c.Default = "Y"
			}
		}
	}
	return c.normalFlags()
}

func (c Column) normalFlags() Column {
	if c.Key || c.Parent {
		c.NotUpdateable = true
	}
	if c.SQL != "" {
		c.Mandatory, c.NotUpdateable = false, true
		if strings.HasPrefix(c.SQL, "@SQL") {
			c.Identifier = false
		}
	}
	if c.NotUpdateable {
		c.AlwaysUpdateable = false
	}
	if c.Secure {
		c.NotLogged = true
	}
	if c.Key || c.SQL != "" || c.Type.IsUUID() || isStandardColumn(c.Name) {
		c.NotCopied = true
	}
	return c
}

// usualLength is the FieldLength of a column whose definition gives none.
func (c Column) usualLength() int {
	if c.Type.IsList() && c.Reference != nil && len(c.Reference.Values) > 0 && !c.Type.IsMultiple() {
		longest := 1
		for _, v := range c.Reference.Values {
			longest = max(longest, len([]rune(v.Value)))
		}
		return longest
	}
	f, _ := factsOf(c.Type)
	return f.Length
}

// isStandardColumn reports whether the ERP fills the column itself.
func isStandardColumn(name string) bool {
	switch strings.ToLower(name) {
	case "ad_client_id", "ad_org_id", "isactive", "created", "createdby", "updated", "updatedby", "processing":
		return true
	}
	return false
}

// markIdentifier gives a table without identifier one, so that its records are
// shown as more than a number.
func markIdentifier(all []origin) {
	var best *Column
	rank := map[string]int{"value": 3, "name": 2, "documentno": 1}
	for i := range all {
		c := &all[i].Column
		if c.Identifier {
			return
		}
		if r := rank[strings.ToLower(c.Name)]; r > 0 && c.SQL == "" &&
			(best == nil || r > rank[strings.ToLower(best.Name)]) {
			best = c
		}
	}
	if best != nil {
		best.Identifier = true
	}
}

// numberIdentifiers gives identifiers without a number the next free ones.
func numberIdentifiers(all []origin) {
	taken := map[int]bool{}
	for i := range all {
		if all[i].Identifier && all[i].SeqNo != 0 {
			taken[all[i].SeqNo] = true
		}
	}
	next := 1
	for i := range all {
		c := &all[i].Column
		if !c.Identifier {
			c.SeqNo = 0
			continue
		}
		if c.SeqNo == 0 {
			for taken[next] {
				next++
			}
			c.SeqNo = next
			taken[next] = true
		}
	}
}

func (t Table) label() string {
	return cmp.Or(t.Label, labelOf(t.Name))
}

func (t Table) entityType() string {
	return cmp.Or(t.EntityType, DefaultEntityType)
}

func (t Table) accessLevel() AccessLevel {
	return cmp.Or(t.AccessLevel, AccessClientOrg)
}

func (t Table) replication() Replication {
	return cmp.Or(t.Replication, ReplicationLocal)
}
