package erptest

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// errDryRun undoes what a request with $save=false did.
var errDryRun = errors.New("nothing is to be saved")

// dryRun tells whether the request only wants to see what would be saved. As in
// Java everything but true is false.
func (c *call) dryRun() bool {
	return c.query.has("$save") && !strings.EqualFold(c.query.get("$save"), "true")
}

// writeTab runs a change of records in a tab and returns its outcome.
func (c *call) writeTab(status int, write func(ctx context.Context, rd *reader, body any) (*wire.Object, error)) error {
	v, bodyErr := c.bodyValue()
	if bodyErr != nil {
		return orTitled("Server error", bodyErr)
	}
	ctx := c.ctx()
	var response *wire.Object
	err := c.update(ctx, func(tx *store.Tx) error {
		rd, err := c.newReader(ctx, tx)
		if err != nil {
			return err
		}
		if response, err = write(ctx, rd, v); err == nil && c.dryRun() {
			err = errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		c.json(http.StatusOK, response)
		return nil
	}
	if err != nil {
		return c.tabError("Save error", err)
	}
	if response == nil {
		c.empty(status)
		return nil
	}
	c.json(status, response)
	return nil
}

// createInWindow handles POST /windows/{window}.
func createInWindow(c *call) error {
	return c.writeTab(http.StatusCreated, func(ctx context.Context, rd *reader, v any) (*wire.Object, error) {
		tab, err := rd.pathTab(ctx)
		if err != nil {
			return nil, err
		}
		if err := tab.mayCreate(); err != nil {
			return nil, err
		}
		body, err := asTabBody(v)
		if err != nil {
			return nil, err
		}
		return c.createInTab(ctx, rd.tx, tab, nil, body, 0)
	})
}

// createInChildTab handles POST /windows/{window}/tabs/{tab}/{id}/{child}.
func createInChildTab(c *call) error {
	id, err := c.recordID()
	if err != nil {
		return err
	}
	return c.writeTab(http.StatusCreated, func(ctx context.Context, rd *reader, v any) (*wire.Object, error) {
		w, err := rd.findWindow(ctx, c.param("window"))
		if err != nil {
			return nil, err
		}
		parent, err := w.tab(c.param("tab"))
		if err != nil {
			return nil, err
		}
		row, err := rd.tabRow(ctx, parent, id)
		if errors.Is(err, errNoTabRecord) {
			return nil, fail(http.StatusNotFound, "Record not found", "No record found matching id "+engine.FormatID(id))
		}
		if err != nil {
			return nil, err
		}
		child, err := w.tab(c.param("child"))
		if err != nil {
			return nil, nil //nolint:nilerr // there is nothing to do: an empty response
		}
		below := w.child(parent, c.param("child"))
		if below != nil {
			child = below
		}
		if err := child.mayCreate(); err != nil {
			return nil, err
		}
		if level := child.row.Int("TabLevel"); level == 0 {
			row = nil
		} else if below == nil {
			return nil, failf(http.StatusBadRequest, "Wrong parent tab", "%s is not child tab of %s", c.param("child"), parent.slug)
		}
		body, err := asTabBody(v)
		if err != nil {
			return nil, err
		}
		return c.createInTab(ctx, rd.tx, child, row, body, 0)
	})
}

// asTabBody is the object a request to a tab must have.
func asTabBody(v any) (*wire.Object, error) {
	body, err := engine.AsObject(v)
	if err != nil {
		return nil, serverFailed(err)
	}
	return body, nil
}

// updateTabRecord handles PUT …/{id} of a window or tab.
func updateTabRecord(c *call) error {
	id, err := c.recordID()
	if err != nil {
		return err
	}
	return c.writeTab(http.StatusOK, func(ctx context.Context, rd *reader, v any) (*wire.Object, error) {
		tab, err := rd.pathTab(ctx)
		if err != nil {
			return nil, err
		}
		if err := tab.mayChange(); err != nil {
			return nil, err
		}
		row, err := rd.changeableRow(ctx, tab, id)
		if err != nil {
			return nil, err
		}
		body, err := asTabBody(v)
		if err != nil {
			return nil, err
		}
		return c.changeInTab(ctx, rd.tx, tab, row, body, 0)
	})
}

// deleteTabRecord handles DELETE …/{id} of a window or tab, without a body.
func deleteTabRecord(c *call) error {
	id, err := c.recordID()
	if err != nil {
		return err
	}
	ctx := c.ctx()
	err = c.update(ctx, func(tx *store.Tx) error {
		rd, err := c.newReader(ctx, tx)
		if err != nil {
			return err
		}
		tab, err := rd.pathTab(ctx)
		if err != nil {
			return err
		}
		if err := tab.mayChange(); err != nil {
			return err
		}
		row, err := rd.changeableRow(ctx, tab, id)
		if err != nil {
			return err
		}
		if !tab.table.IsDeleteable {
			return fail(http.StatusForbidden, "Delete not allow", "Records of the tab cannot be deleted: "+tab.slug)
		}
		r := &engine.Record{Table: tab.table, Old: row, Row: row}
		if err := c.session.MayUpdate(tab.table, row.Int("AD_Client_ID"), row.Int("AD_Org_ID"), r.ID()); err != nil {
			return err
		}
		return c.session.Delete(ctx, tx, tab.table, row)
	})
	if err != nil {
		return c.tabError("Delete error", err)
	}
	c.empty(http.StatusOK)
	return nil
}

// changeableRow is a record of a tab that the tab's read-only logic lets
// somebody change.
func (rd *reader) changeableRow(ctx context.Context, tab *tabDef, id int64) (store.Row, error) {
	row, err := rd.mustTabRow(ctx, tab, id)
	if err != nil {
		return nil, err
	}
	if readOnly, ok := rd.logic(ctx, tab.table, row, tab.row.String("ReadOnlyLogic")); ok && readOnly {
		return nil, fail(http.StatusForbidden, "Tab is readonly", "Tab is readonly: "+tab.slug)
	}
	return row, nil
}

// mayChange refuses what the window or the tab does not let anybody change.
func (t *tabDef) mayChange() error {
	if !t.window.write || t.row.Bool("IsReadOnly") {
		return fail(http.StatusForbidden, "Tab is readonly", "Tab is readonly: "+t.slug)
	}
	return nil
}

// mayCreate refuses new records where the tab has none.
func (t *tabDef) mayCreate() error {
	if !t.window.write || t.row.Bool("IsReadOnly") || !t.row.Bool("IsInsertRecord") {
		return fail(http.StatusForbidden, "Create not allow", "Create not allow for tab: "+t.slug)
	}
	return nil
}

// tabBody is what of a request the tab takes: its fields, as far as they can
// be changed, and doc-action. Everything else is passed over.
func (c *call) tabBody(ctx context.Context, tx *store.Tx, tab *tabDef, old store.Row, body *wire.Object) (*wire.Object, error) {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	fields, err := rd.tabFields(ctx, tab)
	if err != nil {
		return nil, err
	}
	out := wire.NewObject()
	probe := &engine.Record{Table: tab.table, Old: old, Row: maps.Clone(old), Body: body}
	for _, f := range fields {
		v, ok := engine.Member(body, f.col.Name)
		if !ok || f.row.Bool("IsReadOnly") || old != nil && f.row.String("IsUpdateable") == "N" {
			continue
		}
		if old != nil {
			if readOnly, ok := rd.logic(ctx, tab.table, old, f.row.String("ReadOnlyLogic")); ok && readOnly {
				continue
			}
		}
		ok, err := c.session.Writable(ctx, tx, probe, f.col)
		var refused *apiError
		if asAPI(err, &refused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if ok {
			out.Set(f.col.Name, v)
		}
	}
	if v, ok := body.Get("doc-action"); ok {
		out.Set("doc-action", v)
	}
	return out, nil
}

// createInTab makes a record of a tab, below a record of the tab above if
// there is one, with the children its body brings. A record of which the request
// says nothing is shown as it would begin, and not saved, unless the record above
// is saved with it.
func (c *call) createInTab(ctx context.Context, tx *store.Tx, tab *tabDef, parent store.Row, body *wire.Object, depth int) (*wire.Object, error) {
	accepted, err := c.tabBody(ctx, tx, tab, nil, body)
	if err != nil {
		return nil, err
	}
	fields, err := c.tabColumns(ctx, tx, tab)
	if err != nil {
		return nil, err
	}
	in := engine.TabInput{Table: tab.table, Fields: fields, Body: accepted, Preset: store.Row{}, Window: map[string]string{}}
	for name := range parent {
		in.Window[name] = parent.String(name)
	}
	if _, ok := in.Window["IsSOTrx"]; !ok {
		in.Window["IsSOTrx"] = tab.window.row.String("IsSOTrx")
	}
	delete(in.Window, "AD_Org_ID") // that of the log-in counts
	if tab.parent != nil && parent != nil {
		in.Preset[tab.link.Name] = parent[tab.source.Name]
	}
	r, changed, err := c.session.ReadTab(ctx, tx, in)
	if err != nil {
		return nil, serverFailed(err)
	}
	if c.dryRun() || !changed && depth == 0 {
		return c.showInTab(ctx, tx, tab, r, body, depth)
	}
	if err := c.session.Construct(ctx, tx, r); err != nil {
		return nil, err
	}
	if r.Row.Int("AD_Client_ID") != c.session.ClientID {
		return nil, fail(http.StatusForbidden, "Update error", "You are not allowed to create a record for another tenant")
	}
	if err := c.session.MayWrite(r, 0); err != nil {
		return nil, err
	}
	return c.saveInTab(ctx, tx, tab, r, fields, body, depth)
}

// tabColumns are the columns of a tab's fields.
func (c *call) tabColumns(ctx context.Context, tx *store.Tx, tab *tabDef) ([]*store.Column, error) {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	fields, err := rd.tabFields(ctx, tab)
	if err != nil {
		return nil, err
	}
	columns := make([]*store.Column, len(fields))
	for i, f := range fields {
		columns[i] = f.col
	}
	return columns, nil
}

// changeInTab changes a record of a tab, and the children its body names.
func (c *call) changeInTab(ctx context.Context, tx *store.Tx, tab *tabDef, row store.Row, body *wire.Object, depth int) (*wire.Object, error) {
	if err := c.session.MayWrite(&engine.Record{Table: tab.table, Old: row, Row: row}, row.Int(tab.table.Name+"_ID")); err != nil {
		return nil, err
	}
	accepted, err := c.tabBody(ctx, tx, tab, row, body)
	if err != nil {
		return nil, err
	}
	r, err := c.session.ReadChange(ctx, tx, tab.table, row, accepted)
	if err != nil {
		return nil, serverFailed(err)
	}
	if c.dryRun() {
		return c.showInTab(ctx, tx, tab, r, body, depth)
	}
	fields, err := c.tabColumns(ctx, tx, tab)
	if err != nil {
		return nil, err
	}
	return c.saveInTab(ctx, tx, tab, r, fields, body, depth)
}

// showInTab shows a record and its children as they would be saved.
func (c *call) showInTab(ctx context.Context, tx *store.Tx, tab *tabDef, r *engine.Record, body *wire.Object, depth int) (*wire.Object, error) {
	children, err := c.saveChildTabs(ctx, tx, tab, r, body, depth)
	if err != nil {
		return nil, err
	}
	return c.tabResponse(ctx, tx, tab, r.Row, "", children)
}

// saveInTab saves a record, its children and its document action.
func (c *call) saveInTab(ctx context.Context, tx *store.Tx, tab *tabDef, r *engine.Record, fields []*store.Column, body *wire.Object, depth int) (*wire.Object, error) {
	if message, refused := r.Refused(); refused {
		return nil, saveFailed(engine.PublicError(message))
	}
	if r.Incomplete(fields) {
		if err := c.session.CallOut(ctx, tx, r); err != nil {
			return nil, err
		}
	}
	if r.Incomplete(fields) {
		return nil, saveFailed(engine.PublicError(engine.MsgFillMandatory))
	}
	if err := c.session.Save(ctx, tx, r); err != nil {
		return nil, saveFailed(err)
	}
	if r.IsNew() {
		c.fresh.add(r)
	}
	children, err := c.saveChildTabs(ctx, tx, tab, r, body, depth)
	if err != nil {
		return nil, err
	}
	message, err := c.session.RunDocAction(ctx, tx, r)
	if err != nil {
		return nil, actionFailed(err)
	}
	row, err := r.Reread(ctx, tx)
	if err != nil {
		return nil, err
	}
	if depth == 0 {
		c.settle()
	}
	return c.tabResponse(ctx, tx, tab, row, message, children)
}

// tabResponse is a record as a tab shows it, with what its document action had to
// say, and its children.
func (c *call) tabResponse(ctx context.Context, tx *store.Tx, tab *tabDef, row store.Row, message string, children *wire.Object) (*wire.Object, error) {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	records, err := rd.tabRecords(ctx, tab, []store.Row{row})
	if err != nil {
		return nil, err
	}
	o := records[0]
	if message != "" {
		o.Set("doc-processmsg", message)
	}
	for _, name := range children.Names() {
		v, _ := children.Get(name)
		o.Set(name, v)
	}
	return o, nil
}
