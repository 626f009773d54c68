package tools_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// The same query has the same result whichever backend is in front.
func TestSameResultsEveryWay(t *testing.T) {
	t.Parallel()
	w := reachable(t)
	for _, q := range []struct {
		tool      string
		arguments args
	}{
		{"listTables", args{"pattern": "C_Order%"}},
		{"listTables", args{"limit": 500}},
		{"describeTable", args{"table": "c_order", "detail": "full"}},
		{"describeTable", args{"table": "C_BPartner"}},
		{"describeTable", args{"table": "C_Ordr"}},
		{"listColumns", args{"pattern": "%Discount%"}},
		{"listWindows", args{"pattern": "Sales%"}},
		{"listWindows", args{"window": "Sales Order"}},
		{"listProcesses", args{"filter": "cache"}},
		{"listReferences", args{"pattern": "_Document Status"}},
		{"searchRegistry", args{"query": "order line"}},
		{"getTableColumns", args{"tableName": "M_Product"}},
		{"executeQuery", args{"sql": "SELECT * FROM c_order ORDER BY c_order_id", "maxRows": 5}},
		{"executeQuery", args{"sql": "SELECT bp.name, sum(o.grandtotal) FROM c_order o JOIN c_bpartner bp USING (c_bpartner_id) GROUP BY bp.name ORDER BY 2 DESC, 1"}},
		{"executeQuery", args{"sql": "SELECT name, password FROM ad_user ORDER BY ad_user_id"}},
		{"executeQuery", args{"sql": "SELECT count(*), sum(payamt) FROM c_payment"}},
		{"executeQuery", args{"sql": "SELECT * FROM c_paymnt"}},
		{"executeQuery", args{"sql": "SELEC"}},
		{"explainQuery", args{"sql": "SELECT documentno FROM c_order"}},
		{"getQueryTemplates", args{"topic": "sales"}},
		{"searchRecords", args{"tableName": "C_Order", "filter": "GrandTotal gt 100", "columns": []string{"DocumentNo", "C_BPartner_ID"}}},
		{"searchRecords", args{"tableName": "C_Order", "filter": "GrandTotl gt 100"}},
		{"getRecord", args{"tableName": "C_Order", "id": 104}},
		{"searchKnowledge", args{"query": "griffin"}},
	} {
		for _, who := range []login{admin, user} {
			if who == user && !slices.Contains([]string{"executeQuery", "searchRecords", "getTableColumns", "searchKnowledge"}, q.tool) && q.arguments["limit"] == nil {
				continue // what a role may see shows in these
			}
			results := map[string]string{}
			for name, k := range w.kits() {
				raw, err := k.invoke(t, &mcp.Call{Caller: k.as(t, who)}, q.tool, q.arguments)
				if err != nil {
					e := mcp.ErrorOf(err)
					require.NotEqual(t, mcp.CodeInternal, e.Code, "%s over %s: %v", q.tool, name, err)
					results[name] = e.Code + ": " + e.Message + "; " + e.Hint
					continue
				}
				results[name] = string(raw)
			}
			assert.Equal(t, results["rest"], results["ai"], "%s %v for %s: ai", q.tool, q.arguments, who.user)
			assert.Equal(t, results["rest"], results["db"], "%s %v for %s: db", q.tool, q.arguments, who.user)
		}
	}
}
