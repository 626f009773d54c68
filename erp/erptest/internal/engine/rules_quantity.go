package engine

import (
	"cmp"
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

// beforeStockLine gives the line of a movement or a count its product's unit, and the
// quantity in that unit where the other one is given.
func beforeStockLine(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	item, err := OneRow(ctx, tx, "M_Product", r.Row.Int("M_Product_ID"))
	if err != nil || item == nil {
		return err
	}
	if r.Row.Int("C_UOM_ID") == 0 {
		r.Set("C_UOM_ID", item["C_UOM_ID"])
	}
	if r.Row.Int("C_UOM_ID") != item.Int("C_UOM_ID") {
		return nil
	}
	stock, entered := "MovementQty", nonZero(r.Row, "QtyEntered")
	if r.Table.Name == "M_InventoryLine" {
		stock = "QtyCount"
	}
	moved := cmp.Or(nonZero(r.Row, stock), nonZero(r.Row, "QtyInternalUse"))
	switch {
	case entered == "" && moved != "":
		r.Set("QtyEntered", moved)
	case entered != "" && moved == "" && r.Old == nil:
		r.Set(stock, entered)
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
