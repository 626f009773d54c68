package login

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Request are the log-in parameters as given: ids as digits, or names.
type Request struct {
	Client, Role, Org, Warehouse, Language       string
	HasClient, HasRole, HasOrg, HasWarehouse, Ok bool
}

// Login is what a log-in has come down to. The echo flags tell which ids
// the caller did not give as numbers.
type Login struct {
	ClientID, UserID, RoleID, OrgID, WarehouseID int64
	EchoClient, EchoRole, EchoOrg, EchoWarehouse bool
	Language                                     string
}

func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	return n, err == nil
}

// Resolve finds what the parameters name, among the tenants in clients and
// what the users (all those who logged in under the name) have there.
func Resolve(ctx context.Context, e *engine.ERP, tx *store.Tx, users, clients []int64, p Request) (*Login, error) {
	r := &Login{}
	if err := r.resolveClient(ctx, tx, clients, p); err != nil {
		return nil, err
	}
	if err := r.resolveRole(ctx, tx, users, p); err != nil {
		return nil, err
	}
	if err := resolveOrg(ctx, e, tx, r, p); err != nil {
		return nil, err
	}
	if err := r.resolveWarehouse(ctx, tx, p); err != nil {
		return nil, err
	}
	var err error
	r.Language, err = Language(ctx, tx, p.Language, r.ClientID, r.UserID)
	return r, err
}

func (r *Login) resolveClient(ctx context.Context, tx *store.Tx, clients []int64, p Request) error {
	id, numeric := number(p.Client)
	switch {
	case !p.HasClient:
		if len(clients) != 1 {
			return Refused("Invalid clientId")
		}
		id, r.EchoClient = clients[0], true
	case !numeric:
		ids, err := engine.LookUpIDs(ctx, tx, `SELECT AD_Client_ID FROM AD_Client WHERE Value=? AND IsActive='Y'`, p.Client)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return Refused("Client value not found")
		}
		id, r.EchoClient = ids[0], true
	}
	for _, c := range clients {
		if c == id {
			r.ClientID = id
			return nil
		}
	}
	return Refused("Invalid clientId")
}

func (r *Login) resolveRole(ctx context.Context, tx *store.Tx, users []int64, p Request) error {
	roles, err := RoleChoices(ctx, tx, users, r.ClientID)
	if err != nil {
		return err
	}
	id, numeric := number(p.Role)
	switch {
	case !p.HasRole:
		if len(roles) != 1 {
			return Refused("Missing roleId parameter")
		}
		id, r.EchoRole = roles[0].ID, true
	case !numeric:
		ids, err := engine.LookUpIDs(ctx, tx, `SELECT AD_Role_ID FROM AD_Role WHERE Name=? AND AD_Client_ID=? AND IsActive='Y'`, p.Role, r.ClientID)
		switch {
		case err != nil:
			return err
		case len(ids) == 0:
			return Refused("Role name not found")
		case len(ids) > 1:
			return Refused("Role name not unique")
		}
		id, r.EchoRole = ids[0], true
	}
	if !HasChoice(roles, id) {
		return Refused("Invalid roleId")
	}
	r.RoleID = id
	r.UserID, err = RoleUser(ctx, tx, users, r.ClientID, id)
	return err
}

func resolveOrg(ctx context.Context, e *engine.ERP, tx *store.Tx, r *Login, p Request) error {
	orgs, err := OrgChoices(ctx, e, tx, r.UserID, r.ClientID, r.RoleID)
	if err != nil {
		return err
	}
	id, numeric := number(p.Org)
	switch {
	case !p.HasOrg:
		if len(orgs) != 1 || orgs[0].ID == 0 {
			return Refused("Missing organizationId parameter")
		}
		id, r.EchoOrg = orgs[0].ID, true
	case !numeric:
		ids, err := engine.LookUpIDs(ctx, tx, `SELECT AD_Org_ID FROM AD_Org WHERE (Name=? OR Value=?) AND AD_Client_ID IN (0,?) AND IsActive='Y'`, p.Org, p.Org, r.ClientID)
		switch {
		case err != nil:
			return err
		case len(ids) == 0:
			return Refused("Organization name not found")
		case len(ids) > 1:
			return Refused("Organization name not unique")
		}
		id, r.EchoOrg = ids[0], true
	}
	if !HasChoice(orgs, id) {
		return Refused("Invalid organizationId")
	}
	r.OrgID = id
	return nil
}

func (r *Login) resolveWarehouse(ctx context.Context, tx *store.Tx, p Request) error {
	list, err := WarehouseChoices(ctx, tx, r.ClientID, r.OrgID)
	if err != nil {
		return err
	}
	id, numeric := number(p.Warehouse)
	switch {
	case !p.HasWarehouse:
		ids, err := engine.LookUpIDs(ctx, tx, `SELECT COALESCE(M_Warehouse_ID,0) FROM AD_OrgInfo WHERE AD_Org_ID=? AND IsActive='Y'`, r.OrgID)
		if err != nil {
			return err
		}
		if r.OrgID > 0 && len(ids) > 0 && HasChoice(list, ids[0]) {
			r.WarehouseID, r.EchoWarehouse = ids[0], true
		}
		return nil
	case !numeric:
		ids, err := engine.LookUpIDs(ctx, tx, `SELECT M_Warehouse_ID FROM M_Warehouse WHERE (Name=? OR Value=?) AND AD_Client_ID=? AND IsActive='Y'
			ORDER BY AD_Org_ID<>?, M_Warehouse_ID`, p.Warehouse, p.Warehouse, r.ClientID, r.OrgID)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return Refused("Warehouse name not found")
		}
		id, r.EchoWarehouse = ids[0], true
	}
	if id != 0 && !HasChoice(list, id) {
		return Refused("Invalid warehouseId")
	}
	r.WarehouseID = id
	return nil
}

// Language is the language asked for when one can log in with it, else
// the user's preference, else the tenant's.
func Language(ctx context.Context, tx *store.Tx, wanted string, clientID, userID int64) (string, error) {
	var lang string
	err := tx.QueryRow(ctx, `SELECT AD_Language FROM (
		SELECT AD_Language, 1 AS Rank FROM AD_Language WHERE AD_Language=? AND IsActive='Y' AND (IsLoginLocale='Y' OR IsBaseLanguage='Y')
		UNION ALL SELECT l.AD_Language, 2 FROM AD_Preference p JOIN AD_Language l ON p.Value IN (l.AD_Language, l.Name) AND l.IsActive='Y'
			WHERE p.Attribute='Language' AND p.AD_User_ID=? AND p.IsActive='Y' AND p.AD_Client_ID IN (0,?)
		UNION ALL SELECT AD_Language, 3 FROM AD_Client WHERE AD_Client_ID=? AND COALESCE(AD_Language,'')<>''
		UNION ALL SELECT AD_Language, 4 FROM AD_Language WHERE IsBaseLanguage='Y') ORDER BY Rank LIMIT 1`,
		wanted, userID, clientID, clientID).Scan(&lang)
	if errors.Is(err, sql.ErrNoRows) {
		return "en_US", nil
	}
	if err != nil {
		return "", fmt.Errorf("finding the language of a log-in: %w", err)
	}
	return lang, nil
}

// MenuTree is the AD_Tree of the menu the role sees.
func MenuTree(ctx context.Context, tx *store.Tx, clientID, roleID int64) (int64, error) {
	ids, err := engine.LookUpIDs(ctx, tx, `SELECT COALESCE(
		(SELECT NULLIF(AD_Tree_Menu_ID,0) FROM AD_Role WHERE AD_Role_ID=?),
		(SELECT NULLIF(AD_Tree_Menu_ID,0) FROM AD_ClientInfo WHERE AD_Client_ID=?), 10)`, roleID, clientID)
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// Refused is the refusal of a log-in, in words of the ERP.
func Refused(detail string) error {
	return engine.Refuse(engine.Unauthenticated, "Authenticate error", detail)
}
