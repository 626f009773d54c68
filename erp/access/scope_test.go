package access_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/erp/erptest"
)

// What a role does not see is told by its rules alone: what they keep from it is never
// read, and a role that may not read the rules is told that.
func TestLimits(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	admin := connect(t, srv, "GardenAdmin", 11, 102, 11)
	root := connect(t, srv, "SuperUser", 0, 0, 0)
	tables := map[string]access.Table{}
	for _, name := range []string{"C_Order", "C_Payment", "C_BPartner", "AD_Role", "AD_Table", "M_Product", "C_Region", "AD_Role_Included"} {
		rec := first(t, root, "AD_Table", erp.Eq("TableName", name))
		id, _ := rec.ID().Int()
		level, _ := rec.Code("AccessLevel")
		tables[name] = access.Table{ID: id, Name: name, AccessLevel: level, HasColumn: func(column string) bool {
			return column == name+"_ID" || name == "C_Order" && column == "C_BPartner_ID"
		}}
	}
	role := map[string]any{"id": 103}
	add := func(table string, values map[string]any) {
		t.Helper()
		_, err := admin.Create(t.Context(), table, values)
		require.NoError(t, err)
	}
	about := func(table string) map[string]any { return map[string]any{"id": tables[table].ID} }
	add("AD_Table_Access", map[string]any{"AD_Role_ID": role, "AD_Table_ID": about("C_Payment"), "AccessTypeRule": "A", "IsExclude": true, "IsReadOnly": false})
	add("AD_Record_Access", map[string]any{"AD_Role_ID": role, "AD_Table_ID": about("C_BPartner"), "Record_ID": 118, "IsExclude": true, "IsReadOnly": false, "IsDependentEntities": true})
	add("AD_TableValRule", map[string]any{"AD_Table_ID": about("M_Product"), "AD_Role_ID": role, "AD_User_ID": erp.NoRef, "Description": "Products that are sold", "Code": "M_Product.IsSold='Y'"})
	add("AD_TableValRule", map[string]any{"AD_Table_ID": about("M_Product"), "AD_Role_ID": map[string]any{"id": 102}, "AD_User_ID": erp.NoRef, "Description": "of another role", "Code": "1=1"})

	for _, tc := range []struct {
		user       string
		client, id int64
		table      string
		short      []string
		reason     string
	}{
		{"GardenUser", 11, 103, "C_Order", []string{"organization HQ", "records of C_Order by rules"}, "about records of C_BPartner counts for records of C_Order"},
		{"GardenUser", 11, 103, "C_Payment", []string{"nothing of C_Payment"}, "a rule of role GardenWorld User excludes the table C_Payment"},
		{"GardenUser", 11, 103, "C_BPartner", []string{"organization HQ", "records of C_BPartner by rules", "records of C_BPartner that others keep to themselves"}, "a rule of role GardenWorld User excludes records of C_BPartner"},
		{"GardenUser", 11, 103, "M_Product", []string{"organization HQ", "records of M_Product by a rule"}, "Products that are sold"},
		{"GardenUser", 11, 103, "AD_Role", nil, ""}, // its records belong to no organization
		{"GardenAdmin", 11, 102, "C_Order", []string{"9 organizations"}, "sees records of these organizations only"},
		{"SuperUser", 0, 0, "C_Order", []string{"tenant System"}, "those of C_Order belong to other tenants"},
		{"SuperUser", 0, 0, "AD_Role", []string{"tenant System"}, "sees records of the tenant System only"},
		{"SuperUser", 0, 0, "AD_Table", nil, ""},
	} {
		t.Run(tc.user+" "+tc.table, func(t *testing.T) {
			client := connect(t, srv, tc.user, tc.client, tc.id, tc.client)
			before := len(srv.Faults().Requests())
			scope, err := access.LoadScope(t.Context(), client, tc.id, 0)
			require.NoError(t, err)
			requests := srv.Faults().Requests()[before:]
			assert.LessOrEqual(t, len(requests), 10)
			for _, r := range requests {
				assert.Regexp(t, `^/api/v1/models/(AD_Role|AD_Role_Included|AD_Client|AD_Role_OrgAccess|AD_User_OrgAccess|AD_Org|AD_Table_Access|AD_Record_Access|AD_TableValRule|AD_Private_Access|AD_User_Substitute|AD_Table)$`, strings.ToLower(r.Path[:15])+r.Path[15:])
			}
			assert.Empty(t, scope.Unread)
			var short []string
			var reasons string
			for _, l := range scope.Limits(tables[tc.table]) {
				short, reasons = append(short, l.Short), reasons+l.Text+"\n"
			}
			assert.Equal(t, tc.short, short, reasons)
			assert.Contains(t, reasons, tc.reason)
			assert.NotContains(t, reasons, "of another role")
		})
	}

	add("AD_Table_Access", map[string]any{"AD_Role_ID": role, "AD_Table_ID": about("AD_Role"), "AccessTypeRule": "A", "IsExclude": true, "IsReadOnly": false})
	scope, err := access.LoadScope(t.Context(), connect(t, srv, "GardenUser", 11, 103, 11), 103, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"AD_Role"}, scope.Unread)
	assert.Empty(t, scope.Limits(tables["C_Order"]))
}
