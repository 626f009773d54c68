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

// beforeProduct keeps what is no item from being stocked.
func beforeProduct(_ context.Context, _ *Session, _ *store.Tx, r *Record) error {
	if r.Row.String("ProductType") != "I" {
		r.Set("IsStocked", "N")
	}
	return nil
}
