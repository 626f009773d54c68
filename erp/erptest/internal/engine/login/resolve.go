package login

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// ErrBroken is the failure of the real server's log-in outside of its guards: at
// numbers that it cannot parse, and at records of other tenants.
var ErrBroken = errors.New("the log-in names what cannot be read")

// givenID is the id that a parameter spells, -1 when it is a name.
func givenID(text string) (int64, error) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return -1, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, ErrBroken
	}
	return n, nil
}

// Resolve finds what the parameters name, among the tenants in clients and
// what the users (all those who logged in under the name) have there. What is
// named must exist before it is checked that it may be chosen.
func Resolve(ctx context.Context, e *engine.ERP, tx *store.Tx, users, clients []int64, p Request) (*Login, error) {
	r := &Login{}
	for _, given := range []struct {
		text *string
		has  *bool
	}{{&p.Client, &p.HasClient}, {&p.Role, &p.HasRole}, {&p.Org, &p.HasOrg}, {&p.Warehouse, &p.HasWarehouse}} {
		*given.has = *given.has && *given.text != ""
		*given.text = strings.TrimSpace(*given.text)
	}
	if err := r.resolveClient(ctx, tx, clients, p); err != nil {
		return nil, err
	}
	roles, err := RoleChoices(ctx, tx, users, r.ClientID)
	if err != nil {
		return nil, err
	}
	if err := r.resolveRole(ctx, tx, roles, p); err != nil {
		return nil, err
	}
	mayRole := HasChoice(roles, r.RoleID)
	if mayRole {
		if r.UserID, err = RoleUser(ctx, tx, users, r.ClientID, r.RoleID); err != nil {
			return nil, err
		}
	}
	if err := r.resolveOrg(ctx, tx, p); err != nil {
		return nil, err
	}
	if err := r.resolveWarehouse(ctx, tx, p); err != nil {
		return nil, err
	}
	if !mayRole {
		return nil, Refused("Invalid roleId")
	}
	if err := mayWorkIn(ctx, e, tx, r); err != nil {
		return nil, err
	}
	r.Language, err = Language(ctx, tx, p.Language, r.ClientID, r.UserID)
	return r, err
}

// mayWorkIn refuses organizations and warehouses that the role does not have.
func mayWorkIn(ctx context.Context, e *engine.ERP, tx *store.Tx, r *Login) error {
	orgs, err := OrgChoices(ctx, e, tx, r.UserID, r.ClientID, r.RoleID)
	if err != nil {
		return err
	}
	if !HasChoice(orgs, r.OrgID) {
		return Refused("Invalid organizationId")
	}
	if r.OrgID == 0 || r.WarehouseID == 0 {
		return nil
	}
	warehouses, err := WarehouseChoices(ctx, tx, r.ClientID, r.OrgID)
	if err == nil && !HasChoice(warehouses, r.WarehouseID) {
		err = Refused("Invalid warehouseId")
	}
	return err
}

func (r *Login) resolveClient(ctx context.Context, tx *store.Tx, clients []int64, p Request) error {
	if !p.HasClient {
		if len(clients) != 1 {
			return Refused("Invalid clientId")
		}
		r.ClientID, r.EchoClient = clients[0], true
		return nil
	}
	id, err := givenID(p.Client)
	if err != nil {
		return err
	}
	ids, err := engine.LookUpIDs(ctx, tx, `SELECT AD_Client_ID FROM AD_Client WHERE AD_Client_ID=?`, id)
	if err == nil && len(ids) == 0 {
		r.EchoClient = true
		ids, err = engine.LookUpIDs(ctx, tx, `SELECT AD_Client_ID FROM AD_Client WHERE Value=? AND IsActive='Y'`, p.Client)
	}
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return Refused("Client value not found")
	case !slices.Contains(clients, ids[0]):
		return Refused("Invalid clientId")
	}
	r.ClientID = ids[0]
	return nil
}

// named is the record of a table that a parameter gives by id, or else one of the
// tenant that the condition finds by name.
func (r *Login) named(ctx context.Context, tx *store.Tx, table, given, where string, args ...any) (ids []int64, byName bool, err error) {
	id, err := givenID(given)
	if err != nil {
		return nil, false, err
	}
	key := table + "_ID"
	owners, err := engine.LookUpIDs(ctx, tx, `SELECT AD_Client_ID FROM `+table+` WHERE `+key+`=?`, id)
	switch {
	case err != nil:
		return nil, false, err
	case len(owners) > 0 && owners[0] != 0 && owners[0] != r.ClientID && r.ClientID != 0:
		return nil, false, ErrBroken
	case len(owners) > 0:
		return []int64{id}, false, nil
	}
	ids, err = engine.LookUpIDs(ctx, tx, `SELECT `+key+` FROM `+table+` WHERE IsActive='Y' AND `+where, args...)
	return ids, true, err
}

func (r *Login) resolveRole(ctx context.Context, tx *store.Tx, roles []Choice, p Request) error {
	if !p.HasRole {
		if len(roles) != 1 {
			return Refused("Missing roleId parameter")
		}
		r.RoleID, r.EchoRole = roles[0].ID, true
		return nil
	}
	ids, byName, err := r.named(ctx, tx, "AD_Role", p.Role, `Name=? AND AD_Client_ID=?`, p.Role, r.ClientID)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return Refused("Role name not found")
	case len(ids) > 1:
		return Refused("Role name not unique")
	}
	r.RoleID, r.EchoRole = ids[0], byName
	return nil
}

func (r *Login) resolveOrg(ctx context.Context, tx *store.Tx, p Request) error {
	if !p.HasOrg {
		only, err := r.onlyOrg(ctx, tx)
		if err == nil && only == 0 {
			err = Refused("Missing organizationId parameter")
		}
		r.OrgID, r.EchoOrg = only, true
		return err
	}
	ids, byName, err := r.named(ctx, tx, "AD_Org", p.Org, `(Name=? OR Value=?) AND AD_Client_ID=?`, p.Org, p.Org, r.ClientID)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return Refused("Organization name not found")
	case len(ids) > 1:
		return Refused("Organization name not unique")
	}
	r.OrgID, r.EchoOrg = ids[0], byName
	return nil
}

// onlyOrg is the organization when role or user were granted just one, else -1.
func (r *Login) onlyOrg(ctx context.Context, tx *store.Tx) (int64, error) {
	ids, err := engine.LookUpIDs(ctx, tx, `SELECT a.AD_Org_ID FROM AD_Role r JOIN AD_Role_OrgAccess a ON a.AD_Role_ID=r.AD_Role_ID
			WHERE r.AD_Role_ID=? AND COALESCE(r.IsUseUserOrgAccess,'N')<>'Y'
		UNION ALL SELECT a.AD_Org_ID FROM AD_Role r JOIN AD_User_OrgAccess a ON a.AD_User_ID=?
			WHERE r.AD_Role_ID=? AND r.IsUseUserOrgAccess='Y'`, r.RoleID, r.UserID, r.RoleID)
	if err != nil || len(ids) != 1 {
		return -1, err
	}
	return ids[0], nil
}

func (r *Login) resolveWarehouse(ctx context.Context, tx *store.Tx, p Request) error {
	if !p.HasWarehouse {
		if r.OrgID <= 0 {
			return nil
		}
		ids, err := engine.LookUpIDs(ctx, tx, `SELECT COALESCE(M_Warehouse_ID,0) FROM AD_OrgInfo WHERE AD_Org_ID=?`, r.OrgID)
		if err == nil && len(ids) > 0 && ids[0] > 0 {
			r.WarehouseID, r.EchoWarehouse = ids[0], true
		}
		return err
	}
	if id, err := givenID(p.Warehouse); err != nil || id == 0 {
		return err
	}
	ids, byName, err := r.named(ctx, tx, "M_Warehouse", p.Warehouse, `(Name=? OR Value=?) AND AD_Client_ID=?
		ORDER BY AD_Org_ID<>?, M_Warehouse_ID`, p.Warehouse, p.Warehouse, r.ClientID, r.OrgID)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return Refused("Warehouse name not found")
	}
	r.WarehouseID, r.EchoWarehouse = ids[0], byName
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
