package erptest

import (
	"context"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// printModel handles GET /models/{table}/{id}/print: the print process of the
// header tab of the record's window, run for the record.
func printModel(c *call) error {
	ctx := c.ctx()
	var run *process.Run
	err := c.update(ctx, func(tx *store.Tx) error {
		t, row, err := c.pathRecord(ctx, tx)
		if err != nil {
			return err
		}
		window := t.WindowID
		if _, ok := t.Column("IsSOTrx"); ok && !row.Bool("IsSOTrx") {
			table, err := engine.OneRow(ctx, tx, "AD_Table", t.ID)
			if err != nil {
				return err
			}
			if purchase := table.Int("PO_Window_ID"); purchase > 0 {
				window = purchase
			}
		}
		if window == 0 {
			return fail(http.StatusNotFound, "Window not found", "No valid window found for table name: "+t.Name)
		}
		if read, _, err := c.session.WindowAccess(ctx, tx, window); err != nil {
			return err
		} else if !read {
			return fail(http.StatusForbidden, "Access denied", "Access denied for window of table: "+t.Name)
		}
		tabs, err := engine.RowsWhere(ctx, tx, "AD_Tab", "SeqNo, AD_Tab_ID", "AD_Window_ID=? AND IsActive='Y'", window)
		if err != nil {
			return err
		}
		var process int64
		if len(tabs) > 0 {
			process = tabs[0].Int("AD_Process_ID")
		}
		run, err = c.printRun(ctx, tx, process, t, row)
		return err
	})
	if err != nil {
		if run != nil && run.Claimed {
			c.srv.processes.Done(run.InstanceID)
		}
		return orTitled("Print model error", err)
	}
	return c.execute(run)
}

// printRun prepares running a print process for a record. What it returns may
// be claimed also when it fails.
func (c *call) printRun(ctx context.Context, tx *store.Tx, processID int64, t *store.Table, row store.Row) (*process.Run, error) {
	proc, err := engine.OneRow(ctx, tx, "AD_Process", processID)
	if err != nil {
		return nil, err
	}
	if proc == nil || processID == 0 || !proc.Bool("IsActive") {
		return nil, fail(http.StatusNotFound, "No print process", "The window of the table has no print process: "+t.Name)
	}
	name := slug.Of(proc.String("Value"))
	if _, write, err := c.session.ProcessAccess(ctx, tx, proc.Int("AD_Process_ID")); err != nil {
		return nil, err
	} else if !write {
		return nil, fail(http.StatusForbidden, "Access denied", "Access denied for process: "+name)
	}
	run := &process.Run{
		Process: proc, Slug: name, RecordID: row.Int(t.Name + "_ID"), TableID: t.ID, Params: map[string]process.Parameter{},
		ReportType: strings.ToUpper(c.query.get("$report_type")),
	}
	return run, c.srv.processes.Begin(ctx, c.session, tx, run, false)
}

// printTabRecord handles GET …/{id}/print of a window or tab: the print process
// of the tab, run for the record.
func printTabRecord(c *call) error {
	id, err := c.recordID()
	if err != nil {
		return err
	}
	ctx := c.ctx()
	var run *process.Run
	err = c.update(ctx, func(tx *store.Tx) error {
		rd, err := c.newReader(ctx, tx)
		if err != nil {
			return err
		}
		tab, err := rd.pathTab(ctx, false)
		if err != nil {
			return err
		}
		if tab == nil {
			return noTab(c.param("tab"))
		}
		if tab.row.Int("AD_Process_ID") == 0 {
			what := "window"
			if _, named := c.params["tab"]; named {
				what = "tab"
			}
			return fail(http.StatusNotFound, "No print process", "No print process have been defined for "+what)
		}
		row, err := rd.readRow(ctx, tab, id)
		if err != nil {
			return err
		}
		run, err = c.printRun(ctx, tx, tab.row.Int("AD_Process_ID"), tab.table, row)
		return err
	})
	if err != nil {
		if run != nil && run.Claimed {
			c.srv.processes.Done(run.InstanceID)
		}
		return c.tabError("Print model error", err)
	}
	return c.execute(run)
}
