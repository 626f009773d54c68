package guard

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testPolicy is a role of tenant 1000 with two organizations.
func testPolicy() *Policy {
	tenant := []Condition{{Column: "ad_client_id", IDs: []int64{0, 1000}}, {Column: "ad_org_id", IDs: []int64{0, 11, 12}}}
	standard := []Column{{Name: "ad_client_id", Type: "numeric"}, {Name: "ad_org_id", Type: "numeric"}}
	partner := append([]Column{{Name: "c_bpartner_id", Type: "numeric"}}, standard...)
	partner = append(partner, Column{Name: "name", Type: "varchar"}, Column{Name: "taxid", Type: "varchar"},
		Column{Name: "apikey", Type: "varchar", Redacted: true}, Column{Name: "days_reuse_password", Type: "int4", Redacted: true})
	order := append([]Column{{Name: "c_order_id", Type: "numeric"}}, standard...)
	order = append(order, Column{Name: "documentno", Type: "varchar"}, Column{Name: "c_bpartner_id", Type: "numeric"},
		Column{Name: "dateordered", Type: "timestamp"}, Column{Name: "grandtotal", Type: "numeric"})
	return &Policy{Version: "1", Schema: "adempiere",
		Tables: map[string]*Table{
			"c_bpartner": {Name: "C_BPartner", Columns: partner, Key: []string{"c_bpartner_id"}, Denied: []Column{{Name: "so_creditlimit", Type: "numeric"}},
				Conditions: append(tenant, Condition{Column: "c_bpartner_id", Not: true, IDs: []int64{117}, NullOK: true})},
			"c_order": {Name: "C_Order", Columns: order, Key: []string{"c_order_id"}, Conditions: tenant},
			"c_ruled": {Name: "C_Ruled", Columns: partner, Conditions: tenant,
				Where: []string{"c_ruled.name LIKE 'A%' AND EXISTS (SELECT 1 FROM c_order o WHERE o.c_bpartner_id = c_ruled.c_bpartner_id)"}},
			"c_broken": {Name: "C_Broken", Columns: partner, Conditions: tenant, Where: []string{"1=1) OR (1=1"}},
			"rv_order": {Name: "RV_Order", Columns: []Column{{Name: "c_order_id", Type: "numeric"}, {Name: "partner", Type: "varchar"},
				{Name: "secretword", Type: "varchar"}, {Name: "credit", Type: "numeric"}},
				Definition: "SELECT o.c_order_id, bp.name AS partner, bp.apikey AS secretword, bp.so_creditlimit * 2 AS credit" +
					" FROM adempiere.c_order o LEFT JOIN adempiere.c_bpartner bp ON o.c_bpartner_id = bp.c_bpartner_id"},
			"rv_hidden": {Name: "RV_Hidden", Columns: []Column{{Name: "name", Type: "varchar"}},
				Definition: "SELECT u.name FROM adempiere.ad_user u"},
			"rv_loop": {Name: "RV_Loop", Columns: []Column{{Name: "name", Type: "varchar"}},
				Definition: "SELECT l.name FROM adempiere.rv_loop l"},
		},
		Denied:    map[string]string{"ad_user": "AD_User"},
		Functions: map[string]bool{"nvl": true, "adddays": true, "trunc": true},
	}
}

// reports are queries that must run.
var reports = map[string]string{
	"plain":          "SELECT name FROM c_bpartner",
	"star":           "SELECT * FROM c_bpartner",
	"schema":         "SELECT adempiere.c_bpartner.name, c_bpartner.taxid FROM adempiere.c_bpartner",
	"window":         "SELECT documentno, sum(grandtotal) OVER (PARTITION BY c_bpartner_id ORDER BY dateordered ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM c_order",
	"named window":   "SELECT rank() OVER w, lag(grandtotal, 1, 0) OVER w FROM c_order WINDOW w AS (ORDER BY grandtotal DESC NULLS LAST)",
	"within group":   "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY grandtotal) FROM c_order",
	"filter":         "SELECT count(*) FILTER (WHERE grandtotal > 100), count(DISTINCT c_bpartner_id) FROM c_order",
	"grouping sets":  "SELECT ad_org_id, grouping(ad_org_id), sum(grandtotal) FROM c_order GROUP BY GROUPING SETS ((ad_org_id), ())",
	"rollup":         "SELECT date_trunc('month', dateordered) AS m, sum(grandtotal) FROM c_order GROUP BY ROLLUP (m) ORDER BY m",
	"having":         "SELECT c_bpartner_id, sum(grandtotal) AS total FROM c_order GROUP BY c_bpartner_id HAVING sum(grandtotal) > 10 ORDER BY total DESC",
	"lateral":        "SELECT bp.name, x.documentno FROM c_bpartner bp, LATERAL (SELECT o.documentno FROM c_order o WHERE o.c_bpartner_id = bp.c_bpartner_id LIMIT 1) x",
	"left lateral":   "SELECT bp.name, x.n FROM c_bpartner bp LEFT JOIN LATERAL (SELECT count(*) AS n FROM c_order o WHERE o.c_bpartner_id = bp.c_bpartner_id) x ON true",
	"recursive":      "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
	"cte shadows":    "WITH c_order AS (SELECT documentno FROM c_order) SELECT documentno FROM c_order",
	"cte names":      "WITH a(x, y) AS (SELECT c_order_id, documentno FROM c_order), b AS (SELECT x FROM a) SELECT b.x FROM b JOIN a ON a.x = b.x",
	"using":          "SELECT c_bpartner_id, o.documentno, bp.name FROM c_order o JOIN c_bpartner bp USING (c_bpartner_id)",
	"natural":        "SELECT documentno, name FROM c_order NATURAL JOIN c_bpartner",
	"join alias":     "SELECT j.name FROM (c_order o JOIN c_bpartner bp USING (c_bpartner_id)) AS j",
	"alias list":     "SELECT b.a FROM c_bpartner AS b(a, c)",
	"union":          "SELECT name FROM c_bpartner UNION ALL SELECT documentno FROM c_order ORDER BY name LIMIT 3",
	"values":         "SELECT column1 FROM (VALUES (1, 'a'), (2, 'b')) AS v",
	"series":         "SELECT g, g.g FROM generate_series(1, 5) AS g",
	"ordinality":     "SELECT u.x, u.ordinality FROM unnest(ARRAY['a','b']) WITH ORDINALITY AS u(x)",
	"json":           "SELECT e.value ->> 'a' FROM jsonb_array_elements('[]'::jsonb) AS e",
	"whole row":      "SELECT row_to_json(b), count(b) FROM c_bpartner b GROUP BY b.*",
	"field":          "SELECT (b).name FROM c_bpartner b",
	"case":           "SELECT CASE WHEN grandtotal > 100 THEN 'big' ELSE 'small' END AS size, count(*) FROM c_order GROUP BY size",
	"in subquery":    "SELECT name FROM c_bpartner WHERE c_bpartner_id IN (SELECT c_bpartner_id FROM c_order)",
	"correlated":     "SELECT name, (SELECT max(grandtotal) FROM c_order o WHERE o.c_bpartner_id = bp.c_bpartner_id) FROM c_bpartner bp",
	"exists":         "SELECT name FROM c_bpartner bp WHERE EXISTS (SELECT 1 FROM c_order o WHERE o.c_bpartner_id = bp.c_bpartner_id)",
	"extract":        "SELECT extract(year FROM dateordered), dateordered AT TIME ZONE 'UTC' FROM c_order",
	"trim":           "SELECT trim(both 'x' FROM name), substring(name FROM 1 FOR 2), position('a' IN name) FROM c_bpartner",
	"between":        "SELECT documentno FROM c_order WHERE dateordered BETWEEN date '2024-01-01' AND now() - interval '1 day'",
	"like":           "SELECT name FROM c_bpartner WHERE name ILIKE '%a%' AND name NOT LIKE 'x\\_%' ESCAPE '\\'",
	"collate":        `SELECT name FROM c_bpartner ORDER BY name COLLATE "C"`,
	"casts":          "SELECT grandtotal::numeric(10,2), CAST(c_order_id AS int), documentno::varchar(10) FROM c_order",
	"erp function":   "SELECT nvl(name, 'x'), adempiere.nvl(taxid, '') FROM c_bpartner",
	"erp trunc":      "SELECT trunc(dateordered, 'MM'), trunc(grandtotal, 2) FROM c_order",
	"view":           "SELECT partner, count(*) FROM rv_order GROUP BY partner",
	"view redacted":  "SELECT secretword, credit FROM rv_order v",
	"ruled":          "SELECT name FROM c_ruled",
	"distinct on":    "SELECT DISTINCT ON (c_bpartner_id) c_bpartner_id, documentno FROM c_order ORDER BY c_bpartner_id, dateordered DESC",
	"with ties":      "SELECT documentno FROM c_order ORDER BY grandtotal FETCH FIRST 3 ROWS WITH TIES",
	"row comparison": "SELECT documentno FROM c_order WHERE (c_order_id, ad_org_id) IN ((1, 2), (3, 4))",
	"no alias":       "SELECT name FROM (SELECT name FROM c_bpartner)",
	"table":          "TABLE c_order",
	"thirty chained": "SELECT grandtotal" + strings.Repeat(" + 1", 28) + " FROM c_order",
	"dozen nested":   strings.Repeat("SELECT * FROM (", 12) + "SELECT name FROM c_bpartner" + strings.Repeat(") AS x", 12),
	"dozen cases":    "SELECT " + strings.Repeat("CASE WHEN true THEN ", 12) + "1" + strings.Repeat(" END", 12),
	"redacted used":  "SELECT apikey FROM c_bpartner WHERE apikey = 'guess' ORDER BY apikey",
}

func TestSecureReports(t *testing.T) {
	t.Parallel()
	for name, sql := range reports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := New(nil).Secure(t.Context(), testPolicy(), sql, 0, 10)
			var r *Refusal
			if errors.As(err, &r) {
				t.Fatalf("refused: %v, %s (%s)", r, r.Hint, r.Cause)
			}
			require.NoError(t, err)
			assert.Contains(t, plan.SQL, "LIMIT 11")
			if strings.Contains(sql, " c_") {
				assert.Contains(t, plan.SQL, "ad_client_id IN (0, 1000)")
			}
		})
	}
}

func TestSecureRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sql  string
		kind Kind
	}{
		"empty":               {"", Syntax},
		"comment":             {"-- nothing", Syntax},
		"nonsense":            {"SELEC 1", Syntax},
		"nul":                 {"SELECT 1\x00; DROP TABLE x", Syntax},
		"utf8":                {"SELECT '\xff'", Syntax},
		"two":                 {"SELECT 1; SELECT 2", NotSelect},
		"insert":              {"INSERT INTO c_order VALUES (1)", NotSelect},
		"explain":             {"EXPLAIN SELECT 1", NotSelect},
		"cte delete":          {"WITH d AS (DELETE FROM c_order RETURNING *) SELECT * FROM d", NotSelect},
		"into":                {"SELECT 1 INTO x", Unsupported},
		"for update":          {"SELECT name FROM c_bpartner FOR UPDATE", Unsupported},
		"only":                {"SELECT name FROM ONLY c_bpartner", Unsupported},
		"tablesample":         {"SELECT name FROM c_bpartner TABLESAMPLE SYSTEM (1)", Unsupported},
		"unknown table":       {"SELECT 1 FROM nothing", Denied},
		"denied table":        {"SELECT 1 FROM ad_user", Denied},
		"catalog":             {"SELECT 1 FROM pg_catalog.pg_stats", Denied},
		"quoted name":         {`SELECT 1 FROM "C_Order"`, Denied},
		"cte self":            {"WITH ad_user AS (SELECT * FROM ad_user) SELECT * FROM ad_user", Denied},
		"cte scope ends":      {"SELECT * FROM (WITH ad_user AS (SELECT 1 AS a) SELECT a FROM ad_user) x, ad_user", Denied},
		"cte and schema":      {"WITH ad_user AS (SELECT 1 AS a) SELECT * FROM adempiere.ad_user", Denied},
		"unknown column":      {"SELECT b.nothing FROM c_bpartner b", Denied},
		"denied column":       {"SELECT so_creditlimit FROM c_bpartner", Denied},
		"denied in where":     {"SELECT name FROM c_bpartner WHERE so_creditlimit > 5", Denied},
		"system column":       {"SELECT ctid FROM c_bpartner", Denied},
		"attribute call":      {"SELECT b.pg_read_file FROM c_bpartner b", Denied},
		"attribute call 2":    {"SELECT x.ts_stat FROM (SELECT 'select 1'::text AS t) x", Syntax},
		"field call":          {"SELECT ('/etc/hostname'::text).pg_read_file", Denied},
		"nested field":        {"SELECT ((b).name).length FROM c_bpartner b", Denied},
		"cast in from":        {"SELECT x.ts_stat FROM CAST('select 1' AS text) AS x", Unsupported},
		"function":            {"SELECT pg_read_file('/etc/passwd')", Denied},
		"function qualified":  {"SELECT pg_catalog.pg_sleep(1)", Denied},
		"function other":      {"SELECT public.lower('x')", Denied},
		"function in filter":  {"SELECT count(*) FILTER (WHERE pg_sleep(1) IS NULL) FROM c_order", Denied},
		"function in frame":   {"SELECT sum(grandtotal) OVER (ORDER BY c_order_id ROWS nextval('x') PRECEDING) FROM c_order", Denied},
		"function in order":   {"SELECT 1 FROM c_order ORDER BY pg_sleep(1)", Denied},
		"function in limit":   {"SELECT 1 FROM c_order LIMIT pg_backend_pid()", Denied},
		"function in agg":     {"SELECT string_agg(name, ',' ORDER BY version()) FROM c_bpartner", Denied},
		"function in on":      {"SELECT 1 FROM c_order a JOIN c_order b ON pg_sleep(1) IS NULL", Denied},
		"function in values":  {"VALUES (pg_sleep(1))", Denied},
		"function in index":   {"SELECT (ARRAY[1])[pg_backend_pid()]", Denied},
		"function in group":   {"SELECT 1 FROM c_order GROUP BY CUBE (pg_sleep(1))", Denied},
		"function in cte":     {"WITH x AS (SELECT pg_sleep(1)) SELECT 1", Denied},
		"function in from":    {"SELECT 1 FROM pg_ls_dir('/') x", Denied},
		"function rows from":  {"SELECT 1 FROM ROWS FROM (generate_series(1,2), pg_ls_dir('/')) x", Denied},
		"function distinct":   {"SELECT DISTINCT ON (pg_sleep(1)) 1 FROM c_order", Denied},
		"function named arg":  {"SELECT make_interval(days => pg_backend_pid())", Denied},
		"function variadic":   {"SELECT concat(VARIADIC ARRAY[pg_sleep(1)::text])", Denied},
		"current_user":        {"SELECT current_user", Denied},
		"regclass":            {"SELECT 'c_order'::regclass", Denied},
		"row type":            {"SELECT NULL::c_order", Denied},
		"operator":            {"SELECT 1 OPERATOR(adempiere.+) 2", Denied},
		"sort operator":       {"SELECT 1 ORDER BY 1 USING OPERATOR(public.<)", Denied},
		"sublink operator":    {"SELECT 1 OPERATOR(public.=) ANY (SELECT 1)", Denied},
		"collation":           {`SELECT name COLLATE "de_DE" FROM c_bpartner`, Denied},
		"hex number":          {"SELECT 0xFFFFFFFFFF", Unsupported},
		"parameter":           {"SELECT $2", Syntax},
		"parameter zero":      {"SELECT $0", Syntax},
		"view of hidden":      {"SELECT name FROM rv_hidden", Denied},
		"view loop":           {"SELECT name FROM rv_loop", Denied},
		"broken rule":         {"SELECT name FROM c_broken", Denied},
		"reserved alias":      {"SELECT 1 FROM c_order AS erphub_view_c_order", Unsupported},
		"too long":            {"SELECT '" + strings.Repeat("x", 70_000) + "'", TooLarge},
		"nested":              {"SELECT " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300), TooLarge},
		"chained":             {"SELECT 1" + strings.Repeat(" + 1", 5000), TooLarge},
		"between chain":       {"SELECT 1 " + strings.Repeat("BETWEEN 1 AND 2 IS NULL ", 1000), TooLarge},
		"within group chain":  {"SELECT " + strings.Repeat("mode() WITHIN GROUP (ORDER BY 1) + ", 900) + "1", TooLarge},
		"between brackets":    {"SELECT 1 BETWEEN (true AND false) AND true", Insecure},
		"name twice":          {"SELECT 1 FROM c_order, c_order", Syntax},
		"no column in cte":    {"WITH x AS (SELECT 1 AS a) SELECT x.b FROM x", Syntax},
		"lateral not allowed": {"SELECT 1 FROM c_bpartner bp, (SELECT bp.name) x", Syntax},
		"whole row function":  {"SELECT b.row_to_json FROM c_bpartner b", Denied},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := New(nil).Secure(t.Context(), testPolicy(), test.sql, 0, 10)
			var r *Refusal
			if !assert.ErrorAs(t, err, &r) {
				t.Log(plan.SQL)
				return
			}
			assert.Equal(t, test.kind, r.Kind, "%v (%s)", r, r.Cause)
			assert.NotEmpty(t, r.Reason)
		})
	}
}

func TestSecureText(t *testing.T) {
	t.Parallel()
	plan, err := New(nil).Secure(t.Context(), testPolicy(), "SELECT b.name, b.apikey, days_reuse_password FROM c_bpartner b WHERE name = $1", 1, 10)
	require.NoError(t, err)
	assert.Equal(t, "SELECT * FROM (SELECT b.name, b.apikey, days_reuse_password FROM (SELECT s.c_bpartner_id AS c_bpartner_id, s.name AS name, '***'::pg_catalog.text AS apikey, NULL::int AS days_reuse_password"+
		" FROM adempiere.c_bpartner s WHERE s.ad_client_id IN (0, 1000) AND s.ad_org_id IN (0, 11, 12) AND (s.c_bpartner_id IS NULL OR s.c_bpartner_id NOT IN (117))) b WHERE name = $1 ORDER BY b.c_bpartner_id) q LIMIT 11", plan.SQL)
	assert.Equal(t, []OutputColumn{{Name: "name"}, {Name: "apikey", Redacted: true}, {Name: "days_reuse_password", Redacted: true}}, plan.Columns)
	assert.Equal(t, []string{"C_BPartner"}, plan.Tables)

	plan, err = New(nil).Secure(t.Context(), testPolicy(), "SELECT credit, secretword FROM rv_order", 0, 10)
	require.NoError(t, err)
	assert.Equal(t, []string{"C_BPartner", "C_Order", "RV_Order"}, plan.Tables)
	assert.Contains(t, plan.SQL, "NULL::numeric AS so_creditlimit")
	assert.NotContains(t, plan.SQL, "s.apikey")
	assert.True(t, plan.Columns[1].Redacted)
}

// TestUnknownAndForbidden: nobody learns what exists from a refusal.
func TestUnknownAndForbidden(t *testing.T) {
	t.Parallel()
	refusal := func(sql string) *Refusal {
		_, err := New(nil).Secure(t.Context(), testPolicy(), sql, 0, 10)
		var r *Refusal
		require.ErrorAs(t, err, &r)
		return r
	}
	forbidden, unknown := refusal("SELECT 'é', 1 FROM ad_user"), refusal("SELECT 'é', 1 FROM ad_usex")
	assert.Equal(t, strings.ReplaceAll(forbidden.Error(), "ad_user", "ad_usex"), unknown.Error())
	assert.Equal(t, 20, forbidden.Position)
	assert.Equal(t, []string{"AD_User"}, forbidden.Tables)
	assert.Equal(t, forbidden.Hint, unknown.Hint)
	a, b := refusal("SELECT so_creditlimit FROM c_bpartner"), refusal("SELECT so_creditlimix FROM c_bpartner")
	assert.Equal(t, strings.ReplaceAll(a.Error(), "limit", "limix"), b.Error())
	assert.Equal(t, 17, refusal("SELECT 'é' frox x y").Position)
}

func TestPlansAreKept(t *testing.T) {
	t.Parallel()
	g, p := New(&Options{CacheSize: 64 << 10}), testPolicy()
	first, err := g.Secure(t.Context(), p, reports["using"], 0, 10)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, sql := range reports {
				if _, err := g.Secure(t.Context(), p, sql, 0, 10); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, g.cache.size, 64<<10)
	again, err := g.Secure(t.Context(), p, reports["using"], 0, 10)
	require.NoError(t, err)
	assert.Equal(t, first.SQL, again.SQL)
	q := testPolicy()
	q.Version, q.Tables["c_order"] = "2", &Table{Name: "C_Order", Columns: p.Tables["c_order"].Columns, Conditions: []Condition{{Column: "ad_org_id"}}}
	other, err := g.Secure(t.Context(), q, "SELECT 1 FROM c_order", 0, 10)
	require.NoError(t, err)
	assert.Contains(t, other.SQL, "WHERE false")
}

func BenchmarkSecure(b *testing.B) {
	g, p := New(nil), testPolicy()
	for name, version := range map[string]string{"kept": "1", "fresh": ""} {
		b.Run(name, func(b *testing.B) {
			p.Version = version
			for b.Loop() {
				if _, err := g.Secure(b.Context(), p, reports["correlated"], 0, 10); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzSecure(f *testing.F) {
	for _, sql := range reports {
		f.Add(sql)
	}
	g, p := New(nil), testPolicy()
	f.Fuzz(func(t *testing.T, sql string) {
		plan, err := g.Secure(t.Context(), p, sql, 0, 10)
		var r *Refusal
		if err != nil {
			require.ErrorAs(t, err, &r)
			return
		}
		tree, err := postgres.parse(plan.SQL)
		require.NoError(t, err)
		require.NoError(t, verify(tree, p, p.Schema, 50, len(plan.Values), 10))
	})
}
