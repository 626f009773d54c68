package aiquery_test

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/internal/testkit/testpg"
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

// benchQueries are written once: tables stand as {table alias}. By hand they
// become the table with its alias, and their conditions take the place of
// [alias]; asked, the conditions are left out.
var benchQueries = []struct{ name, sql string }{
	{"by key", `SELECT documentno, grandtotal FROM {c_order c} WHERE c_order_id = 4001 AND [c]`},
	{"by document number", `SELECT c_order_id, grandtotal FROM {c_order c} WHERE documentno = 'SO4001' AND [c]`},
	{"several by number", `SELECT c_order_id, grandtotal FROM {c_order c} WHERE documentno IN ('SO4001', 'SO4002', 'SO4003', 'SO4004') AND [c] ORDER BY 1`},
	{"of one partner", `SELECT documentno, grandtotal FROM {c_order c} WHERE c_bpartner_id = 42 AND [c] ORDER BY dateordered, c_order_id`},
	{"of a named partner", `SELECT documentno, grandtotal FROM {c_order c} WHERE c_bpartner_id = (SELECT b.c_bpartner_id FROM {c_bpartner b} WHERE b.value = 'V42' AND [b]) AND [c] ORDER BY dateordered, c_order_id`},
	{"latest", `SELECT documentno, dateordered FROM {c_order c} WHERE [c] ORDER BY dateordered DESC, c_order_id LIMIT 20`},
	{"of one day", `SELECT documentno, grandtotal FROM {c_order c} WHERE dateordered >= '2023-03-01' AND dateordered < '2023-03-02' AND [c] ORDER BY c_order_id`},
	{"by organization", `SELECT ad_org_id, docstatus, count(*), sum(grandtotal) FROM {c_order c} WHERE [c] GROUP BY ad_org_id, docstatus ORDER BY 1, 2`},
	{"by month", `SELECT date_trunc('month', dateordered) AS m, count(*), sum(grandtotal) FROM {c_order c} WHERE docstatus = 'CO' AND [c] GROUP BY 1 ORDER BY 1`},
	{"of a year, computed", `SELECT count(*), sum(grandtotal) FROM {c_order c} WHERE extract(year FROM dateordered) = 2023 AND [c]`},
	{"above the average", `SELECT count(*) FROM {c_order c} WHERE [c] AND grandtotal > (SELECT avg(d.grandtotal) FROM {c_order d} WHERE [d])`},
	{"a pattern", `SELECT count(*) FROM {c_order c} WHERE [c] AND description LIKE '%999%'`},
	{"a pattern, tested first", `SELECT count(*) FROM {c_order c} WHERE description LIKE '%999%' AND [c]`},
	{"letters of a name", `SELECT value, name FROM {c_bpartner b} WHERE upper(name) LIKE 'PARTNER 12%' AND [b] ORDER BY c_bpartner_id LIMIT 50`},
	{"rank of partners", `SELECT q.c_bpartner_id, q.total, rank() OVER (ORDER BY q.total DESC) FROM (SELECT c_bpartner_id, sum(grandtotal) AS total FROM {c_order c} WHERE [c] GROUP BY c_bpartner_id) q ORDER BY 3, 1 LIMIT 20`},
	{"partners with orders", `SELECT count(*) FROM {c_bpartner b} WHERE [b] AND EXISTS (SELECT 1 FROM {c_order c} WHERE c.c_bpartner_id = b.c_bpartner_id AND c.docstatus = 'CO' AND [c])`},
	{"products never sold", `SELECT count(*) FROM {m_product p} WHERE [p] AND NOT EXISTS (SELECT 1 FROM {c_orderline l} WHERE l.m_product_id = p.m_product_id AND [l])`},
	{"orders with lines", `SELECT o.documentno, l.line, p.name, l.qtyordered FROM {c_order o} JOIN {c_orderline l} ON l.c_order_id = o.c_order_id JOIN {m_product p} ON p.m_product_id = l.m_product_id WHERE o.c_order_id BETWEEN 4001 AND 4100 AND [o] AND [l] AND [p] ORDER BY o.c_order_id, l.c_orderline_id`},
	{"last order of partners", `SELECT b.name, x.documentno FROM {c_bpartner b} LEFT JOIN LATERAL (SELECT o.documentno FROM {c_order o} WHERE o.c_bpartner_id = b.c_bpartner_id AND [o] ORDER BY o.dateordered DESC, o.c_order_id LIMIT 1) x ON true WHERE b.c_bpartner_id < 200 AND [b] ORDER BY b.name, b.c_bpartner_id LIMIT 100`},
	{"four: a month by partner", `SELECT b.name, count(DISTINCT o.c_order_id), sum(l.linenetamt) FROM {c_order o} JOIN {c_bpartner b} ON b.c_bpartner_id = o.c_bpartner_id JOIN {c_orderline l} ON l.c_order_id = o.c_order_id JOIN {m_product p} ON p.m_product_id = l.m_product_id WHERE o.dateordered >= '2023-03-01' AND o.dateordered < '2023-04-01' AND o.docstatus = 'CO' AND [o] AND [b] AND [l] AND [p] GROUP BY b.name ORDER BY 3 DESC, 1 LIMIT 50`},
	{"four: products of a partner", `SELECT p.name, sum(l.qtyordered) AS q FROM {c_order o} JOIN {c_bpartner b} ON b.c_bpartner_id = o.c_bpartner_id JOIN {c_orderline l} ON l.c_order_id = o.c_order_id JOIN {m_product p} ON p.m_product_id = l.m_product_id WHERE b.value = 'V42' AND [o] AND [b] AND [l] AND [p] GROUP BY p.name ORDER BY 2 DESC, 1`},
	{"four: partners of a product", `SELECT b.name, sum(l.linenetamt) FROM {m_product p} JOIN {c_orderline l} ON l.m_product_id = p.m_product_id JOIN {c_order o} ON o.c_order_id = l.c_order_id JOIN {c_bpartner b} ON b.c_bpartner_id = o.c_bpartner_id WHERE p.value = 'P77' AND [o] AND [b] AND [l] AND [p] GROUP BY b.name ORDER BY 2 DESC, 1 LIMIT 20`},
	{"four: one order, all of it", `SELECT o.documentno, b.name, l.line, p.value, l.qtyordered FROM {c_order o} JOIN {c_bpartner b} ON b.c_bpartner_id = o.c_bpartner_id JOIN {c_orderline l} ON l.c_order_id = o.c_order_id JOIN {m_product p} ON p.m_product_id = l.m_product_id WHERE o.documentno = 'SO4001' AND [o] AND [b] AND [l] AND [p] ORDER BY l.c_orderline_id`},
	{"four: everything by status", `SELECT o.docstatus, count(*), sum(l.linenetamt) FROM {c_order o} JOIN {c_bpartner b} ON b.c_bpartner_id = o.c_bpartner_id JOIN {c_orderline l} ON l.c_order_id = o.c_order_id JOIN {m_product p} ON p.m_product_id = l.m_product_id WHERE [o] AND [b] AND [l] AND [p] GROUP BY o.docstatus ORDER BY 1`},
}

var (
	benchTable     = regexp.MustCompile(`\{(\w+) (\w+)\}`)
	benchCondition = regexp.MustCompile(`\[(\w+)\]`)
)

// benchAsked is a query as it is asked.
func benchAsked(sql string) string {
	return benchCondition.ReplaceAllString(benchTable.ReplaceAllString(sql, "$1 $2"), "true")
}

// benchIn is a query on the tables of a schema, without conditions.
func benchIn(schema, sql string) string {
	return benchCondition.ReplaceAllString(benchTable.ReplaceAllString(sql, schema+".$1 $2"), "true")
}

// byHand writes the conditions out.
func byHand(sql string) string {
	return benchCondition.ReplaceAllString(benchTable.ReplaceAllString(sql, "adempiere.$1 $2"),
		fmt.Sprintf("$1.ad_client_id IN (%s) AND $1.ad_org_id IN (%s)", benchClients, benchOrgs))
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
		t.Key = []string{row[0] + "_id"}
		t.Columns = append(t.Columns, guard.Column{Name: row[1], Type: row[2]})
	}
	return p
}

// benchStatement is a statement with its connection and parameters.
type benchStatement struct {
	conn   *pgx.Conn
	sql    string
	values [][]byte
	types  []uint32
}

func (s benchStatement) run(ctx context.Context) *pgconn.Result {
	return s.conn.PgConn().ExecParams(ctx, s.sql, s.values, s.types, nil, nil).Read()
}

// fastest runs the statements in turns and returns the shortest times.
func fastest(b *testing.B, runs int, statements []benchStatement) []time.Duration {
	b.Helper()
	best := make([]time.Duration, len(statements))
	for n := range runs {
		for k := range statements {
			i := (k + n) % len(statements)
			start := time.Now()
			result := statements[i].run(b.Context())
			took := time.Since(start)
			require.NoError(b, result.Err, statements[i].sql)
			if best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	return best
}

// BenchmarkSecuredStatements compares secured statements, as they run, with
// hand-written conditions, with row-level security and with views that are
// security barriers, on ERPHUB_BENCH_ORDERS orders (a million) with lines. Each
// is one round trip.
func BenchmarkSecuredStatements(b *testing.B) {
	address := testpg.URL(b)
	owner := connection(b, address, "")
	n := benchRows(b)
	settings := "SET jit = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '32MB';"
	execute := func(script string) {
		_, err := owner.PgConn().Exec(b.Context(), script).ReadAll()
		require.NoError(b, err)
	}
	execute(fmt.Sprintf(benchTables, n))
	execute(benchPolicies)
	policy := benchPolicy(b, owner)
	var rules strings.Builder
	rules.WriteString("CREATE SCHEMA barrier; GRANT USAGE ON SCHEMA barrier TO aiq_rls;")
	for name := range policy.Tables {
		where := fmt.Sprintf("ad_client_id IN (%s) AND ad_org_id IN (%s)", benchClients, benchOrgs)
		fmt.Fprintf(&rules, "ALTER TABLE adempiere.%[1]s ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON adempiere.%[1]s USING (%[2]s);\n"+
			"CREATE VIEW barrier.%[1]s WITH (security_barrier) AS SELECT * FROM adempiere.%[1]s WHERE %[2]s; GRANT SELECT ON barrier.%[1]s TO aiq_rls;\n", name, where)
	}
	execute(rules.String())
	execute("VACUUM ANALYZE")
	// Tables belong to the owner, for whom policies do not count.
	plain, secured := connection(b, address, settings), connection(b, address, settings+"SET plan_cache_mode = force_generic_plan;")
	u, err := url.Parse(address)
	require.NoError(b, err)
	u.User = url.User("aiq_rls")
	limited := connection(b, u.String(), settings)
	g := guard.New(nil)
	types := pgtype.NewMap()

	const limit = 1000
	var logs [3]float64
	worst, added := 0.0, time.Duration(0)
	for _, q := range benchQueries {
		plan, err := g.Secure(b.Context(), policy, benchAsked(q.sql), 0, limit)
		require.NoError(b, err, q.name)
		mine := benchStatement{conn: secured, sql: plan.SQL}
		for _, v := range plan.Values {
			oid := uint32(0)
			if t, ok := types.TypeForName(v.Type); ok {
				oid = t.OID
			}
			mine.values, mine.types = append(mine.values, []byte(v.Text)), append(mine.types, oid)
		}
		statements := []benchStatement{{conn: plain, sql: byHand(q.sql)}, mine, {conn: limited, sql: benchIn("adempiere", q.sql)},
			{conn: limited, sql: benchIn("barrier", q.sql)}}
		want := textRows(statements[0].run(b.Context()))
		for i, s := range statements[1:] {
			result := s.run(b.Context())
			require.NoError(b, result.Err, "%s in form %d: %s", q.name, i+1, s.sql)
			require.Equal(b, equalNumbers(want), equalNumbers(textRows(result)), "%s in form %d", q.name, i+1)
		}
		took := fastest(b, 3, statements[:2])
		runs := min(max(int(2*time.Second/(took[0]+took[1]+1)), 5), 400)
		took = fastest(b, runs, statements[:2])
		slow := fastest(b, 2, statements[2:])
		ratios := [3]float64{float64(took[1]) / float64(took[0]), float64(slow[0]) / float64(took[0]), float64(slow[1]) / float64(took[0])}
		for i, r := range ratios {
			logs[i] += math.Log(r)
		}
		if took[0] > time.Millisecond {
			worst = max(worst, ratios[0])
		} else {
			added = max(added, took[1]-took[0])
		}
		fmt.Printf("%-28s by hand %10v  secured %5.2f  row-level security %8.2f  barrier %8.2f\n", q.name, took[0], ratios[0], ratios[1], ratios[2])
	}
	count := float64(len(benchQueries))
	b.ReportMetric(math.Exp(logs[0]/count), "secured/by-hand")
	b.ReportMetric(worst, "worst-above-1ms")
	b.ReportMetric(float64(added.Microseconds())/1000, "ms-added-below-1ms")
	b.ReportMetric(math.Exp(logs[1]/count), "rls/by-hand")
	b.ReportMetric(math.Exp(logs[2]/count), "barrier/by-hand")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCallers is 64 callers at once, of the engine and of the database
// alone with as many connections: how long the slowest hundredth waits.
func BenchmarkCallers(b *testing.B) {
	const callers, connections = 64, 8
	w := onPostgres(b, func(o *aiquery.Options) { // a user may have half of the queue
		o.PerUser, o.Queued, o.Running, o.NoAudit = callers, 2*callers, connections, true
	})
	q := query(`SELECT documentno, grandtotal FROM c_order WHERE c_order_id = 104`)
	_, err := w.Query(b.Context(), user, q)
	require.NoError(b, err)
	config, err := pgxpool.ParseConfig(w.url)
	require.NoError(b, err)
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	const byHand = `SELECT documentno, grandtotal FROM adempiere.c_order WHERE c_order_id = 104 AND ad_client_id IN (0, 11) AND ad_org_id IN (0, 11, 12, 50000, 50002, 50004)`
	measure := func(ask func() error) []time.Duration {
		var mu sync.Mutex
		var all []time.Duration
		var group sync.WaitGroup
		for range callers {
			group.Go(func() {
				mine := make([]time.Duration, 0, 40)
				for range 40 {
					start := time.Now()
					if err := ask(); err != nil {
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
		slices.Sort(all)
		return all
	}
	var plain, engine [2]time.Duration // half of the callers, all but a hundredth
	for b.Loop() {
		for _, m := range []struct {
			into *[2]time.Duration
			ask  func() error
		}{
			{&plain, func() error {
				conn, err := pool.Acquire(context.Background())
				if err != nil {
					return err
				}
				defer conn.Release()
				return conn.Conn().PgConn().ExecParams(context.Background(), byHand, nil, nil, nil, nil).Read().Err
			}},
			{&engine, func() error { _, err := w.Query(context.Background(), user, q); return err }},
		} {
			all := measure(m.ask)
			for i, at := range []int{len(all) / 2, len(all) * 99 / 100} {
				if m.into[i] == 0 || all[at] < m.into[i] {
					m.into[i] = all[at]
				}
			}
		}
	}
	b.ReportMetric(float64(plain[1].Microseconds())/1000, "plain-p99-ms")
	b.ReportMetric(float64(engine[1].Microseconds())/1000, "engine-p99-ms")
	b.ReportMetric(float64(engine[1])/float64(plain[1]), "p99/plain-p99")
	b.ReportMetric(float64(engine[0])/float64(plain[0]), "p50/plain-p50")
}
