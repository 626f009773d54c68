package erptest

import (
	"context"
	"net/http"
	"slices"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// login answers POST /auth/tokens: with parameters it completes the log-in in
// one step; without them it answers the tenants to choose from, or completes
// it as well when there is nothing to choose.
func login(c *call) error {
	m, err := c.readMembers("userName", "password", "parameters")
	if err != nil {
		return err
	}
	name, _, err := m.text("userName")
	if err != nil {
		return err
	}
	password, _, err := m.text("password")
	if err != nil {
		return err
	}
	var params choiceParams
	if raw := m["parameters"]; raw != nil && string(raw) != "null" {
		pm, err := parseMembers(raw, choiceNames...)
		if err != nil {
			return err
		}
		if params, err = readChoice(pm); err != nil {
			return err
		}
	}
	ctx := c.ctx()
	var answer *wire.Object
	var refusal string // the failures counted are to be kept, so it is no error of the transaction
	err = c.update(ctx, func(tx *store.Tx) error {
		named, err := findUsers(ctx, tx, name)
		if err != nil {
			return err
		}
		users, why, err := c.srv.erp.checkPassword(ctx, tx, named, password)
		if err != nil {
			return err
		}
		if refusal, err = why.text(ctx, tx, c.query.get("locale")); err != nil || refusal != "" {
			return err
		}
		if params.ok {
			clients, err := clientChoices(ctx, tx, userIDs(users))
			if err != nil {
				return err
			}
			r, err := c.srv.erp.resolve(ctx, tx, userIDs(users), choiceIDs(clients), params)
			if err != nil {
				return err
			}
			answer = &wire.Object{}
			return c.finishLogin(ctx, tx, answer, name, "", r)
		}
		answer, err = c.firstStep(ctx, tx, name, named, users)
		return err
	})
	if err != nil {
		return err
	}
	if refusal != "" {
		return authError(refusal)
	}
	c.json(http.StatusOK, answer)
	return nil
}

// firstStep is the answer to a log-in without parameters.
func (c *call) firstStep(ctx context.Context, tx *store.Tx, name string, named, users []loginUser) (*wire.Object, error) {
	clients, err := clientChoices(ctx, tx, userIDs(users))
	if err != nil {
		return nil, err
	}
	// The second step knows the name only. Where somebody of the same name but
	// with another password has a role, the tenant can be had in one step only.
	var others []int64
	for _, u := range named {
		if !slices.ContainsFunc(users, func(v loginUser) bool { return v.id == u.id }) {
			others = append(others, u.id)
		}
	}
	theirs, err := clientChoices(ctx, tx, others)
	if err != nil {
		return nil, err
	}
	clients = slices.DeleteFunc(clients, func(cl choice) bool { return hasChoice(theirs, cl.ID) })
	answer := wire.NewObject("clients", clients)
	claim := joinIDs(choiceIDs(clients))
	if len(clients) == 1 {
		roles, err := roleChoices(ctx, tx, userIDs(users), clients[0].ID)
		if err != nil {
			return nil, err
		}
		if len(roles) == 1 {
			r, err := c.srv.erp.resolve(ctx, tx, userIDs(users), choiceIDs(clients), choiceParams{ok: true})
			if err == nil {
				return answer, c.finishLogin(ctx, tx, answer, name, claim, r)
			}
			if !isAuthError(err) {
				return nil, err
			}
		}
	}
	expires, err := c.srv.accessExpiry(ctx, tx, 0)
	if err != nil {
		return nil, err
	}
	token, err := c.srv.sign(&tokenClaims{Subject: name, Clients: claim, Expires: expires})
	if err != nil {
		return nil, err
	}
	answer.Set("token", token)
	return answer, nil
}

// chooseTokens answers PUT /auth/tokens, the second step.
func chooseTokens(c *call) error {
	m, err := c.readMembers(choiceNames...)
	if err != nil {
		return err
	}
	params, err := readChoice(m)
	if err != nil {
		return err
	}
	if c.switches(params) {
		return c.switchLogin(params)
	}
	ctx := c.ctx()
	answer := &wire.Object{}
	err = c.update(ctx, func(tx *store.Tx) error {
		users, err := findUsers(ctx, tx, c.session.UserName)
		if err != nil {
			return err
		}
		users = slices.DeleteFunc(users, func(u loginUser) bool { return u.locked })
		r, err := c.srv.erp.resolve(ctx, tx, userIDs(users), c.session.Clients, params)
		if err != nil {
			return err
		}
		return c.finishLogin(ctx, tx, answer, c.session.UserName, "", r)
	})
	if err != nil {
		return err
	}
	c.json(http.StatusOK, answer)
	return nil
}

// finishLogin opens the session and sets the members of a completed log-in.
func (c *call) finishLogin(ctx context.Context, tx *store.Tx, answer *wire.Object, userName, clients string, r *resolved) error {
	sessionID, err := c.srv.openSession(ctx, tx, c.r, r)
	if err != nil {
		return err
	}
	claims := claimsOf(r, userName, sessionID)
	claims.Clients = clients
	token, refresh, err := c.srv.issue(ctx, tx, claims, nil)
	if err != nil {
		return err
	}
	tree, err := menuTree(ctx, tx, r.clientID, r.roleID)
	if err != nil {
		return err
	}
	echo(r, answer)
	answer.Set("language", r.language)
	answer.Set("menuTreeId", tree)
	answer.Set("token", token)
	answer.Set("refresh_token", refresh)
	return nil
}

func claimsOf(r *resolved, userName string, sessionID int64) *tokenClaims {
	claims := &tokenClaims{
		Subject: userName, ClientID: &r.clientID, UserID: &r.userID, RoleID: &r.roleID, OrgID: &r.orgID,
		Language: r.language, SessionID: &sessionID,
	}
	if r.orgID > 0 && r.warehouseID > 0 {
		claims.WarehouseID = &r.warehouseID
	}
	return claims
}

// openSession writes the AD_Session row of a log-in. r may be nil for a
// request that has none.
func (s *Server) openSession(ctx context.Context, tx *store.Tx, r *http.Request, who *resolved) (int64, error) {
	id, err := tx.NextID(ctx, "AD_Session")
	if err != nil {
		return 0, err
	}
	row := store.Row{
		"AD_Session_ID": id, "AD_Role_ID": who.roleID, "Processed": "N", "LoginDate": dbTime(s.now()),
		"WebSession": "rest", "ServerName": "erptest",
	}
	if r != nil {
		row["Remote_Addr"] = remoteHost(r)
		row["Remote_Host"] = remoteHost(r)
	}
	return id, s.erp.insertRow(ctx, tx, "AD_Session", stamp{who.clientID, who.orgID, who.userID}, row)
}

// echo sets the members that tell the caller what was not given as a number.
func echo(r *resolved, o *wire.Object) {
	if r.echoClient {
		o.Set("clientId", r.clientID)
	}
	o.Set("userId", r.userID)
	if r.echoRole {
		o.Set("roleId", r.roleID)
	}
	if r.echoOrg {
		o.Set("organizationId", r.orgID)
	}
	if r.echoWarehouse && r.orgID > 0 && r.warehouseID > 0 {
		o.Set("warehouseId", r.warehouseID)
	}
}

var choiceNames = []string{"clientId", "roleId", "organizationId", "warehouseId", "language"}

func readChoice(m members) (choiceParams, error) {
	p := choiceParams{ok: true}
	var errs [5]error
	p.client, p.hasClient, errs[0] = m.text("clientId")
	p.role, p.hasRole, errs[1] = m.text("roleId")
	p.org, p.hasOrg, errs[2] = m.text("organizationId")
	p.warehouse, p.hasWarehouse, errs[3] = m.text("warehouseId")
	p.language, _, errs[4] = m.text("language")
	for _, err := range errs {
		if err != nil {
			return p, err
		}
	}
	return p, nil
}
