package openid_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testopenid"
)

// The tool acts as the user of the token, with the role and organization that the client
// named, or the only ones.
func TestCallActsAsTheUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.call(t, w.token(t, "GardenAdmin", nil), append(asAdmin, "X-ID-Language", "es_CO"))
	assert.Equal(t, []int{11, 101, 102, 11}, []int{admin.Tenant, admin.User, admin.Role, admin.Org})
	assert.True(t, admin.Admin)
	assert.Contains(t, admin.ERP, "Central")
	assert.Equal(t, "Roble", admin.Product)

	user := w.call(t, w.token(t, "GardenUser", nil), nil)
	assert.Equal(t, []int{11, 102, 103, 11}, []int{user.Tenant, user.User, user.Role, user.Org})
	assert.False(t, user.Admin)
	assert.NotContains(t, user.ERP, "Central")
	assert.Equal(t, "Oak Tree", user.Product)

	all := w.call(t, w.token(t, "GardenAdmin", nil), asks{"X-ID-Role", "GardenWorld Admin", "X-ID-Organization", "*"})
	assert.Equal(t, 0, all.Org)
}

// A token of a provider never acts with a role its user does not have: not with a role that
// the ERP would let it have, not with one that was taken away, not with one of which nobody
// knows, and not at a replica after that.
func TestNeverARoleTheUserDoesNotHave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	replica := w.serve(t, w.provider.URL)
	w.sql(t, `UPDATE AD_User_Roles SET IsActive='N' WHERE AD_User_ID=101 AND AD_Role_ID=103`)
	for user, headers := range map[string]asks{"GardenUser": asAdmin, "GardenAdmin": asUser} {
		token := w.token(t, user, nil)
		status, body := w.post(t, w.url, token, headers)
		require.Equal(t, http.StatusForbidden, status, body)
		assert.Contains(t, body, "does not have the role that X-ID-Role names")
		assert.ErrorIs(t, w.asked(t, token, erp.Identity{}), erp.ErrUnauthorized, "the ERP knows it with that role")
		for _, url := range []string{w.url, replica} {
			for _, headers := range []asks{asAdmin, asUser, nil} {
				status, body := w.post(t, url, token, headers)
				assert.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, status, body)
			}
		}
	}

	token := w.token(t, "GardenUser", nil)
	require.Equal(t, 103, w.call(t, token, nil).Role)
	w.sql(t, `UPDATE AD_User_Roles SET IsActive='N' WHERE AD_User_ID=102`)
	w.clock.Advance(30 * time.Second)
	status, body := w.post(t, w.url, token, nil)
	require.Equal(t, http.StatusForbidden, status, body)

	token = w.token(t, "GardenAdmin", nil)
	fault := w.erp.Faults().On(erptest.Match{Path: "/models/AD_User_Roles"}, erptest.Fail(http.StatusForbidden))
	status, body = w.post(t, w.url, token, asAdmin)
	require.Equal(t, http.StatusForbidden, status, body)
	assert.Contains(t, body, "the role may not read AD_User_Roles")
	assert.NotZero(t, fault.Hits())
}

func TestAnotherRoleOrOrganizationOnTheSameToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(t, "GardenAdmin", nil)
	w.call(t, token, asAdmin)
	for _, headers := range []asks{asUser, nil, {"X-ID-Role", "GardenWorld Admin", "X-ID-Organization", "Central"}} {
		status, body := w.post(t, w.url, token, headers)
		assert.Equal(t, http.StatusForbidden, status)
		assert.Contains(t, body, "log in again for another role or organization")
	}
	w.call(t, token, asAdmin)
	w.call(t, w.token(t, "GardenAdmin", nil), asks{"X-ID-Role", "GardenWorld Admin", "X-ID-Organization", "Central"})
}

// What the ERP refuses is not remembered: the client can send what was missing.
func TestWhatTheERPRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(t, "GardenAdmin", nil)
	for header, says := range map[string]asks{
		"Invalid X-ID-Role header": {"X-ID-Role", "Nobody"}, "Missing Organization Claim or Header": {"X-ID-Role", "GardenWorld Admin"},
	} {
		status, body := w.post(t, w.url, token, says)
		assert.Equal(t, http.StatusUnauthorized, status)
		assert.Contains(t, body, header)
		assert.Contains(t, body, "with X-ID-Role and X-ID-Organization")
	}
	w.call(t, token, asAdmin)

	for name, token := range map[string]string{
		"expired":          w.token(t, "GardenUser", jwt.MapClaims{"exp": w.clock.Now().Unix()}),
		"without an end":   w.token(t, "GardenUser", jwt.MapClaims{"exp": nil}),
		"another audience": w.token(t, "GardenUser", jwt.MapClaims{"aud": "shop"}),
		"another issuer":   w.token(t, "GardenUser", jwt.MapClaims{"iss": "https://elsewhere.example"}),
		"another key":      testopenid.Sign(t, jwt.SigningMethodRS256, testopenid.KeyID, w.provider.Claims("GardenUser", w.clock.Now()), testopenid.New(t).Key),
		"a secret":         testopenid.Sign(t, jwt.SigningMethodHS512, testopenid.KeyID, w.provider.Claims("GardenUser", w.clock.Now()), []byte("a secret")),
		"nobody":           w.token(t, "Nobody", nil),
	} {
		status, body := w.post(t, w.url, token, asUser)
		assert.Equal(t, http.StatusUnauthorized, status, "%s: %s", name, body)
	}
}

// A server that names no authorization server refuses such tokens without a request to the ERP.
func TestWithoutAnAuthorizationServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := len(w.erp.Faults().Requests())
	status, _ := w.post(t, w.serve(t), w.token(t, "GardenUser", nil), asUser)
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Len(t, w.erp.Faults().Requests(), before)
}

// The ERP's yes counts for 30 seconds, for these headers, and never beyond the end of the token.
func TestRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(t, "GardenUser", jwt.MapClaims{"exp": w.clock.Now().Add(50 * time.Second).Unix()})
	count := func() int { return len(w.erp.Faults().Requests()) }
	let := func(want int, headers asks) {
		t.Helper()
		status, body := w.post(t, w.url, token, headers)
		require.Equal(t, want, status, body)
	}
	let(http.StatusOK, nil)
	before := count()
	w.clock.Advance(29 * time.Second)
	let(http.StatusOK, nil)
	require.Equal(t, before, count())
	let(http.StatusOK, asks{"X-ID-Language", "es_CO"})
	require.Greater(t, count(), before, "other headers are another question")
	before = count()
	w.clock.Advance(22 * time.Second)
	let(http.StatusUnauthorized, asks{"X-ID-Language", "es_CO"})
	require.Equal(t, before, count())
}

// A token that was ended at the ERP is refused within 30 seconds.
func TestEndedAtTheERP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(t, "GardenUser", nil)
	w.call(t, token, nil)
	res, err := http.Post(w.erp.URL()+"/api/v1/auth/logout", "application/json", strings.NewReader(fmt.Sprintf("{%q:%q}", "token", token)))
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
	w.clock.Advance(30 * time.Second)
	status, body := w.post(t, w.url, token, nil)
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Contains(t, body, "Token has been revoked")
}

// While the ERP is away nobody is let in, and the token is as good as before when it is back.
func TestERPAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(t, "GardenUser", nil)
	w.erp.Faults().On(erptest.Match{}, erptest.Fail(http.StatusBadGateway))
	status, _ := w.post(t, w.url, token, nil)
	require.Equal(t, http.StatusServiceUnavailable, status)
	w.erp.Faults().Reset()
	w.call(t, token, nil)
}

// The user is the one that the ERP goes by.
func TestUserByEmail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mail := func(user string) jwt.MapClaims { return jwt.MapClaims{"email": user + "@gardenworld.invalid"} }
	// The role may not read by what the ERP goes: both claims have to mean one user.
	status, body := w.post(t, w.url, w.token(t, "GardenUser", mail("garden.admin")), asUser)
	require.Equal(t, http.StatusForbidden, status)
	assert.Contains(t, body, "they name different users")
	assert.Equal(t, 102, w.call(t, w.token(t, "GardenUser", mail("garden.user")), asUser).User)
	status, body = w.post(t, w.url, w.token(t, "GardenUser", jwt.MapClaims{"username": "GardenAdmin"}), asUser)
	require.Equal(t, http.StatusForbidden, status)
	assert.Contains(t, body, "or names two")
	// It may.
	assert.Equal(t, 101, w.call(t, w.token(t, "GardenAdmin", mail("garden.user")), asAdmin).User)
	require.NoError(t, w.erp.SetConfig(t.Context(), "USE_EMAIL_FOR_LOGIN", "Y"))
	assert.Equal(t, 101, w.call(t, w.token(t, "GardenUser", mail("garden.admin")), asAdmin).User)
	status, body = w.post(t, w.url, w.token(t, "GardenAdmin", mail("garden.user")), asAdmin)
	assert.Equal(t, http.StatusForbidden, status, body)
}

// Of requests that come at the same time with several roles, only those with the first one
// reach the ERP.
func TestSeveralRolesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql(t, `UPDATE AD_User_Roles SET IsActive='Y' WHERE AD_User_ID=101`)
	token := w.token(t, "GardenAdmin", nil)
	var mu sync.Mutex
	let := map[string]int{}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			headers := []asks{asAdmin, asUser}[i%2]
			status, body := w.post(t, w.url, token, headers)
			mu.Lock()
			defer mu.Unlock()
			if status == http.StatusOK {
				let[headers[1]]++
				return
			}
			assert.Equal(t, http.StatusForbidden, status, body)
		})
	}
	all.Wait()
	assert.Len(t, let, 1)
}
