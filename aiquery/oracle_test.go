package aiquery_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// oracles fail on hidden rows when those hold what is asked for, and on no
// others: one that fails for a hidden row tells a bit of it.
var oracles = map[string]string{
	"division":  `SELECT count(*) FROM c_order WHERE 1/(CASE WHEN documentno LIKE '%s%%' THEN 0 ELSE 1 END) = 1`,
	"date":      `SELECT count(*) FROM c_bpartner WHERE (CASE WHEN name LIKE '%s%%' THEN name ELSE '2026-01-01' END)::date IS NULL`,
	"number":    `SELECT count(*) FROM c_order WHERE (CASE WHEN documentno LIKE '%s%%' THEN documentno ELSE '1' END)::numeric = 1`,
	"logarithm": `SELECT count(*) FROM c_order WHERE ln(CASE WHEN documentno LIKE '%s%%' THEN 0 ELSE 1 END) = 0`,
	"subquery":  `SELECT count(*) FROM c_order WHERE CASE WHEN documentno LIKE '%s%%' THEN (SELECT a FROM generate_series(1, 2) a) ELSE 1 END = 1`,
}

// postgresOracles are those that only PostgreSQL knows.
var postgresOracles = map[string]string{
	// Which collation to use is only asked when two texts are compared.
	"collation": `SELECT count(*) FROM (SELECT documentno COLLATE "C" AS a, documentno COLLATE "POSIX" AS b FROM c_order) q WHERE CASE WHEN a LIKE '%s%%' THEN a < b ELSE true END`,
	"unit":      `SELECT count(*) FROM c_order WHERE CASE WHEN documentno LIKE '%s%%' THEN date_trunc(documentno, dateordered) ELSE dateordered END IS NULL`,
	"zone":      `SELECT count(*) FROM c_order WHERE timezone(CASE WHEN documentno LIKE '%s%%' THEN documentno ELSE 'UTC' END, dateordered) IS NULL`,
	"length":    `SELECT count(*) FROM c_order WHERE length(lpad('x', CASE WHEN documentno LIKE '%s%%' THEN 2000000000 ELSE 1 END)) = 5`,
	"pattern":   `SELECT count(*) FROM c_order WHERE 'a' ~ (CASE WHEN documentno LIKE '%s%%' THEN '(' || documentno ELSE 'a' END)`,
	"json":      `SELECT count(*) FROM c_order WHERE (CASE WHEN documentno LIKE '%s%%' THEN documentno ELSE '1' END)::json IS NULL`,
}

// Errors must not tell what hidden rows hold: the same statements about hidden
// facts that are so and that are not get the same result, which is that of the
// reduced database.
func TestErrorsDependOnNothingHidden(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		try := func(statements map[string]string) {
			for name, sql := range statements {
				var results []string
				for _, mark := range []string{aitest.CanaryText, "ZZZ"} {
					r, err := w.Query(t.Context(), user, query(fmt.Sprintf(sql, mark)))
					require.NoError(t, err, "%s\n%s", name, w.log)
					results = append(results, shown(t, r.Rows))
				}
				assert.Equal(t, results[0], results[1], name)
			}
		}
		try(oracles)
		if w.url != "" {
			try(postgresOracles)
		}
		for _, r := range w.audit(t) {
			assert.Equal(t, aiquery.StatusSuccess, r["aig_querystatus"], r["aig_querysql"])
		}
		assert.Empty(t, aitest.Leaks(w.log.String()), "the log quotes no values")
	})
}
