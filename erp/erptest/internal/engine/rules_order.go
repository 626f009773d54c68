package engine

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// beforeOrder completes the header of an order from its business partner, the
// session and the tenant's defaults.
func beforeOrder(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if r.Row.Int("AD_Org_ID") == 0 && s.OrgID != 0 {
		r.Set("AD_Org_ID", s.OrgID)
	}
	if r.IsNew() && !r.Has("C_DocType_ID") {
		r.Set("C_DocType_ID", int64(0))
	}
	if r.Row.Int("M_Warehouse_ID") == 0 {
		if s.WarehouseID <= 0 {
			return saveError(MsgFillMandatory + label(r.Table, "M_Warehouse_ID"))
		}
		r.Set("M_Warehouse_ID", s.WarehouseID)
	}
	for _, role := range []struct{ partner, location, contact string }{
		{"C_BPartner_ID", "C_BPartner_Location_ID", "AD_User_ID"},
		{"Bill_BPartner_ID", "Bill_Location_ID", "Bill_User_ID"},
	} {
		if r.IsNew() || r.changed(role.partner) {
			if err := dropForeign(ctx, tx, r, role.partner, role.location, role.contact); err != nil {
				return err
			}
		}
	}
	if r.Row.Int("C_BPartner_Location_ID") == 0 {
		if err := orderPartner(ctx, tx, r); err != nil {
			return err
		}
	}
	if r.Row.Int("Bill_BPartner_ID") == 0 {
		r.Set("Bill_BPartner_ID", r.Row["C_BPartner_ID"])
		r.Set("Bill_Location_ID", r.Row["C_BPartner_Location_ID"])
	}
	if r.Row.Int("Bill_Location_ID") == 0 {
		r.Set("Bill_Location_ID", r.Row["C_BPartner_Location_ID"])
	}
	if err := s.documentDefaults(ctx, tx, r); err != nil {
		return err
	}
	if r.Row.Int("C_DocTypeTarget_ID") == 0 {
		typ, err := FirstRow(ctx, tx, "C_DocType", "AD_Org_ID DESC, IsDefault DESC, C_DocType_ID",
			"AD_Client_ID=? AND AD_Org_ID IN (0,?) AND DocSubTypeSO='SO' AND IsSOTrx=? AND IsActive='Y'",
			r.Row.Int("AD_Client_ID"), r.Row.Int("AD_Org_ID"), yesNo(r.Row.Bool("IsSOTrx")))
		if err != nil {
			return err
		}
		if typ != nil {
			r.Set("C_DocTypeTarget_ID", typ.Int("C_DocType_ID"))
			r.Set("IsSOTrx", "Y")
		}
	}
	return fixedByLines(ctx, tx, r, "C_OrderLine", "DateOrdered", "CannotChangePl", "CannotChangeDateOrdered")
}

func yesNo(v bool) string {
	if v {
		return "Y"
	}
	return "N"
}

// dropForeign clears address and contact of a document when they are not its
// partner's.
func dropForeign(ctx context.Context, tx *store.Tx, r *Record, partner, location, contact string) error {
	for _, part := range []struct{ table, column string }{{"C_BPartner_Location", location}, {"AD_User", contact}} {
		id := r.Row.Int(part.column)
		if id == 0 && part.table == "C_BPartner_Location" {
			continue
		}
		row, err := OneRow(ctx, tx, part.table, id)
		if err != nil {
			return err
		}
		if owner := row.Int("C_BPartner_ID"); owner == 0 || owner != r.Row.Int(partner) {
			r.Set(part.column, nil)
		}
	}
	return nil
}

// orderPartner takes from the business partner of an order its terms, addresses
// and contact.
func orderPartner(ctx context.Context, tx *store.Tx, r *Record) error {
	partner, err := OneRow(ctx, tx, "C_BPartner", r.Row.Int("C_BPartner_ID"))
	if err != nil {
		return err
	}
	partnerTerms(r, partner)
	for _, name := range []string{"DeliveryRule", "DeliveryViaRule", "InvoiceRule"} {
		if v := partner.String(name); v != "" {
			r.Set(name, v)
		}
	}
	if rep := partner.Int("SalesRep_ID"); rep != 0 {
		r.Set("SalesRep_ID", rep)
	}
	locations, err := partnerLocations(ctx, tx, partner.Int("C_BPartner_ID"))
	if err != nil {
		return err
	}
	for _, l := range locations {
		if l.Bool("IsShipTo") {
			r.Set("C_BPartner_Location_ID", l["C_BPartner_Location_ID"])
		}
		if l.Bool("IsBillTo") {
			r.Set("Bill_Location_ID", l["C_BPartner_Location_ID"])
		}
	}
	for _, a := range []struct{ column, what string }{{"C_BPartner_Location_ID", "Ship To"}, {"Bill_Location_ID", "Bill To"}} {
		if r.Row.Int(a.column) == 0 && len(locations) > 0 {
			r.Set(a.column, locations[0]["C_BPartner_Location_ID"])
		}
		if r.Row.Int(a.column) == 0 {
			return saveError("Business Partner has no " + a.what + " Address - " + orNull(partner.String("Value")) + "_" + orNull(partner.String("Name")))
		}
	}
	contacts, err := partnerContacts(ctx, tx, partner.Int("C_BPartner_ID"))
	if err != nil {
		return err
	}
	if len(contacts) == 1 {
		r.Set("AD_User_ID", contacts[0]["AD_User_ID"])
		if !r.Has("Bill_User_ID") {
			r.Set("Bill_User_ID", contacts[0]["AD_User_ID"])
		}
	}
	return nil
}

// partnerCallout fills in a document what goes with its business partner.
func partnerCallout(take func(context.Context, *store.Tx, *Record) error) rule {
	return func(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
		if r.Row.Int("C_BPartner_ID") == 0 {
			return nil
		}
		if r.Row.Int("C_BPartner_Location_ID") == 0 {
			if err := take(ctx, tx, r); err != nil {
				return err
			}
		}
		if r.Row.Int("Bill_BPartner_ID") == 0 {
			r.Set("Bill_BPartner_ID", r.Row["C_BPartner_ID"])
		}
		return s.documentDefaults(ctx, tx, r)
	}
}

func orNull(text string) string {
	if text == "" {
		return "null"
	}
	return text
}

// partnerTerms takes payment term, price list and payment rule of a business
// partner, as a customer or as a vendor.
func partnerTerms(r *Record, partner store.Row) {
	prefix, rule := "", partner.String("PaymentRule")
	if !r.Row.Bool("IsSOTrx") {
		prefix = "PO_"
		if po := partner.String("PaymentRulePO"); po != "" && r.Table.Name == "C_Order" {
			rule = po
		}
	}
	for _, name := range []string{"C_PaymentTerm_ID", "M_PriceList_ID"} {
		if v := partner.Int(prefix + name); v != 0 {
			r.Set(name, v)
		}
	}
	if rule != "" {
		r.Set("PaymentRule", rule)
	}
}

func partnerLocations(ctx context.Context, tx *store.Tx, partner int64) ([]store.Row, error) {
	return RowsWhere(ctx, tx, "C_BPartner_Location", "C_BPartner_Location_ID", "C_BPartner_ID=? AND IsActive='Y'", partner)
}

func partnerContacts(ctx context.Context, tx *store.Tx, partner int64) ([]store.Row, error) {
	return RowsWhere(ctx, tx, "AD_User", "AD_User_ID", "C_BPartner_ID=? AND IsActive='Y'", partner)
}

// documentDefaults are price list, currency, sales representative and payment term
// of an order or invoice for which nobody else has one.
func (s *Session) documentDefaults(ctx context.Context, tx *store.Tx, r *Record) error {
	client := r.Row.Int("AD_Client_ID")
	list, err := OneRow(ctx, tx, "M_PriceList", r.Row.Int("M_PriceList_ID"))
	if r.Row.Int("M_PriceList_ID") == 0 {
		list, err = FirstRow(ctx, tx, "M_PriceList", "IsDefault DESC, M_PriceList_ID",
			"AD_Client_ID=? AND IsActive='Y' AND IsSOPriceList=?", client, yesNo(r.Row.Bool("IsSOTrx")))
		r.Set("M_PriceList_ID", list["M_PriceList_ID"])
	}
	if err != nil {
		return err
	}
	if r.Row.Int("C_Currency_ID") == 0 {
		id := list.Int("C_Currency_ID")
		if id == 0 {
			schema, err := tenantSchema(ctx, tx, client)
			if err != nil {
				return err
			}
			id = schema.Int("C_Currency_ID")
		}
		if id != 0 {
			r.Set("C_Currency_ID", id)
		}
	}
	if r.Row.Int("SalesRep_ID") == 0 {
		r.Set("SalesRep_ID", s.UserID)
	}
	if r.Row.Int("C_PaymentTerm_ID") == 0 {
		term, err := s.defaultRecord(ctx, tx, "C_PaymentTerm_ID")
		if err != nil {
			return err
		}
		if term != 0 {
			r.Set("C_PaymentTerm_ID", term)
		}
	}
	return nil
}

// fixedByLines refuses another price list for a document with lines of products,
// or a date in another version of the list.
func fixedByLines(ctx context.Context, tx *store.Tx, r *Record, lines, date, otherList, otherDate string) error {
	if r.IsNew() || !r.changed("M_PriceList_ID") && !r.changed(date) {
		return nil
	}
	rows, err := RowsWhere(ctx, tx, lines, "", r.Table.Name+"_ID=? AND M_Product_ID>0", r.ID())
	if err != nil || len(rows) == 0 {
		return err
	}
	if r.changed("M_PriceList_ID") {
		return saveError(otherList)
	}
	was, err := priceListVersion(ctx, tx, r.Row.Int("M_PriceList_ID"), r.Old.String(date))
	if err != nil {
		return err
	}
	is, err := priceListVersion(ctx, tx, r.Row.Int("M_PriceList_ID"), r.Row.String(date))
	if err != nil {
		return err
	}
	if is == nil || is.Int("M_PriceList_Version_ID") != was.Int("M_PriceList_Version_ID") {
		return saveError(otherDate)
	}
	return nil
}

// priceListVersion is the version of a price list that is valid at a date, nil for
// none.
func priceListVersion(ctx context.Context, tx *store.Tx, list int64, date string) (store.Row, error) {
	return FirstRow(ctx, tx, "M_PriceList_Version", "ValidFrom DESC, M_PriceList_Version_ID",
		"M_PriceList_ID=? AND IsActive='Y' AND ValidFrom<=?", list, date)
}

// afterOrder passes changes of the header on to the lines.
func afterOrder(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if r.Old == nil {
		return nil
	}
	change := store.Row{}
	for _, name := range []string{
		"AD_Org_ID", "C_BPartner_ID", "C_BPartner_Location_ID", "DateOrdered", "DatePromised", "M_Warehouse_ID", "M_Shipper_ID", "C_Currency_ID",
	} {
		if r.changed(name) {
			change[name] = r.Row[name]
		}
	}
	if len(change) == 0 {
		return nil
	}
	lines, err := RowsWhere(ctx, tx, "C_OrderLine", "Line", "C_Order_ID=?", r.ID())
	if err != nil || len(lines) == 0 {
		return err
	}
	for _, line := range lines {
		if err := s.ChangeRow(ctx, tx, "C_OrderLine", line, change); err != nil {
			return err
		}
	}
	return nil
}

// beforeInvoice completes the header of an invoice like that of an order.
func beforeInvoice(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if r.Row.Int("C_BPartner_Location_ID") == 0 {
		if err := invoicePartner(ctx, tx, r); err != nil {
			return err
		}
	}
	if r.Row.Int("M_PriceList_ID") == 0 {
		id, err := s.defaultRecord(ctx, tx, "M_PriceList_ID")
		if err != nil {
			return err
		}
		list, err := OneRow(ctx, tx, "M_PriceList", id)
		if err != nil {
			return err
		}
		if list != nil && list.Bool("IsSOPriceList") == r.Row.Bool("IsSOTrx") {
			r.Set("M_PriceList_ID", id)
		}
	}
	if err := s.documentDefaults(ctx, tx, r); err != nil {
		return err
	}
	if !r.Has("C_DocType_ID") {
		r.Set("C_DocType_ID", int64(0))
	}
	if r.Row.Int("C_DocTypeTarget_ID") == 0 {
		base := "API"
		if r.Row.Bool("IsSOTrx") {
			base = "ARI"
		}
		typ, err := FirstRow(ctx, tx, "C_DocType", "IsDefault DESC, AD_Org_ID DESC, C_DocType_ID",
			"AD_Client_ID=? AND AD_Org_ID IN (0,?) AND DocBaseType=? AND IsActive='Y'", r.Row.Int("AD_Client_ID"), r.Row.Int("AD_Org_ID"), base)
		if err != nil {
			return err
		}
		if typ != nil {
			r.Set("C_DocTypeTarget_ID", typ.Int("C_DocType_ID"))
		}
	}
	if err := fixedByLines(ctx, tx, r, "C_InvoiceLine", "DateInvoiced", "CannotChangePlIn", "CannotChangeDateInvoiced"); err != nil {
		return err
	}
	return ownCurrencyRate(ctx, tx, r, "CurrencyRate")
}

// invoicePartner takes terms, address and contact of the business partner of an
// invoice.
func invoicePartner(ctx context.Context, tx *store.Tx, r *Record) error {
	partner, err := OneRow(ctx, tx, "C_BPartner", r.Row.Int("C_BPartner_ID"))
	if err != nil || partner == nil {
		return err
	}
	partnerTerms(r, partner)
	locations, err := partnerLocations(ctx, tx, partner.Int("C_BPartner_ID"))
	if err != nil {
		return err
	}
	flag := "IsPayFrom"
	if r.Row.Bool("IsSOTrx") {
		flag = "IsBillTo"
	}
	for i, l := range locations {
		if l.Bool(flag) || i == 0 {
			r.Set("C_BPartner_Location_ID", l["C_BPartner_Location_ID"])
		}
	}
	contacts, err := partnerContacts(ctx, tx, partner.Int("C_BPartner_ID"))
	if err != nil || len(contacts) == 0 {
		return err
	}
	r.Set("AD_User_ID", contacts[0]["AD_User_ID"])
	return nil
}

// ownCurrencyRate clears rates of a document in the tenant's currency, and those
// of another that nobody wants to override; one that is to be overridden needs
// them.
func ownCurrencyRate(ctx context.Context, tx *store.Tx, r *Record, columns ...string) error {
	if r.Row.Bool("Processed") {
		return nil
	}
	schema, err := tenantSchema(ctx, tx, r.Row.Int("AD_Client_ID"))
	if err != nil || schema == nil {
		return err
	}
	override := schema.Int("C_Currency_ID") != r.Row.Int("C_Currency_ID") && r.Row.Bool("IsOverrideCurrencyRate")
	for _, name := range columns {
		if !override {
			r.Set(name, nil)
		} else if rate, ok := ParseRat(r.Row.String(name)); !ok || rate.Sign() == 0 {
			return PublicError(MsgFillMandatory + label(r.Table, name))
		}
	}
	return nil
}
