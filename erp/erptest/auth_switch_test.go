package erptest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

func TestCompletedLoginSwitches(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	strict := erptest.New(t, erptest.Options{Strict: true})
	for _, tc := range []struct {
		name, login, body string
		refusal           string            // detail of the 401
		want              map[string]string // claims of the new token
	}{
		{"role", asGardenAdmin, `{"roleId":103}`, "", map[string]string{"AD_Role_ID": "103", "AD_Org_ID": "11", "AD_Client_ID": "11", "AD_User_ID": "101"}},
		{"role by name, with the tenant", asGardenAdmin, `{"clientId":11,"roleId":"GardenWorld User","organizationId":11}`, "", map[string]string{"AD_Role_ID": "103"}},
		{"organization, the role stays", asGardenAdmin, `{"organizationId":"Store Central"}`, "", map[string]string{"AD_Role_ID": "102", "AD_Org_ID": "12", "M_Warehouse_ID": "104"}},
		{"warehouse, role and organization stay", asGardenAdmin, `{"warehouseId":0}`, "", map[string]string{"AD_Role_ID": "102", "AD_Org_ID": "11", "M_Warehouse_ID": "<nil>"}},
		{"role of somebody else", asGardenUser, `{"roleId":102}`, "Invalid roleId", nil},
		{"role of the tenant that the user has not", asGardenAdmin, `{"roleId":50000}`, "Invalid roleId", nil},
		{"organization out of reach of the role", asGardenUser, `{"organizationId":12}`, "Invalid organizationId", nil},
		{"organization that the new role does not reach", asGardenAdmin, `{"roleId":103,"organizationId":12}`, "Invalid organizationId", nil},
		{"warehouse of another organization", asGardenAdmin, `{"warehouseId":104}`, "Invalid warehouseId", nil},
		{"another tenant, of others", asGardenAdmin, `{"clientId":1000000,"roleId":1000000,"organizationId":1000000}`, "Invalid clientId", nil},
		{"another tenant, of one's own", asGardenSuper, `{"clientId":0,"roleId":0,"organizationId":0}`, "Invalid clientId", nil},
		{"nothing named", asGardenAdmin, `{}`, "Invalid clientId", nil},
		{"only the tenant named", asGardenAdmin, `{"clientId":11}`, "Invalid clientId", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			token, _ := logIn(t, strict, tc.login)
			a := request{method: "PUT", path: "/auth/tokens", token: token, body: tc.body}.do(t, strict)
			want(t, a, http.StatusUnauthorized, `{"title":"Authenticate error","status":401,"detail":"Invalid clientId"}`)

			token, _ = logIn(t, srv, tc.login)
			a = request{method: "PUT", path: "/auth/tokens", token: token, body: tc.body}.do(t, srv)
			if tc.refusal != "" {
				want(t, a, http.StatusUnauthorized, `{"title":"Authenticate error","status":401,"detail":"`+tc.refusal+`"}`)
				return
			}
			require.Equal(t, http.StatusOK, a.status, a.body)
			claims, _ := claimsOf(t, srv, a.text(t, "token"))
			for name, v := range tc.want {
				assert.Equal(t, v, fmt.Sprint(claims[name]), name)
			}
			assert.NotContains(t, claims, "Clients")
			assert.Equal(t, http.StatusOK, request{method: "GET", path: "/models/C_Order?$top=1", token: a.text(t, "token")}.do(t, srv).status)
			assert.Equal(t, http.StatusOK, refresh(t, srv, refreshBody(a.text(t, "refresh_token"), 11, 101)).status)
		})
	}
}

// A token that was made for one role does not become one of another role.
func TestAPITokenDoesNotSwitch(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 103, 11, 0)
	require.NoError(t, err)
	a := request{method: "PUT", path: "/auth/tokens", token: token, body: `{"clientId":11,"roleId":102,"organizationId":11}`}.do(t, srv)
	want(t, a, http.StatusUnauthorized, `{"title":"Authenticate error","status":401,"detail":"Invalid clientId"}`)
}
