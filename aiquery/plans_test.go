package aiquery_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// plannerSettings make the server choose other plans.
var plannerSettings = []string{
	"enable_hashjoin", "enable_mergejoin", "enable_nestloop", "enable_seqscan", "enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan",
	"enable_hashagg", "enable_sort", "enable_incremental_sort", "enable_material", "enable_memoize", "enable_tidscan",
}

// settled is a login's address with settings that are the session's defaults.
func settled(t testing.TB, address string, settings map[string]string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	var options []string
	for name, value := range settings {
		options = append(options, "-c "+name+"="+value)
	}
	q := u.Query()
	q.Set("options", strings.Join(options, " "))
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	return u.String()
}

// TestPlansDecideNothing asks the same statements of servers that plan
// differently and know different things about the tables: the responses are
// equal, byte for byte.
func TestPlansDecideNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	seed := fuzzSeed(t)
	r := rand.New(rand.NewPCG(seed, 5))
	rows := randomRows(rand.New(rand.NewPCG(seed, 1)))
	full := aitest.Postgres(t)
	addRows(t, full, rows, true)
	quick := func(o *aiquery.Options) {
		o.StatementTimeout, o.RequestTimeout, o.NoAudit, o.MaxRows = 2*time.Second, 4*time.Second, true, 1000
	}
	d := prepare(t, full)
	login := aitest.As(t, full, aitest.ReadLogin)
	var worlds []*world
	for n := range 4 {
		settings := map[string]string{}
		for _, name := range plannerSettings {
			if n > 0 && r.IntN(2) == 0 {
				settings[name] = "off"
			}
		}
		if n == 2 {
			settings["random_page_cost"], settings["cpu_tuple_cost"], settings["join_collapse_limit"] = "0.01", "5", "1"
		}
		if n == 3 {
			settings["cpu_operator_cost"], settings["from_collapse_limit"], settings["geqo_threshold"] = "1", "1", "2"
		}
		worlds = append(worlds, d.world(t, settled(t, login, settings), nil, quick))
	}
	all := []string{}
	for _, report := range corpus(t) {
		if len(report.params) == 0 {
			all = append(all, report.sql)
		}
	}
	statements := rand.New(rand.NewPCG(seed, 2))
	for range 40 {
		all = append(all, newGrammar(statements).statement())
		g := &pairGrammar{Rand: rand.New(rand.NewPCG(r.Uint64(), 2)), fact: choose(r, pairFacts...)}
		all = append(all, g.statement()(g.fact.missing(r)))
	}
	tally := map[string]int{}
	first := map[string]string{}
	for _, statistics := range []string{"ANALYZE", "DELETE FROM pg_statistic", "SET default_statistics_target = 2; ANALYZE"} {
		conn := connection(t, full, "")
		_, err := conn.PgConn().Exec(t.Context(), statistics).ReadAll()
		require.NoError(t, err)
		for _, sql := range all {
			for n, w := range worlds {
				got, _ := shownOutcome(w, query(sql))
				want, known := first[sql]
				switch {
				case !known:
					first[sql] = got
				case got == want:
					tally["equal"]++
				case strings.HasPrefix(got, "timeout") || strings.HasPrefix(want, "timeout"):
					tally["timeouts"]++
				case !strings.HasPrefix(got, "[") || !strings.HasPrefix(want, "["):
					// In which order conditions on several tables are tested is the
					// planner's choice, and so is whether one that fails is tested.
					tally["errors"]++
				default:
					t.Errorf("%s, planner %d:\n%s\nfirst %.500s\nnow   %.500s", statistics, n, sql, want, got)
				}
			}
		}
	}
	t.Log(tally)
	assert.Less(t, tally["errors"], tally["equal"]/100, fmt.Sprint(tally))
}
