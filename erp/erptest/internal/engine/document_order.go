package engine

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

func orderProgram() docProgram {
	return docProgram{
		prepare: prepareOrder, begin: beginOrder, complete: completeOrder, void: voidOrder, close: closeOrder,
		reverse: voidOrder, noAccrual: true, reactivate: reactivateOrder, summary: totalSummary,
	}
}

// totalSummary is the number of an order or invoice with its total.
func totalSummary(d *document) string {
	text := d.Row.String("DocumentNo") + ": Grand Total=" + d.Row.String("GrandTotal")
	if d.lines != nil {
		text += fmt.Sprintf(" (#%d)", len(d.lines))
	}
	return text
}

func prepareOrder(ctx context.Context, d *document) error {
	typ, err := d.openType(ctx, "C_DocTypeTarget_ID")
	if err != nil {
		return err
	}
	if d.Row.Bool("IsSOTrx") && d.Row.String("DeliveryViaRule") == "S" && d.Row.Int("M_Shipper_ID") == 0 {
		return documentFails(MsgFillMandatory + "Shipper")
	}
	if err := d.needLines(ctx); err != nil {
		return err
	}
	d.Set("C_DocType_ID", d.Row["C_DocTypeTarget_ID"])
	if !makesShipment(typ) {
		if err := d.reserve(ctx, typ.String("DocSubTypeSO") != "ON"); err != nil {
			return err
		}
	}
	if err := d.totals(ctx); err != nil {
		return err
	}
	if d.status() != "DR" {
		d.lines = nil
	}
	return d.checkOrderCredit(ctx, typ)
}

// totals works out taxes and totals from the lines.
func (d *document) totals(ctx context.Context) error {
	totals, err := d.s.taxLines(ctx, d.tx, d.Table.Name, d.Row)
	d.SetAll(totals)
	return err
}

// makesShipment reports whether orders of a type are shipped as they are completed.
func makesShipment(typ store.Row) bool {
	switch typ.String("DocSubTypeSO") {
	case "WI", "WP", "WR":
		return true
	case "PR":
		return typ.Bool("IsAutoGenerateInout")
	}
	return false
}

func makesInvoice(typ store.Row) bool {
	switch typ.String("DocSubTypeSO") {
	case "WI", "WR":
		return true
	case "PR":
		return typ.Bool("IsAutoGenerateInvoice")
	}
	return false
}

// reserve keeps what was ordered and not delivered for the order, or with binding
// false nothing, and works out what it weighs.
func (d *document) reserve(ctx context.Context, binding bool) error {
	volume, weight := new(big.Rat), new(big.Rat)
	if err := d.eachLine(ctx, func(line store.Row) error {
		item, err := OneRow(ctx, d.tx, "M_Product", line.Int("M_Product_ID"))
		if err != nil {
			return err
		}
		if item == nil {
			return nil
		}
		ordered := rat(line, "QtyOrdered")
		volume.Add(volume, new(big.Rat).Mul(rat(item, "Volume"), ordered))
		weight.Add(weight, new(big.Rat).Mul(rat(item, "Weight"), ordered))
		open := new(big.Rat)
		if delivered := rat(line, "QtyDelivered"); binding && ordered.Cmp(delivered) > 0 {
			open.Sub(ordered, delivered)
		}
		return d.changeLine(ctx, line, store.Row{"QtyReserved": rounded(open, 12)})
	}); err != nil {
		return err
	}
	d.Set("Volume", rounded(volume, 12))
	d.Set("Weight", rounded(weight, 12))
	return nil
}

// beginOrder ends the completion of an offer, of which nothing follows, and of an
// order that is paid in advance and waits for its payment. Neither is approved.
func beginOrder(ctx context.Context, d *document) (ended bool, err error) {
	typ, err := OneRow(ctx, d.tx, "C_DocType", d.Row.Int("C_DocType_ID"))
	if err != nil {
		return false, err
	}
	if typ.Bool("IsOverwriteDateOnComplete") && rat(d.Row, "ProcessedOn").Sign() == 0 {
		today := d.s.today()
		d.Set("DateOrdered", today)
		if d.Row.String("DateAcct") < today {
			d.Set("DateAcct", today)
		}
	}
	switch typ.String("DocSubTypeSO") {
	case "OB", "ON":
		d.message = nil
		d.Set("DocStatus", "CO")
		return true, nil
	case "PR":
		if d.Row.Int("C_Payment_ID") == 0 {
			d.message = nil
			d.Set("DocStatus", "WP")
			return true, nil
		}
	}
	return false, nil
}

func completeOrder(ctx context.Context, d *document) error {
	d.say("")
	typ, err := OneRow(ctx, d.tx, "C_DocType", d.Row.Int("C_DocType_ID"))
	if err != nil {
		return err
	}
	info := ""
	var shipment *document
	if makesShipment(typ) {
		if d.Row.String("DeliveryRule") != "F" {
			warehouse, err := OneRow(ctx, d.tx, "M_Warehouse", d.Row.Int("M_Warehouse_ID"))
			if err != nil {
				return err
			}
			if !warehouse.Bool("IsDisallowNegativeInv") {
				d.Set("DeliveryRule", "F")
			}
		}
		if shipment, err = d.ship(ctx, typ, d.Row["DateOrdered"]); err != nil {
			return err
		}
		info = "Shipment/Receipt: " + shipment.mentioned()
	}
	if makesInvoice(typ) {
		d.Set("InvoiceRule", "I")
		if shipment != nil {
			d.Set("InvoiceRule", "D") // after delivery, which was
		}
		invoice, err := d.invoice(ctx, typ, shipment, d.Row["DateOrdered"])
		if err != nil {
			return err
		}
		info += " - Invoice: " + invoice.mentioned()
	}
	d.say(info)
	return nil
}

// mentioned is a document's number with what it says, as that which made it names it.
func (d *document) mentioned() string {
	text := d.Row.String("DocumentNo")
	if d.message != nil && *d.message != "" {
		text += " (" + *d.message + ")"
	}
	return text
}

// today is the day in the server's zone as date columns hold it.
func (s *Session) today() string { return s.ERP.Now().In(s.ERP.Options.Location).Format(storedDate) }

// ship makes the shipment of an order, and completes it.
func (d *document) ship(ctx context.Context, typ store.Row, date any) (*document, error) {
	row := store.Row{"C_Order_ID": d.ID(), "C_DocType_ID": typ["C_DocTypeShipment_ID"], "MovementDate": date, "DateAcct": date}
	copyColumns(row, d.Row,
		"AD_Client_ID", "AD_Org_ID", "C_BPartner_ID", "C_BPartner_Location_ID", "AD_User_ID", "M_Warehouse_ID", "IsSOTrx", "DateOrdered", "POReference",
		"SalesRep_ID", "DeliveryRule", "DeliveryViaRule", "FreightCostRule", "PriorityRule", "Description", "C_Project_ID", "C_Campaign_ID", "C_Activity_ID")
	r, err := d.s.InsertRow(ctx, d.tx, "M_InOut", row)
	if err != nil {
		return nil, err
	}
	if err := d.eachLine(ctx, func(line store.Row) error {
		open := rat(line, "QtyOrdered")
		open.Sub(open, rat(line, "QtyDelivered"))
		if open.Sign() == 0 {
			return nil
		}
		made := store.Row{"M_InOut_ID": r.ID(), "C_OrderLine_ID": line["C_OrderLine_ID"], "MovementQty": rounded(open, 12), "QtyEntered": rounded(open, 12), "Line": line["Line"]}
		copyColumns(made, line, "AD_Client_ID", "AD_Org_ID", "M_Product_ID", "C_Charge_ID", "C_UOM_ID", "Description", "M_AttributeSetInstance_ID")
		_, err := d.s.InsertRow(ctx, d.tx, "M_InOutLine", made)
		return err
	}); err != nil {
		return nil, err
	}
	return d.finished(ctx, "M_InOut", r.ID())
}

// copyColumns gives a row what another one has in some columns.
func copyColumns(to, from store.Row, names ...string) {
	for _, name := range names {
		to[name] = from[name]
	}
}

// invoice makes the invoice of an order, and completes it.
func (d *document) invoice(ctx context.Context, typ store.Row, shipment *document, date any) (*document, error) {
	row := store.Row{"C_Order_ID": d.ID(), "C_DocTypeTarget_ID": typ["C_DocTypeInvoice_ID"], "C_DocType_ID": int64(0), "DateInvoiced": date, "DateAcct": date,
		"C_BPartner_ID": d.Row["Bill_BPartner_ID"], "C_BPartner_Location_ID": d.Row["Bill_Location_ID"], "AD_User_ID": d.Row["Bill_User_ID"]}
	copyColumns(row, d.Row,
		"AD_Client_ID", "AD_Org_ID", "IsSOTrx", "DateOrdered", "POReference", "SalesRep_ID", "PaymentRule", "C_PaymentTerm_ID", "M_PriceList_ID",
		"C_Currency_ID", "C_ConversionType_ID", "IsTaxIncluded", "IsDiscountPrinted", "Description", "C_Project_ID", "C_Campaign_ID", "C_Activity_ID")
	r, err := d.s.InsertRow(ctx, d.tx, "C_Invoice", row)
	if err != nil {
		return nil, err
	}
	shipped := map[int64]any{}
	if shipment != nil {
		if err := shipment.eachLine(ctx, func(line store.Row) error {
			shipped[line.Int("C_OrderLine_ID")] = line["M_InOutLine_ID"]
			return nil
		}); err != nil {
			return nil, err
		}
	}
	if err := d.eachLine(ctx, func(line store.Row) error {
		open := rat(line, "QtyOrdered")
		open.Sub(open, rat(line, "QtyInvoiced"))
		made := store.Row{"C_Invoice_ID": r.ID(), "C_OrderLine_ID": line["C_OrderLine_ID"], "M_InOutLine_ID": shipped[line.Int("C_OrderLine_ID")],
			"QtyInvoiced": rounded(open, 12), "QtyEntered": rounded(open, 12)}
		copyColumns(made, line,
			"AD_Client_ID", "AD_Org_ID", "Line", "M_Product_ID", "C_Charge_ID", "C_UOM_ID", "Description", "M_AttributeSetInstance_ID", "C_Tax_ID",
			"PriceActual", "PriceEntered", "PriceLimit", "PriceList", "IsDescription")
		_, err := d.s.InsertRow(ctx, d.tx, "C_InvoiceLine", made)
		return err
	}); err != nil {
		return nil, err
	}
	return d.finished(ctx, "C_Invoice", r.ID())
}

// finished completes a document that was just made.
func (d *document) finished(ctx context.Context, table string, id int64) (*document, error) {
	made, err := d.s.loadDocument(ctx, d.tx, table, id)
	if err != nil {
		return nil, err
	}
	return made, made.finish(ctx)
}

// voidOrder reverses what followed from a sales order, and takes back its lines.
func voidOrder(ctx context.Context, d *document) error {
	if d.Row.Bool("IsSOTrx") {
		if err := d.reverseFollowers(ctx); err != nil {
			return err
		}
	}
	if err := d.eachLine(ctx, func(line store.Row) error {
		old := rat(line, "QtyOrdered")
		if old.Sign() == 0 {
			return nil
		}
		return d.changeLine(ctx, line, store.Row{
			"Description": described(line, "Voided ("+rounded(old, 12)+")"), "QtyOrdered": "0", "QtyEntered": "0", "LineNetAmt": "0",
		})
	}); err != nil {
		return err
	}
	d.describe("Voided")
	if err := d.reserve(ctx, false); err != nil {
		return err
	}
	return d.totals(ctx)
}

// reverseFollowers reverses the shipments and invoices of an order, and voids those
// that were not completed.
func (d *document) reverseFollowers(ctx context.Context) error {
	for _, table := range []string{"M_InOut", "C_Invoice"} {
		rows, err := RowsWhere(ctx, d.tx, table, sqlquote.Name(table+"_ID"), "C_Order_ID=? AND DocStatus NOT IN ('CL','RE','VO')", d.ID())
		if err != nil {
			return err
		}
		for _, row := range rows {
			follower, err := d.s.loadDocument(ctx, d.tx, table, row.Int(table+"_ID"))
			if err != nil {
				return err
			}
			action := "VO"
			if follower.status() == "CO" {
				action = "RC"
			}
			if err := follower.perform(ctx, action); err != nil {
				return err
			}
			if err := follower.store(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// closeOrder gives up what was not delivered.
func closeOrder(ctx context.Context, d *document) error {
	if err := d.eachLine(ctx, func(line store.Row) error {
		ordered, delivered := rat(line, "QtyOrdered"), rat(line, "QtyDelivered")
		if ordered.Cmp(delivered) == 0 {
			return nil
		}
		change := store.Row{"Description": described(line, "Close ("+rounded(ordered, 12)+")"), "QtyLostSales": "0"}
		if ordered.Cmp(delivered) > 0 {
			change["QtyLostSales"], change["QtyOrdered"] = rounded(new(big.Rat).Sub(ordered, delivered), 12), rounded(delivered, 12)
		}
		return d.changeLine(ctx, line, change)
	}); err != nil {
		return err
	}
	if err := d.reserve(ctx, true); err != nil {
		return err
	}
	return d.totals(ctx)
}

func reactivateOrder(ctx context.Context, d *document) error {
	typ, err := d.mayReactivate(ctx)
	if err != nil {
		return err
	}
	d.Set("Posted", "N")
	if d.Row.Bool("IsSOTrx") && slices.Contains([]string{"WI", "WP", "WR"}, typ.String("DocSubTypeSO")) {
		return d.reverseFollowers(ctx)
	}
	return nil
}

// beforeOrderDelete refuses to delete what was processed.
func beforeOrderDelete(_ context.Context, _ *Session, _ *store.Tx, r *Record) error {
	if r.Row.Bool("Processed") {
		return PublicError("CannotDeleteTrx")
	}
	return nil
}
