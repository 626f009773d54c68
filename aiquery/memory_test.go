package aiquery_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
)

// greedy are statements that make the database's process need memory, with how
// much it may need at most, in MB: what [aiquery.Options] says.
var greedy = []struct {
	name, sql string
	most      int
}{
	{"sorted", `SELECT a, md5(a::text) FROM generate_series(1, 500000) a ORDER BY 2 LIMIT 5`, 250},
	{"grouped", `SELECT md5(a::text), count(*) FROM generate_series(1, 300000) a GROUP BY 1 LIMIT 5`, 250},
	{"joined", `SELECT count(*) FROM generate_series(1, 300000) a JOIN generate_series(1, 300000) b ON md5(a::text) = md5(b::text)`, 250},
	{"distinct", `SELECT count(DISTINCT md5(a::text)) FROM generate_series(1, 300000) a`, 250},
	{"padded", `SELECT max(lpad('x', a)) FROM generate_series(1, 20000) a`, 250},
	{"window", `SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY md5(a::text)) FROM generate_series(1, 300000) a) q`, 250},
	{"collected", `SELECT length(string_agg(lpad('x', 10000), '')) FROM generate_series(1, 200000) a`, 300},
	{"collected, as much as may be", `SELECT length(string_agg(lpad('x', 10000), '')) FROM generate_series(1, 1600) a`, 400},
	{"collected as JSON", `SELECT length(jsonb_agg(md5(a::text))::text) FROM generate_series(1, 3000000) a`, 300},
	{"collected as JSON, as much as may be", `SELECT length(jsonb_agg(md5(a::text))::text) FROM generate_series(1, 830000) a`, 400},
	{"collected, wide", `SELECT jsonb_agg(lpad('x', 1000)) FROM generate_series(1, 2000000) g`, 300},
	{"collected twice", `SELECT array_cat(a, a) FROM (SELECT array_agg(g) a FROM generate_series(1, 500000) g) z`, 400},
	{"collected in a window", `SELECT length(string_agg(a::text, ',') OVER (ORDER BY a ROWS UNBOUNDED PRECEDING)) FROM generate_series(1, 700) a`, 300},
	{"listed", `SELECT cardinality(ARRAY(SELECT a FROM generate_series(1, 5000000) a))`, 300},
	{"lists in lists", `SELECT jsonb_agg(x) FROM (SELECT (SELECT jsonb_agg(lpad('x', 100)) FROM generate_series(1, 200) h WHERE h > g - g) x FROM generate_series(1, 400) g) z`, 400},
	{"doubled", `WITH RECURSIVE r(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM r) SELECT max(length(replace(x, 'x', 'xxxxxxxxxx'))) FROM r`, 250},
	{"made longer", `WITH RECURSIVE r(x) AS (SELECT lpad('x', 10000) UNION ALL SELECT x || lpad('y', 10000) FROM r) SELECT length(jsonb_agg(x)::text) FROM r`, 250},
	{"replaced", `SELECT max(length(replace(lpad('a', 10000, 'a'), 'a', 'aaaaaaaaaaaaaaaaaaaa'))) FROM generate_series(1, 1000) g`, 300},
}

// TestMemoryOfStatements holds what a statement needs in the database's process
// against what the documentation says.
func TestMemoryOfStatements(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at the database's memory")
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the memory of the database's process is read from /proc")
	}
	t.Parallel()
	w := onPostgres(t, func(o *aiquery.Options) { o.StatementTimeout, o.RequestTimeout = 10*time.Second, 15*time.Second })
	admin := connection(t, w.url, "")
	for _, g := range greedy {
		_, err := w.Query(t.Context(), user, query("SELECT 1")) // there is a connection
		require.NoError(t, err)
		rows, err := plainRows(t.Context(), admin, "SELECT pid FROM pg_stat_activity WHERE application_name = 'erphub-query' AND datname = current_database()")
		require.NoError(t, err)
		require.NotEmpty(t, rows)
		ctx, done := context.WithCancel(t.Context())
		peak := make(chan int)
		go func() {
			most := 0
			ticker := time.NewTicker(5 * time.Millisecond)
			defer ticker.Stop()
			for {
				for _, row := range rows {
					most = max(most, ownMemory(row[0]))
				}
				select {
				case <-ctx.Done():
					peak <- most
					return
				case <-ticker.C:
				}
			}
		}()
		_, err = w.Query(t.Context(), user, query(g.sql))
		done()
		most := <-peak
		t.Logf("%-20s %5d MB  %v", g.name, most, err)
		assert.LessOrEqual(t, most, g.most, g.name)
	}
}

// TestMemoryOfPreparedStatements: what a connection keeps prepared is bounded,
// however many and however large the statements that come again.
func TestMemoryOfPreparedStatements(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at the database's memory")
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the memory of the database's process is read from /proc")
	}
	t.Parallel()
	w := onPostgres(t, func(o *aiquery.Options) { o.NoAudit = true })
	admin := connection(t, w.url, "")
	large := func(n, columns int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "SELECT count(*) AS n%d", n)
		for i := range columns {
			fmt.Fprintf(&b, ", sum(CASE WHEN o.grandtotal > %d THEN o.totallines ELSE %d END) AS c%d", i, n, i)
		}
		return b.String() + " FROM c_order o JOIN c_bpartner b USING (c_bpartner_id) JOIN c_orderline l USING (c_order_id)"
	}
	// More text than is kept, more statements than are kept, and some too long to be.
	for name, size := range map[string]struct{ statements, columns int }{"large": {150, 150}, "of usual size": {150, 20}, "too long": {10, 300}} {
		for n := range size.statements {
			for range 2 { // the second time it is worth being kept
				_, err := w.Query(t.Context(), user, query(large(n, size.columns)))
				require.NoError(t, err, name)
			}
		}
	}
	rows, err := plainRows(t.Context(), admin, "SELECT pid FROM pg_stat_activity WHERE application_name = 'erphub-query' AND datname = current_database()")
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	most := 0
	for _, row := range rows {
		most = max(most, ownMemory(row[0]))
	}
	t.Logf("%d MB", most)
	assert.LessOrEqual(t, most, 100, "MB of a connection at rest")
}

// ownMemory is what a process has of its own, in MB.
func ownMemory(pid string) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%s/status", pid))
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if rest, ok := bytes.CutPrefix(lines.Bytes(), []byte("RssAnon:")); ok {
			kb, _ := strconv.Atoi(string(bytes.Fields(rest)[0]))
			return kb / 1024
		}
	}
	return 0
}

// TestRecursionIsBounded: what WITH RECURSIVE makes longer and longer ends before
// it fills memory, on both databases, and trees with paths are no such thing.
func TestRecursionIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		_, err := w.Query(t.Context(), user, query(`WITH RECURSIVE r(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM r) SELECT max(length(x)) FROM r`))
		assert.Equal(t, api.CodeTooComplex, code(t, err), err)
		out, err := w.Query(t.Context(), user, query(`WITH RECURSIVE tree(id, path) AS (
			SELECT 1, 'root' UNION ALL SELECT t.id + 1, t.path || ' / ' || b.name FROM tree t JOIN c_bpartner b ON b.c_bpartner_id = 118 WHERE t.id < 20)
			SELECT id, path FROM tree ORDER BY id`))
		require.NoError(t, err)
		assert.Len(t, out.Rows, 20)
	})
}
