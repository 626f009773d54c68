package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/api"
)

// Runner runs a governed statement with the permissions of one caller's role. rows is
// how many rows are returned at most; 0: the runner's own limit.
type Runner interface {
	Query(ctx context.Context, sql string, params []json.RawMessage, rows int) (*api.Result, error)
}

// Options change [NewEngine]; nil and the zero value are the defaults.
type Options struct {
	Now func() time.Time // what is today; nil: time.Now
}

// Engine responds to queries. It is safe for concurrent use when its runner is.
type Engine struct {
	set *Set
	run Runner
	now func() time.Time
}

// NewEngine makes an engine for one caller.
func NewEngine(set *Set, run Runner, opts *Options) *Engine {
	e := &Engine{set: set, run: run, now: time.Now}
	if opts != nil && opts.Now != nil {
		e.now = opts.Now
	}
	return e
}

// Result is a metric's number, its parts, or the records behind it.
type Result struct {
	Definition *Definition
	Columns    []Column
	Rows       [][]any // as in [api.Result]
	Truncated  bool    // there are more rows
	Counted    Counted
	// SQL is the statement that was run, with Params for its parameters.
	SQL    string
	Params []json.RawMessage
	Tables []string
	Notes  []string
}

// Query responds to a query. The error is an [*Error], or the runner's.
func (e *Engine) Query(ctx context.Context, q Query) (*Result, error) {
	d, err := e.set.Find(q.Metric)
	if err != nil {
		return nil, err
	}
	if q.Top < 0 {
		return nil, &Error{Kind: Invalid, Message: fmt.Sprintf("top is %d", q.Top), Hint: "give the number of rows, or 0 for as many as are allowed"}
	}
	if d.Date.Kind == AsOf && q.AsOf == "" {
		q.AsOf = e.now().Format(time.DateOnly)
	}
	if d.Currency == nil && q.Currency != "" {
		return nil, &Error{Kind: Invalid, Message: d.Name + " has no amounts to convert", Hint: "leave the currency out"}
	}
	q.Currency = strings.ToUpper(strings.TrimSpace(q.Currency))
	if q.Currency != "" && q.perRecord(d) {
		return nil, &Error{
			Kind: Invalid, Message: "divided by currency, each row's amounts are in that currency",
			Hint: "leave " + q.Currency + " out, or the dimension; a filter for the currency shows what it is in " + q.Currency,
		}
	}
	if q.RateDate, err = q.rateDay(d, e.now().Format(time.DateOnly)); err != nil {
		return nil, err
	}
	if _, err := Compile(d, q); err != nil { // before anything is read
		return nil, err
	}
	if d.Currency != nil && !q.perRecord(d) {
		if q.Currency, err = e.currency(ctx, q.Currency); err != nil {
			return nil, err
		}
	}
	r, err := e.result(ctx, d, q)
	if err != nil {
		return nil, err
	}
	if len(q.Filters) > 0 && r.Empty() {
		meant, notes, matched, err := e.matched(ctx, d, q)
		if err != nil {
			return nil, err
		}
		if matched {
			q = meant
			if r, err = e.result(ctx, d, q); err != nil {
				return nil, err
			}
		}
		r.Notes = append(r.Notes, notes...)
	}
	if err := e.count(ctx, d, q, r); err != nil {
		return nil, err
	}
	return r, nil
}

// result runs a query that is complete: with its currency and its day.
func (e *Engine) result(ctx context.Context, d *Definition, q Query) (*Result, error) {
	top := q.Top
	q.Top = 0 // the runner limits, and knows whether there is more
	s, err := Compile(d, q)
	if err != nil {
		return nil, err
	}
	got, err := e.run.Query(ctx, s.SQL, s.Params, top)
	if err != nil {
		return nil, err
	}
	r := &Result{
		Definition: d, Columns: s.Columns, Rows: got.Rows, Truncated: got.Truncated,
		SQL: s.SQL, Params: s.Params, Tables: got.Tables, Notes: slices.Clone(got.Notes),
	}
	for _, c := range got.Columns {
		if c.Redacted {
			r.Notes = append(r.Notes, "column "+c.Name+" has values that your role may not see; they are masked")
		}
	}
	r.emptyMeasures()
	return r, nil
}

// currency makes sure of a currency, or finds the one of the accounting schema.
func (e *Engine) currency(ctx context.Context, code string) (string, error) {
	if code != "" {
		got, err := e.run.Query(ctx, "SELECT iso_code FROM c_currency WHERE iso_code = $1", []json.RawMessage{quoted(code)}, 1)
		if err != nil {
			return "", err
		}
		if len(got.Rows) == 0 {
			return "", &Error{Kind: NotFound, Message: fmt.Sprintf("there is no currency %q", clip(code)), Hint: "give an ISO code such as EUR; C_Currency has them"}
		}
		return code, nil
	}
	got, err := e.run.Query(ctx, `SELECT DISTINCT cur.iso_code
FROM ad_clientinfo ci
JOIN c_acctschema s ON s.c_acctschema_id = ci.c_acctschema1_id
JOIN c_currency cur ON cur.c_currency_id = s.c_currency_id
ORDER BY 1`, nil, 2)
	if err != nil {
		return "", fmt.Errorf("find the currency of the accounting schema, which a query without a currency needs: %w", err)
	}
	switch len(got.Rows) {
	case 0:
		return "", &Error{Kind: Invalid, Message: "your role sees no primary accounting schema, whose currency would be taken", Hint: "give the currency, such as EUR"}
	case 1:
		return fmt.Sprint(got.Rows[0][0]), nil
	}
	return "", &Error{Kind: Invalid, Message: "your role sees tenants with different currencies", Hint: "give the currency, such as EUR"}
}

func quoted(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // of a text
	}
	return raw
}

// Cell are the filters for the records behind one row of a result: those of the query
// and the values of its dimensions.
func (r *Result) Cell(q Query, row int) Query {
	cell := q
	cell.Filters = maps.Clone(q.Filters)
	if cell.Filters == nil {
		cell.Filters = map[string][]string{}
	}
	for i := range q.Dimensions {
		value := ""
		if v := r.Rows[row][i]; v != nil {
			value = "=" + fmt.Sprint(v)
		}
		cell.Filters[r.Columns[i].Name] = []string{value}
		if r.Columns[i].Name == CurrencyDimension && q.perRecord(r.Definition) {
			cell.Currency = strings.TrimPrefix(value, "=")
		}
	}
	cell.Dimensions, cell.Order, cell.Top, cell.Records = nil, nil, 0, true
	return cell
}
