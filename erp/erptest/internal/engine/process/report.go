package process

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/report"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/sqlquote"
)

// maxReportRows bounds a report.
const maxReportRows = 10_000

// IsReport reports whether running a process gives a report.
func IsReport(process store.Row) bool {
	return process.Bool("IsReport") || process.Int("AD_ReportView_ID") > 0 || process.Int("AD_PrintFormat_ID") > 0 ||
		process.String("JasperReport") != ""
}

// runReport writes the rows of a report's table, or the record it is about.
func runReport(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	t, err := reportTable(ctx, s, tx, run)
	if err != nil {
		return Result{}, err
	}
	if t == nil {
		return Failed("the embedded ERP has no data for the report %s", run.Process.String("Value")), nil
	}
	if !s.Role.CanRead(t) {
		return Failed("Access denied for table: %s", t.Name), nil
	}
	var table *report.Table
	if run.RecordID > 0 {
		table, err = recordReport(ctx, s, tx, run, t)
	} else {
		table, err = listReport(ctx, s, tx, run, t)
	}
	if err != nil {
		return Result{}, err
	}
	result := Result{Summary: fmt.Sprintf("Report: %d rows", len(table.Rows))}
	name := fileBase(run.Process.String("Name"))
	switch run.ReportType {
	case "", "PDF":
		result.Report = &File{name + ".pdf", table.PDF()}
	case "HTML":
		result.Export = &File{name + ".html", table.HTML()}
	case "CSV":
		data, err := table.CSV()
		if err != nil {
			return Result{}, err
		}
		result.Export = &File{name + ".csv", data}
	case "XLSX":
		data, err := table.XLSX()
		if err != nil {
			return Result{}, err
		}
		result.Export = &File{name + ".xlsx", data}
	default:
		return Failed("report type %s is not available in the embedded ERP: use PDF, HTML, CSV or XLSX", engine.JSONOf(run.ReportType)), nil
	}
	return result, nil
}

// fileBase makes a file name of a report's name.
func fileBase(name string) string {
	base := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return -1
	}, name)
	if base == "" {
		return "Report"
	}
	return base
}

// reportViews are the tables that stand in for database views of reports.
var reportViews = map[string]string{
	"RV_BPARTNER": "C_BPartner", "RV_BPARTNEROPEN": "C_BPartner", "RV_ORDERDETAIL": "C_OrderLine",
}

// reportTable is the table a report is about: its record's, its report view's,
// or the one its search key names ("Rpt C_Order"); nil when there is none.
func reportTable(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (*store.Table, error) {
	if run.RecordID > 0 && run.TableID > 0 {
		return engine.ExistingTable(ctx, tx, func() (*store.Table, error) { return tx.TableByID(ctx, run.TableID) })
	}
	if id := run.Process.Int("AD_ReportView_ID"); id > 0 {
		view, err := engine.OneRow(ctx, tx, "AD_ReportView", id)
		if err != nil {
			return nil, err
		}
		return engine.ExistingTable(ctx, tx, func() (*store.Table, error) { return tx.TableByID(ctx, view.Int("AD_Table_ID")) })
	}
	if name, ok := reportViews[strings.ToUpper(run.Process.String("Value"))]; ok {
		return engine.NamedTable(ctx, tx, name)
	}
	words := strings.Fields(run.Process.String("Value"))
	if len(words) == 0 {
		return nil, nil
	}
	return engine.NamedTable(ctx, tx, words[len(words)-1])
}

// reportColumns are the columns of a list: what a person would look for.
func reportColumns(ctx context.Context, s *engine.Session, tx *store.Tx, t *store.Table) ([]*store.Column, error) {
	var out []*store.Column
	for _, col := range t.Columns {
		if !s.Role.CanSeeColumn(t, col) {
			continue
		}
		switch {
		case col.IsVirtual(), col.Secure, col.Encrypted, col.Kind() == store.KindBytes, col.Kind() == store.KindUUID, col.Key,
			engine.StandardColumns[strings.ToUpper(col.Name)]:
			continue
		}
		if col.Identifier || col.Selection || col.Mandatory {
			out = append(out, col)
		}
	}
	return out[:min(len(out), 12)], nil
}

func listReport(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run, t *store.Table) (*report.Table, error) {
	columns, err := reportColumns(ctx, s, tx, t)
	if err != nil {
		return nil, err
	}
	where, args, err := s.RowFilter(ctx, tx, t)
	if err != nil {
		return nil, err
	}
	parts := []string{sqlquote.Name(t.Name) + ".IsActive='Y'"}
	if where != "" {
		parts = append(parts, "("+where+")")
	}
	for name, p := range run.Params {
		if part, values := paramCondition(t, name, p); part != "" {
			parts, args = append(parts, part), append(args, values...)
		}
	}
	order := ""
	if key := t.KeyColumn(); key != nil {
		order = store.Expr(t, key)
	}
	rows, err := tx.Select(ctx, t, store.Selection{Where: strings.Join(parts, " AND "), Args: args, OrderBy: order, Limit: maxReportRows})
	if err != nil {
		return nil, err
	}
	out := &report.Table{Title: run.Process.String("Name")}
	for _, col := range columns {
		out.Header = append(out.Header, col.Label)
	}
	for _, row := range rows {
		line, err := reportLine(ctx, s, tx, t, row, columns)
		if err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, line)
	}
	return out, nil
}

// paramCondition is what a parameter says of the column of its name, "" if it says nothing.
func paramCondition(t *store.Table, name string, p Parameter) (sql string, args []any) {
	col, ok := t.Column(name)
	if !ok || col.IsVirtual() {
		return "", nil
	}
	if list, ok := p.Value.(string); ok && col.Kind() == store.KindInteger {
		keys := strings.Split(list, ",") // of a parameter that takes several
		for _, key := range keys {
			args = append(args, strings.TrimSpace(key))
		}
		return store.Expr(t, col) + " IN (?" + strings.Repeat(",?", len(keys)-1) + ")", args
	}
	switch {
	case p.Value != nil && p.To != nil:
		return store.Expr(t, col) + " BETWEEN ? AND ?", []any{p.Value, p.To}
	case p.Value != nil:
		return store.Expr(t, col) + "=?", []any{p.Value}
	case p.To != nil:
		return store.Expr(t, col) + "<=?", []any{p.To}
	}
	return "", nil
}

func reportLine(ctx context.Context, s *engine.Session, tx *store.Tx, t *store.Table, row store.Row, columns []*store.Column) ([]string, error) {
	o, err := s.ERP.Options.Represent(ctx, s, tx, t, row, columns)
	if err != nil {
		return nil, err
	}
	line := make([]string, len(columns))
	for i, col := range columns {
		v, ok := o.Get(col.Name)
		if !ok {
			v, _ = o.Get(engine.PropertyName(col.Name))
		}
		line[i] = reportText(v)
	}
	return line, nil
}

// reportText is a value as a person reads it.
func reportText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case wire.Decimal:
		return string(v)
	case bool:
		if v {
			return "Yes"
		}
		return "No"
	case *wire.Object:
		for _, name := range []string{"identifier", "id"} {
			if inner, ok := v.Get(name); ok {
				return reportText(inner)
			}
		}
		return ""
	case json.RawMessage:
		return string(v)
	}
	return fmt.Sprint(v)
}

// recordReport prints one record: what it holds, then its lines.
func recordReport(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run, t *store.Table) (*report.Table, error) {
	row, err := s.FindRow(ctx, tx, t, engine.FormatID(run.RecordID))
	if err != nil {
		return nil, err
	}
	o, err := s.ERP.Options.Represent(ctx, s, tx, t, row, nil)
	if err != nil {
		return nil, err
	}
	out := &report.Table{Title: run.Process.String("Name"), Header: []string{"Field", "Value"}}
	for _, name := range o.Names() {
		v, _ := o.Get(name)
		col, ok := t.Column(name)
		if !ok || col.Kind() == store.KindBytes {
			continue
		}
		out.Rows = append(out.Rows, []string{col.Label, reportText(v)})
	}
	if !s.IsDocument(t) {
		return out, nil
	}
	lineTable, lines, err := s.DocumentLines(ctx, tx, t, row)
	if err != nil || lineTable == nil {
		return out, err
	}
	for i, line := range lines {
		columns, err := reportColumns(ctx, s, tx, lineTable)
		if err != nil {
			return nil, err
		}
		values, err := reportLine(ctx, s, tx, lineTable, line, columns)
		if err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, []string{fmt.Sprintf("%s %d", lineTable.Label, i+1), strings.Join(values, " | ")})
	}
	return out, nil
}
