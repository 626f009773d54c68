package dict

import "strings"

// reference adds the steps of a reference, and gives the value that columns
// refer to it by; nil for none.
func (b *builder) reference(r *Reference) Value {
	if r == nil {
		return nil
	}
	if len(r.Values) == 0 && r.Lookup == nil {
		return Existing{Table: "AD_Reference", ID: r.ID, Match: []Match{{"Name", Text(r.Name), false}}}
	}
	key := Key("AD_Reference." + r.Name)
	if b.keys[key] {
		return Ref(key)
	}
	kind := "L"
	if r.Lookup != nil {
		kind = "T"
	}
	var v fields
	v.set("Name", Text(r.Name))
	v.text("Description", r.Description)
	v.set("ValidationType", Text(kind))
	v.set("ShowInactive", Text("N"))
	v.set("EntityType", Text(r.EntityType))
	b.record(&RecordStep{Key: key, Action: Create, Table: "AD_Reference", Name: r.Name, Values: v,
		Match: []Match{{"Name", Text(r.Name), false}}}, r.Name)
	for _, item := range r.Values {
		var v fields
		v.set("AD_Reference_ID", Ref(key))
		v.set("Value", Text(item.Value))
		v.set("Name", Text(item.Name))
		v.text("Description", item.Description)
		v.set("EntityType", Text(r.EntityType))
		b.record(&RecordStep{Key: Key("AD_Ref_List." + r.Name + "." + item.Value), Action: Create, Table: "AD_Ref_List",
			Name: r.Name + "." + item.Value, Values: v,
			Match: []Match{{"AD_Reference_ID", Ref(key), false}, {"Value", Text(item.Value), false}}}, r.Name, item.Value)
	}
	if r.Lookup != nil {
		b.lookup(r, key)
	}
	return Ref(key)
}

// pendingLookup is the AD_Ref_Table of a table reference, which names columns
// that may not be there yet.
type pendingLookup struct {
	reference *Reference
	key       Key // of the AD_Reference
}

// lookup remembers the AD_Ref_Table of a table reference and places it when it
// can.
func (b *builder) lookup(r *Reference, key Key) {
	b.lookups = append(b.lookups, pendingLookup{r, key})
	b.placeLookups()
}

// placeLookups adds every remembered AD_Ref_Table whose columns are there: those
// of tables outside the plan are in the ERP, those of the plan's own tables must
// have their step before.
func (b *builder) placeLookups() {
	waiting := b.lookups[:0]
	for _, p := range b.lookups {
		if !b.placeLookup(p) {
			waiting = append(waiting, p)
		}
	}
	b.lookups = waiting
}

func (b *builder) placeLookup(p pendingLookup) bool {
	l := p.reference.Lookup
	var table, key, display Value
	if t, ok := b.byName[strings.ToLower(l.Table)]; ok {
		keyColumn, displayColumn := t.columnKey(l.Key), t.columnKey(t.display(l))
		if !b.keys[keyColumn] || !b.keys[displayColumn] {
			return false
		}
		table, key, display = Ref(t.Name), Ref(keyColumn), Ref(displayColumn)
	} else {
		shown := l.Display
		if shown == "" {
			shown = l.Key
		}
		table, key, display = existingTable(l.Table), existingColumn(l.Table, l.Key), existingColumn(l.Table, shown)
	}
	r := p.reference
	var v fields
	v.set("AD_Reference_ID", Ref(p.key))
	v.set("AD_Table_ID", table)
	v.set("AD_Key", key)
	v.set("AD_Display", display)
	v.set("IsValueDisplayed", YesNo(l.ShowValue))
	v.text("WhereClause", l.Where)
	v.text("OrderByClause", l.OrderBy)
	v.set("EntityType", Text(r.EntityType))
	b.record(&RecordStep{Key: Key("AD_Ref_Table." + r.Name), Action: Create, Table: "AD_Ref_Table", Name: r.Name, Values: v,
		Match: []Match{{"AD_Reference_ID", Ref(p.key), false}}}, r.Name)
	return true
}

// display is the column that shows a record of the table: the one asked for,
// else the first identifier, else the key.
func (t *built) display(l *TableLookup) string {
	if l.Display != "" {
		return l.Display
	}
	best := l.Key
	number := 0
	for _, c := range t.columns {
		if c.Identifier && (number == 0 || c.SeqNo < number) {
			best, number = c.Name, c.SeqNo
		}
	}
	return best
}

// columnKey is the step of a column of the table.
func (t *built) columnKey(name string) Key { return t.columnK[strings.ToLower(name)] }

func existingTable(table string) Existing {
	return Existing{Table: "AD_Table", Match: []Match{{"TableName", Text(table), true}}}
}

func existingColumn(table, column string) Existing {
	return Existing{Table: "AD_Column", Match: []Match{
		{"AD_Table_ID", existingTable(table), false}, {"ColumnName", Text(column), true}}}
}
