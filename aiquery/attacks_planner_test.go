package aiquery_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/internal/aitest"
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
	{"not patterns of rows", `NOT documentno LIKE ALL (SELECT 'QZX7%\')`, `NOT documentno LIKE ALL (SELECT 'QZX9%\')`},
}

// TestPlansTellNothing: neither steps and costs nor errors of the planner
// depend on values in rows that may not be seen.
func TestPlansTellNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		explained := func(sql string) string {
			x, err := w.Explain(t.Context(), user, query(sql))
			require.NoError(t, err, sql)
			return shown(t, x.Plan)
		}
		answered := func(sql string) string {
			r, err := w.Query(t.Context(), user, query(sql))
			if w.srv != nil && err != nil { // it has no such subqueries
				require.ErrorIs(t, err, &aiquery.Error{Code: aiquery.CodeUnsupported}, sql)
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
				assert.Equal(t, answered(there), answered(missing), there)
				if w.srv == nil {
					assert.Equal(t, explained(there), explained(missing), there)
				}
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
