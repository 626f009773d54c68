package metrics

import (
	"fmt"
	"strings"
)

// Definition is one metric. It does not change once it is loaded.
type Definition struct {
	Name  string `yaml:"name" json:"name,omitempty"`   // revenue: lower case letters, digits and dashes
	Title string `yaml:"title" json:"title,omitempty"` // Revenue
	About string `yaml:"about" json:"about,omitempty"` // what is counted and what is not, in words
	// Approval says who answers for the definition; nil: nobody yet.
	Approval *Approval `yaml:"approval" json:"approval,omitempty"`
	// Nothing says what it means that there is no record at all; empty: it says itself.
	Nothing string `yaml:"nothing" json:"nothing,omitempty"`
	// Tables are the dictionary's names of the tables the SQL reads.
	Tables []string `yaml:"tables" json:"tables,omitempty"`
	Date   Date     `yaml:"date" json:"date,omitempty"`
	// Currency says how amounts are converted; nil: there are none.
	Currency *Currency `yaml:"currency" json:"currency,omitempty"`
	// Statuses are the document statuses that count; none: the metric does not look
	// at them.
	Statuses []string `yaml:"statuses" json:"statuses,omitempty"`
	// Excluded are records of SQL that are not in the numbers, each with the reason.
	Excluded []Excluded `yaml:"excluded" json:"excluded,omitempty"`
	// SQL is a SELECT with one row per record that counts. It may use the parameter
	// :as_of, a day as text.
	SQL string `yaml:"sql" json:"sql,omitempty"`
	// Where is one more condition on the columns of SQL; empty: none.
	Where      string      `yaml:"where" json:"where,omitempty"`
	Measures   []Measure   `yaml:"measures" json:"measures,omitempty"`
	Dimensions []Dimension `yaml:"dimensions" json:"dimensions,omitempty"`
	Filters    []Filter    `yaml:"filters" json:"filters,omitempty"`
	// Records are the columns of the records behind a number; none: all of SQL.
	Records []string `yaml:"records" json:"records,omitempty"`

	source Source
}

// Source is the place where a definition was read.
type Source struct {
	File    string
	Line    int // of the definition, from 1
	Builtin bool
	lines   map[string]int // of its parts
}

// String is file:line.
func (s Source) String() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// Source is the place where the definition was read.
func (d *Definition) Source() Source { return d.source }

// Approval is the state of a definition: certified by its owner on a day, or proposed.
// It comes from the file alone: no call of an assistant changes it.
type Approval struct {
	State string `yaml:"state" json:"state"` // certified or proposed
	Owner string `yaml:"owner" json:"owner,omitempty"`
	Date  string `yaml:"date" json:"date,omitempty"` // as 2026-01-31
}

// The states of an approval.
const (
	certified = "certified"
	proposed  = "proposed"
)

// String says it in a few words; what nobody answers for is proposed.
func (a *Approval) String() string {
	if a == nil {
		return proposed
	}
	text := a.State
	if a.Owner != "" {
		text += " by " + a.Owner
	}
	return strings.TrimSuffix(text+", "+a.Date, ", ")
}

// DateKind says how a metric depends on dates.
type DateKind string

// The kinds of dates.
const (
	Period DateKind = "period" // counts what happened from a day to a day
	AsOf   DateKind = "as-of"  // the state at the end of a day
	Now    DateKind = "now"    // the state that is in the database
)

// Date is a metric's date rule.
type Date struct {
	Kind DateKind `yaml:"kind" json:"kind,omitempty"`
	// Column of SQL that decides for a period.
	Column string `yaml:"column" json:"column,omitempty"`
	About  string `yaml:"about" json:"about,omitempty"`
}

// Currency is a metric's currency rule. The members name columns of SQL. Tenant and
// organization of a rate are those of the columns ad_client_id and ad_org_id.
type Currency struct {
	Column string `yaml:"column" json:"column,omitempty"` // C_Currency_ID of a record's amounts
	Date   string `yaml:"date" json:"date,omitempty"`     // the day whose rate counts; empty: today
	Type   string `yaml:"type" json:"type,omitempty"`     // C_ConversionType_ID; empty: the default type
	// Amounts are columns with amounts. SQL of measures has each of them converted,
	// with converted_ before its name.
	Amounts []string `yaml:"amounts" json:"amounts,omitempty"`
	About   string   `yaml:"about" json:"about,omitempty"`
}

// Excluded are records that a metric finds and that are not in its numbers, such as
// invoices without a payment in the days it took to pay.
type Excluded struct {
	When string `yaml:"when" json:"when,omitempty"` // a condition on the columns of SQL
	Why  string `yaml:"why" json:"why,omitempty"`
	// Unlisted records are not among the rows and records either: they are there to be
	// counted. Those without a value for a filter are counted with any.
	Unlisted bool `yaml:"unlisted" json:"unlisted,omitempty"`
}

// Unit is the unit of a number.
type Unit string

// The units.
const (
	Money    Unit = "money"
	Quantity Unit = "quantity"
	Count    Unit = "count"
	Percent  Unit = "percent"
	Days     Unit = "days"
)

// Measure is a number of a metric.
type Measure struct {
	Name  string `yaml:"name" json:"name,omitempty"`
	Title string `yaml:"title" json:"title,omitempty"`
	Unit  Unit   `yaml:"unit" json:"unit,omitempty"`
	SQL   string `yaml:"sql" json:"sql,omitempty"` // an aggregate over the columns of SQL: sum(converted_net)
	// Empty says when there is no value. Quotients need it.
	Empty string `yaml:"empty" json:"empty,omitempty"`
}

// Dimension is a property that a metric may be divided by. A metric of a period has
// day, week, month, quarter and year besides those it defines, one with amounts has
// [CurrencyDimension].
type Dimension struct {
	Name  string `yaml:"name" json:"name,omitempty"`
	Title string `yaml:"title" json:"title,omitempty"`
	SQL   string `yaml:"sql" json:"sql,omitempty"` // an expression over the columns of SQL; empty: the column Name
	// List is the dictionary's list (AD_Reference) whose codes the values are; empty:
	// none.
	List string `yaml:"list" json:"list,omitempty"`
	time bool
}

// FilterType says which values a filter takes.
type FilterType string

// The types of filters.
const (
	Text   FilterType = "text"   // equal but for case; with % a pattern
	Number FilterType = "number" // equal
	List   FilterType = "list"   // one of Values
)

// Filter narrows a metric to some records. Every dimension is a filter of type text
// besides.
type Filter struct {
	Name   string     `yaml:"name" json:"name,omitempty"`
	Title  string     `yaml:"title" json:"title,omitempty"`
	Type   FilterType `yaml:"type" json:"type,omitempty"` // empty: text
	Values []string   `yaml:"values" json:"values,omitempty"`
	SQL    string     `yaml:"sql" json:"sql,omitempty"`   // an expression over the columns of SQL; empty: the column Name
	List   string     `yaml:"list" json:"list,omitempty"` // as of a dimension
}

// CurrencyDimension is the ISO code of the currency that a record's amounts are in. A
// query that is divided by it has each row's amounts in that currency: they are not
// converted.
const CurrencyDimension = "currency"

// periods are the dimensions that every metric of a period has.
var periods = []Dimension{
	{Name: "day", Title: "Day", SQL: "YYYY-MM-DD", time: true},
	{Name: "week", Title: "Week (ISO)", SQL: `IYYY-"W"IW`, time: true},
	{Name: "month", Title: "Month", SQL: "YYYY-MM", time: true},
	{Name: "quarter", Title: "Quarter", SQL: `YYYY-"Q"Q`, time: true},
	{Name: "year", Title: "Year", SQL: "YYYY", time: true},
}

// AllDimensions are the dimensions a query may name: the definition's own, that of the
// currency, and those of time.
func (d *Definition) AllDimensions() []Dimension {
	var all []Dimension
	for _, own := range d.Dimensions {
		if own.Name == CurrencyDimension && d.Currency != nil {
			continue // it could show another currency than the amounts have
		}
		if own.SQL == "" {
			own.SQL = own.Name
		}
		all = append(all, own)
	}
	if d.Currency != nil {
		all = append(all, Dimension{Name: CurrencyDimension, Title: "Currency of the record", SQL: "record_currency"})
	}
	if d.Date.Kind == Period {
		for _, p := range periods {
			p.SQL = fmt.Sprintf("to_char(%s, '%s')", d.Date.Column, p.SQL)
			all = append(all, p)
		}
	}
	return all
}

// AllFilters are the filters a query may name: the definition's own, and its dimensions.
func (d *Definition) AllFilters() []Filter {
	var all []Filter
	taken := map[string]bool{}
	for _, own := range d.Filters {
		if own.SQL == "" {
			own.SQL = own.Name
		}
		if own.Type == "" {
			own.Type = Text
		}
		taken[own.Name] = true
		all = append(all, own)
	}
	for _, dim := range d.AllDimensions() {
		if !taken[dim.Name] {
			all = append(all, Filter{Name: dim.Name, Title: dim.Title, Type: Text, SQL: dim.SQL, List: dim.List})
		}
	}
	return all
}
