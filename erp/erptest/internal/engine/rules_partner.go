package engine

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// beforePartner takes what the group of a business partner has to say.
func beforePartner(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if !r.IsNew() && !r.changed("C_BP_Group_ID") {
		return nil
	}
	id := r.Row.Int("C_BP_Group_ID")
	if id == 0 {
		var err error
		if id, err = s.defaultRecord(ctx, tx, "C_BP_Group_ID"); err != nil {
			return err
		}
	}
	group, err := OneRow(ctx, tx, "C_BP_Group", id)
	if err != nil {
		return err
	}
	if group == nil {
		return saveError("NotFound:  " + label(r.Table, "C_BP_Group_ID"))
	}
	r.Set("C_BP_Group_ID", id)
	for _, name := range []string{"C_Dunning_ID", "M_PriceList_ID", "PO_PriceList_ID", "M_DiscountSchema_ID", "PO_DiscountSchema_ID"} {
		if v := group.Int(name); v != 0 {
			r.Set(name, v)
		}
	}
	return nil
}

// label is what people call a column.
func label(t *store.Table, column string) string {
	if col, ok := t.Column(column); ok {
		return col.Label
	}
	return column
}

// unnamed is the name of an address of a partner that gets one of its own.
const unnamed = "."

// beforePartnerLocation names an address of a partner after its place.
func beforePartnerLocation(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	address, err := OneRow(ctx, tx, "C_Location", r.Row.Int("C_Location_ID"))
	if err != nil {
		return err
	}
	if address == nil {
		return PublicError("SaveError")
	}
	if r.Row.String("Name") != unnamed || r.Row.Bool("IsPreserveCustomName") {
		return nil
	}
	name, err := s.partnerLocationName(ctx, tx, r.Row, address)
	if err != nil {
		return err
	}
	r.Set("Name", name)
	return nil
}

// partnerLocationName is the city of an address; as much more of it as it takes to
// differ from the partner's other addresses.
func (s *Session) partnerLocationName(ctx context.Context, tx *store.Tx, location, address store.Row) (string, error) {
	region, err := OneRow(ctx, tx, "C_Region", address.Int("C_Region_ID"))
	if err != nil {
		return "", err
	}
	id := location.Int("C_BPartner_Location_ID")
	others, err := RowsWhere(ctx, tx, "C_BPartner_Location", "", "C_BPartner_ID=? AND C_BPartner_Location_ID<>?",
		location.Int("C_BPartner_ID"), id)
	if err != nil {
		return "", err
	}
	id = cmp.Or(id, address.Int("C_Location_ID"))
	parts := []string{address.String("City"), address.String("Address1"), address.String("Address2"), cmp.Or(region.String("Name"), address.String("RegionName"))}
	detail, _ := strconv.Atoi(s.Sysconfig(ctx, tx, "START_VALUE_BPLOCATION_NAME", "0"))
	if detail < 0 || detail > len(parts) {
		detail = 0
	}
	for ; ; detail++ {
		name := ""
		for i, part := range parts {
			if part != "" && (detail >= i || name == "") {
				name = strings.TrimSpace(name + " " + part)
			}
		}
		if detail >= len(parts) || name == "" {
			name += "#" + FormatID(id)
		}
		if detail >= len(parts) || !slices.ContainsFunc(others, func(o store.Row) bool { return o.String("Name") == name }) {
			return name, nil
		}
	}
}

// renamePartnerLocation lets the name of a partner's address follow the place of
// an address that was changed within it.
func (s *Session) renamePartnerLocation(ctx context.Context, tx *store.Tx, address *Record) error {
	if !address.changed("City") && !address.changed("C_City_ID") {
		return nil
	}
	row, err := FirstRow(ctx, tx, "C_BPartner_Location", "C_BPartner_Location_ID", "C_Location_ID=?", address.ID())
	if err != nil || row == nil || row.Bool("IsPreserveCustomName") {
		return err
	}
	name, err := s.partnerLocationName(ctx, tx, row, address.Row)
	if err != nil {
		return err
	}
	return s.ChangeRow(ctx, tx, "C_BPartner_Location", row, store.Row{"Name": name})
}

// addressDefaults begin an address in the default country and, if it has one, its
// default region.
func addressDefaults(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if r.Has("C_Country_ID") {
		return nil
	}
	country, err := s.defaultCountry(ctx, tx)
	if err != nil {
		return err
	}
	r.Set("C_Country_ID", country)
	region, err := s.defaultRecord(ctx, tx, "C_Region_ID")
	if err != nil || region == 0 || r.Has("C_Region_ID") {
		return err
	}
	row, err := OneRow(ctx, tx, "C_Region", region)
	if err != nil {
		return err
	}
	if row.Int("C_Country_ID") == country {
		r.Set("C_Region_ID", region)
	}
	return nil
}

// beforeAddress makes an address one of all organizations, and finds its city in
// the list of cities.
func beforeAddress(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	r.Set("AD_Org_ID", int64(0))
	country, err := OneRow(ctx, tx, "C_Country", r.Row.Int("C_Country_ID"))
	if err != nil {
		return err
	}
	if r.Row.Int("C_Region_ID") == 0 {
		r.Set("RegionName", nil)
	} else if !country.Bool("HasRegion") {
		r.Set("C_Region_ID", nil)
	}
	if r.Row.Int("C_City_ID") <= 0 && r.Row.String("City") != "" {
		city, err := FirstRow(ctx, tx, "C_City", "C_City_ID",
			"C_Country_ID=? AND COALESCE(C_Region_ID,0)=? AND Name=? AND AD_Client_ID IN (0,?)",
			r.Row.Int("C_Country_ID"), r.Row.Int("C_Region_ID"), r.Row.String("City"), s.ClientID)
		if err != nil {
			return err
		}
		if city != nil {
			r.Set("C_City_ID", city.Int("C_City_ID"))
		}
	}
	if country.String("AllowCitiesOutOfList") == "N" && r.Row.Int("C_City_ID") <= 0 {
		return PublicError("CityNotFound: CityNotFound")
	}
	return nil
}
