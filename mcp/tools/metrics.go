package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

func (b *Toolbox) metricTools() mcp.Set {
	return needs[backend.Querier](b, b.listMetrics(), b.queryMetric())
}

// definitions are the metrics there are.
func (b *Toolbox) definitions() (*metrics.Set, error) {
	if b.metrics != nil {
		return b.metrics, nil
	}
	return builtinMetrics()
}

// metricRunner runs the statements of one call.
type metricRunner struct {
	b    *Toolbox
	call *mcp.Call
}

func (r metricRunner) Query(ctx context.Context, sql string, params []json.RawMessage, rows int) (*api.Result, error) {
	if rows == 0 {
		rows = mostMetricRows
	}
	result, _, err := backend.Read(ctx, r.b.pool, "run a metric", func(ctx context.Context, k backend.Querier) (*api.Result, error) {
		return k.Query(ctx, r.call.Caller, backend.Query{SQL: sql, Params: params, MaxRows: rows})
	})
	return result, err
}

// mostMetricRows is how many rows a metric returns that says nothing about it.
const mostMetricRows = 100

type listMetricsIn struct {
	Name      string `json:"name,omitempty" jsonschema:"such as revenue"`
	Dimension string `json:"dimension,omitempty" jsonschema:"its values"`
}

type metricLine struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Approval string `json:"approval,omitempty" jsonschema:"certified or proposed, by whom and since when"`
}

type metricPart struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	Unit   string   `json:"unit,omitempty"`
	Values []string `json:"values,omitempty"`
}

type metricDetail struct {
	metricLine
	About      string       `json:"about"`
	Dates      string       `json:"dates"`
	Currency   string       `json:"currency,omitempty"`
	Measures   []metricPart `json:"measures"`
	Dimensions []string     `json:"dimensions"`
	Filters    []metricPart `json:"filters,omitempty" jsonschema:"besides the dimensions, which are filters, too"`
	Tables     []string     `json:"tables"`
	SQL        string       `json:"sql" jsonschema:"one row per record that counts"`
	Where      string       `json:"where,omitempty"`
}

type listMetricsOut struct {
	Metrics []metricLine  `json:"metrics,omitempty"`
	Note    string        `json:"note,omitempty"`
	Metric  *metricDetail `json:"metric,omitempty"`
	Values  *metricValues `json:"values,omitempty"`
}

// metricValues are values of a dimension of what the caller's role sees.
type metricValues struct {
	Notice    string          `json:"notice"`
	Dimension string          `json:"dimension"`
	Rows      [][]any         `json:"rows" jsonschema:"value, and how many records have it, most first"`
	Truncated bool            `json:"truncated,omitempty"`
	Counted   metrics.Counted `json:"counted"`
	Notes     []string        `json:"notes,omitempty"`
}

func (b *Toolbox) listMetrics() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listMetrics", Title: "Metrics", Sets: []string{SetMetrics}, Hints: readOnly,
		Description: "Lists metrics (receivables, revenue, orders, stock, ledger …); with a name all of one, such as its dimensions.",
		Input:       input[listMetricsIn](shorter(80, "name", "dimension")), Cost: mcp.Cost{APICalls: 3},
	}, func(ctx context.Context, c *mcp.Call, in listMetricsIn) (*listMetricsOut, error) {
		set, err := b.definitions()
		if err != nil {
			return nil, err
		}
		out := &listMetricsOut{}
		if in.Name == "" && in.Dimension != "" {
			return nil, fail(mcp.CodeInvalidArguments, "give the name of the metric, too", "a dimension is one of a metric")
		}
		if in.Name == "" {
			out.listed(set.Definitions())
			return out, nil
		}
		d, err := set.Find(in.Name)
		if err != nil {
			return nil, metricError(err)
		}
		if in.Dimension != "" {
			out.Values, err = b.metricValues(ctx, c, set, d, in.Dimension)
			return out, err
		}
		out.Metric = detailOf(d)
		return out, nil
	})
}

// listed lists definitions. An approval that most have is said once.
func (o *listMetricsOut) listed(all []*metrics.Definition) {
	often, most := map[string]int{}, ""
	for _, d := range all {
		text := d.Approval.String()
		if often[text]++; often[text] > often[most] {
			most = text
		}
	}
	for _, d := range all {
		line := metricLine{Name: d.Name, Title: d.Title}
		if text := d.Approval.String(); text != most {
			line.Approval = text
		}
		o.Metrics = append(o.Metrics, line)
	}
	if most != "" {
		o.Note = "where none is given, the approval is: " + most
	}
}

// metricValues lists the values of a dimension, as of now and of all days.
func (b *Toolbox) metricValues(ctx context.Context, c *mcp.Call, set *metrics.Set, d *metrics.Definition, dimension string) (*metricValues, error) {
	r, err := b.metricResult(ctx, c, set, metrics.Query{Metric: d.Name, Dimensions: []string{dimension}, Order: []string{"-" + metrics.RecordsColumn}, Top: mostMetricRows})
	if err != nil {
		return nil, err
	}
	records := slices.IndexFunc(r.Columns, func(col metricPart) bool { return col.Name == metrics.RecordsColumn })
	out := &metricValues{Notice: r.Notice, Dimension: r.Columns[0].Name, Rows: r.Rows, Truncated: r.Truncated, Counted: r.Counted, Notes: r.Notes}
	for i, row := range out.Rows {
		out.Rows[i] = []any{row[0], row[records]}
	}
	return out, nil
}

// detailOf is a definition for an assistant.
func detailOf(d *metrics.Definition) *metricDetail {
	out := &metricDetail{metricLine: metricLine{d.Name, d.Title, d.Approval.String()}, About: d.About, Tables: d.Tables, SQL: d.SQL, Where: d.Where}
	switch d.Date.Kind {
	case metrics.Period:
		out.Dates = "from, to: "
	case metrics.AsOf:
		out.Dates = "asOf: "
	}
	out.Dates += d.Date.About
	if d.Currency != nil {
		out.Currency = d.Currency.About
	}
	out.Measures = mapped(d.Measures, func(m *metrics.Measure) metricPart {
		return metricPart{Name: m.Name, Title: m.Title, Unit: string(m.Unit)}
	})
	out.Dimensions = mapped(d.AllDimensions(), func(dim *metrics.Dimension) string { return dim.Name })
	out.Filters = mapped(d.Filters, func(f *metrics.Filter) metricPart {
		return metricPart{Name: f.Name, Title: f.Title, Values: f.Values}
	})
	return out
}

type queryMetricIn struct {
	Name     string         `json:"name" jsonschema:"such as open-receivables"`
	By       []string       `json:"by,omitempty" jsonschema:"such as partner, month"`
	Filters  map[string]any `json:"filters,omitempty" jsonschema:"filter or dimension: value or values; % wildcard"`
	From     string         `json:"from,omitempty" jsonschema:"first day, 2026-01-01"`
	To       string         `json:"to,omitempty" jsonschema:"last day"`
	AsOf     string         `json:"asOf,omitempty" jsonschema:"day of a state"`
	Currency string         `json:"currency,omitempty" jsonschema:"ISO code; else the tenant's"`
	RateDate string         `json:"rateDate,omitempty" jsonschema:"of rates: document (default), asOf or a day"`
	Top      int            `json:"top,omitempty" jsonschema:"most rows, greatest first"`
	Order    []string       `json:"order,omitempty" jsonschema:"columns; -net: descending"`
	Rows     bool           `json:"rows,omitempty" jsonschema:"records behind the number"`
	SQL      bool           `json:"sql,omitempty" jsonschema:"also the SQL"`
}

type queryMetricOut struct {
	Notice    string          `json:"notice"`
	Name      string          `json:"name"`
	About     string          `json:"about"`
	Approval  string          `json:"approval"`
	Columns   []metricPart    `json:"columns"`
	Rows      [][]any         `json:"rows"`
	Truncated bool            `json:"truncated"`
	Counted   metrics.Counted `json:"counted" jsonschema:"what the numbers count, and what they leave out"`
	SQL       string          `json:"sql,omitempty"`
	Notes     []string        `json:"notes,omitempty"`
}

// filterValues lets filters have a value or a list of them.
func filterValues(s *jsonschema.Schema) {
	value := []string{"string", "number"}
	property(s, "filters").AdditionalProperties = &jsonschema.Schema{Types: append(slices.Clone(value), "array"), Items: &jsonschema.Schema{Types: value}}
}

func (b *Toolbox) queryMetric() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "queryMetric", Title: "Query a metric", Sets: []string{SetMetrics}, Hints: readOnly,
		Description: "Computes a metric (listMetrics) over what your role sees, as the ERP counts, in one currency.",
		Input:       input[queryMetricIn](shorter(80, "name"), between("top", 1, 1000, mostMetricRows), filterValues),
		Output:      objects[queryMetricOut]("counted", true), Cost: mcp.Cost{APICalls: 4},
	}, func(ctx context.Context, c *mcp.Call, in queryMetricIn) (*queryMetricOut, error) {
		set, err := b.definitions()
		if err != nil {
			return nil, err
		}
		q := metrics.Query{
			Metric: in.Name, Dimensions: in.By, From: in.From, To: in.To, AsOf: in.AsOf, Currency: in.Currency, RateDate: in.RateDate, Top: in.Top, Order: in.Order, Records: in.Rows,
			Filters: map[string][]string{},
		}
		for name, given := range in.Filters {
			if q.Filters[name], err = textsOf(name, given); err != nil {
				return nil, err
			}
		}
		taken, err := b.metricCodes(ctx, c, set, &q)
		if err != nil {
			return nil, err
		}
		out, err := b.metricResult(ctx, c, set, q)
		if err != nil {
			return nil, err
		}
		out.Notes = append(taken, out.Notes...)
		if !in.SQL {
			out.SQL = ""
		}
		return out, nil
	})
}

// metricResult runs a query, and says over whose records.
func (b *Toolbox) metricResult(ctx context.Context, c *mcp.Call, set *metrics.Set, q metrics.Query) (*queryMetricOut, error) {
	defer heartbeat(ctx, c, "the metric is computed")()
	r, err := metrics.NewEngine(set, metricRunner{b, c}, &metrics.Options{Now: b.now}).Query(ctx, q)
	if err != nil {
		return nil, metricError(err)
	}
	out := metricRows(r)
	tables := b.tablesOf(ctx, c, r.Definition.Tables...)
	of := counts(b.scope(ctx, c, nil), tables...)
	out.Counted.Tenant, out.Counted.Scope = of.Tenant, of.Scope
	if r.Empty() {
		out.Notes = append(out.Notes, (&nothing{b: b, c: c, tables: tables, scoped: true}).hidden(ctx)...)
	}
	out.SQL = r.SQL
	return out, nil
}

// metricCodes writes the codes of lists into the filters of a query where they have
// labels, and says so.
func (b *Toolbox) metricCodes(ctx context.Context, c *mcp.Call, set *metrics.Set, q *metrics.Query) (notes []string, err error) {
	d, err := set.Find(q.Metric)
	if err != nil {
		return nil, metricError(err)
	}
	for _, f := range d.AllFilters() {
		values := q.Filters[f.Name]
		if f.List == "" || len(values) == 0 {
			continue
		}
		reg, err := b.registry(ctx, c)
		if errors.Is(err, errors.ErrUnsupported) {
			return notes, nil
		}
		if err != nil {
			return nil, err
		}
		r, err := labels(ctx, reg)
		if err != nil {
			return nil, err
		}
		codes, taken, err := r.ListCodes(ctx, f.List, values)
		if err != nil {
			return nil, valueProblem(f.Name, fromDict(err))
		}
		for _, note := range taken {
			notes = append(notes, f.Name+" "+note)
		}
		q.Filters[f.Name] = codes
	}
	return notes, nil
}

// textsOf are the values of a filter.
func textsOf(name string, given any) ([]string, error) {
	list, ok := given.([]any)
	if !ok {
		list = []any{given}
	}
	var texts []string
	for _, v := range list {
		switch v := v.(type) {
		case nil:
			texts = append(texts, "")
		case string, bool, json.Number:
			texts = append(texts, fmt.Sprint(v))
		case float64:
			texts = append(texts, strings.TrimSuffix(fmt.Sprintf("%f", v), ".000000"))
		default:
			return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: fmt.Sprintf("filter %s has a value that is neither text nor number", clip(name, 80)), Hint: `write filters as {"partner": "Joe Block"} or {"partner": ["A", "B"]}`}
		}
	}
	return texts, nil
}

// metricRows brings a result into the size of a response.
func metricRows(r *metrics.Result) *queryMetricOut {
	out := &queryMetricOut{
		Notice: untrusted, Name: r.Definition.Name, About: r.Definition.About, Approval: r.Definition.Approval.String(), Truncated: r.Truncated, Counted: r.Counted,
		Notes: r.Notes, Rows: r.Rows,
	}
	for _, c := range r.Columns {
		out.Columns = append(out.Columns, metricPart{Name: c.Name, Title: c.Title, Unit: string(c.Unit)})
	}
	for i, row := range out.Rows {
		out.Rows[i] = slices.Clone(row)
		for j, v := range row {
			out.Rows[i][j], _ = shortValue(v, longestValue)
		}
	}
	if all := len(out.Rows); all > 0 {
		if out.Rows = fitting(out.Rows); len(out.Rows) < all {
			out.Truncated = true
		}
	} else {
		out.Rows = [][]any{}
	}
	if out.Truncated {
		out.Notes = append(out.Notes, "there are more rows: do not add these up; divide by fewer dimensions, or filter")
	}
	return out
}

// metricError says what is wrong with a query of a metric.
func metricError(err error) error {
	var e *metrics.Error
	if !errors.As(err, &e) {
		return meant(err)
	}
	out := &mcp.Error{Code: mcp.CodeInvalidArguments, Message: e.Message, Hint: e.Hint, Err: err}
	if e.Kind == metrics.NotFound {
		out.Code = mcp.CodeNotFound
		out.Hint = strings.TrimPrefix(e.Hint+"; listMetrics with the name has its dimensions and filters", "; ")
	}
	return out
}
