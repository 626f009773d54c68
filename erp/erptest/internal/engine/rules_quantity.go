package engine

import (
	"context"
	"math/big"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// beforeOrderLineDelete keeps lines of which something was delivered, invoiced or
// reserved.
func beforeOrderLineDelete(_ context.Context, _ *Session, _ *store.Tx, r *Record) error {
	for _, name := range []string{"QtyDelivered", "QtyInvoiced", "QtyReserved"} {
		if rat(r.Row, name).Sign() != 0 {
			return PublicError(label(r.Table, name) + "=" + r.Row.String(name))
		}
	}
	return nil
}

// beforeProductDelete keeps items that are in stock.
func beforeProductDelete(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if !r.Row.Bool("IsStocked") && r.Row.String("ProductType") != "I" {
		return nil
	}
	stock, err := stockText(ctx, tx, r)
	if err != nil || stock == "" {
		return err
	}
	return PublicError(stock)
}

// stockText says how much of a product is in stock, "" for nothing.
func stockText(ctx context.Context, tx *store.Tx, r *Record) (string, error) {
	rows, err := RowsWhere(ctx, tx, "M_StorageOnHand", "", "M_Product_ID=?", r.ID())
	if err != nil {
		return "", err
	}
	sum, decimals := new(big.Rat), 0
	for _, row := range rows {
		sum.Add(sum, rat(row, "QtyOnHand"))
		decimals = max(decimals, scale(row.String("QtyOnHand")))
	}
	if sum.Sign() == 0 {
		return "", nil
	}
	storage, err := tx.Table(ctx, "M_StorageOnHand")
	if err != nil {
		return "", err
	}
	return label(storage, "QtyOnHand") + " = " + sum.FloatString(decimals), nil
}
