package aiquery_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
)

// Attacks that ask yes or no, and attacks by statements, texts, parameters and
// size.

var oracleAttacks = []attack{
	{name: "error quotes a name", sql: `SELECT count(*) FROM c_bpartner WHERE name::date IS NULL`},
	{name: "error quotes an amount", sql: `SELECT count(*) FROM c_order WHERE ('x' || grandtotal)::numeric > 0`},
	{name: "error quotes a number's text", sql: `SELECT documentno::int FROM c_order ORDER BY grandtotal DESC`},
	{name: "error in an aggregate", sql: `SELECT sum(documentno::numeric) FROM c_order`},
	{name: "error in the order", sql: `SELECT 1 FROM c_order ORDER BY description::int`},
	{name: "error in a join", sql: `SELECT count(*) FROM c_order o JOIN c_bpartner b ON b.name::int = o.c_bpartner_id`},
	{name: "error on rows between", sql: `SELECT count(*) FROM c_order WHERE CASE WHEN documentno LIKE 'QZX7%' THEN documentno::int > 0 ELSE true END`, must: same},
	{name: "division on hidden rows", sql: `SELECT count(*) FROM c_order WHERE 1 / (CASE WHEN documentno LIKE 'QZX7%' THEN 0 ELSE 1 END) = 1`, must: same},
	{name: "division on hidden partners", sql: `SELECT count(*) FROM c_bpartner WHERE 1 / (CASE WHEN name LIKE 'QZX7%' THEN 0 ELSE 1 END) = 1`, must: same},
	{name: "division by what only hidden rows have", sql: `SELECT count(*) FROM c_order WHERE 1 / (ad_client_id - 1000000) < 1`, must: same},
	{name: "division on a view", sql: `SELECT count(*) FROM rv_order_detail WHERE 1 / (CASE WHEN partnername LIKE 'QZX7%' THEN 0 ELSE 1 END) = 1`, must: same},
	{name: "division on a redacted column", sql: `SELECT count(*) FROM ad_user WHERE 1 / (CASE WHEN password = 'secret' THEN 0 ELSE 1 END) = 1`, must: same},
	{name: "division on an excluded column", sql: `SELECT count(*) FROM c_bpartner WHERE 1 / (CASE WHEN taxid LIKE 'QZX7%' THEN 0 ELSE 1 END) = 1`, must: refused},
	{name: "overflow on hidden rows", sql: `SELECT count(*) FROM c_order WHERE (grandtotal * 1000)::int4 > -1`, must: same},
	{name: "root on hidden rows", sql: `SELECT count(*) FROM c_order WHERE sqrt(50000 - grandtotal) >= 0`, must: same},
	{name: "logarithm on hidden rows", sql: `SELECT count(*) FROM c_order WHERE ln((60000000 - grandtotal)::float8) > 0`, must: same},
	{name: "substring on hidden rows", sql: `SELECT count(*) FROM c_order WHERE substr(documentno, 1, CASE WHEN documentno LIKE 'QZX7%' THEN -1 ELSE 1 END) <> ''`, must: same},
	{name: "pattern from hidden rows", sql: `SELECT count(*) FROM c_order WHERE 'x' ~ (CASE WHEN documentno LIKE 'QZX7%' THEN '(' ELSE 'x' END)`, must: same},
	{name: "json from hidden rows", sql: `SELECT count(*) FROM c_order WHERE (CASE WHEN documentno LIKE 'QZX7%' THEN documentno ELSE '{}' END)::json IS NOT NULL`, must: same},
	{name: "date from hidden rows", sql: `SELECT count(*) FROM c_order WHERE to_date(CASE WHEN documentno LIKE 'QZX7%' THEN documentno ELSE '2024-01-01' END, 'YYYY-MM-DD') > '2000-01-01'`, must: same},
	{name: "several rows of hidden ones", sql: `SELECT count(*) FROM c_order o WHERE (SELECT b.name FROM c_bpartner b WHERE b.c_bpartner_id = o.c_bpartner_id OR o.documentno LIKE 'QZX7%') IS NOT NULL`, must: same},
	{name: "length of hidden values", sql: `SELECT count(*) FROM c_order WHERE length(lpad('x', CASE WHEN documentno LIKE 'QZX7%' THEN 2000000000 ELSE 1 END)) = 1`, must: same},
	{name: "array of hidden values", sql: `SELECT count(*) FROM c_order WHERE ('{' || documentno || ',{')::text[] IS NULL`},
	{name: "scalar subquery of all", sql: `SELECT (SELECT documentno FROM c_order)`},
	{name: "exists a hidden row", sql: `SELECT EXISTS (SELECT 1 FROM c_order WHERE documentno LIKE 'QZX7%'), max(documentno) FROM c_order`},
	{name: "count of hidden rows", sql: `SELECT count(*), count(*) FILTER (WHERE ad_client_id = 1000000), sum(grandtotal) FROM c_order`, must: same},
	{name: "minimum and maximum", sql: `SELECT min(documentno), max(documentno), max(grandtotal), min(created) FROM c_order`, must: same},
	{name: "guess letter by letter", sql: `SELECT sum(CASE WHEN documentno LIKE 'Q%' THEN 1 ELSE 0 END), sum(CASE WHEN documentno LIKE 'QZ%' THEN 1 ELSE 0 END) FROM c_order`, must: same},
	{name: "binary search", sql: `SELECT count(*) FROM c_order WHERE grandtotal BETWEEN 61803398 AND 618033999999`, must: same},
	{name: "median", sql: `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY grandtotal) FROM c_order`, must: same},
	{name: "mode", sql: `SELECT mode() WITHIN GROUP (ORDER BY documentno) FROM c_order`, must: same},
	{name: "collect", sql: `SELECT string_agg(documentno, ',' ORDER BY documentno), array_agg(grandtotal ORDER BY grandtotal) FROM c_order`},
	{name: "collect json", sql: `SELECT json_object_agg(c_order_id, documentno)::text, jsonb_agg(grandtotal ORDER BY grandtotal)::text FROM c_order`},
	{name: "order tells", sql: `SELECT c_order_id FROM c_order ORDER BY documentno DESC, grandtotal DESC`, must: same},
	{name: "gap in the numbers", sql: `SELECT g FROM generate_series(100, 140) g WHERE NOT EXISTS (SELECT 1 FROM c_order o WHERE o.c_order_id = g)`, must: same},
	{name: "tenants", sql: `SELECT DISTINCT ad_client_id, ad_org_id FROM c_order`, must: same},
	{name: "hash", sql: `SELECT md5(string_agg(documentno, '' ORDER BY c_order_id)) FROM c_order`, must: same},
	{name: "limit from hidden rows", sql: `SELECT g FROM generate_series(1, 50) g LIMIT (SELECT count(*) FROM c_order)`},
	{name: "fold errors into nothing", sql: `SELECT coalesce(max(1 / nullif(grandtotal - 28.20, 0)), 0) FROM c_order`, must: same},
	{name: "correlation", sql: `SELECT corr(grandtotal::float8, c_order_id::float8) IS NULL, regr_count(grandtotal::float8, c_order_id::float8) FROM c_order`, must: either},
	{name: "slow on hidden rows /timing/", sql: `SELECT count(*) FROM c_order WHERE documentno NOT LIKE 'QZX7%' OR (SELECT count(*) FROM generate_series(1, 300000)) > 0`},
}

var statementAttacks = []attack{
	{name: "two", sql: `SELECT 1; SELECT documentno FROM c_payment`, must: refused},
	{name: "two, the second dangerous", sql: `SELECT 1; DROP TABLE c_order`, must: refused},
	{name: "commit first", sql: `COMMIT; DELETE FROM c_order`, must: refused},
	{name: "insert", sql: `INSERT INTO xx_free VALUES ('x')`, must: refused},
	{name: "update", sql: `UPDATE c_order SET docstatus = 'VO'`, must: refused},
	{name: "delete", sql: `DELETE FROM c_order RETURNING documentno`, must: refused},
	{name: "merge", sql: `MERGE INTO c_order o USING c_order p ON true WHEN MATCHED THEN DELETE`, must: refused},
	{name: "truncate", sql: `TRUNCATE c_order`, must: refused},
	{name: "drop", sql: `DROP TABLE c_order`, must: refused},
	{name: "create", sql: `CREATE TABLE x AS SELECT * FROM c_payment`, must: refused},
	{name: "create a view", sql: `CREATE VIEW x AS SELECT * FROM c_payment`, must: refused},
	{name: "select into", sql: `SELECT * INTO x FROM c_order`, must: refused},
	{name: "copy out", sql: `COPY c_payment TO STDOUT`, must: refused},
	{name: "copy to a program", sql: `COPY (SELECT 1) TO PROGRAM 'sh'`, must: refused},
	{name: "do", sql: `DO $$ BEGIN RAISE NOTICE 'x'; END $$`, must: refused},
	{name: "call", sql: `CALL x()`, must: refused},
	{name: "explain", sql: `EXPLAIN ANALYZE SELECT * FROM c_payment`, must: refused},
	{name: "prepare", sql: `PREPARE x AS SELECT * FROM c_payment`, must: refused},
	{name: "execute", sql: `EXECUTE x`, must: refused},
	{name: "declare", sql: `DECLARE c CURSOR FOR SELECT * FROM c_payment`, must: refused},
	{name: "fetch", sql: `FETCH ALL FROM c`, must: refused},
	{name: "set", sql: `SET statement_timeout = 0`, must: refused},
	{name: "set role", sql: `SET ROLE postgres`, must: refused},
	{name: "show", sql: `SHOW ALL`, must: refused},
	{name: "lock", sql: `LOCK TABLE c_order`, must: refused},
	{name: "listen", sql: `LISTEN x`, must: refused},
	{name: "grant", sql: `GRANT ALL ON c_payment TO PUBLIC`, must: refused},
	{name: "vacuum", sql: `VACUUM`, must: refused},
	{name: "load", sql: `LOAD 'x'`, must: refused},
	{name: "attach of the other database", sql: `ATTACH DATABASE '/tmp/x' AS x`, must: refused},
	{name: "pragma of the other database", sql: `PRAGMA table_info(c_payment)`, must: refused},
	{name: "for update", sql: `SELECT documentno FROM c_order FOR UPDATE`, must: refused},
	{name: "for share of a subquery", sql: `SELECT * FROM (SELECT documentno FROM c_order FOR SHARE NOWAIT) x`, must: refused},
	{name: "for key share in WITH", sql: `WITH x AS (SELECT documentno FROM c_order FOR KEY SHARE) SELECT * FROM x`, must: refused},
	{name: "nothing", sql: `-- SELECT`, must: refused},
	{name: "a semicolon", sql: `;`, must: refused},
}

var textAttacks = []attack{
	{name: "NUL hides the rest", sql: "SELECT 1\x00; DROP TABLE c_order", must: refused},
	{name: "bytes that are no text", sql: "SELECT '\xc0\xa7 OR 1=1'", must: refused},
	{name: "half a character before a quote", sql: "SELECT '\xbf' || (SELECT max(documentno) FROM c_payment)", must: refused},
	{name: "comment opens and closes", sql: `SELECT documentno FROM c_order /* /* */ ; */ WHERE ad_org_id = 50005`, must: same},
	{name: "comment at the end", sql: `SELECT documentno FROM c_order -- `, must: same},
	{name: "brackets close early", sql: `SELECT documentno FROM c_order) AS q; SELECT documentno FROM c_payment --`, must: refused},
	{name: "where in a text", sql: `SELECT documentno, ' WHERE 1=1 OR ' FROM c_order`, must: same},
	{name: "dollar quotes", sql: `SELECT $a$'; SELECT documentno FROM c_payment; --$a$ || max(documentno) FROM c_order`, must: same},
	{name: "escapes", sql: `SELECT E'\'; SELECT 1; --' || max(documentno) FROM c_order`, must: same},
	{name: "backslash at the end of a text", sql: `SELECT '\', max(documentno), ' UNION SELECT documentno FROM c_payment --' FROM c_order`, must: same},
	{name: "Unicode in a text", sql: `SELECT U&'\0027 OR 1=1' || max(documentno) FROM c_order`, must: same},
	{name: "a name of 70 letters", sql: `SELECT documentno AS ` + strings.Repeat("a", 70) + ` FROM c_order`},
	{name: "a table's name cut at 63", sql: `SELECT * FROM c_payment` + strings.Repeat("_", 70), must: refused},
	{name: "name with quotes", sql: `SELECT documentno AS "a"", (SELECT max(documentno) FROM c_payment) AS ""b" FROM c_order`, must: same},
	{name: "alias with a call", sql: `SELECT x."run_sql('SELECT 1')" FROM (SELECT max(documentno) AS "run_sql('SELECT 1')" FROM c_order) x`, must: same},
	{name: "letters that look alike", sql: "SELECT * FROM \u0441_order", must: refused},
	{name: "blanks that are none", sql: "SELECT\u00a0documentno FROM c_order", must: refused},
	{name: "mixed letters", sql: `sElEcT DocumentNo FrOm C_ORDER`, must: same},
}

var parameterAttacks = []attack{
	{name: "statement in a value", sql: `SELECT documentno FROM c_order WHERE documentno = $1`, params: []string{`"x' OR '1'='1"`}, must: same},
	{name: "not given", sql: `SELECT $1::text`, must: refused},
	{name: "number zero", sql: `SELECT $0`, must: refused},
	{name: "number of the guard's", sql: `SELECT $2::text`, params: []string{`"a"`}, must: refused},
	{name: "not used", sql: `SELECT 1`, params: []string{`"a"`}, must: refused},
	{name: "regclass", sql: `SELECT $1::regclass`, params: []string{`"adempiere.c_payment"`}, must: refused},
	{name: "row of a table", sql: `SELECT $1::adempiere.c_payment`, params: []string{`"(1)"`}, must: refused},
	{name: "object", sql: `SELECT $1::text`, params: []string{`{"a": 1}`}, must: refused},
	{name: "array of arrays", sql: `SELECT $1::text[]`, params: []string{`[["a"], [{"b": 1}]]`}, must: refused},
	{name: "NUL", sql: `SELECT $1::text`, params: []string{`"a\u0000b"`}, must: refused},
	{name: "half a surrogate", sql: `SELECT length($1::text)`, params: []string{`"\ud800"`}},
	{name: "infinite number", sql: `SELECT count(*) FROM c_order WHERE grandtotal < $1`, params: []string{`1e400`}},
	{name: "text for a number", sql: `SELECT count(*) FROM c_order WHERE grandtotal < $1`, params: []string{`"61803398x"`}, must: refused},
	{name: "negative limit", sql: `SELECT documentno FROM c_order LIMIT $1`, params: []string{`-1`}, must: refused},
	{name: "limit of all", sql: `SELECT documentno FROM c_order LIMIT $1 OFFSET $2`, params: []string{`null`, `11`}},
	{name: "pattern", sql: `SELECT documentno FROM c_order WHERE documentno LIKE $1`, params: []string{`"QZX7%"`}, must: same},
	{name: "array of organizations", sql: `SELECT documentno FROM c_order WHERE ad_org_id = ANY($1)`, params: []string{`[50001, 50005, 50006]`}, must: same},
	{name: "long text", sql: `SELECT $1::text`, params: []string{`"` + strings.Repeat("a", 100_000) + `"`}, must: refused},
}

var sizeAttacks = []attack{
	{name: "1 kB of CASE", sql: "SELECT " + strings.Repeat("CASE WHEN true THEN ", 48) + "1" + strings.Repeat(" END", 48)},
	{name: "1 kB of WITH", sql: strings.Repeat("WITH x AS (", 45) + "SELECT 1 AS a" + strings.Repeat(") SELECT * FROM x", 45)},
	{name: "1 kB of brackets", sql: "SELECT " + strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500), must: refused},
	{name: "48 kB of additions", sql: "SELECT 1" + strings.Repeat("+1", 24_000), must: refused},
	{name: "48 kB of casts", sql: "SELECT 1" + strings.Repeat("::int", 9_600), must: refused},
	{name: "48 kB of joins", sql: "SELECT 1 FROM c_order o" + strings.Repeat(" CROSS JOIN c_order", 2_400), must: refused},
	{name: "48 kB of OR", sql: "SELECT documentno FROM c_order WHERE false" + strings.Repeat(" OR documentno = 'x'", 2_000)},
	{name: "beyond the length", sql: "SELECT '" + strings.Repeat("x", 70_000) + "'", must: refused},
	{name: "fifty tables and more", sql: "SELECT count(*) FROM c_order o0" + manyTables(60), must: refused},
	{name: "cell of a gigabyte", sql: `SELECT lpad('x', 1000000000)`},
	{name: "all in one cell", sql: `SELECT string_agg(lpad('x', 100000), '') FROM generate_series(1, 1000)`},
	{name: "rows without end", sql: `SELECT g FROM generate_series(1, 1000000000) g`},
	{name: "a thousand columns", sql: "SELECT " + strings.Repeat("1, ", 1_000) + "1"},
	{name: "a view ten times", sql: "SELECT count(*) FROM rv_order_detail a, rv_order_detail b, rv_order_detail c, rv_order_recent d, rv_order_recent e, rv_order_detail f, rv_order_detail g, rv_order_detail h, rv_order_detail i, rv_order_detail j, rv_order_detail k, rv_order_detail l, rv_order_detail m, rv_order_detail n, rv_order_detail o, rv_order_detail p, rv_order_detail q", must: refused},
}

func manyTables(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(", c_order AS t")
		b.WriteString(strings.Repeat("x", i+1))
	}
	return b.String()
}

// oraclePairs are two statements that differ in a hidden fact alone: the first
// asks about something that is there, the second about something that is not.
var oraclePairs = []struct{ name, there, missing string }{
	{"table", `SELECT 1 FROM c_payment`, `SELECT 1 FROM c_paymemt`},
	{"table without organization", `SELECT 1 FROM xx_loose`, `SELECT 1 FROM xx_loosf`},
	{"table not in the dictionary", `SELECT 1 FROM zz_shadow`, `SELECT 1 FROM zz_shadoy`},
	{"table of System", `SELECT 1 FROM ad_table`, `SELECT 1 FROM ad_tablf`},
	{"view over an excluded table", `SELECT 1 FROM rv_payment_list`, `SELECT 1 FROM rv_payment_lisu`},
	{"catalog", `SELECT 1 FROM pg_class`, `SELECT 1 FROM pg_clasz`},
	{"schema", `SELECT 1 FROM pg_catalog.pg_class`, `SELECT 1 FROM xx_catalog.pg_class`},
	{"column", `SELECT taxid FROM c_bpartner`, `SELECT taxif FROM c_bpartner`},
	{"column of an alias", `SELECT b.taxid FROM c_bpartner b`, `SELECT b.taxif FROM c_bpartner b`},
	{"column not in the dictionary", `SELECT zz_shadow FROM c_order`, `SELECT zz_shadoy FROM c_order`},
	{"system column", `SELECT b.ctid FROM c_bpartner b`, `SELECT b.ctif FROM c_bpartner b`},
	{"column in USING", `SELECT 1 FROM c_order a JOIN c_order b USING (poreference)`, `SELECT 1 FROM c_order a JOIN c_order b USING (poreferencf)`},
	{"field of a row", `SELECT (b).taxid FROM c_bpartner b`, `SELECT (b).taxif FROM c_bpartner b`},
	{"function of a row", `SELECT u.peek FROM ad_user u`, `SELECT u.peel FROM ad_user u`},
	{"function of the ERP", `SELECT run_sql('SELECT 1')`, `SELECT run_sqk('SELECT 1')`},
	{"built-in function", `SELECT pg_read_file('x')`, `SELECT pg_read_filf('x')`},
	{"type", `SELECT 'x'::adempiere.ad_user`, `SELECT 'x'::adempiere.ad_usef`},
	{"hidden record", `SELECT name FROM c_bpartner WHERE c_bpartner_id = 117`, `SELECT name FROM c_bpartner WHERE c_bpartner_id = 99117`},
	{"hidden document", `SELECT count(*) FROM c_order WHERE documentno LIKE 'QZX7%'`, `SELECT count(*) FROM c_order WHERE documentno LIKE 'QZX9%'`},
	{"division", `SELECT count(*) FROM c_order WHERE 1 / (CASE WHEN documentno LIKE 'QZX7%' THEN 0 ELSE 1 END) = 1`, `SELECT count(*) FROM c_order WHERE 1 / (CASE WHEN documentno LIKE 'QZX9%' THEN 0 ELSE 1 END) = 1`},
	{"division by a redacted value", `SELECT count(*) FROM ad_user WHERE 1 / (CASE WHEN userpin = '1234' THEN 0 ELSE 1 END) = 1`, `SELECT count(*) FROM ad_user WHERE 1 / (CASE WHEN userpin = '9999' THEN 0 ELSE 1 END) = 1`},
	{"division in a view", `SELECT count(*) FROM rv_order_detail WHERE 1 / (CASE WHEN partnername LIKE 'QZX7%' THEN 0 ELSE 1 END) = 1`, `SELECT count(*) FROM rv_order_detail WHERE 1 / (CASE WHEN partnername LIKE 'QZX9%' THEN 0 ELSE 1 END) = 1`},
	{"conversion", `SELECT count(*) FROM c_bpartner WHERE (CASE WHEN name LIKE 'QZX7%' THEN name ELSE '1' END)::int > 0`, `SELECT count(*) FROM c_bpartner WHERE (CASE WHEN name LIKE 'QZX9%' THEN name ELSE '1' END)::int > 0`},
	{"overflow", `SELECT count(*) FROM c_order WHERE (grandtotal * 1005)::int4 >= 0`, `SELECT count(*) FROM c_order WHERE (grandtotal / 1005)::int4 >= 0`},
	// The planner tries patterns on a sample of all rows, whatever the conditions.
	{"pattern that ends in its escape", `SELECT count(*) FROM c_order WHERE documentno LIKE 'Q_X7\'`, `SELECT count(*) FROM c_order WHERE documentno LIKE 'Q_X9\'`},
	{"pattern in two parts", `SELECT count(*) FROM c_order WHERE documentno LIKE 'Q_X7' || '\'`, `SELECT count(*) FROM c_order WHERE documentno LIKE 'Q_X9' || '\'`},
	{"pattern with another escape", `SELECT count(*) FROM c_order WHERE documentno LIKE 'Q_X7!' ESCAPE '!'`, `SELECT count(*) FROM c_order WHERE documentno LIKE 'Q_X9!' ESCAPE '!'`},
	{"pattern as an operator", `SELECT count(*) FROM c_order WHERE documentno ~~ 'Q_X7\'`, `SELECT count(*) FROM c_order WHERE documentno ~~ 'Q_X9\'`},
	{"pattern as a qualified operator", `SELECT count(*) FROM c_order WHERE documentno OPERATOR(pg_catalog.!~~) 'Q_X7\'`, `SELECT count(*) FROM c_order WHERE documentno OPERATOR(pg_catalog.!~~) 'Q_X9\'`},
	{"pattern in any letters", `SELECT count(*) FROM c_order WHERE documentno NOT ILIKE 'q_x7\'`, `SELECT count(*) FROM c_order WHERE documentno NOT ILIKE 'q_x9\'`},
	{"patterns of an array", `SELECT count(*) FROM c_order WHERE documentno LIKE ANY (ARRAY['Q_X7\', 'a'])`, `SELECT count(*) FROM c_order WHERE documentno LIKE ANY (ARRAY['Q_X9\', 'a'])`},
	{"patterns of an array's text", `SELECT count(*) FROM c_order WHERE documentno LIKE ALL ('{Q_X7\\}'::text[])`, `SELECT count(*) FROM c_order WHERE documentno LIKE ALL ('{Q_X9\\}'::text[])`},
	{"pattern of a subquery", `SELECT count(*) FROM c_order o, (SELECT 'Q_X7\'::text AS p) x WHERE o.documentno LIKE x.p`, `SELECT count(*) FROM c_order o, (SELECT 'Q_X9\'::text AS p) x WHERE o.documentno LIKE x.p`},
	{"pattern of WITH", `WITH x AS (SELECT 'Q_X7\'::text AS p) SELECT count(*) FROM c_order o, x WHERE o.documentno LIKE p`, `WITH x AS (SELECT 'Q_X9\'::text AS p) SELECT count(*) FROM c_order o, x WHERE o.documentno LIKE p`},
	{"pattern in CASE", `SELECT count(*) FROM c_order WHERE documentno LIKE CASE WHEN true THEN 'Q_X7\' END`, `SELECT count(*) FROM c_order WHERE documentno LIKE CASE WHEN true THEN 'Q_X9\' END`},
	{"pattern in a view", `SELECT count(*) FROM rv_order_detail WHERE documentno LIKE 'Q_X7\'`, `SELECT count(*) FROM rv_order_detail WHERE documentno LIKE 'Q_X9\'`},
	{"regular expression", `SELECT count(*) FROM c_order WHERE documentno ~ '^QZX7(.*)*\1$'`, `SELECT count(*) FROM c_order WHERE documentno ~ '^QZX9(.*)*\1$'`},
	{"several rows", `SELECT count(*) FROM c_order o WHERE (SELECT b.name FROM c_bpartner b WHERE b.name LIKE 'QZX7%' OR b.c_bpartner_id = o.c_bpartner_id) = 'x'`, `SELECT count(*) FROM c_order o WHERE (SELECT b.name FROM c_bpartner b WHERE b.name LIKE 'QZX9%' OR b.c_bpartner_id = o.c_bpartner_id) = 'x'`},
}

// TestOraclePairs: what is hidden and what does not exist get the same response,
// to the last byte, but for the name itself, which the caller wrote, and for the
// names that resemble it, all of which the role can read.
func TestOraclePairs(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		ask := func(sql, name string) string {
			who := user
			who.RequestID = "pair"
			r, err := w.Query(t.Context(), who, query(sql))
			if err == nil {
				r.ExecutionTimeMs = 0
				return shown(t, r)
			}
			var e *api.Error
			require.ErrorAs(t, err, &e, name)
			if similar := e.Object.Similar; len(similar) > 0 && e.Object.Kind == api.TableObject {
				for _, table := range similar {
					_, err := w.Query(t.Context(), user, query("SELECT 1 FROM "+table))
					require.NoError(t, err, "%s: %s", name, table)
				}
				e.Hint, e.Object.Similar = "", nil
			}
			return shown(t, e) + e.Error()
		}
		for _, p := range oraclePairs {
			there, missing := ask(p.there, p.name), ask(p.missing, p.name)
			a, b := differing(p.there, p.missing)
			if a != "" && strings.Contains(missing, b) && strings.Contains(there, a) {
				missing = strings.ReplaceAll(missing, b, a)
			}
			assert.Equal(t, there, missing, p.name)
		}
	})
}

// differing are the words in which two statements differ.
func differing(a, b string) (string, string) {
	words := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(` .,()'":`, r) })
	}
	x, y := words(a), words(b)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i], y[i]
		}
	}
	return "", ""
}

// TestTimesAreRounded: how long it took is told in steps too coarse for small
// differences, and endless statements end.
func TestTimesAreRounded(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		for _, sql := range []string{`SELECT count(*) FROM c_order`, `SELECT count(*) FROM generate_series(1, 100000) g`} {
			r, err := w.Query(t.Context(), user, query(sql))
			require.NoError(t, err)
			assert.Zero(t, r.ExecutionTimeMs%10, sql)
		}
	})
	for name, open := range map[string]func(testing.TB, func(*aiquery.Options)) *world{"postgresql": onPostgres, "embedded": onEmbedded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, func(o *aiquery.Options) { o.StatementTimeout, o.RequestTimeout = 300*time.Millisecond, time.Second })
			for _, sql := range []string{
				`WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r`,
				`SELECT count(*) FROM c_orderline a, c_orderline b, c_orderline c, c_orderline d, c_orderline e, c_orderline f`,
			} {
				_, err := w.Query(t.Context(), user, query(sql))
				require.ErrorIs(t, err, &api.Error{Code: api.CodeTimeout}, sql)
			}
		})
	}
}
