package tools_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
)

// Who may not do it is told so before a plan is shown, the user is asked, or anything
// is sent; dry runs are no exception.
func TestPermissionsAreCheckedFirst(t *testing.T) {
	k := recordKit(t) // not parallel: requests are counted
	before := k.writes()
	var asked []string
	for name, tc := range map[string]struct {
		who       login
		tool      string
		arguments args
		says      string
	}{
		"a plan":             {admin, "createTable", args{"table": "XX_Denied", "dryRun": true}, "AD_Table (its access level is System"},
		"a table":            {admin, "createTable", args{"table": "XX_Denied"}, "AD_Table"},
		"a deletion's plan":  {admin, "deleteTable", args{"table": "XX_Forbidden", "dryRun": true}, "AD_Table"},
		"a deletion":         {admin, "deleteTable", args{"table": "XX_Forbidden"}, "AD_Table"},
		"several":            {user, "writeRecords", args{"operations": []args{{"op": "create", "table": "AD_Element", "values": args{"Name": "x"}}}, "dryRun": true}, "AD_Element"},
		"the system's own":   {admin, "updateRecord", args{"table": "AD_User", "id": 100, "values": args{"Name": "x"}}, "tenant System"},
		"its deletion":       {admin, "deleteRecord", args{"table": "AD_User", "id": 100}, "tenant System"},
		"a tenant's table":   {root, "writeRecords", args{"operations": []args{{"op": "create", "table": "C_Greeting", "values": args{"Name": "x"}}}}, "C_Greeting"},
		"the system's table": {admin, "writeRecords", args{"operations": []args{{"op": "update", "table": "AD_Table", "id": 259, "values": args{"Name": "x"}}}}, "tenant System"},
	} {
		_, err := k.invoke(t, agreeing(k, t, tc.who, true, &asked), tc.tool, tc.arguments)
		require.Error(t, err, name)
		assert.Equal(t, mcp.CodePermissionDenied, mcp.ErrorOf(err).Code, "%s: %v", name, err)
		assert.Contains(t, mcp.ErrorOf(err).Message, tc.says, name)
		assert.Contains(t, mcp.ErrorOf(err).Hint, "nothing was done", name)
	}
	assert.Empty(t, asked)
	assert.Equal(t, before, k.writes())
}

// Where the permissions cannot be read the ERP decides.
func TestPermissionsThatCannotBeRead(t *testing.T) {
	k := recordKit(t).with(t) // not parallel: a fault for everybody
	off := k.srv.Faults().On(erptest.Match{Method: "GET", Path: "/models/AD_Window_Access"}, erptest.Fail(403))
	defer off.Remove()
	e := refusal(t, k, user, "deleteRecord", args{"table": "C_BPartner", "id": 118}, mcp.CodePermissionDenied)
	assert.Contains(t, e.Message, "403", "by the ERP")
	id := k.partner(t, "unread-1")
	assert.Equal(t, "updated", response[writtenRecord](t, k, admin, "updateRecord", args{"table": "C_BPartner", "id": id, "values": args{"Name": "y"}}).Status)
}
