package shell

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/tokens"
)

// HintTime bounds what looking for a hint may add to a failure.
const HintTime = 5 * time.Second

var (
	// ofSystem are the paths of what is kept in the System tenant.
	ofSystem = lazyregexp.New(`(?i)/(servers|caches|nodes)\b|/models/AD_|/processes/AD_`)
	// noRecord is in the server's words for a record that is not there, or is
	// another tenant's.
	noRecord = lazyregexp.New(`(?i)no record|activity not found`)
	// noColumn is in the server's words for a column that the role may not write,
	// all of them where a window of the role shows a table of other tenants.
	noColumn = lazyregexp.New(`^No access to update column`)
)

// loginHint adds to a refusal of the ERP whose login it was: what one tenant may
// not do is often another's to do.
func (sh *Shell) loginHint(ctx context.Context, err error) error {
	if sh.refusesVariables(err) {
		return fmt.Errorf("%w; the login is that of ERP_USERNAME, which takes tenant and role from ERP_CLIENT_ID and ERP_ROLE_ID and not from a profile", err)
	}
	var refused *erp.Error
	if !errors.As(err, &refused) || ctx.Err() != nil {
		return err
	}
	claims, ok := sh.Claims(ctx)
	system, kept := claims.ClientID == 0, ofSystem().MatchString(refused.Path)
	switch {
	case !ok:
	case system && !kept && (refused.Status == 403 || refused.Status == 400 && noColumn().MatchString(refused.Detail) ||
		refused.Status == 404 && noRecord().MatchString(refused.Title+" "+refused.Detail)):
		return fmt.Errorf("%w; %s", err, sh.businessData(claims))
	case !system && kept && refused.Status == 403:
		return fmt.Errorf("%w; you are logged in as %s in tenant %d, and dictionary and server are looked after in tenant System: use a login there%s",
			err, claims.Subject, claims.ClientID, sh.otherProfile(true))
	}
	return err
}

// refusesVariables reports whether err is about the login of ERP_USERNAME.
func (sh *Shell) refusesVariables(err error) bool {
	return errors.Is(err, tokens.ErrAuthentication) && sh.used != nil && sh.used.Resolver.LoginOrigin() == config.FromEnv && sh.used.Resolver.Lookup("auth.username") != ""
}

// EmptyHint says why a list may be empty: data of tenants, asked for in the
// System tenant, are not an error, only never there. ofTenants reports whether the
// list is about such data.
func (sh *Shell) EmptyHint(ctx context.Context, ofTenants func() bool) {
	if claims, ok := sh.Claims(ctx); ok && claims.ClientID == 0 && ofTenants() {
		sh.Note("%s", sh.businessData(claims))
	}
}

func (sh *Shell) businessData(claims tokens.Claims) string {
	return fmt.Sprintf("you are logged in as %s in tenant System, and business data belong to the other tenants: use a login of one%s",
		claims.Subject, sh.otherProfile(false))
}

// Claims are those of the login that was used last, if the token tells.
func (sh *Shell) Claims(ctx context.Context) (tokens.Claims, bool) {
	if sh.used == nil || sh.used.made == nil {
		return tokens.Claims{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, HintTime)
	defer cancel()
	token, err := sh.used.made.Token(ctx)
	if err != nil {
		return tokens.Claims{}, false
	}
	claims, err := tokens.UnverifiedClaims(token)
	return claims, err == nil && claims.Complete
}

// otherProfile names a profile that logs in to the same ERP, in the System tenant
// or outside of it.
func (sh *Shell) otherProfile(system bool) string {
	doc := sh.used.Resolver.Document
	if doc == nil {
		return ""
	}
	for _, name := range doc.Profiles() {
		url, _ := doc.Get(name, "url")
		client, set := doc.Get(name, "auth.default-client-id")
		if url == sh.used.Resolver.Lookup("url") && set && (client == "0") == system {
			return ", such as --profile " + name
		}
	}
	return ""
}

// OfTenants reports whether the records of a table belong to tenants, by its
// access level: organization, client, or both.
func OfTenants(ctx context.Context, client *erp.Client, table string) bool {
	ctx, cancel := context.WithTimeout(ctx, HintTime)
	defer cancel()
	t, found, err := TableRecord(ctx, client, table, "AccessLevel")
	if err != nil || !found {
		return false
	}
	level, _ := t.Code("AccessLevel")
	return level == "1" || level == "2" || level == "3"
}

// TableRecord is the dictionary's record of a table.
func TableRecord(ctx context.Context, client *erp.Client, table string, columns ...string) (erp.Record, bool, error) {
	return oneOf(ctx, client, "AD_Table", erp.Eq(erp.ToLower("TableName"), strings.ToLower(table)), columns...)
}

// oneOf is the first record that a filter finds.
func oneOf(ctx context.Context, client *erp.Client, table string, filter erp.Filter, columns ...string) (rec erp.Record, found bool, err error) {
	for rec, err := range client.Records(ctx, table, &erp.Query{Filter: filter, Select: columns}) {
		return rec, err == nil, err
	}
	return rec, false, nil
}
