package backend_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/tokens"
)

// renewing gives one token after the other as they are refused.
type renewing struct {
	mu     sync.Mutex
	tokens []string
}

func (r *renewing) Token(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.tokens) == 0 {
		return "", tokens.ErrAuthentication
	}
	return r.tokens[0], nil
}

func (r *renewing) Invalidate(_ context.Context, token string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.tokens) > 0 && r.tokens[0] == token {
		r.tokens = r.tokens[1:]
	}
	return nil
}

// The program's own login counts as long as the ERP accepts it, whatever its tokens
// look like; what can be renewed is.
func TestAdmit(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token := func() string {
		text, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
		require.NoError(t, err)
		return text
	}
	revoked := func() string {
		text := token()
		require.NoError(t, srv.BlockAPIToken(t.Context(), text))
		return text
	}
	unlimited, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	foreign, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": "elsewhere"}).SignedString([]byte("somebody else's"))
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		own     erp.TokenSource
		caller  mcp.Caller
		away    bool
		refused bool
	}{
		"a good login":                      {own: erp.StaticToken(token())},
		"one without an end":                {own: erp.StaticToken(unlimited)},
		"a revoked login":                   {own: erp.StaticToken(revoked()), refused: true},
		"no token of this ERP":              {own: erp.StaticToken(foreign), refused: true},
		"a revoked token, renewed":          {own: &renewing{tokens: []string{revoked(), token()}}},
		"a revoked token that has no other": {own: &renewing{tokens: []string{revoked()}}, refused: true},
		"a revoked token, then another":     {own: &renewing{tokens: []string{revoked(), revoked(), token()}}, refused: true},
		"nobody is logged in":               {},
		"a caller with a token":             {own: erp.StaticToken(revoked()), caller: mcp.Caller{Token: tokens.NewSecret("checked elsewhere")}},
		"the ERP is away":                   {own: erp.StaticToken(revoked()), away: true},
	} {
		t.Run(name, func(t *testing.T) {
			url := srv.URL()
			if tc.away {
				url = "http://127.0.0.1:1"
			}
			b, err := backend.NewREST(url, &backend.RESTOptions{Own: tc.own})
			require.NoError(t, err)
			t.Cleanup(b.Close)
			err = b.Admit(t.Context(), tc.caller)
			if !tc.refused {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			e := mcp.ErrorOf(err)
			assert.Equal(t, mcp.CodeUnauthorized, e.Code)
			assert.Contains(t, e.Hint, "ask your user to log in again")
		})
	}

	// It asks the ERP now and then, not for each call.
	b, err := backend.NewREST(srv.URL(), &backend.RESTOptions{Own: erp.StaticToken(token())})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	srv.Faults().Reset()
	for range 20 {
		require.NoError(t, b.Admit(t.Context(), mcp.Caller{}))
	}
	assert.Equal(t, 1, srv.Faults().Count(erptest.Match{Method: http.MethodGet, Path: "/models"}))
}
