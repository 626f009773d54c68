package erptest_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

const (
	invalidRefresh = `{"title":"Authenticate error","status":401,"detail":"Invalid refresh token"}`
	revoked        = `{"title":"Token is revoked","status":401}`
	expired        = `{"title":"Token has expired","status":401}`
)

func refresh(t testing.TB, srv *erptest.Server, body string) response {
	t.Helper()
	return request{method: "POST", path: "/auth/refresh", body: body}.do(t, srv)
}

// probe asks a protected route that needs nothing but a good token.
func probe(t testing.TB, srv *erptest.Server, token string) response {
	t.Helper()
	return request{method: "PUT", path: "/auth/tokens", token: token, body: `{}`}.do(t, srv)
}

// letIn reports whether the token passes: the probe itself is then refused by
// the operation, with a detail.
func letIn(t testing.TB, srv *erptest.Server, token string) bool {
	t.Helper()
	a := probe(t, srv, token)
	return strings.Contains(a.body, `"detail":"Invalid clientId"`)
}

func TestRefreshRotates(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := erptest.New(t, erptest.Options{Clock: clock.Now})
	token, spent := logIn(t, srv, asGardenAdmin)
	clock.Advance(10 * time.Minute)

	a := refresh(t, srv, refreshBody(spent, 11, 101))
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.Equal(t, []string{"token", "refresh_token"}, memberNames(t, a.body))
	before, _ := claimsOf(t, srv, token)
	after, _ := claimsOf(t, srv, a.text(t, "token"))
	assert.NotEqual(t, before["exp"], after["exp"])
	delete(before, "exp")
	delete(after, "exp")
	assert.Equal(t, before, after, "claims are copied, the session is kept")

	assert.True(t, letIn(t, srv, token), "rotation does not revoke the old access token")
	assert.True(t, letIn(t, srv, a.text(t, "token")))
	clock.Advance(51 * time.Minute)
	assert.Equal(t, expired, probe(t, srv, token).body)
	assert.True(t, letIn(t, srv, a.text(t, "token")))
}

func TestRefreshRefused(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	access, good := logIn(t, srv, asGardenAdmin)
	forged, err := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{"iss": "idempiere.org", "jti": "00"}).SignedString([]byte("guess"))
	require.NoError(t, err)
	for _, tc := range []struct{ name, body, detail string }{
		{"no clientId", `{"refresh_token":"x"}`, "No clientId provided"},
		{"no userId", `{"refresh_token":"x","clientId":11}`, "No userId provided"},
		{"no token", `{"clientId":11,"userId":101}`, "The token is null."},
		{"no JWT", `{"refresh_token":"x","clientId":11,"userId":101}`, "The token was expected to have 3 parts, but got 0."},
		{"forged", refreshBody(forged, 11, 101), "The Token's Signature resulted invalid when verified using the Algorithm: HmacSHA512"},
		{"an access token", refreshBody(access, 11, 101), "Invalid refresh token"},
		{"another tenant", refreshBody(good, 1000000, 101), "Invalid refresh token"},
		{"another user", refreshBody(good, 11, 102), "Invalid refresh token"},
	} {
		a := refresh(t, srv, tc.body)
		assert.Equal(t, http.StatusUnauthorized, a.status, tc.name)
		assert.Equal(t, `{"title":"Authenticate error","status":401,"detail":"`+tc.detail+`"}`, a.body, tc.name)
	}
	a := refresh(t, srv, refreshBody(good, 11, 101))
	assert.Equal(t, http.StatusOK, a.status, "refusals did not spend the token: %s", a.body)
}

func TestRefreshOptionalIDs(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	setConfig(t, srv, "REST_MANDATORY_CLIENT_ID_ON_REFRESH", "N")
	setConfig(t, srv, "REST_MANDATORY_USER_ID_ON_REFRESH", "N")
	_, good := logIn(t, srv, asGardenAdmin)
	assert.Equal(t, http.StatusOK, refresh(t, srv, `{"refresh_token":"`+good+`"}`).status)
}

func TestRefreshSpelling(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		srv := erptest.New(t, erptest.Options{Strict: strict})
		_, good := logIn(t, srv, asGardenAdmin)
		a := refresh(t, srv, strings.Replace(refreshBody(good, 11, 101), "refresh_token", "refreshToken", 1))
		if strict {
			assert.Equal(t, http.StatusBadRequest, a.status)
			assert.Equal(t, "text/plain", a.header.Get("Content-Type"))
		} else {
			assert.Equal(t, http.StatusOK, a.status, a.body)
		}
	}
}

func TestReuseRevokesTheChain(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	var access, tokens []string
	a1, r1 := logIn(t, srv, asGardenAdmin)
	access, tokens = append(access, a1), append(tokens, r1)
	for range 3 {
		a := refresh(t, srv, refreshBody(tokens[len(tokens)-1], 11, 101))
		require.Equal(t, http.StatusOK, a.status, a.body)
		access, tokens = append(access, a.text(t, "token")), append(tokens, a.text(t, "refresh_token"))
	}
	otherAccess, other := logIn(t, srv, asGardenAdmin)

	a := refresh(t, srv, refreshBody(tokens[1], 11, 101))
	assert.Equal(t, invalidRefresh, a.body)
	for i, token := range access {
		assert.Equal(t, revoked, probe(t, srv, token).body, "access token %d", i)
	}
	assert.Equal(t, invalidRefresh, refresh(t, srv, refreshBody(tokens[3], 11, 101)).body, "the newest of the chain")
	assert.True(t, letIn(t, srv, otherAccess), "another log-in of the same user goes on")
	assert.Equal(t, http.StatusOK, refresh(t, srv, refreshBody(other, 11, 101)).status)

	states, err := srv.RefreshTokens(t.Context())
	require.NoError(t, err)
	require.Len(t, states, 2)
	assert.Equal(t, []string{"C", "B", "C", "C"}, states[0].Revoked)
	assert.Equal(t, 4, states[0].Issued)
	assert.Equal(t, 3, states[0].Spent)
	assert.Empty(t, states[1].Revoked)
}

func TestRefreshExpiry(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		config map[string]string
		step   time.Duration // between refreshes
		times  int           // of refreshing that go well
		access string        // the response to the last access token right after
	}{
		{"idle for a day", nil, 24 * time.Hour, 0, expired},
		{"refreshed often: a week at most", nil, 23 * time.Hour, 7, revoked},
		{"absolute limit off", map[string]string{"REST_TOKEN_ABSOLUTE_EXPIRE_IN_MINUTES": "0"}, 23 * time.Hour, 20, ""},
		{"short idle time", map[string]string{"REST_REFRESH_TOKEN_EXPIRE_IN_MINUTES": "5"}, 5 * time.Minute, 0, ""},
		{"no idle limit", map[string]string{"REST_REFRESH_TOKEN_EXPIRE_IN_MINUTES": "0", "REST_TOKEN_ABSOLUTE_EXPIRE_IN_MINUTES": "0"}, 1000 * time.Hour, 5, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			clock := newClock()
			srv := erptest.New(t, erptest.Options{Clock: clock.Now})
			for key, value := range tc.config {
				setConfig(t, srv, key, value)
			}
			access, token := logIn(t, srv, asGardenAdmin)
			for range tc.times {
				clock.Advance(tc.step)
				a := refresh(t, srv, refreshBody(token, 11, 101))
				require.Equal(t, http.StatusOK, a.status, "at %s: %s", clock.Now(), a.body)
				access, token = a.text(t, "token"), a.text(t, "refresh_token")
			}
			if tc.times > 7 || tc.config["REST_REFRESH_TOKEN_EXPIRE_IN_MINUTES"] == "0" {
				return
			}
			clock.Advance(tc.step)
			assert.Equal(t, invalidRefresh, refresh(t, srv, refreshBody(token, 11, 101)).body)
			if tc.access != "" {
				assert.Contains(t, []string{tc.access}, probe(t, srv, access).body)
			}
		})
	}
}

func TestAccessTokenLifetime(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := erptest.New(t, erptest.Options{Clock: clock.Now})
	setConfig(t, srv, "REST_TOKEN_EXPIRE_IN_MINUTES", "0")
	token, _ := logIn(t, srv, asGardenAdmin)
	claims, _ := claimsOf(t, srv, token)
	assert.NotContains(t, claims, "exp")
	clock.Advance(7*24*time.Hour - time.Second)
	assert.True(t, letIn(t, srv, token))
	clock.Advance(time.Second)
	assert.Equal(t, revoked, probe(t, srv, token).body, "the absolute limit ends it")
}

func TestLogout(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := erptest.New(t, erptest.Options{Clock: clock.Now})
	logout := func(token string) response {
		return request{method: "POST", path: "/auth/logout", body: `{"token":"` + token + `"}`}.do(t, srv)
	}
	first := request{method: "POST", path: "/auth/tokens", body: `{"userName":"GardenAdmin","password":"GardenAdmin"}`}.do(t, srv).text(t, "token")
	a := logout(first)
	assert.Equal(t, http.StatusNotFound, a.status)
	assert.Equal(t, `{"title":"AD_Session_ID not found","status":404}`, a.body)
	assert.Equal(t, `{"title":"Authenticate error","status":401,"detail":"The token was expected to have 3 parts, but got 2."}`, logout("a.b").body)
	assert.Equal(t, http.StatusInternalServerError, request{method: "POST", path: "/auth/logout", body: `{}`}.do(t, srv).status)

	token, again := logIn(t, srv, asGardenAdmin)
	clock.Advance(2 * time.Hour)
	a = refresh(t, srv, refreshBody(again, 11, 101))
	require.Equal(t, http.StatusOK, a.status)
	newest, newestRefresh := a.text(t, "token"), a.text(t, "refresh_token")
	a = logout(token) // expired and superseded, and good enough
	assert.Equal(t, http.StatusOK, a.status)
	assert.Equal(t, `{"summary":"OK"}`, a.body)
	assert.Equal(t, revoked, probe(t, srv, newest).body)
	assert.Equal(t, invalidRefresh, refresh(t, srv, refreshBody(newestRefresh, 11, 101)).body)
	states, err := srv.RefreshTokens(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"L", "L"}, states[0].Revoked)
}

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	good, refreshToken := logIn(t, srv, asGardenAdmin)
	parts := strings.Split(good, ".")
	sign := func(method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
		s, err := jwt.NewWithClaims(method, claims).SignedString(key)
		require.NoError(t, err)
		return s
	}
	claims, _ := claimsOf(t, srv, good)
	secret := []byte(srv.TokenSecret())
	without := func(name string, value any) jwt.MapClaims {
		m := jwt.MapClaims{}
		for k, v := range claims {
			m[k] = v
		}
		m[name] = value
		return m
	}
	const signature = `{"title":"The Token's Signature resulted invalid when verified using the Algorithm: HmacSHA512","status":401}`
	const algorithm = `{"title":"The provided Algorithm doesn't match the one defined in the JWT's Header.","status":401}`
	for _, tc := range []struct {
		name, authorization, body string // body "" is the container's page
	}{
		{"no header", "", ""},
		{"another scheme", "Basic R2FyZGVuOkFkbWlu", ""},
		{"scheme in lower case", "bearer " + good, ""},
		{"nothing after the scheme", "Bearer ", ""},
		{"no JWT", "Bearer x", `{"title":"The token was expected to have 3 parts, but got 0.","status":401}`},
		{"two parts", "Bearer x.y", `{"title":"The token was expected to have 3 parts, but got 2.","status":401}`},
		{"four parts", "Bearer a.b.c.d", `{"title":"The token was expected to have 3 parts, but got > 3.","status":401}`},
		{"not base 64", "Bearer !.!.!", `{"title":"The token's header or payload is not base 64 encoded JSON.","status":401}`},
		{"signature changed", "Bearer " + parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])), signature},
		{"payload of another token", "Bearer " + parts[0] + "." + strings.Split(refreshToken, ".")[1] + "." + parts[2], signature},
		{"another key", "Bearer " + sign(jwt.SigningMethodHS512, []byte("guess"), claims), signature},
		{"algorithm none", "Bearer " + sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, claims), algorithm},
		{"algorithm HS256", "Bearer " + sign(jwt.SigningMethodHS256, secret, claims), algorithm},
		{"another issuer", "Bearer " + sign(jwt.SigningMethodHS512, secret, without("iss", "elsewhere")), `{"title":"The Claim 'iss' value doesn't match the required issuer.","status":401}`},
		{"refresh token", "Bearer " + refreshToken, `{"title":"Invalid client claim","status":401}`},
		{"unknown tenant", "Bearer " + sign(jwt.SigningMethodHS512, secret, without("AD_Client_ID", 4711)), `{"title":"Invalid client claim","status":401}`},
		{"unknown user", "Bearer " + sign(jwt.SigningMethodHS512, secret, without("AD_User_ID", 4711)), `{"title":"Invalid user claim","status":401}`},
		{"unknown role", "Bearer " + sign(jwt.SigningMethodHS512, secret, without("AD_Role_ID", 4711)), `{"title":"Invalid role claim","status":401}`},
		{"unknown session", "Bearer " + sign(jwt.SigningMethodHS512, secret, without("AD_Session_ID", 4711)), `{"title":"Invalid session claim","status":401}`},
		{"expired", "Bearer " + sign(jwt.SigningMethodHS512, secret, without("exp", 1)), expired},
		{"not valid yet", "Bearer " + sign(jwt.SigningMethodHS512, secret, without("nbf", 4102444800)), `{"title":"The Token can't be used before 2100-01-01T00:00:00Z.","status":401}`},
		{"issued in the future", "Bearer " + sign(jwt.SigningMethodHS512, secret, without("iat", 4102444800)), `{"title":"The Token can't be used before 2100-01-01T00:00:00Z.","status":401}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			if tc.authorization != "" {
				header.Set("Authorization", tc.authorization)
			}
			a := request{method: "GET", path: "/models/C_BPartner", header: header}.do(t, srv)
			assert.Equal(t, http.StatusUnauthorized, a.status)
			if tc.body == "" {
				assert.True(t, a.isContainerPage(), a.body)
				header.Set("Accept", "application/json")
				a = request{method: "GET", path: "/models/C_BPartner", header: header}.do(t, srv)
				assert.Equal(t, `{"url":"/api/v1/models/C_BPartner","status":"401","message":"Unauthorized","servlet":"rest"}`, a.body)
				return
			}
			assert.Equal(t, tc.body, a.body)
		})
	}
}

func TestJWK(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	a := request{method: "GET", path: "/auth/jwk"}.do(t, srv)
	assert.Equal(t, `{}`, a.body)
	setConfig(t, srv, "IDEMPIERE_REST_EXPOSE_JWK", "Y")
	for _, srv := range []*erptest.Server{srv, erptest.New(t, erptest.Options{ExposeJWK: true})} {
		a = request{method: "GET", path: "/auth/jwk"}.do(t, srv)
		keys := a.object(t)["keys"].([]any)
		require.Len(t, keys, 1)
		key := keys[0].(map[string]any)
		assert.Equal(t, "HS512", key["alg"])
		assert.Equal(t, "idempiere", key["kid"])
		assert.Equal(t, "oct", key["kty"])
		secret, err := base64Std(key["k"].(string))
		require.NoError(t, err)
		assert.Equal(t, srv.TokenSecret(), string(secret))
	}
	assert.NotEqual(t, srv.TokenSecret(), erptest.New(t).TokenSecret(), "each database has a secret of its own")
}

func TestAPIToken(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := erptest.New(t, erptest.Options{Clock: clock.Now})
	const blocked = `{"title":"Token is blocked","status":401}`
	forever, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	short, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 30*24*time.Hour)
	require.NoError(t, err)
	claims, _ := claimsOf(t, srv, forever)
	assert.NotContains(t, claims, "exp")
	assert.Equal(t, "GardenAdmin", claims["sub"])

	clock.Advance(29 * 24 * time.Hour)
	assert.True(t, letIn(t, srv, short))
	clock.Advance(24 * time.Hour)
	assert.Equal(t, blocked, probe(t, srv, short).body)
	clock.Advance(1000 * 24 * time.Hour)
	assert.True(t, letIn(t, srv, forever))
	require.NoError(t, srv.BlockAPIToken(t.Context(), forever))
	assert.Equal(t, blocked, probe(t, srv, forever).body)

	t.Run("logged out", func(t *testing.T) {
		token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
		require.NoError(t, err)
		a := request{method: "POST", path: "/auth/logout", body: `{"token":"` + token + `"}`}.do(t, srv)
		assert.Equal(t, http.StatusInternalServerError, a.status)
		a = probe(t, srv, token)
		assert.Equal(t, http.StatusUnauthorized, a.status)
		assert.True(t, a.isContainerPage())
	})
	t.Run("refused", func(t *testing.T) {
		for _, tc := range []struct {
			user              string
			client, role, org int64
			lifetime          time.Duration
		}{
			{"Nobody", 11, 102, 11, 0}, {"GardenUser", 11, 102, 11, 0}, {"GardenUser", 1000000, 103, 11, 0},
			{"GardenUser", 11, 103, 12, 0}, {"GardenUser", 11, 103, 11, -1},
		} {
			_, err := srv.APIToken(t.Context(), tc.user, tc.client, tc.role, tc.org, tc.lifetime)
			assert.ErrorContains(t, err, tc.user)
		}
		assert.Error(t, srv.BlockAPIToken(t.Context(), "unknown"))
	})
}

func TestConcurrentRefreshesOfOneToken(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	_, token := logIn(t, srv, asGardenAdmin)
	var mu sync.Mutex
	won := 0
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if refresh(t, srv, refreshBody(token, 11, 101)).status == http.StatusOK {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 1, won, "a refresh token is good once")
	states, err := srv.RefreshTokens(t.Context())
	require.NoError(t, err)
	assert.Len(t, states[0].Revoked, 2, "the others were taken for theft")
}

func TestConcurrentLogins(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	sessions := make([]any, 20)
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			token, _ := logIn(t, srv, asGardenUser)
			claims, _ := claimsOf(t, srv, token)
			sessions[i] = claims["AD_Session_ID"]
		})
	}
	wg.Wait()
	seen := map[any]bool{}
	for _, s := range sessions {
		assert.False(t, seen[s], "two log-ins share session %v", s)
		seen[s] = true
	}
}
