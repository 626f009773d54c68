package erptest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	texts "github.com/erphub/erphub/internal/text"
)

const authPrefix = "/api/v1/auth/"

func authRoutes() []route {
	return []route{
		{method: http.MethodPost, pattern: "v1/auth/tokens", handle: logIn, public: true},
		{method: http.MethodPut, pattern: "v1/auth/tokens", handle: chooseTokens},
		{method: http.MethodPost, pattern: "v1/auth/refresh", handle: refreshTokens, public: true},
		{method: http.MethodPost, pattern: "v1/auth/logout", handle: logout, public: true},
		{method: http.MethodGet, pattern: "v1/auth/jwk", handle: jwk, public: true},
		{method: http.MethodGet, pattern: "v1/auth/roles", handle: choiceList("roles", listRoles)},
		{method: http.MethodGet, pattern: "v1/auth/organizations", handle: choiceList("organizations", listOrganizations)},
		{method: http.MethodGet, pattern: "v1/auth/warehouses", handle: choiceList("warehouses", listWarehouses)},
		{method: http.MethodGet, pattern: "v1/auth/language", handle: clientLanguage},
	}
}

// bearer is the token of an Authorization header: the second of its words
// separated by blanks, when the first is "Bearer" in just this spelling.
func bearer(r *http.Request) string {
	words := strings.Split(r.Header.Get("Authorization"), " ")
	if len(words) < 2 || words[0] != "Bearer" {
		return ""
	}
	return words[1]
}

// unauthorized is the refusal of a protected route: the reason is the title.
func unauthorized(title string) error { return fail(http.StatusUnauthorized, title, "") }

// authenticate sets c.session from the bearer token, or tells why it is not
// good: as JSON with the reason as title, or with the container's page.
func (c *call) authenticate() error {
	token := bearer(c.r)
	if token == "" {
		return page(http.StatusUnauthorized)
	}
	if p, err := c.srv.openIDProvider(token); p != nil || err != nil {
		if err != nil {
			return err
		}
		return c.authenticateOpenID(p, token)
	}
	claims, tokenErr := c.srv.readToken(token, false)
	if claims == nil {
		return unauthorized(tokenErr.Error())
	}
	ctx := c.ctx()
	return c.view(ctx, func(tx *store.Tx) error {
		// An API token that has expired is "blocked", any other "expired".
		row, err := c.srv.checkIssued(ctx, tx, token)
		if err != nil {
			return err
		}
		if tokenErr != nil {
			return unauthorized(tokenErr.Error())
		}
		below := strings.HasPrefix(c.r.URL.Path, authPrefix)
		switch {
		case claims.ClientID == nil && claims.Subject == "": // a refresh token, say
			return unauthorized("Invalid client claim")
		case claims.ClientID == nil && !below:
			return page(http.StatusUnauthorized)
		case claims.ClientID == nil:
			c.session = &engine.Session{ERP: c.srv.erp, UserName: claims.Subject, Clients: claims.clients()}
			return nil
		}
		s, err := c.srv.sessionOf(ctx, tx, claims, row)
		if err != nil {
			return err
		}
		return c.begin(ctx, tx, s)
	})
}

// begin lets the call work in a session.
func (c *call) begin(ctx context.Context, tx *store.Tx, s *engine.Session) (err error) {
	if s.Role, err = c.srv.erp.Roles.Get(ctx, tx, s.RoleID, s.UserID, c.srv.now()); err != nil {
		return err
	}
	s.TraceID = texts.First(c.r.Header.Get("X-External-Id"), 100)
	c.session = s
	if err := c.setLocale(ctx, tx); err != nil {
		return err
	}
	return c.checkResource(ctx, tx)
}

// checkIssued looks the token up among those that were issued and refuses the
// revoked and the blocked.
func (s *Server) checkIssued(ctx context.Context, tx *store.Tx, token string) (row *refreshRow, err error) {
	mark := fingerprint(token)
	if row, err = findRefresh(ctx, tx, `Token=?`, mark); err != nil {
		return nil, err
	}
	if row != nil {
		if row.revoked != 0 || s.passed(row.absolute) {
			return nil, unauthorized("Token is revoked")
		}
		return row, nil
	}
	var expires int64
	var active bool
	err = tx.QueryRow(ctx, `SELECT ExpiresAt, IsActive='Y' FROM REST_AuthToken WHERE Token=?`, mark).Scan(&expires, &active)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading API tokens: %w", err)
	}
	if !active || s.passed(expires) {
		return nil, unauthorized("Token is blocked")
	}
	return nil, nil
}

// sessionOf checks that what the claims name is there and active.
func (s *Server) sessionOf(ctx context.Context, tx *store.Tx, claims *tokenClaims, row *refreshRow) (*engine.Session, error) {
	id := func(p *int64) int64 {
		if p == nil {
			return -1
		}
		return *p
	}
	out := &engine.Session{
		ERP:      s.erp,
		ClientID: *claims.ClientID, UserID: id(claims.UserID), RoleID: id(claims.RoleID), OrgID: max(id(claims.OrgID), 0),
		WarehouseID: max(id(claims.WarehouseID), 0), SessionID: id(claims.SessionID),
		UserName: claims.Subject, Language: claims.Language, Clients: claims.clients(), LoggedIn: row != nil,
	}
	var client, user, role, sess, processed sql.NullString
	var password string
	err := tx.QueryRow(ctx, `SELECT c.IsActive, u.IsActive, r.IsActive, s.IsActive, s.Processed, COALESCE(u.Password,'')||'/'||COALESCE(u.Salt,'')
		FROM (SELECT 1) LEFT JOIN AD_Client c ON c.AD_Client_ID=? LEFT JOIN AD_User u ON u.AD_User_ID=?
		LEFT JOIN AD_Role r ON r.AD_Role_ID=? LEFT JOIN AD_Session s ON s.AD_Session_ID=?`,
		out.ClientID, out.UserID, out.RoleID, out.SessionID).Scan(&client, &user, &role, &sess, &processed, &password)
	if err != nil {
		return nil, fmt.Errorf("checking a token's claims: %w", err)
	}
	for _, check := range []struct {
		active sql.NullString
		name   string
	}{{client, "client"}, {user, "user"}, {role, "role"}} {
		if !check.active.Valid {
			return nil, unauthorized("Invalid " + check.name + " claim")
		}
		if check.active.String != "Y" {
			return nil, unauthorized(strings.ToUpper(check.name[:1]) + check.name[1:] + " is inactive")
		}
	}
	if sess.String != "Y" {
		return nil, unauthorized("Invalid session claim")
	}
	if row != nil && row.passwordMark != fingerprint(password) {
		return nil, unauthorized("Token is revoked")
	}
	if processed.String == "Y" && row == nil {
		return nil, page(http.StatusUnauthorized)
	}
	return out, nil
}

// setLocale lets the query parameter locale win over the token's language for
// this request, when it names an active system language.
func (c *call) setLocale(ctx context.Context, tx *store.Tx) error {
	wanted := c.query.get("locale")
	if wanted == "" {
		return nil
	}
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM AD_Language WHERE AD_Language=? AND IsActive='Y' AND (IsSystemLanguage='Y' OR IsBaseLanguage='Y')`, wanted).Scan(&n)
	if err != nil {
		return fmt.Errorf("looking for a language: %w", err)
	}
	if n > 0 {
		c.session.Language = wanted
	}
	return nil
}

// remoteHost is the caller's address without its port.
func remoteHost(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
