package app

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/tokens"
)

var (
	// ofSystem are the paths of what is kept in the System tenant.
	ofSystem = regexp.MustCompile(`(?i)/(servers|caches|nodes)\b|/models/AD_|/processes/AD_`)
	// noRecord is in the server's words for a record that is not there, or is
	// another tenant's.
	noRecord = regexp.MustCompile(`(?i)no record|activity not found`)
)

// loginHint adds to a refusal of the ERP whose login it was: what one tenant may
// not do is often another's to do.
func (a *app) loginHint(ctx context.Context, err error) error {
	var refused *erp.Error
	if !errors.As(err, &refused) || ctx.Err() != nil {
		return err
	}
	claims, ok := a.claims(ctx)
	system, kept := claims.ClientID == 0, ofSystem.MatchString(refused.Path)
	switch {
	case !ok:
	case system && !kept && (refused.Status == 403 || refused.Status == 404 && noRecord.MatchString(refused.Title+" "+refused.Detail)):
		return fmt.Errorf("%w; %s", err, a.businessData(claims))
	case !system && kept && refused.Status == 403:
		return fmt.Errorf("%w; you are logged in as %s in tenant %d, and dictionary and server are looked after in tenant System: use a login there%s",
			err, claims.Subject, claims.ClientID, a.otherProfile(true))
	}
	return err
}

// emptyHint says why a list may be empty: data of tenants, asked for in the
// System tenant, are not an error, only never there. ofTenants tells whether the
// list is about such data.
func (a *app) emptyHint(ctx context.Context, ofTenants func() bool) {
	if claims, ok := a.claims(ctx); ok && claims.ClientID == 0 && ofTenants() {
		a.note("%s", a.businessData(claims))
	}
}

func (a *app) businessData(claims tokens.Claims) string {
	return fmt.Sprintf("you are logged in as %s in tenant System, and business data belong to the other tenants: use a login of one%s",
		claims.Subject, a.otherProfile(false))
}

// claims are those of the login that was used last, if the token tells.
func (a *app) claims(ctx context.Context) (tokens.Claims, bool) {
	if a.used == nil || a.used.made == nil {
		return tokens.Claims{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	token, err := a.used.made.Token(ctx)
	if err != nil {
		return tokens.Claims{}, false
	}
	claims, err := tokens.UnverifiedClaims(token)
	return claims, err == nil && claims.Complete
}

// otherProfile names a profile that logs in to the same ERP, in the System tenant
// or outside of it.
func (a *app) otherProfile(system bool) string {
	doc := a.used.resolver.Document
	if doc == nil {
		return ""
	}
	for _, name := range doc.Profiles() {
		url, _ := doc.Get(name, "url")
		client, set := doc.Get(name, "auth.default-client-id")
		if url == a.used.resolver.Lookup("url") && set && (client == "0") == system {
			return ", such as --profile " + name
		}
	}
	return ""
}

// ofTenants reports whether the records of a table belong to tenants, by its
// access level: organization, client, or both.
func ofTenants(ctx context.Context, client *erp.Client, table string) bool {
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	t, found, err := tableRecord(ctx, client, table, "AccessLevel")
	if err != nil || !found {
		return false
	}
	level, _ := t.Code("AccessLevel")
	return level == "1" || level == "2" || level == "3"
}
