package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// addDictionary writes what the dictionary says into its own tables.
func (b *builder) addDictionary() {
	for _, e := range b.m.elements {
		d := b.m.about("column", e.column)
		b.add("AD_Element", "AD_Element_ID", e.id, "ColumnName", e.column, "Name", e.name, "PrintName", e.text,
			"Description", d.text, "Help", d.help, "EntityType", "D")
	}
	windows := map[int64]bool{}
	for _, w := range b.m.windows {
		windows[w.id] = true
	}
	for _, t := range b.m.tables {
		window := t.WindowID
		if !windows[window] {
			window = 0
		}
		b.add("AD_Table", "AD_Table_ID", t.ID, "TableName", t.Name, "Name", t.Label, "AccessLevel", t.AccessLevel,
			"Description", b.m.about("table", t.Name).text, "EntityType", t.entity, "AD_Window_ID", orNil(window), "IsView", t.IsView, "IsDeleteable", t.IsDeleteable,
			"IsHighVolume", t.highVolume, "IsChangeLog", t.IsChangeLog, "IsSecurityEnabled", t.secure,
			"ReplicationType", t.replication, "IsCentrallyMaintained", true, "IsActive", t.Active)
	}
	b.addReferences()
	b.addProcesses()
	b.addWindows()
}

// labels are the names of elements, by id.
func (b *builder) labels() map[int64]string {
	names := make(map[int64]string, len(b.m.elements))
	for _, e := range b.m.elements {
		names[e.id] = e.name
	}
	return names
}

// addColumns makes the records of all columns.
func (b *builder) addColumns() {
	labels := b.labels()
	for _, t := range b.m.tables {
		for _, c := range t.Columns {
			b.addColumn(t, c, labels[c.ElementID])
		}
	}
}

func (b *builder) addColumn(t *table, c *store.Column, label string) {
	d := b.m.about("column", c.Name)
	b.add("AD_Column", "AD_Column_ID", c.ID, "Description", d.text, "Help", d.help, "AD_Table_ID", t.ID, "AD_Element_ID", c.ElementID, "ColumnName", c.Name,
		"Name", label, "Version", "0", "EntityType", t.entity, "AD_Reference_ID", c.Ref,
		"AD_Reference_Value_ID", orNil(c.RefValue), "AD_Val_Rule_ID", orNil(c.ValRule), "AD_Process_ID", orNil(c.ProcessID),
		"FieldLength", c.Length, "DefaultValue", c.Default, "ColumnSQL", c.ColumnSQL,
		"ValueMin", c.ValueMin, "ValueMax", c.ValueMax, "SeqNo", orNil(int64(c.SeqNo)),
		"IsKey", c.Key, "IsParent", c.Parent, "IsMandatory", c.Mandatory, "IsUpdateable", c.Updateable,
		"IsAlwaysUpdateable", c.AlwaysUpdateable, "IsIdentifier", c.Identifier, "IsSelectionColumn", c.Selection,
		"IsTranslated", c.Translated, "IsEncrypted", c.Encrypted, "IsSecure", c.Secure, "IsToolbarButton", "N",
		"FKConstraintType", cmp.Or(b.m.constraints[t.Name+"."+c.Name], "N"), "IsAllowCopy", !c.Key && !c.IsVirtual() && c.Ref != displaytype.UUID, "IsAllowLogging", !c.Secure)
}

// addRules adds the validation rules that the data files do not have, with conditions
// that every record meets.
func (b *builder) addRules() {
	s := b.sheets["AD_Val_Rule"]
	known := map[int64]bool{}
	for _, row := range s.rows {
		id, _ := row[s.index["AD_Val_Rule_ID"]].(int64)
		known[id] = true
	}
	for _, r := range b.m.rules {
		if !known[r.id] {
			b.add("AD_Val_Rule", "AD_Val_Rule_ID", r.id, "Name", r.name, "Type", "S", "EntityType", r.entity)
		}
	}
}

func (b *builder) addReferences() {
	id := int64(firstListValueID)
	for _, r := range b.m.refs {
		b.add("AD_Reference", "AD_Reference_ID", r.id, "Name", r.name, "ValidationType", r.kind, "EntityType", "D", "IsActive", !r.inactive)
		for _, v := range r.values {
			b.add("AD_Ref_List", "AD_Ref_List_ID", id, "AD_Reference_ID", r.id, "Value", v.value, "Name", v.name, "EntityType", "D", "IsActive", !v.inactive)
			id++
		}
		if r.target == "" {
			continue
		}
		t := b.m.byName[strings.ToUpper(r.target)]
		if t == nil {
			b.fail("reference %d names table %s, which the dictionary does not have", r.id, r.target)
			return
		}
		key, ok1 := t.Column(r.key)
		display, ok2 := t.Column(r.display)
		if !ok1 || !ok2 {
			b.fail("reference %d: %s has no %s or no %s", r.id, r.target, r.key, r.display)
			return
		}
		b.add("AD_Ref_Table", "AD_Reference_ID", r.id, "AD_Table_ID", t.ID, "AD_Key", key.ID, "AD_Display", display.ID,
			"EntityType", "D", "WhereClause", r.where, "OrderByClause", r.order)
	}
}

func (b *builder) addProcesses() {
	id := int64(firstParamID)
	for _, p := range b.m.processes {
		b.add("AD_Process", "AD_Process_ID", p.id, "Value", p.value, "Name", p.name, "AccessLevel", p.level, "EntityType", "D",
			"Classname", p.class, "IsReport", p.isReport, "IsDirectPrint", p.isDirect, "ShowHelp", "Y", "IsActive", !p.inactive,
			"AD_Workflow_ID", orNil(b.m.workflowOf(p.id)))
		for _, a := range p.params {
			b.add("AD_Process_Para", "AD_Process_Para_ID", id, "AD_Process_ID", p.id, "SeqNo", a.seq, "ColumnName", a.column,
				"Name", a.label, "AD_Reference_ID", a.ref, "AD_Reference_Value_ID", orNil(a.refValue), "FieldLength", a.length,
				"AD_Val_Rule_ID", orNil(a.valRule), "AD_Element_ID", orNil(b.m.elementID[strings.ToUpper(a.column)]),
				"IsMandatory", a.mandatory, "IsRange", a.rng, "DefaultValue", a.deflt, "EntityType", "D")
			id++
		}
	}
}

// addWindows makes windows and tabs.
func (b *builder) addWindows() {
	for _, w := range b.m.windows {
		b.add("AD_Window", "AD_Window_ID", w.id, "Name", w.name, "WindowType", w.kind, "IsSOTrx", w.sales, "EntityType", "D", "IsActive", !w.inactive)
		for _, tb := range w.tabs {
			t := b.m.byName[strings.ToUpper(tb.table)]
			if t == nil {
				b.fail("tab %d names table %s, which the dictionary does not have", tb.id, tb.table)
				return
			}
			if !t.Active {
				continue
			}
			var link any
			if c, ok := t.Column(tb.link); ok {
				link = c.ID
			} else if tb.link != "" {
				b.fail("tab %d: table %s has no column %s", tb.id, tb.table, tb.link)
				return
			}
			b.add("AD_Tab", "AD_Tab_ID", tb.id, "AD_Window_ID", w.id, "AD_Table_ID", t.ID, "Name", tb.name, "SeqNo", tb.seq,
				"TabLevel", tb.level, "IsReadOnly", tb.readOnly, "IsSingleRow", !tb.grid, "IsTranslationTab", tb.translation,
				"IsInsertRecord", !tb.noInsert && !tb.readOnly, "WhereClause", tb.where,
				"AD_Process_ID", orNil(tb.process), "AD_Column_ID", link, "EntityType", "D")
		}
	}
}

// addFields makes the fields of all tabs from the columns of their tables.
func (b *builder) addFields() {
	labels := b.labels()
	id := int64(firstFieldID)
	for _, w := range b.m.windows {
		for _, tb := range w.tabs {
			t := b.m.byName[strings.ToUpper(tb.table)]
			if t == nil || !t.Active {
				continue
			}
			seq := int64(0)
			for _, c := range fieldOrder(t) {
				seq += 10
				b.addField(id, tb, t, c, labels[c.ElementID], seq)
				id++
			}
		}
	}
}

func (b *builder) addField(id int64, tb *tab, t *table, c *store.Column, label string, seq int64) {
	hidden := c.Key || c.Ref == displaytype.UUID
	span, lines, x := 2, 1, 1
	if c.Length >= 60 {
		span = 5
	}
	switch c.Ref {
	case displaytype.Text:
		lines = 3
	case displaytype.TextLong, displaytype.JSON:
		lines = 5
	case displaytype.Memo:
		lines = 8
	case displaytype.Button, displaytype.YesNo:
		x = 2
	}
	if c.Name == "AD_Org_ID" {
		x = 4
	}
	grid := !hidden
	switch c.Name {
	case "AD_Org_ID":
		grid = grid && t.AccessLevel != "2" && t.AccessLevel != "4" && t.AccessLevel != "6"
	case "AD_Client_ID":
		grid = grid && (t.AccessLevel == "6" || t.AccessLevel == "7")
	}
	readOnly := slices.Contains([]string{"IsApproved", "DocStatus", "Processed", "ProcessedOn", "Processing"}, c.Name)
	b.add("AD_Field", "AD_Field_ID", id, "AD_Tab_ID", tb.id, "AD_Column_ID", c.ID, "Name", label, "SeqNo", seq, "SeqNoGrid", seq,
		"DisplayLength", c.Length, "IsDisplayed", !hidden, "IsDisplayedGrid", grid, "IsReadOnly", readOnly, "EntityType", "D",
		"ColumnSpan", span, "NumLines", lines, "XPosition", x)
}

// fieldOrder is the order the ERP gives the fields of a new tab: tenant and
// organization, parents, key texts, then by column id, IsActive last. The
// change stamps get no field.
func fieldOrder(t *table) []*store.Column {
	ranks := map[string]int{"AD_Client_ID": 0, "AD_Org_ID": 1, "Value": 3, "Name": 4, "Description": 5, "Help": 6, "IsActive": 8}
	rank := func(c *store.Column) int {
		if rank, known := ranks[c.Name]; known {
			return rank
		}
		if c.Parent {
			return 2
		}
		return 7
	}
	var columns []*store.Column
	for _, c := range t.Columns {
		if strings.HasPrefix(c.Name, "Created") || strings.HasPrefix(c.Name, "Updated") {
			continue
		}
		columns = append(columns, c)
	}
	slices.SortStableFunc(columns, func(a, b *store.Column) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra - rb
		}
		return int(a.ID - b.ID)
	})
	return columns
}
