package erptest

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// writeRecords runs a change of what the path names and responds with its outcome.
// Other errors than those with a title have this one.
func (c *call) writeRecords(status int, title string, write func(ctx context.Context, tx *store.Tx, s *shape) (any, error)) error {
	var response any
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		rd, err := c.newReader(c.ctx(), tx)
		if err != nil {
			return err
		}
		s, err := rd.pathShape(c.ctx(), true)
		if err != nil {
			return err
		}
		response, err = write(c.ctx(), tx, s)
		return err
	})
	if err != nil {
		return orTitled(title, err)
	}
	c.json(status, response)
	return nil
}

// createRecord handles POST /models/{table} and POST /views/{view}.
func createRecord(c *call) error {
	v, bodyErr := c.bodyValue()
	return c.writeRecords(http.StatusCreated, "Server error", func(ctx context.Context, tx *store.Tx, s *shape) (any, error) {
		if bodyErr != nil {
			return nil, bodyErr
		}
		if list, ok := v.([]any); ok && s.view == nil && strings.EqualFold(s.table.Name, "AD_Column") && !c.srv.opts.Strict {
			return c.createAll(ctx, tx, s, list)
		}
		body, err := engine.AsObject(v)
		if err != nil {
			return nil, err
		}
		return c.create(ctx, tx, s, nil, body, place{})
	})
}

// updateRecord handles PUT /models/{table}/{id}, and the same of views.
func updateRecord(c *call) error {
	v, bodyErr := c.bodyValue()
	return c.writeRecords(http.StatusOK, "Update error", func(ctx context.Context, tx *store.Tx, s *shape) (any, error) {
		row, err := c.pathRow(ctx, tx, s)
		if err == nil {
			err = c.mayChangeRow(s.table, row, c.param("id"))
		}
		if err != nil {
			return nil, err
		}
		if bodyErr != nil {
			return nil, bodyErr
		}
		body, err := engine.AsObject(v)
		if err != nil {
			return nil, err
		}
		return c.change(ctx, tx, s, row, body, place{})
	})
}

// deleteRecord handles DELETE /models/{table}/{id}, and the same of views.
func deleteRecord(c *call) error {
	return c.writeRecords(http.StatusOK, "Delete error", func(ctx context.Context, tx *store.Tx, s *shape) (any, error) {
		row, err := c.pathRow(ctx, tx, s)
		if err == nil {
			err = c.mayChangeRow(s.table, row, c.param("id"))
		}
		if err != nil {
			return nil, err
		}
		if err := c.session.Delete(ctx, tx, s.table, row); err != nil {
			return nil, err
		}
		text, err := c.session.Translated(ctx, tx, engine.MsgDeleted)
		return wire.NewObject("msg", text), err
	})
}

// pathRow is the record of a shape that the path names. A view's own condition does
// not count, as in the ERP. An id that is neither number nor UUID escapes the guards
// of the writing operations of the real server.
func (c *call) pathRow(ctx context.Context, tx *store.Tx, s *shape) (store.Row, error) {
	if !engine.IsRecordID(c.param("id")) {
		return nil, page(http.StatusInternalServerError)
	}
	return c.session.FindRow(ctx, tx, s.table, c.param("id"))
}

// pathRecord is the record a path names, for reading what belongs to it.
func (c *call) pathRecord(ctx context.Context, tx *store.Tx) (*store.Table, store.Row, error) {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	s, err := rd.pathShape(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	row, err := c.pathRow(ctx, tx, s)
	return s.table, row, err
}

// mayChangeRow refuses the record with that id to roles that only read it.
func (c *call) mayChangeRow(t *store.Table, row store.Row, id string) error {
	err := c.session.MayUpdate(t, row.Int("AD_Client_ID"), row.Int("AD_Org_ID"), row.Int(t.Name+"_ID"))
	var denied *engine.AccessDenied
	if errors.As(err, &denied) {
		return fail(http.StatusForbidden, "Access denied", "Access denied for record with id: "+id)
	}
	return err
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
func (c *call) createAll(ctx context.Context, tx *store.Tx, s *shape, list []any) ([]*wire.Object, error) {
	responses := make([]*wire.Object, 0, len(list))
	for _, item := range list {
		o, err := engine.AsObject(item)
		if err != nil {
			return nil, err
		}
		response, err := c.create(ctx, tx, s, nil, o, place{})
		if err != nil {
			return nil, err
		}
		responses = append(responses, response)
	}
	return responses, nil
}

// place is where in a request a record stands.
type place struct {
	depth int // how many records it is below
	// belowOld is for one below a record that was there before: it has neither children
	// nor, without a view, a document action.
	belowOld bool
}

// create saves a new record with its children and document action, and returns it as
// the shape shows it. link is what it has of the record above; for a tab it is that
// record. A record of a tab of which the request says nothing is shown as it would
// begin, and not saved, unless the record above is saved with it.
func (c *call) create(ctx context.Context, tx *store.Tx, s *shape, link store.Row, body *wire.Object, at place) (*wire.Object, error) {
	accepted, err := c.accept(ctx, tx, s, nil, body)
	if err != nil {
		return nil, err
	}
	var r *engine.Record
	if s.tab == nil {
		r, err = c.session.ReadNew(ctx, tx, s.table, accepted, link)
	} else {
		var changed bool
		if r, changed, err = c.readTab(ctx, tx, s.tab, link, accepted); err != nil {
			return nil, serverFailed(err)
		}
		if c.dryRun() || !changed && at.depth == 0 {
			return c.preview(ctx, tx, s, r, body, at)
		}
		err = c.session.Construct(ctx, tx, r)
	}
	if err != nil {
		return nil, err
	}
	if err := c.mayCreate(r); err != nil {
		return nil, err
	}
	return c.save(ctx, tx, s, r, body, at)
}

// mayCreate refuses a new record that the session may not make.
func (c *call) mayCreate(r *engine.Record) error {
	if r.Row.Int("AD_Client_ID") != c.session.ClientID {
		return fail(http.StatusForbidden, "Update error", "You are not allowed to create a record for another tenant")
	}
	return c.session.MayWrite(r, 0)
}

// mayChange refuses a change of a record that the role does not write.
func (c *call) mayChange(t *store.Table, row store.Row) error {
	return c.session.MayWrite(&engine.Record{Table: t, Old: row, Row: row}, row.Int(t.Name+"_ID"))
}

// change applies a body to an existing record and returns the outcome.
func (c *call) change(ctx context.Context, tx *store.Tx, s *shape, row store.Row, body *wire.Object, at place) (*wire.Object, error) {
	accepted, err := c.accept(ctx, tx, s, row, body)
	if err != nil {
		return nil, err
	}
	r, err := c.session.ReadChange(ctx, tx, s.table, row, accepted)
	switch {
	case err != nil && s.tab != nil:
		return nil, serverFailed(err)
	case err != nil:
		return nil, err
	case s.tab != nil && c.dryRun():
		return c.preview(ctx, tx, s, r, body, at)
	}
	return c.save(ctx, tx, s, r, body, at)
}

// save saves a record that was read from a body, with its children and document
// action.
func (c *call) save(ctx context.Context, tx *store.Tx, s *shape, r *engine.Record, body *wire.Object, at place) (*wire.Object, error) {
	if err := c.saveRecord(ctx, tx, s, r); err != nil {
		return nil, err
	}
	if r.IsNew() && s.view == nil {
		c.fresh.add(r)
	}
	children, err := c.saveChildren(ctx, tx, s, r, body, at)
	if err != nil {
		return nil, err
	}
	message, err := c.actOn(ctx, tx, s, r, at)
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
	if at.depth == 0 {
		c.settle()
	}
	o, err := c.savedRecord(ctx, tx, s, row, children)
	if err == nil && message != "" {
		o.Set("doc-processmsg", message)
	}
	return o, err
}

// actOn runs the record's document action. It returns what is to be told of it, which
// is nothing in a tab, and nothing of a child without a view.
func (c *call) actOn(ctx context.Context, tx *store.Tx, s *shape, r *engine.Record, at place) (string, error) {
	plain := s.view == nil && s.tab == nil
	if plain && at.belowOld {
		return "", nil
	}
	message, err := c.session.RunDocAction(ctx, tx, r)
	switch {
	case err != nil && s.tab != nil:
		return "", actionFailed(err)
	case s.tab != nil, plain && at.depth > 0:
		message = ""
	}
	return message, err
}

// saveRecord saves the record alone.
func (c *call) saveRecord(ctx context.Context, tx *store.Tx, s *shape, r *engine.Record) error {
	if s.tab != nil {
		return c.saveInTab(ctx, tx, s.tab, r)
	}
	if err := c.checkMandatory(ctx, tx, s, r); err != nil {
		return err
	}
	return orTitled("Save error", c.session.Save(ctx, tx, r))
}

// savedRecord is a record as the shape shows it, with its children.
func (c *call) savedRecord(ctx context.Context, tx *store.Tx, s *shape, row store.Row, children *wire.Object) (*wire.Object, error) {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	var objects []*wire.Object
	if s.tab != nil {
		objects, err = rd.tabRecords(ctx, s.tab, []store.Row{row})
	} else {
		objects, err = rd.wholeRecords(ctx, s, row)
	}
	if err != nil {
		return nil, err
	}
	for _, name := range children.Names() {
		list, _ := children.Get(name)
		objects[0].Set(name, list)
	}
	return objects[0], nil
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
