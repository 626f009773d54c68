package erptest

import (
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// printModel answers GET /models/{table}/{id}/print: the print process of the
// header tab of the record's window, run for the record.
func printModel(c *call) error {
	ctx := c.ctx()
	var run *processRun
	err := c.update(ctx, func(tx *store.Tx) error {
		t, row, err := c.pathRecord(ctx, tx, false)
		if err != nil {
			return err
		}
		window := t.WindowID
		if _, ok := t.Column("IsSOTrx"); ok && !row.Bool("IsSOTrx") {
			table, err := oneRow(ctx, tx, "AD_Table", t.ID)
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
		if read, _, err := c.windowAccess(ctx, tx, window); err != nil {
			return err
		} else if !read {
			return fail(http.StatusForbidden, "Access denied", "Access denied for window of table: "+t.Name)
		}
		tabs, err := rowsWhere(ctx, tx, "AD_Tab", "SeqNo, AD_Tab_ID", "AD_Window_ID=? AND IsActive='Y'", window)
		if err != nil {
			return err
		}
		var process store.Row
		if len(tabs) > 0 {
			if process, err = oneRow(ctx, tx, "AD_Process", tabs[0].Int("AD_Process_ID")); err != nil {
				return err
			}
		}
		if process == nil || !process.Bool("IsActive") {
			return fail(http.StatusNotFound, "No print process", "The window of the table has no print process: "+t.Name)
		}
		slug := slugify(process.String("Value"))
		if _, write, err := c.processAccess(ctx, tx, process.Int("AD_Process_ID")); err != nil {
			return err
		} else if !write {
			return fail(http.StatusForbidden, "Access denied", "Access denied for process: "+slug)
		}
		run = &processRun{
			process: process, slug: slug, recordID: row.Int(t.Name + "_ID"), tableID: t.ID, params: map[string]parameter{},
			reportType: strings.ToUpper(c.query.get("$report_type")),
		}
		return c.startRun(ctx, tx, run, false)
	})
	if err != nil {
		if run != nil && run.claimed {
			c.srv.processes.done(run.instanceID)
		}
		return orTitled("Print model error", err)
	}
	return c.execute(run)
}
