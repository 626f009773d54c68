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

// updateModel handles PUT /models/{table}/{id}.
func updateModel(c *call) error {
	v, bodyErr := c.bodyValue()
	var response *wire.Object
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		t, row, err := c.pathRecord(c.ctx(), tx, true)
		if err != nil {
			return err
		}
		if bodyErr != nil {
			return bodyErr
		}
		body, err := engine.AsObject(v)
		if err != nil {
			return err
		}
		response, err = c.change(c.ctx(), tx, t, row, body)
		return err
	})
	if err != nil {
		return orTitled("Update error", err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// pathRecord is the record a path names. An id that is neither number nor
// UUID escapes the guards of the writing operations of the real server.
func (c *call) pathRecord(ctx context.Context, tx *store.Tx, write bool) (*store.Table, store.Row, error) {
	t, err := c.session.FindTable(ctx, tx, c.param("table"), write)
	if err != nil {
		return nil, nil, err
	}
	id := c.param("id")
	if !engine.IsRecordID(id) {
		return nil, nil, page(http.StatusInternalServerError)
	}
	row, err := c.session.FindRow(ctx, tx, t, id)
	if err != nil || !write {
		return t, row, err
	}
	return t, row, c.writableRow(t, row, id)
}

// writableRow refuses a record that the role only reads.
func (c *call) writableRow(t *store.Table, row store.Row, id string) error {
	err := c.session.MayUpdate(t, row.Int("AD_Client_ID"), row.Int("AD_Org_ID"), row.Int(t.Name+"_ID"))
	var denied *engine.AccessDenied
	if errors.As(err, &denied) {
		return fail(http.StatusForbidden, "Access denied", "Access denied for record with id: "+id)
	}
	return err
}

// change applies a request to an existing record and returns the outcome.
func (c *call) change(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row, body *wire.Object) (*wire.Object, error) {
	r, err := c.session.ReadChange(ctx, tx, t, row, body)
	if err != nil {
		return nil, err
	}
	if err := c.session.Save(ctx, tx, r); err != nil {
		return nil, orTitled("Save error", err)
	}
	type child struct {
		name    string
		records []*wire.Object
	}
	var children []child
	for _, name := range engine.ChildArrays(t, body) {
		records, err := c.changeChildren(ctx, tx, r, name)
		if err != nil {
			return nil, err
		}
		if len(records) > 0 {
			children = append(children, child{name, records})
		}
	}
	message, err := c.session.RunDocAction(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	response, err := c.response(ctx, tx, r, message)
	if err != nil {
		return nil, err
	}
	for _, ch := range children {
		response.Set(ch.name, ch.records)
	}
	return response, nil
}

// changeChildren updates, deletes or creates the records of a child array,
// one level deep. Deleted ones are not among what it returns.
func (c *call) changeChildren(ctx context.Context, tx *store.Tx, parent *engine.Record, name string) ([]*wire.Object, error) {
	t, link, err := c.childTable(ctx, tx, parent, name, "create/update")
	if err != nil {
		return nil, err
	}
	v, _ := parent.Body.Get(name)
	list, _ := v.([]any)
	var out []*wire.Object
	for _, item := range list {
		body, ok := item.(*wire.Object)
		if !ok {
			continue
		}
		o, err := c.changeChild(ctx, tx, t, link, body)
		if err != nil {
			return nil, orTitled("Save error", err)
		}
		if o != nil {
			out = append(out, o)
		}
	}
	return out, nil
}

func (c *call) changeChild(ctx context.Context, tx *store.Tx, t *store.Table, link store.Row, body *wire.Object) (*wire.Object, error) {
	row, err := c.loadChild(ctx, tx, t, body)
	if err != nil {
		return nil, err
	}
	if flag, _ := body.Get("(delete)"); engine.YesNo(flag) == "Y" {
		if row == nil {
			return nil, fail(http.StatusNotFound, "Delete Error", "Cannot delete non-existing record")
		}
		if err := c.session.MayWrite(&engine.Record{Table: t, Old: row, Row: row}, row.Int(t.Name+"_ID")); err != nil {
			return nil, err
		}
		return nil, c.session.Delete(ctx, tx, t, row)
	}
	var r *engine.Record
	if row == nil {
		if r, err = c.session.ReadNew(ctx, tx, t, body, link); err != nil {
			return nil, err
		}
		if r.Row.Int("AD_Client_ID") != c.session.ClientID {
			return nil, fail(http.StatusForbidden, "Update error", "You are not allowed to create a record for another tenant")
		}
		err = c.session.MayWrite(r, 0)
	} else {
		if err := c.session.MayWrite(&engine.Record{Table: t, Old: row, Row: row}, row.Int(t.Name+"_ID")); err != nil {
			return nil, err
		}
		r, err = c.session.ReadChange(ctx, tx, t, row, body)
	}
	if err != nil {
		return nil, err
	}
	if err := c.session.Save(ctx, tx, r); err != nil {
		return nil, err
	}
	return c.response(ctx, tx, r, "")
}

// loadChild is the existing record a child names by id or uid, nil for none.
func (c *call) loadChild(ctx context.Context, tx *store.Tx, t *store.Table, body *wire.Object) (store.Row, error) {
	var where string
	var arg any
	if v, ok := body.Get("id"); ok && t.KeyColumn() != nil {
		id, err := engine.Integer(engine.Field{Name: "id"}, v)
		if err != nil || id == nil {
			return nil, err
		}
		where, arg = store.Expr(t, t.KeyColumn())+"=?", id
	} else if v, ok := body.Get("uid"); ok && t.UUColumn() != nil {
		s, ok := v.(string)
		if !ok {
			return nil, nil
		}
		where, arg = store.Expr(t, t.UUColumn())+"=?", s
	} else {
		return nil, nil
	}
	access, args, err := c.session.RowFilter(ctx, tx, t)
	if err != nil {
		return nil, err
	}
	if access != "" {
		where += " AND (" + access + ")"
	}
	row, err := tx.One(ctx, t, where, append([]any{arg}, args...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}
