package erptest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

func processRoutes() []route {
	const one = "v1/processes/{slug}"
	return []route{
		{method: http.MethodGet, pattern: one, handle: reading(titledAs("GET Error"), getProcess)},
		{method: http.MethodPost, pattern: one, handle: runProcess},
		{method: http.MethodGet, pattern: "v1/processes/jobs", handle: reading(titledAs("GET Error"), listJobs)},
		{method: http.MethodGet, pattern: "v1/processes/jobs/{id}", handle: reading(titledAs("GET Error"), getJob)},
		{method: http.MethodPost, pattern: "v1/processes/jobs/{slug}", handle: runJob},
	}
}

// processColumns are what the API tells of a process.
var processColumns = []string{
	"AD_Process_ID", "AD_Process_UU", "Value", "Name", "Description", "Help", "EntityType", "IsReport", "AD_ReportView_ID",
	"AD_PrintFormat_ID", "AD_Workflow_ID", "JasperReport",
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
func getProcess(ctx context.Context, rd *reader) (any, error) {
	row, err := rd.c.findProcess(ctx, rd.tx, rd.c.param("slug"), false)
	if err != nil {
		return nil, err
	}
	o, err := rd.objectOf(ctx, "AD_Process", row, processColumns, "Value")
	if err != nil {
		return nil, err
	}
	t, err := rd.tx.Table(ctx, "AD_Process_Para")
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, col := range t.Columns {
		if !hiddenParameterColumns[col.Name] {
			columns = append(columns, col.Name)
		}
	}
	rows, err := process.ParameterRows(ctx, rd.tx, row.Int("AD_Process_ID"))
	if err != nil {
		return nil, err
	}
	parameters, err := rd.dictionaryObjects(ctx, t, rows, columns)
	for _, p := range parameters {
		p.object.Set("parameterName", p.row.String("ColumnName"))
	}
	o.Set("parameters", objectsOf(parameters))
	return o, err
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
