package metrics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// Problem is something wrong with a definition.
type Problem struct {
	Where   string `json:"where"` // file:line
	Metric  string `json:"metric"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// String is a line for people.
func (p Problem) String() string {
	text := fmt.Sprintf("%s: %s: %s", p.Where, p.Metric, p.Message)
	if p.Hint != "" {
		text += "; " + p.Hint
	}
	return text
}

// Check finds what is wrong with definitions: names, members that are missing, SQL
// that would be refused. With a registry it compares tables and columns with the
// dictionary, as a role would that sees everything; nil leaves that out. It runs no
// statement. The error is about the dictionary, not the definitions.
func (s *Set) Check(ctx context.Context, reg registry.Registry) ([]Problem, error) {
	c := &checking{guard: guard.New(nil)}
	for _, d := range s.list {
		c.d = d
		c.form()
		if err := c.tables(ctx, reg); err != nil {
			return nil, err
		}
		if c.broken() {
			continue // what follows would say the same in other words
		}
		if err := c.statements(ctx); err != nil {
			return nil, err
		}
	}
	return c.problems, nil
}

type checking struct {
	guard    *guard.Guard
	d        *Definition
	policy   *guard.Policy
	known    bool // the policy has the tables' columns
	problems []Problem
}

// broken reports whether the definition at hand has a problem already.
func (c *checking) broken() bool {
	return slices.ContainsFunc(c.problems, func(p Problem) bool { return p.Metric == c.d.Name })
}

func (c *checking) problem(part, hint, format string, args ...any) {
	c.problems = append(c.problems, Problem{Where: c.d.source.at(part), Metric: c.d.Name, Message: fmt.Sprintf(format, args...), Hint: hint})
}

var (
	metricName = lazyregexp.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	columnName = lazyregexp.New(`^[a-z][a-z0-9_]*$`)
)

// form checks what needs no SQL.
func (c *checking) form() {
	d := c.d
	if !metricName().MatchString(d.Name) {
		c.problem("name", "use lower case letters, digits and dashes: open-receivables", "the name %q cannot be used", d.Name)
	}
	for part, value := range map[string]string{"title": d.Title, "about": d.About, "sql": d.SQL} {
		if strings.TrimSpace(value) == "" {
			c.problem(part, "docs/metric-files.md has an example", "%s is missing", part)
		}
	}
	c.date()
	if len(d.Measures) == 0 {
		c.problem("measures", "give one: {name: total, title: Total, unit: count, sql: count(*)}", "there are no measures")
	}
	if len(d.Records) == 0 {
		c.problem("records", "name the columns of sql to show for a record", "there are no records")
	}
	c.names()
	for i, m := range d.Measures {
		c.measure(fmt.Sprintf("measures.%d", i), m)
	}
	c.filters()
	for i, x := range d.Excluded {
		if x.When == "" || x.Why == "" {
			c.problem(fmt.Sprintf("excluded.%d", i), "such as {when: days IS NULL, why: not paid yet}", "excluded lacks when or why")
		}
	}
	c.currency()
	c.approval()
	_, err := substitute(d.SQL, func(name string) (string, error) {
		if name == "as_of" && d.Date.Kind == AsOf {
			return "", nil
		}
		return "", fmt.Errorf("sql uses the parameter :%s", name)
	})
	if err != nil {
		c.problem("sql", "the one parameter is :as_of, of metrics of the kind as-of; periods are compared with the column of date", "%s", err.Error())
	}
}

// approval checks that a certified definition says by whom and since when.
func (c *checking) approval() {
	a := c.d.Approval
	if a == nil {
		return
	}
	_, err := time.Parse(time.DateOnly, a.Date)
	switch {
	case a.State != certified && a.State != proposed:
		c.problem("approval", "states are certified and proposed", "approval has the state %q", a.State)
	case a.Date != "" && err != nil:
		c.problem("approval", "write it as 2026-01-31", "approval has the date %q", a.Date)
	case a.State == certified && (a.Owner == "" || a.Date == ""):
		c.problem("approval", "such as {state: certified, owner: Finance, date: 2026-01-31}", "the definition is certified without owner or date")
	}
}

func (c *checking) date() {
	switch d := c.d; d.Date.Kind {
	case Period:
		if d.Date.Column == "" {
			c.problem("date", "name the column of sql that decides: column: dateinvoiced", "date has no column")
		}
	case AsOf:
		if !strings.Contains(d.SQL, ":as_of") {
			c.problem("sql", "use :as_of in sql, or the kind now", "the metric is as of a day, which sql does not use")
		}
	case Now:
	default:
		c.problem("date", "kinds are period, as-of and now", "date has the kind %q", d.Date.Kind)
	}
}

// names checks the names of the columns of a result.
func (c *checking) names() {
	taken := map[string]bool{RecordsColumn: true, UnconvertedColumn: true, CurrencyDimension: c.d.Currency != nil}
	for _, p := range periods {
		taken[p.Name] = c.d.Date.Kind == Period
	}
	take := func(part, name, what string) {
		switch {
		case !columnName().MatchString(name):
			c.problem(part, "use lower case letters, digits and _", "the %s %q cannot be used as a name", what, name)
		case taken[name]:
			c.problem(part, "choose another name", "there is a column %q already", name)
		}
		taken[name] = true
	}
	for i, m := range c.d.Measures {
		take(fmt.Sprintf("measures.%d", i), m.Name, "measure")
	}
	for i, dim := range c.d.Dimensions {
		take(fmt.Sprintf("dimensions.%d", i), dim.Name, "dimension")
	}
}

func (c *checking) measure(part string, m Measure) {
	if !slices.Contains([]Unit{Money, Quantity, Count, Percent, Days}, m.Unit) {
		c.problem(part, "units are money, quantity, count, percent and days", "measure %s has the unit %q", m.Name, m.Unit)
	}
	if m.Unit == Money && c.d.Currency == nil {
		c.problem(part, "add currency, so that amounts of different currencies are not added up", "measure %s is money, and the metric has no currency", m.Name)
	}
	if m.SQL == "" {
		c.problem(part, "give an aggregate: sum(converted_net)", "measure %s has no sql", m.Name)
	}
	if m.Empty == "" && (m.Unit == Days || m.Unit == Percent) {
		c.problem(part, "say when it has none: empty: nothing is delivered", "measure %s may have no value, and does not say when", m.Name)
	}
}

func (c *checking) filters() {
	seen := map[string]bool{}
	for i, f := range c.d.Filters {
		part := fmt.Sprintf("filters.%d", i)
		if !columnName().MatchString(f.Name) || seen[f.Name] {
			c.problem(part, "use lower case letters, digits and _, and each name once", "the filter %q cannot be used", f.Name)
		}
		seen[f.Name] = true
		if !slices.Contains([]FilterType{"", Text, Number, List}, f.Type) {
			c.problem(part, "types are text, number and list", "filter %s has the type %q", f.Name, f.Type)
		}
		if (f.Type == List) != (len(f.Values) > 0) {
			c.problem(part, "a filter of type list has values, and no other", "filter %s has the type %q and %d values", f.Name, f.Type, len(f.Values))
		}
	}
}

func (c *checking) currency() {
	cur := c.d.Currency
	if cur == nil {
		return
	}
	if cur.Column == "" || len(cur.Amounts) == 0 {
		c.problem("currency", "column names the C_Currency_ID, amounts the columns to convert", "currency lacks column or amounts")
	}
	for _, n := range slices.Concat([]string{cur.Column, cur.Date, cur.Type}, cur.Amounts) {
		if n != "" && !columnName().MatchString(n) {
			c.problem("currency", "currency names columns of sql; compute them there", "%q is not a name of a column", n)
		}
	}
}

// tables makes the policy of a role that sees the definition's tables.
func (c *checking) tables(ctx context.Context, reg registry.Registry) error {
	c.known = reg != nil
	c.policy = &guard.Policy{Schema: "adempiere", Tables: map[string]*guard.Table{}}
	if !c.known {
		return nil
	}
	names := slices.Clone(c.d.Tables)
	names = append(names, "C_Currency", "C_Conversion_Rate", "C_ConversionType") // of conversion
	for i, name := range names {
		t, err := reg.Table(ctx, name)
		if errors.Is(err, registry.ErrNotFound) {
			if i < len(c.d.Tables) {
				c.problem(fmt.Sprintf("tables.%d", i), "use the dictionary's names; listTables or `erphub dict inspect` has them", "there is no table %s", name)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("check metric %s: %w", c.d.Name, err)
		}
		g := &guard.Table{Name: t.Name}
		for _, col := range t.Columns {
			if !col.Virtual() {
				physical := strings.ToLower(col.Name)
				g.Columns = append(g.Columns, guard.Column{Name: physical, Type: sqlType(col)})
				if col.Key {
					g.Key = []string{physical}
				}
			}
		}
		c.policy.Tables[strings.ToLower(t.Name)] = g
	}
	return c.lists(ctx, reg)
}

// lists looks for the lists whose codes dimensions and filters have.
func (c *checking) lists(ctx context.Context, reg registry.Registry) error {
	for _, f := range c.d.AllFilters() {
		if f.List == "" {
			continue
		}
		_, err := reg.Reference(ctx, f.List)
		if errors.Is(err, registry.ErrNotFound) {
			c.problem("dimensions", "use the name of an AD_Reference; listReferences has them", "there is no list %q of %s", f.List, f.Name)
			continue
		}
		if err != nil {
			return fmt.Errorf("check metric %s: %w", c.d.Name, err)
		}
	}
	return nil
}

// sqlType is a column's type as pg_type has it.
func sqlType(c registry.Column) string {
	t := strings.ToUpper(c.Type.SQLType(dict.PostgreSQL, c.Name, c.Length))
	switch {
	case strings.HasPrefix(t, "VARCHAR"):
		return "varchar"
	case strings.HasPrefix(t, "CHAR"):
		return "bpchar"
	case strings.HasPrefix(t, "TIMESTAMP"):
		return "timestamp"
	case strings.HasPrefix(t, "NUMERIC"), strings.HasPrefix(t, "DECIMAL"):
		return "numeric"
	case strings.HasPrefix(t, "INT"):
		return "int4"
	}
	return "text"
}

// statements secures what the definition makes: all of it at once, and where that
// is refused one statement per part, so that the refusal names the part that
// causes it.
func (c *checking) statements(ctx context.Context) error {
	base := Query{Metric: c.d.Name, Currency: "EUR"}
	switch c.d.Date.Kind {
	case AsOf:
		base.AsOf = "2026-01-31"
	case Period:
		base.From, base.To = "2026-01-01", "2026-01-31"
	}
	whole := base
	whole.Filters = map[string][]string{}
	for _, dim := range c.d.AllDimensions() {
		whole.Dimensions = append(whole.Dimensions, dim.Name)
	}
	for _, f := range c.d.AllFilters() {
		whole.Filters[f.Name] = []string{f.example()}
	}
	records := base
	records.Records = true
	before := len(c.problems)
	for _, compile := range []func() (*Statement, error){
		func() (*Statement, error) { return Compile(c.d, whole) },
		func() (*Statement, error) { return Compile(c.d, records) },
		func() (*Statement, error) { return compileCounted(c.d, whole) },
	} {
		s, err := compile()
		if err == nil && s != nil {
			if _, err := c.secured(ctx, "", s); err != nil {
				return err
			}
		}
		if err != nil || len(c.problems) > before {
			c.problems = c.problems[:before]
			return c.parts(ctx, base)
		}
	}
	return nil
}

// example is a value that the filter takes.
func (f Filter) example() string {
	if f.Type == List {
		return f.Values[0]
	}
	return "1"
}

// parts secures one statement per part.
func (c *checking) parts(ctx context.Context, base Query) error {
	all := c.d.Measures
	plain := *c.d
	plain.Measures = nil
	try := func(part string, d *Definition, q Query) (bool, error) {
		s, err := Compile(d, q)
		if err != nil {
			c.problem(part, "", "%s", err.Error())
			return false, nil
		}
		return c.secured(ctx, part, s)
	}
	if ok, err := try("sql", &plain, base); !ok || err != nil {
		return err
	}
	for i := range all {
		d := *c.d
		d.Measures = all[i : i+1]
		if _, err := try(fmt.Sprintf("measures.%d", i), &d, base); err != nil {
			return err
		}
	}
	for i, dim := range c.d.AllDimensions() {
		q := base
		q.Dimensions = []string{dim.Name}
		part := fmt.Sprintf("dimensions.%d", i)
		switch {
		case dim.Name == CurrencyDimension && c.d.Currency != nil:
			part = "currency"
		case i >= len(c.d.Dimensions):
			part = "date"
		}
		if _, err := try(part, &plain, q); err != nil {
			return err
		}
	}
	for i, f := range c.d.AllFilters() {
		q := base
		q.Filters = map[string][]string{f.Name: {f.example()}}
		part := fmt.Sprintf("filters.%d", i)
		if i >= len(c.d.Filters) {
			break // dimensions, which were tried
		}
		if _, err := try(part, &plain, q); err != nil {
			return err
		}
	}
	for i := range c.d.Excluded {
		d := plain
		d.Excluded = c.d.Excluded[i : i+1]
		s, err := compileCounted(&d, base)
		if err != nil {
			return err
		}
		if _, err := c.secured(ctx, fmt.Sprintf("excluded.%d", i), s); err != nil {
			return err
		}
	}
	q := base
	q.Records = true
	_, err := try("records", c.d, q)
	return err
}

// secured reports what the guard refuses. Without a dictionary it cannot judge names.
func (c *checking) secured(ctx context.Context, part string, s *Statement) (bool, error) {
	_, err := c.guard.Secure(ctx, c.policy, s.SQL, len(s.Params), 1)
	var refusal *guard.Refusal
	switch {
	case err == nil:
		return true, nil
	case !errors.As(err, &refusal):
		return false, err
	case !c.known && refusal.Kind == guard.Denied && refusal.Object.Kind == api.TableObject:
		return true, nil
	}
	hint := refusal.Hint
	if refusal.Object.Kind == api.TableObject {
		hint = strings.TrimPrefix(hint+"; add it to tables, if it is one of the dictionary", "; ")
	}
	c.problem(part, hint, "%s", refusal.Reason)
	return false, nil
}
