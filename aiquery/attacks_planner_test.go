package aiquery_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// The server's planner has a sample of every column, of the rows of all tenants
// and organizations, and compares the constants of a statement with it.

// plannerPairs are conditions that differ in a hidden fact alone, as in
// [oraclePairs]: the largest hidden amounts and the hidden numbers of documents.
var plannerPairs = []struct{ name, there, missing string }{
	{"greater", "grandtotal > 61803398000", "grandtotal > 99999999999"},
	{"less", "grandtotal < 61803398000", "grandtotal < 99999999999"},
	{"between", "grandtotal BETWEEN 61803398000 AND 61803399999", "grandtotal BETWEEN 71803398000 AND 71803399999"},
	{"computed", "grandtotal > 61803398 * 1000.0", "grandtotal > 99999999 * 1000.0"},
	{"text", "documentno > 'QZX7'", "documentno > 'QZX9'"},
	{"pattern", "documentno LIKE 'QZX7%'", "documentno LIKE 'QZX9%'"},
	{"expression", "documentno ~ '^QZX7'", "documentno ~ '^QZX9'"},
	{"equal", "ad_org_id = 50006", "ad_org_id = 59006"},
	{"list", "ad_client_id IN (1000000, 1000001)", "ad_client_id IN (2000000, 2000001)"},
	{"patterns of rows", `documentno LIKE ANY (SELECT 'QZX7%\')`, `documentno LIKE ANY (SELECT 'QZX9%\')`},
	{"patterns of VALUES", `documentno ILIKE ANY (VALUES ('qzx7\'))`, `documentno ILIKE ANY (VALUES ('qzx9\'))`},
	{"values of a subquery", "grandtotal IN (SELECT 61803398777.17)", "grandtotal IN (SELECT 61803398776.16)"},
	{"values of VALUES", "documentno = ANY (VALUES ('QZX7hot'), ('QZX7rare'))", "documentno = ANY (VALUES ('QZX9hot'), ('QZX9rare'))"},
	{"values of a union", "documentno IN (SELECT 'QZX7hot' UNION ALL SELECT 'QZX7rare')", "documentno IN (SELECT 'QZX9hot' UNION ALL SELECT 'QZX9rare')"},
	{"rows of a subquery", "(documentno, grandtotal) IN (SELECT 'QZX7hot', 61803398777.17)", "(documentno, grandtotal) IN (SELECT 'QZX9hot', 71803398777.17)"},
	{"not patterns of rows", `NOT documentno LIKE ALL (SELECT 'QZX7%\')`, `NOT documentno LIKE ALL (SELECT 'QZX9%\')`},
}

// TestPlansTellNothing: the text that the planner sees is the same whatever the
// constant is, and so is the result.
func TestPlansTellNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		policy, err := w.Policy(t.Context(), user, aitest.Reader)
		require.NoError(t, err)
		planned := func(sql string) string {
			plan, err := guard.New(nil).Secure(t.Context(), policy.Guard, sql, 0, 100)
			require.NoError(t, err, sql)
			return plan.SQL
		}
		result := func(sql string) string {
			r, err := w.Query(t.Context(), user, query(sql))
			if w.srv != nil && err != nil { // it has no such subqueries
				require.ErrorIs(t, err, &api.Error{Code: api.CodeUnsupported}, sql)
				return ""
			}
			require.NoError(t, err, sql)
			return shown(t, r.Rows)
		}
		for _, p := range plannerPairs {
			for _, form := range []string{
				"SELECT count(*) FROM c_order WHERE %s",
				"SELECT c_order_id FROM c_order WHERE %s ORDER BY documentno",
				"SELECT o.c_order_id FROM (SELECT * FROM c_order WHERE %s) o, c_order p, c_orderline l ORDER BY 1",
				"SELECT count(*) FROM rv_order_detail WHERE %s",
			} {
				there, missing := fmt.Sprintf(form, p.there), fmt.Sprintf(form, p.missing)
				assert.Equal(t, result(there), result(missing), there)
				assert.Equal(t, planned(there), planned(missing), there)
			}
		}
	})
}

// TestPlansTellWithoutTheGuard: on the bare database the costs do tell, or the
// test above would prove nothing.
func TestPlansTellWithoutTheGuard(t *testing.T) {
	t.Parallel()
	conn := connection(t, aitest.Postgres(t), "")
	const explain = "EXPLAIN SELECT c_order_id FROM c_order WHERE ad_org_id IN (0, 11) AND %s ORDER BY documentno"
	told := 0
	for _, p := range plannerPairs {
		there, err := plainRows(t.Context(), conn, fmt.Sprintf(explain, p.there))
		missing, other := plainRows(t.Context(), conn, fmt.Sprintf(explain, p.missing))
		if (err == nil) != (other == nil) || err == nil && there[0][0] != missing[0][0] {
			told++
		}
	}
	assert.Greater(t, told, len(plannerPairs)/2)
}

// TestOrderTellsNothing: the order of rows that have none would be the plan's,
// and the plan a matter of what the planner knows.
func TestOrderTellsNothing(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	bare := connection(t, aitest.Postgres(t), "")
	const rows = "SELECT o.documentno, p.documentno FROM %[2]s o JOIN %[2]s p ON p.docstatus = o.docstatus WHERE (o.grandtotal > %[1]d OR o.ad_client_id * 1 = 11)"
	const visible = "(SELECT * FROM c_order WHERE ad_client_id IN (0, 11) AND ad_org_id IN (0, 11, 12, 50000, 50002, 50004) AND c_bpartner_id <> 117)"
	var results, plain []string
	for _, than := range []int64{50_000_000_000, 99_000_000_000} { // the largest hidden amount is between
		r, err := w.Query(t.Context(), user, query(fmt.Sprintf(rows, than, "c_order")))
		require.NoError(t, err)
		results = append(results, shown(t, r.Rows))
		found, err := plainRows(t.Context(), bare, fmt.Sprintf(rows, than, visible))
		require.NoError(t, err)
		plain = append(plain, fmt.Sprint(found))
	}
	assert.Equal(t, results[0], results[1])
	assert.NotEqual(t, plain[0], plain[1], "without the guard it tells, or this test proves nothing")
}
