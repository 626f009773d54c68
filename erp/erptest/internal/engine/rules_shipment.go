package engine

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// beforeShipment gives a shipment or receipt its movement type, and refuses a
// warehouse of another organization.
func beforeShipment(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if r.IsNew() || r.changed("C_DocType_ID") {
		if err := setMovementType(ctx, tx, r); err != nil {
			return err
		}
	}
	warehouse, err := OneRow(ctx, tx, "M_Warehouse", r.Row.Int("M_Warehouse_ID"))
	if err != nil {
		return err
	}
	if warehouse == nil {
		return nil // the check of mandatory columns says so
	}
	if r.IsNew() && warehouse.Int("AD_Org_ID") != r.Row.Int("AD_Org_ID") {
		return PublicError("WarehouseOrgConflict: ")
	}
	if rule := r.Row.String("DeliveryRule"); rule == "" || rule == "F" && warehouse.Bool("IsDisallowNegativeInv") {
		r.Set("DeliveryRule", "A")
	}
	if r.Row.Int("C_Order_ID") != 0 && r.Row.Int("M_RMA_ID") != 0 {
		return PublicError("OrderOrRMA: ")
	}
	if r.Row.Int("SalesRep_ID") == 0 && r.Row.Int("C_Order_ID") > 0 {
		order, err := OneRow(ctx, tx, "C_Order", r.Row.Int("C_Order_ID"))
		if err != nil {
			return err
		}
		if rep := order.Int("SalesRep_ID"); rep != 0 {
			r.Set("SalesRep_ID", rep)
		}
	}
	return nil
}

func setMovementType(ctx context.Context, tx *store.Tx, r *Record) error {
	kind, err := OneRow(ctx, tx, "C_DocType", r.Row.Int("C_DocType_ID"))
	if kind != nil {
		movement := map[string]string{"MMSY": "C-", "MMSN": "V-", "MMRY": "C+", "MMRN": "V+"}[kind.String("DocBaseType")+yesNo(kind.Bool("IsSOTrx"))]
		r.Set("MovementType", orNil(movement))
	}
	return err
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// beforeShipmentLine completes a line of a shipment or receipt: where the goods
// are, the unit, and the order line, which a shipment needs.
func beforeShipmentLine(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	header, err := lineParent(ctx, tx, r)
	if err != nil {
		return err
	}
	product, err := OneRow(ctx, tx, "M_Product", r.Row.Int("M_Product_ID"))
	if err != nil {
		return err
	}
	if product.String("ProductType") == "I" && r.Row.Int("M_Locator_ID") <= 0 && r.Row.Int("C_Charge_ID") <= 0 {
		if err := shipmentLocator(ctx, tx, r, header, product); err != nil {
			return err
		}
	}
	if r.Row.Int("Line") == 0 {
		if err := nextLine(ctx, tx, r, "M_InOut_ID"); err != nil {
			return err
		}
	}
	if err := s.lineUnit(ctx, tx, r, nil); err != nil {
		return err
	}
	if r.Row.Int("C_OrderLine_ID") == 0 && r.Row.Int("M_RMALine_ID") == 0 && header.Bool("IsSOTrx") {
		return PublicError(MsgFillMandatory + label(r.Table, "C_OrderLine_ID"))
	}
	locator, err := OneRow(ctx, tx, "M_Locator", r.Row.Int("M_Locator_ID"))
	if err != nil {
		return err
	}
	if locator != nil && locator.Int("M_Warehouse_ID") != header.Int("M_Warehouse_ID") {
		return saveError("WarehouseLocatorConflict")
	}
	ordered, err := OneRow(ctx, tx, "C_OrderLine", r.Row.Int("C_OrderLine_ID"))
	if err != nil || ordered == nil || ordered.Int("M_Product_ID") == r.Row.Int("M_Product_ID") {
		return err
	}
	other, err := OneRow(ctx, tx, "M_Product", ordered.Int("M_Product_ID"))
	if err != nil {
		return err
	}
	return PublicError("MInOutLineAndOrderLineProductDifferent: " + product.String("Value") + " <> " + other.String("Value"))
}

// shipmentLocator is where a product of a shipment lies: its own locator, or the
// warehouse's default one.
func shipmentLocator(ctx context.Context, tx *store.Tx, r *Record, header, product store.Row) error {
	warehouse := header.Int("M_Warehouse_ID")
	own, err := OneRow(ctx, tx, "M_Locator", product.Int("M_Locator_ID"))
	if err != nil {
		return err
	}
	if own != nil && own.Int("M_Warehouse_ID") == warehouse {
		r.Set("M_Locator_ID", own["M_Locator_ID"])
		return nil
	}
	locator, err := FirstRow(ctx, tx, "M_Locator", "IsDefault DESC, X, Y, Z, M_Locator_ID", "M_Warehouse_ID=? AND IsActive='Y'", warehouse)
	if err != nil {
		return err
	}
	if locator == nil {
		return saveError(MsgFillMandatory + label(r.Table, "M_Locator_ID"))
	}
	r.Set("M_Locator_ID", locator["M_Locator_ID"])
	return nil
}
