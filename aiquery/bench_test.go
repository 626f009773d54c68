package aiquery_test

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/internal/testpg"
)

// benchRows is how many orders the benchmarks use.
func benchRows(b *testing.B) int {
	b.Helper()
	text := os.Getenv("ERPHUB_BENCH_ORDERS")
	if text == "" {
		return 1_000_000
	}
	n, err := strconv.Atoi(text)
	require.NoError(b, err)
	return n
}

// The role of the benchmarks: one tenant of four, five organizations of twenty.
const (
	benchClients = "0, 11"
	benchOrgs    = "0, 1, 2, 3, 4, 5"
)

// benchTables make the tables; %[1]d is the number of orders.
const benchTables = `
CREATE SCHEMA adempiere; SET search_path = adempiere; SET synchronous_commit = off;
CREATE TABLE c_bpartner (c_bpartner_id numeric(10) PRIMARY KEY, ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, value varchar(40), name varchar(120), iscustomer char(1));
CREATE TABLE m_product (m_product_id numeric(10) PRIMARY KEY, ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, value varchar(40), name varchar(60));
CREATE TABLE c_order (c_order_id numeric(10) PRIMARY KEY, ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, documentno varchar(30), docstatus char(2),
	c_bpartner_id numeric(10), dateordered timestamp, grandtotal numeric, description varchar(255));
CREATE TABLE c_orderline (c_orderline_id numeric(10) PRIMARY KEY, c_order_id numeric(10), ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, m_product_id numeric(10),
	line numeric(10), qtyordered numeric, linenetamt numeric);
INSERT INTO c_bpartner SELECT g, (ARRAY[0,11,11,11,12])[1+g%%5], g%%20, 'V'||g, 'Partner '||g, 'Y' FROM generate_series(1, greatest(%[1]d/100, 10)) g;
INSERT INTO m_product SELECT g, 11, 0, 'P'||g, 'Product '||g FROM generate_series(1, greatest(%[1]d/500, 10)) g;
INSERT INTO c_order SELECT g, (ARRAY[11,11,11,12])[1+g%%4], g%%20, 'SO'||g, (ARRAY['CO','CO','DR','VO'])[1+g%%4], 1+(g::bigint*7919)%%greatest(%[1]d/100, 10),
	timestamp '2020-01-01' + (g%%1800)*interval '1 day', (g%%100000)/7.0, 'order '||g FROM generate_series(1, %[1]d) g;
INSERT INTO c_orderline SELECT g, g, o.ad_client_id, o.ad_org_id, 1+(g*31)%%greatest(%[1]d/500, 10), 10, 1+g%%9, (g%%5000)/3.0 FROM generate_series(1, %[1]d) g JOIN c_order o ON o.c_order_id = g;
CREATE INDEX ON c_order (documentno); CREATE INDEX ON c_order (c_bpartner_id); CREATE INDEX ON c_order (dateordered); CREATE INDEX ON c_orderline (c_order_id); CREATE INDEX ON c_orderline (m_product_id);
`

const benchPolicies = `
DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'aiq_rls') THEN CREATE ROLE aiq_rls LOGIN; END IF; END $$;
GRANT USAGE ON SCHEMA adempiere TO aiq_rls; GRANT SELECT ON ALL TABLES IN SCHEMA adempiere TO aiq_rls;
`

// benchQueries name their tables in braces; filters of the hand-written form
// go where the words say.
var benchQueries = []struct{ name, asked, byHand string }{
	{"by key", `SELECT documentno, grandtotal FROM c_order WHERE c_order_id = 4001`,
		`SELECT documentno, grandtotal FROM adempiere.c_order c WHERE c_order_id = 4001 AND [c]`},
	{"by document number", `SELECT c_order_id, grandtotal FROM c_order WHERE documentno = 'SO4001'`,
		`SELECT c_order_id, grandtotal FROM adempiere.c_order c WHERE documentno = 'SO4001' AND [c]`},
	{"of one partner", `SELECT documentno, grandtotal FROM c_order WHERE c_bpartner_id = 42 ORDER BY dateordered`,
		`SELECT documentno, grandtotal FROM adempiere.c_order c WHERE c_bpartner_id = 42 AND [c] ORDER BY dateordered`},
	{"latest", `SELECT documentno, dateordered FROM c_order ORDER BY dateordered DESC LIMIT 20`,
		`SELECT documentno, dateordered FROM adempiere.c_order c WHERE [c] ORDER BY dateordered DESC LIMIT 20`},
	{"order with lines", `SELECT o.documentno, l.line, p.name, l.qtyordered FROM c_order o JOIN c_orderline l ON l.c_order_id = o.c_order_id JOIN m_product p ON p.m_product_id = l.m_product_id WHERE o.c_order_id BETWEEN 4001 AND 4100`,
		`SELECT o.documentno, l.line, p.name, l.qtyordered FROM adempiere.c_order o JOIN adempiere.c_orderline l ON l.c_order_id = o.c_order_id JOIN adempiere.m_product p ON p.m_product_id = l.m_product_id WHERE o.c_order_id BETWEEN 4001 AND 4100 AND [o] AND [l] AND [p]`},
	{"a month by partner", `SELECT bp.name, count(DISTINCT o.c_order_id), sum(l.linenetamt) FROM c_order o JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id JOIN c_orderline l ON l.c_order_id = o.c_order_id JOIN m_product p ON p.m_product_id = l.m_product_id WHERE o.dateordered >= '2023-03-01' AND o.dateordered < '2023-04-01' AND o.docstatus = 'CO' GROUP BY bp.name ORDER BY 3 DESC LIMIT 50`,
		`SELECT bp.name, count(DISTINCT o.c_order_id), sum(l.linenetamt) FROM adempiere.c_order o JOIN adempiere.c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id JOIN adempiere.c_orderline l ON l.c_order_id = o.c_order_id JOIN adempiere.m_product p ON p.m_product_id = l.m_product_id WHERE o.dateordered >= '2023-03-01' AND o.dateordered < '2023-04-01' AND o.docstatus = 'CO' AND [o] AND [bp] AND [l] AND [p] GROUP BY bp.name ORDER BY 3 DESC LIMIT 50`},
	{"by organization", `SELECT ad_org_id, docstatus, count(*), sum(grandtotal) FROM c_order GROUP BY ad_org_id, docstatus ORDER BY 1, 2`,
		`SELECT ad_org_id, docstatus, count(*), sum(grandtotal) FROM adempiere.c_order c WHERE [c] GROUP BY ad_org_id, docstatus ORDER BY 1, 2`},
	{"above the average", `SELECT count(*) FROM c_order WHERE grandtotal > (SELECT avg(grandtotal) FROM c_order)`,
		`SELECT count(*) FROM adempiere.c_order c WHERE [c] AND grandtotal > (SELECT avg(grandtotal) FROM adempiere.c_order d WHERE [d])`},
	{"a pattern", `SELECT count(*) FROM c_order WHERE description LIKE '%999%'`,
		`SELECT count(*) FROM adempiere.c_order c WHERE description LIKE '%999%' AND [c]`},
	{"partners with their last order", `SELECT bp.name, x.documentno FROM c_bpartner bp LEFT JOIN LATERAL (SELECT o.documentno FROM c_order o WHERE o.c_bpartner_id = bp.c_bpartner_id ORDER BY o.dateordered DESC, o.c_order_id LIMIT 1) x ON true WHERE bp.c_bpartner_id < 200 ORDER BY bp.name LIMIT 100`,
		`SELECT bp.name, x.documentno FROM adempiere.c_bpartner bp LEFT JOIN LATERAL (SELECT o.documentno FROM adempiere.c_order o WHERE o.c_bpartner_id = bp.c_bpartner_id AND [o] ORDER BY o.dateordered DESC, o.c_order_id LIMIT 1) x ON true WHERE bp.c_bpartner_id < 200 AND [bp] ORDER BY bp.name LIMIT 100`},
}

// byHand writes the conditions out.
func byHand(text string) string {
	for _, alias := range []string{"c", "d", "o", "l", "p", "bp"} {
		text = strings.ReplaceAll(text, "["+alias+"]", fmt.Sprintf("%[1]s.ad_client_id IN (%[2]s) AND %[1]s.ad_org_id IN (%[3]s)", alias, benchClients, benchOrgs))
	}
	return text
}

// benchPolicy is the same role for the guard.
func benchPolicy(b *testing.B, conn *pgx.Conn) *guard.Policy {
	b.Helper()
	p := &guard.Policy{Version: "1", Schema: "adempiere", Tables: map[string]*guard.Table{}}
	rows, err := plainRows(b.Context(), conn, `SELECT c.relname, a.attname, t.typname FROM pg_class c JOIN pg_attribute a ON a.attrelid=c.oid AND a.attnum>0
		JOIN pg_type t ON t.oid=a.atttypid WHERE c.relnamespace='adempiere'::regnamespace AND c.relkind='r' ORDER BY 1, a.attnum`)
	require.NoError(b, err)
	for _, row := range rows {
		if p.Tables[row[0]] == nil {
			p.Tables[row[0]] = &guard.Table{Name: row[0], Conditions: []guard.Condition{{Column: "ad_client_id", IDs: []int64{0, 11}}, {Column: "ad_org_id", IDs: []int64{0, 1, 2, 3, 4, 5}}}}
		}
		t := p.Tables[row[0]]
		t.Columns = append(t.Columns, guard.Column{Name: row[1], Type: row[2]})
	}
	return p
}

// fastest runs each statement on its connection, in turns, and returns the
// shortest times.
func fastest(b *testing.B, runs int, statements []string, conns []*pgx.Conn) []time.Duration {
	b.Helper()
	best := make([]time.Duration, len(statements))
	for n := range runs {
		for k := range statements {
			i := (k + n) % len(statements)
			start := time.Now()
			result := conns[i].PgConn().ExecParams(b.Context(), statements[i], nil, nil, nil, nil).Read()
			took := time.Since(start)
			require.NoError(b, result.Err, statements[i])
			if best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	return best
}

// BenchmarkSecuredStatements compares secured statements with hand-written
// conditions and with row-level security, on ERPHUB_BENCH_ORDERS orders (a
// million) with lines.
func BenchmarkSecuredStatements(b *testing.B) {
	address := testpg.URL(b)
	owner := connection(b, address, "")
	n := benchRows(b)
	settings := "SET jit = off; SET max_parallel_workers_per_gather = 0;"
	for _, script := range []string{fmt.Sprintf(benchTables, n), benchPolicies} {
		_, err := owner.PgConn().Exec(b.Context(), script).ReadAll()
		require.NoError(b, err)
	}
	policy := benchPolicy(b, owner)
	var rules strings.Builder
	for name := range policy.Tables {
		fmt.Fprintf(&rules, "ALTER TABLE adempiere.%[1]s ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON adempiere.%[1]s USING (ad_client_id IN (%[2]s) AND ad_org_id IN (%[3]s));\n", name, benchClients, benchOrgs)
	}
	_, err := owner.PgConn().Exec(b.Context(), rules.String()).ReadAll()
	require.NoError(b, err)
	_, err = owner.PgConn().Exec(b.Context(), "VACUUM ANALYZE").ReadAll()
	require.NoError(b, err)
	// Tables belong to the owner, for whom policies do not count.
	plain, secured := connection(b, address, settings), connection(b, address, settings)
	u, err := url.Parse(address)
	require.NoError(b, err)
	u.User = url.User("aiq_rls")
	limited := connection(b, u.String(), settings)
	g := guard.New(nil)

	const limit = 1000
	var logs, rlsLogs float64
	for _, q := range benchQueries {
		plan, err := g.Secure(b.Context(), policy, q.asked, 0, limit)
		require.NoError(b, err, q.name)
		statements := []string{byHand(q.byHand), plan.SQL, q.asked}
		conns := []*pgx.Conn{plain, secured, limited}
		want, err := plainRows(b.Context(), plain, statements[0])
		require.NoError(b, err, q.name)
		for i := range statements[1:] {
			got, err := plainRows(b.Context(), conns[i+1], statements[i+1])
			require.NoError(b, err, q.name)
			require.Equal(b, sorted(want), sorted(got), "%s in form %d", q.name, i+1)
		}
		one := fastest(b, 2, statements, conns)
		runs := min(max(int(2*time.Second/(one[0]+one[1]+one[2]+1)), 5), 300)
		took := fastest(b, runs, statements, conns)
		ratio, rls := float64(took[1])/float64(took[0]), float64(took[2])/float64(took[0])
		logs, rlsLogs = logs+math.Log(ratio), rlsLogs+math.Log(rls)
		b.Logf("%-32s by hand %10v  secured %5.2f  row-level security %8.2f", q.name, took[0], ratio, rls)
	}
	count := float64(len(benchQueries))
	b.ReportMetric(math.Exp(logs/count), "secured/by-hand")
	b.ReportMetric(math.Exp(rlsLogs/count), "rls/by-hand")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCallers is 64 callers at once: how much longer than half of them the
// slowest hundredth waits.
func BenchmarkCallers(b *testing.B) {
	w := onPostgres(b, func(o *aiquery.Options) { o.PerUser, o.Queued = 64, 128 }) // a user may have half of the queue
	q := query(`SELECT documentno, grandtotal FROM c_order WHERE c_order_id = 104`)
	_, err := w.Query(b.Context(), user, q)
	require.NoError(b, err)
	const callers = 64
	var mu sync.Mutex
	var all []time.Duration
	for b.Loop() {
		all = all[:0]
		var group sync.WaitGroup
		for range callers {
			group.Go(func() {
				mine := make([]time.Duration, 0, 40)
				for range 40 {
					start := time.Now()
					if _, err := w.Query(context.Background(), user, q); err != nil {
						b.Error(err)
						return
					}
					mine = append(mine, time.Since(start))
				}
				mu.Lock()
				defer mu.Unlock()
				all = append(all, mine...)
			})
		}
		group.Wait()
	}
	slices.Sort(all)
	p50, p99 := all[len(all)/2], all[len(all)*99/100]
	b.ReportMetric(float64(p50.Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(p99)/float64(p50), "p99/p50")
}
