package erptest

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// getModel handles GET /models/{table}/{id}.
func getModel(c *call) error { return c.readOne(c.readOptions(), "") }

// getProperty handles GET /models/{table}/{id}/{property}: the same object
// with one column.
func getProperty(c *call) error {
	opts := c.readOptions()
	opts.selects, opts.expand = "", ""
	return c.readOne(opts, c.param("property"))
}

// readOne responds with one record, or with one column of it.
func (c *call) readOne(opts readOptions, column string) error {
	ctx := c.ctx()
	var body *wire.Object
	err := c.view(ctx, func(tx *store.Tx) error {
		t, err := c.session.FindTable(ctx, tx, c.param("table"), false)
		if err != nil {
			return err
		}
		body, err = c.one(ctx, tx, t, opts, column)
		return err
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, body)
	return nil
}

func (c *call) one(ctx context.Context, tx *store.Tx, t *store.Table, opts readOptions, column string) (*wire.Object, error) {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	// As in the ERP what is selected is looked at before the record, what is expanded
	// after it.
	if _, err := rd.selected(ctx, t, filter.Select(opts.selects)); err != nil {
		return nil, err
	}
	col, ok := t.Column(column)
	if column != "" && !ok {
		return nil, fail(http.StatusNotFound, "Invalid property name", "No match found for column name: "+column)
	}
	id := c.param("id")
	if engine.IsRecordID(id) && !engine.IsUUID(id) && len(t.KeyColumns()) != 1 {
		return nil, engine.NoSingleKey(c.param("table"))
	}
	row, err := c.session.FindRow(ctx, tx, t, id)
	if err != nil {
		return nil, orTitled("Exception reading "+id, err)
	}
	w, err := rd.resolve(ctx, t, opts)
	if err != nil {
		return nil, err
	}
	if column != "" {
		if w.properties, err = rd.properties(ctx, t, []*store.Column{col}); err != nil {
			return nil, err
		}
	}
	statements := wire.NewObject()
	if opts.showSQL {
		key, arg := t.KeyColumn(), any(nil)
		if key == nil || row[key.Name] == nil {
			key = t.UUColumn()
		}
		where := ""
		if key != nil {
			arg = row[key.Name]
			where = store.Expr(t, key) + "=?"
		}
		sel := store.Selection{Where: where, Args: []any{arg}}
		statements.Set("sql-command", erpSQL(store.SelectSQL(t, sources(t, w.properties), sel)))
		for _, x := range w.expansions {
			x.addStatement(statements)
		}
		if opts.noData {
			return statements, nil
		}
	}
	rd.labels = opts.labelsShown()
	rows := store.SheetOf(t.Columns, []store.Row{row})
	objects, err := rd.objects(ctx, t, w.properties, rows)
	if err != nil {
		return nil, err
	}
	o := objects[0]
	row = rows.Row(0)
	rd.finish(o, t)
	if err := rd.expandInto(ctx, t, row, o, w.expansions, 0); err != nil {
		return nil, err
	}
	if opts.showLabel {
		if err := rd.addLabels(ctx, t, row, o, opts.labelColumns); err != nil {
			return nil, err
		}
	}
	for _, name := range statements.Names() {
		v, _ := statements.Get(name)
		o.Set(name, v)
	}
	return o, nil
}
