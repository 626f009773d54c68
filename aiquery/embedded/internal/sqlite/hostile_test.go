package sqlite_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/erphub/erphub/aiquery/embedded/internal/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are statements meant to break out of what is written for SQLite:
// each gives what it gives on PostgreSQL, or is refused.
var hostile = map[string]string{
	"alias with quotes":           `SELECT 1 AS "a""; DROP TABLE c_order; --"`,
	"alias like a call":           `SELECT x."load_extension('x')" FROM (SELECT 1 AS "load_extension('x')") x`,
	"table alias with quotes":     `SELECT "o"" JOIN sqlite_master m"."line" FROM c_order AS "o"" JOIN sqlite_master m" ORDER BY c_order_id`,
	"empty after cleaning":        `SELECT "ÄÖÜ".line FROM c_order AS "ÄÖÜ" ORDER BY c_order_id`,
	"names that differ in case":   `SELECT "A".x, a.x FROM (SELECT 1 AS x) AS "A", (SELECT 2 AS x) AS a`,
	"columns that differ in case": `SELECT "A", a, "a" FROM (SELECT 1 AS "A", 2 AS a) x`,
	"question mark names":         `SELECT "?1" FROM (SELECT 5 AS "?1") x`,
	"WITH named as a table":       `WITH c_bpartner AS (SELECT 1 AS one) SELECT one, count(*) FROM c_bpartner, c_order GROUP BY one`,
	"WITH in another case":        `WITH "C_ORDER" AS (SELECT 'mine' AS note) SELECT o.note, c.note FROM c_order o, "C_ORDER" c ORDER BY o.c_order_id`,
	"WITH named main":             `WITH main AS (SELECT 1 AS x) SELECT x FROM main`,
	"WITH named as the catalog":   `WITH sqlite_master AS (SELECT 'mine' AS sql) SELECT sql FROM sqlite_master`,
	"alias named as a table":      `SELECT c_order.name FROM c_bpartner AS c_order ORDER BY c_bpartner_id`,
	"alias of a fence":            `SELECT q.line FROM (SELECT s.line AS line FROM (SELECT s.line AS line FROM c_order AS s WHERE s.line > 10 OFFSET 0) AS s) AS q ORDER BY 1`,
	"quoted text is not a column": `SELECT 'note' FROM c_order LIMIT 1`,
	"backslash":                   `SELECT E'a\\b''c\n', '\', 'a''''b'`,
	"text like a comment":         `SELECT '/*', '--', '*/', $$it's$$, 1 -- end`,
	"text with line ends":         "SELECT 'a\nb', 'c\r\nd', U&'\\00e9'",
	"text with quotes in LIKE":    `SELECT count(*) FROM c_order WHERE note LIKE '%''%' OR note LIKE '%"%'`,
	"escape of LIKE":              `SELECT count(*) FROM c_order WHERE note LIKE '50!%%' ESCAPE '!'`,
	"deep conditions":             "SELECT count(*) FROM c_order WHERE " + strings.Repeat("line = 1 OR ", 400) + "line = 10",
	"long list":                   "SELECT count(*) FROM c_order WHERE line IN (" + strings.Repeat("1,", 3000) + "10)",
	"many columns":                "SELECT " + strings.Repeat("line, ", 300) + "line FROM c_order ORDER BY c_order_id",
	"long text":                   "SELECT length('" + strings.Repeat("x", 50_000) + "')",
	"numbers beyond 64 bits":      "SELECT 123456789012345678901234567890::numeric * 99999999999999999999, -170141183460469231731687303715884105728::numeric",
	"catalog of SQLite":           "SELECT * FROM sqlite_master",
	"pragma as a table":           "SELECT * FROM pragma_table_info('c_order')",
	"function of SQLite":          "SELECT load_extension('x')",
	"file of SQLite":              "SELECT readfile('/etc/passwd')",
	"random blob":                 "SELECT randomblob(10), zeroblob(10)",
	"helper of ours":              "SELECT pg_cast('text','int4',-1,'1')",
	"rowid":                       "SELECT rowid FROM c_order",
	"rowid of an alias":           "SELECT o.rowid, o._rowid_, o.oid FROM c_order o",
	"rowid of a subquery":         "SELECT x.rowid FROM (SELECT * FROM c_order) x",
	"double quoted fallback":      `SELECT "no such column" FROM c_order`,
	"qualified with the schema":   "SELECT main.c_order.line FROM c_order",
	"two statements":              "SELECT 1; SELECT 2",
	"delete in WITH":              "WITH x AS (DELETE FROM c_order RETURNING *) SELECT * FROM x",
	"insert":                      "INSERT INTO c_order SELECT * FROM c_order",
	"pragma":                      "SET foreign_keys = on",
	"whole row as text":           "SELECT o::text FROM c_order o",
}

func TestHostileStatements(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.postgres(t.Context(), "SELECT count(*) FROM c_order")
	for name, sql := range hostile {
		t.Run(name, func(t *testing.T) {
			want := result{err: errors.New("not a SELECT")}
			if tree, err := parse(sql); err == nil && len(tree.Stmts) == 1 && tree.Stmts[0].GetStmt().GetSelectStmt() != nil {
				want = w.postgres(t.Context(), "SELECT * FROM ("+strings.SplitN(sql, " -- ", 2)[0]+") AS q")
			}
			got, rendered := w.embedded(t.Context(), sql)
			var refused *sqlite.Unsupported
			if want.err != nil {
				require.ErrorAs(t, got.err, &refused, rendered)
				return
			}
			if errors.As(got.err, &refused) {
				t.Logf("refused: %v", refused)
				return
			}
			require.NoError(t, got.err, rendered)
			slices.Sort(want.rows)
			slices.Sort(got.rows)
			assert.Equal(t, want.columns, got.columns)
			assert.Equal(t, want.rows, got.rows, rendered)
		})
	}
	after, _ := w.embedded(t.Context(), "SELECT count(*) FROM c_order")
	assert.Equal(t, before.rows, after.rows)
}

// FuzzRender looks for statements that make the renderer panic, or that it
// writes in a way SQLite does not take.
func FuzzRender(f *testing.F) {
	for _, sql := range hostile {
		f.Add(sql)
	}
	for _, file := range []string{"same", "errors", "refused"} {
		for _, sql := range cases(f, "testdata/"+file+".sql") {
			f.Add(sql)
		}
	}
	lite := openLite(f)
	f.Fuzz(func(t *testing.T, sql string) {
		if len(sql) > 2000 || strings.Count(sql, "(")+strings.Count(sql, "[")+strings.Count(strings.ToLower(sql), "case") > 60 {
			t.Skip("the parser's stack is the guard's concern")
		}
		tree, err := parse(sql)
		if err != nil {
			t.Skip()
		}
		st, err := sqlite.Render(tree, source)
		if err != nil {
			var refused *sqlite.Unsupported
			require.ErrorAs(t, err, &refused)
			return
		}
		stmt, err := lite.PrepareContext(t.Context(), st.SQL)
		if err != nil {
			t.Fatalf("%s\n%s\n%v", sql, st.SQL, err)
		}
		require.NoError(t, stmt.Close())
	})
}
