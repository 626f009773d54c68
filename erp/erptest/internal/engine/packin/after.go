package packin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/packxml"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// afterRecord does what belongs to a record beyond its row.
func (p *packIn) afterRecord(ctx context.Context, r *engine.Record, e *packxml.Element, isNew bool) error {
	switch r.Table.Name {
	case "AD_Column":
		if e.Text("IsSyncDatabase") == "Y" && r.Row.Bool("IsActive") && r.Row.String("ColumnSQL") == "" {
			p.due(r.Row.Int("AD_Table_ID"), r.ID())
		}
	case "AD_TableIndex":
		p.dueIndex(r.ID())
	case "AD_IndexColumn":
		p.dueIndex(r.Row.Int("AD_TableIndex_ID"))
	case "AD_Menu":
		return p.placeMenu(ctx, r, e, isNew)
	case "AD_InfoWindow": // whose access rows the archive may bring itself
		if isNew {
			p.infos = append(p.infos, r.ID())
		}
	case "AD_Form", "AD_Workflow":
		if r.Table.Name == "AD_Workflow" {
			p.nodes = append(p.nodes, e)
		}
		if isNew {
			return p.s.GrantAll(ctx, p.tx, r.Table.Name+"_Access", r.Table.Name+"_ID", r.ID())
		}
	}
	return nil
}

// checkReferences wants what the archive's records refer to be there in the end:
// the ERP's database does so when the import is committed.
func (p *packIn) checkReferences(ctx context.Context) error {
	owners := map[string]int{} // entity types that are not there
	var first *packError
	for _, e := range p.written {
		r := p.saved[e]
		col, err := p.missing(ctx, r)
		if err != nil {
			return err
		}
		if col == nil {
			continue
		}
		failed := &packError{element: e, what: packName(e),
			err: unresolved(col.Name, "a record", fmt.Sprint(r.Row[col.Name]))}
		if col.Name != "EntityType" {
			return failed
		}
		if first == nil {
			first = failed
		}
		owners[r.Row.String(col.Name)]++
	}
	if first == nil {
		return nil
	}
	var texts []string
	for _, code := range slices.Sorted(maps.Keys(owners)) {
		texts = append(texts, fmt.Sprintf("%s (%d records)", engine.JSONOf(code), owners[code]))
	}
	first.err = engine.PublicError("there is no entity type " + strings.Join(texts, ", ") + ": create it, or import the package that brings it")
	return first
}

// missing is the column of a record that refers to nothing, as the record is now.
func (p *packIn) missing(ctx context.Context, r *engine.Record) (*store.Column, error) {
	col, err := p.s.MissingReference(ctx, p.tx, r)
	if err != nil || col == nil {
		return nil, err
	}
	where, args, err := (&engine.Record{Table: r.Table, Row: r.Row}).Where()
	if err != nil {
		return nil, err
	}
	now, err := p.oneRow(ctx, r.Table, where, args...)
	if err != nil || now == nil {
		return nil, err
	}
	return p.s.MissingReference(ctx, p.tx, &engine.Record{Table: r.Table, Old: r.Old, Row: now})
}

func (p *packIn) due(table, column int64) {
	if p.syncs[table] == nil {
		p.syncs[table] = map[int64]bool{}
		p.order = append(p.order, table)
	}
	p.syncs[table][column] = true
}

func (p *packIn) dueIndex(id int64) {
	if !slices.Contains(p.indexes, id) {
		p.indexes = append(p.indexes, id)
	}
}

// flush gives columns their place in the database: those of one table, or with 0
// all that are due.
func (p *packIn) flush(ctx context.Context, only int64) error {
	for _, id := range slices.Clone(p.order) {
		if only != 0 && id != only {
			continue
		}
		columns := p.syncs[id]
		delete(p.syncs, id)
		p.order = slices.DeleteFunc(p.order, func(n int64) bool { return n == id })
		if err := p.sync(ctx, id, columns); err != nil {
			return err
		}
	}
	return nil
}

func (p *packIn) sync(ctx context.Context, id int64, columns map[int64]bool) error {
	t, err := p.tx.TableByID(ctx, id)
	if errors.Is(err, store.ErrNoTable) {
		return nil // deactivated
	}
	if err != nil {
		return err
	}
	if t.IsView {
		return nil
	}
	var group []*store.Column
	for _, col := range t.Columns {
		if columns[col.ID] && !col.IsVirtual() {
			group = append(group, col)
		}
	}
	there, err := p.tx.TableExists(ctx, t.Name)
	if err != nil || len(group) == 0 {
		return err
	}
	report := ""
	if there {
		report, err = p.tx.SyncColumns(ctx, t, group)
	} else {
		only := *t // columns that are not to be synchronised stay out of the new table
		only.Columns = group
		report, err = p.tx.CreateTable(ctx, store.NewTable(only))
	}
	if err != nil {
		return engine.PublicError("table " + t.Name + ": " + packText(err))
	}
	if report != "" {
		p.done = append(p.done, packResult{what: t.Name, action: "Sync", note: report, table: t})
	}
	return nil
}

// firstNodes sets the first nodes of the archive's workflows. One that is not
// there leaves the workflow as it is, as in the ERP.
func (p *packIn) firstNodes(ctx context.Context) error {
	for _, e := range p.nodes {
		prop, _ := e.Property("AD_WF_Node_ID")
		if strings.TrimSpace(prop.Text) == "" {
			continue
		}
		saved := p.saved[e]
		col, ok := saved.Table.Column("AD_WF_Node_ID")
		if !ok {
			continue
		}
		node, err := p.referenceValue(ctx, e, col, prop)
		var missing *unresolvedReference
		if errors.As(err, &missing) {
			p.done = append(p.done, packResult{element: e, what: packName(e), action: "Left empty", note: missing.text})
			continue
		}
		if err != nil {
			return err
		}
		now, err := engine.OneRow(ctx, p.tx, saved.Table.Name, saved.ID())
		if err != nil || now == nil {
			return err
		}
		r := &engine.Record{Table: saved.Table, Old: now, Row: maps.Clone(now)}
		r.Set("AD_WF_Node_ID", node)
		if _, err := p.s.SaveImported(ctx, p.tx, r); err != nil {
			return &packError{element: e, what: packName(e), err: err}
		}
	}
	return nil
}

// buildIndexes makes the indexes whose declarations came with the archive.
func (p *packIn) buildIndexes(ctx context.Context) error {
	for _, id := range p.indexes {
		row, err := engine.OneRow(ctx, p.tx, "AD_TableIndex", id)
		if err != nil {
			return err
		}
		if row == nil || !row.Bool("IsActive") {
			continue
		}
		parts, err := engine.RowsWhere(ctx, p.tx, "AD_IndexColumn", "", "AD_TableIndex_ID=? AND IsActive='Y' AND AD_Column_ID IS NULL AND ColumnSQL IS NULL", id)
		if err != nil {
			return err
		}
		if len(parts) > 0 {
			p.done = append(p.done, packResult{what: row.String("Name"), action: "Skipped", note: "the index has a column that the embedded ERP does not have"})
			continue
		}
		result, err := process.ValidateIndex(ctx, p.s, p.tx, &process.Run{RecordID: id})
		if err != nil {
			return err
		}
		if result.IsError {
			return engine.PublicError("index " + row.String("Name") + ": " + result.Summary)
		}
		p.done = append(p.done, packResult{what: row.String("Name"), action: "Index", note: result.Summary})
	}
	return nil
}

// placeMenu puts an entry to its place in the menu. A parent that is not there
// hides the entry, as in the ERP.
func (p *packIn) placeMenu(ctx context.Context, r *engine.Record, e *packxml.Element, isNew bool) error {
	parent, hasParent := e.Property("Parent_ID")
	seqNo, hasSeqNo := e.Property("SeqNo")
	change := store.Row{}
	if hasParent && parent.Text != "" {
		id, err := p.reference(ctx, e, "AD_Menu", parent)
		var missing *unresolvedReference
		switch {
		case errors.As(err, &missing), err == nil && id == r.ID():
			id = -1
			p.done = append(p.done, packResult{element: e, what: packName(e), action: "Skipped",
				note: "its parent in the menu is not there, so it is not shown"})
		case err != nil:
			return err
		}
		change["Parent_ID"] = id
	} else if isNew {
		change["Parent_ID"] = int64(0)
	}
	if hasSeqNo && seqNo.Text != "" {
		n, err := strconv.ParseInt(seqNo.Text, 10, 32)
		if err != nil {
			return engine.PublicError("SeqNo: " + engine.JSONOf(seqNo.Text) + " is no whole number")
		}
		change["SeqNo"] = n
	}
	if len(change) == 0 {
		return nil
	}
	nodes, err := p.tx.Table(ctx, "AD_TreeNodeMM")
	if err != nil {
		return err
	}
	_, err = p.tx.Set(ctx, nodes, change, `Node_ID=? AND AD_Tree_ID IN (SELECT AD_Tree_ID FROM AD_Tree
		WHERE AD_Client_ID=? AND TreeType='MM' AND IsAllNodes='Y')`, r.ID(), r.Row.Int("AD_Client_ID"))
	return err
}

// translation writes a record's texts in another language, if the ERP is set up
// to read them and has the language.
func (p *packIn) translation(ctx context.Context, e, parent *packxml.Element) error {
	result := packResult{element: e, what: e.Text("AD_Language"), action: "Skipped"}
	if !p.translations {
		result.note = "translations are not read (2PACK_HANDLE_TRANSLATIONS)"
		p.done = append(p.done, result)
		return nil
	}
	if parent == nil {
		return engine.PublicError("a translation stands outside of its record")
	}
	owner := p.saved[parent]
	if owner == nil {
		for _, w := range p.waiting {
			if w.element == parent {
				return &unresolvedReference{text: "its record is not there yet"}
			}
		}
		result.note = "its record was skipped"
		p.done = append(p.done, result)
		return nil
	}
	languages, err := engine.RowsWhere(ctx, p.tx, "AD_Language", "", "AD_Language=? AND IsSystemLanguage='Y' AND IsActive='Y'", e.Text("AD_Language"))
	if err != nil {
		return err
	}
	t, terr := p.tx.Table(ctx, e.Name)
	key := owner.Table.KeyColumn()
	if len(languages) == 0 || terr != nil || key == nil {
		result.note = "the ERP does not have this language"
		p.done = append(p.done, result)
		return nil
	}
	values := store.Row{}
	for _, prop := range e.Properties {
		col, ok := t.Column(prop.Name)
		if !ok || neverImported[col.Name] || col.IsVirtual() || col.Name == key.Name || col.Name == "AD_Language" || col.Name == "AD_Client_ID" {
			continue
		}
		v, err := p.value(ctx, e, t, col, prop)
		if err != nil {
			return err
		}
		values[col.Name] = v
	}
	result.table, result.id, result.action = t, owner.ID(), "Update"
	if len(values) > 0 {
		values["Updated"], values["UpdatedBy"] = p.s.StoredNow(), p.s.UserID
		n, err := p.tx.Set(ctx, t, values, sqlquote.Name(key.Name)+"=? AND AD_Language=?", owner.ID(), e.Text("AD_Language"))
		if err != nil {
			return err
		}
		if n == 0 {
			return engine.PublicError(fmt.Sprintf("%s %d has no row in %s for %s", owner.Table.Name, owner.ID(), t.Name, e.Text("AD_Language")))
		}
	}
	p.done = append(p.done, result)
	return nil
}
