package metrics_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

const good = `metrics:
  - name: open-requests
    title: Open requests
    about: Requests that are not closed.
    tables: [R_Request, R_Status]
    date: {kind: period, column: created, about: The day the request was made.}
    sql: |
      SELECT r.r_request_id, r.ad_client_id, r.ad_org_id, r.documentno, r.created, r.requestamt, s.name AS status
      FROM r_request r
      LEFT JOIN r_status s ON s.r_status_id = r.r_status_id
    where: status IS NOT NULL
    measures:
      - {name: requests, title: Requests, unit: count, sql: count(*)}
    dimensions:
      - {name: status, title: Status}
    filters:
      - {name: urgent, title: Urgent, type: list, values: [Y, N], sql: "CASE WHEN requestamt > 100 THEN 'Y' ELSE 'N' END"}
    records: [documentno, status, created]
`

func folder(text string) fstest.MapFS {
	return fstest.MapFS{"own.yaml": {Data: []byte(text)}}
}

// A definition that is wrong in one way says in which line, and what to do.
func TestCheck(t *testing.T) {
	t.Parallel()
	db := erptest.New(t).Database()
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	source, err := dbdict.New(db, dbdict.SQLite, nil)
	require.NoError(t, err)
	reg, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		from, to string // what is changed of the good one
		where    string
		message  string
		hint     string
		offline  bool // it is found without a dictionary, too
	}{
		"right":              {},
		"name":               {"name: open-requests", "name: Open Requests", "own.yaml:2", `name "Open Requests" cannot be used`, "lower case", true},
		"approval":           {"    title: Open requests\n", "    title: Open requests\n    approval: {state: blessed}\n", "own.yaml:4", `state "blessed"`, "certified and proposed", true},
		"nobody certified":   {"    title: Open requests\n", "    title: Open requests\n    approval: {state: certified, date: 2026-01-31}\n", "own.yaml:4", "without owner or date", "Finance", true},
		"certified once":     {"    title: Open requests\n", "    title: Open requests\n    approval: {state: certified, owner: Sales, date: last year}\n", "own.yaml:4", `date "last year"`, "2026-01-31", true},
		"no title":           {"    title: Open requests\n", "", "own.yaml:2", "title is missing", "docs/metric-files.md", true},
		"date kind":          {"kind: period", "kind: yearly", "own.yaml:6", `kind "yearly"`, "period, as-of and now", true},
		"as of unused":       {"{kind: period, column: created,", "{kind: as-of,", "own.yaml:7", "sql does not use", ":as_of", true},
		"date column":        {"column: created, ", "", "own.yaml:6", "no column", "column:", true},
		"unit":               {"unit: count", "unit: pieces", "own.yaml:13", `unit "pieces"`, "money, quantity", true},
		"empty":              {"unit: count, sql: count(*)", "unit: percent, sql: 100 * count(status) / count(*)", "own.yaml:13", "does not say when", "empty:", true},
		"currency dimension": {"    dimensions:\n      - {name: status, title: Status}\n", "    currency: {column: c_currency_id, amounts: [requestamt]}\n    dimensions:\n      - {name: currency, title: Currency}\n", "own.yaml:16", `column "currency" already`, "another name", true},
		"excluded":           {"    measures:\n", "    excluded: [{why: too late}]\n    measures:\n", "own.yaml:12", "lacks when or why", "not paid yet", true},
		"column of excluded": {"    measures:\n", "    excluded: [{when: late IS NULL, why: too late}]\n    measures:\n", "own.yaml:12", "late", "", false},
		"money":              {"unit: count", "unit: money", "own.yaml:13", "no currency", "add currency", true},
		"twice":              {"name: status, title", "name: requests, title", "own.yaml:15", `column "requests" already`, "another name", true},
		"time dimension":     {"name: status, title", "name: month, title", "own.yaml:15", `column "month" already`, "another name", true},
		"values":             {"type: list, values: [Y, N], ", "type: list, ", "own.yaml:17", "0 values", "values", true},
		"filter type":        {"type: list", "type: bool", "own.yaml:17", `type "bool"`, "text, number and list", true},
		"records":            {"records: [documentno, status, created]", "records: []", "own.yaml:18", "no records", "columns of sql", true},
		"parameter":          {"r.r_request_id,", "r.r_request_id + :year,", "own.yaml:7", ":year", ":as_of", true},
		"syntax":             {"LEFT JOIN r_status s ON", "LEFT JOIN r_status s OF", "own.yaml:7", "syntax error", "", true},
		"two statements":     {"s.r_status_id = r.r_status_id", "s.r_status_id = r.r_status_id; DELETE FROM r_request", "own.yaml:7", "syntax error", "", true},
		"function":           {"r.requestamt,", "pg_sleep(5) AS requestamt,", "own.yaml:7", "pg_sleep is not available", "", true},
		"aggregate measure":  {"sql: count(*)", "sql: pg_sleep(1)", "own.yaml:13", "pg_sleep is not available", "", true},
		"table":              {"tables: [R_Request, R_Status]", "tables: [R_Request, R_Status, R_Urgency]", "own.yaml:5", "no table R_Urgency", "dictionary", false},
		"undeclared table":   {"tables: [R_Request, R_Status]", "tables: [R_Request]", "own.yaml:7", `"r_status" is not available`, "add it to tables", false},
		"column":             {"r.requestamt,", "r.requestamount AS requestamt,", "own.yaml:7", "requestamount", "requestamt", false},
		"column of measure":  {"sql: count(*)", "sql: sum(amount)", "own.yaml:13", "amount", "", false},
		"column of a filter": {"requestamt > 100", "amount > 100", "own.yaml:17", "amount", "", false},
		"column of date":     {"column: created", "column: made", "own.yaml:7", "made", "", false},
		"column of records":  {"records: [documentno, status, created]", "records: [documentno, state]", "own.yaml:18", "state", "", false},
		"list":               {"{name: status, title: Status}", "{name: status, title: Status, list: No such list}", "own.yaml:14", "no list \"No such list\"", "AD_Reference", false},
		"dimension":          {"{name: status, title: Status}", "{name: state, title: Status}", "own.yaml:15", "state", "", false},
	} {
		require.Contains(t, good, c.from, name)
		set, err := metrics.Load(folder(strings.Replace(good, c.from, c.to, 1)))
		require.NoError(t, err, name)
		for with, r := range map[string]registry.Registry{"the dictionary": reg, "nothing": nil} {
			problems, err := set.Own().Check(t.Context(), r)
			require.NoError(t, err, name)
			if c.message == "" || r == nil && !c.offline {
				assert.Empty(t, problems, "%s, checked with %s", name, with)
				continue
			}
			if assert.NotEmpty(t, problems, "%s, checked with %s", name, with) {
				p := problems[0]
				assert.Equal(t, c.where, p.Where, "%s: %s", name, p)
				assert.Contains(t, p.Message, c.message, name)
				assert.Contains(t, p.Hint, c.hint, "%s: %s", name, p)
				assert.Contains(t, p.String(), c.where+": ")
			}
		}
	}
}

// What cannot be read says where.
func TestLoad(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"no YAML":        {"metrics: [", "own.yaml"},
		"unknown member": {strings.Replace(good, "    where:", "    having:", 1), "own.yaml:11: there is no member having here"},
		"twice":          {good + strings.TrimPrefix(good, "metrics:\n"), "already; choose another name"},
		"nothing":        {"", "own.yaml: there is no metric in it"},
		"no item":        {"# all gone\nmetrics: []\n", "own.yaml: there is no metric in it"},
		"empty item":     {"metrics:\n  -\n", "item 1 of metrics is empty"},
	} {
		_, err := metrics.Load(folder(c.text))
		assert.ErrorContains(t, err, c.want, name)
	}
	_, err := metrics.Load(fstest.MapFS{})
	require.ErrorContains(t, err, "no .yaml files")

	whole, err := metrics.Builtin()
	require.NoError(t, err)
	own, err := metrics.Load(folder(strings.Replace(good, "name: open-requests", "name: revenue", 1)))
	require.NoError(t, err)
	assert.Len(t, own.Definitions(), len(whole.Definitions()), "one of the same name replaces a built-in one")
	d, err := own.Find("Revenue")
	require.NoError(t, err)
	assert.Equal(t, "Open requests", d.Title)
	assert.False(t, d.Source().Builtin)
	assert.Equal(t, "own.yaml:2", d.Source().String())
}

// The example of the documentation is right.
func TestExample(t *testing.T) {
	t.Parallel()
	set, err := metrics.Load(os.DirFS("../../examples/metrics"))
	require.NoError(t, err)
	problems, err := set.Check(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, problems)
	text, err := os.ReadFile("../../docs/metric-files.md")
	require.NoError(t, err)
	example, err := os.ReadFile("../../examples/metrics/drafts.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(text), string(example), "the documentation shows the file as it is")
}

// What a caller gives is a parameter or looked up, never SQL.
func TestCompile(t *testing.T) {
	t.Parallel()
	set, err := metrics.Builtin()
	require.NoError(t, err)
	const mark = "Zq7'; --$9 :as_of %"
	for _, d := range set.Definitions() {
		q := metrics.Query{Metric: d.Name, Currency: mark, Filters: map[string][]string{}}
		if d.Date.Kind == metrics.AsOf {
			q.AsOf = "2026-01-31"
		}
		for _, f := range d.AllFilters() {
			if f.Type == metrics.Text {
				q.Filters[f.Name] = []string{mark, "=" + mark, ""}
			}
		}
		for _, records := range []bool{false, true} {
			q.Records = records
			s, err := metrics.Compile(d, q)
			require.NoError(t, err, d.Name)
			assert.NotContains(t, s.SQL, "Zq7", d.Name)
			assert.NotContains(t, s.SQL, ":as_of", d.Name)
			for i := range s.Params {
				assert.Contains(t, s.SQL, "$"+string('0'+rune(min(i+1, 9))), d.Name)
			}
		}
		for _, bad := range []metrics.Query{
			{Dimensions: []string{mark}}, {Dimensions: []string{"sum(1)"}}, {Filters: map[string][]string{mark: {"x"}}}, {Dimensions: []string{d.AllDimensions()[0].Name}, Order: []string{mark}},
			{From: mark}, {To: mark}, {AsOf: mark}, {RateDate: mark}, {Filters: map[string][]string{d.AllFilters()[0].Name: {}}}, {Filters: map[string][]string{d.AllFilters()[0].Name: make([]string, 51)}},
		} {
			_, err := metrics.Compile(d, bad)
			var e *metrics.Error
			if assert.ErrorAs(t, err, &e, "%s: %+v", d.Name, bad) {
				assert.NotEmpty(t, e.Hint, "%s: %s", d.Name, e)
			}
		}
	}
}
