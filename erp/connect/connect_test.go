package connect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/connect"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		env  map[string]string
		want erp.Identity
	}{
		{"names", map[string]string{"ERP_TOKEN": "t", "ERP_ROLE_ID": "Sales", "ERP_ORG_ID": "HQ"}, erp.Identity{Role: "Sales", Organization: "HQ"}},
		{"numbers", map[string]string{"ERP_TOKEN": "t", "ERP_ROLE_ID": "102"}, erp.Identity{}},
		{"a login of the ERP", map[string]string{"ERP_TOKEN": "t", "ERP_USERNAME": "u", "ERP_PASSWORD": "p", "ERP_ROLE_ID": "Sales"}, erp.Identity{}},
		{"no token", map[string]string{"ERP_ROLE_ID": "Sales"}, erp.Identity{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			settings, err := tokens.FromEnvironment(func(name string) string { return tt.env[name] })
			require.NoError(t, err)
			assert.Equal(t, tt.want, connect.Identity(settings))
		})
	}
}

func TestFromEnvironment(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenUser", 11, 103, 11, 0)
	require.NoError(t, err)
	login := map[string]string{"ERP_URL": srv.URL(), "ERP_USERNAME": "GardenAdmin", "ERP_PASSWORD": "GardenAdmin",
		"ERP_CLIENT_ID": "11", "ERP_ROLE_ID": "102", "ERP_ORG_ID": "11"}
	with := func(more map[string]string) map[string]string {
		env := map[string]string{}
		for _, m := range []map[string]string{login, more} {
			for k, v := range m {
				env[k] = v
			}
		}
		return env
	}
	tests := []struct {
		name string
		env  map[string]string
		is   error  // of the first call or of the connection; nil: it works
		says string // what the error of the connection says; empty: there is none
	}{
		{"login", login, nil, ""},
		{"token", map[string]string{"ERP_URL": srv.URL(), "ERP_TOKEN": token}, nil, ""},
		{"wrong password", with(map[string]string{"ERP_PASSWORD": "CANARY"}), tokens.ErrAuthentication, ""},
		{"no login", map[string]string{"ERP_URL": srv.URL()}, tokens.ErrAuthentication, "set ERP_USERNAME and ERP_PASSWORD, or ERP_TOKEN"},
		{"half a login", with(map[string]string{"ERP_PASSWORD": ""}), nil, "belong together"},
		{"no address", with(map[string]string{"ERP_URL": ""}), nil, "ERP_URL"},
		{"no address, token", map[string]string{"ERP_TOKEN": token}, nil, "set ERP_URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, err := connect.FromEnvironment(func(name string) string { return tt.env[name] })
			if tt.says != "" {
				require.ErrorContains(t, err, tt.says)
				assert.NotContains(t, err.Error(), "GardenAdmin")
			} else {
				require.NoError(t, err)
				t.Cleanup(client.CloseIdleConnections)
				_, err = client.Get(t.Context(), "AD_Org", erp.IntID(11), nil)
			}
			switch {
			case tt.is != nil:
				require.ErrorIs(t, err, tt.is)
				assert.NotContains(t, err.Error(), "CANARY")
			case tt.says == "":
				require.NoError(t, err)
			}
		})
	}
}
