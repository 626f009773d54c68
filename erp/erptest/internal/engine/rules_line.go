package engine

import (
	"context"
	"math/big"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// lineHeader is the header table of a line table.
func lineHeader(t *store.Table) string { return strings.TrimSuffix(t.Name, "Line") }

// lineParent is the document of a line. One that was processed takes no new lines.
func lineParent(ctx context.Context, tx *store.Tx, r *Record) (store.Row, error) {
	key := lineHeader(r.Table) + "_ID"
	header, err := OneRow(ctx, tx, lineHeader(r.Table), r.Row.Int(key))
	switch {
	case err != nil:
	case header == nil:
		err = saveError("The line has no " + key + ": give the document it belongs to")
	case r.IsNew() && header.Bool("Processed"):
		err = PublicError("ParentComplete: " + label(r.Table, key))
	}
	return header, err
}

// rat is a number of a row, zero for none.
func rat(row store.Row, column string) *big.Rat {
	if n, ok := ParseRat(row.String(column)); ok {
		return n
	}
	return new(big.Rat)
}

// rounded writes a number with at most as many decimals.
func rounded(n *big.Rat, decimals int) string {
	text := n.FloatString(decimals + 6)
	whole, fraction, _ := strings.Cut(text, ".")
	if fraction = strings.TrimRight(fraction, "0"); len(fraction) > decimals {
		return n.FloatString(decimals)
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// scale is how many decimals a number is written with. As in the ERP, sums and products
// of amounts keep trailing zeros: 2 times 61.75 is 123.50.
func scale(number string) int {
	_, fraction, _ := strings.Cut(number, ".")
	return len(fraction)
}

// beforeLine completes a line of an order or invoice from its header and product,
// and works out price, tax and amount.
func beforeLine(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	header, err := lineParent(ctx, tx, r)
	if err != nil || header.Bool("Processed") && r.Table.Name == "C_InvoiceLine" {
		return err
	}
	if r.Table.Name == "C_OrderLine" {
		lineFromOrder(r, header)
	}
	if r.Row.Int("C_Charge_ID") != 0 {
		r.Set("M_Product_ID", nil)
	}
	product, err := OneRow(ctx, tx, "M_Product", r.Row.Int("M_Product_ID"))
	if err != nil {
		return err
	}
	if product == nil {
		r.Set("M_AttributeSetInstance_ID", int64(0))
	}
	if product != nil && !r.Row.Bool("Processed") {
		if err := priceLine(ctx, tx, r, header, product); err != nil {
			return err
		}
	}
	if err := s.lineUnit(ctx, tx, r, product); err != nil {
		return err
	}
	if r.Row.Int("C_Tax_ID") == 0 {
		tax, err := s.lineTax(ctx, tx, r, header, product)
		if err != nil {
			return err
		}
		r.Set("C_Tax_ID", tax)
	}
	if r.Row.Int("Line") == 0 {
		if err := nextLine(ctx, tx, r, lineHeader(r.Table)+"_ID"); err != nil {
			return err
		}
	}
	return lineAmounts(ctx, tx, r, header)
}

// lineFromOrder takes what an order line lacks from its header.
func lineFromOrder(r *Record, header store.Row) {
	for _, name := range []string{"C_BPartner_ID", "C_BPartner_Location_ID", "M_Warehouse_ID", "C_Currency_ID"} {
		if r.Row.Int(name) != 0 {
			continue
		}
		r.take(header, "AD_Client_ID", "AD_Org_ID", "C_BPartner_ID", "C_BPartner_Location_ID", "M_Warehouse_ID", "DateOrdered", "DatePromised", "C_Currency_ID")
		return
	}
}

// nextLine numbers a line in steps of ten.
func nextLine(ctx context.Context, tx *store.Tx, r *Record, parent string) error {
	last, err := FirstRow(ctx, tx, r.Table.Name, "Line DESC", parent+"=?", r.Row.Int(parent))
	r.Set("Line", last.Int("Line")+10)
	return err
}

// lineUnit gives a line the unit of its product, else the default one, and rounds
// its quantities as the unit is counted.
func (s *Session) lineUnit(ctx context.Context, tx *store.Tx, r *Record, product store.Row) error {
	if r.Row.Int("C_UOM_ID") == 0 {
		unit := product.Int("C_UOM_ID")
		if unit == 0 {
			var err error
			if unit, err = s.defaultUnit(ctx, tx); err != nil {
				return err
			}
		}
		if unit != 0 {
			r.Set("C_UOM_ID", unit)
		}
	}
	unit, err := OneRow(ctx, tx, "C_UOM", r.Row.Int("C_UOM_ID"))
	if err != nil || unit == nil {
		return err
	}
	for _, name := range []string{"QtyEntered", "QtyOrdered", "QtyInvoiced", "MovementQty"} {
		if r.Has(name) && (r.IsNew() || r.changed(name)) && (name != "QtyInvoiced" || r.Table.Name == "C_InvoiceLine") {
			r.Set(name, rounded(rat(r.Row, name), int(unit.Int("StdPrecision"))))
		}
	}
	return nil
}

// defaultUnit is the unit for what is not a product: the one that is marked as
// default, else each.
func (s *Session) defaultUnit(ctx context.Context, tx *store.Tx) (int64, error) {
	row, err := FirstRow(ctx, tx, "C_UOM", "AD_Client_ID DESC, AD_Org_ID DESC, C_UOM_ID", "IsDefault='Y' AND AD_Client_ID IN (0,?)", s.ClientID)
	if err != nil || row != nil {
		return row.Int("C_UOM_ID"), err
	}
	const each = 100
	row, err = OneRow(ctx, tx, "C_UOM", each)
	return row.Int("C_UOM_ID"), err
}

// priceLine takes the price of a line without one from the price list.
func priceLine(ctx context.Context, tx *store.Tx, r *Record, header, product store.Row) error {
	list, date, quantity := header.Int("M_PriceList_ID"), "DateOrdered", "QtyOrdered"
	if r.Table.Name == "C_InvoiceLine" {
		date, quantity = "DateInvoiced", "QtyInvoiced"
	}
	if rat(r.Row, "PriceActual").Sign() != 0 || rat(r.Row, "PriceList").Sign() != 0 {
		return nil
	}
	price, err := FirstRow(ctx, tx, "M_ProductPrice", "M_PriceList_Version_ID DESC",
		`M_Product_ID=? AND IsActive='Y' AND M_PriceList_Version_ID=(SELECT M_PriceList_Version_ID FROM M_PriceList_Version
		WHERE M_PriceList_ID=? AND IsActive='Y' AND ValidFrom<=? ORDER BY ValidFrom DESC LIMIT 1)`,
		product.Int("M_Product_ID"), list, header.String(date))
	if err != nil || price == nil {
		return err
	}
	r.Set("PriceActual", price["PriceStd"])
	r.Set("PriceList", price["PriceList"])
	r.Set("PriceLimit", price["PriceLimit"])
	entered := rat(price, "PriceStd")
	if q, e := rat(r.Row, quantity), rat(r.Row, "QtyEntered"); e.Sign() != 0 && q.Cmp(e) != 0 {
		entered = new(big.Rat).Mul(entered, new(big.Rat).Quo(q, e))
		r.Set("PriceEntered", rounded(entered, 12))
	} else {
		r.Set("PriceEntered", price["PriceStd"])
	}
	if r.Row.Int("C_UOM_ID") == 0 {
		r.Set("C_UOM_ID", product["C_UOM_ID"])
	}
	return nil
}

// lineTax is the tax of a product or charge for where it comes from and goes to.
func (s *Session) lineTax(ctx context.Context, tx *store.Tx, r *Record, header, product store.Row) (any, error) {
	category := product.Int("C_TaxCategory_ID")
	if charge := r.Row.Int("C_Charge_ID"); charge != 0 {
		row, err := OneRow(ctx, tx, "C_Charge", charge)
		if err != nil {
			return nil, err
		}
		category = row.Int("C_TaxCategory_ID")
	}
	client := r.Row.Int("AD_Client_ID")
	partner, err := OneRow(ctx, tx, "C_BPartner", header.Int("C_BPartner_ID"))
	if err != nil {
		return nil, err
	}
	sales := header.Bool("IsSOTrx")
	if category == 0 || partner.Bool(map[bool]string{true: "IsTaxExempt", false: "IsPOTaxExempt"}[sales]) {
		exempt, err := FirstRow(ctx, tx, "C_Tax", "Rate DESC, C_Tax_ID", "AD_Client_ID=? AND IsTaxExempt='Y' AND IsActive='Y'", client)
		return exempt["C_Tax_ID"], err
	}
	from, to, err := taxPlaces(ctx, tx, r, header, sales)
	if err != nil {
		return nil, err
	}
	taxes, err := RowsWhere(ctx, tx, "C_Tax",
		"C_Country_ID IS NULL, C_Country_ID, C_Region_ID IS NULL, C_Region_ID, To_Country_ID IS NULL, To_Country_ID, To_Region_ID IS NULL, To_Region_ID, ValidFrom DESC",
		"AD_Client_ID=? AND IsActive='Y' AND COALESCE(Parent_Tax_ID,0)=0 AND SOPOType<>?", client, map[bool]string{true: "P", false: "S"}[sales])
	if err != nil {
		return nil, err
	}
	date := header.String("DateOrdered")
	if r.Table.Name == "C_InvoiceLine" {
		date = header.String("DateInvoiced")
	}
	for _, tax := range taxes {
		if tax.Int("C_TaxCategory_ID") == category && tax.String("ValidFrom") <= date && isFor(tax, "C_", from) && isFor(tax, "To_", to) {
			return tax["C_Tax_ID"], nil
		}
	}
	if i := slices.IndexFunc(taxes, func(tax store.Row) bool { return tax.Bool("IsDefault") }); i >= 0 {
		return taxes[i]["C_Tax_ID"], nil
	}
	return nil, nil
}

// isFor reports whether a tax is for a place, or for every one.
func isFor(tax store.Row, prefix string, place store.Row) bool {
	for _, column := range []string{"Country_ID", "Region_ID"} {
		if v := tax.Int(prefix + column); v != 0 && v != place.Int("C_"+column) {
			return false
		}
	}
	return true
}

// taxPlaces are the addresses between which something is sold, for its tax.
func taxPlaces(ctx context.Context, tx *store.Tx, r *Record, header store.Row, sales bool) (from, to store.Row, err error) {
	address := func(table, where string, arg any) (store.Row, error) {
		row, err := FirstRow(ctx, tx, table, "", where, arg)
		if err != nil || row == nil {
			return nil, err
		}
		return OneRow(ctx, tx, "C_Location", row.Int("C_Location_ID"))
	}
	location := header.Int("C_BPartner_Location_ID")
	if v := r.Row.Int("C_BPartner_Location_ID"); v != 0 {
		location = v
	}
	if from, err = address("AD_OrgInfo", "AD_Org_ID=?", r.Row.Int("AD_Org_ID")); err != nil {
		return nil, nil, err
	}
	if sales && header.String("DeliveryViaRule") == "P" {
		to, err = address("M_Warehouse", "M_Warehouse_ID=?", header.Int("M_Warehouse_ID"))
	} else {
		to, err = address("C_BPartner_Location", "C_BPartner_Location_ID=?", location)
	}
	if !sales {
		from, to = to, from
	}
	return from, to, err
}

// lineAmounts works out amount, discount and tax of a line.
func lineAmounts(ctx context.Context, tx *store.Tx, r *Record, header store.Row) error {
	currency, err := OneRow(ctx, tx, "C_Currency", header.Int("C_Currency_ID"))
	if err != nil {
		return err
	}
	decimals := 2
	if currency["StdPrecision"] != nil {
		decimals = int(currency.Int("StdPrecision"))
	}
	net := new(big.Rat).Mul(rat(r.Row, "PriceEntered"), rat(r.Row, "QtyEntered"))
	r.Set("LineNetAmt", net.FloatString(min(decimals, scale(r.Row.String("PriceEntered"))+scale(r.Row.String("QtyEntered")))))
	if r.Table.Name == "C_OrderLine" {
		if list := rat(r.Row, "PriceList"); list.Sign() != 0 {
			off := new(big.Rat).Sub(list, rat(r.Row, "PriceActual"))
			r.Set("Discount", new(big.Rat).Quo(off.Mul(off, big.NewRat(100, 1)), list).FloatString(decimals))
		}
	} else {
		tax, err := OneRow(ctx, tx, "C_Tax", r.Row.Int("C_Tax_ID"))
		if err != nil {
			return err
		}
		if sales := header.Bool("IsSOTrx"); tax != nil && (sales || rat(r.Row, "TaxAmt").Sign() == 0) && !(sales && tax.Bool("IsDocumentLevel")) {
			amount, err := taxOf(ctx, tx, tax, rat(r.Row, "LineNetAmt"), header.Bool("IsTaxIncluded"), decimals)
			if err != nil {
				return err
			}
			total := rat(r.Row, "LineNetAmt")
			if !header.Bool("IsTaxIncluded") {
				total = new(big.Rat).Add(total, amount)
			}
			r.Set("TaxAmt", rounded(amount, decimals))
			r.Set("LineTotalAmt", rounded(total, decimals))
		}
	}
	kind, err := OneRow(ctx, tx, "C_DocType", header.Int("C_DocTypeTarget_ID"))
	if err != nil {
		return err
	}
	if kind.Bool("IsChargeOrProductMandatory") && r.Row.Int("C_Charge_ID") == 0 && r.Row.Int("M_Product_ID") == 0 &&
		(rat(r.Row, "PriceEntered").Sign() != 0 || rat(r.Row, "QtyEntered").Sign() != 0) {
		return PublicError(MsgFillMandatory + "ChargeOrProductMandatory")
	}
	return nil
}

// taxOf is the tax on an amount, or in it when it is included: of a tax made of
// others the sum of theirs.
func taxOf(ctx context.Context, tx *store.Tx, tax store.Row, amount *big.Rat, included bool, decimals int) (*big.Rat, error) {
	parts := []store.Row{tax}
	if tax.Bool("IsSummary") {
		var err error
		if parts, err = RowsWhere(ctx, tx, "C_Tax", "C_Tax_ID", "Parent_Tax_ID=? AND IsActive='Y'", tax.Int("C_Tax_ID")); err != nil {
			return nil, err
		}
	}
	sum := new(big.Rat)
	for _, part := range parts {
		rate := new(big.Rat).Quo(rat(part, "Rate"), big.NewRat(100, 1))
		one := new(big.Rat).Mul(amount, rate)
		if included {
			one = new(big.Rat).Sub(amount, new(big.Rat).Quo(amount, new(big.Rat).Add(big.NewRat(1, 1), rate)))
		}
		n, _ := ParseRat(one.FloatString(decimals))
		sum.Add(sum, n)
	}
	return sum, nil
}

// afterLine brings taxes and totals of the document up to date.
func afterLine(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	name := lineHeader(r.Table)
	row, err := OneRow(ctx, tx, name, r.Row.Int(name+"_ID"))
	if err != nil || row == nil || row.Bool("Processed") {
		return err
	}
	_, err = s.taxLines(ctx, tx, name, row)
	return err
}
