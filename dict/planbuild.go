package dict

import (
	"cmp"
	"strings"
)

// builder turns tables into steps.
type builder struct {
	opts     *Options
	steps    []Step
	keys     map[Key]bool
	tables   []*built
	byName   map[string]*built // by lower-case table name
	lookups  []pendingLookup
	trailing []func() // steps that come after all synchronisations
}

// built is a table that has its record and column steps.
type built struct {
	Table
	columns []origin
	columnK map[string]Key // lower-case column name to step
}

func newBuilder(opts *Options, tables []Table) *builder {
	b := &builder{opts: opts, keys: map[Key]bool{}, byName: map[string]*built{}}
	for _, t := range tables {
		bt := &built{Table: t, columns: t.expand(), columnK: map[string]Key{}}
		for _, c := range bt.columns {
			bt.columnK[strings.ToLower(c.Name)] = columnKey(t.Name, c.Name)
		}
		b.tables = append(b.tables, bt)
		b.byName[strings.ToLower(t.Name)] = bt
	}
	return b
}

// record adds a record step unless the plan has one with that key. The UUID is
// made from the namespace and the parts of the path, which name the record in
// every installation.
func (b *builder) record(r *RecordStep, path ...string) {
	if b.keys[r.Key] {
		return
	}
	b.keys[r.Key] = true
	if r.Action != Update {
		namespace := cmp.Or(b.opts.Namespace, Namespace)
		r.UUID = UUIDv5(namespace, r.Table+"/"+strings.Join(path, "/"))
	}
	b.steps = append(b.steps, r)
}

// fields builds the values of a record.
type fields []ColumnValue

func (f *fields) set(column string, v Value) { *f = append(*f, ColumnValue{column, v}) }

func (f *fields) text(column, text string) {
	if text != "" {
		f.set(column, Text(text))
	}
}

func (b *builder) addTable(t *built) {
	key := Key(t.Name)
	var v fields
	v.set("TableName", Text(t.Name))
	v.set("Name", Text(t.label()))
	v.text("Description", t.Description)
	v.text("Help", t.Help)
	v.set("AccessLevel", Text(t.accessLevel()))
	v.set("EntityType", Text(t.entityType()))
	v.set("IsChangeLog", YesNo(t.ChangeLog))
	v.set("IsDeleteable", YesNo(!t.NotDeleteable && !t.View))
	v.set("IsHighVolume", YesNo(t.HighVolume))
	v.set("IsSecurityEnabled", YesNo(t.Security))
	v.set("IsView", YesNo(t.View))
	v.set("IsPartition", YesNo(t.Partition))
	v.set("IsShowInDrillOptions", YesNo(t.Drill))
	v.set("ReplicationType", Text(t.replication()))
	b.record(&RecordStep{Key: key, Action: Create, Table: "AD_Table", Name: t.Name, Values: v,
		Match: []Match{{"TableName", Text(t.Name), true}}}, strings.ToLower(t.Name))

	selection := 0
	for _, c := range t.columns {
		element := b.element(c.Column)
		reference := b.reference(c.Reference)
		if c.Selection {
			selection += 10
		}
		b.column(t, c.Column, element, reference, selection)
		b.placeLookups()
	}
	b.indexes(t)
	if t.Window != nil {
		b.trailing = append(b.trailing, func() { b.window(t) })
	}
}

func columnKey(table, column string) Key { return Key("AD_Column." + table + "." + column) }

// element adds the term of a column.
func (b *builder) element(c Column) Key {
	key := Key("AD_Element." + strings.ToLower(c.Name))
	id := c.ElementID
	if id == 0 && b.opts.Element != nil {
		id, _ = b.opts.Element(c.Name)
	}
	var v fields
	v.set("ColumnName", Text(c.Name))
	v.set("Name", Text(c.Label))
	v.set("PrintName", Text(c.Label))
	v.text("Description", c.Description)
	v.text("Help", c.Help)
	v.text("Placeholder", c.Placeholder)
	v.set("EntityType", Text(c.EntityType))
	b.record(&RecordStep{Key: key, Action: Ensure, Table: "AD_Element", Name: c.Name, ID: id, Values: v,
		Match: []Match{{"ColumnName", Text(c.Name), true}}}, strings.ToLower(c.Name))
	return key
}

func (b *builder) column(t *built, c Column, element Key, reference Value, selection int) {
	var v fields
	v.set("AD_Table_ID", Ref(t.Name))
	v.set("AD_Element_ID", Ref(element))
	v.set("ColumnName", Text(c.Name))
	v.set("Name", Text(c.Label))
	v.text("Description", c.Description)
	v.text("Help", c.Help)
	v.text("Placeholder", c.Placeholder)
	v.set("AD_Reference_ID", Existing{Table: "AD_Reference", ID: int(c.Type)})
	if reference != nil {
		v.set("AD_Reference_Value_ID", reference)
	}
	if c.ValRule != "" {
		v.set("AD_Val_Rule_ID", Existing{Table: "AD_Val_Rule", Match: []Match{{"Name", Text(c.ValRule), false}}})
	}
	if c.Process != "" {
		v.set("AD_Process_ID", Existing{Table: "AD_Process", Match: []Match{{"Value", Text(c.Process), false}}})
	}
	v.set("FieldLength", Int(c.Length))
	v.text("DefaultValue", c.Default)
	v.set("IsKey", YesNo(c.Key))
	v.set("IsParent", YesNo(c.Parent))
	v.set("IsMandatory", YesNo(c.Mandatory))
	v.set("IsUpdateable", YesNo(!c.NotUpdateable))
	v.set("IsAlwaysUpdateable", YesNo(c.AlwaysUpdateable))
	v.set("IsIdentifier", YesNo(c.Identifier))
	v.set("SeqNo", Int(c.SeqNo))
	v.set("IsSelectionColumn", YesNo(c.Selection))
	if c.Selection {
		v.set("SeqNoSelection", Int(selection))
	}
	v.set("IsTranslated", YesNo(c.Translated))
	v.set("IsEncrypted", YesNo(false))
	v.set("IsSecure", YesNo(c.Secure))
	v.set("IsAllowCopy", YesNo(!c.NotCopied))
	v.set("IsAllowLogging", YesNo(!c.NotLogged))
	v.set("IsAutocomplete", YesNo(c.Autocomplete))
	v.set("IsToolbarButton", Text(map[bool]string{true: "Y", false: "N"}[c.Type == TypeButton]))
	v.set("IsHtml", YesNo(false))
	v.set("IsPartitionKey", YesNo(false))
	v.text("ReadOnlyLogic", c.ReadOnlyLogic)
	v.text("MandatoryLogic", c.MandatoryLogic)
	v.text("Callout", c.Callout)
	v.text("VFormat", c.VFormat)
	v.text("FormatPattern", c.FormatPattern)
	v.text("ValueMin", c.Min)
	v.text("ValueMax", c.Max)
	v.text("ColumnSQL", c.SQL)
	v.text("FKConstraintName", c.ForeignKeyName)
	v.set("FKConstraintType", Text(c.ForeignKey))
	v.set("Version", Int(0))
	v.set("EntityType", Text(c.EntityType))
	b.record(&RecordStep{Key: columnKey(t.Name, c.Name), Action: Create, Table: "AD_Column", Name: t.Name + "." + c.Name, Values: v,
		Match: []Match{{"AD_Table_ID", Ref(t.Name), false}, {"ColumnName", Text(c.Name), true}},
	}, strings.ToLower(t.Name), strings.ToLower(c.Name))
}

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
		shown := cmp.Or(l.Display, l.Key)
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

// display is the column that shows a record of the table: the requested one,
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
