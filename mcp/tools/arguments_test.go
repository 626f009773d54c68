package tools_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// Arguments are taken under the names that other tools, and other servers, have
// for them.
func TestArgumentsUnderTheirUsualNames(t *testing.T) {
	t.Parallel()
	k := reachable(t).db
	for _, tc := range []struct {
		tool        string
		usual, same args
	}{
		{"describeTable", args{"tableName": "C_Order"}, args{"table": "C_Order"}},
		{"describeTable", args{"table_name": "C_Order"}, args{"table": "C_Order"}},
		{"getTableColumns", args{"table": "C_UOM"}, args{"tableName": "C_UOM"}},
		{"searchRecords", args{"table": "C_UOM", "where": "X12DE355 eq 'EA'", "top": "1", "fields": "Name, X12DE355"}, args{"tableName": "C_UOM", "filter": "X12DE355 eq 'EA'", "limit": 1, "columns": []string{"Name", "X12DE355"}}},
		{"getRecord", args{"table_name": "C_UOM", "record_id": "100"}, args{"tableName": "C_UOM", "id": 100}},
		{"executeQuery", args{"query": "SELECT name FROM c_uom ORDER BY name", "limit": 2}, args{"sql": "SELECT name FROM c_uom ORDER BY name", "maxRows": 2}},
		{"listProcesses", args{"pattern": "C_Order%", "pageSize": 2}, args{"filter": "C_Order%", "limit": 2}},
		{"listTables", args{"name": "C_Order%", "custom_only": "N"}, args{"pattern": "C_Order%"}},
		{"searchRegistry", args{"search_term": "customer", "kind": "table"}, args{"query": "customer", "kinds": []string{"table"}}},
	} {
		call := func(arguments args) string {
			raw, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin)}, tc.tool, arguments)
			require.NoError(t, err, "%s of %v", tc.tool, arguments)
			return string(raw)
		}
		assert.Equal(t, call(tc.same), call(tc.usual), tc.tool)
	}
	e := refusal(t, k, admin, "searchRecords", args{"table": "C_UOM", "tableName": "C_UOM"}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Message, "the argument tableName is given twice")
	e = refusal(t, k, admin, "searchRecords", args{"table": "C_UOM", "fliter": "Name eq 'x'"}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Hint, `did you mean "filter"?`)
}
