package erptest_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// accessTokens logs the demo users in.
func accessTokens(t testing.TB, srv *erptest.Server) map[string]string {
	t.Helper()
	tokens := map[string]string{}
	for name, body := range map[string]string{
		"system": asSystem, "admin": asGardenAdmin, "user": asGardenUser, "fern": asFernAdmin,
	} {
		tokens[name], _ = logIn(t, srv, body)
	}
	return tokens
}

// ids are the ids of the rows a query finds.
func ids(t testing.TB, srv *erptest.Server, token, table, filter string) []int {
	t.Helper()
	q := url.Values{"$filter": {filter}, "$select": {table + "_ID"}, "$orderby": {table + "_ID"}}
	a := request{method: "GET", path: "/models/" + table + "?" + q.Encode(), token: token}.do(t, srv)
	require.Equal(t, http.StatusOK, a.status, a.body)
	out := []int{}
	for _, r := range a.object(t)["records"].([]any) {
		out = append(out, int(r.(map[string]any)["id"].(float64)))
	}
	return out
}

func TestTenantsAreIsolated(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	tokens := accessTokens(t, srv)
	for _, tc := range []struct {
		who, filter string
		found       bool
	}{
		{"admin", "AD_Client_ID eq 1000000", false},
		{"user", "AD_Client_ID eq 1000000", false},
		{"fern", "AD_Client_ID eq 1000000", true},
		{"fern", "AD_Client_ID eq 11", false},
		{"admin", "AD_Client_ID eq 11", true},
		{"system", "AD_Client_ID eq 11", false},
		{"admin", "AD_Client_ID eq 1000000 or (AD_Client_ID eq 1000000)", false},
	} {
		assert.Equal(t, tc.found, len(ids(t, srv, tokens[tc.who], "C_BPartner", tc.filter)) > 0, "%s: %s", tc.who, tc.filter)
	}
	get := func(who, path string) response {
		return request{method: "GET", path: path, token: tokens[who]}.do(t, srv)
	}
	assert.Equal(t, http.StatusOK, get("admin", "/models/C_BPartner/118").status)
	a := get("fern", "/models/C_BPartner/118")
	assert.Equal(t, http.StatusNotFound, a.status, a.body)
	a = get("user", "/models/C_BPartner/120")
	assert.Equal(t, http.StatusForbidden, a.status, a.body)
	assert.Equal(t, `{"title":"Access denied","status":403,"detail":"Access denied for record with id: 120"}`, a.body)

	for _, method := range []string{"PUT", "DELETE"} {
		a := request{method: method, path: "/models/C_BPartner/118", token: tokens["fern"], body: `{"Description":"mine now"}`}.do(t, srv)
		assert.Equal(t, http.StatusNotFound, a.status, "%s: %s", method, a.body)
	}
	a = request{method: "POST", path: "/models/C_BPartner", token: tokens["fern"], body: `{"AD_Client_ID":11,"Value":"spy","Name":"Spy"}`}.do(t, srv)
	assert.Equal(t, http.StatusForbidden, a.status, a.body)
	assert.NotContains(t, get("admin", "/models/C_BPartner/118").body, "mine now")
}

func TestRestrictedRole(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	tokens := accessTokens(t, srv)
	get := func(who, path string) response {
		return request{method: "GET", path: path, token: tokens[who]}.do(t, srv)
	}

	t.Run("table rules: excluded", func(t *testing.T) {
		assert.Equal(t, http.StatusOK, get("admin", "/models/C_BankAccount").status)
		a := get("user", "/models/C_BankAccount")
		assert.Equal(t, http.StatusForbidden, a.status)
		assert.Equal(t, `{"title":"Access denied","status":403,"detail":"Access denied for table: C_BankAccount"}`, a.body)
	})
	t.Run("table rules: excluded from writing", func(t *testing.T) {
		assert.Equal(t, http.StatusOK, get("user", "/models/M_Product").status)
		a := request{method: "PUT", path: "/models/M_Product/128", token: tokens["user"], body: `{"Description":"x"}`}.do(t, srv)
		assert.Equal(t, http.StatusForbidden, a.status, a.body)
		a = request{method: "PUT", path: "/models/M_Product/128", token: tokens["admin"], body: `{"Description":"x"}`}.do(t, srv)
		assert.Equal(t, http.StatusOK, a.status, a.body)
	})
	t.Run("organizations", func(t *testing.T) {
		assert.Empty(t, ids(t, srv, tokens["user"], "M_Warehouse", "AD_Org_ID eq 12"))
		assert.NotEmpty(t, ids(t, srv, tokens["user"], "M_Warehouse", "AD_Org_ID eq 11"))
		assert.NotEmpty(t, ids(t, srv, tokens["admin"], "M_Warehouse", "AD_Org_ID eq 12"))
		assert.Empty(t, ids(t, srv, tokens["user"], "AD_Org", "AD_Org_ID eq 50002"))
	})
	t.Run("record rules", func(t *testing.T) {
		assert.Equal(t, []int{118}, ids(t, srv, tokens["user"], "C_BPartner", "C_BPartner_ID in (118,119,120)"),
			"also the record excluded from writing only is hidden by the filter")
		assert.Equal(t, []int{118, 119, 120}, ids(t, srv, tokens["admin"], "C_BPartner", "C_BPartner_ID in (118,119,120)"))
	})
	t.Run("records that depend on them", func(t *testing.T) {
		assert.NotEmpty(t, ids(t, srv, tokens["admin"], "AD_User", "C_BPartner_ID eq 120"))
		assert.Empty(t, ids(t, srv, tokens["user"], "AD_User", "C_BPartner_ID eq 120"))
	})
	t.Run("private records", func(t *testing.T) {
		assert.Empty(t, ids(t, srv, tokens["user"], "C_BPartner", "C_BPartner_ID eq 121"))
		assert.NotEmpty(t, ids(t, srv, tokens["admin"], "C_BPartner", "C_BPartner_ID eq 121"))
	})
	t.Run("validation rules of tables", func(t *testing.T) {
		require.NotEmpty(t, ids(t, srv, tokens["user"], "R_Request", "R_Request_ID eq 100"))
		a := request{method: "PUT", path: "/models/R_Request/100", token: tokens["admin"], body: `{"ConfidentialType":"P"}`}.do(t, srv)
		require.Equal(t, http.StatusOK, a.status, a.body)
		assert.Empty(t, ids(t, srv, tokens["user"], "R_Request", "R_Request_ID eq 100"))
		assert.NotEmpty(t, ids(t, srv, tokens["admin"], "R_Request", "R_Request_ID eq 100"))
	})
	t.Run("columns", func(t *testing.T) {
		assert.Contains(t, get("admin", "/models/C_BPartner/118").body, `"SO_CreditLimit"`)
		body := get("user", "/models/C_BPartner/118").body
		assert.NotContains(t, body, `"SO_CreditLimit"`)
		assert.Contains(t, body, `"TotalOpenBalance"`, "excluded from writing only")
	})
	t.Run("user level", func(t *testing.T) {
		for _, who := range []string{"admin", "user"} {
			a := request{method: "POST", path: "/models/AD_Element", token: tokens[who], body: `{"ColumnName":"X","Name":"X","PrintName":"X","EntityType":"U"}`}.do(t, srv)
			assert.Equal(t, http.StatusForbidden, a.status, "%s: %s", who, a.body)
		}
	})
	t.Run("configuration", func(t *testing.T) {
		assert.Equal(t, http.StatusForbidden, get("user", "/models/AD_SysConfig").status)
		for _, who := range []string{"system", "admin"} {
			assert.NotEmpty(t, ids(t, srv, tokens[who], "AD_SysConfig", "Name eq 'REST_TOKEN_EXPIRE_IN_MINUTES'"))
			assert.Empty(t, ids(t, srv, tokens[who], "AD_SysConfig", "Name eq 'REST_TOKEN_SECRET'"), "who has the secret can sign tokens")
			assert.NotContains(t, get(who, "/models/AD_SysConfig?$expand=none").body, srv.TokenSecret())
		}
	})
}

func TestRoleChangesHoldAtOnce(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	tokens := accessTokens(t, srv)
	require.NotEmpty(t, ids(t, srv, tokens["user"], "C_Order", "C_Order_ID gt 0"))
	rule := `{"AD_Role_ID":103,"AD_Table_ID":259,"AccessTypeRule":"A","IsExclude":true,"IsReadOnly":false}`
	a := request{method: "POST", path: "/models/AD_Table_Access", token: tokens["admin"], body: rule}.do(t, srv)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	assert.Empty(t, ids(t, srv, tokens["user"], "C_Order", "C_Order_ID gt 0"),
		"the role's window on orders still opens the table, but no row passes")
}

// What a role sees in one ERP, and what columns tables have there, never depends on
// another ERP of the process, although they know together what they have in common.
func TestOneERPTellsNothingOfAnother(t *testing.T) {
	t.Parallel()
	const histories, steps = 6, 12
	for n := range uint64(histories) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(n, 1))
			srv := erptest.New(t)
			hidden, gone := false, false
			var tokens map[string]string
			for step := range steps {
				switch r.IntN(4) {
				case 0:
					hidden = !hidden
					require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
						statement := "DELETE FROM AD_Table_Access WHERE AD_Role_ID=103 AND AD_Table_ID=259"
						if hidden {
							statement = "INSERT INTO AD_Table_Access (AD_Role_ID, AD_Table_ID, AD_Client_ID, AD_Org_ID, IsActive, Created, CreatedBy, Updated, UpdatedBy, AccessTypeRule, IsExclude, IsReadOnly) " +
								"VALUES (103, 259, 11, 0, 'Y', '2026-01-01', 0, '2026-01-01', 0, 'A', 'Y', 'N')"
						}
						_, err := tx.ExecContext(t.Context(), statement)
						return err
					}, "AD_Table_Access"))
				case 1:
					gone = !gone
					require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
						_, err := tx.ExecContext(t.Context(), "UPDATE AD_Column SET IsActive=? WHERE AD_Table_ID=291 AND ColumnName='URL'", map[bool]string{true: "N", false: "Y"}[gone])
						return err
					}, "AD_Column"))
				}
				if tokens == nil {
					tokens = accessTokens(t, srv)
				}
				assert.Equal(t, hidden, len(ids(t, srv, tokens["user"], "C_Order", "C_Order_ID gt 0")) == 0, "step %d", step)
				a := request{method: "GET", path: "/models/C_BPartner/118?$select=URL", token: tokens["admin"]}.do(t, srv)
				assert.Equal(t, gone, a.status != http.StatusOK, "step %d: %d %s", step, a.status, a.body)
			}
		})
	}
}

func TestResourceAccessList(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	tokens := accessTokens(t, srv)
	require.NoError(t, srv.RestrictPath(t.Context(), `v1/models/C_Order(/.*)?`, 102, "GET"))
	require.NoError(t, srv.RestrictPath(t.Context(), `v1/models/C_.*`, 102, "get", "POST", "PUT"))
	for _, tc := range []struct {
		name, who, method, path string
		closed                  bool
	}{
		{"allowed", "admin", "GET", "/models/C_Order", false},
		{"HEAD counts as GET", "admin", "HEAD", "/models/C_Order", false},
		{"another role", "user", "GET", "/models/C_Order", true},
		{"another method", "admin", "DELETE", "/models/C_Order/4711", true},
		{"whole path only", "user", "GET", "/models/AD_Org", false},
		{"another rule allows it", "admin", "PUT", "/models/C_Order/4711", false},
		{"an encoded path is the same path", "user", "GET", "/models/C%5FOrder", true},
	} {
		a := request{method: tc.method, path: tc.path, token: tokens[tc.who], body: map[bool]string{true: "{}"}[tc.method == "PUT"]}.do(t, srv)
		assert.Equal(t, tc.closed, a.status == http.StatusUnauthorized, "%s: %d %s", tc.name, a.status, a.body)
		if tc.closed {
			assert.True(t, a.isContainerPage(), tc.name)
		}
	}
	a := request{method: "POST", path: "/auth/tokens", body: asGardenUser}.do(t, srv)
	assert.Equal(t, http.StatusOK, a.status, "log-ins are exempt")
	setConfig(t, srv, "REST_RESOURCE_ACCESS_CONTROL", "N")
	a = request{method: "GET", path: "/models/C_Order", token: tokens["user"]}.do(t, srv)
	assert.Equal(t, http.StatusOK, a.status, a.body)
	assert.Error(t, srv.RestrictPath(t.Context(), `v1/(`, 102))
}
