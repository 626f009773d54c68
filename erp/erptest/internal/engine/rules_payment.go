package engine

import (
	"context"
	"slices"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// lastWithPayment are the columns of a payment nobody changes after it is processed.
var lastWithPayment = []string{
	"C_BankAccount_ID", "C_BPartner_ID", "C_Charge_ID", "C_Currency_ID", "C_DocType_ID", "DateAcct", "DateTrx", "DiscountAmt", "PayAmt", "WriteOffAmt",
}

// beforePayment completes a payment: what it is for, its document type and its
// organization.
func beforePayment(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if err := checkPayment(r); err != nil {
		return err
	}
	paymentPurpose(r)
	if err := paymentType(ctx, tx, r); err != nil {
		return err
	}
	paymentNumber(r)
	if !r.Has("DateAcct") {
		r.Set("DateAcct", r.Row["DateTrx"])
	}
	if !r.Row.Bool("IsOverUnderPayment") {
		r.Set("OverUnderAmt", "0")
	}
	if err := paymentOrganization(ctx, tx, r); err != nil {
		return err
	}
	if err := paidPartner(ctx, tx, r); err != nil {
		return err
	}
	if r.Row.Bool("Processed") {
		return nil
	}
	dropCard(r)
	return ownCurrencyRate(ctx, tx, r, "CurrencyRate", "ConvertedAmt")
}

// checkPayment refuses a payment that lacks what every payment has, and changes of
// one that is processed.
func checkPayment(r *Record) error {
	if r.Row.Bool("Processed") && !r.changed("Processed") && !r.IsNew() {
		for _, name := range lastWithPayment {
			if r.changed(name) {
				return PublicError("PaymentAlreadyProcessed: " + label(r.Table, "C_Payment_ID"))
			}
		}
	}
	cash := r.Row.String("TenderType") == "X"
	switch {
	case cash:
	case r.Row.Int("C_BankAccount_ID") <= 0:
		return saveError("Mandatory: " + label(r.Table, "C_BankAccount_ID"))
	case !slices.ContainsFunc([]string{"C_Charge_ID", "C_BPartner_ID", "C_Invoice_ID", "C_Order_ID"}, func(name string) bool { return r.Row.Int(name) != 0 }):
		return saveError("NotFound: " + label(r.Table, "C_BPartner_ID"))
	}
	return nil
}

// paymentPurpose drops what does not go with a charge, and decides whether the
// payment is a prepayment.
func paymentPurpose(r *Record) {
	charge := r.Row.Int("C_Charge_ID") != 0
	if charge && (r.IsNew() || r.changed("C_Charge_ID")) {
		r.Set("C_Order_ID", nil)
		r.Set("C_Invoice_ID", nil)
		r.Set("IsPrepayment", "N")
		dropDifferences(r)
	}
	if !r.IsNew() && !slices.ContainsFunc([]string{"C_Charge_ID", "C_Invoice_ID", "C_Order_ID", "C_Project_ID"}, r.changed) {
		return
	}
	ordered, project := r.Row.Int("C_Order_ID") != 0, r.Row.Int("C_Project_ID") != 0 && r.Row.Int("C_Invoice_ID") == 0
	prepaid := !charge && r.Row.Int("C_BPartner_ID") != 0 && (ordered || project)
	r.Set("IsPrepayment", yesNo(prepaid))
	if prepaid && (r.IsNew() || r.changed("C_Order_ID") || r.changed("C_Project_ID")) {
		dropDifferences(r)
	}
}

// dropDifferences drops what a payment is less or more than what it pays.
func dropDifferences(r *Record) {
	for _, name := range []string{"WriteOffAmt", "DiscountAmt", "OverUnderAmt"} {
		r.Set(name, "0")
	}
	r.Set("IsOverUnderPayment", "N")
}

// paymentOrganization is that of the bank account, except for charges.
func paymentOrganization(ctx context.Context, tx *store.Tx, r *Record) error {
	if !r.IsNew() && !r.changed("C_BankAccount_ID") || r.Row.Int("C_Charge_ID") != 0 {
		return nil
	}
	account, err := OneRow(ctx, tx, "C_BankAccount", r.Row.Int("C_BankAccount_ID"))
	if err != nil {
		return err
	}
	if org := account.Int("AD_Org_ID"); org != 0 {
		r.Set("AD_Org_ID", org)
	}
	return nil
}

// dropCard drops a credit card from what is not paid by one.
func dropCard(r *Record) {
	if r.Row.String("TenderType") == "C" {
		return
	}
	for _, name := range []string{"CreditCardType", "CreditCardNumber", "CreditCardVV"} {
		r.Set(name, nil)
	}
	for _, name := range []string{"CreditCardExpMM", "CreditCardExpYY"} {
		if r.Row.Int(name) > 0 {
			r.Set(name, nil)
		}
	}
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
	typ, err := FirstRow(ctx, tx, "C_DocType", "IsDefault DESC, C_DocType_ID", "IsActive='Y' AND AD_Client_ID=? AND DocBaseType=?",
		r.Row.Int("AD_Client_ID"), base)
	if err != nil || typ == nil {
		return err
	}
	r.Set("C_DocType_ID", typ.Int("C_DocType_ID"))
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
