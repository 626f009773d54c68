package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

type metricsResponse struct {
	Metrics []struct{ Name, Title, Approval string }
	Note    string
	Values  *struct {
		Dimension string
		Rows      [][]any
		Truncated bool
		Counted   metrics.Counted
		Notes     []string
	}
	Metric *struct {
		Name, About, Approval, Dates, Currency, SQL string
		Measures                                    []struct{ Name, Unit string }
		Dimensions, Tables                          []string
	}
}

type metricResponse struct {
	Notice, Name, About, Approval, SQL string
	Columns                            []struct{ Name, Unit string }
	Rows                               [][]any
	Truncated                          bool
	Counted                            metrics.Counted
	Notes                              []string
}

// What a model pays for the definitions of the metrics' tools.
func TestMetricToolsAreShort(t *testing.T) {
	t.Parallel()
	set, list := definitions(t)
	for name, most := range map[string]int{"listMetrics": 90, "queryMetric": 300} {
		i := slices.IndexFunc(set, func(tool mcp.Tool) bool { return tool.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		var d map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(list[i], &d))
		assert.LessOrEqual(t, mcp.EstimateTokens(len(d["name"])+len(d["description"])+len(d["inputSchema"])), most, name)
	}
}

// The metrics over the demo data, by both backends that run SQL.
func TestMetrics(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every one of them")
	}
	t.Parallel()
	w := reachable(t)
	all := response[metricsResponse](t, w.db, admin, "listMetrics", nil)
	assert.GreaterOrEqual(t, len(all.Metrics), 18)
	assert.Nil(t, all.Metric)
	for _, line := range all.Metrics {
		one := response[metricsResponse](t, w.db, admin, "listMetrics", args{"name": line.Name})
		require.NotNil(t, one.Metric, line.Name)
		assert.NotEmpty(t, one.Metric.About)
		assert.Contains(t, one.Metric.SQL, "SELECT")
		call := args{"name": line.Name, "top": 5}
		if slices.Contains(one.Metric.Dimensions, "organization") {
			call["by"] = []string{"organization"}
		}
		got := response[metricResponse](t, w.db, admin, "queryMetric", call)
		assert.Equal(t, slices.Contains([]string{"purchases-to-receive", "unallocated-payments", "stock-to-reorder", "quotations-not-ordered"}, line.Name), len(got.Rows) == 0, "%s: %v", line.Name, got.Rows)
		assert.Empty(t, got.SQL)
		assert.Equal(t, one.Metric.Currency != "", got.Counted.Currency == "USD", "%s: %+v", line.Name, got.Counted)
		if slices.Contains([]string{"open-receivables", "revenue", "stock"}, line.Name) {
			assert.Equal(t, got, response[metricResponse](t, w.ai, admin, "queryMetric", call), line.Name)
		}
	}

	open := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "open_receivables", "by": []string{"partner"}, "currency": "eur", "sql": true})
	assert.Equal(t, "EUR", open.Counted.Currency)
	assert.NotEmpty(t, open.Counted.AsOf)
	assert.Contains(t, open.SQL, "c_allocationline")
	first := open.Rows[0]
	behind := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "open-receivables", "currency": "EUR", "rows": true, "filters": args{"partner": first[0]}})
	records := slices.IndexFunc(open.Columns, func(c struct{ Name, Unit string }) bool { return c.Name == "records" })
	assert.Len(t, behind.Rows, int(first[records].(float64)))
	several := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "revenue", "by": []string{"year"}, "filters": args{"partner": []string{"%joe%", "%c&w%"}, "document": "%"}})
	assert.NotEmpty(t, several.Rows)
	lost := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "revenue", "currency": "JPY"})
	require.Len(t, lost.Counted.LeftOut, 1, "there is no rate")
	assert.Equal(t, "no rate from USD to JPY", lost.Counted.LeftOut[0].Why)

	for name, c := range map[string]struct {
		args args
		code string
		hint string
	}{
		"metric":      {args{"name": "revenu"}, mcp.CodeNotFound, "did you mean revenue?"},
		"dimension":   {args{"name": "revenue", "by": []string{"partnr"}}, mcp.CodeNotFound, "did you mean partner?"},
		"filter":      {args{"name": "revenue", "filters": args{"partner; DROP TABLE": "x"}}, mcp.CodeNotFound, "partner"},
		"currency":    {args{"name": "revenue", "currency": "XXX"}, mcp.CodeNotFound, "ISO"},
		"date":        {args{"name": "revenue", "from": "last year"}, mcp.CodeInvalidArguments, "2026-01-31"},
		"no as of":    {args{"name": "revenue", "asOf": "2026-01-01"}, mcp.CodeInvalidArguments, "from and to"},
		"no period":   {args{"name": "open-payables", "from": "2026-01-01"}, mcp.CodeInvalidArguments, "as of"},
		"no money":    {args{"name": "stock", "currency": "EUR"}, mcp.CodeInvalidArguments, "leave the currency out"},
		"list":        {args{"name": "open-payables", "filters": args{"overdue": "maybe"}}, mcp.CodeInvalidArguments, "Y, N"},
		"order":       {args{"name": "revenue", "by": []string{"month"}, "order": []string{"-nett"}}, mcp.CodeNotFound, "did you mean net?"},
		"record form": {args{"name": "revenue", "rows": true, "by": []string{"month"}}, mcp.CodeInvalidArguments, "filters"},
	} {
		e := refusal(t, w.db, admin, "queryMetric", c.args, c.code)
		assert.Contains(t, e.Hint, c.hint, "%s: %s", name, e.Message)
	}
	// Nothing to reorder says that no minimum is kept, and what is not posted stands
	// beside the balances.
	reorder := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "stock-to-reorder", "by": []string{"product"}})
	assert.Empty(t, reorder.Rows)
	assert.Contains(t, strings.Join(reorder.Notes, "; "), "M_Replenish")
	balances := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "trial-balance", "by": []string{"account"}})
	unposted := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "unposted-documents"})
	require.Len(t, balances.Counted.LeftOut, 1)
	assert.EqualValues(t, balances.Counted.LeftOut[0].Records, unposted.Rows[0][0])
	assert.Equal(t, "documents not posted yet", balances.Counted.LeftOut[0].Why)
	assert.Equal(t, "certified by erphub, 2026-11-28", balances.Approval)

	// A value that people write in part is found, where only one can be meant.
	joe := response[metricResponse](t, w.db, admin, "queryMetric", args{"metric": "open-receivables", "filters": args{"partner": "joe block"}, "rows": true})
	assert.NotEmpty(t, joe.Rows)
	assert.Contains(t, joe.Notes, `partner "joe block" is taken as "JoeBlock Joe Block", the only one with that text`)
	e := refusal(t, w.db, admin, "queryMetric", args{"name": "revenue", "filters": args{"product": "Tree"}}, mcp.CodeNotFound)
	assert.Contains(t, e.Message, `no product is "Tree", and several have that text: `)
	assert.Contains(t, e.Message, `"Oak Oak Tree"`)
	none := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "revenue", "filters": args{"product": "Unicorn"}})
	assert.Contains(t, none.Notes, `no record has product "Unicorn"`)
	early := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "revenue", "to": "1999-12-31", "filters": args{"product": "Oak Oak Tree"}})
	assert.Empty(t, early.Notes, "there are records of it, only not then")
	hidden := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "stock", "filters": args{"product": "Fern"}})
	assert.Contains(t, hidden.Notes, `no record has product "Fern"`, "it is another tenant's")

	// Values stay values.
	for _, evil := range []string{"' OR 1=1 --", "%' OR '1'='1", "$1", ":as_of", `\`, "=' UNION SELECT 1 --"} {
		got := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "revenue", "by": []string{"partner"}, "filters": args{"partner": evil}, "sql": true})
		assert.Empty(t, got.Rows, evil)
		assert.NotContains(t, got.SQL, "UNION")
	}
}

// The values of a dimension are those of the records that the role sees.
func TestMetricValues(t *testing.T) {
	t.Parallel()
	w := reachable(t)
	all := response[metricsResponse](t, w.db, admin, "listMetrics", args{"name": "revenue", "dimension": "organization"})
	require.NotNil(t, all.Values)
	assert.Nil(t, all.Metric)
	assert.Equal(t, "organization", all.Values.Dimension)
	numbers := response[metricResponse](t, w.db, admin, "queryMetric", args{"name": "revenue", "by": []string{"organization"}, "order": []string{"-records"}})
	require.Len(t, all.Values.Rows, len(numbers.Rows))
	for i, row := range numbers.Rows {
		assert.Equal(t, []any{row[0], row[len(row)-2]}, all.Values.Rows[i])
	}
	own := response[metricsResponse](t, w.db, user, "listMetrics", args{"name": "revenue", "dimension": "organization"})
	assert.Less(t, len(own.Values.Rows), len(all.Values.Rows))
	assert.NotEmpty(t, own.Values.Counted.Scope)
	assert.NotEqual(t, all.Values.Counted.Scope, own.Values.Counted.Scope)
	none := response[metricsResponse](t, w.db, admin, "listMetrics", args{"name": "stock-to-reorder", "dimension": "product"})
	assert.Empty(t, none.Values.Rows)
	assert.Contains(t, strings.Join(none.Values.Notes, "; "), "M_Replenish")
	e := refusal(t, w.db, admin, "listMetrics", args{"name": "revenue", "dimension": "partnr"}, mcp.CodeNotFound)
	assert.Contains(t, e.Hint, "did you mean partner?")
	e = refusal(t, w.db, admin, "listMetrics", args{"dimension": "partner"}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Hint, "name of the metric")
	refusal(t, w.db, user, "queryMetric", args{"name": "revenue", "filters": args{"organization": "=x", "approval": "certified"}}, mcp.CodeNotFound)
}

// A number says who answers for it, as its file does: nobody, where that says nothing.
func TestApproval(t *testing.T) {
	t.Parallel()
	w := reachable(t)
	set, err := metrics.Load(fstest.MapFS{"own.yaml": {Data: []byte(`metrics:
  - {name: ours, title: Ours, about: Orders., approval: {state: certified, owner: Sales, date: 2026-02-01}, <<: &rest {tables: [C_Order], date: {kind: now, about: Now.}, sql: SELECT c_order_id FROM c_order, measures: [{name: orders, title: Orders, unit: count, sql: count(*)}], records: [c_order_id]}}
  - {name: tried, title: Tried, about: Orders., <<: *rest}
`)}})
	require.NoError(t, err)
	problems, err := set.Own().Check(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, problems)
	k := &kit{srv: w.db.srv, rest: w.db.rest, callers: w.db.callers, set: tools.New(tools.Options{Pool: w.pools[backend.DB], Metrics: set}).Tools()}
	list := response[metricsResponse](t, k, admin, "listMetrics", nil)
	assert.Contains(t, list.Note, "certified by erphub, 2026-11-28")
	for _, line := range list.Metrics {
		want := map[string]string{"ours": "certified by Sales, 2026-02-01", "tried": "proposed"}[line.Name]
		assert.Equal(t, want, line.Approval, line.Name)
	}
	assert.Equal(t, "proposed", response[metricResponse](t, k, admin, "queryMetric", args{"name": "tried"}).Approval)
	assert.Equal(t, "certified by Sales, 2026-02-01", response[metricsResponse](t, k, admin, "listMetrics", args{"name": "ours"}).Metric.Approval)
	for _, call := range []args{{"name": "tried", "approval": "certified"}, {"name": "tried", "certified": true}} { // no argument certifies
		refusal(t, k, admin, "listMetrics", call, mcp.CodeInvalidArguments)
		refusal(t, k, admin, "queryMetric", call, mcp.CodeInvalidArguments)
	}
}
