package backend

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// AIOptions change [NewAI]. Nil and the zero value are the defaults.
type AIOptions struct {
	// Own gives the program's own token (AI_API_TOKEN), for callers that bring
	// none; nil refuses them.
	Own aiclient.TokenSource
	// Role is the role to query under where nobody says another (AI_ROLE_ID): for
	// the program's own token before the caller's role, for a caller's token
	// after it. nil: none.
	Role *int
	// OwnRole is the role of the program's own login where its token names none;
	// nil: none.
	OwnRole *int
	// Optional says that there may be no AI API at the address. It is used once
	// [AIBackend.Probe] or [AIBackend.Watch] found one.
	Optional bool
	// Patience is that of [RESTOptions].
	Patience time.Duration
	// Transport carries the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
	Logger    *slog.Logger // nil is silent
}

// AIBackend calls the AI API, as the caller: a call sends the token of the
// caller it is made for, and no other. It runs statements and describes
// single tables; the API lists neither tables nor records.
type AIBackend struct {
	client *aiclient.Client
	role   *int
	own    aiclient.TokenSource
	ownID  *int // role of own where the token names none
	life   *lifeline
	tokens callerTokens
	found  *presence // nil: it is there for certain
}

var (
	_ Optional  = (*AIBackend)(nil)
	_ Pinger    = (*AIBackend)(nil)
	_ Querier   = (*AIBackend)(nil)
	_ Describer = (*AIBackend)(nil)
)

// NewAI makes a backend over the AI API at an address, with or without its
// /api/ai. It sends nothing.
func NewAI(address string, opts *AIOptions) (*AIBackend, error) {
	o := *cmp.Or(opts, &AIOptions{})
	b := &AIBackend{role: o.Role, own: o.Own, ownID: o.OwnRole}
	asker, err := aiclient.New(address) // tells where the API is
	if err != nil {
		return nil, err
	}
	b.life = newLifeline(asker.Address()+"/health", o.Transport, o.Patience, o.Logger)
	b.tokens = callerTokens{own: o.Own, life: b.life, none: errNoAIToken, provided: errProvided}
	b.client, err = aiclient.New(address,
		aiclient.WithHTTPClient(&http.Client{Transport: mcp.ReadingTransport(b.life)}),
		aiclient.WithTokenSource(b.tokens), aiclient.WithUserAgent("erphub-mcp"), aiclient.WithLogger(o.Logger))
	if err != nil {
		return nil, err
	}
	if o.Optional {
		if b.found, err = newPresence(address, &o); err != nil {
			return nil, err
		}
	}
	return b, nil
}

var errNoAIToken = &mcp.Error{
	Code: mcp.CodeUnauthorized, Message: "the call has no bearer token for the AI API",
	Hint: "connect with an Authorization header, or give the server a token of its own (AI_API_TOKEN)",
}

// as is the client and context of calls for a caller under a role: the one
// named; for the program's own token AI_ROLE_ID; the caller's; that of the
// program's own token; AI_ROLE_ID.
func (b *AIBackend) as(ctx context.Context, caller mcp.Caller, named *int) (context.Context, *aiclient.Client, bool) {
	own := caller.Token.Reveal() == ""
	with := context.WithValue(ctx, callerKey{}, caller)
	role, ok := roleOf(caller, named)
	switch {
	case named != nil:
	case own && b.role != nil:
		role, ok = *b.role, true // the caller's role is not one of the program's own user
	case !ok && own:
		role, ok = b.ownRole(ctx)
	case !ok && b.role != nil:
		role, ok = *b.role, true
	}
	if !ok {
		return with, b.client, false
	}
	return with, b.client.As(role), true
}

// ownRole is the role in the program's own token.
func (b *AIBackend) ownRole(ctx context.Context) (int, bool) {
	if b.own == nil {
		return 0, false
	}
	token, err := b.life.token(ctx, b.own)
	if err != nil {
		return 0, false // the call finds out why
	}
	claims, err := tokens.UnverifiedClaims(token) // it is our own
	switch {
	case err == nil && claims.Complete:
		return claims.RoleID, true
	case b.ownID != nil:
		return *b.ownID, true
	}
	return 0, false
}

var errNoRole = &mcp.Error{
	Code: mcp.CodeInvalidArguments, Message: "a query needs a role, and none is known for this call",
	Hint: "give roleId, or set AI_ROLE_ID for the server",
}

// noRole is why no role is known: none is set, or there is no token that could
// name one.
func (b *AIBackend) noRole(ctx context.Context) error {
	if _, err := b.tokens.Token(ctx); err != nil {
		return queryError(ctx, err)
	}
	return errNoRole
}

// Name is ai.
func (b *AIBackend) Name() Name { return AI }

// Ping checks whether the AI API responds; see [Pinger].
func (b *AIBackend) Ping(ctx context.Context) error { return b.life.ping(ctx) }

// Check requests the caller's roles, which needs a valid token.
func (b *AIBackend) Check(ctx context.Context, caller mcp.Caller) (string, error) {
	with, client, ok := b.as(ctx, caller, nil)
	roles, err := client.Roles(with)
	if err != nil {
		return "", queryError(ctx, err)
	}
	text := fmt.Sprintf("the AI API at %s responds", client.Address())
	role, _ := client.Role()
	if !ok {
		return text + "; no role is set: give roleId, or set AI_ROLE_ID", nil
	}
	i := slices.IndexFunc(roles, func(r api.RoleInfo) bool { return r.ID == role })
	if i < 0 {
		return "", &mcp.Error{Code: mcp.CodePermissionDenied, Message: fmt.Sprintf("%s, but role %d is none of the caller's", text, role), Hint: "set another AI_ROLE_ID, or connect with a token for another role"}
	}
	return fmt.Sprintf("%s under role %s", text, roles[i].Name), nil
}

// Query runs a statement.
func (b *AIBackend) Query(ctx context.Context, caller mcp.Caller, q Query) (*api.Result, error) {
	with, client, ok := b.as(ctx, caller, q.RoleID)
	if !ok {
		return nil, b.noRole(with)
	}
	r, err := client.Query(with, aiQuery(q))
	return r, b.doubt(queryError(ctx, err))
}

// Explain tells how a statement would be run.
func (b *AIBackend) Explain(ctx context.Context, caller mcp.Caller, q Query) (*api.Explanation, error) {
	with, client, ok := b.as(ctx, caller, q.RoleID)
	if !ok {
		return nil, b.noRole(with)
	}
	e, err := client.Explain(with, aiQuery(q))
	return e, b.doubt(queryError(ctx, err))
}

func aiQuery(q Query) aiclient.Query {
	out := aiclient.Query{SQL: q.SQL, MaxRows: q.MaxRows}
	for _, p := range q.Params {
		out.Params = append(out.Params, p)
	}
	return out
}

// Describe describes a table.
func (b *AIBackend) Describe(ctx context.Context, caller mcp.Caller, role *int, table string) (*api.TableMetadata, error) {
	with, client, _ := b.as(ctx, caller, role) // without a role the service takes the token's
	m, err := client.TableMetadata(with, table)
	return m, b.doubt(queryError(ctx, err))
}
