package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testopenid"
)

// The tools work as the user of a token of the provider that --authorization-server names,
// with the role and organization of the headers; without the flag such a token is refused.
func TestToolsWithAnOpenIDProvider(t *testing.T) {
	t.Parallel()
	provider := testopenid.New(t)
	srv := erptest.New(t, erptest.Options{OpenIDProviders: []erptest.OpenIDProvider{{Issuer: provider.URL, Audience: testopenid.Audience, Tenant: 11}}})
	env := []string{"ERP_URL=" + srv.URL()}
	token := provider.Token(t, "GardenAdmin", time.Now(), nil)
	headers := func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("X-ID-Role", "GardenWorld Admin")
		r.Header.Set("X-ID-Organization", "HQ")
	}
	tools := serve(t, env, "server", "mcp")
	status, body := tools.call(http.MethodGet, "/mcp", "", headers)
	assert.Equal(t, http.StatusUnauthorized, status, body)
	require.Zero(t, tools.stop())

	tools = serve(t, env, "server", "mcp", "--authorization-server", provider.URL)
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "go-sdk", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: tools.url + "/mcp", HTTPClient: &http.Client{Transport: changed(headers)},
	}, nil)
	require.NoError(t, err, tools.errOut.String())
	result, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "whoAmI"})
	require.NoError(t, err)
	text, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	for _, name := range []string{"GardenAdmin", "GardenWorld Admin", "HQ"} {
		assert.Contains(t, string(text), `"`+name+`"`)
	}
	require.NoError(t, cs.Close())
	status, body = tools.call(http.MethodGet, "/.well-known/oauth-protected-resource", "", nil)
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, provider.URL)
	require.Zero(t, tools.stop())
	assert.NotContains(t, tools.errOut.String(), token)
}

// changed changes requests on their way.
type changed func(*http.Request)

func (c changed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	c(r)
	return http.DefaultTransport.RoundTrip(r)
}
