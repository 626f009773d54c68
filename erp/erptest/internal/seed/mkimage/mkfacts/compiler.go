package main

import (
	"cmp"
	"slices"
	"strings"
)

// Ids of what the facts know without an id, in ranges the ERP does not use and
// neither do the files of ../dictionary.
const (
	firstColumnID    = 910_101
	firstElementID   = 912_001
	firstReferenceID = 920_001
)

// compiler holds the facts with what was settled about them.
type compiler struct {
	f          *facts
	tableNamed map[string]*table // by upper-case name
	refByID    map[int64]*reference
	hasProcess map[int64]bool
	byName     map[string][]*column // columns whose type is on record, by upper-case name
	settled    map[*column]settled

	lookups    map[string]*reference // the table reference made for a table, by upper-case name
	made       []*reference          // those of the above the facts do not have
	ownElement []*element
	usedRules  map[int64]string // AD_Val_Rule_ID to the table its columns point at
}

func newCompiler(f *facts) *compiler {
	c := &compiler{
		f: f, tableNamed: map[string]*table{}, refByID: map[int64]*reference{}, byName: map[string][]*column{},
		settled: map[*column]settled{}, hasProcess: map[int64]bool{}, lookups: map[string]*reference{}, usedRules: map[int64]string{},
	}
	slices.SortFunc(f.tables, func(a, b *table) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(f.references, func(a, b *reference) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(f.elements, func(a, b *element) int {
		return cmp.Or(cmp.Compare(strings.ToUpper(a.Column), strings.ToUpper(b.Column)), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(f.processes, func(a, b *process) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(f.windows, func(a, b *window) int { return cmp.Compare(a.ID, b.ID) })
	f.processes = slices.DeleteFunc(f.processes, func(p *process) bool { return p.ID >= 1_000_000 }) // ids of tenants
	for _, p := range f.processes {
		c.hasProcess[p.ID] = true
	}
	for _, r := range f.references {
		r.Type = cmp.Or(r.Type, "L")
		c.refByID[r.ID] = r
	}
	for _, t := range f.tables {
		c.tableNamed[strings.ToUpper(t.Name)] = t
	}
	c.settleKeys()
	c.nameColumns()
	c.settleTypes()
	c.addElements()
	return c
}

// settleKeys finds the keys of tables the facts have only from the database: one
// column named after the table is the key, others are parents.
func (c *compiler) settleKeys() {
	for _, t := range c.f.tables {
		t.Columns = slices.DeleteFunc(t.Columns, func(x *column) bool { return x.Inactive })
		has := false
		for _, x := range t.Columns {
			own := strings.EqualFold(x.Name, t.Name+"_ID")
			if x.DBKey && !x.Key && !x.Parent {
				x.Key, x.Parent = own, !own
			}
			if x.Key && !own && slices.ContainsFunc(t.Columns, func(o *column) bool {
				return o != x && o.Key
			}) {
				x.Key = false // a table has one
			}
			has = has || x.Key || x.Parent || strings.EqualFold(x.Name, t.Name+"_UU")
		}
		if has || t.View {
			continue
		}
		for _, x := range t.Columns { // nothing says what identifies a record
			x.Parent = slices.Contains([]string{"AD_PInstance_ID", "SeqNo", "Fact_Acct_ID", t.Name + "_ID"}, x.Name)
		}
	}
}

// nameColumns gives ids to columns without one, in the order of tables and
// columns, and collects those whose type is on record.
func (c *compiler) nameColumns() {
	id := int64(firstColumnID)
	for _, t := range c.f.tables {
		slices.SortStableFunc(t.Columns, func(a, b *column) int { return cmp.Compare(a.Name, b.Name) })
		for _, x := range t.Columns {
			if x.ID == 0 {
				x.ID = id
				id++
			}
			if x.Ref != 0 {
				name := strings.ToUpper(x.Name)
				c.byName[name] = append(c.byName[name], x)
			}
		}
		slices.SortFunc(t.Columns, func(a, b *column) int { return cmp.Compare(a.ID, b.ID) })
	}
}

// addElements makes elements for columns that have none.
func (c *compiler) addElements() {
	known := map[string]bool{}
	for _, e := range c.f.elements {
		known[strings.ToUpper(e.Column)] = true
	}
	labels := map[string]string{}
	for _, t := range c.f.tables {
		for _, x := range t.Columns {
			name := strings.ToUpper(x.Name)
			if labels[name] == "" {
				labels[name] = oneLine(x.Label)
			}
			if !known[name] {
				known[name] = true
				c.ownElement = append(c.ownElement, &element{Column: x.Name})
			}
		}
	}
	slices.SortFunc(c.ownElement, func(a, b *element) int {
		return cmp.Compare(strings.ToUpper(a.Column), strings.ToUpper(b.Column))
	})
	for i, e := range c.ownElement {
		e.ID = firstElementID + int64(i)
	}
	for _, e := range slices.Concat(c.f.elements, c.ownElement) {
		if e.Name = oneLine(e.Name); e.Name == "" {
			e.Name = cmp.Or(labels[strings.ToUpper(e.Column)], e.Column)
		}
	}
}

// oneLine takes line ends and blanks at the ends away, and what has a meaning in
// the output.
func oneLine(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), " | ", " / ")
}
