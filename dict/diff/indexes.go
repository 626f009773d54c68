package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// indexes compares the declared indexes of a table, and the constraints of its
// unique columns, with the steps that would make them.
func (c *comparer) indexes(t dict.Table, info registry.Table) {
	wanted := map[string]bool{}
	for _, step := range c.steps {
		r, ok := step.(*dict.RecordStep)
		if !ok || r.Table != "AD_TableIndex" || r.Action == dict.Update || !refersTo(r, "AD_Table_ID", dict.Key(t.Name)) {
			continue
		}
		wanted[strings.ToLower(r.Name)] = true
		has, there := findIndex(info, r.Name)
		if !there {
			has, there = c.uniqueIndexOf(t, r, info)
			wanted[strings.ToLower(has.Name)] = true
		}
		if !there {
			c.add(Change{Table: t.Name, Kind: KindIndex, Name: r.Name, Action: Create, Detail: c.indexDetail(r), Step: r.Key})
			continue
		}
		record := existingIndex(existingTable(info.Name, info.ID), has)
		c.out.Found[r.Key] = record
		var list []Attribute
		if !has.Active {
			list = append(list, activate())
		}
		for _, f := range []struct {
			column string
			has    bool
		}{{"IsUnique", has.Unique}, {"IsCreateConstraint", has.Constraint}} {
			if want := r.Text(f.column); want != yesNo(f.has) {
				list = append(list, Attribute{Column: f.column, Has: yesNo(f.has), Wanted: want, Value: dict.YesNo(want == "Y")})
			}
		}
		c.update(Change{Table: t.Name, Kind: KindIndex, Name: r.Name, Step: r.Key, Record: record, Attributes: list})
		c.indexColumns(t, r, has, record)
	}
	for _, has := range info.Indexes {
		if has.Active && !has.Key && !wanted[strings.ToLower(has.Name)] {
			c.add(Change{Table: t.Name, Kind: KindIndex, Name: has.Name, Action: Remove, Destructive: "what the index ensures or speeds up is no longer declared",
				Record: existingIndex(existingTable(info.Name, info.ID), has)})
		}
	}
}

// uniqueIndexOf is the constraint of a unique column under another name than a new
// one gets: the column or the table was renamed, or somebody else made it.
func (c *comparer) uniqueIndexOf(t dict.Table, index *dict.RecordStep, info registry.Table) (registry.Index, bool) {
	if slices.ContainsFunc(t.Indexes, func(i dict.Index) bool { return strings.EqualFold(i.Name, index.Name) }) {
		return registry.Index{}, false // declared by this name
	}
	for _, has := range info.Indexes {
		declared := slices.ContainsFunc(t.Indexes, func(i dict.Index) bool { return strings.EqualFold(i.Name, has.Name) })
		if has.Active && has.Unique && has.Constraint && !has.Key && !declared && sameOrder(c.plan, index.Key, has) {
			return has, true
		}
	}
	return registry.Index{}, false
}

func (c *comparer) indexColumns(t dict.Table, index *dict.RecordStep, has registry.Index, record dict.Existing) {
	wanted := map[string]bool{}
	for _, step := range c.steps {
		r, ok := step.(*dict.RecordStep)
		if !ok || r.Table != "AD_IndexColumn" || !refersTo(r, "AD_TableIndex_ID", index.Key) {
			continue
		}
		column := lastName(r, "AD_Column_ID")
		wanted[strings.ToLower(column)] = true
		var found *registry.IndexColumn
		for i := range has.Columns {
			if strings.EqualFold(has.Columns[i].Column, column) {
				found = &has.Columns[i]
			}
		}
		if found == nil {
			c.add(Change{Table: t.Name, Kind: KindIndexColumn, Name: r.Name, Action: Create, Step: r.Key})
			continue
		}
		part := existingPart(record, t.Name, *found)
		c.out.Found[r.Key] = part
		var list []Attribute
		if !found.Active {
			list = append(list, activate())
		}
		if want := r.Text("SeqNo"); want != strconv.Itoa(found.SeqNo) && !sameOrder(c.plan, index.Key, has) {
			value, _ := r.Value("SeqNo")
			list = append(list, Attribute{Column: "SeqNo", Has: strconv.Itoa(found.SeqNo), Wanted: want, Value: value})
		}
		c.update(Change{Table: t.Name, Kind: KindIndexColumn, Name: r.Name, Step: r.Key, Record: part, Attributes: list})
	}
	for _, part := range has.Columns {
		if part.Active && part.Column != "" && !wanted[strings.ToLower(part.Column)] {
			c.add(Change{Table: t.Name, Kind: KindIndexColumn, Name: has.Name + "." + part.Column, Action: Remove,
				Destructive: "the index covers other columns", Record: existingPart(record, t.Name, part)})
		}
	}
}

// sameOrder reports whether an index has its columns in the wanted order,
// whatever their numbers are.
func sameOrder(plan *dict.Plan, index dict.Key, has registry.Index) bool {
	var names []string
	for _, part := range has.Columns { // by SeqNo
		if part.Active {
			names = append(names, strings.ToLower(part.Column))
		}
	}
	i := 0
	for _, step := range plan.Steps() {
		r, ok := step.(*dict.RecordStep)
		if !ok || r.Table != "AD_IndexColumn" || !refersTo(r, "AD_TableIndex_ID", index) {
			continue
		}
		if i >= len(names) || names[i] != strings.ToLower(lastName(r, "AD_Column_ID")) {
			return false
		}
		i++
	}
	return i == len(names)
}

func refersTo(r *dict.RecordStep, column string, key dict.Key) bool {
	v, _ := r.Value(column)
	ref, ok := v.(dict.Ref)
	return ok && dict.Key(ref) == key
}

func findIndex(info registry.Table, name string) (registry.Index, bool) {
	for _, i := range info.Indexes {
		if strings.EqualFold(i.Name, name) {
			return i, true
		}
	}
	return registry.Index{}, false
}

func (c *comparer) indexDetail(index *dict.RecordStep) string {
	var columns []string
	for _, step := range c.steps {
		if r, ok := step.(*dict.RecordStep); ok && r.Table == "AD_IndexColumn" && refersTo(r, "AD_TableIndex_ID", index.Key) {
			columns = append(columns, lastName(r, "AD_Column_ID"))
		}
	}
	text := "over " + strings.Join(columns, ", ")
	if index.Text("IsUnique") == "Y" {
		text = "unique " + text
	}
	return text
}

func existingIndex(table dict.Existing, i registry.Index) dict.Existing {
	return dict.Existing{Table: "AD_TableIndex", ID: official(i.ID), Match: []dict.Match{
		{Column: "AD_Table_ID", Value: table}, {Column: "Name", Value: dict.Text(i.Name), Fold: true}}}
}

func existingPart(index dict.Existing, table string, p registry.IndexColumn) dict.Existing {
	return dict.Existing{Table: "AD_IndexColumn", ID: official(p.ID), Match: []dict.Match{
		{Column: "AD_TableIndex_ID", Value: index},
		{Column: "AD_Column_ID", Value: existingColumn(existingTable(table, 0), p.Column, p.ColumnID)}}}
}
