package erptest

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// getRecord handles GET /models/{table}/{id}, and the same of views.
func getRecord(ctx context.Context, rd *reader) (any, error) {
	return rd.pathOne(ctx, rd.c.readOptions(), "")
}

// getProperty handles GET /models/{table}/{id}/{property}, and the same of views: the
// same object with one column.
func getProperty(ctx context.Context, rd *reader) (any, error) {
	opts := rd.c.readOptions()
	opts.selects, opts.expand = "", ""
	return rd.pathOne(ctx, opts, rd.c.param("property"))
}

// pathOne is the record the path names, or one column of it.
func (rd *reader) pathOne(ctx context.Context, opts readOptions, column string) (*wire.Object, error) {
	s, err := rd.pathShape(ctx, false)
	if err != nil {
		return nil, err
	}
	return rd.one(ctx, s, opts, column)
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
