package metrics

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Query asks for a metric.
type Query struct {
	Metric     string
	Dimensions []string // what to divide it by; none: one number
	// Filters narrow it, by name of a filter or dimension; a record counts that has one
	// of the values. Texts compare without case, with % as a pattern, and exactly
	// with = in front; an empty value stands for records without one.
	Filters map[string][]string
	// From and To are the first and the last day of a period, as 2026-01-31; empty: no
	// bound.
	From, To string
	// AsOf is the day at whose end the state is asked for; empty: today.
	AsOf string
	// Currency is the ISO code of the currency of amounts; empty: that of the tenant's
	// primary accounting schema, or with [CurrencyDimension] that of each record.
	Currency string
	// RateDate is the day whose rates convert amounts: [RateDocument] or empty for the
	// day that the definition names, [RateAsOf], or a day as 2026-01-31.
	RateDate string
	// Top is the largest number of rows to return; 0: as many as the runner allows.
	Top int
	// Order are columns to sort by, with - in front for descending; empty: by dimensions
	// of time, else by the first measure, descending.
	Order []string
	// Records returns the records behind the number instead, without Dimensions.
	Records bool
}

// Statement is a query as SQL.
type Statement struct {
	SQL     string
	Params  []json.RawMessage
	Columns []Column
}

// Column is a column of a result.
type Column struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	Unit  Unit   `json:"unit,omitempty"` // of measures
}

// The columns that tell how many records a row counts, and how many of them are not
// in its amounts because there is no rate.
const (
	RecordsColumn     = "records"
	UnconvertedColumn = "unconverted"
)

// Compile makes the statement of a query. What the query names is looked up, and its
// values become parameters. Currency is needed where amounts are converted, AsOf where
// the metric is as of a day; RateDate is a day, or what [RateDocument] is.
func Compile(d *Definition, q Query) (*Statement, error) {
	c := &compiler{d: d, q: q, places: map[string]int{}}
	if err := c.dates(); err != nil {
		return nil, err
	}
	rows, err := c.rows()
	if err != nil {
		return nil, err
	}
	if q.Records {
		return c.records(rows)
	}
	return c.numbers(rows)
}

type compiler struct {
	d      *Definition
	q      Query
	whole  bool // unlisted records are among the rows
	params []json.RawMessage
	places map[string]int // of named parameters
}

// param is the place of a new parameter.
func (c *compiler) param(value any) string {
	raw, err := json.Marshal(value)
	if err != nil { // of texts and numbers alone
		panic(err)
	}
	c.params = append(c.params, raw)
	return "$" + strconv.Itoa(len(c.params))
}

// named is the place of a parameter that occurs more than once.
func (c *compiler) named(name string, value any) string {
	n, ok := c.places[name]
	if !ok {
		c.param(value)
		n = len(c.params)
		c.places[name] = n
	}
	return "$" + strconv.Itoa(n)
}

// dates checks the dates of the query.
func (c *compiler) dates() error {
	for _, given := range []struct {
		name, value string
		fits        bool
	}{
		{"from", c.q.From, c.d.Date.Kind == Period}, {"to", c.q.To, c.d.Date.Kind == Period}, {"as of", c.q.AsOf, c.d.Date.Kind == AsOf},
	} {
		if given.value == "" {
			continue
		}
		if !given.fits {
			return &Error{Kind: Invalid, Message: fmt.Sprintf("%s does not take %q", c.d.Name, given.name), Hint: c.d.Date.advice()}
		}
		if _, err := time.Parse(time.DateOnly, given.value); err != nil {
			return &Error{Kind: Invalid, Message: fmt.Sprintf("%q is not a date", clip(given.value)), Hint: "write it as 2026-01-31"}
		}
	}
	if c.q.RateDate != "" && c.q.RateDate != RateDocument {
		if _, err := time.Parse(time.DateOnly, c.q.RateDate); err != nil {
			return notRateDay(c.q.RateDate)
		}
	}
	if c.q.From != "" && c.q.To != "" && c.q.From > c.q.To {
		return &Error{Kind: Invalid, Message: fmt.Sprintf("the period ends on %s, before it begins on %s", c.q.To, c.q.From), Hint: "exchange them"}
	}
	return nil
}

// advice says which dates a metric takes.
func (d Date) advice() string {
	switch d.Kind {
	case Period:
		return "it is of a period: give its first and last day, from and to"
	case AsOf:
		return "it is the state at the end of a day: give that day, as of"
	}
	return "it is what is in the database now, and takes no date"
}

// rows is the WITH clause whose last item, named counted, has the records.
func (c *compiler) rows() (string, error) {
	sql, err := substitute(c.d.SQL, func(name string) (string, error) {
		if name != "as_of" || c.d.Date.Kind != AsOf {
			return "", fmt.Errorf("unknown parameter :%s", name)
		}
		return c.named(name, c.q.AsOf), nil
	})
	if err != nil {
		return "", fmt.Errorf("compile %s: %w", c.d.Name, err)
	}
	where, err := c.conditions()
	if err != nil {
		return "", err
	}
	if where != "" {
		where = "\n  WHERE " + where
	}
	sql = strings.TrimRight(sql, "; \n\t")
	if c.d.Currency == nil {
		return "WITH fact AS (\n" + sql + "\n), counted AS (\n  SELECT * FROM fact" + where + "\n)\n", nil
	}
	return c.converted(sql, where), nil
}

// conditions are those of the definition, the period and the filters.
func (c *compiler) conditions() (string, error) {
	var all []string
	if c.d.Where != "" {
		all = append(all, "("+c.d.Where+")")
	}
	if !c.whole {
		all = append(all, c.d.listed()...)
	}
	if c.q.From != "" {
		all = append(all, c.d.Date.Column+" >= CAST("+c.param(c.q.From)+" AS timestamp)")
	}
	if c.q.To != "" {
		day, _ := time.Parse(time.DateOnly, c.q.To) // dates has looked at it
		all = append(all, c.d.Date.Column+" < CAST("+c.param(day.AddDate(0, 0, 1).Format(time.DateOnly))+" AS timestamp)")
	}
	for _, name := range slices.Sorted(maps.Keys(c.q.Filters)) {
		condition, err := c.filter(name, c.q.Filters[name])
		if err != nil {
			return "", err
		}
		all = append(all, condition)
	}
	return strings.Join(all, "\n    AND "), nil
}

// listed are the conditions that records are not unlisted.
func (d *Definition) listed() (all []string) {
	for _, x := range d.Excluded {
		if x.Unlisted {
			all = append(all, "CASE WHEN "+x.When+" THEN 1 ELSE 0 END = 0")
		}
	}
	return all
}

// maxValues is how many values of one filter are taken.
const maxValues = 50

func (c *compiler) filter(name string, values []string) (string, error) {
	filters := c.d.AllFilters()
	i := slices.IndexFunc(filters, func(f Filter) bool { return f.Name == key(name) })
	if i < 0 {
		return "", c.unknown("filter", name, names(filters, func(f Filter) string { return f.Name }))
	}
	f := filters[i]
	switch {
	case len(values) == 0:
		return "", &Error{Kind: Invalid, Message: "filter " + f.Name + " has no value", Hint: "give one, or leave the filter out"}
	case len(values) > maxValues:
		return "", &Error{Kind: Invalid, Message: fmt.Sprintf("filter %s has %d values", f.Name, len(values)), Hint: fmt.Sprintf("give at most %d, or a pattern with %%", maxValues)}
	}
	var any []string
	for _, v := range values {
		condition, err := c.value(f, v)
		if err != nil {
			return "", err
		}
		any = append(any, condition)
	}
	for _, x := range c.d.Excluded {
		if x.Unlisted && c.whole {
			any = append(any, "(("+x.When+") AND ("+f.SQL+") IS NULL)")
		}
	}
	return "(" + strings.Join(any, " OR ") + ")", nil
}

// value is the condition for one value.
func (c *compiler) value(f Filter, v string) (string, error) {
	expr := "(" + f.SQL + ")"
	switch {
	case v == "":
		return expr + " IS NULL", nil
	case f.Type == Number:
		var n json.Number
		if err := json.Unmarshal([]byte(v), &n); err != nil {
			return "", &Error{Kind: Invalid, Message: fmt.Sprintf("filter %s takes a number, not %q", f.Name, clip(v)), Hint: "write it as 12 or 12.5"}
		}
		return expr + " = CAST(" + c.param(n) + " AS numeric)", nil
	case f.Type == List:
		i := slices.IndexFunc(f.Values, func(known string) bool { return strings.EqualFold(known, v) })
		if i < 0 {
			return "", &Error{Kind: Invalid, Message: fmt.Sprintf("filter %s does not know %q", f.Name, clip(v)), Hint: "it takes " + strings.Join(f.Values, ", ")}
		}
		return expr + " = CAST(" + c.param(f.Values[i]) + " AS text)", nil
	}
	expr = "CAST(" + f.SQL + " AS text)"
	if exact, ok := strings.CutPrefix(v, "="); ok {
		return expr + " = CAST(" + c.param(exact) + " AS text)", nil
	}
	if strings.Contains(v, "%") {
		return expr + " ILIKE CAST(" + c.param(v) + " AS text)", nil
	}
	return "lower(" + expr + ") = lower(CAST(" + c.param(v) + " AS text))", nil
}

// key is a name as it is looked up.
func key(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_")
}

func names[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = name(item)
	}
	return out
}

func (c *compiler) unknown(what, name string, known []string) error {
	return &Error{Kind: NotFound, Message: fmt.Sprintf("%s has no %s %q", c.d.Name, what, clip(name)), Hint: near(key(name), known)}
}

// dimensions are those the query names.
func (c *compiler) dimensions() ([]Dimension, error) {
	all := c.d.AllDimensions()
	var out []Dimension
	for _, name := range c.q.Dimensions {
		i := slices.IndexFunc(all, func(d Dimension) bool { return d.Name == key(name) })
		if i < 0 {
			return nil, c.unknown("dimension", name, names(all, func(d Dimension) string { return d.Name }))
		}
		if slices.ContainsFunc(out, func(d Dimension) bool { return d.Name == all[i].Name }) {
			return nil, &Error{Kind: Invalid, Message: "dimension " + all[i].Name + " is named twice", Hint: "name it once"}
		}
		out = append(out, all[i])
	}
	return out, nil
}

// numbers is the statement that adds up.
func (c *compiler) numbers(rows string) (*Statement, error) {
	dims, err := c.dimensions()
	if err != nil {
		return nil, err
	}
	var columns []Column
	var selected, groups []string
	for i, d := range dims {
		columns = append(columns, Column{Name: d.Name, Title: d.Title})
		selected = append(selected, d.SQL+" AS "+d.Name)
		groups = append(groups, strconv.Itoa(i+1))
	}
	for _, m := range c.d.Measures {
		columns = append(columns, Column{Name: m.Name, Title: m.Title, Unit: m.Unit})
		selected = append(selected, m.SQL+" AS "+m.Name)
	}
	if !slices.ContainsFunc(columns, func(col Column) bool { return col.Name == RecordsColumn }) {
		columns = append(columns, Column{Name: RecordsColumn, Title: "Records", Unit: Count})
		selected = append(selected, "count(*) AS "+RecordsColumn)
	}
	if c.d.Currency != nil {
		columns = append(columns, Column{Name: UnconvertedColumn, Title: "Without a rate", Unit: Count})
		selected = append(selected, "count(*) FILTER (WHERE conversion_rate IS NULL) AS "+UnconvertedColumn)
	}
	sql := rows + "SELECT " + strings.Join(selected, ",\n  ") + "\nFROM counted"
	if len(groups) > 0 {
		sql += "\nGROUP BY " + strings.Join(groups, ", ")
		order, err := c.order(columns, dims)
		if err != nil {
			return nil, err
		}
		sql += "\nORDER BY " + order
	}
	return c.statement(sql, columns), nil
}

// order is the ORDER BY of numbers, by the places of columns. Dimensions come last,
// so that the order is always the same.
func (c *compiler) order(columns []Column, dims []Dimension) (string, error) {
	var terms []string
	used := map[int]bool{}
	add := func(i int, down bool) {
		term := strconv.Itoa(i + 1)
		if down {
			term += " DESC NULLS LAST"
		}
		if !used[i] {
			terms = append(terms, term)
		}
		used[i] = true
	}
	for _, name := range c.q.Order {
		plain, down := strings.CutPrefix(strings.TrimSpace(name), "-")
		i := slices.IndexFunc(columns, func(col Column) bool { return col.Name == key(plain) })
		if i < 0 {
			return "", c.unknown("column to sort by", plain, names(columns, func(col Column) string { return col.Name }))
		}
		add(i, down)
	}
	if len(c.q.Order) == 0 {
		// Amounts of different currencies have no order.
		for _, first := range []func(Dimension) bool{func(d Dimension) bool { return d.time }, func(d Dimension) bool { return d.Name == CurrencyDimension && c.d.Currency != nil }} {
			if i := slices.IndexFunc(dims, first); i >= 0 {
				add(i, false)
			}
		}
		add(len(dims), true)
	}
	for i := range dims {
		add(i, false)
	}
	return strings.Join(terms, ", "), nil
}

// records is the statement that lists the records behind a number.
func (c *compiler) records(rows string) (*Statement, error) {
	if len(c.q.Dimensions) > 0 {
		return nil, &Error{Kind: Invalid, Message: "records are not divided by dimensions", Hint: "give the values of the row whose records you want as filters"}
	}
	if len(c.q.Order) > 0 {
		return nil, &Error{Kind: Invalid, Message: "records have an order of their own", Hint: "leave order out"}
	}
	var columns []Column
	var selected, order []string
	for i, name := range c.d.Records {
		columns = append(columns, Column{Name: name})
		selected = append(selected, name)
		order = append(order, strconv.Itoa(i+1))
	}
	if c.d.Currency != nil {
		for _, a := range c.d.Currency.Amounts {
			columns = append(columns, Column{Name: "converted_" + a, Unit: Money})
			selected = append(selected, "converted_"+a)
		}
	}
	sql := rows + "SELECT " + strings.Join(selected, ", ") + "\nFROM counted\nORDER BY " + strings.Join(order, ", ")
	return c.statement(sql, columns), nil
}

func (c *compiler) statement(sql string, columns []Column) *Statement {
	if c.q.Top > 0 {
		sql += "\nLIMIT " + strconv.Itoa(c.q.Top)
	}
	return &Statement{SQL: sql, Params: c.params, Columns: columns}
}
