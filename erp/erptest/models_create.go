package erptest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// createModel handles POST /models/{table}.
func createModel(c *call) error {
	v, bodyErr := c.bodyValue()
	var response any
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		t, err := c.session.FindTable(c.ctx(), tx, c.param("table"), true)
		if err != nil {
			return err
		}
		if bodyErr != nil {
			return bodyErr
		}
		if list, ok := v.([]any); ok && strings.EqualFold(t.Name, "AD_Column") && !c.srv.opts.Strict {
			response, err = c.createAll(c.ctx(), tx, t, list)
			return err
		}
		o, err := engine.AsObject(v)
		if err != nil {
			return err
		}
		response, err = c.create(c.ctx(), tx, t, o)
		return err
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(http.StatusCreated, response)
	return nil
}

// orTitled gives an error a title unless it has one, or a status of its own.
func orTitled(title string, err error) error {
	var (
		named *errorTitle
		api   *apiError
		pg    *pageError
		txt   *textError
		deny  *engine.AccessDenied
	)
	if errors.As(err, &named) || asAPI(err, &api) || errors.As(err, &pg) || errors.As(err, &txt) || errors.As(err, &deny) {
		return err
	}
	return titled(title, "", err)
}

// createAll creates the records of an array, all of them or none.
func (c *call) createAll(ctx context.Context, tx *store.Tx, t *store.Table, list []any) ([]*wire.Object, error) {
	responses := make([]*wire.Object, 0, len(list))
	for _, item := range list {
		o, err := engine.AsObject(item)
		if err != nil {
			return nil, err
		}
		response, err := c.create(ctx, tx, t, o)
		if err != nil {
			return nil, err
		}
		responses = append(responses, response)
	}
	return responses, nil
}

// create saves a new record with its children and document action, and
// returns it as the API does.
func (c *call) create(ctx context.Context, tx *store.Tx, t *store.Table, body *wire.Object) (*wire.Object, error) {
	r, err := c.session.ReadNew(ctx, tx, t, body, nil)
	if err != nil {
		return nil, err
	}
	if r.Row.Int("AD_Client_ID") != c.session.ClientID {
		return nil, fail(http.StatusForbidden, "Update error", "You are not allowed to create a record for another tenant")
	}
	if err := c.session.MayWrite(r, 0); err != nil {
		return nil, err
	}
	if err := c.session.Save(ctx, tx, r); err != nil {
		return nil, orTitled("Save error", err)
	}
	c.fresh.add(r)
	type child struct {
		name    string
		records []*wire.Object
	}
	var children []child
	for _, name := range engine.ChildArrays(t, body) {
		records, err := c.createChildren(ctx, tx, r, name)
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
	c.settle()
	response, err := c.response(ctx, tx, r, message)
	if err != nil {
		return nil, err
	}
	for _, ch := range children {
		response.Set(ch.name, ch.records)
	}
	return response, nil
}

// response is the saved record as the API shows it, with what its document
// action had to say.
func (c *call) response(ctx context.Context, tx *store.Tx, r *engine.Record, message string) (*wire.Object, error) {
	row, err := r.Reread(ctx, tx)
	if err != nil {
		return nil, err
	}
	r.Old, r.Row = row, row
	o, err := c.recordObject(ctx, tx, r.Table, row, nil)
	if err != nil {
		return nil, err
	}
	if message != "" {
		o.Set("doc-processmsg", message)
	}
	return o, nil
}

// childTable is the table of a child array, which must have a column for the
// key of the parent. doing is what is to be done with it.
func (c *call) childTable(ctx context.Context, tx *store.Tx, parent *engine.Record, name, doing string) (*store.Table, store.Row, error) {
	key, value := parent.Table.Name+"_ID", any(parent.ID())
	if parent.Table.KeyColumn() == nil {
		key, value = parent.Table.Name+"_UU", parent.UUID()
	}
	t, err := tx.Table(ctx, name)
	if err == nil {
		if col, ok := t.Column(key); ok {
			return t, store.Row{col.Name: value}, nil
		}
	} else if !errors.Is(err, store.ErrNoTable) {
		return nil, nil, err
	}
	return nil, nil, failf(http.StatusInternalServerError, "Wrong detail",
		"Cannot %s detail records for the table because it has no column that links to the parent table: %s", doing, name)
}

// createChildren saves the new records of a child array and theirs. Whatever
// fails in them is a failure to save the parent.
func (c *call) createChildren(ctx context.Context, tx *store.Tx, parent *engine.Record, name string) ([]*wire.Object, error) {
	t, link, err := c.childTable(ctx, tx, parent, name, "create")
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
		o, err := c.createChild(ctx, tx, t, link, body)
		if err != nil {
			return nil, &errorTitle{title: "Save error", prefix: "Save error with exception: ", err: plainDetail(err)}
		}
		out = append(out, o)
	}
	return out, nil
}

func (c *call) createChild(ctx context.Context, tx *store.Tx, t *store.Table, link store.Row, body *wire.Object) (*wire.Object, error) {
	r, err := c.session.ReadNew(ctx, tx, t, body, link)
	if err != nil {
		return nil, err
	}
	if r.Row.Int("AD_Client_ID") != c.session.ClientID {
		return nil, engine.PublicError("You are not allowed to create a record for another tenant")
	}
	if err := c.session.MayWrite(r, 0); err != nil {
		return nil, err
	}
	if err := c.session.Save(ctx, tx, r); err != nil {
		return nil, err
	}
	c.fresh.add(r)
	var names []string
	children := map[string][]*wire.Object{}
	for _, name := range engine.ChildArrays(t, body) {
		records, err := c.createChildren(ctx, tx, r, name)
		if err != nil {
			return nil, err
		}
		if len(records) > 0 {
			names, children[name] = append(names, name), records
		}
	}
	if _, err := c.session.RunDocAction(ctx, tx, r); err != nil {
		return nil, err
	}
	o, err := c.response(ctx, tx, r, "")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		o.Set(name, children[name])
	}
	return o, nil
}

// plainDetail reduces an error to the text the plugin would show of it; what
// is not fit to be shown stays private.
func plainDetail(err error) error {
	var api *apiError
	if asAPI(err, &api) {
		if api.detail == "" {
			return engine.PublicError(api.title)
		}
		return engine.PublicError(api.detail)
	}
	var named *errorTitle
	if errors.As(err, &named) {
		return plainDetail(named.err)
	}
	return err
}
