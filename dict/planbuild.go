package dict

import (
	"slices"
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
		namespace := b.opts.Namespace
		if namespace == "" {
			namespace = Namespace
		}
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

// indexes adds the declared indexes, and a unique constraint for every own
// column that is to be unique; the table's UUID column gets its constraint with
// the table.
func (b *builder) indexes(t *built) {
	all := slices.Clone(t.Indexes)
	for _, c := range t.columns {
		if c.Unique && !c.Key && c.Type != TypeUUID {
			name := cut(t.Name+"_"+c.Name, MaxColumnName-len("_key")) + "_key"
			all = append(all, Index{Name: name, Columns: []string{c.Name}, Unique: true, Constraint: true})
		}
	}
	for _, index := range all {
		key := Key("AD_TableIndex." + index.Name)
		var v fields
		v.set("AD_Table_ID", Ref(t.Name))
		v.set("Name", Text(index.Name))
		v.set("IsCreateConstraint", YesNo(index.Constraint))
		v.set("IsUnique", YesNo(index.Unique))
		v.set("IsKey", YesNo(false))
		v.set("EntityType", Text(t.entityType()))
		b.record(&RecordStep{Key: key, Action: Create, Table: "AD_TableIndex", Name: index.Name, Values: v,
			Match: []Match{{"AD_Table_ID", Ref(t.Name), false}, {"Name", Text(index.Name), true}}}, strings.ToLower(index.Name))
		after := []Key{}
		for i, name := range index.Columns {
			column := t.columnKey(name)
			ck := Key("AD_IndexColumn." + index.Name + "." + name)
			var v fields
			v.set("AD_TableIndex_ID", Ref(key))
			v.set("AD_Column_ID", Ref(column))
			v.set("SeqNo", Int((i+1)*10))
			v.set("EntityType", Text(t.entityType()))
			b.record(&RecordStep{Key: ck, Action: Create, Table: "AD_IndexColumn", Name: index.Name + "." + name, Values: v,
				Match: []Match{{"AD_TableIndex_ID", Ref(key), false}, {"AD_Column_ID", Ref(column), false}},
			}, strings.ToLower(index.Name), strings.ToLower(name))
			after = append(after, ck)
		}
		if b.syncs(t) {
			sync := syncKey(t.Name)
			b.trailing = append(b.trailing, func() {
				b.steps = append(b.steps, &RunStep{Key: Key("index." + index.Name), Purpose: ValidateIndex, Name: index.Name,
					Table: "AD_TableIndex", Record: Ref(key), After: append(after, sync), Index: &index})
			})
		}
	}
}

func syncKey(table string) Key { return Key("sync." + table) }

// syncs reports whether the table gets a synchronisation: not a view, and not a
// table without real columns.
func (b *builder) syncs(t *built) bool {
	return !b.opts.NoSync && !t.View && slices.ContainsFunc(t.columns, func(c origin) bool { return c.SQL == "" })
}

// finish adds what comes after all columns: the synchronisations, each after
// those of the tables it points at, then indexes and windows.
func (b *builder) finish() {
	done := map[string]bool{}
	var visit func(t *built)
	visit = func(t *built) {
		name := strings.ToLower(t.Name)
		if done[name] {
			return
		}
		done[name] = true
		for _, c := range t.columns {
			target, ok := c.TargetTable()
			if !ok || !c.hasForeignKey() {
				continue
			}
			for _, other := range b.tables {
				if strings.EqualFold(other.Name, target) {
					visit(other)
				}
			}
		}
		b.sync(t)
	}
	for _, t := range b.tables {
		visit(t)
	}
	for _, add := range b.trailing {
		add()
	}
}

func (b *builder) sync(t *built) {
	if !b.syncs(t) {
		return
	}
	p := &RunStep{Key: syncKey(t.Name), Purpose: SyncTable, Name: t.Name, Table: "AD_Column", Physical: physical(t.Name, t.columns)}
	var record Key
	for _, c := range t.columns {
		if c.SQL != "" {
			continue
		}
		key := columnKey(t.Name, c.Name)
		p.After = append(p.After, key)
		if record == "" || c.Key {
			record = key
		}
	}
	p.Record = Ref(record)
	b.steps = append(b.steps, p)
}
