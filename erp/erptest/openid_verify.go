package erptest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/login"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// openIDMethods are the signatures that count.
var openIDMethods = []string{jwt.SigningMethodRS256.Alg(), jwt.SigningMethodRS384.Alg(), jwt.SigningMethodRS512.Alg()}

// verifyOpenID checks a token with the provider's keys.
func (s *Server) verifyOpenID(ctx context.Context, p *OpenIDProvider, token string) (jwt.MapClaims, error) {
	claims := jwt.MapClaims{}
	var refused error
	_, err := jwt.NewParser(jwt.WithTimeFunc(s.now), jwt.WithIssuer(p.Issuer), jwt.WithIssuedAt()).
		ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
			id, _ := t.Header["kid"].(string)
			key, err := openIDKeyOf(ctx, p, id)
			if err == nil && !slices.Contains(openIDMethods, t.Method.Alg()) {
				err = unauthorized("Unsupported algorithm: " + t.Method.Alg())
			}
			refused = err
			return key, err
		})
	switch {
	case err == nil:
		return claims, nil
	case refused != nil:
		return nil, refused
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return nil, unauthorized("The Token's Signature resulted invalid when verified using the Algorithm: SHAwithRSA")
	case errors.Is(err, jwt.ErrTokenExpired):
		return nil, unauthorized("Token has expired")
	case errors.Is(err, jwt.ErrTokenNotValidYet), errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return nil, unauthorized("The Token can't be used yet.")
	}
	return nil, unauthorized("The token's claims are not what is required")
}

// resolveOpenID finds whom a token stands for, and opens a session. What the headers name
// must be there; whether the user has the role is not looked at.
func (c *call) resolveOpenID(ctx context.Context, tx *store.Tx, p *OpenIDProvider, claims jwt.MapClaims) (openIDLogin, error) {
	l := openIDLogin{clientID: p.Tenant, orgID: -1, roleID: -1}
	if err := c.openIDHeaders(ctx, tx, &l); err != nil {
		return l, err
	}
	if err := openIDUser(ctx, tx, &l, claims); err != nil {
		return l, err
	}
	if l.roleID < 0 {
		ids, err := engine.LookUpIDs(ctx, tx, `SELECT AD_Role_ID FROM AD_User_Roles WHERE IsActive='Y' AND AD_Client_ID=? AND AD_User_ID=?`, l.clientID, l.userID)
		if err != nil {
			return l, err
		}
		if len(ids) != 1 {
			return l, unauthorized("Missing Role Claim or Header")
		}
		l.roleID = ids[0]
	}
	if err := c.openIDOrganization(ctx, tx, &l); err != nil {
		return l, err
	}
	var err error
	l.sessionID, err = c.srv.openSession(ctx, tx, c.r, &login.Login{ClientID: l.clientID, UserID: l.userID, RoleID: l.roleID, OrgID: l.orgID})
	if err == nil {
		_, err = tx.Exec(ctx, `UPDATE AD_Session SET WebSession='idempiere-rest-oidc' WHERE AD_Session_ID=?`, l.sessionID)
	}
	return l, err
}

// openIDHeaders looks up what the headers name; without a header the id stays -1.
func (c *call) openIDHeaders(ctx context.Context, tx *store.Tx, l *openIDLogin) error {
	for _, named := range []struct {
		header, query string
		id            *int64
	}{
		{orgHeader, `SELECT AD_Org_ID FROM AD_Org WHERE AD_Client_ID=? AND Value=? AND IsActive='Y' ORDER BY AD_Org_ID`, &l.orgID},
		{roleHeader, `SELECT AD_Role_ID FROM AD_Role WHERE AD_Client_ID=? AND Name=? AND IsActive='Y' ORDER BY AD_Role_ID`, &l.roleID},
	} {
		value := c.r.Header.Get(named.header)
		switch {
		case value == "":
			continue
		case value == "*" && named.header == orgHeader:
			*named.id = 0
			continue
		}
		ids, err := engine.LookUpIDs(ctx, tx, named.query, l.clientID, value)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return unauthorized("Invalid " + named.header + " header")
		}
		*named.id = ids[0]
	}
	return nil
}

// openIDUser finds the user that the claims name.
func openIDUser(ctx context.Context, tx *store.Tx, l *openIDLogin, claims jwt.MapClaims) error {
	byEmail, err := engine.Sysconfig(ctx, tx, "USE_EMAIL_FOR_LOGIN", "N", 0, 0)
	if err != nil {
		return err
	}
	claim, column := "name", "Name"
	if byEmail == "Y" {
		claim, column = "email", "EMail"
	}
	name, _ := claims[claim].(string)
	if strings.TrimSpace(name) == "" {
		return unauthorized("Missing user claim")
	}
	ids, err := engine.LookUpIDs(ctx, tx, `SELECT AD_User_ID FROM AD_User WHERE AD_Client_ID IN (0,?) AND `+column+`=? AND IsActive='Y'
		ORDER BY AD_Client_ID DESC, AD_User_ID`, l.clientID, name)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return unauthorized("Invalid user claim")
	}
	l.userID, l.userName = ids[0], name
	return nil
}

// openIDOrganization finds the organization where no header names it, and refuses one
// that the role may not work in.
func (c *call) openIDOrganization(ctx context.Context, tx *store.Tx, l *openIDLogin) error {
	role, err := c.srv.erp.Roles.Get(ctx, tx, l.roleID, l.userID, c.srv.now())
	if err != nil {
		return err
	}
	if l.orgID >= 0 {
		if access, ok := role.Orgs[l.orgID]; !role.AllOrgs && (!ok || access.ReadOnly) {
			return unauthorized("Invalid user and organization combination")
		}
		return nil
	}
	ids, err := engine.LookUpIDs(ctx, tx, `SELECT AD_Org_ID FROM AD_Org WHERE AD_Client_ID=? AND AD_Org_ID<>0`, l.clientID)
	if err != nil {
		return err
	}
	if !role.AllOrgs {
		ids = slices.DeleteFunc(ids, func(id int64) bool { _, ok := role.Orgs[id]; return !ok })
	}
	if len(ids) != 1 {
		return unauthorized("Missing Organization Claim or Header")
	}
	l.orgID = ids[0]
	return nil
}
