package engine

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// stockDocument is a document whose lines change what lies in locators.
type stockDocument struct {
	// moves are the changes of a line: what is added to which locator.
	moves func(typ, line store.Row) []stockMove
	// back is what the line that takes a line back has other than it.
	back func(line store.Row) store.Row
	// none is what a line that moves nothing has, and was what to write of the line before.
	none func(line store.Row) (change store.Row, was string)
	// header is what the document that takes it back has other than it; nil: nothing.
	header func(row store.Row) store.Row
}

type stockMove struct {
	locator, instance any
	qty               *big.Rat
}

func (s stockDocument) program() docProgram {
	return docProgram{prepare: prepareLines, complete: s.complete, void: s.void, reverse: s.reverse, reactivate: unable}
}

// prepareLines refuses a document without lines, or in a closed period.
func prepareLines(ctx context.Context, d *document) error {
	if _, err := d.openType(ctx, "C_DocType_ID"); err != nil {
		return err
	}
	if err := d.needLines(ctx); err != nil {
		return err
	}
	d.Set("DocAction", "CO")
	return nil
}

func (s stockDocument) complete(ctx context.Context, d *document) error {
	typ, err := OneRow(ctx, d.tx, "C_DocType", d.Row.Int("C_DocType_ID"))
	if err != nil {
		return err
	}
	return d.eachLine(ctx, func(line store.Row) error {
		for _, m := range s.moves(typ, line) {
			at := store.Row{"M_Locator_ID": m.locator, "M_Product_ID": line["M_Product_ID"], "M_AttributeSetInstance_ID": m.instance}
			if err := d.moveStocked(ctx, at, m.qty); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s stockDocument) void(ctx context.Context, d *document) error {
	if err := d.eachLine(ctx, func(line store.Row) error {
		change, was := s.none(line)
		if was == "" {
			return nil
		}
		change["Description"] = described(line, "Void ("+was+")")
		return d.changeLine(ctx, line, change)
	}); err != nil {
		return err
	}
	d.describe("Voided")
	return nil
}

func (s stockDocument) reverse(ctx context.Context, d *document) error {
	change := store.Row{}
	if s.header != nil {
		change = s.header(d.Row)
	}
	reversal, err := d.reversedBy(ctx, change, s.back, nil)
	if err == nil {
		d.say(reversal.Row.String("DocumentNo"))
	}
	return err
}

func movementProgram() docProgram {
	return stockDocument{
		moves: func(_, line store.Row) []stockMove {
			moved, to := rat(line, "MovementQty"), line["M_AttributeSetInstance_ID"]
			if line.Int("M_AttributeSetInstanceTo_ID") != 0 {
				to = line["M_AttributeSetInstanceTo_ID"]
			}
			return []stockMove{
				{line["M_Locator_ID"], line["M_AttributeSetInstance_ID"], new(big.Rat).Neg(moved)},
				{line["M_LocatorTo_ID"], to, moved},
			}
		},
		back: func(line store.Row) store.Row {
			return store.Row{"MovementQty": negated(line, "MovementQty"), "QtyEntered": negated(line, "QtyEntered"), "TargetQty": "0",
				"ScrappedQty": "0", "ConfirmedQty": "0", "ReversalLine_ID": line["M_MovementLine_ID"]}
		},
		none: func(line store.Row) (store.Row, string) {
			return store.Row{"MovementQty": "0"}, nonZero(line, "MovementQty")
		},
	}.program()
}

// inventoryProgram is that of counts and of internal use; a correction of costs moves nothing.
func inventoryProgram() docProgram {
	return stockDocument{
		moves: func(typ, line store.Row) []stockMove {
			qty, kind := new(big.Rat), typ.String("DocSubTypeInv") // "" as in the demo data, which the ERP would not complete
			if kind == "" || kind == "PI" {
				qty.Sub(rat(line, "QtyCount"), rat(line, "QtyBook"))
			}
			if kind == "" || kind == "IU" {
				qty.Sub(qty, rat(line, "QtyInternalUse"))
			}
			return []stockMove{{line["M_Locator_ID"], line["M_AttributeSetInstance_ID"], qty}}
		},
		back: func(line store.Row) store.Row {
			return store.Row{"QtyBook": line["QtyCount"], "QtyCount": line["QtyBook"], "QtyInternalUse": negated(line, "QtyInternalUse"),
				"ReversalLine_ID": line["M_InventoryLine_ID"]}
		},
		none: func(line store.Row) (store.Row, string) {
			was := nonZero(line, "QtyInternalUse")
			if rat(line, "QtyCount").Cmp(rat(line, "QtyBook")) != 0 {
				was = cmp.Or(was, rounded(rat(line, "QtyCount"), 12))
			}
			return store.Row{"QtyInternalUse": "0", "QtyCount": line["QtyBook"]}, was
		},
	}.program()
}

func productionProgram() docProgram {
	p := stockDocument{
		moves: func(_, line store.Row) []stockMove {
			return []stockMove{{line["M_Locator_ID"], line["M_AttributeSetInstance_ID"], rat(line, "MovementQty")}}
		},
		back: func(line store.Row) store.Row {
			return store.Row{"MovementQty": negated(line, "MovementQty"), "PlannedQty": negated(line, "PlannedQty"), "QtyUsed": negated(line, "QtyUsed")}
		},
		header: func(row store.Row) store.Row {
			return store.Row{"ProductionQty": negated(row, "ProductionQty"), "IsComplete": "N"}
		},
	}.program()
	p.prepare, p.void = prepareProduction, voidProduction
	return p
}

// prepareProduction refuses a production whose lines do not make a product. Plans are not looked at.
func prepareProduction(ctx context.Context, d *document) error {
	if _, err := d.openType(ctx, "C_DocType_ID"); err != nil {
		return err
	}
	if !d.Row.Bool("IsCreated") {
		return documentFails("Not created")
	}
	d.Set("DocAction", "CO")
	if d.Row.Bool("IsUseProductionPlan") {
		return nil
	}
	product := d.Row.Int("M_Product_ID")
	item, err := OneRow(ctx, d.tx, "M_Product", product)
	if err != nil {
		return err
	}
	if !item.Bool("IsBOM") {
		return documentFails("Attempt to create product line for Non Bill Of Materials")
	}
	components, err := RowsWhere(ctx, d.tx, "PP_Product_BOMLine", "", `IsActive='Y' AND PP_Product_BOM_ID IN
		(SELECT PP_Product_BOM_ID FROM PP_Product_BOM WHERE M_Product_ID=? AND IsActive='Y' AND BOMType='A' AND BOMUse='A')`, product)
	if err == nil && len(components) == 0 {
		err = documentFails("Attempt to create product line for Bill Of Materials with no BOM Components")
	}
	if err != nil {
		return err
	}
	lines, err := d.readLines(ctx)
	if err == nil && !slices.ContainsFunc(lines, func(line store.Row) bool { return line.Bool("IsEndProduct") }) {
		err = documentFails("Production does not contain End Product")
	}
	return err
}

// voidProduction deletes the lines of a draft.
func voidProduction(ctx context.Context, d *document) error {
	t, err := d.lineTable(ctx)
	if err != nil {
		return err
	}
	d.Set("IsCreated", "N")
	d.Set("ProductionQty", "0")
	return d.eachLine(ctx, func(line store.Row) error { return d.s.Delete(ctx, d.tx, t, line) })
}

// beforeProductionLine tells the line of the product from those of components, which take
// what is used of them from stock.
func beforeProductionLine(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	parent, err := OneRow(ctx, tx, "M_ProductionPlan", r.Row.Int("M_ProductionPlan_ID"))
	if parent == nil && err == nil {
		parent, err = lineParent(ctx, tx, r)
	}
	if err != nil {
		return err
	}
	end := parent.Int("M_Product_ID") == r.Row.Int("M_Product_ID") && rat(parent, "ProductionQty").Sign() == rat(r.Row, "MovementQty").Sign()
	r.Set("IsEndProduct", yesNo(end))
	if !end {
		r.Set("MovementQty", negated(r.Row, "QtyUsed"))
	}
	return nil
}

// nonZero is a quantity of a row, "" for 0.
func nonZero(row store.Row, column string) string {
	if qty := rat(row, column); qty.Sign() != 0 {
		return rounded(qty, 12)
	}
	return ""
}

// moveStocked changes what of a product lies in the locator of a line, if the product is
// one that is stocked.
func (d *document) moveStocked(ctx context.Context, line store.Row, moved *big.Rat) error {
	item, err := OneRow(ctx, d.tx, "M_Product", line.Int("M_Product_ID"))
	if err != nil || moved.Sign() == 0 || !item.Bool("IsStocked") || item.String("ProductType") != "I" {
		return err
	}
	return d.moveStock(ctx, line, moved)
}
