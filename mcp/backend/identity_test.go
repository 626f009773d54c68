package backend_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/tokens"
)

// headers notes what requests carry.
type headers struct {
	next http.RoundTripper
	mu   sync.Mutex // guards seen
	seen []http.Header
}

func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	h.seen = append(h.seen, r.Header.Clone())
	h.mu.Unlock()
	return h.next.RoundTrip(r)
}

// The identity of a caller goes to the ERP with the caller's token, and with no other.
func TestIdentityGoesWithItsToken(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	own := srv.TokenSource(erptest.GardenAdmin)
	sent := &headers{next: http.DefaultTransport}
	b, err := backend.NewREST(srv.URL(), &backend.RESTOptions{Own: own, Transport: sent, Registry: backend.RegistryOptions{Wait: 5 * time.Minute}})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	token, err := own.Token(t.Context())
	require.NoError(t, err)
	identity := &mcp.Identity{Role: "GardenWorld Admin", Organization: "HQ", Language: "es_CO", IDToken: tokens.NewSecret("an.id.token")}
	for _, caller := range []mcp.Caller{
		{Token: tokens.NewSecret(token), Identity: identity},
		{Token: tokens.NewSecret(token)},
		{Identity: identity}, // without a token: the program's own is used
	} {
		sent.seen = nil
		_, err := b.Search(t.Context(), caller, backend.Search{Table: "AD_Client", Limit: 1})
		require.NoError(t, err)
		for _, h := range sent.seen {
			if caller.Identity == nil || caller.Token.IsZero() {
				assert.Empty(t, h.Get("X-ID-Role"))
				assert.Empty(t, h.Get("X-ID-IdToken"))
				continue
			}
			assert.Equal(t, []string{"GardenWorld Admin", "HQ", "es_CO", "an.id.token"},
				[]string{h.Get("X-ID-Role"), h.Get("X-ID-Organization"), h.Get("X-ID-Language"), h.Get("X-ID-IdToken")})
		}
	}
	sent.mu.Lock()
	sent.seen = nil
	sent.mu.Unlock()
	_, err = b.Registry(t.Context(), mcp.Caller{Token: tokens.NewSecret(token), Identity: identity, Known: true, ClientID: 11, RoleID: 102})
	require.NoError(t, err)
	sent.mu.Lock()
	require.NotEmpty(t, sent.seen)
	for _, h := range sent.seen {
		assert.Equal(t, h.Get("Authorization") != "", h.Get("X-ID-Role") != "", "the dictionary is read with the identity, too")
	}
	sent.mu.Unlock()
	claims, err := b.Identity(t.Context(), mcp.Caller{UserID: 1, ClientID: 2, RoleID: 3, OrgID: 4, Known: true, Identity: identity})
	require.NoError(t, err)
	assert.Equal(t, tokens.Claims{UserID: 1, ClientID: 2, RoleID: 3, OrgID: 4, Language: "es_CO", Complete: true}, claims)
}

// Where the ERP's own tokens alone are known, a caller of a provider is refused, and another
// backend may try.
func TestBackendsForTheERPsOwnTokens(t *testing.T) {
	t.Parallel()
	caller := mcp.Caller{Token: tokens.NewSecret("a.b.c"), Known: true, Identity: &mcp.Identity{}}
	ai, err := backend.NewAI("http://127.0.0.1:1", nil)
	require.NoError(t, err)
	cli, err := backend.NewCLI("http://127.0.0.1:1", &backend.CLIOptions{Program: script(t, "exit 0")})
	require.NoError(t, err)
	for _, b := range []interface {
		backend.Backend
		backend.Querier
	}{ai, cli} {
		_, checked := b.Check(t.Context(), caller)
		_, queried := b.Query(t.Context(), caller, backend.Query{SQL: "SELECT 1"})
		for _, err := range []error{checked, queried} {
			var refused *mcp.Error
			require.ErrorAs(t, err, &refused, "%s", b.Name())
			assert.Equal(t, mcp.CodeUnsupported, refused.Code)
			assert.True(t, errors.Is(err, errors.ErrUnsupported))
			assert.NotErrorIs(t, err, erp.ErrUnreachable)
		}
	}
}
