package erptest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func processRoutes() []route {
	const one = "v1/processes/{slug}"
	return []route{
		{method: http.MethodGet, pattern: "v1/processes", handle: listProcesses},
		{method: http.MethodGet, pattern: one, handle: getProcess},
		{method: http.MethodPost, pattern: one, handle: runProcess},
		{method: http.MethodGet, pattern: "v1/processes/jobs", handle: listJobs},
		{method: http.MethodGet, pattern: "v1/processes/jobs/{id}", handle: getJob},
		{method: http.MethodPost, pattern: "v1/processes/jobs/{slug}", handle: runJob},
	}
}

// processColumns are what the API tells of a process.
var processColumns = []string{
	"AD_Process_ID", "AD_Process_UU", "Value", "Name", "Description", "Help", "EntityType", "IsReport", "AD_ReportView_ID",
	"AD_PrintFormat_ID", "AD_Workflow_ID", "JasperReport",
}

// listProcesses handles GET /processes.
func listProcesses(c *call) error {
	ctx := c.ctx()
	list := []*wire.Object{}
	err := c.view(ctx, func(tx *store.Tx) error {
		t, err := tx.Table(ctx, "AD_Process")
		if err != nil {
			return err
		}
		where := "AD_Form_ID IS NULL AND " + store.Quote(t.Name) + ".IsActive='Y'"
		var args []any
		if text := c.query.get("$filter"); text != "" {
			rd, err := c.newReader(ctx, tx)
			if err != nil {
				return err
			}
			cond, condArgs, err := rd.filterSQL(t, text)
			if err != nil {
				return readError(err)
			}
			if cond != "" {
				where, args = where+" AND ("+cond+")", condArgs
			}
		}
		access, accessArgs, err := c.session.RowFilter(ctx, tx, t)
		if err != nil {
			return err
		}
		if access != "" {
			where, args = where+" AND ("+access+")", append(args, accessArgs...)
		}
		rows, err := tx.Select(ctx, t, store.Selection{Where: where, Args: args, OrderBy: store.Quote(t.Name) + ".Value"})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if read, _, err := c.session.ProcessAccess(ctx, tx, row.Int("AD_Process_ID")); err != nil {
				return err
			} else if !read {
				continue
			}
			o, err := c.processObject(ctx, tx, t, row)
			if err != nil {
				return err
			}
			list = append(list, o)
		}
		return nil
	})
	if err != nil {
		return getProcessError(err)
	}
	c.json(http.StatusOK, wire.NewObject("processes", list))
	return nil
}

// getProcessError gives failures of the list the title and prefix it has for
// all of them, classified ones keeping their status.
func getProcessError(err error) error {
	var api *apiError
	if asAPI(err, &api) {
		return fail(api.status, "GET Error", "Get process with exception: "+api.detail)
	}
	return titled("GET Error", "Get process with exception: ", err)
}

func (c *call) processObject(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row) (*wire.Object, error) {
	o, err := c.recordObject(ctx, tx, t, row, someColumns(t, processColumns))
	if err != nil {
		return nil, err
	}
	o.Set("slug", slug.Of(row.String("Value")))
	return o, nil
}

// someColumns are the columns of a table with those names, in the table's
// order.
func someColumns(t *store.Table, names []string) []*store.Column {
	var out []*store.Column
	for _, col := range t.Columns {
		for _, name := range names {
			if col.Name == name {
				out = append(out, col)
			}
		}
	}
	return out
}

// hiddenParameterColumns are not told of a parameter.
var hiddenParameterColumns = map[string]bool{
	"AD_Client_ID": true, "AD_Org_ID": true, "AD_Process_ID": true, "FieldLength": true, "IsCentrallyMaintained": true,
	"IsEncrypted": true, "AD_Element_ID": true, "ColumnName": true, "IsActive": true,
	"Created": true, "CreatedBy": true, "Updated": true, "UpdatedBy": true,
}

// getProcess handles GET /processes/{slug}.
func getProcess(c *call) error {
	ctx := c.ctx()
	var response *wire.Object
	err := c.view(ctx, func(tx *store.Tx) error {
		row, err := c.findProcess(ctx, tx, c.param("slug"), false)
		if err != nil {
			return err
		}
		t, err := tx.Table(ctx, "AD_Process")
		if err != nil {
			return err
		}
		if response, err = c.processObject(ctx, tx, t, row); err != nil {
			return err
		}
		paras, err := tx.Table(ctx, "AD_Process_Para")
		if err != nil {
			return err
		}
		var columns []*store.Column
		for _, col := range paras.Columns {
			if !hiddenParameterColumns[col.Name] {
				columns = append(columns, col)
			}
		}
		rows, err := process.ParameterRows(ctx, tx, row.Int("AD_Process_ID"))
		if err != nil {
			return err
		}
		list := make([]*wire.Object, 0, len(rows))
		for _, para := range rows {
			o, err := c.recordObject(ctx, tx, paras, para, columns)
			if err != nil {
				return err
			}
			o.Set("parameterName", para.String("ColumnName"))
			list = append(list, o)
		}
		response.Set("parameters", list)
		return nil
	})
	if err != nil {
		return orTitled("GET Error", err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// findProcess is the active process with that slug, which the role must have
// access to, for running with the permission to change. Unless the server is
// strict a number stands for the process of that id.
func (c *call) findProcess(ctx context.Context, tx *store.Tx, name string, run bool) (store.Row, error) {
	rows, err := engine.RowsWhere(ctx, tx, "AD_Process", "AD_Process_ID", "IsActive='Y'")
	if err != nil {
		return nil, err
	}
	number, notNumber := strconv.ParseInt(name, 10, 64)
	byNumber := notNumber == nil && !c.srv.opts.Strict
	for _, row := range rows {
		switch {
		case byNumber && row.Int("AD_Process_ID") == number:
		case slug.Lookup(row.String("Value")) != name:
			continue
		}
		read, write, err := c.session.ProcessAccess(ctx, tx, row.Int("AD_Process_ID"))
		if err != nil {
			return nil, err
		}
		visible := row.Int("AD_Client_ID") == 0 || row.Int("AD_Client_ID") == c.session.ClientID
		if !visible || !read || run && !write {
			return nil, fail(http.StatusForbidden, "Access denied", "Access denied for process: "+name)
		}
		return row, nil
	}
	return nil, fail(http.StatusNotFound, "Invalid process name", "No match found for process name: "+name)
}
