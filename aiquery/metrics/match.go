package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// mostCandidates is how many values an error names.
const mostCandidates = 8

// Empty reports whether a result counts no record.
func (r *Result) Empty() bool {
	if len(r.Rows) == 0 {
		return true
	}
	i := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == RecordsColumn })
	return i >= 0 && !slices.ContainsFunc(r.Rows, func(row []any) bool { return fmt.Sprint(row[i]) != "0" })
}

// matched is a query whose filters no record has, with the values that people may
// have meant: the one value that holds the given text replaces it, with a note. A
// text that several values hold is an error that names them. matched is false where
// there is nothing to replace; notes then say which values no record has.
func (e *Engine) matched(ctx context.Context, d *Definition, q Query) (_ Query, notes []string, matched bool, _ error) {
	filters := d.AllFilters()
	given := q.Filters
	q.Filters = maps.Clone(given)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(filters, func(f Filter) bool { return f.Name == key(name) })
		if i < 0 || filters[i].Type != Text {
			continue
		}
		values := slices.Clone(given[name])
		for j, v := range values {
			if v == "" || strings.HasPrefix(v, "=") || strings.Contains(v, "%") {
				continue
			}
			found, err := e.candidates(ctx, d, q, filters[i], v)
			switch {
			case err != nil:
				return q, nil, false, err
			case slices.ContainsFunc(found, func(c string) bool { return strings.EqualFold(c, v) }):
				// There are such records, only not with the other filters or dates.
			case len(found) == 1:
				values[j], matched = "="+found[0], true
				notes = append(notes, fmt.Sprintf("%s %q is taken as %q, the only one with that text", filters[i].Name, clip(v), found[0]))
			case len(found) > 1:
				return q, nil, false, &Error{
					Kind: NotFound, Message: fmt.Sprintf("no %s is %q, and several have that text: %s", filters[i].Name, clip(v), quotedList(found)),
					Hint: "give one of them, or a pattern with % for all of them",
				}
			default:
				notes = append(notes, fmt.Sprintf("no record has %s %q", filters[i].Name, clip(v)))
			}
		}
		q.Filters[name] = values
	}
	return q, notes, matched, nil
}

// candidates are values of a filter that hold the text, whatever the other filters
// and the dates of the query are, at most one more than are named.
func (e *Engine) candidates(ctx context.Context, d *Definition, q Query, f Filter, text string) ([]string, error) {
	c := &compiler{d: d, q: Query{AsOf: q.AsOf, Currency: q.Currency}, whole: true, places: map[string]int{}}
	rows, err := c.rows()
	if err != nil {
		return nil, err
	}
	expr := "CAST(" + f.SQL + " AS text)"
	text = strings.TrimSpace(text)
	got, err := e.run.Query(ctx, rows+"SELECT DISTINCT "+expr+" AS value\nFROM counted\nWHERE "+expr+" ILIKE CAST("+c.param("%"+text+"%")+" AS text)\nORDER BY 1", c.params, mostCandidates+1)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, row := range got.Rows {
		// In a pattern _ is any character, and \ none.
		if row[0] != nil && strings.Contains(strings.ToLower(fmt.Sprint(row[0])), strings.ToLower(text)) {
			out = append(out, fmt.Sprint(row[0]))
		}
	}
	return out, nil
}

// quotedList names values, the first few of many.
func quotedList(values []string) string {
	more := ""
	if len(values) > mostCandidates {
		values, more = values[:mostCandidates], " …"
	}
	parts := make([]string, len(values))
	for i, v := range values {
		raw, err := json.Marshal(clip(v))
		if err != nil {
			raw = []byte(v) // a text always encodes
		}
		parts[i] = string(raw)
	}
	return strings.Join(parts, ", ") + more
}
