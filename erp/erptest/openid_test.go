package erptest_test

import (
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testclock"
	"github.com/erphub/erphub/internal/testkit/testopenid"
)

// openIDWorld is a server that takes tokens of a provider.
type openIDWorld struct {
	*erptest.Server
	provider *testopenid.Provider
	clock    *testclock.Clock
}

func newOpenIDWorld(t testing.TB) *openIDWorld {
	w := &openIDWorld{provider: testopenid.New(t), clock: newClock()}
	w.Server = erptest.New(t, erptest.Options{
		Clock: w.clock.Now, OpenIDProviders: []erptest.OpenIDProvider{{Issuer: w.provider.URL, Audience: testopenid.Audience, Tenant: 11}},
	})
	return w
}

func (w *openIDWorld) token(t testing.TB, user string, change jwt.MapClaims) string {
	return w.provider.Token(t, user, w.clock.Now(), change)
}

// get requests the tenants that a token sees, with headers in pairs.
func (w *openIDWorld) get(t testing.TB, token string, headers ...string) response {
	t.Helper()
	return request{method: http.MethodGet, path: "/models/ad_client?$select=Name", token: token, header: pairs(headers)}.do(t, w.Server)
}

func pairs(list []string) http.Header {
	h := http.Header{}
	for i := 0; i < len(list); i += 2 {
		h.Set(list[i], list[i+1])
	}
	return h
}

func (w *openIDWorld) sql(t testing.TB, statement string) {
	t.Helper()
	require.NoError(t, w.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), statement)
		return err
	}))
}

// refusedAs says that a response refuses a token for this reason.
func refusedAs(t testing.TB, a response, title string) {
	t.Helper()
	assert.Equal(t, http.StatusUnauthorized, a.status, a.body)
	assert.Equal(t, title, a.text(t, "title"))
}

func TestOpenIDTokens(t *testing.T) {
	t.Parallel()
	w := newOpenIDWorld(t)
	w.sql(t, `UPDATE AD_User SET IsActive='N' WHERE Name='Carl Boss'`)
	now := w.clock.Now()
	public, err := x509.MarshalPKIXPublicKey(&w.provider.Key.PublicKey)
	require.NoError(t, err)
	secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	claims := func() jwt.MapClaims { return w.provider.Claims("GardenAdmin", now) }
	admin := []string{"X-ID-Role", "GardenWorld Admin", "X-ID-Organization", "HQ"}
	user := []string{"X-ID-Role", "GardenWorld User", "X-ID-Organization", "HQ"}
	for name, test := range map[string]struct {
		token   string
		headers []string
		refused string // "" is taken
	}{
		"with role and organization":     {w.token(t, "GardenAdmin", nil), admin, ""},
		"every organization":             {w.token(t, "GardenAdmin", nil), []string{"X-ID-Role", "GardenWorld Admin", "X-ID-Organization", "*"}, ""},
		"the only role and organization": {w.token(t, "GardenUser", nil), nil, ""},
		"RS512":                          {testopenid.Sign(t, jwt.SigningMethodRS512, testopenid.KeyID, claims(), w.provider.Key), admin, ""},
		"audience in client_id":          {w.token(t, "GardenAdmin", jwt.MapClaims{"aud": []string{"a", "b"}, "client_id": testopenid.Audience}), admin, ""},

		"expired":              {w.token(t, "GardenAdmin", jwt.MapClaims{"exp": now.Unix()}), admin, "Token has expired"},
		"another issuer":       {w.token(t, "GardenAdmin", jwt.MapClaims{"iss": "https://elsewhere.example"}), admin, "No matching OpenID Connect service configuration for access token"},
		"another audience":     {w.token(t, "GardenAdmin", jwt.MapClaims{"aud": "shop"}), admin, "No matching OpenID Connect service configuration for access token"},
		"several audiences":    {w.token(t, "GardenAdmin", jwt.MapClaims{"aud": []string{testopenid.Audience}}), admin, "The provided Algorithm doesn't match the one defined in the JWT's Header."},
		"no signature":         {testopenid.Sign(t, jwt.SigningMethodNone, testopenid.KeyID, claims(), jwt.UnsafeAllowNoneSignatureType), admin, "Unsupported algorithm: none"},
		"public key as secret": {testopenid.Sign(t, jwt.SigningMethodHS256, testopenid.KeyID, claims(), secret), admin, "Unsupported algorithm: HS256"},
		"unknown key":          {testopenid.Sign(t, jwt.SigningMethodRS256, "key-2", claims(), w.provider.Key), admin, "No key found in " + w.provider.URL + "/keys with kid key-2"},
		"key of somebody":      {testopenid.Sign(t, jwt.SigningMethodRS256, testopenid.KeyID, claims(), testopenid.New(t).Key), admin, "The Token's Signature resulted invalid when verified using the Algorithm: SHAwithRSA"},
		"no key named":         {testopenid.Sign(t, jwt.SigningMethodRS256, "", claims(), w.provider.Key), admin, "The provided Algorithm doesn't match the one defined in the JWT's Header."},

		"no role":                     {w.token(t, "SuperUser", nil), nil, "Missing Role Claim or Header"},
		"role unknown":                {w.token(t, "GardenAdmin", nil), []string{"X-ID-Role", "Nobody"}, "Invalid X-ID-Role header"},
		"role of another tenant":      {w.token(t, "GardenAdmin", nil), []string{"X-ID-Role", "FernGrove Admin"}, "Invalid X-ID-Role header"},
		"organization unknown":        {w.token(t, "GardenAdmin", nil), []string{"X-ID-Role", "GardenWorld Admin", "X-ID-Organization", "Moon"}, "Invalid X-ID-Organization header"},
		"no organization":             {w.token(t, "GardenAdmin", nil), []string{"X-ID-Role", "GardenWorld Admin"}, "Missing Organization Claim or Header"},
		"organization without access": {w.token(t, "GardenUser", nil), []string{"X-ID-Role", "GardenWorld User", "X-ID-Organization", "Central"}, "Invalid user and organization combination"},
		"no user":                     {w.token(t, "", jwt.MapClaims{"name": nil}), user, "Missing user claim"},
		"user unknown":                {w.token(t, "Nobody", nil), user, "Invalid user claim"},
		"user inactive":               {w.token(t, "Carl Boss", nil), user, "Invalid user claim"},
	} {
		t.Run(name, func(t *testing.T) {
			a := w.get(t, test.token, test.headers...)
			if test.refused == "" {
				require.Equal(t, http.StatusOK, a.status, a.body)
				return
			}
			refusedAs(t, a, test.refused)
		})
	}
}

// As at the real server, a token acts with the role that its first request names, which
// need not be one of its user.
func TestOpenIDRoleIsNotChecked(t *testing.T) {
	t.Parallel()
	w := newOpenIDWorld(t)
	config := func(token string, headers ...string) int {
		return request{method: http.MethodGet, path: "/models/ad_sysconfig?$top=1", token: token, header: pairs(headers)}.do(t, w.Server).status
	}
	admin := []string{"X-ID-Role", "GardenWorld Admin", "X-ID-Organization", "HQ"}
	first, second := w.token(t, "GardenUser", nil), w.token(t, "GardenUser", nil)
	assert.Equal(t, http.StatusOK, config(first, admin...), "not a role of the user")
	assert.Equal(t, http.StatusOK, config(first), "remembered, whatever the headers")
	assert.Equal(t, http.StatusForbidden, config(second))
	assert.Equal(t, http.StatusForbidden, config(second, admin...))
}

func TestOpenIDUserByEmail(t *testing.T) {
	t.Parallel()
	w := newOpenIDWorld(t)
	require.NoError(t, w.SetConfig(t.Context(), "USE_EMAIL_FOR_LOGIN", "Y"))
	refusedAs(t, w.get(t, w.token(t, "GardenUser", nil)), "Missing user claim")
	a := w.get(t, w.token(t, "somebody", jwt.MapClaims{"email": "garden.user@gardenworld.invalid"}))
	assert.Equal(t, http.StatusOK, a.status, a.body)
}

func TestOpenIDLogout(t *testing.T) {
	t.Parallel()
	w := newOpenIDWorld(t)
	token := w.token(t, "GardenUser", jwt.MapClaims{"exp": w.clock.Now().Add(3 * time.Hour).Unix()})
	logout := request{method: http.MethodPost, path: "/auth/logout", body: `{"token":"` + token + `"}`}
	require.Equal(t, http.StatusOK, w.get(t, token).status)
	require.Equal(t, http.StatusOK, logout.do(t, w.Server).status)
	refusedAs(t, w.get(t, token), "Token has been revoked")
	require.Equal(t, http.StatusUnauthorized, logout.do(t, w.Server).status, "it is not known any more")
	w.clock.Advance(2*time.Hour + time.Minute)
	assert.Equal(t, http.StatusOK, w.get(t, token).status, "the real server forgets it, too")
}

func TestOpenIDBatch(t *testing.T) {
	t.Parallel()
	w := newOpenIDWorld(t)
	a := request{
		method: http.MethodPost, path: "/batch", token: w.token(t, "GardenAdmin", nil),
		header: pairs([]string{"X-ID-Role", "GardenWorld Admin", "X-ID-Organization", "HQ", "X-ID-Warehouse", "HQ Warehouse", "X-ID-Language", "es_CO"}),
		body:   `[{"method":"PUT","path":"v1/models/ad_user/101","body":{"Description":"changed"}},{"method":"PUT","path":"v1/models/ad_user/102","body":{"Description":"changed"}}]`,
	}.do(t, w.Server)
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.NotContains(t, a.body, `"status":401`)
}

func TestOpenIDProviderAway(t *testing.T) {
	t.Parallel()
	provider := testopenid.New(t)
	srv := erptest.New(t, erptest.Options{OpenIDProviders: []erptest.OpenIDProvider{{
		Issuer: provider.URL, Audience: testopenid.Audience, ConfigurationURL: provider.URL + "/nothing", Tenant: 11,
	}}})
	a := request{method: http.MethodGet, path: "/models", token: provider.Token(t, "GardenUser", time.Now(), nil)}.do(t, srv)
	refusedAs(t, a, "The response of the OpenID provider at "+provider.URL+"/nothing cannot be read")
}
