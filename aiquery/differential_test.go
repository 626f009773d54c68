package aiquery_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// randomRow is a row of the random data: what differs from a row that is there,
// and whether Reader sees it.
type randomRow struct {
	table, like string
	set         map[string]string // as SQL
	visible     bool
}

// randomRows are orders, their lines and partners of both tenants in all
// organizations. Hidden ones carry marks.
func randomRows(r *rand.Rand) []randomRow {
	var rows []randomRow
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	place := func() (set map[string]string, visible bool) {
		client, org := "11", fmt.Sprint(slices.Concat(aitest.VisibleOrgs(), aitest.HiddenOrgs())[r.IntN(10)])
		if r.IntN(5) == 0 {
			client, org = fmt.Sprint(aitest.OtherTenant), "0"
		}
		id, _ := strconv.ParseInt(org, 10, 64)
		return map[string]string{"ad_client_id": client, "ad_org_id": org}, client == "11" && slices.Contains(aitest.VisibleOrgs(), id)
	}
	amount := func(visible bool) string {
		if visible {
			return one("'0.00'", "'10.00'", "'10.50'", "'-3.00'", "'99.99'", "'28.20'")
		}
		return "'" + aitest.CanaryNumber + fmt.Sprint(100+r.IntN(900)) + ".17'"
	}
	name := func(visible bool, length int) string {
		if visible {
			return one("'a'", "'Able'", "'B c'", "''", "'80004'", "'Joe Block'", "'ä'")
		}
		return "'" + aitest.CanaryText + fmt.Sprint(r.IntN(100)) + strings.Repeat("x", length) + "'"
	}
	for i := range 60 {
		set, visible := place()
		set["c_bpartner_id"] = fmt.Sprint(3_000_000 + i)
		set["name"], set["value"], set["description"] = name(visible, 3), name(visible, 0), name(visible, 9)
		set["duns"] = "'" + aitest.CanaryText + "'"
		rows = append(rows, randomRow{"c_bpartner", "c_bpartner_id=118", set, visible})
	}
	for i := range 120 {
		set, visible := place()
		set["c_order_id"] = fmt.Sprint(3_000_000 + i)
		set["c_bpartner_id"] = one("117", "118", "120", fmt.Sprint(3_000_000+r.IntN(60)), fmt.Sprint(3_000_000+r.IntN(60)))
		set["salesrep_id"] = one("101", "105", "104")
		visible = visible && set["c_bpartner_id"] != "117" && set["salesrep_id"] != "105"
		set["grandtotal"], set["documentno"], set["description"] = amount(visible), name(visible, 2), name(visible, 5)
		set["docstatus"] = one("'CO'", "'DR'", "'VO'")
		set["dateordered"] = one("'2024-03-05 00:00:00'", "'2024-12-31 00:00:00'", "'2025-01-01 00:00:00'")
		rows = append(rows, randomRow{"c_order", "c_order_id=104", set, visible})
		for line := range r.IntN(3) {
			set, visible := place()
			set["c_orderline_id"] = fmt.Sprint(3_000_000 + 10*i + line)
			set["c_order_id"] = fmt.Sprint(3_000_000 + i)
			set["line"] = fmt.Sprint(10 * line)
			set["c_bpartner_id"] = one("117", "118", "NULL")
			visible = visible && set["c_bpartner_id"] != "117"
			set["linenetamt"], set["description"] = amount(visible), name(visible, 4)
			rows = append(rows, randomRow{"c_orderline", "c_order_id=104", set, visible})
		}
	}
	return rows
}

// insert writes a statement that adds a row, for a table with these columns.
func (r randomRow) insert(columns []string) string {
	var names, values []string
	for _, c := range columns {
		v, ok := r.set[strings.ToLower(c)]
		switch {
		case ok:
		case strings.HasSuffix(strings.ToLower(c), "_uu"):
			v = "NULL"
		default:
			v = c
		}
		names, values = append(names, c), append(values, v)
	}
	return "INSERT INTO " + r.table + " (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(values, ", ") + " FROM " + r.table +
		" WHERE " + r.like + " LIMIT 1;\n"
}

// addRows adds random rows to a database of PostgreSQL.
func addRows(t testing.TB, address string, rows []randomRow, all bool) {
	t.Helper()
	conn := connection(t, address, "")
	columns := map[string][]string{}
	for _, table := range []string{"c_bpartner", "c_order", "c_orderline"} {
		list, err := plainRows(t.Context(), conn, "SELECT attname FROM pg_attribute WHERE attrelid='adempiere."+table+"'::regclass AND attnum>0 AND NOT attisdropped")
		require.NoError(t, err)
		for _, c := range list {
			columns[table] = append(columns[table], c[0])
		}
	}
	var script strings.Builder
	for _, r := range rows {
		if all || r.visible {
			if !all && r.set["duns"] != "" {
				r.set = maps.Clone(r.set)
				r.set["duns"] = "'***'"
			}
			script.WriteString(r.insert(columns[r.table]))
		}
	}
	_, err := conn.PgConn().Exec(t.Context(), script.String()+"ANALYZE;").ReadAll()
	require.NoError(t, err)
}

// fuzzStatements is how many random statements are made when ERPHUB_FUZZ_TIME does
// not say how long.
const fuzzStatements = 300

// fuzzTime is what ERPHUB_FUZZ_TIME says, 0 when it says nothing.
func fuzzTime(t testing.TB) time.Duration {
	t.Helper()
	text := os.Getenv("ERPHUB_FUZZ_TIME")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err, "ERPHUB_FUZZ_TIME is a duration such as 30s or 10m")
	return d
}

// fuzzSeed is the seed of what is random: a number in ERPHUB_FUZZ_SEED, or
// "random". A change is judged with always the same one, so that it stands for
// itself alone.
func fuzzSeed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	switch text := os.Getenv("ERPHUB_FUZZ_SEED"); text {
	case "":
	case "random":
		seed = uint64(time.Now().UnixNano())
	default:
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("ERPHUB_FUZZ_SEED=%d", seed)
	return seed
}

// TestRandomStatements makes statements from a grammar and data from a seed:
// each returns the same as on the reduced database, or refused. ERPHUB_FUZZ_TIME says
// how long; without it there are always the same statements.
func TestRandomStatements(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	seed := fuzzSeed(t)
	rows := randomRows(rand.New(rand.NewPCG(seed, 1)))
	full, less := aitest.Postgres(t), aitest.Reduced(t)
	addRows(t, full, rows, true)
	addRows(t, less, rows, false)
	addFunctions(t, full, true)
	addFunctions(t, less, false)
	reduced := connection(t, less, "SET statement_timeout = '2s'; SET jit = off;")
	quick := func(o *aiquery.Options) {
		o.StatementTimeout, o.RequestTimeout, o.NoAudit = 2*time.Second, 4*time.Second, true
	}
	worlds := map[string]*world{"postgresql": prepare(t, full).world(t, aitest.As(t, full, aitest.ReadLogin), nil, quick), "embedded": onEmbedded(t, quick)}
	var script strings.Builder
	columns := map[string][]string{}
	for _, r := range rows {
		if columns[r.table] == nil {
			columns[r.table] = embeddedColumns(t, worlds["embedded"], r.table)
		}
		script.WriteString(r.insert(columns[r.table]))
	}
	worlds["embedded"].exec(t, script.String()+moneyRows(true))

	tally := map[string]map[string]int{"postgresql": {}, "embedded": {}}
	statements := rand.New(rand.NewPCG(seed, 2))
	failures := 0
	limit, start := fuzzTime(t), time.Now()
	for n := 0; (limit == 0 && n < fuzzStatements || time.Since(start) < limit) && failures < 5; n++ {
		sql := newGrammar(statements).statement()
		want, err := plainRows(t.Context(), reduced, sql)
		for name, w := range worlds {
			outcome, problem := compare(t, w, sql, want, err)
			tally[name][outcome]++
			tally[name]["all"]++
			if problem != "" {
				failures++
				t.Errorf("statement %d on %s: %s\n%s\n%s", n, name, problem, sql, w.log)
			}
		}
	}
	t.Log(tally)
	for name, least := range map[string]int{"postgresql": 60, "embedded": 15} {
		c := tally[name]
		if c["all"] < 200 { // too few for shares
			continue
		}
		assert.Greater(t, 100*c["succeeded"], least*c["all"], "%s: too few succeeded: %v", name, c)
		assert.Less(t, 100*c["other errors"], 5*c["all"], "%s: %v", name, c)
	}
	assert.Empty(t, aitest.Leaks(worlds["postgresql"].log.String()+worlds["embedded"].log.String()))
}

func embeddedColumns(t testing.TB, w *world, table string) []string {
	t.Helper()
	db := w.srv.Database()
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM pragma_table_info(?) WHERE hidden=0 OR hidden IS NULL", table)
	if err != nil {
		rows, err = db.QueryContext(t.Context(), "SELECT name FROM pragma_table_info(?)", table)
	}
	require.NoError(t, err)
	defer rows.Close()
	var names []string
	for rows.Next() {
		var s string
		require.NoError(t, rows.Scan(&s))
		names = append(names, s)
	}
	require.NoError(t, rows.Err())
	return names
}

// equalNumbers writes equal numbers in the same way: which of 1 and 1.00 stands
// for a group is the planner's choice.
func equalNumbers(rows [][]string) [][]string {
	for _, row := range rows {
		for i, c := range row {
			if whole, decimals, ok := strings.Cut(c, "."); ok && strings.Trim(whole+decimals, "-0123456789") == "" {
				row[i] = strings.TrimRight(strings.TrimRight(c, "0"), ".")
			}
		}
	}
	return rows
}

// compare asks the engine and says how it went, and what is wrong.
func compare(t testing.TB, w *world, sql string, want [][]string, reducedErr error) (outcome, problem string) {
	t.Helper()
	q := query(sql)
	q.MaxRows = 1000
	r, err := w.Query(t.Context(), user, q)
	var refusal *api.Error
	if err != nil {
		if !errors.As(err, &refusal) {
			return "failed", err.Error()
		}
		if leaks := aitest.Leaks(refusal.Error() + refusal.Hint); len(leaks) > 0 {
			return "failed", fmt.Sprintf("the error tells %v: %v", leaks, err)
		}
		switch refusal.Code {
		case api.CodeInternal:
			return "failed", err.Error()
		case api.CodeData:
			if reducedErr == nil {
				return "other errors", "" // in which order conditions are tested is the planner's choice
			}
			return "errors", ""
		case api.CodeTimeout:
			return "timeouts", ""
		}
		return "refused", ""
	}
	if leaks := aitest.Leaks(strings.Join(sorted(resultRows(r)), "\n")); len(leaks) > 0 {
		return "failed", fmt.Sprintf("tells %q", leaks[:min(5, len(leaks))])
	}
	var server *pgconn.PgError
	switch {
	case errors.As(reducedErr, &server) && server.Code == "57014":
		return "timeouts", ""
	case errors.As(reducedErr, &server) && strings.HasPrefix(server.Code, "22"):
		return "other errors", ""
	case reducedErr != nil:
		return "failed", fmt.Sprintf("runs, but not on the reduced database: %v", reducedErr)
	case r.Truncated, slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, "were cut") }):
		return "truncated", ""
	}
	a, b := sorted(equalNumbers(want)), sorted(equalNumbers(resultRows(r)))
	if !slices.Equal(a, b) {
		a, b := slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) }), slices.DeleteFunc(b, func(s string) bool { return slices.Contains(a, s) })
		from := 0 // where the first rows begin to differ
		if len(a) > 0 && len(b) > 0 {
			for from < min(len(a[0]), len(b[0])) && a[0][from] == b[0][from] {
				from++
			}
			a[0], b[0] = a[0][from:], b[0][from:]
		}
		return "failed", fmt.Sprintf("other rows, from byte %d on; notes %q\nwant %.600q\ngot  %.600q", from, r.Notes, a, b)
	}
	return "succeeded", ""
}
