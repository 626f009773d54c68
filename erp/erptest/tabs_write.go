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

// dryRun reports whether the request only wants to see what would be saved. As in
// Java everything but true is false.
func (c *call) dryRun() bool {
	return c.query.has("$save") && !strings.EqualFold(c.query.get("$save"), "true")
}

// writeTab runs a change of records in a tab and responds with its outcome: the
// record, nothing when there is no such tab. find looks for the tab before the body is
// read.
func (c *call) writeTab(status int, find func(ctx context.Context, rd *reader) (*tabDef, error),
	write func(ctx context.Context, rd *reader, tab *tabDef, body any) (*wire.Object, error)) error {
	ctx := c.ctx()
	v, bodyErr := c.bodyValue()
	var response *wire.Object
	err := c.update(ctx, func(tx *store.Tx) error {
		rd, err := c.newReader(ctx, tx)
		if err != nil {
			return err
		}
		tab, err := find(ctx, rd)
		if err != nil {
			return err
		}
		if bodyErr != nil {
			return tabBodyError(bodyErr)
		}
		if _, ok := v.(*wire.Object); !ok && v != nil {
			return page(http.StatusInternalServerError) // outside the real handler's guard
		}
		if response, err = write(ctx, rd, tab, v); err == nil && c.dryRun() {
			err = errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		status, err = http.StatusOK, nil
	}
	switch {
	case err != nil:
		return c.tabError("Server error", serverError(err))
	case response == nil:
		c.empty(status)
	default:
		c.json(status, response)
	}
	return nil
}

// tabBodyError is the error for a body that is not JSON, which the real handler does
// not guard against.
func tabBodyError(err error) error {
	var public engine.PublicError
	if errors.As(err, &public) {
		return page(http.StatusInternalServerError)
	}
	return err
}

// serverError is how a tab reports what nothing gave a title yet.
func serverError(err error) error { return serverErrorAs("Server error", err) }

func serverErrorAs(title string, err error) error {
	var named *errorTitle
	if errors.As(err, &named) {
		return err
	}
	return titled(title, "Server error with exception: ", err)
}

// createInWindow handles POST /windows/{window}.
func createInWindow(c *call) error {
	return c.writeTab(http.StatusCreated, func(ctx context.Context, rd *reader) (*tabDef, error) {
		return rd.pathTab(ctx, true)
	}, func(ctx context.Context, rd *reader, tab *tabDef, v any) (*wire.Object, error) {
		if tab == nil {
			return nil, nil
		}
		return c.createOnly(ctx, rd, tab, nil, v)
	})
}

// createOnly makes a record of a tab that takes new ones.
func (c *call) createOnly(ctx context.Context, rd *reader, tab *tabDef, parent store.Row, v any) (*wire.Object, error) {
	if err := rd.mayCreate(ctx, tab); err != nil {
		return nil, err
	}
	body, err := engine.AsObject(v)
	if err != nil {
		return nil, err
	}
	return c.create(ctx, rd.tx, tab.shape(), parent, body, place{})
}

// mayCreate refuses new records where the tab has none.
func (rd *reader) mayCreate(ctx context.Context, tab *tabDef) error {
	if rd.readOnly(ctx, tab) || !tab.row.Bool("IsInsertRecord") {
		return fail(http.StatusForbidden, "Create not allow", "Create not allow for tab: "+tab.slug)
	}
	return nil
}

// createInChildTab handles POST /windows/{window}/tabs/{tab}/{id}/{child}. The
// record is created, too, if the tab is of the top level and so no child.
func createInChildTab(c *call) error {
	id, err := c.recordID()
	if err != nil {
		return err
	}
	return c.writeTab(http.StatusCreated, func(ctx context.Context, rd *reader) (*tabDef, error) {
		w, err := rd.findWindow(ctx, c.param("window"), true)
		if err != nil {
			return nil, err
		}
		parent := w.tab(c.param("tab"))
		if parent == nil {
			return nil, noTab(c.param("tab"))
		}
		return parent, nil
	}, func(ctx context.Context, rd *reader, parent *tabDef, v any) (*wire.Object, error) {
		row, err := rd.tabRow(ctx, parent, id)
		if errors.Is(err, errNoTabRecord) {
			return nil, fail(http.StatusNotFound, "Record not found", "No record found matching id "+engine.FormatID(id))
		}
		if err != nil && !errors.Is(err, errSeveralTabRecords) {
			return nil, err
		}
		child := parent.window.tab(c.param("child"))
		if child == nil {
			return nil, nil
		}
		if err := rd.mayCreate(ctx, child); err != nil {
			return nil, err
		}
		switch {
		case child.level() == 0:
			row = nil
		case child.level() != parent.level()+1 || child.parent != parent || child.link == nil || child.source == nil:
			return nil, failf(http.StatusBadRequest, "Wrong parent tab", "%s is not child tab of %s", c.param("child"), parent.slug)
		}
		return c.createOnly(ctx, rd, child, row, v)
	})
}

// updateTabRecord handles PUT …/{id} of a window or tab.
func updateTabRecord(c *call) error {
	id, err := c.recordID()
	if err != nil {
		return err
	}
	return c.writeTab(http.StatusOK, func(ctx context.Context, rd *reader) (*tabDef, error) {
		return rd.pathTab(ctx, true)
	}, func(ctx context.Context, rd *reader, tab *tabDef, v any) (*wire.Object, error) {
		if tab == nil {
			return nil, nil
		}
		if rd.readOnly(ctx, tab) {
			named := "null" // as the real server has it without a tab in the path
			if slug, ok := c.params["tab"]; ok {
				named = slug
			}
			return nil, fail(http.StatusForbidden, "Tab is readonly", "Tab is readonly: "+named)
		}
		row, err := rd.writeRow(ctx, tab, id)
		if err != nil {
			return nil, err
		}
		body, err := engine.AsObject(v)
		if err != nil {
			return nil, err
		}
		if err := c.mayChange(tab.table, row); err != nil {
			return nil, err
		}
		return c.change(ctx, rd.tx, tab.shape(), row, body, place{})
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
		tab, err := rd.pathTab(ctx, true)
		if err != nil {
			return err
		}
		if tab == nil {
			return noTab(c.param("tab"))
		}
		if rd.readOnly(ctx, tab) || !tab.table.IsDeleteable {
			return fail(http.StatusForbidden, "Delete not allow", "Delete not allow for tab: "+tab.slug)
		}
		row, err := rd.writeRow(ctx, tab, id)
		if err != nil {
			return err
		}
		r := &engine.Record{Table: tab.table, Old: row, Row: row}
		if err := c.session.MayUpdate(tab.table, row.Int("AD_Client_ID"), row.Int("AD_Org_ID"), r.ID()); err != nil {
			return err
		}
		return c.session.Delete(ctx, tx, tab.table, row)
	})
	if err != nil {
		return c.tabError("Delete error", serverErrorAs("Delete error", err))
	}
	c.empty(http.StatusOK)
	return nil
}

// readOnly reports whether nobody changes records of a tab. Its logic is evaluated
// before there is a record.
func (rd *reader) readOnly(ctx context.Context, tab *tabDef) bool {
	if tab.row.Bool("IsReadOnly") {
		return true
	}
	readOnly, ok := rd.logic(ctx, tab.table, store.Row{}, tab.row.String("ReadOnlyLogic"))
	return ok && readOnly
}

// tabBody is what of a request the tab takes: its fields, as far as their columns
// can be changed, and doc-action. Everything else is passed over. That a field is
// read-only does not matter, as in the ERP.
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
		if !ok || engine.IsArray(v) || old != nil && f.row.String("IsUpdateable") == "N" {
			continue
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

// readTab reads a new record of a tab, below a record of the tab above if there is
// one; changed is false if the body says nothing.
func (c *call) readTab(ctx context.Context, tx *store.Tx, tab *tabDef, parent store.Row, accepted *wire.Object) (r *engine.Record, changed bool, err error) {
	in := engine.TabInput{Table: tab.table, Fields: tab.columns(), Body: accepted, Preset: store.Row{}, Window: map[string]string{}}
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
	return c.session.ReadTab(ctx, tx, in)
}

// columns are the columns of a tab's fields, once they were read.
func (t *tabDef) columns() []*store.Column {
	columns := make([]*store.Column, len(t.fields))
	for i, f := range t.fields {
		columns[i] = f.col
	}
	return columns
}

// preview shows a record and its children as they would be saved.
func (c *call) preview(ctx context.Context, tx *store.Tx, s *shape, r *engine.Record, body *wire.Object, at place) (*wire.Object, error) {
	children, err := c.saveChildren(ctx, tx, s, r, body, at)
	if err != nil {
		return nil, err
	}
	return c.savedRecord(ctx, tx, s, r.Row, children)
}

// saveInTab saves a record alone, filled in as windows do for people.
func (c *call) saveInTab(ctx context.Context, tx *store.Tx, tab *tabDef, r *engine.Record) error {
	if message, refused := r.Refused(); refused {
		return saveFailed(engine.PublicError(message))
	}
	fields := tab.columns()
	if r.Incomplete(fields) {
		if err := c.session.CallOut(ctx, tx, r); err != nil {
			return err
		}
	}
	if r.Incomplete(fields) {
		return saveFailed(engine.PublicError(engine.MsgFillMandatory))
	}
	if err := c.session.Save(ctx, tx, r); err != nil {
		return saveFailed(err)
	}
	return nil
}
