package erptest

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/login"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/golang-jwt/jwt/v5"
)

// logIn handles POST /auth/tokens: with parameters it completes the log-in in
// one step; without them it lists the tenants to choose from, or completes
// it as well when there is nothing to choose.
func logIn(c *call) error {
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
	var params login.Request
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
	var response *wire.Object
	var refusal string // the failures counted are to be kept, so it is not an error of the transaction
	err = c.update(ctx, func(tx *store.Tx) error {
		named, err := login.FindUsers(ctx, tx, name)
		if err != nil {
			return err
		}
		users, why, err := login.CheckPassword(ctx, c.srv.erp, tx, named, password)
		if err != nil {
			return err
		}
		if refusal, err = why.Text(ctx, tx, c.query.get("locale")); err != nil || refusal != "" {
			return err
		}
		if params.Ok {
			clients, err := login.ClientChoices(ctx, tx, login.UserIDs(users))
			if err != nil {
				return err
			}
			r, err := c.resolve(ctx, tx, login.UserIDs(users), login.ChoiceIDs(clients), params)
			if err != nil {
				return err
			}
			response = &wire.Object{}
			return c.finishLogin(ctx, tx, response, name, "", r)
		}
		response, err = c.firstStep(ctx, tx, name, named, users)
		return err
	})
	if err != nil {
		return err
	}
	if refusal != "" {
		return login.Refused(refusal)
	}
	c.json(http.StatusOK, response)
	return nil
}

// resolve finds what the parameters of a log-in name.
func (c *call) resolve(ctx context.Context, tx *store.Tx, users, clients []int64, p login.Request) (*login.Login, error) {
	r, err := login.Resolve(ctx, c.srv.erp, tx, users, clients, p)
	if errors.Is(err, login.ErrBroken) {
		err = page(http.StatusInternalServerError)
	}
	return r, err
}

// firstStep is the response to a log-in without parameters.
func (c *call) firstStep(ctx context.Context, tx *store.Tx, name string, named, users []login.User) (*wire.Object, error) {
	clients, err := login.ClientChoices(ctx, tx, login.UserIDs(users))
	if err != nil {
		return nil, err
	}
	// The second step knows the name only. Where somebody of the same name but
	// with another password has a role, the tenant can be had in one step only.
	var others []int64
	for _, u := range named {
		if !slices.ContainsFunc(users, func(v login.User) bool { return v.ID == u.ID }) {
			others = append(others, u.ID)
		}
	}
	theirs, err := login.ClientChoices(ctx, tx, others)
	if err != nil {
		return nil, err
	}
	clients = slices.DeleteFunc(clients, func(cl login.Choice) bool { return login.HasChoice(theirs, cl.ID) })
	response := wire.NewObject("clients", clients)
	claim := engine.JoinIDs(login.ChoiceIDs(clients))
	if len(clients) == 1 {
		roles, err := login.RoleChoices(ctx, tx, login.UserIDs(users), clients[0].ID)
		if err != nil {
			return nil, err
		}
		if len(roles) == 1 {
			r, err := c.resolve(ctx, tx, login.UserIDs(users), login.ChoiceIDs(clients), login.Request{Ok: true})
			if err == nil {
				return response, c.finishLogin(ctx, tx, response, name, claim, r)
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
	token, err := c.srv.sign(&tokenClaims{RegisteredClaims: jwt.RegisteredClaims{Subject: name, ExpiresAt: expires}, Clients: claim})
	if err != nil {
		return nil, err
	}
	response.Set("token", token)
	return response, nil
}

// chooseTokens handles PUT /auth/tokens, the second step.
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
	response := &wire.Object{}
	err = c.update(ctx, func(tx *store.Tx) error {
		users, err := login.FindUsers(ctx, tx, c.session.UserName)
		if err != nil {
			return err
		}
		users = slices.DeleteFunc(users, func(u login.User) bool { return u.Locked })
		r, err := c.resolve(ctx, tx, login.UserIDs(users), c.session.Clients, params)
		if err != nil {
			return err
		}
		return c.finishLogin(ctx, tx, response, c.session.UserName, "", r)
	})
	if err != nil {
		return err
	}
	c.json(http.StatusOK, response)
	return nil
}

// finishLogin opens the session and sets the members of a completed log-in.
func (c *call) finishLogin(ctx context.Context, tx *store.Tx, response *wire.Object, userName, clients string, r *login.Login) error {
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
	tree, err := login.MenuTree(ctx, tx, r.ClientID, r.RoleID)
	if err != nil {
		return err
	}
	echo(r, response)
	response.Set("language", r.Language)
	response.Set("menuTreeId", tree)
	response.Set("token", token)
	response.Set("refresh_token", refresh)
	return nil
}

func claimsOf(r *login.Login, userName string, sessionID int64) *tokenClaims {
	claims := &tokenClaims{
		RegisteredClaims: jwt.RegisteredClaims{Subject: userName}, ClientID: &r.ClientID, UserID: &r.UserID, RoleID: &r.RoleID, OrgID: &r.OrgID,
		Language: r.Language, SessionID: &sessionID,
	}
	if r.OrgID > 0 && r.WarehouseID > 0 {
		claims.WarehouseID = &r.WarehouseID
	}
	return claims
}

// openSession writes the AD_Session row of a log-in. r may be nil for a
// request that has none.
func (s *Server) openSession(ctx context.Context, tx *store.Tx, r *http.Request, who *login.Login) (int64, error) {
	id, err := tx.NextID(ctx, "AD_Session")
	if err != nil {
		return 0, err
	}
	row := store.Row{
		"AD_Session_ID": id, "AD_Role_ID": who.RoleID, "Processed": "N", "LoginDate": engine.DBTime(s.now()),
		"WebSession": "rest", "ServerName": "erptest",
	}
	if r != nil {
		row["Remote_Addr"] = remoteHost(r)
		row["Remote_Host"] = remoteHost(r)
	}
	return id, s.erp.InsertRow(ctx, tx, "AD_Session", engine.Stamp{ClientID: who.ClientID, OrgID: who.OrgID, UserID: who.UserID}, row)
}

// echo sets the members that tell the caller what was not given as a number.
func echo(r *login.Login, o *wire.Object) {
	if r.EchoClient {
		o.Set("clientId", r.ClientID)
	}
	o.Set("userId", r.UserID)
	if r.EchoRole {
		o.Set("roleId", r.RoleID)
	}
	if r.EchoOrg {
		o.Set("organizationId", r.OrgID)
	}
	if r.EchoWarehouse && r.OrgID > 0 && r.WarehouseID > 0 {
		o.Set("warehouseId", r.WarehouseID)
	}
}

var choiceNames = []string{"clientId", "roleId", "organizationId", "warehouseId", "language"}

func readChoice(m members) (login.Request, error) {
	p := login.Request{Ok: true}
	var errs [5]error
	p.Client, p.HasClient, errs[0] = m.text("clientId")
	p.Role, p.HasRole, errs[1] = m.text("roleId")
	p.Org, p.HasOrg, errs[2] = m.text("organizationId")
	p.Warehouse, p.HasWarehouse, errs[3] = m.text("warehouseId")
	p.Language, _, errs[4] = m.text("language")
	for _, err := range errs {
		if err != nil {
			return p, err
		}
	}
	return p, nil
}
