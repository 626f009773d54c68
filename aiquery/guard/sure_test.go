package guard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is not known to be sure is taken to be able to fail: each case names what
// the plan says, "" for nothing.
func TestFailing(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		// Comparisons, sums and texts of columns are sure.
		"SELECT 1 FROM c_order WHERE documentno = 'x' AND grandtotal > 5 AND dateordered < now()":                                             "",
		"SELECT 1 FROM c_order WHERE documentno IN ('a', 'b') OR grandtotal BETWEEN 1 AND 2":                                                  "",
		"SELECT grandtotal * 2 + 1, -grandtotal, documentno || '/' || grandtotal, coalesce(documentno, 'x') FROM c_order":                     "",
		"SELECT dateordered + interval '30 days', dateordered::date - current_date FROM c_order":                                              "",
		"SELECT count(*) * 100, sum(grandtotal), max(documentno), avg(c_order_id) FROM c_order":                                               "",
		"SELECT date_trunc('month', dateordered), extract(year FROM dateordered) * 100 FROM c_order":                                          "",
		"SELECT CASE documentno WHEN 'a' THEN 1 ELSE 2 END, greatest(grandtotal, 1), nullif(grandtotal, 0) FROM c_order":                      "",
		"SELECT q.t + 1 FROM (SELECT sum(grandtotal) t FROM c_order GROUP BY documentno) q WHERE q.t > 5":                                     "",
		"SELECT to_jsonb(documentno) ->> 'x', array_agg(documentno), lower(documentno), length(documentno) + 1 FROM c_order GROUP BY 1, 3, 4": "",
		"SELECT 1 FROM c_order o WHERE (o.c_order_id, 1) IN (SELECT c_order_id, 1 FROM c_order) AND documentno LIKE 'a%'":                     "",
		"SELECT ARRAY[documentno, 'x'], ARRAY(SELECT name FROM c_bpartner) FROM c_order":                                                      "",
		"SELECT (SELECT count(*) FROM c_bpartner), (SELECT name FROM c_bpartner ORDER BY 1 LIMIT 1) FROM c_order":                             "",
		"SELECT $1::text, $1 = documentno FROM c_order":                                                                                       "",
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT n FROM r":                                                         "",

		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r":          "",
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + n FROM r) SELECT n FROM r":          "the operator +",
		"WITH RECURSIVE r(n) AS (SELECT 2147483640 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r": "the operator +",
		"SELECT q.n + 1 FROM (SELECT length(documentno) n FROM c_order) q":                         "",

		// A function that makes a type of any other does what a cast does.
		"SELECT date(documentno) FROM c_order":                                                "date(…)",
		"SELECT \"timestamp\"(documentno) FROM c_order":                                       "timestamp(…)",
		"SELECT date_trunc('fortnight', dateordered) FROM c_order":                            "date_trunc(…)",
		"SELECT extract(hour FROM dateordered::date) FROM c_order":                            "extract(…)",
		"SELECT sum(f.n) FROM (SELECT sqrt(1) n FROM c_order) f":                              "sqrt(…), sum(…)",
		"SELECT array_agg(a) FROM (SELECT string_to_array(documentno, '-') a FROM c_order) q": "array_agg(…), string_to_array(…)",
		"SELECT justify_days(dateordered - dateordered) FROM c_order":                         "justify_days(…)",
		"SELECT to_jsonb(documentno::json) FROM c_order":                                      "the cast to json, to_jsonb(…)",
		"SELECT num_nulls(VARIADIC ARRAY[documentno]) FROM c_order":                           "num_nulls(…)",
		"SELECT length(documentno::bytea, 'UTF8') FROM c_order":                               "length(…), the cast to bytea",
		"SELECT abs(length(documentno)) FROM c_order":                                         "abs(…)",
		"SELECT substr(documentno, 1, c_order_id::int) FROM c_order":                          "substr(…), the cast to int4",

		"SELECT to_jsonb(documentno) - 'documentno' FROM c_order": "the operator -",
		// Operators are sure for some types and not for others.
		"SELECT q.j - 1 FROM (SELECT to_jsonb(documentno) j FROM c_order) q":                                                                           "the operator -",
		"SELECT a.j - b.j FROM (SELECT numrange(grandtotal, grandtotal) j FROM c_order) a, (SELECT numrange(grandtotal, grandtotal) j FROM c_order) b": "numrange(…), the operator -",
		"SELECT string_to_array(documentno, '-') || ARRAY[documentno] FROM c_order":                                                                    "string_to_array(…), the operator ||",
		"SELECT documentno::json ->> 'a' FROM c_order":                                                                                                 "the cast to json, the operator ->>",
		"SELECT length(documentno) * 100000000 FROM c_order":                                                                                           "the operator *",
		"SELECT grandtotal::int2 + grandtotal::int2 FROM c_order":                                                                                      "the cast to int2, the operator +",
		"SELECT -(grandtotal::int2) FROM c_order":                                                                                                      "the cast to int2, the operator -",
		"SELECT grandtotal::int2 + length(documentno) FROM c_order":                                                                                    "the cast to int2",
		"SELECT b = c FROM c_order b, c_order c":                                                                                                       "the operator =",
		"SELECT b IN (c, b) FROM c_order b, c_order c":                                                                                                 "the operator =",
		"SELECT greatest(b, c) IS NULL FROM c_order b, c_order c":                                                                                      "GREATEST or LEAST",
		"SELECT CASE b WHEN c THEN 1 END FROM c_order b, c_order c":                                                                                    "CASE of values of several types",
		"SELECT b IN (SELECT o FROM c_order o) FROM c_order b":                                                                                         "a comparison with the rows of a subquery",
		"SELECT grandtotal = 0.5::float8 + c_order_id::float8 FROM c_order":                                                                            "the cast to float8, the operator +, the operator =",
		"SELECT documentno ~ 'a' FROM c_order":                                                                                                         "the operator ~",
		"SELECT documentno LIKE name FROM c_order, c_bpartner":                                                                                         "the operator ~~",

		// A parameter has one type, which any of its places may decide.
		"SELECT grandtotal > $1 FROM c_order":                                                  "",
		"SELECT grandtotal BETWEEN $1 AND 5 FROM c_order":                                      "",
		"SELECT documentno = $1 OR $1 IS NULL FROM c_order":                                    "",
		"SELECT grandtotal > $1 FROM c_order WHERE 0.5::float8 < $1":                           "the operator >",
		"SELECT q.x = grandtotal FROM (SELECT $1 x, $1 < 0.5::float8 FROM c_order) q, c_order": "the operator =",

		// So are nodes of other kinds.
		"SELECT ARRAY[string_to_array(documentno, '-'), ARRAY['x']] FROM c_order":                                  "an array of arrays, string_to_array(…)",
		"SELECT ARRAY(SELECT string_to_array(name, '-') FROM c_bpartner) FROM c_order":                             "an array of arrays, string_to_array(…)",
		"SELECT coalesce(grandtotal, sqrt(4)) FROM c_order":                                                        "COALESCE of numbers of several types, sqrt(…)",
		"SELECT (SELECT generate_series(1, 2)) FROM c_order":                                                       "a subquery that returns several rows, generate_series(…)",
		"SELECT (SELECT name FROM c_bpartner ORDER BY name FETCH FIRST 1 ROW WITH TIES) FROM c_order":              "a subquery that returns several rows",
		"SELECT 1 FROM c_order WHERE EXISTS (SELECT 1 FROM c_bpartner LIMIT -1)":                                   "LIMIT or OFFSET",
		"SELECT sum(grandtotal) OVER (ORDER BY grandtotal RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM c_order": "the frame of a window",
		"SELECT grandtotal FROM c_order UNION SELECT sqrt(c_order_id::float8) FROM c_order":                        `numbers of several types in "grandtotal", sqrt(…), the cast to float8`,
		"SELECT 1 FROM (VALUES (1.5), (sqrt(2))) v(x)":                                                             "numbers of several types in VALUES, sqrt(…)",

		// What a view computes fails like what the caller writes.
		"SELECT credit FROM rv_order": "",
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			plan, err := New(nil).Secure(t.Context(), testPolicy(), sql, strings.Count(sql, "$1")/max(strings.Count(sql, "$1"), 1), 10)
			require.NoError(t, err)
			assert.Equal(t, want, strings.Join(plan.Failing, ", "))
		})
	}
}

// What a view computes can fail like what the caller writes, and is named by the
// column, since what it is made of is not the caller's to know.
func TestFailingOfViews(t *testing.T) {
	t.Parallel()
	policy := func() *Policy {
		p := testPolicy()
		p.Tables["rv_order"].Definition = "SELECT o.c_order_id, b.name AS partner, b.apikey AS secretword, 1 / b.so_creditlimit AS credit " +
			"FROM adempiere.c_order o JOIN adempiere.c_bpartner b ON b.c_bpartner_id = o.c_bpartner_id"
		return p
	}
	for sql, want := range map[string]string{
		"SELECT partner FROM rv_order":                                        "",
		"SELECT credit FROM rv_order":                                         "column credit of RV_Order",
		"SELECT * FROM rv_order":                                              "column credit of RV_Order",
		"SELECT to_json(r) FROM rv_order r":                                   "column credit of RV_Order",
		"SELECT q.partner FROM (SELECT * FROM rv_order) q WHERE q.credit > 0": "column credit of RV_Order",
	} {
		plan, err := New(nil).Secure(t.Context(), policy(), sql, 0, 10)
		if assert.NoError(t, err, sql) {
			assert.Equal(t, want, strings.Join(plan.Failing, ", "), sql)
		}
	}
}
