package metrics_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/rowscript"
)

// bookTables are those whose rows are the books' alone, those that refer to others
// first.
var bookTables = strings.Fields(`C_AllocationLine C_AllocationHdr C_InvoicePaySchedule C_InvoiceTax C_InvoiceLine C_Invoice C_Payment C_OrderTax C_OrderLine C_Order M_InOutLine M_InOut M_Replenish Fact_Acct
	C_BankStatement GL_Journal M_Inventory M_Movement M_Production
	C_Conversion_Rate M_StorageOnHand M_StorageReservation M_Transaction C_BankAccount`)

// masterRows are of names that the books refer to.
var masterRows = map[string]string{
	"C_DocType": "C_DocType_ID", "C_PaymentTerm": "C_PaymentTerm_ID", "C_BPartner": "C_BPartner_ID", "M_Warehouse": "M_Warehouse_ID", "M_Locator": "M_Locator_ID", "M_Product": "M_Product_ID",
	"C_ElementValue": "C_ElementValue_ID",
}

// rows is the books as statements.
func (b *books) rows(t testing.TB, reg registry.Registry) string {
	s := rowscript.New(t, reg)
	add := func(table string, p place, pairs ...any) { s.Add(table, p.client, p.org, pairs...) }
	for _, table := range bookTables {
		fmt.Fprintf(s, "DELETE FROM %s;\n", table)
	}
	for _, table := range slices.Sorted(maps.Keys(masterRows)) {
		fmt.Fprintf(s, "DELETE FROM %s WHERE %s BETWEEN 4100000 AND 4999999;\n", table, masterRows[table])
	}
	s.WriteString("UPDATE AD_Role SET MaxQueryRecords = 0;\n")
	everywhere := place{0, 0}
	for _, key := range slices.Sorted(maps.Keys(docTypes)) {
		sub := any(nil)
		if len(key) > 3 {
			sub = key[3:]
		}
		add("C_DocType", everywhere, "C_DocType_ID", docTypes[key], "Name", "Type "+key, "DocBaseType", key[:3], "DocSubTypeSO", sub)
	}
	add("C_PaymentTerm", everywhere, "C_PaymentTerm_ID", fixedTerm, "Value", "fixed", "Name", "fixed", "NetDays", 7, "IsDueFixed", "Y", "FixMonthDay", 31, "FixMonthOffset", 1, "FixMonthCutoff", 20)
	for n := range 6 {
		add("C_BPartner", partnerPlace(n), "C_BPartner_ID", firstPartner+n, "Value", fmt.Sprintf("P%d", n), "Name", "Partner", "C_BP_Group_ID", 103, "IsCustomer", "Y")
	}
	for _, id := range []int{store, yard} {
		add("M_Warehouse", place{11, 0}, "M_Warehouse_ID", id, "Value", fmt.Sprint(id), "Name", fmt.Sprint("W", id), "C_Location_ID", 109)
		add("M_Locator", place{11, 0}, "M_Locator_ID", id, "Value", fmt.Sprint("L", id), "M_Warehouse_ID", id, "X", "0", "Y", "0", "Z", "0")
	}
	for _, id := range products[1:] {
		add("M_Product", place{11, 0}, "M_Product_ID", id, "Value", fmt.Sprint(id), "Name", "Product", "C_UOM_ID", 100, "M_Product_Category_ID", 105)
	}
	for n := range 4 {
		add("C_ElementValue", place{11, 0}, "C_ElementValue_ID", firstAccount+n, "Value", fmt.Sprint(n), "Name", "Account", "C_Element_ID", 105, "AccountType", accountTypes[n])
	}
	for _, r := range b.rules {
		add("M_Replenish", r.place, "M_Product_ID", r.product, "M_Warehouse_ID", r.warehouse, "Level_Min", rowscript.Decimal(fmt.Sprint(r.least)), "Level_Max", rowscript.Decimal(fmt.Sprint(r.most)),
			"ReplenishType", r.kind, "IsActive", rowscript.YesNo(r.active))
	}
	for _, f := range b.postings {
		add("Fact_Acct", f.place, "Fact_Acct_ID", f.id, "C_AcctSchema_ID", f.schema, "Account_ID", f.account, "AD_Table_ID", 318, "Record_ID", f.id, "AmtAcctDr", rowscript.Cents(f.debit),
			"AmtAcctCr", rowscript.Cents(f.credit), "PostingType", f.kind, "DateAcct", f.date, "DateTrx", f.date)
	}
	for _, r := range b.rates {
		add("C_Conversion_Rate", r.place, "C_Conversion_Rate_ID", r.id, "C_Currency_ID", r.from, "C_Currency_ID_To", r.to, "C_ConversionType_ID", r.kind,
			"MultiplyRate", rowscript.Decimal(r.rate), "DivideRate", rowscript.Decimal("1"), "ValidFrom", r.since, "ValidTo", r.until, "IsActive", rowscript.YesNo(r.active))
	}
	for _, i := range b.invoices {
		add("C_Invoice", i.place, "C_Invoice_ID", i.id, "DocumentNo", fmt.Sprint(i.id), "C_DocType_ID", docTypes[i.base], "C_DocTypeTarget_ID", docTypes[i.base], "DocStatus", i.status,
			"C_BPartner_ID", i.partner, "C_PaymentTerm_ID", i.term, "C_Currency_ID", i.currency, "C_ConversionType_ID", rowscript.Ref(i.kind), "DateInvoiced", i.date, "DateAcct", i.acct,
			"GrandTotal", rowscript.Cents(i.grand()), "IsPaid", rowscript.YesNo(i.paid), "IsSOTrx", rowscript.YesNo(i.base[1] == 'R'), "IsPayScheduleValid", rowscript.YesNo(i.scheduled), "IsTaxIncluded", rowscript.YesNo(i.taxIncluded), "CreatedBy", 0,
			"C_Order_ID", rowscript.Ref(i.order), "Posted", i.posted)
		for n, l := range i.lines {
			add("C_InvoiceLine", l.place, "C_InvoiceLine_ID", l.id, "C_Invoice_ID", i.id, "Line", 10*(n+1), "M_Product_ID", rowscript.Ref(l.product), "QtyInvoiced", rowscript.Decimal(fmt.Sprint(l.qty)),
				"QtyEntered", rowscript.Decimal(fmt.Sprint(l.qty)), "LineNetAmt", rowscript.Cents(l.net), "TaxAmt", rowscript.Cents(l.tax), "PriceLimit", rowscript.Cents(l.limit), "C_OrderLine_ID", rowscript.Ref(l.orderLine))
		}
		for _, p := range i.parts {
			add("C_InvoicePaySchedule", p.place, "C_InvoicePaySchedule_ID", p.id, "C_Invoice_ID", i.id, "DueDate", p.date, "DueAmt", rowscript.Cents(p.due), "IsValid", rowscript.YesNo(p.valid))
		}
	}
	for _, a := range b.allocs {
		add("C_AllocationHdr", a.place, "C_AllocationHdr_ID", a.id, "DocumentNo", fmt.Sprint(a.id), "C_Currency_ID", a.currency, "DocStatus", a.status, "DateTrx", a.trx, "DateAcct", a.acct, "IsActive", rowscript.YesNo(a.active), "Posted", a.posted)
		for _, l := range a.lines {
			add("C_AllocationLine", l.place, "C_AllocationLine_ID", l.id, "C_AllocationHdr_ID", a.id, "C_Invoice_ID", rowscript.Ref(l.invoice), "C_Payment_ID", rowscript.Ref(l.payment), "Amount", rowscript.Cents(l.amount),
				"DiscountAmt", rowscript.Cents(l.discount), "WriteOffAmt", rowscript.Cents(l.writeOff), "DateTrx", a.trx)
		}
	}
	for _, k := range b.banks {
		add("C_BankAccount", k.place, "C_BankAccount_ID", k.id, "Value", k.name, "Name", k.name, "AccountNo", k.name, "C_Bank_ID", 100, "C_Currency_ID", k.currency, "CurrentBalance", rowscript.Cents(k.balance), "IsActive", rowscript.YesNo(k.active))
	}
	for _, p := range b.payments {
		charge := 0
		if p.charge {
			charge = 100
		}
		add("C_Payment", p.place, "C_Payment_ID", p.id, "DocumentNo", fmt.Sprint(p.id), "C_BPartner_ID", p.partner, "C_Currency_ID", p.currency, "C_ConversionType_ID", rowscript.Ref(p.kind), "PayAmt", rowscript.Cents(p.amount),
			"C_BankAccount_ID", rowscript.Ref(p.bank), "IsReceipt", rowscript.YesNo(p.receipt), "IsReconciled", rowscript.YesNo(p.reconciled), "IsAllocated", rowscript.YesNo(p.allocated), "C_Charge_ID", rowscript.Ref(charge), "DocStatus", p.status,
			"DateTrx", p.date, "DateAcct", p.date, "C_DocType_ID", docTypes["ARR"], "CreatedBy", 0, "Posted", p.posted)
	}
	for _, o := range b.orders {
		add("C_Order", o.place, "C_Order_ID", o.id, "DocumentNo", fmt.Sprint(o.id), "C_DocType_ID", docTypes[o.base+o.sub], "C_DocTypeTarget_ID", docTypes[o.base+o.sub], "DocStatus", o.status,
			"C_BPartner_ID", o.partner, "C_Currency_ID", o.currency, "C_ConversionType_ID", rowscript.Ref(o.kind), "DateOrdered", o.date, "DateAcct", o.date, "DatePromised", o.promised, "IsSOTrx", rowscript.YesNo(o.base == "SOO"),
			"M_Warehouse_ID", store, "CreatedBy", 0, "QuotationOrder_ID", rowscript.Ref(o.quotation), "GrandTotal", rowscript.Cents(o.total()))
		for n, l := range o.lines {
			add("C_OrderLine", l.place, "C_OrderLine_ID", l.id, "C_Order_ID", o.id, "Line", 10*(n+1), "M_Product_ID", rowscript.Ref(l.product), "QtyOrdered", rowscript.Decimal(fmt.Sprint(l.ordered)), "QtyDelivered", rowscript.Decimal(fmt.Sprint(l.delivered)),
				"QtyInvoiced", rowscript.Decimal(fmt.Sprint(l.invoiced)), "PriceActual", rowscript.Cents(l.price), "LineNetAmt", rowscript.Cents(l.price*l.ordered), "C_Currency_ID", o.currency)
		}
	}
	for _, m := range b.inouts {
		add("M_InOut", m.place, "M_InOut_ID", m.id, "DocumentNo", fmt.Sprint(m.id), "C_Order_ID", m.order, "DocStatus", m.status, "MovementType", m.moving, "MovementDate", m.date, "C_DocType_ID", docTypes["MMS"],
			"IsSOTrx", rowscript.YesNo(m.moving[0] == 'C'), "CreatedBy", 0, "DateAcct", m.date, "Posted", m.posted)
		for n, l := range m.lines {
			add("M_InOutLine", l.place, "M_InOutLine_ID", l.id, "M_InOut_ID", m.id, "Line", 10*(n+1), "C_OrderLine_ID", l.orderLine)
		}
	}
	for n, k := range b.stored {
		if k.locator != 0 {
			add("M_StorageOnHand", k.place, "M_Product_ID", k.product, "M_Locator_ID", k.locator, "QtyOnHand", rowscript.Decimal(fmt.Sprint(k.onHand)), "M_AttributeSetInstance_ID", n)
		} else {
			add("M_StorageReservation", k.place, "M_Product_ID", k.product, "M_Warehouse_ID", store, "Qty", rowscript.Decimal(fmt.Sprint(k.qty)), "IsSOTrx", rowscript.YesNo(k.sales), "M_AttributeSetInstance_ID", n)
		}
	}
	for _, m := range b.moves {
		add("M_Transaction", m.place, "M_Transaction_ID", m.id, "M_Product_ID", m.product, "M_Locator_ID", m.locator, "MovementQty", rowscript.Decimal(fmt.Sprint(m.qty)), "MovementType", m.kind, "MovementDate", m.date)
	}
	return s.String()
}

// partnerPlace is who sees a partner.
func partnerPlace(n int) place { return place{11, []int{0, 0, 0, 12, 11, 50005}[n]} }
