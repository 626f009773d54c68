package erptest

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// getRecord handles GET /models/{table}/{id}, and the same of views.
func getRecord(c *call) error { return c.readOne(c.readOptions(), "") }

// getProperty handles GET /models/{table}/{id}/{property}, and the same of views: the
// same object with one column.
func getProperty(c *call) error {
	opts := c.readOptions()
	opts.selects, opts.expand = "", ""
	return c.readOne(opts, c.param("property"))
}

// readOne responds with one record, or with one column of it.
func (c *call) readOne(opts readOptions, column string) error {
	var body *wire.Object
	err := c.read(func(ctx context.Context, rd *reader) error {
		s, err := rd.pathShape(ctx, false)
		if err != nil {
			return err
		}
		body, err = rd.one(ctx, s, opts, column)
		return err
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, body)
	return nil
}

func (rd *reader) one(ctx context.Context, s *shape, opts readOptions, column string) (*wire.Object, error) {
	// As in the ERP what is selected is looked at before the record, what is expanded
	// after it.
	properties, err := rd.shown(ctx, s, opts.selects)
	if err == nil && column != "" {
		properties, err = rd.oneProperty(ctx, s, column)
	}
	if err != nil {
		return nil, err
	}
	row, err := rd.shapeRow(ctx, s, rd.c.param("id"))
	if err != nil {
		return nil, err
	}
	w := readWork{shape: s, properties: properties}
	if err := rd.expand(ctx, &w, opts.expand); err != nil {
		return nil, err
	}
	statements := wire.NewObject()
	if opts.showSQL {
		where, args, err := (&engine.Record{Table: s.table, Row: row}).Where()
		if err != nil {
			return nil, err
		}
		sel := store.Selection{Where: where, Args: args}
		statements.Set("sql-command", erpSQL(store.SelectSQL(s.table, sources(s.table, properties), sel)))
		for _, x := range w.expansions {
			x.addStatement(statements)
		}
		if opts.noData {
			return statements, nil
		}
	}
	objects, err := rd.completed(ctx, w, store.SheetOf(s.table.Columns, []store.Row{row}), opts)
	if err != nil {
		return nil, err
	}
	for _, name := range statements.Names() {
		v, _ := statements.Get(name)
		objects[0].Set(name, v)
	}
	return objects[0], nil
}
