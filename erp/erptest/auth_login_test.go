package erptest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// members are the names of a JSON object's members in their order.
func memberNames(t testing.TB, body string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(body))
	_, err := dec.Token()
	require.NoError(t, err)
	var names []string
	for dec.More() {
		name, err := dec.Token()
		require.NoError(t, err)
		names = append(names, name.(string))
		var v json.RawMessage
		require.NoError(t, dec.Decode(&v))
	}
	return names
}

// claimsOf verifies a token the way any service would and gives its claims.
func claimsOf(t testing.TB, srv *erptest.Server, token string) (jwt.MapClaims, map[string]any) {
	t.Helper()
	claims := jwt.MapClaims{}
	parsed, err := jwt.NewParser(jwt.WithValidMethods([]string{"HS512"}), jwt.WithoutClaimsValidation(), jwt.WithJSONNumber()).
		ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return []byte(srv.TokenSecret()), nil })
	require.NoError(t, err)
	return claims, parsed.Header
}

func TestLoginResponses(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	for _, tc := range []struct {
		name    string
		body    string
		members string // in order
		want    map[string]any
	}{
		{
			"two steps: 3.2", `{"userName":"GardenAdmin","password":"GardenAdmin"}`, "clients token",
			map[string]any{"clients": []any{map[string]any{"id": 11.0, "name": "GardenWorld"}}},
		},
		{
			"two steps: several tenants", `{"userName":"SuperUser","password":"System"}`, "clients token",
			map[string]any{"clients": []any{
				map[string]any{"id": 1000000.0, "name": "Fern Hollow Nursery"}, map[string]any{"id": 11.0, "name": "GardenWorld"},
				map[string]any{"id": 0.0, "name": "System"},
			}},
		},
		{
			"abbreviated: 3.2", `{"userName":"GardenUser","password":"GardenUser"}`,
			"clients clientId userId roleId organizationId warehouseId language menuTreeId token refresh_token",
			map[string]any{"clientId": 11.0, "userId": 102.0, "roleId": 103.0, "organizationId": 11.0, "warehouseId": 103.0, "language": "en_US", "menuTreeId": 10.0},
		},
		{"null parameters are none", `{"userName":"GardenAdmin","password":"GardenAdmin","parameters":null}`, "clients token", nil},
		{
			"one step, numbers are not echoed: 3.3", asGardenAdmin, "userId language menuTreeId token refresh_token",
			map[string]any{"userId": 101.0, "language": "en_US", "menuTreeId": 10.0},
		},
		{
			"one step, digits in strings are numbers",
			`{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":"11","roleId":"102","organizationId":"11","warehouseId":"103"}}`,
			"userId language menuTreeId token refresh_token", nil,
		},
		{
			"one step, names are echoed as ids",
			`{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":"GardenWorld","roleId":"GardenWorld Admin","organizationId":"HQ","warehouseId":"HQ Warehouse"}}`,
			"clientId userId roleId organizationId warehouseId language menuTreeId token refresh_token",
			map[string]any{"clientId": 11.0, "roleId": 102.0, "organizationId": 11.0, "warehouseId": 103.0},
		},
		{
			"one step, defaults are echoed",
			`{"userName":"GardenUser","password":"GardenUser","parameters":{}}`,
			"clientId userId roleId organizationId warehouseId language menuTreeId token refresh_token",
			map[string]any{"clientId": 11.0, "roleId": 103.0, "organizationId": 11.0, "warehouseId": 103.0},
		},
		{
			"organization * has no warehouse",
			`{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":11,"roleId":102,"organizationId":0,"warehouseId":0}}`,
			"userId language menuTreeId token refresh_token", nil,
		},
		{"a login language is taken", strings.Replace(asGardenAdmin, "en_US", "es_CO", 1), "userId language menuTreeId token refresh_token", map[string]any{"language": "es_CO"}},
		{"another language is ignored", strings.Replace(asGardenAdmin, "en_US", "fr_FR", 1), "userId language menuTreeId token refresh_token", map[string]any{"language": "en_US"}},
		{"system", asSystem, "userId language menuTreeId token refresh_token", map[string]any{"userId": 100.0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := request{method: "POST", path: "/auth/tokens", body: tc.body}.do(t, srv)
			require.Equal(t, http.StatusOK, a.status, a.body)
			assert.Equal(t, "application/json", a.header.Get("Content-Type"))
			assert.Equal(t, tc.members, strings.Join(memberNames(t, a.body), " "))
			got := a.object(t)
			for name, want := range tc.want {
				assert.Equal(t, want, got[name], name)
			}
		})
	}
}

func TestLoginRefused(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	with := func(parameters string) string {
		return `{"userName":"GardenAdmin","password":"GardenAdmin","parameters":` + parameters + `}`
	}
	for _, tc := range []struct{ name, body, detail string }{
		{"wrong password", `{"userName":"GardenAdmin","password":"gardenadmin"}`, "Invalid User ID or Password"},
		{"unknown user", `{"userName":"Nobody","password":"x"}`, "Invalid User ID or Password"},
		{"no user", `{"password":"x"}`, "Invalid User ID or Password"},
		{"user without password", `{"userName":"System","password":""}`, "Invalid User ID or Password"},
		{"quotes in the name", `{"userName":"x' OR '1'='1","password":"x' OR '1'='1"}`, "Invalid User ID or Password"},
		{"client value", with(`{"clientId":"Nowhere"}`), "Client value not found"},
		{"client of others", with(`{"clientId":1000000}`), "Invalid clientId"},
		{"client of others by value", with(`{"clientId":"FernHollow"}`), "Invalid clientId"},
		{"role name", with(`{"clientId":11,"roleId":"Emperor"}`), "Role name not found"},
		{"no role given, two to choose from", with(`{"clientId":11}`), "Missing roleId parameter"},
		{"role of others", with(`{"clientId":11,"roleId":50000}`), "Invalid roleId"},
		{"no organization, several to choose from", with(`{"clientId":11,"roleId":102}`), "Invalid organizationId"},
		{"unknown numbers are names: tenant", with(`{"clientId":999999}`), "Client value not found"},
		{"unknown numbers are names: role", with(`{"clientId":11,"roleId":999999,"organizationId":11}`), "Role name not found"},
		{"unknown numbers are names: organization", with(`{"clientId":11,"roleId":102,"organizationId":"999999"}`), "Organization name not found"},
		{"unknown numbers are names: warehouse", with(`{"clientId":11,"roleId":102,"organizationId":11,"warehouseId":999999}`), "Warehouse name not found"},
		{"all must exist before one is refused", with(`{"clientId":11,"roleId":0,"organizationId":"Moon"}`), "Organization name not found"},
		{"empty is not given", with(`{"clientId":"","roleId":"","organizationId":11}`), "Missing roleId parameter"},
		{"organization name", with(`{"clientId":11,"roleId":102,"organizationId":"Moon"}`), "Organization name not found"},
		{"organization the role has not", with(`{"clientId":11,"roleId":103,"organizationId":12}`), "Invalid organizationId"},
		{"summary organization", with(`{"clientId":11,"roleId":102,"organizationId":50007}`), "Invalid organizationId"},
		{"warehouse name", with(`{"clientId":11,"roleId":102,"organizationId":11,"warehouseId":"Cellar"}`), "Warehouse name not found"},
		{"warehouse of another organization", with(`{"clientId":11,"roleId":102,"organizationId":11,"warehouseId":104}`), "Invalid warehouseId"},
		{"no tenant given, several to choose from", `{"userName":"SuperUser","password":"System","parameters":{}}`, "Invalid clientId"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := request{method: "POST", path: "/auth/tokens", body: tc.body}.do(t, srv)
			assert.Equal(t, http.StatusUnauthorized, a.status)
			want, err := json.Marshal(tc.detail)
			require.NoError(t, err)
			assert.Equal(t, `{"title":"Authenticate error","status":401,"detail":`+string(want)+`}`, a.body)
		})
	}
	for name, parameters := range map[string]string{
		"another tenant's organization": `{"clientId":11,"roleId":102,"organizationId":1000000}`,
		"no number of the ERP":          `{"clientId":"99999999999"}`,
	} {
		a := request{method: "POST", path: "/auth/tokens", body: with(parameters)}.do(t, srv)
		assert.Equal(t, http.StatusInternalServerError, a.status, name)
		assert.True(t, a.isContainerPage(), name)
	}
}

func TestAuthBodiesAreStrict(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		contentType              string
	}{
		{"unknown member", "POST", "/auth/tokens", `{"username":"GardenAdmin","password":"GardenAdmin"}`, 400, "text/plain"},
		{"unknown parameter", "POST", "/auth/tokens", `{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"client":11}}`, 400, "text/plain"},
		{"object for a string", "POST", "/auth/tokens", `{"userName":{},"password":"x"}`, 400, "text/plain"},
		{"no object", "POST", "/auth/tokens", `["GardenAdmin"]`, 400, "text/plain"},
		{"cut off", "POST", "/auth/tokens", `{"userName":"Garden`, 400, "text/plain"},
		{"two objects", "POST", "/auth/tokens", `{"userName":"x"}{"userName":"y"}`, 400, "text/plain"},
		{"unquoted names", "POST", "/auth/tokens", `{userName:"x"}`, 400, "text/plain"},
		{"deep nesting", "POST", "/auth/tokens", `{"parameters":` + strings.Repeat("[", 100_000) + `}`, 400, "text/plain"},
		{"empty body", "POST", "/auth/tokens", " ", 500, "text/html;charset=iso-8859-1"},
		{"null", "POST", "/auth/tokens", "null", 500, "text/html;charset=iso-8859-1"},
		{"another type", "POST", "/auth/refresh", `{"refresh_token":"x","clientId":"eleven","userId":1}`, 400, "text/plain"},
		{"unknown member of refresh", "POST", "/auth/refresh", `{"refreshtoken":"x"}`, 400, "text/plain"},
		{"unknown member of logout", "POST", "/auth/logout", `{"Token":"x"}`, 400, "text/plain"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := request{method: tc.method, path: tc.path, body: tc.body}.do(t, srv)
			assert.Equal(t, tc.status, a.status, a.body)
			assert.Equal(t, tc.contentType, a.header.Get("Content-Type"))
			assert.NotContains(t, a.body, "GardenAdmin", "what was sent must not come back")
		})
	}
}

func TestTokenClaims(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := erptest.New(t, erptest.Options{Clock: clock.Now})
	exp := json.Number("1773046800") // an hour after 2026-03-09T08:00Z
	for _, tc := range []struct {
		name, body string
		want       jwt.MapClaims // AD_Session_ID is checked apart
	}{
		{"first step", `{"userName":"SuperUser","password":"System"}`, jwt.MapClaims{
			"iss": "idempiere.org", "sub": "SuperUser", "exp": exp, "Clients": "1000000,11,0",
		}},
		{"complete", asGardenAdmin, jwt.MapClaims{
			"iss": "idempiere.org", "sub": "GardenAdmin", "exp": exp, "AD_Client_ID": json.Number("11"), "AD_User_ID": json.Number("101"),
			"AD_Role_ID": json.Number("102"), "AD_Org_ID": json.Number("11"), "M_Warehouse_ID": json.Number("103"), "AD_Language": "en_US",
		}},
		{"abbreviated", `{"userName":"GardenUser","password":"GardenUser"}`, jwt.MapClaims{
			"iss": "idempiere.org", "sub": "GardenUser", "exp": exp, "Clients": "11", "AD_Client_ID": json.Number("11"),
			"AD_User_ID": json.Number("102"), "AD_Role_ID": json.Number("103"), "AD_Org_ID": json.Number("11"),
			"M_Warehouse_ID": json.Number("103"), "AD_Language": "en_US",
		}},
		{"system, without warehouse", asSystem, jwt.MapClaims{
			"iss": "idempiere.org", "sub": "SuperUser", "exp": exp, "AD_Client_ID": json.Number("0"), "AD_User_ID": json.Number("100"),
			"AD_Role_ID": json.Number("0"), "AD_Org_ID": json.Number("0"), "AD_Language": "en_US",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := request{method: "POST", path: "/auth/tokens", body: tc.body}.do(t, srv)
			require.Equal(t, http.StatusOK, a.status, a.body)
			claims, header := claimsOf(t, srv, a.text(t, "token"))
			assert.Equal(t, map[string]any{"kid": "idempiere", "typ": "JWT", "alg": "HS512"}, header)
			session, completed := claims["AD_Session_ID"]
			delete(claims, "AD_Session_ID")
			assert.Equal(t, tc.want, claims)
			_, hasRefresh := a.object(t)["refresh_token"]
			assert.Equal(t, hasRefresh, completed, "a session belongs to completed log-ins only")
			if !completed {
				return
			}
			assert.NotEmpty(t, session)
			refresh, refreshHeader := claimsOf(t, srv, a.text(t, "refresh_token"))
			assert.Equal(t, "idempiere", refreshHeader["kid"])
			assert.Regexp(t, `^[0-9a-f]{64}$`, refresh["jti"])
			assert.Equal(t, "idempiere.org", refresh["iss"])
			assert.Len(t, refresh, 2, "a refresh token has jti and iss only")
		})
	}
}

func TestTwoSteps(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	first := request{method: "POST", path: "/auth/tokens", body: `{"userName":"GardenAdmin","password":"GardenAdmin"}`}.do(t, srv).text(t, "token")

	for _, tc := range []struct{ path, want string }{
		{"/auth/roles?client=11", `{"roles":[{"id":102,"name":"GardenWorld Admin"},{"id":103,"name":"GardenWorld User"}]}`},
		{"/auth/organizations?client=11&role=103", `{"organizations":[{"id":11,"name":"HQ"}]}`},
		{"/auth/warehouses?client=11&role=102&organization=11", ""},
		{"/auth/language?client=11", `{"AD_Language":"en_US"}`},
	} {
		a := request{method: "GET", path: tc.path, token: first}.do(t, srv)
		assert.Equal(t, http.StatusOK, a.status, a.body)
		if tc.want != "" {
			assert.Equal(t, tc.want, a.body)
		}
	}
	warehouses := request{method: "GET", path: "/auth/warehouses?client=11&role=102&organization=11", token: first}.do(t, srv)
	assert.Contains(t, warehouses.body, `{"id":103,"name":"HQ Warehouse"}`)

	for _, tc := range []struct {
		path   string
		status int
		body   string
	}{
		{"/auth/roles", 401, `{"title":"Authenticate error","status":401,"detail":"Invalid client"}`},
		{"/auth/roles?client=1000000", 401, `{"title":"Authenticate error","status":401,"detail":"Invalid client"}`},
		{"/auth/organizations?client=11&role=50000", 401, `{"title":"Authenticate error","status":401,"detail":"Invalid role"}`},
		{"/auth/warehouses?client=11&role=103&organization=12", 401, `{"title":"Authenticate error","status":401,"detail":"Invalid organization"}`},
		{"/auth/language?client=0", 400, ""},
		{"/auth/language?client=4711", 400, ""},
		{"/auth/roles?client=eleven", 404, ""},
		{"/models/C_BPartner", 401, ""},
	} {
		a := request{method: "GET", path: tc.path, token: first}.do(t, srv)
		assert.Equal(t, tc.status, a.status, tc.path)
		if tc.body != "" {
			assert.Equal(t, tc.body, a.body, tc.path)
		} else {
			assert.True(t, a.isContainerPage(), "%s: %s", tc.path, a.body)
		}
	}

	a := request{method: "PUT", path: "/auth/tokens", token: first, body: `{"clientId":11,"roleId":102,"organizationId":"HQ"}`}.do(t, srv)
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.Equal(t, "userId organizationId warehouseId language menuTreeId token refresh_token", strings.Join(memberNames(t, a.body), " "))
	claims, _ := claimsOf(t, srv, a.text(t, "token"))
	assert.NotContains(t, claims, "Clients")

	t.Run("an abbreviated token can", func(t *testing.T) {
		token, _ := logIn(t, srv, `{"userName":"GardenUser","password":"GardenUser"}`)
		again := request{method: "PUT", path: "/auth/tokens", token: token, body: `{"clientId":11,"roleId":103,"organizationId":11}`}.do(t, srv)
		assert.Equal(t, http.StatusOK, again.status, again.body)
	})
}

func TestAccountsAreLocked(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := erptest.New(t, erptest.Options{Clock: clock.Now})
	setConfig(t, srv, "USER_LOCKING_MAX_LOGIN_ATTEMPT", "3")
	setConfig(t, srv, "USER_LOCKING_MAX_ACCOUNT_LOCK_MINUTES", "30")
	wrong := `{"userName":"GardenUser","password":"x"}`
	right := `{"userName":"GardenUser","password":"GardenUser"}`
	try := func(body string) response {
		return request{method: "POST", path: "/auth/tokens", body: body}.do(t, srv)
	}

	assert.Contains(t, try(wrong).body, "remaining attempts: 2")
	assert.Equal(t, http.StatusOK, try(right).status)
	assert.Contains(t, try(wrong).body, "remaining attempts: 2", "a log-in starts the count again")
	assert.Contains(t, try(wrong).body, "remaining attempts: 1")
	assert.Contains(t, try(wrong).body, "locked")
	assert.Equal(t, http.StatusUnauthorized, try(right).status, "locked")
	clock.Advance(31 * time.Minute)
	assert.Equal(t, http.StatusOK, try(right).status, "the lock has ended")
}
