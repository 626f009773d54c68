package erptest

import (
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// OpenIDProvider is an OpenID provider whose access tokens the server takes beside its
// own, as the real server does for a record of REST_OIDCService. A token names its user
// in the claim name, or in email with USE_EMAIL_FOR_LOGIN=Y. The headers X-ID-Role and
// X-ID-Organization name role and organization where the user has several, and count
// for the first request with a token: what it led to is remembered for an hour.
//
// Like the real server, this one does not ask whether the user has the role that the
// header names. The mode in which roles come from the token is not there.
type OpenIDProvider struct {
	// Issuer and Audience are what its tokens have in the claims iss and aud. A token
	// without a text in aud has the audience in client_id.
	Issuer, Audience string
	// ConfigurationURL is the address of its configuration, which says where its keys
	// are; empty: below the issuer, at /.well-known/openid-configuration.
	ConfigurationURL string
	// Tenant is the AD_Client_ID that its users work in.
	Tenant int64
}

// The headers that go with a token of a provider.
const (
	roleHeader      = "X-ID-Role"
	orgHeader       = "X-ID-Organization"
	warehouseHeader = "X-ID-Warehouse"
	languageHeader  = "X-ID-Language"
)

// What is remembered of tokens, and how long.
const (
	openIDRemembered = time.Hour
	openIDEnded      = 2 * time.Hour
	maxOpenID        = 10_000 // of each kind
)

// openIDTokens is what the server knows of tokens of providers, by their fingerprints.
// The zero value is empty.
type openIDTokens struct {
	mu    sync.Mutex // guards what follows
	known map[string]openIDLogin
	ended map[string]time.Time // until when
}

// openIDLogin is what a token has led to.
type openIDLogin struct {
	clientID, userID, roleID, orgID, sessionID int64
	userName                                   string
	until                                      time.Time
}

// find is what is known of a token.
func (o *openIDTokens) find(mark string, now time.Time) (l openIDLogin, known, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, known = o.known[mark]
	return l, known && now.Before(l.until), now.Before(o.ended[mark])
}

func (o *openIDTokens) remember(mark string, l openIDLogin) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil || len(o.known) >= maxOpenID {
		o.known = map[string]openIDLogin{}
	}
	o.known[mark] = l
}

// end has a token count no longer, and returns what it led to.
func (o *openIDTokens) end(mark string, now time.Time) (openIDLogin, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended == nil || len(o.ended) >= maxOpenID {
		o.ended = map[string]time.Time{}
	}
	o.ended[mark] = now.Add(openIDEnded)
	l, known := o.known[mark]
	delete(o.known, mark)
	return l, known
}

// openIDProvider is the provider of a token; nil for a token of another kind. The error
// refuses one that looks like a provider's.
func (s *Server) openIDProvider(token string) (*OpenIDProvider, error) {
	claims := jwt.MapClaims{}
	parsed, _, err := jwt.NewParser().ParseUnverified(token, claims)
	if err != nil {
		return nil, nil // whoever reads it next says what is wrong
	}
	text := func(from map[string]any, name string) string { s, _ := from[name].(string); return s }
	issuer, audience := text(claims, "iss"), text(claims, "aud")
	if text(parsed.Header, "typ") != "JWT" || issuer == "" || audience == "" {
		audience = text(claims, "client_id")
	}
	if text(parsed.Header, "kid") == "" || audience == "" {
		return nil, nil
	}
	if end, err := claims.GetExpirationTime(); err == nil && end != nil && !end.After(s.now()) {
		return nil, unauthorized("Token has expired")
	}
	for i, p := range s.opts.OpenIDProviders {
		if p.Issuer == issuer && p.Audience == audience {
			return &s.opts.OpenIDProviders[i], nil
		}
	}
	return nil, unauthorized("No matching OpenID Connect service configuration for access token")
}

// authenticateOpenID sets c.session from a token of a provider.
func (c *call) authenticateOpenID(p *OpenIDProvider, token string) error {
	ctx, mark, now := c.ctx(), fingerprint(token), c.srv.now()
	l, known, ended := c.srv.openID.find(mark, now)
	if ended {
		return unauthorized("Token has been revoked")
	}
	if !known {
		claims, err := c.srv.verifyOpenID(ctx, p, token)
		if err != nil {
			return err
		}
		err = c.update(ctx, func(tx *store.Tx) error {
			l, err = c.resolveOpenID(ctx, tx, p, claims)
			return err
		})
		if err != nil {
			return err
		}
		l.until = now.Add(openIDRemembered)
		c.srv.openID.remember(mark, l)
	}
	return c.view(ctx, func(tx *store.Tx) error {
		out := &engine.Session{
			ERP: c.srv.erp, ClientID: l.clientID, UserID: l.userID, RoleID: l.roleID, OrgID: l.orgID, SessionID: l.sessionID,
			UserName: l.userName, Language: c.r.Header.Get(languageHeader),
		}
		if name := c.r.Header.Get(warehouseHeader); name != "" {
			ids, err := engine.LookUpIDs(ctx, tx, `SELECT M_Warehouse_ID FROM M_Warehouse WHERE AD_Client_ID=? AND Name=? AND IsActive='Y'`, l.clientID, name)
			if err != nil {
				return err
			}
			if len(ids) > 0 {
				out.WarehouseID = ids[0]
			}
		}
		return c.begin(ctx, tx, out)
	})
}

// logoutOpenID ends a token of a provider, and reports whether it was one that was used.
func (c *call) logoutOpenID(token string) (bool, error) {
	if p, err := c.srv.openIDProvider(token); p == nil || err != nil {
		return false, nil //nolint:nilerr // as for a token that nobody knows
	}
	l, known := c.srv.openID.end(fingerprint(token), c.srv.now())
	if !known {
		return false, nil
	}
	return true, c.update(c.ctx(), func(tx *store.Tx) error {
		_, err := tx.Exec(c.ctx(), `UPDATE AD_Session SET Processed='Y', Updated=? WHERE AD_Session_ID=?`, engine.DBTime(c.srv.now()), l.sessionID)
		return err
	})
}
