package openid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// denied refuses a token that the ERP takes.
func denied(hint, format string, args ...any) error {
	return &mcp.Error{Code: mcp.CodePermissionDenied, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// finder reads records with the token that it is about.
type finder struct {
	client *erp.Client
	token  tokens.Secret
	taken  bool // the ERP takes the token
	// unknown says that the ERP knows nothing of the token: it refused it with a reason, or
	// was not reached.
	unknown bool
}

// clean is what the ERP said, without the token.
func (f *finder) clean(said string) string {
	return text.Shorten(text.OneLine(strings.ReplaceAll(said, f.token.Reveal(), "[redacted]")), 200)
}

// find reads the active records of a table that match, at most two.
func (f *finder) find(ctx context.Context, table string, filter erp.Filter, columns ...string) ([]erp.Record, error) {
	var responded *erp.Error
	var lost *erp.ConnError
	page, err := f.client.Query(ctx, table, &erp.Query{Filter: filter, Select: columns, Top: 2})
	switch {
	case err == nil:
		f.taken = true
		return page.Records, nil
	case errors.As(err, &responded) && responded.Status == http.StatusUnauthorized && !f.taken:
		f.unknown = !responded.Page
		return nil, fmt.Errorf("%w: the ERP refused it: %s", tokens.ErrInvalidToken, f.clean(responded.Title))
	case errors.Is(err, erp.ErrForbidden), errors.Is(err, erp.ErrUnauthorized), errors.Is(err, erp.ErrNotFound):
		return nil, denied("ask the administrator of the ERP to let the role read AD_User, AD_User_Roles, AD_Role and AD_Org",
			"it cannot be found out whom the token stands for: the role may not read %s", table)
	case errors.As(err, &lost) && !f.taken:
		f.unknown = !lost.Sent
	}
	return nil, err
}

// whois finds out whom the ERP works for, by its own rules, and that the user has the
// role.
func (f *finder) whois(ctx context.Context, c claims, identity mcp.Identity) (tokens.Claims, error) {
	out := tokens.Claims{Subject: c.login, Issuer: c.issuer, Language: identity.Language, ExpiresAt: c.ends, Complete: true}
	user, err := f.user(ctx, c)
	if err != nil {
		return tokens.Claims{}, err
	}
	out.UserID = number(user)
	role, err := f.role(ctx, out.UserID, identity.Role)
	if err != nil {
		return tokens.Claims{}, err
	}
	out.RoleID = number(role)
	tenant, ok := role.Ref("AD_Client_ID")
	id, isNumber := tenant.ID.Int()
	if !ok || !isNumber {
		return tokens.Claims{}, denied("", "the tenant of the role cannot be read")
	}
	out.ClientID = int(id)
	out.OrgID, err = f.organization(ctx, out.ClientID, identity.Organization)
	if err != nil {
		return tokens.Claims{}, err
	}
	return out, nil
}

// number is the id of a record whose table has one.
func number(r erp.Record) int {
	id, _ := r.ID().Int()
	return int(id)
}

// one is the only record of a table that matches.
func (f *finder) one(ctx context.Context, table string, filter erp.Filter, hint string, columns ...string) (erp.Record, error) {
	found, err := f.find(ctx, table, filter, columns...)
	switch {
	case err != nil:
		return erp.Record{}, err
	case len(found) == 0:
		return erp.Record{}, denied(hint, "the token stands for no active record of %s that the role may see", table)
	case len(found) > 1:
		return erp.Record{}, denied(hint, "the token can stand for more than one record of %s", table)
	}
	if _, ok := found[0].ID().Int(); !ok {
		return erp.Record{}, denied(hint, "the record of %s has no number", table)
	}
	return found[0], nil
}

// user finds the user by the claim that the ERP goes by: name, or email with
// USE_EMAIL_FOR_LOGIN. A role that may not read the setting is let in where both claims
// mean the same user.
func (f *finder) user(ctx context.Context, c claims) (erp.Record, error) {
	const hint = "ask the administrator of the ERP: the claims name and email have to name one user"
	setting, err := f.find(ctx, "AD_SysConfig", erp.Eq("Name", "USE_EMAIL_FOR_LOGIN").And(erp.Eq("AD_Client_ID", 0)), "Value")
	var refused *mcp.Error
	secret := errors.As(err, &refused)
	if err != nil && !secret {
		return erp.Record{}, err
	}
	f.taken = true
	column, value := "Name", cmp.Or(c.name, c.username)
	if len(setting) > 0 {
		if y, _ := setting[0].Text("Value"); strings.EqualFold(y, "Y") || strings.EqualFold(y, "true") {
			column, value = "EMail", c.email
		}
	}
	if value == "" || column == "Name" && c.username != "" && c.username != value {
		return erp.Record{}, denied(hint, "the token does not name its user, or names two")
	}
	user, err := f.one(ctx, "AD_User", erp.Eq(column, value), hint, "Name", "EMail")
	if err != nil {
		return user, err
	}
	if email, _ := user.Text("EMail"); secret && c.email != "" && email != c.email {
		return erp.Record{}, denied("ask the administrator of the ERP to let the role read AD_SysConfig, or to give the user the email of the provider",
			"the role may not read whether the ERP goes by the claim name or email, and they name different users")
	}
	return user, nil
}

// role finds the role, and refuses one that the user does not have: the ERP does not.
func (f *finder) role(ctx context.Context, user int, name string) (erp.Record, error) {
	hint := "send the name of a role that the user has in X-ID-Role"
	theirs := erp.Eq("AD_User_ID", user)
	if name != "" {
		role, err := f.one(ctx, "AD_Role", erp.Eq("Name", name), hint, "AD_Client_ID")
		if err != nil {
			return role, err
		}
		found, err := f.find(ctx, "AD_User_Roles", theirs.And(erp.Eq("AD_Role_ID", number(role))), "AD_User_ID", "AD_Role_ID")
		if err == nil && len(found) == 0 {
			err = denied(hint, "the user of the token does not have the role that X-ID-Role names")
		}
		return role, err
	}
	found, err := f.find(ctx, "AD_User_Roles", theirs, "AD_Role_ID")
	if err != nil {
		return erp.Record{}, err
	}
	if len(found) != 1 {
		return erp.Record{}, denied(hint, "the user of the token has no role or several, and no header names one")
	}
	ref, _ := found[0].Ref("AD_Role_ID")
	id, ok := ref.ID.Int()
	if !ok {
		return erp.Record{}, denied(hint, "the role of the user cannot be read")
	}
	return f.one(ctx, "AD_Role", erp.Eq("AD_Role_ID", id), hint, "AD_Client_ID")
}

// organization finds the organization: that of the header, or the only one.
func (f *finder) organization(ctx context.Context, tenant int, key string) (int, error) {
	if key == "*" {
		return 0, nil
	}
	filter := erp.Eq("AD_Client_ID", tenant).And(erp.Neq("AD_Org_ID", 0))
	if key != "" {
		filter = filter.And(erp.Eq("Value", key))
	}
	org, err := f.one(ctx, "AD_Org", filter, "send the search key of an organization of the role in X-ID-Organization, * for all", "Value")
	return number(org), err
}
