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

// beforeMovementLine refuses a line that moves nothing.
func beforeMovementLine(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if _, err := lineParent(ctx, tx, r); err != nil {
		return err
	}
	if r.Row.Int("M_Locator_ID") == r.Row.Int("M_LocatorTo_ID") && r.Row.Int("M_AttributeSetInstance_ID") == r.Row.Int("M_AttributeSetInstanceTo_ID") {
		same := func(column string) string {
			return label(r.Table, column) + " == " + label(r.Table, column[:len(column)-3]+"To_ID")
		}
		return saveError(same("M_Locator_ID") + " and " + same("M_AttributeSetInstance_ID"))
	}
	if nonZero(r.Row, "MovementQty") == "" {
		return PublicError(MsgFillMandatory + label(r.Table, "MovementQty"))
	}
	return stockLine(ctx, tx, r, "MovementQty")
}

// beforeInventoryLine takes what was entered for what was counted, or used.
func beforeInventoryLine(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if _, err := lineParent(ctx, tx, r); err != nil {
		return err
	}
	if entered := nonZero(r.Row, "QtyEntered"); r.Old == nil && nonZero(r.Row, "QtyCount") == "" && nonZero(r.Row, "QtyInternalUse") == "" && entered != "" {
		used, err := RowsWhere(ctx, tx, "C_DocType", "", "DocSubTypeInv='IU' AND C_DocType_ID=(SELECT C_DocType_ID FROM M_Inventory WHERE M_Inventory_ID=?)", r.Row.Int("M_Inventory_ID"))
		if err != nil {
			return err
		}
		counted := "QtyCount"
		if len(used) > 0 {
			counted = "QtyInternalUse"
		}
		r.Set(counted, entered)
	}
	return stockLine(ctx, tx, r, "QtyCount", "QtyInternalUse")
}

// stockLine gives a line its product's unit, and what was entered the first of the
// quantities that is not 0.
func stockLine(ctx context.Context, tx *store.Tx, r *Record, quantities ...string) error {
	item, err := OneRow(ctx, tx, "M_Product", r.Row.Int("M_Product_ID"))
	if err != nil || item == nil {
		return err
	}
	if r.Row.Int("C_UOM_ID") == 0 {
		r.Set("C_UOM_ID", item["C_UOM_ID"])
	}
	for _, name := range quantities {
		if moved := nonZero(r.Row, name); moved != "" && nonZero(r.Row, "QtyEntered") == "" {
			r.Set("QtyEntered", moved)
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
