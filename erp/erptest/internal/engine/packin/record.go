package packin

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/packxml"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// coreEntityTypes are those of the ERP itself, whose records an import leaves
// alone unless its settings say otherwise.
var coreEntityTypes = map[string]bool{"D": true, "EE01": true, "EE02": true, "EE04": true, "EE05": true}

// takenFromAnyOwner are tables with entity types whose records an import takes
// nevertheless.
var takenFromAnyOwner = map[string]bool{"AD_Menu": true, "AD_ReportView": true}

// neverImported are columns the ERP fills in itself.
var neverImported = map[string]bool{"CREATED": true, "CREATEDBY": true, "UPDATED": true, "UPDATEDBY": true}

// record brings the record of an element into the database. Any table works;
// some have more to them than their row.
func (p *packIn) record(ctx context.Context, e *packxml.Element) error {
	t, err := p.tx.Table(ctx, e.Name)
	if errors.Is(err, store.ErrNoTable) {
		return &unresolvedReference{text: "there is no table " + engine.JSONOf(e.Name)}
	}
	if err != nil {
		return err
	}
	result := packResult{element: e, what: packName(e), table: t}
	if coreEntityTypes[e.Text("EntityType")] && !takenFromAnyOwner[t.Name] && !p.header.UpdateDictionary && !p.override {
		result.action, result.note = "Skipped", "it belongs to the ERP itself (entity type "+e.Text("EntityType")+")"
		p.done = append(p.done, result)
		return nil
	}
	if err := p.tableReady(ctx, t); err != nil {
		return err
	}
	r, standIn, err := p.found(ctx, t, e)
	if p.leaveOut(err, e, result) {
		return nil
	}
	if err != nil {
		return err
	}
	if t.Name == "AD_EntityType" && !r.IsNew() && engine.SystemMaintained(r) {
		p.saved[e] = r
		result.action, result.note, result.id = "Unchanged", "the ERP has this entity type already", r.ID()
		p.done = append(p.done, result)
		return nil
	}
	ignored, emptied, err := p.fill(ctx, r, e)
	if p.leaveOut(err, e, result) {
		return nil
	}
	if err != nil {
		return err
	}
	if standIn {
		r.Set(t.UUColumn().Name, e.Text(t.Name+"_UU"))
		result.note = "known under this name"
	}
	isNew := r.IsNew()
	if isNew {
		if err := p.newRecord(ctx, r, e); err != nil {
			return err
		}
	}
	if err := p.permit(r); err != nil {
		return err
	}
	changed, err := p.save(ctx, r, emptied)
	if err != nil && emptied != nil && p.leaveOut(emptied, e, result) {
		return nil // it cannot be without what was left empty
	}
	if err != nil {
		return err
	}
	if emptied != nil {
		p.lacking.count++
		result.also("left empty: " + emptied.Error())
	}
	if len(ignored) > 0 {
		result.also("not known here: " + strings.Join(ignored, ", "))
	}
	result.action = "Unchanged"
	if isNew {
		result.action = "New"
	} else if changed {
		result.action = "Update"
	}
	p.saved[e] = r
	if changed {
		p.written = append(p.written, e)
	}
	result.id, result.uuid = r.ID(), r.UUID()
	p.done = append(p.done, result)
	return p.afterRecord(ctx, r, e, isNew)
}

// also adds to the note of a result.
func (r *packResult) also(note string) { r.note = strings.TrimPrefix(r.note+"; "+note, "; ") }

// tableReady has the rows of a table written that the archive has just made.
func (p *packIn) tableReady(ctx context.Context, t *store.Table) error {
	if err := p.flush(ctx, t.ID); err != nil {
		return err
	}
	there, err := p.tx.TableExists(ctx, t.Name)
	if err == nil && !there {
		err = engine.PublicError("table " + t.Name + " is not in the database; synchronize it first")
	}
	return err
}

// found is the record of an element as it is, or a new one.
func (p *packIn) found(ctx context.Context, t *store.Table, e *packxml.Element) (r *engine.Record, standIn bool, err error) {
	old, standIn, err := p.existing(ctx, t, e)
	if err != nil {
		return nil, false, err
	}
	if old != nil && old.Int("AD_Client_ID") != p.s.ClientID && !(p.s.ClientID != 0 && old.Int("AD_Client_ID") == 0) {
		return nil, false, engine.PublicError("the record belongs to another tenant")
	}
	r = &engine.Record{Table: t, Old: old, Row: store.Row{}}
	maps.Copy(r.Row, old)
	return r, standIn, nil
}

// save writes a record. One that lacks what was left empty is written alone, so that
// nothing else is undone with it.
func (p *packIn) save(ctx context.Context, r *engine.Record, emptied *unresolvedReference) (changed bool, err error) {
	save := func() (err error) {
		changed, err = p.s.SaveImported(ctx, p.tx, r)
		return err
	}
	if emptied == nil {
		err = save()
	} else {
		err = p.tx.Savepoint(ctx, save)
	}
	return changed, err
}

// leaveOut skips an element that cannot be without a record of the ERP that the
// embedded ERP lacks.
func (p *packIn) leaveOut(err error, e *packxml.Element, result packResult) bool {
	var missing *unresolvedReference
	if !errors.As(err, &missing) || !p.lacking.isLacking(missing) {
		return false
	}
	p.lacking.leave(e)
	result.action, result.note = "Skipped", missing.text
	p.done = append(p.done, result)
	return true
}

// permit asks the role as any request that writes the record would.
func (p *packIn) permit(r *engine.Record) error {
	if !p.s.Role.CanWrite(r.Table) {
		return engine.PublicError("the role may not write table " + r.Table.Name)
	}
	id := int64(0)
	if !r.IsNew() {
		id = r.ID()
	}
	return p.s.MayWrite(r, id)
}

// existing finds the record of an element: by UUID, then by official id. standIn
// tells that it was found by its name among the records whose ids and UUIDs are
// not the real ones, because nobody has published those.
func (p *packIn) existing(ctx context.Context, t *store.Table, e *packxml.Element) (row store.Row, standIn bool, err error) {
	if row, err = p.byItsUUID(ctx, t, e); row != nil || err != nil {
		return row, false, err
	}
	if t.Name == "AD_Ref_Table" { // keyed by its reference
		row, err = p.refTable(ctx, t, e)
		return row, row != nil, err
	}
	key := t.KeyColumn()
	if key == nil {
		return nil, false, nil
	}
	if id, err := strconv.ParseInt(e.Text(key.Name), 10, 64); err == nil && id > 0 && id < store.FirstCustomID {
		row, err := p.oneRow(ctx, t, sqlquote.Name(key.Name)+"=?", id)
		if row != nil || err != nil {
			return row, false, err
		}
	}
	if t.Name == "AD_EntityType" {
		row, err := p.oneRow(ctx, t, "EntityType=?", e.Text("EntityType"))
		if row != nil {
			p.aliases[t.Name+" "+e.Text("AD_EntityType_UU")] = row.Int(key.Name)
		}
		return row, false, err
	}
	where, args, err := p.byName(ctx, t, e)
	if err != nil || where == "" {
		return nil, false, err
	}
	row, err = p.oneRow(ctx, t, where+" AND "+sqlquote.Name(key.Name)+" BETWEEN ? AND ?", append(args, firstStandIn(t.Name), store.FirstCustomID-1)...)
	return row, row != nil, err
}

// byItsUUID finds the record that has the UUID of an element.
func (p *packIn) byItsUUID(ctx context.Context, t *store.Table, e *packxml.Element) (store.Row, error) {
	uu := t.UUColumn()
	if uu == nil {
		return nil, nil
	}
	text := strings.TrimSpace(e.Text(uu.Name))
	switch {
	case text == "":
		return nil, nil
	case len(text) > 36:
		return nil, engine.PublicError("the UUID is longer than 36 characters")
	}
	return p.byUUID(ctx, t, text)
}

func (p *packIn) refTable(ctx context.Context, t *store.Table, e *packxml.Element) (store.Row, error) {
	if strings.TrimSpace(e.Text("AD_Reference_ID")) == "" {
		return nil, nil
	}
	reference, err := p.reference(ctx, e, "AD_Reference", mustProperty(e, "AD_Reference_ID"))
	if err != nil || reference >= store.FirstCustomID {
		return nil, err
	}
	return p.oneRow(ctx, t, "AD_Reference_ID=?", reference)
}

// byName is the condition of the record that is called as an element is, "" for
// tables whose records are not found by their names.
func (p *packIn) byName(ctx context.Context, t *store.Table, e *packxml.Element) (where string, args []any, err error) {
	switch t.Name {
	case "AD_Element":
		return "ColumnName=? COLLATE NOCASE", []any{e.Text("ColumnName")}, nil
	case "AD_Table":
		return "TableName=? COLLATE NOCASE", []any{e.Text("TableName")}, nil
	case "AD_Reference":
		return "Name=?", []any{e.Text("Name")}, nil
	case "AD_Column":
		table, _, err := p.references(ctx, e, "AD_Table", "")
		if err != nil || table == 0 {
			return "", nil, err
		}
		return "AD_Table_ID=? AND ColumnName=? COLLATE NOCASE", []any{table, e.Text("ColumnName")}, nil
	case "AD_Field":
		tab, column, err := p.references(ctx, e, "AD_Tab", "AD_Column")
		if err != nil || tab == 0 || column == 0 {
			return "", nil, err
		}
		return "AD_Tab_ID=? AND AD_Column_ID=?", []any{tab, column}, nil
	case "AD_Ref_List":
		list, _, err := p.references(ctx, e, "AD_Reference", "")
		if err != nil || list == 0 {
			return "", nil, err
		}
		return "AD_Reference_ID=? AND Value=?", []any{list, e.Text("Value")}, nil
	}
	return "", nil, nil
}

// references are the records of two tables that an element refers to by the columns
// called after them, 0 for one that it leaves empty; "" means no table.
func (p *packIn) references(ctx context.Context, e *packxml.Element, first, second string) (one, two int64, err error) {
	for i, table := range []string{first, second} {
		prop, ok := e.Property(table + "_ID")
		if table == "" || !ok || strings.TrimSpace(prop.Text) == "" {
			continue
		}
		id, err := p.reference(ctx, e, table, prop)
		if err != nil {
			return 0, 0, err
		}
		if i == 0 {
			one = id
		} else {
			two = id
		}
	}
	return one, two, nil
}

// firstStandIn is where ids begin that the demo data made up for records of the
// ERP whose ids are not known; see package seed.
func firstStandIn(table string) int64 {
	switch table {
	case "AD_Ref_List":
		return 700_001
	case "AD_Field":
		return 800_001
	}
	return 900_001
}

func mustProperty(e *packxml.Element, name string) packxml.Property {
	p, _ := e.Property(name)
	return p
}

func (p *packIn) oneRow(ctx context.Context, t *store.Table, where string, args ...any) (store.Row, error) {
	row, err := p.tx.One(ctx, t, where, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}

// byUUID finds a record by the UUID an archive gives. What another tenant has
// under that UUID is not this tenant's record: archives of tenants then get UUIDs
// of their own.
func (p *packIn) byUUID(ctx context.Context, t *store.Table, text string) (store.Row, error) {
	uu := t.UUColumn()
	if uu == nil {
		return nil, nil
	}
	if id, ok := p.aliases[t.Name+" "+text]; ok {
		return p.oneRow(ctx, t, sqlquote.Name(t.Name+"_ID")+"=?", id)
	}
	row, err := p.oneRow(ctx, t, sqlquote.Name(uu.Name)+"=?", text)
	if err != nil || row == nil || !p.foreign(t, row) {
		return row, err
	}
	return p.oneRow(ctx, t, sqlquote.Name(uu.Name)+"=?", p.ownUUID(text))
}

// foreign reports whether a row belongs to a tenant other than the importing one.
func (p *packIn) foreign(t *store.Table, row store.Row) bool {
	if _, ok := t.Column("AD_Client_ID"); !ok || p.s.ClientID == 0 {
		return false
	}
	client := row.Int("AD_Client_ID")
	return client != 0 && client != p.s.ClientID
}

// ownUUID is the UUID that a tenant's record gets in place of one that another
// tenant's record has; the same each time.
func (p *packIn) ownUUID(text string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(strconv.FormatInt(p.s.ClientID, 10)+"/"+text)).String()
}

// fill sets the values an element gives. It lists the properties whose columns
// this ERP does not have, and tells which reference it left empty.
func (p *packIn) fill(ctx context.Context, r *engine.Record, e *packxml.Element) (ignored []string, emptied *unresolvedReference, err error) {
	for _, prop := range e.Properties {
		if pseudoColumn(e.Name, prop.Name) {
			continue
		}
		col, ok := r.Table.Column(prop.Name)
		if !ok {
			ignored = append(ignored, prop.Name)
			continue
		}
		if col.IsVirtual() || neverImported[strings.ToUpper(col.Name)] || col.Name == "AD_Client_ID" {
			continue
		}
		if key := r.Table.KeyColumn(); key == col {
			if err := p.setKey(r, col, prop.Text); err != nil {
				return nil, nil, err
			}
			continue
		}
		if uu := r.Table.UUColumn(); uu == col {
			if r.IsNew() && prop.Text != "" {
				r.Set(col.Name, prop.Text)
			}
			continue
		}
		v, err := p.value(ctx, e, r.Table, col, prop)
		var missing *unresolvedReference
		if errors.As(err, &missing) && p.lacking.isLacking(missing) && (!col.Mandatory || col.Name == "AD_Element_ID") {
			emptied = missing
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if col.Name == "FieldLength" && r.Table.Name == "AD_Column" && !r.IsNew() {
			if n, ok := v.(int64); !ok || n < r.Old.Int("FieldLength") {
				continue // a column never shrinks
			}
		}
		r.Set(col.Name, v)
	}
	return ignored, emptied, nil
}

// pseudoColumn reports whether a property is not taken with the record itself: the
// place in the menu, the request for columns in the database, and a workflow's
// first node.
func pseudoColumn(table, name string) bool {
	switch table {
	case "AD_Menu":
		return name == "Parent_ID" || name == "SeqNo"
	case "AD_Column":
		return name == "IsSyncDatabase"
	case "AD_Workflow":
		return name == "AD_WF_Node_ID" // the first of nodes that come after it
	}
	return false
}

// setKey gives a new record the official id of the archive; other ids are the
// installation's own.
func (p *packIn) setKey(r *engine.Record, col *store.Column, text string) error {
	if text == "" || !r.IsNew() {
		return nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return engine.PublicError("the id " + engine.JSONOf(text) + " is no number")
	}
	if id > 0 && id < store.FirstCustomID {
		r.Set(col.Name, id)
	}
	return nil
}

// newRecord completes a record that is not there yet.
func (p *packIn) newRecord(ctx context.Context, r *engine.Record, e *packxml.Element) error {
	r.Set("AD_Client_ID", p.s.ClientID)
	if uu := r.Table.UUColumn(); uu != nil && p.s.ClientID != 0 {
		if text := r.Row.String(uu.Name); text != "" {
			taken, err := p.oneRow(ctx, r.Table, sqlquote.Name(uu.Name)+"=?", text)
			if err != nil {
				return err
			}
			if taken != nil {
				r.Set(uu.Name, p.ownUUID(text))
			}
		}
	}
	if r.Table.Name == "AD_Column" && !r.Has("AD_Element_ID") && r.Has("ColumnName") {
		id, err := p.s.ElementFor(ctx, p.tx, strings.TrimSpace(e.Text("ColumnName")), r.Row)
		if err != nil {
			return err
		}
		r.Set("AD_Element_ID", id)
	}
	return p.s.FillDefaults(ctx, p.tx, r)
}
