package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/tokens"
)

// scopeTime is how long the rules of a role are believed, as long as SQL believes them.
const scopeTime = time.Minute

// identity is whom a caller acts for. known is false where nobody says. The error is
// why the token does not say all of it.
func (b *Toolbox) identity(ctx context.Context, caller mcp.Caller) (claims tokens.Claims, known bool, err error) {
	claims, _, err = backend.Read(ctx, b.pool, "tell who a token belongs to", func(ctx context.Context, i backend.Identifier) (tokens.Claims, error) {
		return i.Identity(ctx, caller)
	})
	if err == nil && claims.Complete {
		return claims, true, nil
	}
	if err == nil {
		err = errors.New("the token does not name a role")
	}
	if caller.Known { // verified, whatever else is in the token
		return tokens.Claims{UserID: caller.UserID, ClientID: caller.ClientID, RoleID: caller.RoleID, OrgID: caller.OrgID, Complete: true}, true, err
	}
	return claims, false, err
}

// scope is what the rules of the caller's role, or of the one that is named, let it
// see. It is nil where that cannot be found out.
func (b *Toolbox) scope(ctx context.Context, c *mcp.Call, role *int) *access.Scope {
	if !backend.Can[backend.Connector](b.pool) {
		return nil
	}
	who, known, _ := b.identity(ctx, c.Caller)
	if !known {
		return nil
	}
	of := who.RoleID
	if role != nil {
		of = *role
	}
	// What the rules are is read as the caller, whoever that is.
	key := fmt.Sprintf("%d/%d/%d reads %d", who.ClientID, who.RoleID, who.UserID, of)
	keep := true
	if !c.Caller.Known && c.Caller.Token.Reveal() != "" { // a token that is not verified shares with nobody
		key, keep = key+" in session "+c.Caller.Session+" of "+c.Caller.ID, c.Caller.Session != ""
	}
	if known, ok := b.scopes.get(key, b.now()); ok && keep {
		return known
	}
	ctx, client, err := b.connect(ctx, c, "read the rules of a role")
	if err != nil {
		return nil
	}
	scope, err := access.LoadScope(ctx, client, int64(of), int64(who.UserID))
	if err != nil {
		return nil
	}
	if keep {
		b.scopes.keep(key, scope, b.now().Add(scopeTime))
	}
	return scope
}

// limitsOf are the rules that keep records of tables from a role.
func limitsOf(s *access.Scope, tables ...*registry.Table) []access.Limit {
	var all []access.Limit
	if s == nil {
		return nil
	}
	for _, t := range tables {
		if t == nil {
			continue
		}
		for _, l := range s.Limits(access.Table{
			ID: int64(t.ID), Name: t.Name, AccessLevel: string(t.AccessLevel), View: t.View,
			HasColumn: func(name string) bool { _, ok := t.Column(name); return ok },
		}) {
			if !slices.ContainsFunc(all, func(other access.Limit) bool { return other.Text == l.Text }) {
				all = append(all, l)
			}
		}
	}
	return all
}

// counts says of whom a number is that was computed from tables.
func counts(s *access.Scope, tables ...*registry.Table) metrics.Counted {
	if s == nil || s.Role == "" {
		return metrics.Counted{Scope: "what your role sees"}
	}
	var parts []string
	for _, l := range limitsOf(s, tables...) {
		if !slices.Contains(parts, l.Short) {
			parts = append(parts, l.Short)
		}
	}
	if len(s.Unread) > 0 {
		parts = append(parts, "what "+strings.Join(s.Unread, ", ")+" lets it see")
	}
	return metrics.Counted{Tenant: s.Tenant, Scope: clip(strings.Join(parts, "; "), 300)}
}

// tablesOf are tables of the dictionary by name, without those it does not have.
func (b *Toolbox) tablesOf(ctx context.Context, c *mcp.Call, names ...string) []*registry.Table {
	var tables []*registry.Table
	for _, name := range names {
		if t, err := b.table(ctx, c, name); err == nil && t != nil {
			tables = append(tables, t)
		}
	}
	return tables
}
