package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// RunDocument does the action that a document is to have next, and returns what it
// has to say to it, or the state of its workflow.
func (s *Session) RunDocument(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row) (string, error) {
	d := s.newDocument(tx, t, row)
	if err := d.told(d.runWorkflow(ctx, row.String("DocAction"))); err != nil {
		return "", err
	}
	if d.message != nil && *d.message != "" {
		return *d.message, nil
	}
	return "Completed", nil
}

// Following chooses the orders of which [Session.GenerateShipments] and
// [Session.GenerateInvoices] make documents; 0 and "" do not restrict them. Date is
// that of the documents, today if "".
type Following struct {
	WarehouseID, OrgID, PartnerID, OrderID int64
	Promised, Date                         string
}

// GenerateShipments ships what was ordered of a warehouse and not delivered yet, and
// returns the shipments' numbers and date.
func (s *Session) GenerateShipments(ctx context.Context, tx *store.Tx, of Following) ([]string, time.Time, error) {
	where, args := `DocStatus='CO' AND IsSOTrx='Y' AND DeliveryRule<>'M' AND C_DocType_ID IN
		(SELECT C_DocType_ID FROM C_DocType WHERE DocBaseType='SOO' AND DocSubTypeSO NOT IN ('ON','OB','WR')) AND EXISTS
		(SELECT 1 FROM C_OrderLine ol WHERE ol.C_Order_ID=C_Order.C_Order_ID AND ol.M_Warehouse_ID=? AND ol.QtyOrdered<>ol.QtyDelivered`,
		[]any{of.WarehouseID}
	if of.Promised != "" {
		where, args = where+" AND ol.DatePromised<=?", append(args, of.Promised)
	}
	return s.generate(ctx, tx, of, "M_InOut", where+")", args, func(d *document, typ store.Row, date string) (*document, error) {
		return d.ship(ctx, typ, date)
	})
}

// GenerateInvoices invoices what was ordered and not invoiced yet, and returns the
// invoices' numbers and date.
func (s *Session) GenerateInvoices(ctx context.Context, tx *store.Tx, of Following) ([]string, time.Time, error) {
	where := `DocStatus IN ('CO','CL') AND IsSOTrx='Y' AND C_DocType_ID IN
		(SELECT C_DocType_ID FROM C_DocType WHERE DocBaseType='SOO' AND DocSubTypeSO NOT IN ('ON','OB','WR')) AND EXISTS
		(SELECT 1 FROM C_OrderLine ol WHERE ol.C_Order_ID=C_Order.C_Order_ID AND ol.QtyOrdered<>ol.QtyInvoiced)`
	return s.generate(ctx, tx, of, "C_Invoice", where, nil, func(d *document, typ store.Row, date string) (*document, error) {
		return d.invoice(ctx, typ, nil, date)
	})
}

// generate makes a document of each order that a condition finds.
func (s *Session) generate(ctx context.Context, tx *store.Tx, of Following, table, where string, args []any,
	make func(d *document, typ store.Row, date string) (*document, error),
) (numbers []string, day time.Time, err error) {
	for _, name := range []string{"C_Order", table} {
		if _, err := s.FindTable(ctx, tx, name, name == table); err != nil {
			return nil, day, err
		}
	}
	t, err := tx.Table(ctx, "C_Order")
	if err != nil {
		return nil, day, err
	}
	where, args = "AD_Client_ID=? AND IsActive='Y' AND "+where, append([]any{s.ClientID}, args...)
	for _, only := range []struct {
		column string
		id     int64
	}{{"AD_Org_ID", of.OrgID}, {"C_Order_ID", of.OrderID}, {"C_BPartner_ID", of.PartnerID}} {
		if only.id != 0 {
			where, args = where+" AND "+only.column+"=?", append(args, only.id)
		}
	}
	access, more, err := s.RowFilter(ctx, tx, t)
	if err != nil {
		return nil, day, err
	}
	if access != "" {
		where, args = where+" AND ("+access+")", append(args, more...)
	}
	rows, err := tx.Select(ctx, t, store.Selection{Where: where, Args: args, OrderBy: "AD_Org_ID, M_Warehouse_ID, PriorityRule, C_BPartner_ID, C_Order_ID"})
	if err != nil {
		return nil, day, err
	}
	date := cmp.Or(of.Date, s.today())
	if day, err = time.Parse(storedDate, date); err != nil {
		return nil, day, err
	}
	for _, row := range rows {
		typ, err := OneRow(ctx, tx, "C_DocType", row.Int("C_DocType_ID"))
		if err != nil {
			return nil, day, err
		}
		if err := s.MayUpdate(t, row.Int("AD_Client_ID"), row.Int("AD_Org_ID"), 0); err != nil {
			continue // organizations that the role does not write for are left out
		}
		d := s.newDocument(tx, t, row)
		made, err := make(d, typ, date)
		if err != nil {
			return nil, day, d.told(err)
		}
		numbers = append(numbers, made.Row.String("DocumentNo"))
	}
	return numbers, day, nil
}
