package engine

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// afterOrganization gives a new organization its details, and the tenant's roles
// access to it.
func afterOrganization(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if r.Old != nil {
		return nil
	}
	id, client := r.ID(), r.Row.Int("AD_Client_ID")
	if _, err := s.InsertRow(ctx, tx, "AD_OrgInfo", store.Row{
		"AD_Client_ID": client, "AD_Org_ID": id, "DUNS": "?", "TaxID": "?",
	}); err != nil {
		return err
	}
	roles, err := RowsWhere(ctx, tx, "AD_Role", "AD_Role_ID", "AD_Client_ID=? AND IsManual='N'", client)
	if err != nil {
		return err
	}
	for _, role := range roles {
		if _, err := s.InsertRow(ctx, tx, "AD_Role_OrgAccess", store.Row{
			"AD_Client_ID": client, "AD_Org_ID": id, "AD_Role_ID": role.Int("AD_Role_ID"), "IsReadOnly": "N",
		}); err != nil {
			return err
		}
	}
	return nil
}

// beforeWarehouse makes a warehouse one of the session's organization unless it has
// another.
func beforeWarehouse(_ context.Context, s *Session, _ *store.Tx, r *Record) error {
	if r.Row.Int("AD_Org_ID") != 0 {
		return nil
	}
	if s.OrgID == 0 {
		return saveError("Org0NotAllowed")
	}
	r.Set("AD_Org_ID", s.OrgID)
	return nil
}

// beforeProduct keeps what is not an item from being stocked, and what is in stock from
// becoming something else.
func beforeProduct(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if r.Row.String("ProductType") != "I" {
		r.Set("IsStocked", "N")
	}
	stocked := func(row store.Row) bool { return row.Bool("IsActive") && row.Bool("IsStocked") }
	if !stocked(r.Old) || stocked(r.Row) {
		return nil
	}
	stock, err := stockText(ctx, tx, r)
	if err == nil && stock != "" {
		err = saveError(stock)
	}
	return err
}

// beforeMovement gives a movement the tenant's type for it.
func beforeMovement(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if r.Row.Int("C_DocType_ID") != 0 {
		return nil
	}
	typ, err := FirstRow(ctx, tx, "C_DocType", "IsDefault DESC, C_DocType_ID", "AD_Client_ID=? AND DocBaseType='MMM' AND IsActive='Y'", r.Row.Int("AD_Client_ID"))
	if err != nil {
		return err
	}
	if typ == nil {
		return saveError("NotFound " + label(r.Table, "C_DocType_ID"))
	}
	r.Set("C_DocType_ID", typ["C_DocType_ID"])
	return nil
}
