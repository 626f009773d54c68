package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/rowscript"
)

// script is the documents as statements for either database.
func (l *ledger) script(t *testing.T, reg registry.Registry) string {
	b := rowscript.New(t, reg)
	add := func(table string, pairs ...any) { b.Add(table, 11, 11, pairs...) }
	for _, table := range ledgerTables {
		fmt.Fprintf(b, "DELETE FROM %s;\n", table)
	}
	for _, id := range []int{proForma, proposal, returned} {
		fmt.Fprintf(b, "DELETE FROM C_DocType WHERE C_DocType_ID = %d;\n", id)
	}
	fmt.Fprintf(b, "DELETE FROM C_PaymentTerm WHERE C_PaymentTerm_ID > 900000;\nDELETE FROM C_BPartner WHERE C_BPartner_ID > 900000;\nDELETE FROM C_ConversionType WHERE C_ConversionType_ID < 100;\n")
	add("C_DocType", "C_DocType_ID", proForma, "Name", "Pro forma", "DocBaseType", "ARF", "IsSOTrx", "Y")
	add("C_DocType", "C_DocType_ID", proposal, "Name", "Proposal", "DocBaseType", "SOO", "DocSubTypeSO", "ON", "IsSOTrx", "Y")
	add("C_DocType", "C_DocType_ID", returned, "Name", "Return", "DocBaseType", "SOO", "DocSubTypeSO", "RM", "IsSOTrx", "Y")
	add("C_PaymentTerm", "C_PaymentTerm_ID", fixedTerm, "Value", "fixed", "Name", "fixed", "NetDays", 7, "IsDueFixed", "Y", "FixMonthDay", 31, "FixMonthOffset", 1, "FixMonthCutoff", 20)
	add("C_PaymentTerm", "C_PaymentTerm_ID", longTerm, "Value", "long", "Name", "long", "NetDays", 60)
	add("C_ConversionType", "C_ConversionType_ID", 90, "Value", "other", "Name", "other", "IsDefault", "N")
	add("C_ConversionType", "C_ConversionType_ID", 91, "Value", "off", "Name", "off", "IsDefault", "Y", "IsActive", "N")
	for n, id := range []int{900001, 900002} {
		add("C_BPartner", "C_BPartner_ID", id, "Value", fmt.Sprintf("twin%d", n+1), "Name", "Twin's", "C_BP_Group_ID", 103, "IsCustomer", "Y")
	}
	for _, r := range l.rates {
		add("C_Conversion_Rate", "C_Conversion_Rate_ID", r.id, "AD_Client_ID", r.client, "AD_Org_ID", r.org, "C_Currency_ID", r.from, "C_Currency_ID_To", r.to,
			"C_ConversionType_ID", r.kind, "MultiplyRate", rowscript.Decimal(r.rate), "DivideRate", rowscript.Decimal("1"), "ValidFrom", r.since, "ValidTo", r.until, "IsActive", rowscript.YesNo(r.active))
	}
	for _, i := range l.invoices {
		add("C_Invoice", "C_Invoice_ID", i.id, "DocumentNo", fmt.Sprint(i.id), "C_DocType_ID", i.docType, "C_DocTypeTarget_ID", i.docType, "DocStatus", i.status,
			"C_BPartner_ID", i.partner, "C_PaymentTerm_ID", i.term, "C_Currency_ID", i.currency, "DateInvoiced", i.date, "DateAcct", i.acct,
			"TotalLines", rowscript.Cents(i.net), "GrandTotal", rowscript.Cents(i.grand()), "IsPaid", rowscript.YesNo(i.paid), "IsSOTrx", rowscript.YesNo(i.sotrx), "IsPayScheduleValid", rowscript.YesNo(i.scheduled))
		add("C_InvoiceTax", "C_Invoice_ID", i.id, "C_Tax_ID", i.taxID, "TaxBaseAmt", rowscript.Cents(i.net), "TaxAmt", rowscript.Cents(i.tax))
		for _, p := range i.parts {
			add("C_InvoicePaySchedule", "C_InvoicePaySchedule_ID", p.id, "C_Invoice_ID", i.id, "DueDate", p.date, "DueAmt", rowscript.Cents(p.due), "IsValid", rowscript.YesNo(p.valid),
				"DiscountDate", p.date, "DiscountAmt", rowscript.Cents(0))
		}
	}
	for _, a := range l.allocs {
		add("C_AllocationHdr", "C_AllocationHdr_ID", a.id, "AD_Org_ID", a.org, "DocumentNo", fmt.Sprint(a.id), "C_Currency_ID", a.currency, "DocStatus", a.status,
			"DateTrx", a.trx, "DateAcct", a.acct, "IsActive", rowscript.YesNo(a.active))
		for n, line := range a.lines {
			add("C_AllocationLine", "C_AllocationLine_ID", a.id*10+n, "C_AllocationHdr_ID", a.id, "C_Invoice_ID", line.invoice, "Amount", rowscript.Cents(line.amount),
				"DiscountAmt", rowscript.Cents(line.discount), "WriteOffAmt", rowscript.Cents(line.writeOff), "DateTrx", a.trx, "IsActive", rowscript.YesNo(a.active))
		}
	}
	for _, p := range l.payments {
		bank := any(nil)
		if p.bank != 0 {
			bank = p.bank
		}
		add("C_Payment", "C_Payment_ID", p.id, "DocumentNo", fmt.Sprint(p.id), "C_Currency_ID", p.currency, "PayAmt", rowscript.Cents(p.amount), "C_BankAccount_ID", bank,
			"IsReceipt", rowscript.YesNo(p.receipt), "DocStatus", p.status, "DateTrx", p.date, "DateAcct", p.date, "C_DocType_ID", 119)
	}
	for _, o := range l.orders {
		docType := o.docType
		if o.status == "DR" {
			docType = 0
		}
		add("C_Order", "C_Order_ID", o.id, "DocumentNo", fmt.Sprint(o.id), "C_DocType_ID", docType, "C_DocTypeTarget_ID", o.docType, "DocStatus", o.status,
			"C_BPartner_ID", o.partner, "C_Currency_ID", o.currency, "DateOrdered", o.date, "GrandTotal", rowscript.Cents(o.total()), "IsSOTrx", rowscript.YesNo(o.sotrx))
		for n, line := range o.lines {
			product := any(nil)
			if line.product != 0 {
				product = line.product
			}
			add("C_OrderLine", "C_OrderLine_ID", o.id*10+n, "C_Order_ID", o.id, "Line", 10*(n+1), "M_Product_ID", product, "QtyOrdered", rowscript.Decimal(fmt.Sprint(line.qty)),
				"QtyDelivered", rowscript.Decimal("0"), "LineNetAmt", rowscript.Cents(line.amount), "C_Currency_ID", o.currency)
		}
	}
	for n, f := range l.facts {
		add("Fact_Acct", "Fact_Acct_ID", 2_000_000+n, "C_AcctSchema_ID", f.schema, "Account_ID", f.account, "AD_Table_ID", f.table, "Record_ID", f.record,
			"AmtAcctDr", rowscript.Cents(f.debit), "AmtAcctCr", rowscript.Cents(f.credit), "PostingType", f.posting, "DateAcct", f.date, "DateTrx", f.date)
	}
	return b.String()
}

// ledgerTables are those whose rows are the ledger's alone.
var ledgerTables = strings.Fields("C_AllocationLine C_AllocationHdr C_InvoicePaySchedule C_InvoiceTax C_Invoice C_Payment C_OrderLine C_Order C_Conversion_Rate Fact_Acct")
