package guard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Values that are equal and look different, such as 1 and 1.00, are told apart by
// their text wherever an order is closed. A table's key needs no text.
func TestOrderTellsApartWhatLooksDifferent(t *testing.T) {
	t.Parallel()
	g := New(nil)
	for name, tc := range map[string]struct{ sql, order string }{
		"key":               {"SELECT grandtotal FROM c_order", "ORDER BY c_order.c_order_id)"},
		"computed":          {"SELECT q.k FROM (SELECT round(grandtotal, length(documentno)) FROM c_order) q(k)", "ORDER BY q.k, q.k::pg_catalog.text)"},
		"whole":             {"SELECT q.k FROM (SELECT length(documentno) FROM c_order) q(k)", "ORDER BY q.k)"},
		"text":              {"SELECT q.k FROM (SELECT lower(documentno) || 'x' FROM c_order) q(k)", "ORDER BY q.k)"},
		"grouped":           {"SELECT sum(grandtotal) FROM c_order GROUP BY c_bpartner_id", "ORDER BY 1, pg_catalog.sum(grandtotal)::pg_catalog.text)"},
		"counted":           {"SELECT count(*) FROM c_order GROUP BY c_bpartner_id", "ORDER BY 1)"},
		"case":              {"SELECT q.k FROM (SELECT CASE WHEN documentno = 'x' THEN 1 ELSE 1.00 END FROM c_order) q(k)", "ORDER BY q.k, q.k::pg_catalog.text)"},
		"interval":          {"SELECT q.k FROM (SELECT dateordered - dateordered FROM c_order) q(k)", "ORDER BY q.k, q.k::pg_catalog.text)"},
		"collected":         {"SELECT array_agg(grandtotal / 3) FROM c_order", "array_agg(grandtotal / $1 ORDER BY grandtotal / $1, (grandtotal / $1)::pg_catalog.text)"},
		"appended":          {"SELECT grandtotal FROM c_order UNION ALL SELECT grandtotal / 3 FROM c_order", "q1(c1) ORDER BY 1, erphub_q1.c1::pg_catalog.text)"},
		"appended, its own": {"SELECT grandtotal AS g FROM c_order UNION ALL SELECT 1.00 ORDER BY g LIMIT 2", "q1(c1) ORDER BY g, 1, erphub_q1.c1::pg_catalog.text LIMIT 2)"},
		"appended texts":    {"SELECT documentno FROM c_order UNION ALL SELECT name FROM c_bpartner", "ORDER BY 1)"},
		"joined by IN":      {"SELECT q.d FROM (SELECT documentno FROM c_order ORDER BY 1 LIMIT 9) q(d) WHERE q.d IN (SELECT name FROM c_bpartner)", "ORDER BY q.d)"},
		"united":            {"SELECT grandtotal FROM c_order UNION SELECT grandtotal / 3 FROM c_order", "ORDER BY 1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := g.Secure(t.Context(), testPolicy(), tc.sql, 0, 10)
			require.NoError(t, err)
			assert.Contains(t, plan.SQL, tc.order, strings.TrimSpace(plan.SQL))
		})
	}
}
