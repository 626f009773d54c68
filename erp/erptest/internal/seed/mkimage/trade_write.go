package main

import (
	"strconv"
	"time"
)

// write adds the order and its follow-up documents.
func (tr *trade) write(o *order) {
	b := tr.b
	rate := tr.rates[o.docs.tax]
	tax := (o.total*rate + 50) / 100
	o.taxed = o.total + tax
	action := "CO"
	if o.done() {
		action = "CL"
	}
	if o.status == "CL" || o.status == "VO" {
		action = "--"
	}
	docType := o.docs.order
	if !o.done() && o.status == "DR" {
		docType = 0
	}
	target := o.docs.order
	contact := tr.contact[o.partner]
	date := dateText(o.date)
	b.add("C_Order", "C_Order_ID", o.id, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org, "DocumentNo", o.docNo,
		"DocStatus", o.status, "DocAction", action, "C_DocType_ID", docType, "C_DocTypeTarget_ID", target,
		"IsApproved", o.done(), "IsCreditApproved", o.done(), "IsDelivered", o.ship, "IsInvoiced", o.invoice,
		"DateOrdered", date, "DatePromised", dateText(o.date.AddDate(0, 0, 7)), "DateAcct", date,
		"SalesRep_ID", o.docs.salesRep, "C_PaymentTerm_ID", o.docs.term, "C_Currency_ID", 100,
		"InvoiceRule", "I", "DeliveryRule", "F", "TotalLines", money(o.total), "GrandTotal", money(o.taxed),
		"M_Warehouse_ID", o.docs.warehouse, "M_PriceList_ID", o.docs.list, "C_BPartner_ID", o.partner,
		"C_BPartner_Location_ID", tr.location[o.partner], "AD_User_ID", orNil(contact),
		"Bill_BPartner_ID", o.partner, "Bill_Location_ID", tr.location[o.partner], "Bill_User_ID", orNil(contact),
		"IsSOTrx", o.sales, "Processed", o.done(), "PaymentRule", "P", "C_ConversionType_ID", 114)
	delivered, invoiced := int64(0), int64(0)
	for i, l := range o.lines {
		if o.ship {
			delivered = l.qty
		}
		if o.invoice {
			invoiced = l.qty
		}
		reserved := int64(0)
		if o.done() && !o.ship && o.status == "CO" {
			reserved = l.qty
		}
		b.add("C_OrderLine", "C_OrderLine_ID", l.id, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org, "C_Order_ID", o.id,
			"Line", (i+1)*10, "C_BPartner_ID", o.partner, "C_BPartner_Location_ID", tr.location[o.partner],
			"DateOrdered", date, "DatePromised", dateText(o.date.AddDate(0, 0, 7)), "M_Product_ID", l.product,
			"M_AttributeSetInstance_ID", 0, "C_UOM_ID", l.uom, "M_Warehouse_ID", o.docs.warehouse, "C_Currency_ID", 100,
			"QtyEntered", l.qty, "QtyOrdered", l.qty, "QtyReserved", reserved, "QtyDelivered", delivered, "QtyInvoiced", invoiced,
			"PriceList", money(l.list), "PriceEntered", money(l.price), "PriceActual", money(l.price), "PriceLimit", money(l.price*9/10),
			"LineNetAmt", money(l.amount), "Discount", discount(l), "C_Tax_ID", o.docs.tax, "Processed", o.done())
	}
	b.add("C_OrderTax", "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org, "C_Order_ID", o.id, "C_Tax_ID", o.docs.tax,
		"TaxBaseAmt", money(o.total), "TaxAmt", money(tax), "Processed", o.done())
	if o.ship {
		tr.writeShipment(o)
	}
	if o.invoice {
		tr.writeInvoice(o, tax)
	}
}

func docNo(n int64) string { return strconv.FormatInt(n, 10) }

// discount is how far the price is below the list price, in per cent.
func discount(l orderLine) string {
	if l.list == 0 {
		return "0"
	}
	return money(((l.list-l.price)*10_000 + l.list/2) / l.list)
}

func (tr *trade) writeShipment(o *order) {
	id, date := tr.nextShip, dateText(o.date.AddDate(0, 0, 3))
	tr.nextShip++
	movement, locator := "C-", int64(101)
	switch {
	case !o.sales:
		movement = "V+"
	case o.client != 11:
		locator = 1_000_000
	}
	if o.docs.warehouse == 104 {
		locator = 103
	}
	tr.b.add("M_InOut", "M_InOut_ID", id, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org, "DocumentNo", docNo(500_000+id),
		"C_Order_ID", o.id, "DateOrdered", dateText(o.date), "C_DocType_ID", o.docs.shipment, "MovementType", movement,
		"MovementDate", date, "DateAcct", date, "C_BPartner_ID", o.partner, "C_BPartner_Location_ID", tr.location[o.partner],
		"M_Warehouse_ID", o.docs.warehouse, "DocStatus", "CO", "DocAction", "CL", "Processed", true, "IsApproved", true,
		"IsSOTrx", o.sales, "SalesRep_ID", o.docs.salesRep)
	for i, l := range o.lines {
		o.shipLines = append(o.shipLines, tr.nextShipLine)
		tr.b.add("M_InOutLine", "M_InOutLine_ID", tr.nextShipLine, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org, "M_InOut_ID", id,
			"C_OrderLine_ID", l.id, "Line", (i+1)*10, "M_Product_ID", l.product, "M_AttributeSetInstance_ID", 0, "C_UOM_ID", l.uom,
			"M_Locator_ID", locator, "MovementQty", l.qty, "QtyEntered", l.qty, "Processed", true, "IsInvoiced", o.invoice)
		tr.nextShipLine++
	}
}

func (tr *trade) writeInvoice(o *order, tax int64) {
	id, day := tr.nextInvoice, o.date.AddDate(0, 0, 5)
	tr.nextInvoice++
	date := dateText(day)
	tr.b.add("C_Invoice", "C_Invoice_ID", id, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org, "DocumentNo", docNo(200_000+id),
		"C_Order_ID", o.id, "DateOrdered", dateText(o.date), "C_DocType_ID", o.docs.invoice, "C_DocTypeTarget_ID", o.docs.invoice,
		"DateInvoiced", date, "DateAcct", date, "C_BPartner_ID", o.partner, "C_BPartner_Location_ID", tr.location[o.partner],
		"AD_User_ID", orNil(tr.contact[o.partner]), "C_PaymentTerm_ID", o.docs.term, "C_Currency_ID", 100, "M_PriceList_ID", o.docs.list,
		"SalesRep_ID", o.docs.salesRep, "TotalLines", money(o.total), "GrandTotal", money(o.taxed), "DocStatus", "CO", "DocAction", "CL",
		"Processed", true, "IsApproved", true, "IsSOTrx", o.sales, "C_ConversionType_ID", 114, "Posted", posted(o))
	for i, l := range o.lines {
		var ship any
		if o.ship {
			ship = o.shipLines[i]
		}
		o.invLines = append(o.invLines, tr.nextInvoiceLine)
		tr.b.add("C_InvoiceLine", "C_InvoiceLine_ID", tr.nextInvoiceLine, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org,
			"C_Invoice_ID", id, "C_OrderLine_ID", l.id, "M_InOutLine_ID", ship, "Line", (i+1)*10, "M_Product_ID", l.product,
			"M_AttributeSetInstance_ID", 0, "C_UOM_ID", l.uom, "QtyEntered", l.qty, "QtyInvoiced", l.qty, "PriceList", money(l.list),
			"PriceEntered", money(l.price), "PriceActual", money(l.price), "PriceLimit", money(l.price*9/10),
			"LineNetAmt", money(l.amount), "C_Tax_ID", o.docs.tax, "Processed", true)
		tr.nextInvoiceLine++
	}
	tr.b.add("C_InvoiceTax", "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org, "C_Invoice_ID", id, "C_Tax_ID", o.docs.tax,
		"TaxBaseAmt", money(o.total), "TaxAmt", money(tax), "Processed", true)
	if posted(o) == "Y" {
		tr.writeFacts(o, id, day, tax)
	}
	if o.paid || o.paying {
		tr.writePayment(o, id, day.AddDate(0, 0, 14))
	}
}

// posted reports whether the invoice is in the accounts; only GardenWorld's
// sales are.
func posted(o *order) string {
	if o.client == 11 && o.sales {
		return "Y"
	}
	return "N"
}

func (tr *trade) writeFacts(o *order, invoice int64, day time.Time, tax int64) {
	fact := func(account, dr, cr int64) {
		if dr == 0 && cr == 0 {
			return
		}
		tr.b.add("Fact_Acct", "Fact_Acct_ID", tr.nextFact, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org, "C_AcctSchema_ID", 101,
			"Account_ID", account, "DateTrx", dateText(day), "DateAcct", dateText(day), "C_Period_ID", periodID(day),
			"AD_Table_ID", 318, "Record_ID", invoice, "GL_Category_ID", 110, "PostingType", "A", "C_Currency_ID", 100,
			"AmtSourceDr", money(dr), "AmtSourceCr", money(cr), "AmtAcctDr", money(dr), "AmtAcctCr", money(cr), "C_BPartner_ID", o.partner)
		tr.nextFact++
	}
	fact(501, o.taxed, 0)
	fact(504, 0, tax)
	fact(505, 0, o.total)
}

func (tr *trade) writePayment(o *order, invoice int64, day time.Time) {
	id, date := tr.nextPayment, dateText(day)
	tr.nextPayment++
	status, action := "CO", "CL"
	if !o.paid {
		status, action = "DR", "CO"
	}
	tr.b.add("C_Payment", "C_Payment_ID", id, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org, "DocumentNo", docNo(400_000+id),
		"C_DocType_ID", o.docs.payment, "TrxType", "S", "TenderType", "K", "C_BankAccount_ID", orNil(o.docs.bank), "C_Currency_ID", 100,
		"PayAmt", money(o.taxed), "C_BPartner_ID", o.partner, "C_Invoice_ID", invoice, "DateTrx", date, "DateAcct", date,
		"IsReceipt", o.sales, "IsAllocated", o.paid, "DocStatus", status, "DocAction", action, "Processed", o.paid, "IsApproved", o.paid, "CheckNo", o.docNo)
	if !o.paid {
		return
	}
	tr.b.add("C_AllocationHdr", "C_AllocationHdr_ID", tr.nextAlloc, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org,
		"DocumentNo", docNo(1000+tr.nextAlloc), "C_Currency_ID", 100, "DateTrx", date, "DateAcct", date,
		"ApprovalAmt", money(o.taxed), "DocStatus", "CO", "DocAction", "CL", "Processed", true, "IsApproved", true)
	tr.b.add("C_AllocationLine", "C_AllocationLine_ID", tr.nextAllocLine, "AD_Client_ID", o.client, "AD_Org_ID", o.docs.org,
		"C_AllocationHdr_ID", tr.nextAlloc, "C_Invoice_ID", invoice, "C_Payment_ID", id, "C_BPartner_ID", o.partner, "C_Order_ID", o.id,
		"Amount", money(o.taxed), "DateTrx", date)
	tr.nextAlloc++
	tr.nextAllocLine++
}

// The periods of GardenWorld's calendar are the months from January 2024.
const (
	firstYear     = 2024
	lastYear      = 2026
	firstPeriodID = 101
	docBaseTypes  = 183 // reference of the kinds of documents
)

func periodID(day time.Time) int64 {
	return firstPeriodID + int64(day.Year()-firstYear)*12 + int64(day.Month()) - 1
}

// addPeriods makes the years and months of GardenWorld's calendar, and opens them
// for every kind of document.
func (b *builder) addPeriods() {
	var documents []listValue
	for _, r := range b.m.refs {
		if r.id == docBaseTypes {
			documents = r.values
		}
	}
	control := int64(firstPeriodID)
	for year := firstYear; year <= lastYear; year++ {
		yearID := int64(101 + year - firstYear)
		b.add("C_Year", "C_Year_ID", yearID, "AD_Client_ID", 11, "C_Calendar_ID", 102, "FiscalYear", time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006"))
		for month := time.January; month <= time.December; month++ {
			start := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
			b.add("C_Period", "C_Period_ID", periodID(start), "AD_Client_ID", 11, "C_Year_ID", yearID, "Name", start.Format("Jan-06"),
				"PeriodNo", int(month), "StartDate", dateText(start), "EndDate", dateText(start.AddDate(0, 1, -1)), "PeriodType", "S")
			for _, d := range documents {
				b.add("C_PeriodControl", "C_PeriodControl_ID", control, "AD_Client_ID", 11, "C_Period_ID", periodID(start), "DocBaseType", d.value,
					"PeriodStatus", "O", "PeriodAction", "N")
				control++
			}
		}
	}
}
