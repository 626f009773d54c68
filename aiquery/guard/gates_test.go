package guard

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Columns that are said to be equal are gated together: the server compares the one
// with what it is told of the other, also with a constant that stays in the text.
func TestEqualColumnsAreGatedTogether(t *testing.T) {
	t.Parallel()
	const order, name = "C_Order.documentno", "C_BPartner.name"
	for sql, want := range map[string][]string{
		"SELECT 1 FROM c_order o JOIN c_bpartner p ON o.documentno = p.name":                                                                       nil,
		"SELECT 1 FROM c_order o JOIN c_bpartner p ON o.documentno = p.name WHERE lower(o.documentno) = 'x'":                                       {name, order},
		"SELECT 1 FROM c_order o, c_bpartner p WHERE upper(p.name) = 'x' AND p.name = o.documentno":                                                {name, order},
		"SELECT 1 FROM c_order o LEFT JOIN c_bpartner p ON o.documentno = p.name WHERE lower(p.name) = 'x'":                                        {name, order},
		"SELECT 1 FROM (SELECT name AS documentno FROM c_bpartner) p JOIN c_order o USING (documentno) WHERE lower(o.documentno) = 'x'":            {name, order},
		"SELECT 1 FROM (SELECT name AS documentno FROM c_bpartner) p NATURAL JOIN c_order o WHERE lower(o.documentno) = 'x'":                       {name, order},
		"SELECT 1 FROM c_order o WHERE o.documentno IN (SELECT name FROM c_bpartner) AND lower(o.documentno) = 'x'":                                {name, order},
		"SELECT 1 FROM c_order o WHERE o.documentno IN (SELECT name FROM c_bpartner WHERE lower(name) = 'x')":                                      {name, order},
		"SELECT 1 FROM c_order o WHERE EXISTS (SELECT 1 FROM c_bpartner p WHERE p.name = o.documentno AND lower(p.name) = 'x')":                    {name, order},
		"SELECT o.documentno FROM c_order o JOIN c_bpartner p ON o.documentno = p.name GROUP BY o.documentno, 'X'::text HAVING o.documentno = 'X'": {name, order},

		// A column beside a constant that GROUP BY keeps in the text.
		"SELECT q.d FROM (SELECT documentno d, 'X'::text c FROM c_order GROUP BY 1, 2) q WHERE q.d = q.c":                                                    {order},
		"SELECT q.d FROM (SELECT documentno d, 'X'::text c FROM c_order GROUP BY 1, 2) q WHERE q.c = q.d":                                                    {order},
		"SELECT q.d FROM (SELECT documentno d, coalesce('X'::text, name) c FROM c_order, c_bpartner GROUP BY 1, 2) q WHERE q.c IS NOT DISTINCT FROM q.d":     {name, order},
		"SELECT 1 FROM c_bpartner p JOIN (SELECT documentno d, 'X'::text c FROM c_order GROUP BY 1, 2) q ON p.name = q.d AND q.d = q.c":                      {name, order},
		"SELECT 1 FROM (SELECT DISTINCT ON (documentno, 'X'::text) documentno d, 'X'::text c FROM c_order ORDER BY documentno, 'X'::text) q WHERE q.d = q.c": {order},
		"SELECT 1 FROM (SELECT 'X'::text documentno, 1 x GROUP BY 1) p JOIN c_order USING (documentno)":                                                      {order},

		// The result of an aggregate is not a constant.
		"SELECT 1 FROM c_order o JOIN (SELECT c_bpartner_id, max(documentno) d FROM c_order GROUP BY 1) q ON o.documentno = q.d":                          nil,
		"SELECT o.documentno FROM c_order o JOIN (SELECT c_bpartner_id AS p, max(c_order_id) AS last FROM c_order GROUP BY 1) q ON o.c_order_id = q.last": nil,
	} {
		plan, err := New(nil).Secure(t.Context(), testPolicy(), sql, 0, 10)
		require.NoError(t, err, sql)
		var gated []string
		for _, r := range plan.Reads {
			for _, c := range r.Computed {
				gated = append(gated, r.Table+"."+c)
			}
		}
		slices.Sort(gated)
		assert.Equal(t, want, gated, sql)
	}
}

// A table of which everybody sees all has no gates, and is compared with what has.
func TestTablesWithoutGates(t *testing.T) {
	t.Parallel()
	policy := testPolicy()
	policy.Tables["c_free"] = &Table{Name: "C_Free", Columns: []Column{{Name: "name", Type: "varchar"}}}
	for _, sql := range []string{
		"SELECT 1 FROM c_free f JOIN c_bpartner p ON f.name = p.name",
		"SELECT 1 FROM c_free f JOIN c_bpartner p ON f.name = p.name WHERE upper(p.name) = 'x'",
		"SELECT 1 FROM c_free f JOIN c_ruled r ON f.name = r.name WHERE upper(f.name) = 'x'",
	} {
		_, err := New(nil).Secure(t.Context(), policy, sql, 0, 10)
		assert.NoError(t, err, sql)
	}
}
