package engine

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// lastWithPayment are the columns of a payment nobody changes after it is processed.
var lastWithPayment = []string{
	"C_BankAccount_ID", "C_BPartner_ID", "C_Charge_ID", "C_Currency_ID", "C_DocType_ID", "DateAcct", "DateTrx", "DiscountAmt", "PayAmt", "WriteOffAmt",
}

// beforePayment completes a payment: what it is for, its document type and its
// organization.
func beforePayment(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if r.Row.Bool("Processed") && !r.changed("Processed") && !r.IsNew() {
		for _, name := range lastWithPayment {
			if r.changed(name) {
				return PublicError("PaymentAlreadyProcessed: " + label(r.Table, "C_Payment_ID"))
			}
		}
	}
	if r.Row.Int("C_BankAccount_ID") <= 0 && r.Row.String("TenderType") != "X" {
		return saveError("Mandatory: " + label(r.Table, "C_BankAccount_ID"))
	}
	charge, partner := r.Row.Int("C_Charge_ID"), r.Row.Int("C_BPartner_ID")
	invoice, order := r.Row.Int("C_Invoice_ID"), r.Row.Int("C_Order_ID")
	zero := func(columns ...string) {
		for _, name := range columns {
			r.Set(name, "0")
		}
	}
	switch {
	case charge != 0:
		if r.IsNew() || r.changed("C_Charge_ID") {
			r.Set("C_Order_ID", nil)
			r.Set("C_Invoice_ID", nil)
			zero("WriteOffAmt", "DiscountAmt", "OverUnderAmt")
			r.Set("IsOverUnderPayment", "N")
			r.Set("IsPrepayment", "N")
			invoice, order = 0, 0
		}
	case partner == 0 && invoice == 0 && order == 0 && r.Row.String("TenderType") != "X":
		return saveError("NotFound: " + label(r.Table, "C_BPartner_ID"))
	}
	if r.IsNew() || r.changed("C_Charge_ID") || r.changed("C_Invoice_ID") || r.changed("C_Order_ID") || r.changed("C_Project_ID") {
		prepaid := charge == 0 && partner != 0 && (order != 0 || r.Row.Int("C_Project_ID") != 0 && invoice == 0)
		r.Set("IsPrepayment", yesNo(prepaid))
		if prepaid && (r.IsNew() || r.changed("C_Order_ID") || r.changed("C_Project_ID")) {
			zero("WriteOffAmt", "DiscountAmt", "OverUnderAmt")
			r.Set("IsOverUnderPayment", "N")
		}
	}
	if err := paymentType(ctx, tx, r); err != nil {
		return err
	}
	paymentNumber(r)
	if !r.Has("DateAcct") {
		r.Set("DateAcct", r.Row["DateTrx"])
	}
	if !r.Row.Bool("IsOverUnderPayment") {
		zero("OverUnderAmt")
	}
	if (r.IsNew() || r.changed("C_BankAccount_ID")) && charge == 0 {
		account, err := OneRow(ctx, tx, "C_BankAccount", r.Row.Int("C_BankAccount_ID"))
		if err != nil {
			return err
		}
		if org := account.Int("AD_Org_ID"); org != 0 {
			r.Set("AD_Org_ID", org)
		}
	}
	if err := paidPartner(ctx, tx, r); err != nil {
		return err
	}
	if r.Row.Bool("Processed") {
		return nil
	}
	if r.Row.String("TenderType") != "C" {
		for _, name := range []string{"CreditCardType", "CreditCardNumber", "CreditCardVV"} {
			r.Set(name, nil)
		}
		for _, name := range []string{"CreditCardExpMM", "CreditCardExpYY"} {
			if r.Row.Int(name) > 0 {
				r.Set(name, nil)
			}
		}
	}
	return ownCurrencyRate(ctx, tx, r, "CurrencyRate", "ConvertedAmt")
}

// paymentType is receipt or payment: as the document type says, or the type that
// goes with what the payment says.
func paymentType(ctx context.Context, tx *store.Tx, r *Record) error {
	if id := r.Row.Int("C_DocType_ID"); id != 0 {
		kind, err := OneRow(ctx, tx, "C_DocType", id)
		if err != nil {
			return err
		}
		r.Set("IsReceipt", yesNo(kind.Bool("IsSOTrx")))
		return nil
	}
	base := "APP"
	if r.Row.Bool("IsReceipt") {
		base = "ARR"
	}
	types, err := RowsWhere(ctx, tx, "C_DocType", "IsDefault DESC, C_DocType_ID", "IsActive='Y' AND AD_Client_ID=? AND DocBaseType=?",
		r.Row.Int("AD_Client_ID"), base)
	if err != nil || len(types) == 0 {
		return err
	}
	r.Set("C_DocType_ID", types[0].Int("C_DocType_ID"))
	return nil
}

// paymentNumber makes the number of a payment of that of its check or reference.
func paymentNumber(r *Record) {
	number := ""
	check := r.Row.String("CheckNo")
	switch {
	case r.Row.String("TenderType") == "X":
		return
	case r.Row.String("R_PnRef") != "":
		number = r.Row.String("R_PnRef")
	case r.Row.String("TenderType") != "K":
		return
	case !r.Row.Bool("IsReceipt"):
		number = check
	default:
		if routing := r.Row.String("RoutingNo"); routing != "" {
			number = routing + ": "
		}
		number += r.Row.String("AccountNo")
		if check != "" {
			if number != "" {
				number += " "
			}
			number += "#" + check
		}
	}
	if number != "" {
		r.Set("DocumentNo", number)
	}
}

// paidPartner refuses a payment of one partner for what another ordered or owes.
func paidPartner(ctx context.Context, tx *store.Tx, r *Record) error {
	partner := r.Row.Int("C_BPartner_ID")
	if partner == 0 || !r.IsNew() && !r.changed("C_BPartner_ID") && !r.changed("C_Invoice_ID") && !r.changed("C_Order_ID") {
		return nil
	}
	for _, of := range []struct{ table, message string }{
		{"C_Invoice", "BPDifferentFromBPInvoice"}, {"C_Order", "BPDifferentFromBPOrder"},
	} {
		id := r.Row.Int(of.table + "_ID")
		if id == 0 {
			continue
		}
		row, err := OneRow(ctx, tx, of.table, id)
		if err != nil {
			return err
		}
		if row.Int("C_BPartner_ID") != partner && row.Int("Bill_BPartner_ID") != partner {
			return saveError(of.message)
		}
	}
	return nil
}
