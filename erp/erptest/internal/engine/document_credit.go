package engine

import (
	"context"
	"math/big"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Values of C_BPartner.SOCreditStatus: on stop, on hold, near the limit, within it, and
// not checked.
const (
	creditStop, creditHold                 = "S", "H"
	creditWatch, creditOK, creditUnchecked = "W", "O", "X"
)

// creditStatus is the credit status of a business partner who owes more than the open
// balance. Without a limit, on stop, or not checked, it stays as it is.
func (d *document) creditStatus(ctx context.Context, partner store.Row, more *big.Rat) (string, error) {
	status, limit := partner.String("SOCreditStatus"), rat(partner, "SO_CreditLimit")
	if status == creditStop || status == creditUnchecked || limit.Sign() == 0 {
		return status, nil
	}
	open := new(big.Rat).Add(rat(partner, "TotalOpenBalance"), more)
	if open.Cmp(limit) > 0 {
		return creditHold, nil
	}
	group, err := OneRow(ctx, d.tx, "C_BP_Group", partner.Int("C_BP_Group_ID"))
	percent := rat(group, "CreditWatchPercent")
	if percent.Sign() == 0 {
		percent.SetInt64(90)
	}
	if open.Mul(open, big.NewRat(100, 1)).Cmp(limit.Mul(limit, percent)) > 0 {
		return creditWatch, err
	}
	return creditOK, err
}

// checkCredit refuses a document of a business partner whose credit status is among
// those of refusing. An order also fails if its total exceeds the credit limit; it is
// taken for one in the tenant's currency.
func (d *document) checkCredit(ctx context.Context, partnerID int64, refusing string) error {
	partner, err := OneRow(ctx, d.tx, "C_BPartner", partnerID)
	if err != nil || partner == nil {
		return err
	}
	status, key, total := partner.String("SOCreditStatus"), "", ""
	switch {
	case status == creditStop && strings.Contains(refusing, status):
		key = "BPartnerCreditStop"
	case status == creditHold && strings.Contains(refusing, status):
		key = "BPartnerCreditHold"
	case d.Table.Name == "C_Order":
		if over, err := d.creditStatus(ctx, partner, rat(d.Row, "GrandTotal")); err != nil || over != creditHold {
			return err
		}
		key, total = "BPartnerOverOCreditHold", ", "+label(d.Table, "GrandTotal")+"="+d.Row.String("GrandTotal")
	default:
		return nil
	}
	text, err := Message(ctx, d.tx, key, d.s.Language, key)
	if err != nil {
		return err
	}
	t, err := d.tx.Table(ctx, "C_BPartner")
	if err != nil {
		return err
	}
	return documentFails(text + " - " + label(t, "TotalOpenBalance") + "=" + partner.String("TotalOpenBalance") + total +
		", " + label(t, "SO_CreditLimit") + "=" + partner.String("SO_CreditLimit"))
}

// checkOrderCredit checks the credit of the partner who is billed for a sales order.
// Two types of orders may be left out by configuration.
func (d *document) checkOrderCredit(ctx context.Context, typ store.Row) error {
	kind, exempt := typ.String("DocSubTypeSO"), ""
	switch {
	case !d.Row.Bool("IsSOTrx") || rat(d.Row, "GrandTotal").Sign() <= 0:
		return nil
	case kind == "WR" && d.Row.String("PaymentRule") == "B":
		exempt = "CHECK_CREDIT_ON_CASH_POS_ORDER"
	case kind == "PR":
		exempt = "CHECK_CREDIT_ON_PREPAY_ORDER"
	}
	if exempt != "" && d.s.Sysconfig(ctx, d.tx, exempt, "Y") == "N" {
		return nil
	}
	return d.checkCredit(ctx, d.Row.Int("Bill_BPartner_ID"), creditStop+creditHold)
}

// addToPartner adds an amount to the open balance of the business partner and to other
// columns, and brings the credit status up to date.
func (d *document) addToPartner(ctx context.Context, amount string, columns ...string) error {
	id := d.Row.Int("C_BPartner_ID")
	partner, err := OneRow(ctx, d.tx, "C_BPartner", id)
	if err != nil || partner == nil {
		return err
	}
	change := store.Row{}
	n := rat(store.Row{"": amount}, "")
	if change["SOCreditStatus"], err = d.creditStatus(ctx, partner, n); err != nil {
		return err
	}
	for _, name := range append(columns, "TotalOpenBalance") {
		sum := rat(partner, name)
		change[name] = sum.Add(sum, n).FloatString(max(scale(partner.String(name)), scale(amount)))
		if name == "ActualLifeTimeValue" && partner.String("FirstSale") == "" {
			change["FirstSale"] = d.Row["DateInvoiced"]
		}
	}
	return d.setRow(ctx, "C_BPartner", id, change)
}
