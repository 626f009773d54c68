package browserlogin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

func whoami(t *testing.T, cs *sdk.ClientSession) (out whoOut) {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "whoami", Arguments: map[string]any{}})
	require.NoError(t, err)
	text, err := json.Marshal(res.StructuredContent)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// A client that knows the address alone is let in as whoever logs in, with the role
// that they choose.
func TestClientWithAddressAlone(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	for name, tt := range map[string]struct {
		user    string
		choices map[string]string
		role    int
	}{
		"a user with one role": {user: "GardenUser", role: 103},
		"a user who chooses":   {user: "GardenAdmin", choices: map[string]string{"client": "11", "role": "102", "organization": "11"}, role: 102},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t, tt.user)
			p.choices = tt.choices
			who := whoami(t, h.connect(t, p))
			assert.Equal(t, tt.role, who.Role)
			assert.True(t, who.ERP, "calls are made with a token of the ERP")
			t.Logf("asked for %v", p.asked)
		})
	}
}

// Tokens are renewed, the last one alone; old access tokens end with their time.
func TestRefresh(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	g := h.grant(t, newPerson(t, "GardenUser"))
	assert.True(t, h.opens(t, g.access))
	status, out := h.refresh(t, g.client, g.refresh)
	require.Equal(t, http.StatusOK, status, "%v", out)
	assert.EqualValues(t, 3600, out["expires_in"])
	assert.True(t, h.opens(t, g.access), "calls under way end well")
	assert.True(t, h.opens(t, out["access_token"].(string)))
	h.pass(61 * time.Minute)
	assert.False(t, h.opens(t, out["access_token"].(string)), "it has ended")
	status, out = h.refresh(t, g.client, out["refresh_token"].(string))
	require.Equal(t, http.StatusOK, status, "%v", out)
	assert.True(t, h.opens(t, out["access_token"].(string)))
}

// A client ends its grant, and with it the login at the ERP.
func TestRevoke(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(granted) string{
		"by its access token":  func(g granted) string { return g.access },
		"by its refresh token": func(g granted) string { return g.refresh },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, erptest.New(t), nil)
			g := h.grant(t, newPerson(t, "GardenUser"))
			status, _ := post(t, h.url+"/oauth/revoke", url.Values{"token": {of(g)}, "client_id": {g.client}})
			require.Equal(t, http.StatusOK, status)
			assert.False(t, h.opens(t, g.access))
			status, out := h.refresh(t, g.client, g.refresh)
			assert.Equal(t, http.StatusBadRequest, status)
			assert.Equal(t, "invalid_grant", out["error"])
			assert.Equal(t, 1, h.erp.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/auth/logout"}))
			status, _ = post(t, h.url+"/oauth/revoke", url.Values{"token": {of(g)}})
			assert.Equal(t, http.StatusOK, status, "that there is no such token is not said")
		})
	}
}
