package erptest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// choiceParams are the log-in parameters as given: ids as digits, or names.
type choiceParams struct {
	client, role, org, warehouse, language       string
	hasClient, hasRole, hasOrg, hasWarehouse, ok bool
}

// resolved is what a log-in has come down to. The echo flags tell which ids
// the caller did not give as numbers.
type resolved struct {
	clientID, userID, roleID, orgID, warehouseID int64
	echoClient, echoRole, echoOrg, echoWarehouse bool
	language                                     string
}

func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	return n, err == nil
}

// resolve finds what the parameters name, among the tenants in clients and
// what the users (all those who logged in under the name) have there.
func (e *system) resolve(ctx context.Context, tx *store.Tx, users, clients []int64, p choiceParams) (*resolved, error) {
	r := &resolved{}
	if err := r.resolveClient(ctx, tx, clients, p); err != nil {
		return nil, err
	}
	if err := r.resolveRole(ctx, tx, users, p); err != nil {
		return nil, err
	}
	if err := e.resolveOrg(ctx, tx, r, p); err != nil {
		return nil, err
	}
	if err := r.resolveWarehouse(ctx, tx, p); err != nil {
		return nil, err
	}
	var err error
	r.language, err = loginLanguage(ctx, tx, p.language, r.clientID, r.userID)
	return r, err
}

func (r *resolved) resolveClient(ctx context.Context, tx *store.Tx, clients []int64, p choiceParams) error {
	id, numeric := number(p.client)
	switch {
	case !p.hasClient:
		if len(clients) != 1 {
			return authError("Invalid clientId")
		}
		id, r.echoClient = clients[0], true
	case !numeric:
		ids, err := lookUp(ctx, tx, `SELECT AD_Client_ID FROM AD_Client WHERE Value=? AND IsActive='Y'`, p.client)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return authError("Client value not found")
		}
		id, r.echoClient = ids[0], true
	}
	for _, c := range clients {
		if c == id {
			r.clientID = id
			return nil
		}
	}
	return authError("Invalid clientId")
}

func (r *resolved) resolveRole(ctx context.Context, tx *store.Tx, users []int64, p choiceParams) error {
	roles, err := roleChoices(ctx, tx, users, r.clientID)
	if err != nil {
		return err
	}
	id, numeric := number(p.role)
	switch {
	case !p.hasRole:
		if len(roles) != 1 {
			return authError("Missing roleId parameter")
		}
		id, r.echoRole = roles[0].ID, true
	case !numeric:
		ids, err := lookUp(ctx, tx, `SELECT AD_Role_ID FROM AD_Role WHERE Name=? AND AD_Client_ID=? AND IsActive='Y'`, p.role, r.clientID)
		switch {
		case err != nil:
			return err
		case len(ids) == 0:
			return authError("Role name not found")
		case len(ids) > 1:
			return authError("Role name not unique")
		}
		id, r.echoRole = ids[0], true
	}
	if !hasChoice(roles, id) {
		return authError("Invalid roleId")
	}
	r.roleID = id
	r.userID, err = roleUser(ctx, tx, users, r.clientID, id)
	return err
}

func (e *system) resolveOrg(ctx context.Context, tx *store.Tx, r *resolved, p choiceParams) error {
	orgs, err := e.orgChoices(ctx, tx, r.userID, r.clientID, r.roleID)
	if err != nil {
		return err
	}
	id, numeric := number(p.org)
	switch {
	case !p.hasOrg:
		if len(orgs) != 1 || orgs[0].ID == 0 {
			return authError("Missing organizationId parameter")
		}
		id, r.echoOrg = orgs[0].ID, true
	case !numeric:
		ids, err := lookUp(ctx, tx, `SELECT AD_Org_ID FROM AD_Org WHERE (Name=? OR Value=?) AND AD_Client_ID IN (0,?) AND IsActive='Y'`, p.org, p.org, r.clientID)
		switch {
		case err != nil:
			return err
		case len(ids) == 0:
			return authError("Organization name not found")
		case len(ids) > 1:
			return authError("Organization name not unique")
		}
		id, r.echoOrg = ids[0], true
	}
	if !hasChoice(orgs, id) {
		return authError("Invalid organizationId")
	}
	r.orgID = id
	return nil
}

func (r *resolved) resolveWarehouse(ctx context.Context, tx *store.Tx, p choiceParams) error {
	list, err := warehouseChoices(ctx, tx, r.clientID, r.orgID)
	if err != nil {
		return err
	}
	id, numeric := number(p.warehouse)
	switch {
	case !p.hasWarehouse:
		ids, err := lookUp(ctx, tx, `SELECT COALESCE(M_Warehouse_ID,0) FROM AD_OrgInfo WHERE AD_Org_ID=? AND IsActive='Y'`, r.orgID)
		if err != nil {
			return err
		}
		if r.orgID > 0 && len(ids) > 0 && hasChoice(list, ids[0]) {
			r.warehouseID, r.echoWarehouse = ids[0], true
		}
		return nil
	case !numeric:
		ids, err := lookUp(ctx, tx, `SELECT M_Warehouse_ID FROM M_Warehouse WHERE (Name=? OR Value=?) AND AD_Client_ID=? AND IsActive='Y'
			ORDER BY AD_Org_ID<>?, M_Warehouse_ID`, p.warehouse, p.warehouse, r.clientID, r.orgID)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return authError("Warehouse name not found")
		}
		id, r.echoWarehouse = ids[0], true
	}
	if id != 0 && !hasChoice(list, id) {
		return authError("Invalid warehouseId")
	}
	r.warehouseID = id
	return nil
}

// loginLanguage is the language asked for when one can log in with it, else
// the user's preference, else the tenant's.
func loginLanguage(ctx context.Context, tx *store.Tx, wanted string, clientID, userID int64) (string, error) {
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

// menuTree is the AD_Tree of the menu the role sees.
func menuTree(ctx context.Context, tx *store.Tx, clientID, roleID int64) (int64, error) {
	ids, err := lookUp(ctx, tx, `SELECT COALESCE(
		(SELECT NULLIF(AD_Tree_Menu_ID,0) FROM AD_Role WHERE AD_Role_ID=?),
		(SELECT NULLIF(AD_Tree_Menu_ID,0) FROM AD_ClientInfo WHERE AD_Client_ID=?), 10)`, roleID, clientID)
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// lookUp runs a select of ids.
func lookUp(ctx context.Context, tx *store.Tx, query string, args ...any) ([]int64, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("looking up what a log-in names: %w", err)
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("looking up what a log-in names: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
