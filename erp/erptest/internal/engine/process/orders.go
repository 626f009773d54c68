package process

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// notCopied are further columns of an order's line that its copy does not take over.
var notCopied = []string{
	"QtyDelivered", "QtyInvoiced", "QtyReserved", "QtyLostSales", "DateDelivered", "DateInvoiced",
	"M_AttributeSetInstance_ID", "S_ResourceAssignment_ID", "Ref_OrderLine_ID", "Link_OrderLine_ID", "Processed",
}

// fromHeader are the columns of an order's line that are those of its order.
var fromHeader = []string{
	"AD_Client_ID", "AD_Org_ID", "C_Order_ID", "C_BPartner_ID", "C_BPartner_Location_ID", "M_Warehouse_ID", "DateOrdered", "DatePromised", "C_Currency_ID",
}

// copyOrderLines copies the lines of an order to the order that is the record of
// the run, which must not be processed.
func copyOrderLines(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if run.RecordID == 0 {
		return Failed("Target C_Order_ID == 0"), nil
	}
	source := run.id("C_Order_ID")
	if source == 0 {
		return Failed("Source C_Order_ID == 0"), nil
	}
	from, err := ownRow(ctx, s, tx, "C_Order", source)
	if err != nil {
		return Result{}, err
	}
	to, err := ownRow(ctx, s, tx, "C_Order", run.RecordID)
	if err != nil {
		return Result{}, err
	}
	label, err := engine.Message(ctx, tx, "Copied", s.Language, "Copied")
	if err != nil || from == nil || to == nil || to.Bool("Processed") || to.Bool("Posted") {
		return Result{Summary: label + "=0"}, err
	}
	t, err := tx.Table(ctx, "C_OrderLine")
	if err != nil {
		return Result{}, err
	}
	lines, err := engine.RowsWhere(ctx, tx, t.Name, "Line, C_OrderLine_ID", "C_Order_ID=?", source)
	if err != nil {
		return Result{}, err
	}
	for _, line := range lines {
		if _, err := s.InsertRow(ctx, tx, t.Name, lineFor(t, to, line)); err != nil {
			return Result{}, err
		}
	}
	return Result{Summary: fmt.Sprintf("%s=%d", label, len(lines))}, nil
}

// lineFor is a copy of a line for another order.
func lineFor(t *store.Table, to, line store.Row) store.Row {
	row := copiedValues(t, line)
	for _, name := range notCopied {
		delete(row, name)
	}
	for _, name := range fromHeader {
		if _, ok := t.Column(name); ok {
			row[name] = to[name]
		}
	}
	return row
}

// ownRow is a record of the session's tenant, nil when there is none.
func ownRow(ctx context.Context, s *engine.Session, tx *store.Tx, table string, id int64) (store.Row, error) {
	row, err := engine.OneRow(ctx, tx, table, id)
	if err != nil || row.Int("AD_Client_ID") != s.ClientID {
		return nil, err
	}
	return row, nil
}

// isDocumentProcess reports whether a process runs the workflow of a document, which
// does what the document's next action is.
func isDocumentProcess(process store.Row) bool {
	return process.String("Classname") == "" && process.String("ProcedureName") == "" && !IsReport(process) &&
		(process.Int("AD_Workflow_ID") > 0 || strings.HasSuffix(process.String("Value"), "Process"))
}

// processRecord does the next action (DocAction) of the document that is the record
// of the run.
func processRecord(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	t, err := tx.TableByID(ctx, run.TableID)
	if errors.Is(err, store.ErrNoTable) || err == nil && (!s.IsDocument(t) || run.RecordID == 0) {
		return Failed("The process works on a document: give its id as record-id, and its table as table-id or model-name"), nil
	}
	if err != nil {
		return Result{}, err
	}
	row, err := ownRow(ctx, s, tx, t.Name, run.RecordID)
	if err != nil {
		return Result{}, err
	}
	if row == nil {
		return Failed("No record of %s with id %d", t.Name, run.RecordID), nil
	}
	if err := s.MayUpdate(t, row.Int("AD_Client_ID"), row.Int("AD_Org_ID"), run.RecordID); err != nil {
		return Result{}, err
	}
	summary, err := s.RunDocument(ctx, tx, t, row)
	if public := engine.PublicError(""); errors.As(err, &public) {
		return Failed("%s", public), nil
	}
	return Result{Summary: summary}, err
}
