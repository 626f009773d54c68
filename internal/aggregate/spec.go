package aggregate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// Group is a column whose values make groups.
type Group struct {
	Column string
	Bucket Bucket // of a date; empty: each value is a group
}

// Bucket is a span of time that dates are put together in.
type Bucket string

// The buckets, and how they are written: 2026-03-01, 2026-03, 2026-Q1, 2026.
const (
	Day     Bucket = "day"
	Month   Bucket = "month"
	Quarter Bucket = "quarter"
	Year    Bucket = "year"
)

// String is the group as [ParseGroup] reads it.
func (g Group) String() string {
	if g.Bucket == "" {
		return g.Column
	}
	return g.Column + ":" + string(g.Bucket)
}

// Func is what is computed.
type Func string

// The functions. Count without a column counts records, with one those where the
// column is not empty. Avg is rounded to six decimals; the others are exact.
const (
	Count Func = "count"
	Sum   Func = "sum"
	Avg   Func = "avg"
	Min   Func = "min"
	Max   Func = "max"
)

// Measure is a number of each group.
type Measure struct {
	Func   Func
	Column string // empty only for Count
}

// String is the measure as [ParseMeasure] reads it.
func (m Measure) String() string {
	if m.Column == "" {
		return string(m.Func)
	}
	return fmt.Sprintf("%s(%s)", m.Func, m.Column)
}

var (
	groupText   = lazyregexp.New(`^(\w+)(?:\s*:\s*|\s+by\s+)(\w+)$|^(day|month|quarter|year)\s*\(\s*(\w+)\s*\)$|^(\w+)$`)
	measureText = lazyregexp.New(`^(\w+)\s*(?:[(:\s]\s*(\w+|\*)\s*\)?)?$`)
)

// ParseGroup reads a group: DocStatus, DateOrdered:month or month(DateOrdered).
func ParseGroup(text string) (Group, error) {
	m := groupText().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Group{}, fmt.Errorf("%q is not a group: write a column, or a date with day, month, quarter or year, such as DateOrdered:month", text)
	}
	g := Group{Column: m[1] + m[4] + m[5], Bucket: Bucket(strings.ToLower(m[2] + m[3]))}
	if !slices.Contains([]Bucket{"", Day, Month, Quarter, Year}, g.Bucket) {
		return Group{}, fmt.Errorf("there is no bucket %q: day, month, quarter or year", g.Bucket)
	}
	return g, nil
}

// ParseMeasure reads a measure: count, or sum(GrandTotal).
func ParseMeasure(text string) (Measure, error) {
	m := measureText().FindStringSubmatch(strings.TrimSpace(text))
	wrong := fmt.Errorf("%q is not a measure: write count, sum(Column), avg(Column), min(Column) or max(Column)", text)
	if m == nil {
		return Measure{}, wrong
	}
	out := Measure{Func: Func(strings.ToLower(m[1])), Column: strings.Trim(m[2], "*")}
	switch {
	case out.Func == "average":
		out.Func = Avg
	case !slices.Contains([]Func{Count, Sum, Avg, Min, Max}, out.Func):
		return Measure{}, wrong
	}
	if out.Column == "" && out.Func != Count {
		return Measure{}, fmt.Errorf("%s needs a column, such as %s(GrandTotal)", out.Func, out.Func)
	}
	return out, nil
}
