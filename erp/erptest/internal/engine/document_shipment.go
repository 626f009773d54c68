package engine

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

func shipmentProgram() docProgram {
	back := stockDocument{
		back: func(line store.Row) store.Row {
			return store.Row{"MovementQty": negated(line, "MovementQty"), "QtyEntered": negated(line, "QtyEntered"), "ReversalLine_ID": line["M_InOutLine_ID"], "IsInvoiced": "N"}
		},
		none: func(line store.Row) (store.Row, string) {
			return store.Row{"MovementQty": "0", "QtyEntered": "0"}, nonZero(line, "MovementQty")
		},
	}
	return docProgram{
		prepare: prepareShipment, complete: completeShipment, void: back.void,
		reverse: back.reverse, reactivate: reactivateShipment, summary: shipmentSummary,
	}
}

func shipmentSummary(d *document) string {
	text := d.Row.String("DocumentNo") + ":"
	if d.lines != nil {
		text += fmt.Sprintf(" (#%d)", len(d.lines))
	}
	return text
}

func prepareShipment(ctx context.Context, d *document) error {
	if _, err := d.openType(ctx, "C_DocType_ID"); err != nil {
		return err
	}
	if d.Row.Bool("IsSOTrx") && !d.reversal && strings.HasSuffix(d.Row.String("MovementType"), "-") {
		if err := d.checkCredit(ctx, d.Row.Int("C_BPartner_ID"), creditStop+creditHold); err != nil {
			return err
		}
	}
	if err := d.needLines(ctx); err != nil {
		return err
	}
	volume, weight := new(big.Rat), new(big.Rat)
	for _, line := range d.lines {
		item, err := OneRow(ctx, d.tx, "M_Product", line.Int("M_Product_ID"))
		if err != nil {
			return err
		}
		moved := rat(line, "MovementQty")
		volume.Add(volume, new(big.Rat).Mul(rat(item, "Volume"), moved))
		weight.Add(weight, new(big.Rat).Mul(rat(item, "Weight"), moved))
	}
	d.Set("Volume", rounded(volume, 12))
	d.Set("Weight", rounded(weight, 12))
	d.Set("DocAction", "CO")
	return nil
}

func completeShipment(ctx context.Context, d *document) error {
	d.say("")
	out := strings.HasSuffix(d.Row.String("MovementType"), "-")
	return d.eachLine(ctx, func(line store.Row) error {
		moved := rat(line, "MovementQty")
		if id := line.Int("C_OrderLine_ID"); id != 0 {
			if err := d.deliver(ctx, id, moved); err != nil {
				return err
			}
		}
		if out {
			moved.Neg(moved)
		}
		return d.moveStocked(ctx, line, moved)
	})
}

// deliver adds to what of an order line was delivered.
func (d *document) deliver(ctx context.Context, id int64, moved *big.Rat) error {
	if err := d.addToOrderLine(ctx, id, "QtyDelivered", moved); err != nil {
		return err
	}
	line, err := OneRow(ctx, d.tx, "C_OrderLine", id)
	if err != nil || line == nil {
		return err
	}
	open := rat(line, "QtyOrdered")
	if open.Sub(open, rat(line, "QtyDelivered")); open.Sign() < 0 {
		open = new(big.Rat)
	}
	return d.setRow(ctx, "C_OrderLine", id, store.Row{"QtyReserved": rounded(open, 12), "DateDelivered": d.Row["MovementDate"]})
}

// moveStock changes what of a product lies in the locator of a line.
func (d *document) moveStock(ctx context.Context, line store.Row, moved *big.Rat) error {
	stock, err := NamedTable(ctx, d.tx, "M_StorageOnHand")
	if err != nil || stock == nil {
		return err
	}
	where := "M_Locator_ID=? AND M_Product_ID=? AND M_AttributeSetInstance_ID=?"
	args := []any{line.Int("M_Locator_ID"), line.Int("M_Product_ID"), line.Int("M_AttributeSetInstance_ID")}
	rows, err := d.tx.Select(ctx, stock, store.Selection{Where: where, Args: args, OrderBy: "DateMaterialPolicy", Limit: 1})
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		sum := rat(rows[0], "QtyOnHand")
		_, err := d.tx.Set(ctx, stock, store.Row{"QtyOnHand": rounded(sum.Add(sum, moved), 12)},
			where+" AND DateMaterialPolicy=?", append(args, rows[0]["DateMaterialPolicy"])...)
		return err
	}
	_, err = d.s.InsertRow(ctx, d.tx, stock.Name, store.Row{
		"AD_Client_ID": d.Row.Int("AD_Client_ID"), "AD_Org_ID": d.Row.Int("AD_Org_ID"), "M_Locator_ID": args[0], "M_Product_ID": args[1],
		"M_AttributeSetInstance_ID": args[2], "QtyOnHand": rounded(moved, 12), "DateMaterialPolicy": d.Row["MovementDate"],
	})
	return err
}

func reactivateShipment(ctx context.Context, d *document) error {
	_, err := d.mayReactivate(ctx)
	return err
}

// beforeShipmentLineDelete keeps the lines of what is not a draft any more.
func beforeShipmentLineDelete(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	header, err := OneRow(ctx, tx, "M_InOut", r.Row.Int("M_InOut_ID"))
	if err == nil && header.String("DocStatus") != "DR" {
		err = PublicError("The lines of a shipment that is no draft cannot be deleted")
	}
	return err
}
