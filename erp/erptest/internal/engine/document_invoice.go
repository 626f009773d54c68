package engine

import (
	"context"
	"errors"
	"math/big"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

func invoiceProgram() docProgram {
	return docProgram{
		prepare: prepareInvoice, complete: completeInvoice, void: voidInvoice,
		reverse: reverseInvoice, reactivate: reactivateInvoice, summary: totalSummary,
	}
}

func prepareInvoice(ctx context.Context, d *document) error {
	typ, err := d.openType(ctx, "C_DocTypeTarget_ID")
	if err != nil {
		return err
	}
	if err := d.needLines(ctx); err != nil {
		return err
	}
	d.Set("C_DocType_ID", d.Row["C_DocTypeTarget_ID"])
	d.Set("DocAction", "CO")
	if d.Row.Int("C_DocType_ID") == 0 {
		return documentFails("No Document Type")
	}
	if err := d.totals(ctx); err != nil || !d.Row.Bool("IsSOTrx") || rat(d.Row, "GrandTotal").Sign() == 0 {
		return err
	}
	if credit := typ.String("DocBaseType") == "ARC"; credit != (rat(d.Row, "GrandTotal").Sign() < 0) {
		return nil // it does not increase what the partner owes
	}
	return d.checkCredit(ctx, d.Row.Int("C_BPartner_ID"), creditStop)
}

// isCredit reports whether an invoice is a credit memo.
func (d *document) isCredit(ctx context.Context) (bool, error) {
	typ, err := OneRow(ctx, d.tx, "C_DocType", documentTypeOf(d.Row))
	base := typ.String("DocBaseType")
	return base == "ARC" || base == "APC", err
}

// documentTypeOf is the type a document has, or is to have.
func documentTypeOf(row store.Row) int64 {
	if id := row.Int("C_DocType_ID"); id != 0 {
		return id
	}
	return row.Int("C_DocTypeTarget_ID")
}

func completeInvoice(ctx context.Context, d *document) error {
	d.say("")
	credit, err := d.isCredit(ctx)
	if err != nil {
		return err
	}
	if err := d.eachLine(ctx, func(line store.Row) error {
		quantity := rat(line, "QtyInvoiced")
		if credit {
			quantity.Neg(quantity)
		}
		if err := d.addToOrderLine(ctx, line.Int("C_OrderLine_ID"), "QtyInvoiced", quantity); err != nil {
			return err
		}
		return d.markInvoiced(ctx, line.Int("M_InOutLine_ID"), true)
	}); err != nil {
		return err
	}
	total, columns := d.Row.String("GrandTotal"), []string(nil)
	if d.Row.Bool("IsSOTrx") {
		columns = []string{"SO_CreditUsed", "ActualLifeTimeValue"}
	}
	if d.Row.Bool("IsSOTrx") == credit {
		total = negated(d.Row, "GrandTotal")
	}
	if err := d.addToPartner(ctx, total, columns...); err != nil {
		return err
	}
	if d.Row.String("PaymentRule") == "B" && !d.reversal {
		return d.payCash(ctx, credit)
	}
	return nil
}

// addToOrderLine adds to a quantity of the order line behind a line.
func (d *document) addToOrderLine(ctx context.Context, id int64, column string, quantity *big.Rat) error {
	line, err := OneRow(ctx, d.tx, "C_OrderLine", id)
	if err != nil || line == nil {
		return err
	}
	sum := rat(line, column)
	return d.setRow(ctx, "C_OrderLine", id, store.Row{column: rounded(sum.Add(sum, quantity), 12)})
}

func (d *document) markInvoiced(ctx context.Context, id int64, invoiced bool) error {
	return d.setRow(ctx, "M_InOutLine", id, store.Row{"IsInvoiced": yesNo(invoiced)})
}

// payCash makes the payment of an invoice that is paid cash.
func (d *document) payCash(ctx context.Context, credit bool) error {
	accounts, err := RowsWhere(ctx, d.tx, "C_BankAccount", "IsDefault DESC, C_BankAccount_ID", "AD_Client_ID=? AND AD_Org_ID=? AND C_Currency_ID=? AND IsActive='Y'",
		d.Row.Int("AD_Client_ID"), d.Row.Int("AD_Org_ID"), d.Row.Int("C_Currency_ID"))
	if err != nil {
		return err
	}
	if len(accounts) == 0 {
		return documentFails("No account defined for this organization / currency")
	}
	base := "APP"
	if d.Row.Bool("IsSOTrx") {
		base = "ARR"
	}
	types, err := RowsWhere(ctx, d.tx, "C_DocType", "AD_Org_ID=0, IsDefault DESC, C_DocType_ID", "AD_Client_ID=? AND AD_Org_ID IN (0,?) AND DocBaseType=? AND IsActive='Y'",
		d.Row.Int("AD_Client_ID"), d.Row.Int("AD_Org_ID"), base)
	if err != nil {
		return err
	}
	if len(types) == 0 {
		return documentFails("No document type ")
	}
	pay := d.Row.String("GrandTotal")
	if credit {
		pay = negated(d.Row, "GrandTotal")
	}
	if err := d.store(ctx); err != nil { // the payment looks at the invoice
		return err
	}
	r, err := d.s.InsertRow(ctx, d.tx, "C_Payment", store.Row{
		"AD_Client_ID": d.Row.Int("AD_Client_ID"), "AD_Org_ID": d.Row.Int("AD_Org_ID"), "TenderType": "X", "C_BankAccount_ID": accounts[0]["C_BankAccount_ID"],
		"C_BPartner_ID": d.Row["C_BPartner_ID"], "C_Invoice_ID": d.ID(), "C_Currency_ID": d.Row["C_Currency_ID"], "C_DocType_ID": types[0]["C_DocType_ID"],
		"PayAmt": pay, "IsPrepayment": "N", "DateAcct": d.Row["DateAcct"], "DateTrx": d.Row["DateInvoiced"],
	})
	if err != nil {
		return err
	}
	payment, err := d.finished(ctx, "C_Payment", r.ID())
	var failed *documentFailure
	if errors.As(err, &failed) {
		return documentFails("Cannot Complete the Payment : [" + failed.text + "] " + r.Row.String("DocumentNo"))
	}
	if err != nil {
		return err
	}
	paid, err := OneRow(ctx, d.tx, "C_Invoice", d.ID())
	if err != nil {
		return err
	}
	copyColumns(d.Old, paid, "IsPaid", "C_Payment_ID")
	d.take(paid, "IsPaid", "C_Payment_ID")
	d.say("Payment: " + types[0].String("Name") + " " + payment.Row.String("DocumentNo"))
	return nil
}

// voidInvoice takes back the lines of a draft.
func voidInvoice(ctx context.Context, d *document) error {
	if err := d.eachLine(ctx, func(line store.Row) error {
		old := rat(line, "QtyInvoiced")
		if old.Sign() == 0 {
			return nil
		}
		if err := d.markInvoiced(ctx, line.Int("M_InOutLine_ID"), false); err != nil {
			return err
		}
		return d.changeLine(ctx, line, store.Row{
			"Description": described(line, "Voided ("+rounded(old, 12)+")"), "QtyInvoiced": "0", "QtyEntered": "0", "TaxAmt": "0", "LineNetAmt": "0",
			"LineTotalAmt": "0", "M_InOutLine_ID": nil,
		})
	}); err != nil {
		return err
	}
	d.describe("Voided")
	d.Set("IsPaid", "Y")
	d.Set("C_Payment_ID", nil)
	return d.totals(ctx)
}

// reverseInvoice makes an invoice that takes the document back, and allocates the
// two to each other.
func reverseInvoice(ctx context.Context, d *document) error {
	if err := d.reverseAllocations(ctx); err != nil {
		return err
	}
	reversal, err := d.reversedBy(ctx, store.Row{
		"C_DocType_ID": int64(0), "C_DocTypeTarget_ID": d.Row["C_DocType_ID"], "C_Payment_ID": nil, "IsPaid": "N", "TotalLines": "0", "GrandTotal": "0",
	}, func(line store.Row) store.Row {
		change := store.Row{}
		for _, name := range []string{"QtyEntered", "QtyInvoiced", "LineNetAmt", "TaxAmt", "LineTotalAmt"} {
			change[name] = negated(line, name)
		}
		return change
	}, store.Row{"IsPaid": "Y", "C_Payment_ID": nil})
	if err != nil {
		return err
	}
	number := reversal.Row.String("DocumentNo")
	if err := d.eachLine(ctx, func(line store.Row) error {
		return d.markInvoiced(ctx, line.Int("M_InOutLine_ID"), false)
	}); err != nil {
		return err
	}
	total, sign := rat(d.Row, "GrandTotal"), int64(1)
	credit, err := d.isCredit(ctx)
	if err != nil {
		return err
	}
	if d.Row.Bool("IsSOTrx") == credit {
		sign = -1
	}
	total.Mul(total, big.NewRat(sign, 1))
	if _, err := d.s.allocate(ctx, d.tx, d.Row, "Invoice: "+d.Row.String("DocumentNo")+"/"+number, d.Row["DateAcct"], []store.Row{
		{"C_Invoice_ID": d.ID(), "Amount": rounded(total, 12)},
		{"C_Invoice_ID": reversal.ID(), "Amount": rounded(new(big.Rat).Neg(total), 12)},
	}); err != nil {
		return err
	}
	d.say(number)
	return nil
}

func reactivateInvoice(ctx context.Context, d *document) error {
	lines, err := d.readLines(ctx)
	if err != nil {
		return err
	}
	if _, err := d.mayReactivate(ctx); err != nil {
		return err
	}
	if n, err := d.allocations(ctx); err != nil || len(n) > 0 {
		if err != nil {
			return err
		}
		return documentFails("Could not reactivate invoice: invoice is allocated")
	}
	for _, line := range lines {
		quantity := rat(line, "QtyInvoiced")
		if err := d.addToOrderLine(ctx, line.Int("C_OrderLine_ID"), "QtyInvoiced", quantity.Neg(quantity)); err != nil {
			return err
		}
	}
	d.Set("Posted", "N")
	return nil
}
