package erptest_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func TestTokenSource(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	for name, tt := range map[string]struct {
		user  erptest.User
		table string
		says  string
	}{
		"system":      {erptest.SuperUser, "AD_Table", ""},
		"tenant":      {erptest.GardenAdmin, "C_Order", ""},
		"restricted":  {erptest.GardenUser, "C_BPartner", ""},
		"nobody":      {erptest.User{Name: "Nobody"}, "C_Order", `making an API token for "Nobody"`},
		"not in role": {erptest.User{Name: "GardenUser", ClientID: 11, RoleID: 102, OrgID: 11}, "C_Order", "making an API token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(tt.user)))
			require.NoError(t, err)
			t.Cleanup(client.CloseIdleConnections)
			page, err := client.Query(t.Context(), tt.table, &erp.Query{Top: 1})
			if tt.says != "" {
				require.ErrorContains(t, err, tt.says)
				return
			}
			require.NoError(t, err)
			assert.Len(t, page.Records, 1)
		})
	}

	source, first := srv.TokenSource(erptest.GardenAdmin), sync.Map{}
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			token, err := source.Token(t.Context())
			assert.NoError(t, err)
			first.Store(token, true)
		})
	}
	asking.Wait()
	made := 0
	first.Range(func(any, any) bool { made++; return true })
	assert.Equal(t, 1, made, "one token for all requests")
}
