package tokens_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// A program's own token is the ERP's affair alone: its yes counts for any form of
// token, and its no is noticed as soon as for others.
func TestTheERPAlone(t *testing.T) {
	t.Parallel()
	clock := newClock()
	var yes atomic.Bool
	yes.Store(true)
	srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
		if yes.Load() {
			say(200, `{"models":[]}`)(w, r)
			return
		}
		say(401, `{"title":"Token is revoked"}`)(w, r)
	})
	v, err := tokens.NewIntrospectionVerifier(srv.URL, tokens.ERPAlone(), tokens.VerifierClock(clock.Now))
	require.NoError(t, err)
	strict, err := tokens.NewIntrospectionVerifier(srv.URL, tokens.VerifierClock(clock.Now))
	require.NoError(t, err)
	forms := map[string]string{
		"another issuer":    sign(t, jwt.SigningMethodHS512, secretB, jwt.MapClaims{"iss": "https://login.example.com", "exp": clock.Now().Add(time.Hour).Unix()}),
		"another algorithm": sign(t, jwt.SigningMethodHS256, secretB, jwt.MapClaims{"exp": clock.Now().Add(time.Hour).Unix()}),
		"no role":           sign(t, jwt.SigningMethodHS512, secretB, jwt.MapClaims{"AD_Role_ID": nil, "exp": clock.Now().Add(time.Hour).Unix()}),
		"no end":            sign(t, jwt.SigningMethodHS512, secretB, jwt.MapClaims{"exp": nil}),
		"no form at all":    "opaque",
	}
	for name, token := range forms {
		_, err := strict.Verify(t.Context(), token)
		require.ErrorIs(t, err, tokens.ErrInvalidToken, name)
		_, err = v.Verify(t.Context(), token)
		require.NoError(t, err, name)
	}
	yes.Store(false)
	clock.Advance(29 * time.Second)
	for name, token := range forms {
		_, err := v.Verify(t.Context(), token)
		require.NoError(t, err, name)
	}
	clock.Advance(2 * time.Second)
	for name, token := range forms {
		_, err := v.Verify(t.Context(), token)
		require.ErrorIs(t, err, tokens.ErrInvalidToken, name)
	}
	_, err = tokens.NewSecretVerifier(secretA, tokens.ERPAlone())
	require.ErrorContains(t, err, "only introspection")
}
