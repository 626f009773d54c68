package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Counted says what a number counts: of whom, in which statuses, of which days, in
// which currency by which rates, and what is not in it. What goes without saying is
// left out. An engine knows nothing of Tenant and Scope; whoever knows the role fills
// them in.
type Counted struct {
	Tenant string `json:"tenant,omitempty"`
	// Scope is the part of the tenant that the role sees; empty: all of it.
	Scope string `json:"scope,omitempty"`
	// Statuses are the document statuses that count, or that were found.
	Statuses []string `json:"statuses,omitempty"`
	// From and To are the first and the last day, AsOf is the day of a state; empty: no
	// bound.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	AsOf string `json:"asOf,omitempty"`
	// Currency is the ISO code of all amounts, or [PerRecord]; empty: there are none, or
	// they are in Mixed.
	Currency string `json:"currency,omitempty"`
	// Mixed are the currencies whose amounts were added up as if they were one.
	Mixed []string `json:"mixedCurrencies,omitempty"`
	// RateDate is [RateDocument] or the day of the rates; empty: nothing was converted.
	RateDate string `json:"rateDate,omitempty"`
	Rates    []Rate `json:"rates,omitempty"`
	// LeftOut are records that were found and are not in the numbers.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
}

// Rate is a rate that amounts were converted by. Where many were used there is one
// for each currency, with UpTo as the highest.
type Rate struct {
	From    string      `json:"from"`
	To      string      `json:"to"`
	Rate    json.Number `json:"rate"`
	UpTo    json.Number `json:"upTo,omitempty"`
	Day     string      `json:"day"` // the first day it was used for
	LastDay string      `json:"lastDay,omitempty"`
}

// LeftOut are records that are not in a number.
type LeftOut struct {
	Records int64  `json:"records"`
	Why     string `json:"why"`
}

// Lines say the same to people.
func (c *Counted) Lines() []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	var head []string
	for _, part := range [][2]string{
		{"tenant", c.Tenant}, {"only", c.Scope}, {"statuses", strings.Join(c.Statuses, " ")}, {"from", c.From}, {"to", c.To}, {"as of", c.AsOf}, {"amounts in", c.Currency},
		{"amounts in a mixture of", strings.Join(c.Mixed, " and ")},
	} {
		if part[1] != "" {
			head = append(head, part[0]+" "+part[1])
		}
	}
	if len(head) > 0 {
		add("%s", strings.Join(head, ", "))
	}
	for _, r := range c.Rates {
		text := fmt.Sprintf("1 %s is %s", r.From, r.Rate)
		if r.UpTo != "" {
			text += " to " + r.UpTo.String()
		}
		text += " " + r.To + " by the rate of " + r.Day
		if r.LastDay != "" {
			text += " to " + r.LastDay
		}
		add("%s", text)
	}
	for _, x := range c.LeftOut {
		add("not counted: %d records, %s", x.Records, x.Why)
	}
	return lines
}

// mostRates is the number of rates that are listed one by one.
const mostRates = 3

// compileCounted makes the statement that says what a query counts and converts: a row
// for each currency and rate, with the number of records that are excluded. It is nil
// where there is nothing to say.
func compileCounted(d *Definition, q Query) (*Statement, error) {
	if d.Currency == nil && len(d.Excluded) == 0 {
		return nil, nil
	}
	q.Top, q.Order = 0, nil
	c := &compiler{d: d, q: q, whole: true, places: map[string]int{}}
	rows, err := c.rows()
	if err != nil {
		return nil, err
	}
	selected := []string{"NULL", "NULL", "NULL", "NULL", "0"}
	if d.Currency != nil {
		selected = []string{
			"record_currency", "conversion_rate", "to_char(min(rate_day), 'YYYY-MM-DD')", "to_char(max(rate_day), 'YYYY-MM-DD')",
			"count(*) FILTER (WHERE " + strings.Join(append(d.listed(), "conversion_rate IS NULL"), " AND ") + ")",
		}
	}
	for _, x := range d.Excluded {
		selected = append(selected, "count(*) FILTER (WHERE "+x.When+")")
	}
	sql := rows + "SELECT " + strings.Join(selected, ",\n  ") + "\nFROM counted"
	if d.Currency != nil {
		sql += "\nGROUP BY 1, 2\nORDER BY 1, 2"
	}
	return c.statement(sql, nil), nil
}

// count finds what a query counts, over all rows.
func (e *Engine) count(ctx context.Context, d *Definition, q Query, r *Result) error {
	r.Counted = Counted{Statuses: d.Statuses, From: q.From, To: q.To, AsOf: q.AsOf, Currency: q.Currency}
	if q.perRecord(d) {
		r.Counted.Currency = PerRecord
	}
	s, err := compileCounted(d, q)
	if s == nil || err != nil {
		return err
	}
	got, err := e.run.Query(ctx, s.SQL, s.Params, 0)
	if err != nil {
		return err
	}
	lost, excluded := map[string]int64{}, make([]int64, len(d.Excluded))
	for _, row := range got.Rows {
		currency, _ := row[0].(string)
		lost[currency] += whole(row[4])
		for i := range excluded {
			excluded[i] += whole(row[5+i])
		}
		if row[1] != nil && currency != q.Currency && !q.perRecord(d) {
			r.Counted.rate(currency, q.Currency, row)
		}
	}
	for _, row := range got.Rows { // in their order
		currency, _ := row[0].(string)
		n := lost[currency]
		if delete(lost, currency); n == 0 {
			continue
		}
		why := "no rate from " + currency + " to " + q.Currency
		if currency == "" {
			why = "no currency"
		}
		r.Counted.LeftOut = append(r.Counted.LeftOut, LeftOut{n, why})
		if currency != "" {
			r.Counted.RateDate = q.RateDate
		}
	}
	for i, x := range d.Excluded {
		if excluded[i] > 0 {
			r.Counted.LeftOut = append(r.Counted.LeftOut, LeftOut{excluded[i], x.Why})
		}
	}
	if len(r.Counted.Rates) > 0 {
		r.Counted.RateDate = q.RateDate
	}
	if d.Nothing != "" && r.Empty() && len(r.Counted.LeftOut) == 0 && len(q.Filters) == 0 && q.From == "" && q.To == "" {
		r.Notes = append(r.Notes, d.Nothing)
	}
	r.Counted.fewRates()
	if got.Truncated {
		r.Notes = append(r.Notes, "more rates were used than are told")
	}
	return nil
}

// whole is a number of records.
func whole(v any) int64 {
	n, _ := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	return n
}

// rate adds a rate of the statement.
func (c *Counted) rate(from, to string, row []any) {
	r := Rate{From: from, To: to, Rate: plainNumber(fmt.Sprint(row[1])), Day: fmt.Sprint(row[2])}
	if last := fmt.Sprint(row[3]); last != r.Day {
		r.LastDay = last
	}
	c.Rates = append(c.Rates, r)
}

// plainNumber is a number without zeros at its end.
func plainNumber(text string) json.Number {
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return json.Number(text)
}

// fewRates makes one rate of all those of a currency, where there are many.
func (c *Counted) fewRates() {
	if len(c.Rates) <= mostRates {
		return
	}
	var few []Rate
	for _, r := range c.Rates {
		r.LastDay = max(r.Day, r.LastDay)
		i := slices.IndexFunc(few, func(f Rate) bool { return f.From == r.From })
		if i < 0 {
			few = append(few, r)
			continue
		}
		f := &few[i]
		lowest, highest := f.Rate, f.Rate
		if f.UpTo != "" {
			highest = f.UpTo
		}
		if less(r.Rate, lowest) {
			lowest = r.Rate
		} else if less(highest, r.Rate) {
			highest = r.Rate
		}
		f.Rate, f.UpTo, f.Day, f.LastDay = lowest, highest, min(f.Day, r.Day), max(f.LastDay, r.LastDay)
	}
	c.Rates = few
}

func less(a, b json.Number) bool {
	x, _ := new(big.Rat).SetString(a.String())
	y, _ := new(big.Rat).SetString(b.String())
	return x != nil && y != nil && x.Cmp(y) < 0
}

// emptyMeasures says why measures have no value.
func (r *Result) emptyMeasures() {
	for _, m := range r.Definition.Measures {
		i := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == m.Name })
		if m.Empty != "" && i >= 0 && slices.ContainsFunc(r.Rows, func(row []any) bool { return row[i] == nil }) {
			r.Notes = append(r.Notes, m.Name+" is empty where "+m.Empty)
		}
	}
}
