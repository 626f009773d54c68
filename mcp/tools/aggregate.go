package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/aggregate"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// The bounds of reading records to compute with.
const (
	mostAggregated = 20_000
	aggregatePage  = 1000 // the ERP lowers it to its own limit
	mostColumns    = 10   // groups, and measures
	aggregateTime  = 40 * time.Second
)

type aggregateRecordsIn struct {
	Table    string   `json:"table" jsonschema:"such as C_Order"`
	GroupBy  []string `json:"groupBy,omitempty" jsonschema:"columns; dates as DateOrdered:month, :quarter or :year"`
	Measures []string `json:"measures,omitempty" jsonschema:"count (default), sum(GrandTotal), avg, min, max"`
	Filter   string   `json:"filter,omitempty" jsonschema:"such as IsSOTrx eq true and DateOrdered ge '2026-01-01'"`
	OrderBy  string   `json:"orderBy,omitempty" jsonschema:"a group or measure, with asc or desc"`
	Limit    int      `json:"limit,omitempty" jsonschema:"most groups"`
}

type aggregateRecordsOut struct {
	Notice    string          `json:"notice"`
	Columns   []string        `json:"columns" jsonschema:"groups, then measures"`
	Rows      [][]any         `json:"rows"`
	Groups    int             `json:"groups" jsonschema:"how many there are; rows has the first"`
	Truncated bool            `json:"truncated" jsonschema:"rows has not all groups"`
	Partial   bool            `json:"partial" jsonschema:"not all records were read: no number is complete"`
	Source    string          `json:"source" jsonschema:"what was computed with"`
	Counted   metrics.Counted `json:"counted" jsonschema:"what the numbers count, and what they leave out"`
	noted
}

// aggregateTools compute numbers without definitions.
func (b *Toolbox) aggregateTools() mcp.Set {
	t := b.aggregateRecords()
	t.Available = func(mcp.Caller) bool {
		return backend.Can[backend.Recorder](b.pool) || backend.Can[backend.Querier](b.pool) && backend.Can[backend.Registrar](b.pool)
	}
	return mcp.Set{t}
}

func (b *Toolbox) aggregateRecords() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "aggregateRecords", Title: "Aggregate records", Sets: []string{SetMetrics}, Hints: readOnly,
		Description: "Counts and sums records of one table by groups, exactly, also where no SQL can be run. With SQL, executeQuery does more.",
		Input:       input[aggregateRecordsIn](between("limit", 1, 500, 50), shorter(4000, "filter"), shorter(200, "orderBy"), shorter(120, "table")),
		Output:      objects[aggregateRecordsOut]("counted", true), Cost: mcp.Cost{APICalls: 3}, Timeout: time.Minute,
	}, func(ctx context.Context, c *mcp.Call, in aggregateRecordsIn) (*aggregateRecordsOut, error) {
		a, err := b.aggregation(ctx, c, in)
		if err != nil {
			return nil, err
		}
		if backend.Can[backend.Querier](b.pool) {
			if statement, ok := a.sql(ctx); ok {
				err := a.query(ctx, statement)
				if err == nil {
					a.count(ctx, statement)
					return a.result(ctx)
				}
				if ctx.Err() != nil || !backend.Can[backend.Recorder](b.pool) {
					return nil, meant(err)
				}
				a.totals = a.empty() // REST may do what SQL does not
			}
		}
		if err := a.read(ctx); err != nil {
			return nil, err
		}
		a.count(ctx, nil)
		return a.result(ctx)
	})
}

// aggregation is one request.
type aggregation struct {
	b      *Toolbox
	c      *mcp.Call
	in     aggregateRecordsIn
	table  *registry.Table // nil where no backend has a dictionary
	name   string
	filter *checkedFilter
	origin origin
	found  found
	totals *aggregate.Totals
	out    *aggregateRecordsOut
}

func (b *Toolbox) aggregation(ctx context.Context, c *mcp.Call, in aggregateRecordsIn) (*aggregation, error) {
	a := &aggregation{b: b, c: c, in: in, name: in.Table, out: &aggregateRecordsOut{Notice: untrusted}}
	var err error
	if a.table, err = b.table(ctx, c, in.Table); err != nil {
		return nil, err
	}
	if a.table != nil {
		a.name = a.table.Name
	}
	if a.filter, err = b.checkFilter(ctx, c, a.table, in.Filter); err != nil {
		return nil, err
	}
	a.out.Notes = a.filter.Notes
	if a.table != nil {
		a.origin = b.originOf(ctx, c, a.table)
	}
	if len(in.GroupBy) > mostColumns || len(in.Measures) > mostColumns {
		return nil, wrongArgument(fmt.Errorf("there are at most %d groups and %d measures", mostColumns, mostColumns))
	}
	if a.totals, err = aggregate.New(in.GroupBy, in.Measures); err != nil {
		return nil, wrongArgument(err)
	}
	var columns []*string
	for i := range a.totals.Groups {
		columns = append(columns, &a.totals.Groups[i].Column)
	}
	for i := range a.totals.Measures {
		if m := &a.totals.Measures[i]; m.Column != "" {
			columns = append(columns, &m.Column)
		}
	}
	for _, column := range columns {
		name, err := spelled(a.table, []string{*column})
		if err != nil {
			return nil, err
		}
		*column = name[0]
	}
	if _, _, err := a.totals.Rows(in.OrderBy, 0); err != nil {
		return nil, wrongArgument(err)
	}
	return a, nil
}

func wrongArgument(err error) error {
	return because(err, mcp.CodeInvalidArguments, `such as {"table": "C_Order", "groupBy": ["DateOrdered:month"], "measures": ["count", "sum(GrandTotal)"]}`)
}

// empty are totals of the same groups and measures without records.
func (a *aggregation) empty() *aggregate.Totals {
	fresh, _ := aggregate.New(nil, nil) // these always work
	fresh.Groups, fresh.Measures = a.totals.Groups, a.totals.Measures
	return fresh
}

// read computes with the records, page by page.
func (a *aggregation) read(ctx context.Context) error {
	orderBy, err := ordered(a.table, "")
	if err != nil {
		return err
	}
	s := backend.Search{Table: a.name, Filter: a.filter.Text, OrderBy: orderBy, Select: a.totals.Columns(), Limit: aggregatePage}
	if len(s.Select) == 0 { // only counted: the key is enough
		s.Select = strings.Split(orderBy, ",")
	}
	besides := a.besides()
	deadline := a.b.now().Add(aggregateTime)
	total, changed := -1, false
	for {
		more := s
		more.Select = slices.Concat(s.Select, besides)
		page, err := a.b.search(ctx, a.c, more)
		if err != nil && len(besides) > 0 && s.Offset == 0 && ctx.Err() == nil {
			besides = nil // nobody asked for them
			continue
		}
		if err != nil {
			return misspelt(err, a.table, a.in.Filter)
		}
		for _, rec := range page.Records {
			if err := a.totals.Add(rec); err != nil {
				return wrongArgument(err)
			}
			currency, _ := rec.Ref("C_Currency_ID")
			status, _ := rec.Code("DocStatus")
			a.found.add(currency.Identifier, status)
		}
		s.Offset += len(page.Records)
		changed = changed || total >= 0 && page.Total >= 0 && page.Total != total
		total = max(total, page.Total)
		a.c.Progress(float64(s.Offset), float64(max(total, 0)), fmt.Sprintf("%d records read", s.Offset))
		if !page.More || len(page.Records) == 0 {
			break
		}
		if s.Offset >= mostAggregated || a.b.now().After(deadline) {
			a.out.Partial = true
			break
		}
		s.Limit = min(aggregatePage, mostAggregated-s.Offset)
	}
	a.out.Source = fmt.Sprintf("%d records read over REST", s.Offset)
	switch {
	case a.out.Partial && total >= 0:
		a.out.Source += fmt.Sprintf(" of %d", total)
		a.out.AddNote("partial: the numbers are those of the records that were read, in the order of their key; narrow the filter")
	case a.out.Partial:
		a.out.AddNote("partial: there are more records, nobody knows how many; narrow the filter")
	case changed || total >= 0 && total != s.Offset:
		a.out.Partial = true
		a.out.AddNote("the records changed while they were read: a record may be missing or counted twice; try again")
	}
	return nil
}

// besides are columns that say what the records are, where those that are computed with
// do not have them.
func (a *aggregation) besides() []string {
	var names []string
	for _, name := range []string{"C_Currency_ID", "DocStatus"} {
		if a.table == nil || slices.Contains(a.totals.Columns(), name) {
			continue
		}
		if c, ok := a.table.Column(name); ok && !c.Virtual() {
			names = append(names, name)
		}
	}
	return names
}

func (a *aggregation) result(ctx context.Context) (*aggregateRecordsOut, error) {
	rows, groups, err := a.totals.Rows(a.in.OrderBy, a.in.Limit)
	if err != nil {
		return nil, wrongArgument(err)
	}
	out := a.out
	for _, g := range a.totals.Groups {
		out.Columns = append(out.Columns, g.String())
	}
	for _, m := range a.totals.Measures {
		name := m.String()
		if out.Partial {
			name = "partial " + name
		}
		out.Columns = append(out.Columns, name)
	}
	out.Rows = make([][]any, 0, len(rows))
	for _, row := range rows {
		line := make([]any, 0, len(out.Columns))
		for _, k := range row.Keys {
			line = append(line, cellOf(k))
		}
		for _, v := range row.Values {
			line = append(line, v)
		}
		out.Rows = append(out.Rows, line)
	}
	if keys := len(a.totals.Groups); len(out.Rows) == 0 || keys == 0 && isNothing(out.Rows) {
		why := a.b.nothing(a.c, a.table, a.filter)
		why.scoped, why.inactive = true, nil // which Counted has
		out.Notes = append(out.Notes, why.why(ctx)...)
	}
	out.Rows = fitting(out.Rows)
	out.Groups = max(out.Groups, groups)
	out.Truncated = out.Truncated || len(out.Rows) < groups
	return out, nil
}

// cellOf is the value of a group: null, a text, or what a reference points to.
func cellOf(k aggregate.Key) any {
	switch {
	case k.ID == "" && k.Name == "":
		return nil
	case k.Name == "" || k.Name == k.ID:
		return clip(k.ID, 200)
	}
	return clip(k.ID, 60) + " " + clip(k.Name, 120)
}

var errNoSQL = errors.New("the statement did not return what was expected")
