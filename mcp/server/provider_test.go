package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// provider lets in the token "provided".
type provider struct{ asked []mcp.Identity }

func (p *provider) Issued(token string) bool { return token == "provided" }

func (p *provider) Verify(_ context.Context, _ string, identity mcp.Identity) (tokens.Claims, error) {
	p.asked = append(p.asked, identity)
	return tokens.Claims{Subject: "login", ClientID: 11, UserID: 101, RoleID: 102, OrgID: 11, ExpiresAt: time.Now().Add(time.Hour), Complete: true}, nil
}

// Of the headers that go to the ERP nothing goes there that is not one name.
func TestIdentityHeaders(t *testing.T) {
	t.Parallel()
	p := &provider{}
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { o.Provider = p })
	long := strings.Repeat("x", maxIdentity)
	for name, test := range map[string]struct {
		headers http.Header
		want    *mcp.Identity // nil: refused
	}{
		"none":              {http.Header{}, &mcp.Identity{}},
		"all":               {http.Header{"X-Id-Role": {"Ventas España"}, "X-Id-Organization": {"*"}, "X-Id-Warehouse": {"HQ"}, "X-Id-Language": {"es_CO"}}, &mcp.Identity{Role: "Ventas España", Organization: "*", Warehouse: "HQ", Language: "es_CO"}},
		"others do not go":  {http.Header{"X-Id-Tenant": {"12"}, "X-Forwarded-User": {"admin"}}, &mcp.Identity{}},
		"as long as can be": {http.Header{"X-Id-Role": {long}}, &mcp.Identity{Role: long}},
		"too long":          {http.Header{"X-Id-Role": {long + "x"}}, nil},
		"twice":             {http.Header{"X-Id-Role": {"Admin", "User"}}, nil},
		"twice the same":    {http.Header{"X-Id-Organization": {"HQ", "HQ"}}, nil},
		"a line break":      {http.Header{"X-Id-Role": {"Admin\r\nX-Other: 1"}}, nil},
		"a tab":             {http.Header{"X-Id-Warehouse": {"H\tQ"}}, nil},
		"a NUL":             {http.Header{"X-Id-Language": {"es\x00"}}, nil},
		"no text":           {http.Header{"X-Id-Role": {"\xff"}}, nil},
		"a long ID token":   {http.Header{"X-Id-Idtoken": {strings.Repeat("x", maxToken+1)}}, nil},
	} {
		p.asked = nil
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		r.Header = test.headers
		r.Host = "localhost"
		r.Header.Set("Authorization", "Bearer provided")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		in.Handler().ServeHTTP(w, r)
		if test.want == nil {
			assert.Equal(t, http.StatusBadRequest, w.Code, "%s: %s", name, w.Body)
			assert.Empty(t, p.asked, name)
			continue
		}
		require.Equal(t, http.StatusOK, w.Code, "%s: %s", name, w.Body)
		assert.Equal(t, []mcp.Identity{*test.want}, p.asked, name)
	}
}

// A caller of a provider is told apart from one of the ERP, and sessions of two logins from
// each other.
func TestProvidedCaller(t *testing.T) {
	t.Parallel()
	s := &Server{opts: Options{Provider: &provider{}}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	r.Header.Set("X-ID-IdToken", "secret.id.token")
	info, err := s.verifyProvided(r, "provided")
	require.NoError(t, err)
	caller, ok := callerOf(info)
	require.True(t, ok)
	assert.Equal(t, "openid:login", caller.Session)
	assert.Equal(t, "11/101/102/11", info.UserID)
	require.NotNil(t, caller.Identity)
	assert.Equal(t, "secret.id.token", caller.Identity.IDToken.Reveal())
}

// A server without a verifier takes tokens of its provider alone.
func TestProviderAlone(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { o.Provider, o.Verifier = &provider{}, nil })
	for token, want := range map[string]int{"provided": http.StatusOK, "another": http.StatusUnauthorized} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		r.Host = "localhost"
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		w := httptest.NewRecorder()
		in.Handler().ServeHTTP(w, r)
		assert.Equal(t, want, w.Code, "%s: %s", token, w.Body)
	}
}
