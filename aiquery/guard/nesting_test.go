package guard

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
)

// nested are all ways to make the tree deep, by depth.
var nested = map[string]func(n int) string{
	"brackets":          func(n int) string { return around("SELECT ", "(", "1", ")", n) },
	"calls":             func(n int) string { return around("SELECT ", "abs(", "1", ")", n) },
	"calls of two":      func(n int) string { return around("SELECT ", "coalesce(1, ", "1", ")", n) },
	"arrays":            func(n int) string { return around("SELECT ", "ARRAY[", "1", "]", n) },
	"array text":        func(n int) string { return "SELECT " + "ARRAY" + strings.Repeat("[", n) + "1" + strings.Repeat("]", n) },
	"subscripts":        func(n int) string { return around("SELECT (ARRAY[1])", "[(ARRAY[1])", "[1]", "]", n) },
	"rows":              func(n int) string { return around("SELECT ", "ROW(", "1", ")", n) },
	"case":              func(n int) string { return around("SELECT ", "CASE WHEN true THEN ", "1", " END", n) },
	"case else":         func(n int) string { return around("SELECT ", "CASE 1 WHEN 1 THEN 1 ELSE ", "1", " END", n) },
	"case when":         func(n int) string { return around("SELECT ", "CASE WHEN ", "true", " THEN true END", n) },
	"not":               func(n int) string { return around("SELECT ", "NOT ", "true", "", n) },
	"minus":             func(n int) string { return around("SELECT ", "- ", "1", "", n) },
	"prefix":            func(n int) string { return around("SELECT ", "@ ", "1", "", n) },
	"tilde":             func(n int) string { return around("SELECT ", "~ ", "1", "", n) },
	"plus":              func(n int) string { return around("SELECT ", "", "1", " + 1", n) },
	"power":             func(n int) string { return around("SELECT ", "", "1", " ^ 1", n) },
	"concatenation":     func(n int) string { return around("SELECT ", "", "'a'", " || 'a'", n) },
	"named operator":    func(n int) string { return around("SELECT ", "", "1", " OPERATOR(pg_catalog.+) 1", n) },
	"casts":             func(n int) string { return around("SELECT ", "", "1", "::int4", n) },
	"cast calls":        func(n int) string { return around("SELECT ", "CAST(", "1", " AS int4)", n) },
	"is null":           func(n int) string { return around("SELECT ", "", "1", " IS NULL", n) },
	"is distinct":       func(n int) string { return around("SELECT ", "", "true", " IS DISTINCT FROM true", n) },
	"is true":           func(n int) string { return around("SELECT ", "", "true", " IS NOT TRUE", n) },
	"isnull":            func(n int) string { return around("SELECT ", "", "1", " ISNULL", n) },
	"between":           func(n int) string { return around("SELECT ", "", "1", " BETWEEN 1 AND 2", n) },
	"like":              func(n int) string { return around("SELECT ", "", "'a'", " LIKE 'a'", n) },
	"like escape":       func(n int) string { return around("SELECT ", "", "'a'", " LIKE 'a' ESCAPE 'b'", n) },
	"similar":           func(n int) string { return around("SELECT ", "", "'a'", " SIMILAR TO 'a'", n) },
	"at time zone":      func(n int) string { return around("SELECT ", "", "now()", " AT TIME ZONE 'UTC'", n) },
	"collate":           func(n int) string { return around("SELECT ", "", "'a'", ` COLLATE "C"`, n) },
	"in list":           func(n int) string { return around("SELECT ", "1 IN (", "1", ")", n) },
	"any array":         func(n int) string { return around("SELECT ", "1 = ANY (ARRAY[", "1", "])", n) },
	"scalar subqueries": func(n int) string { return around("SELECT ", "(SELECT ", "1", ")", n) },
	"exists":            func(n int) string { return around("SELECT ", "EXISTS (SELECT ", "1", ")", n) },
	"in subqueries":     func(n int) string { return around("SELECT 1 WHERE ", "1 IN (SELECT 1 WHERE ", "true", ")", n) },
	"array subqueries":  func(n int) string { return around("SELECT ", "ARRAY(SELECT ", "1", ")", n) },
	"from subqueries":   func(n int) string { return around("", "SELECT * FROM (", "SELECT 1 AS a", ") x", n) },
	"unnamed":           func(n int) string { return around("", "SELECT * FROM (", "SELECT 1 AS a", ")", n) },
	"lateral":           func(n int) string { return around("", "SELECT * FROM LATERAL (", "SELECT 1 AS a", ") x", n) },
	"selects":           func(n int) string { return around("", "(", "SELECT 1", ")", n) },
	"sorted selects":    func(n int) string { return around("", "(", "SELECT 1", ") ORDER BY 1", n) },
	"with":              func(n int) string { return around("", "WITH x AS (", "SELECT 1 AS a", ") SELECT * FROM x", n) },
	"with in front":     func(n int) string { return around("", "WITH x AS (SELECT 1) (", "SELECT 1 AS a", ")", n) },
	"with recursive": func(n int) string {
		return around("", "WITH RECURSIVE x AS (", "SELECT 1 AS a", ") SELECT * FROM x", n)
	},
	"unions":        func(n int) string { return around("", "", "SELECT 1", " UNION SELECT 1", n) },
	"union all":     func(n int) string { return around("", "", "SELECT 1", " UNION ALL SELECT 1", n) },
	"intersect":     func(n int) string { return around("", "", "SELECT 1", " INTERSECT SELECT 1", n) },
	"right unions":  func(n int) string { return around("", "SELECT 1 UNION (", "SELECT 1", ")", n) },
	"values":        func(n int) string { return around("", "VALUES ((", "VALUES (1)", "))", n) },
	"joins":         func(n int) string { return around("SELECT 1 FROM (SELECT 1) a", "", "", " CROSS JOIN (SELECT 1) b", n) },
	"joins on":      func(n int) string { return "SELECT 1 FROM c_order a" + chain(n, " JOIN c_order a%d ON true") },
	"natural joins": func(n int) string { return "SELECT 1 FROM c_order a" + chain(n, " NATURAL JOIN c_order a%d") },
	"right joins": func(n int) string {
		return "SELECT 1 FROM c_order z" + chain(n, " JOIN c_order a%d") + strings.Repeat(" ON true", n)
	},
	"bracketed joins": func(n int) string {
		return "SELECT 1 FROM " + strings.Repeat("(", n) + "c_order a" + chain(n, " CROSS JOIN c_order a%d)")
	},
	"within group":   func(n int) string { return around("SELECT ", "mode() WITHIN GROUP (ORDER BY ", "1", ")", n) },
	"filter":         func(n int) string { return around("SELECT ", "count(*) FILTER (WHERE 1 = ", "1", ")", n) },
	"over":           func(n int) string { return around("SELECT ", "rank() OVER (ORDER BY ", "1", ")", n) },
	"grouping sets":  func(n int) string { return around("SELECT 1 GROUP BY ", "GROUPING SETS (", "()", ")", n) },
	"group brackets": func(n int) string { return around("SELECT 1 GROUP BY ", "(", "1", ")", n) },
	"order by":       func(n int) string { return around("SELECT 1 ORDER BY ", "(", "1", ")", n) },
	"limit":          func(n int) string { return around("SELECT 1 LIMIT ", "(", "1", ")", n) },
	"or_chain":       func(n int) string { return around("SELECT ", "", "true", " OR true", n) },
	"and_chain":      func(n int) string { return around("SELECT ", "", "true", " AND true", n) },
	"and or":         func(n int) string { return around("SELECT ", "true AND (false OR ", "true", ")", n) },
	"indirection":    func(n int) string { return "SELECT (c_order)" + strings.Repeat(".a", n) + " FROM c_order" },
	"long name":      func(n int) string { return "SELECT a" + strings.Repeat(".a", n) + " FROM c_order" },
	"types":          func(n int) string { return "SELECT NULL::int4" + strings.Repeat("[]", n) },
	"explain":        func(n int) string { return around("", "EXPLAIN ", "SELECT 1", "", n) },
	"prepare":        func(n int) string { return around("", "PREPARE x AS ", "SELECT 1", "", n) },
	"copy":           func(n int) string { return around("", "COPY (", "SELECT 1", ") TO STDOUT", n) },
	"view":           func(n int) string { return around("CREATE VIEW v AS ", "(", "SELECT 1", ")", n) },
	"json":           func(n int) string { return around("SELECT ", "JSON_OBJECT('a': ", "1", ")", n) },
	"xml":            func(n int) string { return around("SELECT ", "xmlelement(name a, ", "1", ")", n) },
	"views":          func(n int) string { return around("", "SELECT * FROM (", "SELECT partner FROM rv_order", ") x", n) },
	"tables":         func(n int) string { return around("", "SELECT * FROM (", "SELECT name FROM c_ruled", ") x", n) },
}

// flat are those that are lists in the tree.
var flat = set("or_chain and_chain types")

func around(start, open, middle, end string, n int) string {
	return start + strings.Repeat(open, n) + middle + strings.Repeat(end, n)
}

func chain(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestNestingNeverReachesTheParser makes each construct deeper and deeper. What
// is refused is refused before parsing, what is not is parsed without damage:
// after each step ordinary statements still have the trees they had, while
// others are secured beside it.
func TestNestingNeverReachesTheParser(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	g, p := New(&Options{CacheSize: -1}), testPolicy()
	p.Version = ""
	ordinary := map[string]*pg.ParseResult{}
	for _, name := range []string{"correlated", "dozen cases", "using", "grouping sets", "recursive"} {
		tree, err := postgres.parse(reports[name])
		require.NoError(t, err)
		ordinary[reports[name]] = tree
	}
	undamaged := func() error {
		for sql, want := range ordinary {
			got, err := postgres.parse(sql)
			if err != nil || !proto.Equal(want, got) {
				return fmt.Errorf("%s is parsed differently now: %w", sql, err)
			}
		}
		return nil
	}
	accepted, tooDeep := 0, 0
	for name, statement := range nested {
		for _, depth := range []int{1, 25, 30, 31, 199, 200, 201, 1000, 10_000} {
			sql := statement(depth)
			if len(sql) > 64<<10 {
				break
			}
			var beside sync.WaitGroup
			beside.Go(func() {
				if _, err := g.Secure(t.Context(), p, reports["lateral"], 0, 10); err != nil {
					t.Errorf("beside %s at %d: %v", name, depth, err)
				}
			})
			_, err := g.Secure(t.Context(), p, sql, 0, 10)
			beside.Wait()
			var r *Refusal
			switch {
			case err == nil:
				accepted++
			case !errors.As(err, &r):
				t.Fatalf("%s at %d: %v", name, depth, err)
			case r.Kind == TooLarge:
				tooDeep++
			}
			if depth >= 1000 && !flat[name] {
				assert.Error(t, err, "%s at %d", name, depth)
			}
		}
		if err := undamaged(); err != nil {
			t.Fatalf("after %s: %v", name, err)
		}
	}
	assert.Greater(t, accepted, 100)
	assert.Greater(t, tooDeep, 100)
	assert.False(t, postgres.broken.Load())
}

// TestNestingOfKilobytes are the sizes at which the parsers are known to fail.
func TestNestingOfKilobytes(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"1 kB of CASE":         nested["case"](48),
		"1 kB of WITH":         nested["with"](45),
		"1 kB of brackets":     nested["brackets"](500),
		"48 kB of additions":   "SELECT 1" + strings.Repeat("+1", 24_000),
		"48 kB of casts":       nested["casts"](7_900),
		"48 kB of joins":       nested["joins"](1_900),
		"48 kB of minus":       nested["minus"](24_000),
		"64 kB of brackets":    nested["brackets"](32_000),
		"64 kB of opened ones": "SELECT " + strings.Repeat("(", 60_000),
		"comments between":     "SELECT 1" + strings.Repeat("/**/+/**/1", 5_000),
		"ends of other levels": "SELECT " + strings.Repeat("END ) ] ", 100) + nested["plus"](5_000)[7:],
		"end as a name":        "SELECT " + strings.Repeat("(1) AS \"end\", ", 20) + nested["brackets"](3_000)[7:],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(nil).Secure(t.Context(), testPolicy(), sql, 0, 10)
			if strings.HasPrefix(name, "1 kB") && postgres.maxWeight > 30 && !strings.HasSuffix(name, "brackets") {
				require.NoError(t, err)
				return
			}
			var r *Refusal
			require.ErrorAs(t, err, &r)
			assert.Equal(t, TooLarge, r.Kind, r.Reason)
		})
	}
}
