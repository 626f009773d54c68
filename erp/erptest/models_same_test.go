package erptest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// A record of a list is the same text as the record read by itself, which is made up
// as an object first.
func TestRecordsOfListsAreAsRecords(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	for _, config := range []string{"N", "Y"} {
		setConfig(t, srv, "REST_COLUMNNAME_TOLOWERCASE", config)
		setConfig(t, srv, "REST_TABLES_EXPORT_LOOKUP_UU", map[string]string{"N": "", "Y": "ALL"}[config])
		for name, login := range map[string]string{"System": asSystem, "garden": asGardenAdmin} {
			r := readAs(t, srv, login)
			for _, table := range []string{"C_BPartner", "C_BPartner_Location", "C_Order", "M_Product", "AD_User", "AD_Column", "AD_Table", "AD_Image", "AD_Role", "C_DocType", "AD_Menu"} {
				list := r.get("models/"+table, "$top", "20", "$filter", "IsActive neq null")
				if list.status == http.StatusForbidden {
					continue
				}
				require.Equal(t, http.StatusOK, list.status, list.body)
				var page struct {
					Records []json.RawMessage `json:"records"`
				}
				require.NoError(t, json.Unmarshal([]byte(list.body), &page))
				for _, record := range page.Records {
					var key struct{ ID json.Number }
					require.NoError(t, json.Unmarshal(record, &key))
					one := r.get("models/" + table + "/" + key.ID.String())
					require.Equal(t, http.StatusOK, one.status, "%s %s as %s: %s", table, key.ID, name, one.body)
					assert.Equal(t, one.body, string(record), "%s %s as %s", table, key.ID, name)
				}
			}
		}
	}
}

// What references are displayed as is remembered between requests, until something
// changes.
func TestDisplayOfReferencesFollowsChanges(t *testing.T) {
	t.Parallel()
	r := readAs(t, erptest.New(t), asGardenAdmin)
	for _, name := range []string{"First", "Second", "Third"} {
		a := r.send(http.MethodPut, "models/C_BP_Group/103", map[string]any{"Name": name})
		require.Equal(t, http.StatusOK, a.status, a.body)
		for range 2 {
			list := r.get("models/C_BPartner", "$select", "C_BP_Group_ID", "$filter", "C_BP_Group_ID eq 103")
			require.Equal(t, http.StatusOK, list.status, list.body)
			require.Contains(t, list.body, `"identifier":"`+name+`"`)
		}
	}
}
