package engine

import (
	"cmp"
	"context"
	"math/big"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// stockDocument is a document whose lines change what lies in locators.
type stockDocument struct {
	// check refuses lines that cannot be completed; nil: none.
	check func(lines []store.Row) error
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
	return docProgram{prepare: s.prepare, complete: s.complete, void: s.void, reverse: s.reverse, reactivate: unable}
}

func (s stockDocument) prepare(ctx context.Context, d *document) error {
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
	lines, err := d.readLines(ctx)
	if err == nil && s.check != nil {
		err = s.check(lines)
	}
	if err != nil {
		return err
	}
	for _, line := range lines {
		for _, m := range s.moves(typ, line) {
			at := store.Row{"M_Locator_ID": m.locator, "M_Product_ID": line["M_Product_ID"], "M_AttributeSetInstance_ID": m.instance}
			if err := d.moveStocked(ctx, at, m.qty); err != nil {
				return err
			}
		}
	}
	return nil
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
	return stockDocument{
		check: func(lines []store.Row) error {
			for _, line := range lines {
				if line.Bool("IsEndProduct") {
					return nil
				}
			}
			return documentFails("Production does not contain End Product")
		},
		moves: func(_, line store.Row) []stockMove {
			return []stockMove{{line["M_Locator_ID"], line["M_AttributeSetInstance_ID"], rat(line, "MovementQty")}}
		},
		back: func(line store.Row) store.Row {
			return store.Row{"MovementQty": negated(line, "MovementQty"), "PlannedQty": negated(line, "PlannedQty"), "QtyUsed": negated(line, "QtyUsed")}
		},
		none: func(line store.Row) (store.Row, string) {
			return store.Row{"MovementQty": "0"}, nonZero(line, "MovementQty")
		},
		header: func(row store.Row) store.Row {
			return store.Row{"ProductionQty": negated(row, "ProductionQty"), "IsComplete": "N"}
		},
	}.program()
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
