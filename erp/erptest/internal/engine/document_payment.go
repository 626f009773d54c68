package engine

import (
	"context"
	"math/big"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

func paymentProgram() docProgram {
	return docProgram{
		prepare: preparePayment, complete: completePayment, void: voidPayment,
		reverse: reversePayment, reactivate: reactivatePayment, summary: paymentSummary,
	}
}

func allocationProgram() docProgram {
	return docProgram{complete: completeAllocation, void: releaseAllocation, reverse: releaseAllocation}
}

func paymentSummary(d *document) string {
	return d.Row.String("DocumentNo") + ": Payment amount=" + d.Row.String("PayAmt") + ",Write-off Amount=" + d.Row.String("WriteOffAmt")
}

func preparePayment(ctx context.Context, d *document) error {
	base := "APP"
	if d.Row.Bool("IsReceipt") {
		base = "ARR"
	}
	if err := d.checkPeriod(ctx, base); err != nil {
		return err
	}
	if d.Row.Bool("IsOnline") && !d.Row.Bool("IsApproved") {
		return documentFails("Payment not processed")
	}
	invoice, err := OneRow(ctx, d.tx, "C_Invoice", d.Row.Int("C_Invoice_ID"))
	if err != nil {
		return err
	}
	if invoice != nil {
		typ, err := OneRow(ctx, d.tx, "C_DocType", documentTypeOf(invoice))
		if err != nil {
			return err
		}
		own, err := OneRow(ctx, d.tx, "C_DocType", d.Row.Int("C_DocType_ID"))
		if err != nil {
			return err
		}
		if typ.Bool("IsSOTrx") != own.Bool("IsSOTrx") {
			return documentFails("Payment Document Type and Invoice are inconsistent")
		}
	}
	d.Set("DocAction", "CO")
	return nil
}

func completePayment(ctx context.Context, d *document) error {
	if d.Row.Int("C_Charge_ID") != 0 {
		d.Set("IsAllocated", "Y")
		return nil
	}
	paid, columns := d.Row.String("PayAmt"), []string(nil)
	if d.Row.Bool("IsReceipt") {
		paid, columns = negated(d.Row, "PayAmt"), []string{"SO_CreditUsed"}
	}
	if err := d.addToPartner(ctx, paid, columns...); err != nil || d.Row.Int("C_Invoice_ID") == 0 || d.reversal {
		return err
	}
	return d.payInvoice(ctx)
}

// payInvoice allocates the payment to its invoice.
func (d *document) payInvoice(ctx context.Context) error {
	line := store.Row{"C_BPartner_ID": d.Row["C_BPartner_ID"], "C_Invoice_ID": d.Row["C_Invoice_ID"], "C_Payment_ID": d.ID()}
	for name, of := range map[string]string{"Amount": "PayAmt", "DiscountAmt": "DiscountAmt", "WriteOffAmt": "WriteOffAmt", "OverUnderAmt": "OverUnderAmt"} {
		line[name] = rounded(rat(d.Row, of), 12)
		if !d.Row.Bool("IsReceipt") {
			line[name] = negated(d.Row, of)
		}
	}
	number, err := d.s.allocate(ctx, d.tx, d.Row, "Payment: "+d.Row.String("DocumentNo")+" [1]", d.Row["DateAcct"], []store.Row{line})
	if err != nil {
		return err
	}
	d.say("Allocation: " + number)
	d.Set("IsAllocated", "Y")
	return d.setRow(ctx, "C_Invoice", d.Row.Int("C_Invoice_ID"), store.Row{"C_Payment_ID": d.ID()})
}

func voidPayment(ctx context.Context, d *document) error {
	d.describe("Voided (" + d.Row.String("PayAmt") + ")")
	for _, name := range []string{"PayAmt", "DiscountAmt", "WriteOffAmt", "OverUnderAmt"} {
		d.Set(name, "0")
	}
	d.Set("IsOverUnderPayment", "N")
	d.Set("IsAllocated", "N")
	d.Set("C_Invoice_ID", nil)
	return nil
}

// reversePayment makes a payment that takes the document back, and allocates the
// two to each other.
func reversePayment(ctx context.Context, d *document) error {
	number := d.Row.String("DocumentNo") + "^"
	change := store.Row{
		"DocumentNo": number, "C_Invoice_ID": nil, "IsAllocated": "Y", "IsReconciled": "N", "IsOnline": "N", "IsApproved": "Y",
		"IsOverUnderPayment": yesNo(rat(d.Row, "OverUnderAmt").Sign() != 0),
	}
	for _, name := range []string{"PayAmt", "DiscountAmt", "WriteOffAmt", "OverUnderAmt"} {
		change[name] = negated(d.Row, name)
	}
	reversal, err := d.reversedBy(ctx, change, nil, nil)
	if err != nil {
		return err
	}
	if err := d.reverseAllocations(ctx); err != nil {
		return err
	}
	invoices, err := d.tx.Table(ctx, "C_Invoice")
	if err != nil {
		return err
	}
	if _, err := d.tx.Set(ctx, invoices, store.Row{"C_Payment_ID": nil, "IsPaid": "N"}, "C_Payment_ID=?", d.ID()); err != nil {
		return err
	}
	d.Set("C_Invoice_ID", nil)
	d.Set("IsAllocated", "Y")
	pay := rat(d.Row, "PayAmt")
	if !d.Row.Bool("IsReceipt") {
		pay.Neg(pay)
	}
	allocation, err := d.s.allocate(ctx, d.tx, d.Row, "Payment: "+number, d.Row["DateAcct"], []store.Row{
		{"C_BPartner_ID": d.Row["C_BPartner_ID"], "C_Payment_ID": d.ID(), "Amount": rounded(pay, 12)},
		{"C_BPartner_ID": d.Row["C_BPartner_ID"], "C_Payment_ID": reversal.ID(), "Amount": rounded(new(big.Rat).Neg(pay), 12)},
	})
	if err != nil {
		return err
	}
	d.say(number + " - Allocation: " + allocation)
	return nil
}

func reactivatePayment(ctx context.Context, d *document) error {
	if _, err := d.mayReactivate(ctx); err != nil {
		return err
	}
	if n, err := d.allocations(ctx); err != nil || len(n) > 0 {
		if err != nil {
			return err
		}
		return documentFails("Could not reactivate payment: payment is allocated")
	}
	d.Set("Posted", "N")
	if d.Row.Int("C_Charge_ID") != 0 {
		d.Set("IsAllocated", "N")
	}
	return nil
}

// allocate makes and completes an allocation with its lines, and returns its number.
func (s *Session) allocate(ctx context.Context, tx *store.Tx, of store.Row, description string, date any, lines []store.Row) (string, error) {
	r, err := s.InsertRow(ctx, tx, "C_AllocationHdr", store.Row{
		"AD_Client_ID": of.Int("AD_Client_ID"), "AD_Org_ID": of.Int("AD_Org_ID"), "C_Currency_ID": of["C_Currency_ID"],
		"DateTrx": date, "DateAcct": date, "Description": description, "IsManual": "N",
	})
	if err != nil {
		return "", err
	}
	for _, line := range lines {
		line["C_AllocationHdr_ID"], line["AD_Client_ID"], line["AD_Org_ID"] = r.ID(), of.Int("AD_Client_ID"), of.Int("AD_Org_ID")
		if line["C_BPartner_ID"] == nil {
			line["C_BPartner_ID"] = of["C_BPartner_ID"]
		}
		if _, err := s.InsertRow(ctx, tx, "C_AllocationLine", line); err != nil {
			return "", err
		}
	}
	made, err := s.loadDocument(ctx, tx, "C_AllocationHdr", r.ID())
	if err != nil {
		return "", err
	}
	return made.Row.String("DocumentNo"), made.finish(ctx)
}

// allocations are the live allocations a payment or invoice has part in.
func (d *document) allocations(ctx context.Context) ([]store.Row, error) {
	return RowsWhere(ctx, d.tx, "C_AllocationHdr", "C_AllocationHdr_ID", `DocStatus NOT IN ('RE','VO') AND C_AllocationHdr_ID IN
		(SELECT C_AllocationHdr_ID FROM C_AllocationLine WHERE `+sqlquote.Name(d.Table.Name+"_ID")+"=?)", d.ID())
}

// reverseAllocations releases what a payment or invoice was allocated to.
func (d *document) reverseAllocations(ctx context.Context) error {
	rows, err := d.allocations(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		allocation, err := d.s.loadDocument(ctx, d.tx, "C_AllocationHdr", row.Int("C_AllocationHdr_ID"))
		if err != nil {
			return err
		}
		if err := allocation.perform(ctx, "RC"); err != nil {
			return err
		}
		if err := allocation.store(ctx); err != nil {
			return err
		}
	}
	return nil
}

// completeAllocation marks the invoices as paid that now are.
func completeAllocation(ctx context.Context, d *document) error { return d.settleInvoices(ctx, false) }

// releaseAllocation takes the allocation back: it and its lines are not active any more,
// and allocate nothing.
func releaseAllocation(ctx context.Context, d *document) error {
	if err := d.settleInvoices(ctx, true); err != nil {
		return err
	}
	for _, line := range d.lines {
		change := store.Row{"IsActive": "N", "Amount": "0", "DiscountAmt": "0", "WriteOffAmt": "0", "OverUnderAmt": "0"}
		if err := d.changeLine(ctx, line, change); err != nil {
			return err
		}
	}
	d.Set("IsActive", "N")
	d.Set("Posted", "Y")
	d.Set("DocumentNo", d.Row.String("DocumentNo")+"^")
	d.describe("Voided")
	return nil
}

// settleInvoices marks each invoice of an allocation as paid when all allocations of
// it make up its total. With released this allocation does not count.
func (d *document) settleInvoices(ctx context.Context, released bool) error {
	return d.eachLine(ctx, func(line store.Row) error {
		invoice, err := OneRow(ctx, d.tx, "C_Invoice", line.Int("C_Invoice_ID"))
		if err != nil {
			return err
		}
		if invoice == nil {
			return nil
		}
		others, err := RowsWhere(ctx, d.tx, "C_AllocationLine", "", `C_Invoice_ID=? AND C_AllocationHdr_ID<>? AND C_AllocationHdr_ID IN
			(SELECT C_AllocationHdr_ID FROM C_AllocationHdr WHERE DocStatus IN ('CO','CL'))`, line.Int("C_Invoice_ID"), d.ID())
		if err != nil {
			return err
		}
		if !released {
			others = append(others, line)
		}
		sum := new(big.Rat)
		for _, other := range others {
			for _, name := range []string{"Amount", "DiscountAmt", "WriteOffAmt"} {
				sum.Add(sum, rat(other, name))
			}
		}
		paid := sum.Abs(sum).Cmp(new(big.Rat).Abs(rat(invoice, "GrandTotal"))) == 0
		change := store.Row{"IsPaid": yesNo(paid)}
		if released {
			change["C_Payment_ID"] = nil
		}
		return d.setRow(ctx, "C_Invoice", invoice.Int("C_Invoice_ID"), change)
	})
}
