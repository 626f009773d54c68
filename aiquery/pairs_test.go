package aiquery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// A pair of questions differs in one constant: rows that may not be seen have
// the one, nobody has the other. Whatever is asked around it, the responses must
// be equal, byte for byte.

// pairFact is a column of a table with a constant that hidden rows have and one
// that no row has. No visible row has a value that compares differently with
// the two.
type pairFact struct {
	table, column, key string
	text               bool
	there, missing     func(r *rand.Rand) string
}

func digits(n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for range n {
			b.WriteByte(byte('0' + r.IntN(10)))
		}
		return b.String()
	}
}

var pairFacts = []pairFact{
	{"c_order", "documentno", "c_order_id", true,
		func(r *rand.Rand) string { return aitest.CanaryText }, func(r *rand.Rand) string { return "QZW" + digits(2)(r) }},
	{"c_bpartner", "name", "c_bpartner_id", true,
		func(r *rand.Rand) string { return aitest.CanaryText + digits(1)(r) }, func(r *rand.Rand) string { return "QZY" + digits(2)(r) }},
	{"c_order", "grandtotal", "c_order_id", false,
		func(r *rand.Rand) string { return aitest.CanaryNumber + digits(3)(r) + ".17" }, func(r *rand.Rand) string { return "7" + digits(10)(r) + ".17" }},
	{"c_orderline", "linenetamt", "c_orderline_id", false,
		func(r *rand.Rand) string { return aitest.CanaryNumber + "000" }, func(r *rand.Rand) string { return "9" + digits(11)(r) }},
	{"c_order", "ad_org_id", "c_order_id", false,
		func(r *rand.Rand) string { return "50006" }, func(r *rand.Rand) string { return "5" + "9" + digits(3)(r) }},
	{"c_order", "ad_client_id", "c_order_id", false,
		func(r *rand.Rand) string { return "1000000" }, func(r *rand.Rand) string { return "2" + digits(6)(r) }},
	{"c_order", "c_bpartner_id", "c_order_id", false,
		func(r *rand.Rand) string { return "117.0" }, func(r *rand.Rand) string { return "116." + digits(1)(r) }},
	{"rv_order_detail", "documentno", "c_order_id", true,
		func(r *rand.Rand) string { return aitest.CanaryText }, func(r *rand.Rand) string { return "QZW" + digits(2)(r) }},
	{"rv_order_detail", "grandtotal", "c_order_id", false,
		func(r *rand.Rand) string { return aitest.CanaryNumber + "000" }, func(r *rand.Rand) string { return "7" + digits(10)(r) }},
}

// pairGrammar makes statements with two readings of one constant.
type pairGrammar struct {
	*rand.Rand
	fact  pairFact
	alias string
}

func choose[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// reading is a statement, or part of one, with a constant to be filled in.
type reading func(constant string) string

func (g *pairGrammar) literal(c string) string {
	if g.fact.text {
		return "'" + c + "'"
	}
	return c
}

// condition is one on the column, true for rows that have the constant.
func (g *pairGrammar) condition() reading {
	col := g.alias + "." + g.fact.column
	forms := []reading{
		func(c string) string { return col + " = " + g.literal(c) },
		func(c string) string { return col + " >= " + g.literal(c) },
		func(c string) string { return "NOT " + col + " < " + g.literal(c) },
		func(c string) string { return col + " IN (" + g.literal(c) + ", " + g.literal(c+"1") + ")" },
		func(c string) string { return col + " = ANY (ARRAY[" + g.literal(c) + "])" },
		func(c string) string { return col + " >= ANY (ARRAY[" + g.literal(c) + "])" },
		func(c string) string { return col + " BETWEEN " + g.literal(c) + " AND " + g.literal(c) },
		func(c string) string { return col + " IS NOT DISTINCT FROM " + g.literal(c) },
		func(c string) string { return "ROW(" + col + ") >= ANY (ARRAY[ROW(" + g.literal(c) + ")])" },
		func(c string) string { return "coalesce(" + col + " >= " + g.literal(c) + ", true)" },
		func(c string) string { return "(" + col + " IS NULL OR " + col + " >= " + g.literal(c) + ")" },
		func(c string) string { return col + "::text LIKE '" + c + "%'" },
		func(c string) string { return col + "::text LIKE ANY (ARRAY['" + c + "%'])" },
		func(c string) string { return col + "::text ~ '^" + c + "'" },
		func(c string) string { return "starts_with(" + col + "::text, '" + c + "')" },
		func(c string) string { return "left(" + col + "::text, " + fmt.Sprint(len(c)) + ") = '" + c + "'" },
		func(c string) string { return "position('" + c + "' IN " + col + "::text) = 1" },
		func(c string) string { return "(SELECT " + col + " >= " + g.literal(c) + ")" },
		func(c string) string { return col + " >= (SELECT " + g.literal(c) + ")" },
		func(c string) string { return col + " IN (SELECT " + g.literal(c) + ")" },
		func(c string) string { return col + " IN (VALUES (" + g.literal(c) + "))" },
		func(c string) string { return col + " IN (SELECT z.c FROM (SELECT " + g.literal(c) + " c) z)" },
		func(c string) string { return col + " IN (SELECT " + g.literal(c) + " WHERE true)" },
		func(c string) string { return col + " = ANY (SELECT " + g.literal(c) + ")" },
		func(c string) string { return "EXISTS (SELECT 1 WHERE " + col + " = " + g.literal(c) + ")" },
	}
	if g.fact.text {
		forms = append(forms,
			func(c string) string { return "upper(" + col + ") >= '" + c + "'" },
			func(c string) string { return col + " || '' >= '" + c + "'" },
			func(c string) string { return col + ` COLLATE "C" >= '` + c + `'` },
			func(c string) string { return "length(replace(" + col + ", '" + c + "', '')) < length(" + col + ")" },
		)
	} else {
		forms = append(forms,
			func(c string) string { return col + " + 0 >= " + c },
			func(c string) string { return "abs(" + col + ") >= " + c },
			func(c string) string { return col + " - " + c + " >= 0" },
			func(c string) string { return "greatest(" + col + ", " + c + ") = " + col },
			func(c string) string { return col + " > " + c + " * 0.5 + " + c + " * 0.499999" },
			func(c string) string { return "currencyConvert(" + col + ", 100, 100, NULL, NULL, 11, 0) >= " + c },
			func(c string) string {
				return "currencyConvert(" + col + " - " + c + ", 102, 100, '2024-06-01', NULL, 11, 0) >= 0"
			},
			func(c string) string {
				return "coalesce(currencyRate(" + c + ", " + col + ", NULL, NULL, 11, 0), 0) = 1"
			},
			// A difference would be another invoice for rows that are seen; what may differ is
			// what compares.
			func(c string) string {
				return "coalesce(invoiceOpen(CASE WHEN " + col + " BETWEEN " + c + " AND " + c + " THEN 105 ELSE 100 END, 0), 1) > 0"
			},
		)
	}
	return choose(g.Rand, forms...)
}

// effect makes something show when the condition holds: an error, time, memory,
// or nothing but its value.
func (g *pairGrammar) effect(cond reading) reading {
	col := g.alias + "." + g.fact.column
	then := choose(g.Rand,
		"1/0 = 1", "(SELECT 1/(count(*)-1) = 1 FROM generate_series(1,1))", "(SELECT a FROM generate_series(1, 2) a) = 1",
		"("+col+"::text)::date IS NULL", "('x' || "+col+"::text)::numeric = 1", "ln(0) = 0", "sqrt(-1) = 0", "'a' ~ ('(' || "+col+"::text)",
		"date_trunc("+col+"::text, now()) IS NULL", "(SELECT count(*) > 0 FROM generate_series(1,400000))",
		"length(lpad('x', 10000)) = 5", "(SELECT count(*) > 0 FROM generate_series(1,30) a, generate_series(1,1000) b, generate_series(1,20) c)",
	)
	switch g.IntN(5) {
	case 0:
		return cond
	case 1:
		return func(c string) string { return "(CASE WHEN " + cond(c) + " THEN " + then + " ELSE true END)" }
	case 2:
		return func(c string) string { return "(CASE WHEN NOT " + cond(c) + " THEN false ELSE " + then + " END)" }
	case 3:
		return func(c string) string { return "(NOT " + cond(c) + " OR " + then + ")" }
	default:
		return func(c string) string { return "coalesce(CASE WHEN " + cond(c) + " THEN " + then + " END, true)" }
	}
}

// statement puts what shows somewhere into a SELECT.
func (g *pairGrammar) statement() reading {
	f := g.fact
	g.alias = choose(g.Rand, "x", "o", "b")
	a, t, key := g.alias, f.table, g.alias+"."+f.key
	e := g.effect(g.condition())
	second := g.effect(g.condition())
	if g.IntN(3) > 0 {
		second = func(string) string { return "true" }
	}
	// Whether a row that the role may see fails is decided by how many rows the
	// planner expects of the condition.
	visible := choose(g.Rand, "1/(p.c_orderline_id-100)>-1", "1/(p.c_orderline_id-104)>-1", "exp(p.c_orderline_id)>0", "p.description::int>-1")
	// What else the rows are joined with, and how.
	join := choose(g.Rand, "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
	same := "p." + f.key + " = " + key
	tail := choose(g.Rand, "", "", " ORDER BY 1", " LIMIT 5", " ORDER BY 1 DESC LIMIT 3 OFFSET 1")
	materialized := choose(g.Rand, "", "MATERIALIZED ", "NOT MATERIALIZED ")
	inner := func(c string) string {
		return "SELECT " + key + " AS k, " + a + "." + f.column + " AS v, " + e(c) + " AS e FROM " + t + " " + a
	}
	group := choose(g.Rand, a+".ad_org_id", key, "1")
	if group == a+".ad_org_id" && strings.HasPrefix(t, "rv_") {
		group = key
	}
	bare := g.condition()
	forms := []reading{
		func(c string) string {
			return "SELECT " + key + " FROM c_orderline p LEFT JOIN " + t + " " + a + " ON " + key + " = p.ad_org_id WHERE " + bare(c) + " AND " + visible + tail
		},
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + ", c_orderline p WHERE " + bare(c) + " AND " + visible + tail
		},
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + " WHERE " + e(c) + " AND " + second(c) + tail
		},
		func(c string) string {
			return "SELECT count(*) FROM " + t + " " + a + " WHERE " + second(c) + " AND " + e(c)
		},
		func(c string) string { return "SELECT " + key + ", " + e(c) + " FROM " + t + " " + a + tail },
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + " " + join + " " + t + " p ON " + same + " AND " + e(c) + tail
		},
		func(c string) string {
			return "SELECT " + key + ", p." + f.key + " FROM " + t + " " + a + " " + join + " " + t + " p ON " + same + " WHERE " + e(c) + tail
		},
		func(c string) string {
			return "SELECT count(*) FROM " + t + " " + a + ", " + t + " p WHERE " + same + " AND " + e(c) + " AND " + second(c)
		},
		func(c string) string {
			return "SELECT " + group + ", count(*) FROM " + t + " " + a + " GROUP BY " + group + " HAVING bool_or(" + e(c) + ")" + tail
		},
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + " GROUP BY " + key + ", " + a + "." + f.column + " HAVING " + e(c) + tail
		},
		func(c string) string { return "SELECT count(*) FILTER (WHERE " + e(c) + ") FROM " + t + " " + a },
		func(c string) string {
			return "SELECT sum(CASE WHEN " + e(c) + " THEN 1 ELSE 2 END) FROM " + t + " " + a + " WHERE " + second(c)
		},
		func(c string) string {
			return "SELECT string_agg(" + key + "::text, ',' ) FROM " + t + " " + a + " WHERE " + e(c)
		},
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + " ORDER BY " + e(c) + ", " + key
		},
		func(c string) string {
			return "SELECT DISTINCT ON (" + e(c) + ") " + key + " FROM " + t + " " + a
		},
		func(c string) string {
			return "SELECT " + key + ", row_number() OVER (ORDER BY " + e(c) + ") FROM " + t + " " + a + " WHERE " + second(c) + tail
		},
		func(c string) string {
			return "SELECT " + key + ", count(*) OVER (PARTITION BY " + e(c) + ") FROM " + t + " " + a + tail
		},
		func(c string) string { return "SELECT q.k FROM (" + inner(c) + ") q WHERE q.e" + tail },
		func(c string) string { return "SELECT q.k FROM (" + inner(c) + " OFFSET 0) q WHERE q.e" + tail },
		func(c string) string {
			return "SELECT q.e, count(*) FROM (SELECT DISTINCT k, e FROM (" + inner(c) + ") i) q WHERE q.e GROUP BY 1"
		},
		func(c string) string {
			return "WITH q AS " + materialized + "(" + inner(c) + ") SELECT k FROM q WHERE e" + tail
		},
		func(c string) string {
			return "WITH q AS " + materialized + "(SELECT * FROM " + t + ") SELECT " + key + " FROM q " + a + " WHERE " + e(c) + tail
		},
		func(c string) string {
			return "WITH RECURSIVE r(k, n) AS (SELECT " + key + ", 1 FROM " + t + " " + a + " WHERE " + e(c) + " UNION ALL SELECT r.k, n + 1 FROM r JOIN " +
				t + " " + a + " ON " + key + " = r.k WHERE n < 3 AND " + second(c) + ") SELECT count(*), sum(n) FROM r"
		},
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + " WHERE EXISTS (SELECT 1 FROM " + t + " p WHERE " + same + " AND " + e(c) + ")" + tail
		},
		func(c string) string {
			return "SELECT p." + f.key + " FROM " + t + " p WHERE NOT EXISTS (SELECT 1 FROM " + t + " " + a + " WHERE " + same + " AND " + e(c) + ")" + tail
		},
		func(c string) string {
			return "SELECT p." + f.key + " FROM " + t + " p WHERE p." + f.key + choose(g.Rand, " IN ", " IN ") + "(SELECT " + key + " FROM " + t + " " + a + " WHERE " + e(c) + ")" + tail
		},
		func(c string) string {
			return "SELECT p." + f.key + " FROM " + t + " p WHERE p." + f.key + " NOT IN (SELECT " + key + " FROM " + t + " " + a + " WHERE " + e(c) + ") OR p." + f.key + " = 104" + tail
		},
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + " WHERE (SELECT count(*) FROM " + t + " p WHERE " + same + " AND " + e(c) + ") = 1" + tail
		},
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + " WHERE " + key + " = (SELECT max(p." + f.key + ") FROM " + t + " p) AND " + e(c)
		},
		func(c string) string {
			return "SELECT p." + f.key + ", l.k FROM " + t + " p, LATERAL (SELECT " + key + " AS k FROM " + t + " " + a + " WHERE " + same + " AND " + e(c) + " LIMIT 1) l" + tail
		},
		func(c string) string {
			return "SELECT p." + f.key + ", l.k FROM " + t + " p LEFT JOIN LATERAL (SELECT " + key + " AS k, " + e(c) + " AS e FROM " + t + " " + a + ") l ON l.k = p." + f.key + " AND l.e" + tail
		},
		func(c string) string {
			op := choose(g.Rand, "UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL")
			return "SELECT " + key + " FROM " + t + " " + a + " WHERE " + e(c) + " " + op + " SELECT p." + f.key + " FROM " + t + " p" + tail
		},
		func(c string) string {
			return "SELECT k FROM (" + inner(c) + " UNION ALL SELECT 1, NULL, false) q WHERE e" + tail
		},
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + " LIMIT (SELECT count(*) FROM " + t + " " + a + " WHERE " + e(c) + ")"
		},
		func(c string) string {
			return "SELECT ARRAY(SELECT " + key + " FROM " + t + " " + a + " WHERE " + e(c) + ")"
		},
		func(c string) string {
			return "SELECT " + key + " FROM " + t + " " + a + " JOIN generate_series(1, 2) n ON " + e(c) + " AND n = 1" + tail
		},
		func(c string) string {
			return "SELECT u.n FROM " + t + " " + a + ", unnest(ARRAY[1, 2]) u(n) WHERE " + e(c) + " ORDER BY 1 LIMIT 4"
		},
		func(c string) string {
			return "SELECT documentno FROM c_order z WHERE z.documentno IS NOT NULL AND (SELECT bool_or(" + e(c) + ") FROM " + t + " " + a + ")"
		},
		func(c string) string {
			return "SELECT max(" + key + ") FROM " + t + " " + a + " WHERE " + key + " IS NOT NULL AND " + e(c)
		},
	}
	n := g.IntN(len(forms))
	seed := g.Uint64()
	return func(c string) string {
		g.Rand = rand.New(rand.NewPCG(seed, 3)) // both readings make the same choices
		return forms[n](c)
	}
}

// shownOutcome is all that a caller sees of a statement, but the time it took.
func shownOutcome(w *world, q aiquery.Request) (string, time.Duration) {
	start := time.Now()
	r, err := w.Query(context.Background(), user, q)
	took := time.Since(start)
	if err != nil {
		var e *api.Error
		if !errors.As(err, &e) {
			return err.Error(), took
		}
		return fmt.Sprintf("%s|%s|%s", e.Code, e.Message, e.Hint), took // where it is, is a matter of the constant's length
	}
	text, err := json.Marshal([]any{r.Columns, r.Rows, r.Truncated, r.Notes, r.Tables})
	if err != nil {
		return err.Error(), took
	}
	return string(text), took
}

// pairs is how many pairs are asked; ERPHUB_PAIRS says otherwise.
func pairs(t testing.TB) int {
	t.Helper()
	if text := os.Getenv("ERPHUB_PAIRS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err, "ERPHUB_PAIRS is a number")
		return n
	}
	return 500
}

// slower is how many times as long one reading of a pair may take as the other,
// beside a quarter of a second: what shows in time is an effect, not the noise
// of the machine.
const slower = 5

// TestPairs asks pairs of questions that differ in what hidden rows have.
func TestPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	seed := fuzzSeed(t)
	rows := randomRows(rand.New(rand.NewPCG(seed, 1)))
	full := aitest.Postgres(t)
	addRows(t, full, rows, true)
	quick := func(o *aiquery.Options) {
		o.StatementTimeout, o.RequestTimeout, o.NoAudit, o.PerUser = 3*time.Second, 10*time.Second, true, 4
	}
	w := prepare(t, full).world(t, aitest.As(t, full, aitest.ReadLogin), nil, quick)
	var mu sync.Mutex
	tally := map[string]int{}
	failures := 0
	var group sync.WaitGroup
	const workers = 2
	for worker := range workers {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(10+worker)))
			for range pairs(t) / workers {
				fact := choose(r, pairFacts...)
				g := &pairGrammar{Rand: rand.New(rand.NewPCG(r.Uint64(), 2)), fact: fact}
				statement := g.statement()
				there, missing := statement(fact.there(r)), statement(fact.missing(r))
				kind, problem := comparePair(w, there, missing)
				mu.Lock()
				tally[kind]++
				if problem != "" && failures < 10 {
					failures++
					t.Errorf("%s\n%s\n%s", problem, there, missing)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	t.Log(tally)
	assert.Greater(t, tally["succeeded"], pairs(t)/3, "too few succeeded to say much: %v", tally)
	assert.Zero(t, tally["internal"])
}

// comparePair asks both readings and says what differs.
func comparePair(w *world, there, missing string) (kind, problem string) {
	a, long := shownOutcome(w, query(there))
	b, short := shownOutcome(w, query(missing))
	switch {
	case strings.HasPrefix(a, "["):
		kind = "succeeded"
	default:
		kind, _, _ = strings.Cut(a, "|")
	}
	if a != b && strings.ReplaceAll(a, "QZX7", "QZW") != strings.ReplaceAll(b, "QZX7", "QZW") {
		return kind, fmt.Sprintf("other responses:\n%.300s\n%.300s", a, b)
	}
	for range 3 { // a machine with other things to do is slow now and then
		if long < slower*short+250*time.Millisecond && short < slower*long+250*time.Millisecond {
			return kind, ""
		}
		_, long = shownOutcome(w, query(there))
		_, short = shownOutcome(w, query(missing))
	}
	return kind, fmt.Sprintf("other times: %v and %v", long, short)
}
