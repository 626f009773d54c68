package erptest

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// getViewRecord handles GET /views/{view}/{id}.
func getViewRecord(c *call) error { return c.readViewRecord(c.readOptions(), "") }

// getViewProperty handles GET /views/{view}/{id}/{property}.
func getViewProperty(c *call) error {
	opts := c.readOptions()
	opts.selects, opts.expand = "", ""
	return c.readViewRecord(opts, c.param("property"))
}

func (c *call) readViewRecord(opts readOptions, property string) error {
	var response *wire.Object
	err := c.read(func(ctx context.Context, rd *reader) error {
		v, err := rd.pathView(ctx)
		if err != nil {
			return err
		}
		row, err := rd.viewRow(ctx, v, c.param("id"))
		if err != nil {
			return err
		}
		response, err = rd.viewRecord(ctx, v, row, opts, property)
		return err
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// viewRecord renders one record through a view, or one property of it.
func (rd *reader) viewRecord(ctx context.Context, v *viewDef, row store.Row, opts readOptions, property string) (*wire.Object, error) {
	items, auto, err := rd.expandItems(ctx, opts.expand)
	if err != nil {
		return nil, err
	}
	w, err := rd.resolveView(ctx, v, opts.selects, items, auto, 0)
	if err != nil {
		return nil, err
	}
	if property != "" {
		var columns []viewColumn // none for what the table has and the view has not
		if col, ok := v.column(property); ok {
			columns = append(columns, col)
		} else if _, ok := v.table.Column(property); !ok {
			return nil, fail(http.StatusNotFound, "Invalid property name", "No match found for column name: "+property)
		}
		if w.properties, err = rd.viewProperties(ctx, v, columns); err != nil {
			return nil, err
		}
	}
	statements := wire.NewObject()
	if opts.showSQL {
		where, args, err := (&engine.Record{Table: v.table, Row: row}).Where()
		if err != nil {
			return nil, err
		}
		statements.Set("sql-command", erpSQL(store.SelectSQL(v.table, sources(v.table, w.fields()), store.Selection{Where: where, Args: args})))
		for _, x := range w.expansions {
			x.addStatement(statements)
		}
		if opts.noData {
			return statements, nil
		}
	}
	rd.labels = opts.labelsShown()
	objects, err := rd.viewObjects(ctx, w, []store.Row{row}, false)
	if err != nil {
		return nil, err
	}
	o := objects[0]
	if err := rd.expandView(ctx, w, row, o); err != nil {
		return nil, err
	}
	if opts.showLabel {
		if err := rd.addLabels(ctx, v.table, row, o, opts.labelColumns); err != nil {
			return nil, err
		}
	}
	for _, name := range statements.Names() {
		v, _ := statements.Get(name)
		o.Set(name, v)
	}
	return o, nil
}

// viewNotFound is how the description of a view reports one that is not there.
func viewNotFound(name string, err error) error {
	var api *apiError
	if asAPI(err, &api) && api.title == "Invalid rest view name" {
		return fail(http.StatusNotFound, "Invalid view name", "No match found for view name: "+name)
	}
	return err
}
