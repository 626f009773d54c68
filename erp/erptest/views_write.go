package erptest

import (
	"context"
	"database/sql"
	"errors"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// writeView runs a change through a view and returns its outcome.
func (c *call) writeView(status int, title string, write func(ctx context.Context, rd *reader, v *viewDef, body any, bodyErr error) (*wire.Object, error)) error {
	body, bodyErr := c.bodyValue()
	ctx := c.ctx()
	var response *wire.Object
	err := c.update(ctx, func(tx *store.Tx) error {
		rd, err := c.newReader(ctx, tx)
		if err != nil {
			return err
		}
		v, err := rd.pathView(ctx)
		if err != nil {
			return err
		}
		if err := rd.checkView(ctx, v, true); err != nil {
			return err
		}
		response, err = write(ctx, rd, v, body, bodyErr)
		return err
	})
	if err != nil {
		return orTitled(title, err)
	}
	c.json(status, response)
	return nil
}

// createViewRecord handles POST /views/{view}.
func createViewRecord(c *call) error {
	return c.writeView(http.StatusCreated, "Server error", func(ctx context.Context, rd *reader, v *viewDef, body any, bodyErr error) (*wire.Object, error) {
		if bodyErr != nil {
			return nil, bodyErr
		}
		o, err := engine.AsObject(body)
		if err != nil {
			return nil, err
		}
		return c.createInView(ctx, rd.tx, v, nil, o, 0)
	})
}

// updateViewRecord handles PUT /views/{view}/{id}.
func updateViewRecord(c *call) error {
	return c.writeView(http.StatusOK, "Update error", func(ctx context.Context, rd *reader, v *viewDef, body any, bodyErr error) (*wire.Object, error) {
		if !engine.IsRecordID(c.param("id")) {
			return nil, page(http.StatusInternalServerError)
		}
		row, err := c.session.FindRow(ctx, rd.tx, v.table, c.param("id"))
		if err != nil {
			return nil, err
		}
		r := &engine.Record{Table: v.table, Old: row, Row: row}
		if err := c.session.MayWrite(r, r.ID()); err != nil {
			return nil, err
		}
		if bodyErr != nil {
			return nil, bodyErr
		}
		o, err := engine.AsObject(body)
		if err != nil {
			return nil, err
		}
		return c.changeInView(ctx, rd.tx, v, row, o, true)
	})
}

// viewBody is a body in the view's names translated into column names. Arrays
// may be children and are left out. New records get the view's defaults.
func (c *call) viewBody(ctx context.Context, tx *store.Tx, v *viewDef, old store.Row, body *wire.Object) (*wire.Object, error) {
	if c.session.Sysconfig(ctx, tx, "REST_ERROR_ON_NON_EXISTING_COLUMN", "Y") != "N" {
		if err := v.checkNames(body); err != nil {
			return nil, err
		}
	}
	out := wire.NewObject()
	for _, col := range v.columns {
		value, given := getPath(body, col.name())
		if given && bodyLogic(col.row.String("ReadOnlyLogic"), body) {
			if old != nil {
				return nil, engine.Invalidf("Cannot update column %s", col.name())
			}
			given = false
		}
		if given {
			out.Set(col.col.Name, value)
			continue
		}
		if text := col.row.String("DefaultValue"); text != "" && old == nil {
			if stored, ok, err := c.viewDefault(ctx, tx, v, col, text, body); err != nil {
				return nil, err
			} else if ok {
				out.Set(col.col.Name, stored)
			}
		}
	}
	if action, ok := body.Get("doc-action"); ok {
		out.Set("doc-action", action)
	}
	return out, nil
}

// viewDefault evaluates the default of a view's column to a value for a body.
func (c *call) viewDefault(ctx context.Context, tx *store.Tx, v *viewDef, col viewColumn, text string, body *wire.Object) (any, bool, error) {
	vars := engine.Variables{Session: c.session, Record: &engine.Record{Table: v.table, Row: store.Row{}}, Body: body}
	value, ok, err := c.session.DefaultToken(ctx, tx, vars, text)
	if err != nil || !ok {
		return nil, false, err
	}
	if col.col.Kind() == store.KindBool {
		return value == "Y" || value == "true", true, nil
	}
	return value, true, nil
}

// checkMandatory refuses a record that lacks what the view's own logic
// demands.
func (v *viewDef) checkMandatory(ctx context.Context, rd *reader, r *engine.Record) error {
	for _, col := range v.columns {
		if r.Has(col.col.Name) {
			continue
		}
		if must, ok := rd.logic(ctx, v.table, r.Row, col.row.String("MandatoryLogic")); ok && must {
			return engine.Invalidf("%s%s", engine.MsgFillMandatory, col.name())
		}
	}
	return nil
}

// createInView saves a new record with its children and document action, and
// returns it through the view.
func (c *call) createInView(ctx context.Context, tx *store.Tx, v *viewDef, link store.Row, body *wire.Object, depth int) (*wire.Object, error) {
	accepted, err := c.viewBody(ctx, tx, v, nil, body)
	if err != nil {
		return nil, err
	}
	r, err := c.session.ReadNew(ctx, tx, v.table, accepted, link)
	if err != nil {
		return nil, err
	}
	if r.Row.Int("AD_Client_ID") != c.session.ClientID {
		return nil, fail(http.StatusForbidden, "Update error", "You are not allowed to create a record for another tenant")
	}
	if err := c.session.MayWrite(r, 0); err != nil {
		return nil, err
	}
	if err := c.saveInView(ctx, tx, v, r); err != nil {
		return nil, err
	}
	children, err := c.viewChildren(ctx, tx, v, r, body, depth, func(child *viewDef, link store.Row, row *wire.Object) (*wire.Object, error) {
		o, err := c.createInView(ctx, tx, child, link, row, depth+1)
		if err != nil {
			err = &errorTitle{title: "Save error", prefix: "Save error with exception: ", err: plainDetail(err)}
		}
		return o, err
	})
	if err != nil {
		return nil, err
	}
	return c.viewResponse(ctx, tx, v, r, children)
}

// changeInView applies a body to an existing record; children only one level
// deep.
func (c *call) changeInView(ctx context.Context, tx *store.Tx, v *viewDef, row store.Row, body *wire.Object, withChildren bool) (*wire.Object, error) {
	accepted, err := c.viewBody(ctx, tx, v, row, body)
	if err != nil {
		return nil, err
	}
	r, err := c.session.ReadChange(ctx, tx, v.table, row, accepted)
	if err != nil {
		return nil, err
	}
	if err := c.saveInView(ctx, tx, v, r); err != nil {
		return nil, err
	}
	children := wire.NewObject()
	if withChildren {
		children, err = c.viewChildren(ctx, tx, v, r, body, 0, func(child *viewDef, link store.Row, row *wire.Object) (*wire.Object, error) {
			o, err := c.changeViewChild(ctx, tx, child, link, row)
			if err != nil {
				err = orTitled("Save error", err)
			}
			return o, err
		})
		if err != nil {
			return nil, err
		}
	}
	return c.viewResponse(ctx, tx, v, r, children)
}

func (c *call) saveInView(ctx context.Context, tx *store.Tx, v *viewDef, r *engine.Record) error {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return err
	}
	if err := v.checkMandatory(ctx, rd, r); err != nil {
		return err
	}
	if err := c.session.Save(ctx, tx, r); err != nil {
		return orTitled("Save error", err)
	}
	return nil
}

// childView is the view of the children that stand under the name of a relation, or
// of a related view's table; nil for other names, which the ERP passes over.
func (rd *reader) childView(ctx context.Context, v *viewDef, name string) (*viewDef, error) {
	for _, r := range v.related {
		child, err := rd.viewByID(ctx, r.row.Int("REST_RelatedRestView_ID"))
		if err != nil {
			return nil, err
		}
		if child != nil && (r.name() == name || child.table.Name == name) {
			return child, nil
		}
	}
	return nil, nil
}

// viewChildren saves the arrays of a body that stand under names of relations.
// What it returns are arrays under the same names.
func (c *call) viewChildren(ctx context.Context, tx *store.Tx, v *viewDef, r *engine.Record, body *wire.Object, depth int, save func(*viewDef, store.Row, *wire.Object) (*wire.Object, error)) (*wire.Object, error) {
	out := wire.NewObject()
	for _, name := range body.Names() {
		value, _ := body.Get(name)
		list, ok := value.([]any)
		if !ok || isColumn(v.table, name) {
			continue
		}
		rd, err := c.newReader(ctx, tx)
		if err != nil {
			return nil, err
		}
		child, err := rd.childView(ctx, v, name)
		if err != nil {
			return nil, err
		}
		if child == nil || depth > maxTabDepth {
			continue
		}
		_, link, err := c.childTable(ctx, tx, r, child.table.Name)
		if err != nil {
			return nil, err
		}
		var records []*wire.Object
		for _, item := range list {
			row, ok := item.(*wire.Object)
			if !ok {
				continue
			}
			o, err := save(child, link, row)
			if err != nil {
				return nil, err
			}
			if o != nil {
				records = append(records, o)
			}
		}
		if len(records) > 0 {
			out.Set(name, records)
		}
	}
	return out, nil
}

func isColumn(t *store.Table, name string) bool {
	_, ok := t.Column(name)
	return ok
}

// changeViewChild updates, deletes or creates a record of a child array;
// deleted ones are nil.
func (c *call) changeViewChild(ctx context.Context, tx *store.Tx, child *viewDef, link store.Row, body *wire.Object) (*wire.Object, error) {
	row, err := c.loadChild(ctx, tx, child.table, body)
	if err != nil {
		return nil, err
	}
	flag, _ := body.Get("(delete)")
	remove := engine.YesNo(flag) == "Y"
	if remove && row == nil {
		return nil, fail(http.StatusNotFound, "Delete Error", "Cannot delete non-existing record")
	}
	if row == nil {
		return c.createInView(ctx, tx, child, link, body, maxTabDepth)
	}
	if err := c.session.MayWrite(&engine.Record{Table: child.table, Old: row, Row: row}, row.Int(child.table.Name+"_ID")); err != nil {
		return nil, err
	}
	if remove {
		return nil, c.session.Delete(ctx, tx, child.table, row)
	}
	return c.changeInView(ctx, tx, child, row, body, false)
}

// viewResponse runs the document action and is the saved record as the view
// shows it, with its children.
func (c *call) viewResponse(ctx context.Context, tx *store.Tx, v *viewDef, r *engine.Record, children *wire.Object) (*wire.Object, error) {
	message, err := c.session.RunDocAction(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	row, err := r.Reread(ctx, tx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, engine.PublicError("The record is gone")
	}
	if err != nil {
		return nil, err
	}
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	w, err := rd.resolveView(ctx, v, "", nil, false, 0)
	if err != nil {
		return nil, err
	}
	objects, err := rd.viewObjects(ctx, w, []store.Row{row}, false)
	if err != nil {
		return nil, err
	}
	if message != "" {
		objects[0].Set("doc-processmsg", message)
	}
	for _, name := range children.Names() {
		list, _ := children.Get(name)
		objects[0].Set(name, list)
	}
	return objects[0], nil
}
