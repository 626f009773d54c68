package dict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// indexes adds the declared indexes, and a unique constraint for every own
// column that is to be unique; the table's UUID column gets its constraint with
// the table.
func (b *builder) indexes(t *built) {
	all := slices.Clone(t.Indexes)
	for _, c := range t.columns {
		if c.Unique && !c.Key && c.Type != TypeUUID {
			name := text.FirstBytes(t.Name+"_"+c.Name, MaxColumnName-len("_key")) + "_key"
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

// Physical is a table as it has to be in the database.
type Physical struct {
	Table   string           `json:"table"`
	Columns []PhysicalColumn `json:"columns"` // in the ERP's order: by name, ignoring case
}

// PhysicalColumn is a column as it has to be in the database.
type PhysicalColumn struct {
	Name      string      `json:"name"`
	Type      DisplayType `json:"type"`
	Length    int         `json:"length"`
	Mandatory bool        `json:"mandatory,omitempty"`
	Default   string      `json:"default,omitempty"` // as in the dictionary
	Key       bool        `json:"key,omitempty"`
	UUID      bool        `json:"uuid,omitempty"` // the table's own UUID column
	Foreign   *ForeignKey `json:"foreignKey,omitempty"`
}

// ForeignKey is a foreign key as it has to be in the database.
type ForeignKey struct {
	Name string `json:"name"`
	// Table and Column are what it points at. They are empty when only the ERP
	// knows, and Reference then names the AD_Reference to look at.
	Table     string `json:"table,omitempty"`
	Column    string `json:"column,omitempty"`
	Reference string `json:"reference,omitempty"`
	Rule      FKRule `json:"rule"`
}

// physical is the database side of a table's real columns.
func physical(table string, columns []origin) *Physical {
	p := &Physical{Table: table}
	for _, c := range columns {
		if c.SQL != "" {
			continue
		}
		pc := PhysicalColumn{
			Name: c.Name, Type: c.Type, Length: c.Length, Mandatory: c.Mandatory, Default: c.Default,
			Key: c.Key, UUID: c.Type == TypeUUID && strings.EqualFold(c.Name, table+"_UU"),
		}
		if c.hasForeignKey() {
			pc.Foreign = foreignKey(c.Column)
		}
		p.Columns = append(p.Columns, pc)
	}
	slices.SortStableFunc(p.Columns, func(a, b PhysicalColumn) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return p
}

func foreignKey(c Column) *ForeignKey {
	fk := &ForeignKey{Name: c.ForeignKeyName, Rule: c.ForeignKey}
	target, _ := c.TargetTable()
	switch {
	case target == "" && c.Reference != nil:
		fk.Reference = c.Reference.Name
	case c.Type.IsUUID():
		fk.Table, fk.Column = target, target+"_UU"
	default:
		fk.Table, fk.Column = target, target+"_ID"
	}
	return fk
}
