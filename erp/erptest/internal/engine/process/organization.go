package process

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// linkOrganization links the business partner that is the record of the run to an
// organization of the tenant, with a warehouse, a default locator and the organization's
// details, and, if asked for, takes the access to it from all roles but one.
//
// Without an organization in the request, the ERP makes one, and fails at once: the
// new warehouse takes its address from the details of the new organization, which have
// none yet, and no warehouse is saved without.
func linkOrganization(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if run.RecordID == 0 {
		return Failed("No Business Partner ID"), nil
	}
	partner, err := ownRow(ctx, s, tx, "C_BPartner", run.RecordID)
	if err != nil {
		return Result{}, err
	}
	if partner == nil {
		return Failed("BPartnerNotFound - C_BPartner_ID=%d", run.RecordID), nil
	}
	addresses, err := engine.RowsWhere(ctx, tx, "C_BPartner_Location", "C_BPartner_Location_ID", "C_BPartner_ID=? AND IsActive='Y'", run.RecordID)
	switch {
	case err != nil:
		return Result{}, err
	case len(addresses) == 0:
		return Failed("Business Partner has no Location"), nil
	case addresses[0].Int("C_Location_ID") == 0:
		return Failed("Business Partner Location has no Address"), nil
	case run.id("AD_Org_ID") == 0:
		return Failed("Warehouse not saved"), nil
	}
	org, err := ownRow(ctx, s, tx, "AD_Org", run.id("AD_Org_ID"))
	if err != nil {
		return Result{}, err
	}
	if org == nil {
		return Failed("NotFound Organization %d", run.id("AD_Org_ID")), nil
	}
	linked, err := engine.RowsWhere(ctx, tx, "C_BPartner", "C_BPartner_ID", "AD_OrgBP_ID=? AND AD_Client_ID=?", org.Int("AD_Org_ID"), s.ClientID)
	if err != nil {
		return Result{}, err
	}
	if len(linked) > 0 {
		return Failed("Organization %s already linked Business Partner %s", org.String("Name"), linked[0].String("Name")), nil
	}
	if err := equipOrganization(ctx, s, tx, org, run.id("AD_OrgType_ID")); err != nil {
		return Result{}, err
	}
	change := store.Row{"AD_OrgBP_ID": org.Int("AD_Org_ID"), "AD_Org_ID": int64(0)} // it is every organization's from now on
	if err := s.ChangeRow(ctx, tx, "C_BPartner", partner, change); err != nil {
		return Result{}, err
	}
	if role := run.id("AD_Role_ID"); role > 0 {
		if err := limitOrganization(ctx, s, tx, org, role); err != nil {
			return Result{}, err
		}
	}
	text, err := engine.Message(ctx, tx, "BPartnerOrganizationLinkCreated", s.Language, "Business Partner - Organization Link created")
	return Result{Summary: text}, err
}

// equipOrganization gives an organization a warehouse with a default locator unless it
// has them, and its type.
func equipOrganization(ctx context.Context, s *engine.Session, tx *store.Tx, org store.Row, kind int64) error {
	id := org.Int("AD_Org_ID")
	info, err := engine.FirstRow(ctx, tx, "AD_OrgInfo", "", "AD_Org_ID=?", id)
	if err != nil {
		return err
	}
	if info == nil {
		return engine.PublicError("Organization Info not saved")
	}
	warehouses, err := engine.RowsWhere(ctx, tx, "M_Warehouse", "M_Warehouse_ID", "AD_Org_ID=? AND IsActive='Y'", id)
	if err != nil {
		return err
	}
	if len(warehouses) == 0 {
		if info.Int("C_Location_ID") == 0 {
			return engine.PublicError("Warehouse not saved")
		}
		made, err := s.InsertRow(ctx, tx, "M_Warehouse", store.Row{
			"AD_Client_ID": s.ClientID, "AD_Org_ID": id, "Value": org["Value"], "Name": org["Name"], "Separator": "*",
			"C_Location_ID": info["C_Location_ID"],
		})
		if err != nil {
			return err
		}
		warehouses = []store.Row{made.Row}
	}
	warehouse := warehouses[0].Int("M_Warehouse_ID")
	if err := ensureLocator(ctx, s, tx, id, warehouse); err != nil {
		return err
	}
	change := store.Row{"M_Warehouse_ID": warehouse, "AD_OrgType_ID": nil}
	if kind > 0 {
		row, err := engine.OneRow(ctx, tx, "AD_OrgType", kind)
		if err != nil {
			return err
		}
		if client := row.Int("AD_Client_ID"); row == nil || client != 0 && client != s.ClientID {
			return engine.PublicError("Organization Info not saved")
		}
		change["AD_OrgType_ID"] = kind
	}
	return s.ChangeRow(ctx, tx, "AD_OrgInfo", info, change)
}

// ensureLocator makes the default locator of a warehouse that has no locator in use.
func ensureLocator(ctx context.Context, s *engine.Session, tx *store.Tx, org, warehouse int64) error {
	locators, err := engine.RowsWhere(ctx, tx, "M_Locator", "M_Locator_ID", "M_Warehouse_ID=? AND IsActive='Y'", warehouse)
	if err != nil || len(locators) > 0 {
		return err
	}
	_, err = s.InsertRow(ctx, tx, "M_Locator", store.Row{
		"AD_Client_ID": s.ClientID, "AD_Org_ID": org, "M_Warehouse_ID": warehouse, "Value": "Standard",
		"X": "0", "Y": "0", "Z": "0", "IsDefault": "Y", "PriorityNo": int64(50),
	})
	return err
}

// limitOrganization leaves one role the access to an organization.
func limitOrganization(ctx context.Context, s *engine.Session, tx *store.Tx, org store.Row, role int64) error {
	if row, err := ownRow(ctx, s, tx, "AD_Role", role); err != nil || row == nil {
		if err == nil {
			err = engine.PublicError("There is no role of this tenant with that AD_Role_ID")
		}
		return err
	}
	t, err := tx.Table(ctx, "AD_Role_OrgAccess")
	if err != nil {
		return err
	}
	all, err := engine.RowsWhere(ctx, tx, t.Name, "AD_Role_ID", "AD_Org_ID=? AND AD_Client_ID=? AND IsActive='Y'", org.Int("AD_Org_ID"), s.ClientID)
	if err != nil {
		return err
	}
	found := false
	for _, access := range all {
		if access.Int("AD_Role_ID") == role {
			found = true
		} else if err := s.Delete(ctx, tx, t, access); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	_, err = s.InsertRow(ctx, tx, t.Name, store.Row{
		"AD_Client_ID": s.ClientID, "AD_Org_ID": org.Int("AD_Org_ID"), "AD_Role_ID": role, "IsReadOnly": "N",
	})
	return err
}
