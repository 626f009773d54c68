package engine

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// documentDefaults completes the header of an order or invoice from its
// business partner, price list and document type, as far as the request left
// that open.
func documentDefaults(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	partner, err := OneRow(ctx, tx, "C_BPartner", r.Row.Int("C_BPartner_ID"))
	if err != nil {
		return err
	}
	if err := documentType(ctx, tx, r); err != nil {
		return err
	}
	sales := r.Row.Bool("IsSOTrx")
	purchase := func(name, other string) string {
		if sales {
			return name
		}
		return other
	}
	fill := func(column string, v any) {
		if !r.Has(column) && v != nil && v != int64(0) {
			r.Set(column, v)
		}
	}
	if partner != nil {
		fill("C_PaymentTerm_ID", partner[purchase("C_PaymentTerm_ID", "PO_PaymentTerm_ID")])
		fill("M_PriceList_ID", partner[purchase("M_PriceList_ID", "PO_PriceList_ID")])
		fill("SalesRep_ID", partner["SalesRep_ID"])
		location, err := partnerLocation(ctx, tx, partner.Int("C_BPartner_ID"))
		if err != nil {
			return err
		}
		fill("C_BPartner_Location_ID", location)
	}
	fill("Bill_BPartner_ID", r.Row["C_BPartner_ID"])
	fill("Bill_Location_ID", r.Row["C_BPartner_Location_ID"])
	fill("SalesRep_ID", s.UserID)
	if s.WarehouseID > 0 {
		fill("M_Warehouse_ID", s.WarehouseID)
	}
	vars := Variables{Session: s, Record: r}
	term, err := vars.defaultRecord(ctx, tx, "C_PaymentTerm_ID")
	if err != nil {
		return err
	}
	fill("C_PaymentTerm_ID", term)
	if !r.Has("M_PriceList_ID") {
		lists, err := RowsWhere(ctx, tx, "M_PriceList", "IsDefault DESC, M_PriceList_ID",
			"AD_Client_ID=? AND IsActive='Y' AND IsSOPriceList=?", s.ClientID, r.Row.String("IsSOTrx"))
		if err != nil {
			return err
		}
		if len(lists) > 0 {
			fill("M_PriceList_ID", lists[0]["M_PriceList_ID"])
		}
	}
	list, err := OneRow(ctx, tx, "M_PriceList", r.Row.Int("M_PriceList_ID"))
	if err != nil {
		return err
	}
	if list != nil && !r.named("C_Currency_ID") {
		r.Set("C_Currency_ID", list["C_Currency_ID"])
		r.Set("IsTaxIncluded", list["IsTaxIncluded"])
	}
	return nil
}

// documentType settles the target document type, and sales or purchase by it.
func documentType(ctx context.Context, tx *store.Tx, r *Record) error {
	if !r.Has("C_DocType_ID") {
		r.Set("C_DocType_ID", int64(0))
	}
	if !r.Has("C_DocTypeTarget_ID") {
		bases := "'SOO'"
		switch invoice, purchase := r.Table.Name == "C_Invoice", r.named("IsSOTrx") && !r.Row.Bool("IsSOTrx"); {
		case invoice && purchase:
			bases = "'API'"
		case invoice:
			bases = "'ARI'"
		case purchase:
			bases = "'POO'"
		}
		types, err := RowsWhere(ctx, tx, "C_DocType", "IsDefault DESC, CASE WHEN DocSubTypeSO='SO' THEN 0 ELSE 1 END, C_DocType_ID",
			"AD_Client_ID=? AND IsActive='Y' AND DocBaseType="+bases, r.Row.Int("AD_Client_ID"))
		if err != nil {
			return err
		}
		if len(types) == 0 {
			return nil
		}
		r.Set("C_DocTypeTarget_ID", types[0]["C_DocType_ID"])
	}
	typ, err := OneRow(ctx, tx, "C_DocType", r.Row.Int("C_DocTypeTarget_ID"))
	if err != nil || typ == nil {
		return err
	}
	if !r.named("IsSOTrx") {
		r.Set("IsSOTrx", typ["IsSOTrx"])
	}
	return nil
}

func partnerLocation(ctx context.Context, tx *store.Tx, partner int64) (any, error) {
	rows, err := RowsWhere(ctx, tx, "C_BPartner_Location", "IsShipTo DESC, C_BPartner_Location_ID", "C_BPartner_ID=? AND IsActive='Y'", partner)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0]["C_BPartner_Location_ID"], nil
}

// lineHeader is the header table of a line table.
func lineHeader(t *store.Table) string { return strings.TrimSuffix(t.Name, "Line") }

// lineDefaults completes a line from its header and product.
func lineDefaults(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	header, err := OneRow(ctx, tx, lineHeader(r.Table), r.Row.Int(lineHeader(r.Table)+"_ID"))
	if err != nil || header == nil {
		return err
	}
	for _, name := range []string{
		"C_BPartner_ID", "C_BPartner_Location_ID", "DateOrdered", "DatePromised", "M_Warehouse_ID", "C_Currency_ID", "AD_Org_ID",
	} {
		if v, ok := header[name]; ok && !r.named(name) {
			r.Set(name, v)
		}
	}
	if r.Row.Int("Line") == 0 {
		lines, err := RowsWhere(ctx, tx, r.Table.Name, "Line DESC", lineHeader(r.Table)+"_ID=?", header.Int(lineHeader(r.Table)+"_ID"))
		if err != nil {
			return err
		}
		next := int64(10)
		if len(lines) > 0 {
			next = lines[0].Int("Line") + 10
		}
		r.Set("Line", next)
	}
	quantity := "QtyOrdered"
	if r.Table.Name == "C_InvoiceLine" {
		quantity = "QtyInvoiced"
	}
	switch {
	case r.named("QtyEntered") && !r.named(quantity):
		r.Set(quantity, r.Row["QtyEntered"])
	case r.named(quantity) && !r.named("QtyEntered"):
		r.Set("QtyEntered", r.Row[quantity])
	}
	if !r.Has("M_AttributeSetInstance_ID") {
		r.Set("M_AttributeSetInstance_ID", int64(0))
	}
	return s.priceLine(ctx, tx, r, header)
}

// priceLine takes unit, price and tax of a line from its product, and the
// price the request gives from the request.
func (s *Session) priceLine(ctx context.Context, tx *store.Tx, r *Record, header store.Row) error {
	product, err := OneRow(ctx, tx, "M_Product", r.Row.Int("M_Product_ID"))
	if err != nil {
		return err
	}
	given := r.named("PriceEntered") || r.named("PriceActual")
	if product != nil {
		if !r.named("C_UOM_ID") {
			r.Set("C_UOM_ID", product["C_UOM_ID"])
		}
		prices, err := RowsWhere(ctx, tx, "M_ProductPrice", "M_PriceList_Version_ID DESC",
			`M_Product_ID=? AND IsActive='Y' AND M_PriceList_Version_ID IN
			(SELECT M_PriceList_Version_ID FROM M_PriceList_Version WHERE M_PriceList_ID=? AND IsActive='Y')`,
			product.Int("M_Product_ID"), header.Int("M_PriceList_ID"))
		if err != nil {
			return err
		}
		if len(prices) > 0 {
			r.Set("PriceList", prices[0]["PriceList"])
			r.Set("PriceLimit", prices[0]["PriceLimit"])
			if !given {
				r.Set("PriceEntered", prices[0]["PriceStd"])
				r.Set("PriceActual", prices[0]["PriceStd"])
			}
		}
	}
	switch {
	case r.named("PriceEntered") && !r.named("PriceActual"):
		r.Set("PriceActual", r.Row["PriceEntered"])
	case r.named("PriceActual") && !r.named("PriceEntered"):
		r.Set("PriceEntered", r.Row["PriceActual"])
	}
	if r.Has("C_Tax_ID") {
		return nil
	}
	var category int64
	if product != nil {
		category = product.Int("C_TaxCategory_ID")
	}
	taxes, err := RowsWhere(ctx, tx, "C_Tax", fmt.Sprintf("CASE WHEN C_TaxCategory_ID=%d THEN 0 ELSE 1 END, IsDefault DESC, C_Tax_ID", category),
		"AD_Client_ID=? AND IsActive='Y'", s.ClientID)
	if err != nil {
		return err
	}
	if len(taxes) > 0 {
		r.Set("C_Tax_ID", taxes[0]["C_Tax_ID"])
	}
	return nil
}

// beforeLine refuses lines of processed documents and works out the amount.
func beforeLine(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	header, err := OneRow(ctx, tx, lineHeader(r.Table), r.Row.Int(lineHeader(r.Table)+"_ID"))
	if err != nil || header == nil {
		return err
	}
	if r.IsNew() && header.Bool("Processed") {
		return PublicError("Lines cannot be added to a processed document")
	}
	quantity, ok1 := ParseRat(r.Row.String("QtyEntered"))
	price, ok2 := ParseRat(r.Row.String("PriceEntered"))
	if ok1 && ok2 {
		r.Set("LineNetAmt", new(big.Rat).Mul(quantity, price).FloatString(2))
	}
	return nil
}

// afterLine brings the totals of the document up to date.
func afterLine(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	name := lineHeader(r.Table)
	header, err := tx.Table(ctx, name)
	if errors.Is(err, store.ErrNoTable) {
		return nil
	}
	if err != nil {
		return err
	}
	id := r.Row.Int(name + "_ID")
	row, err := OneRow(ctx, tx, name, id)
	if err != nil || row == nil {
		return err
	}
	lines, err := RowsWhere(ctx, tx, r.Table.Name, "", name+"_ID=? AND IsActive='Y'", id)
	if err != nil {
		return err
	}
	total, tax := new(big.Rat), new(big.Rat)
	for _, line := range lines {
		amount, ok := ParseRat(line.String("LineNetAmt"))
		if !ok {
			continue
		}
		total.Add(total, amount)
		if row.Bool("IsTaxIncluded") {
			continue
		}
		rateRow, err := OneRow(ctx, tx, "C_Tax", line.Int("C_Tax_ID"))
		if err != nil {
			return err
		}
		if rate, ok := ParseRat(rateRow.String("Rate")); ok {
			tax.Add(tax, new(big.Rat).Quo(new(big.Rat).Mul(amount, rate), big.NewRat(100, 1)))
		}
	}
	_, err = tx.Set(ctx, header, store.Row{
		"TotalLines": total.FloatString(2), "GrandTotal": new(big.Rat).Add(total, tax).FloatString(2),
	}, store.Quote(name+"_ID")+"=?", id)
	return err
}
