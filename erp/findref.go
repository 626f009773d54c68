package erp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/nearest"
)

// RefLookup says how to find the record that people call by a name. The columns
// come from the dictionary of the table.
type RefLookup struct {
	Table string
	// Columns are text columns that can hold the name, such as Value, Name and
	// DocumentNo.
	Columns []string
	// Identifier are the text columns of which the ERP makes the name it shows, in
	// their order; with several of them the name has _ between their values.
	Identifier []string
	// Show are further columns that tell records of one name apart, such as
	// AD_Org_ID.
	Show []string
	// Filter narrows the search; the zero Filter does not.
	Filter Filter
}

// RefMatch is a record that a name may mean.
type RefMatch struct {
	ID ID
	// Name is the name of the record: the one that matched, or its first name.
	Name string
	// Record has the columns of the lookup.
	Record Record
}

// Facts are what the columns of the lookup say of the record, as "Value: Oak".
func (m RefMatch) Facts(l RefLookup) []string {
	var facts []string
	for _, column := range l.all() {
		text, ok := m.Record.Text(column)
		if !ok {
			if ref, isRef := m.Record.Ref(column); isRef {
				text = ref.Identifier
			}
		}
		if text = strings.TrimSpace(text); text != "" {
			facts = append(facts, column+": "+text)
		}
	}
	return facts
}

// RefError is a name that does not lead to exactly one record. It matches
// ErrNotFound without such a record, ErrConflict if there are several.
type RefError struct {
	Table, Name string
	// Matches are the records of that name, at most 20; none when nothing is called
	// so.
	Matches []RefMatch
	// Near are records with a name like it, the nearest first, at most 5; only where
	// nothing matched.
	Near []RefMatch
}

// Error says what was looked for, and what was found.
func (e *RefError) Error() string {
	if len(e.Matches) > 0 {
		return fmt.Sprintf("%d records of %s are called %s", len(e.Matches), quote(e.Table), quote(e.Name))
	}
	text := fmt.Sprintf("no record of %s is called %s", quote(e.Table), quote(e.Name))
	for i, m := range e.Near {
		word := "; did you mean "
		if i > 0 {
			word = " or "
		}
		text += word + quote(m.Name)
	}
	return text
}

// Is reports whether target is ErrNotFound or ErrConflict.
func (e *RefError) Is(target error) bool {
	return target == ErrConflict && len(e.Matches) > 0 || target == ErrNotFound && len(e.Matches) == 0
}

const (
	mostMatches = 20
	mostNear    = 5
	mostLooked  = 100
	longestName = 500 // bytes: it travels in an address
)

// FindRef finds the active record that is called by a name, among those the role
// may see: one of the columns holds it, or the identifier is it. Capital and small
// letters are distinguished only where that tells two records apart. A name of no
// record, or of several, is a *RefError. It takes one request when the name is
// found, at most three when it is not.
func (c *Client) FindRef(ctx context.Context, l RefLookup, name string) (RefMatch, error) {
	name = strings.TrimSpace(name)
	switch {
	case len(l.Columns) == 0 || name == "":
		return RefMatch{}, invalid("look for %s in %s: both a name and columns are needed", quote(name), quote(l.Table))
	case len(name) > longestName:
		return RefMatch{}, invalid("look for a record of %s: a name of %d bytes is too long", quote(l.Table), len(name))
	}
	found, err := c.called(ctx, l, name)
	if err != nil {
		return RefMatch{}, err
	}
	if len(found) > 1 {
		exact := slices.DeleteFunc(slices.Clone(found), func(m RefMatch) bool { return m.Name != name })
		if len(exact) > 0 {
			found = exact
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		near, err := c.resembling(ctx, l, name)
		if err != nil {
			return RefMatch{}, err
		}
		return RefMatch{}, &RefError{Table: l.Table, Name: name, Near: near}
	}
	return RefMatch{}, &RefError{Table: l.Table, Name: name, Matches: found[:min(len(found), mostMatches)]}
}

// all are the columns to read.
func (l RefLookup) all() []string {
	var all []string
	for _, column := range slices.Concat(l.Columns, l.Identifier, l.Show) {
		if !slices.ContainsFunc(all, func(known string) bool { return strings.EqualFold(known, column) }) {
			all = append(all, column)
		}
	}
	return all
}

// called are the records of which a column, or the identifier, is the name in any
// case.
func (c *Client) called(ctx context.Context, l RefLookup, name string) ([]RefMatch, error) {
	found, err := c.matching(ctx, l, equalTo(l.Columns, name), func(r Record) (string, bool) {
		if exact, ok := l.nameOf(r, func(text string) bool { return text == name }); ok {
			return exact, true
		}
		return l.nameOf(r, func(text string) bool { return strings.EqualFold(text, name) })
	})
	if err != nil || len(found) > 0 || len(l.Identifier) < 2 || !strings.Contains(name, "_") {
		return found, err
	}
	// The first part of the identifier may itself have a _ in it.
	var starts []Filter
	for i, r := range name {
		if r == '_' && i > 0 && len(starts) < 5 {
			starts = append(starts, equalTo(l.Identifier[:1], name[:i]))
		}
	}
	return c.matching(ctx, l, Or(starts...), func(r Record) (string, bool) {
		whole := l.identifier(r)
		return whole, strings.EqualFold(whole, name)
	})
}

// matching are the records of a filter that are called so.
func (c *Client) matching(ctx context.Context, l RefLookup, filter Filter, match func(Record) (string, bool)) ([]RefMatch, error) {
	page, err := c.Query(ctx, l.Table, &Query{Filter: And(filter, l.Filter), Select: l.all(), Top: mostLooked})
	if err != nil {
		return nil, fmt.Errorf("looking for a record of %s by its name: %w", quote(l.Table), err)
	}
	var found []RefMatch
	for _, r := range page.Records {
		if name, ok := match(r); ok {
			found = append(found, RefMatch{ID: r.ID(), Name: name, Record: r})
		}
	}
	return found, nil
}

// nameOf is the text of the first column that fits.
func (l RefLookup) nameOf(r Record, fits func(string) bool) (string, bool) {
	for _, column := range l.Columns {
		if text, ok := r.Text(column); ok && fits(strings.TrimSpace(text)) {
			return strings.TrimSpace(text), true
		}
	}
	return "", false
}

func (l RefLookup) identifier(r Record) string {
	parts := make([]string, len(l.Identifier))
	for i, column := range l.Identifier {
		parts[i], _ = r.Text(column)
	}
	return strings.Join(parts, "_")
}

// equalTo is true if one of the columns is the text in any case. Text that the
// filter language cannot write gives more than that.
func equalTo(columns []string, text string) Filter {
	lower := strings.ToLower(text)
	if _, err := quoteText(lower); errors.Is(err, ErrInexpressible) {
		return containing(columns, longestPart(lower, "'()"))
	}
	filters := make([]Filter, len(columns))
	for i, column := range columns {
		filters[i] = Eq(ToLower(column), lower)
	}
	return Or(filters...)
}

func containing(columns []string, parts ...string) Filter {
	var filters []Filter
	for _, column := range columns {
		for _, part := range parts {
			if part != "" {
				filters = append(filters, Contains(ToLower(column), Pattern(part)))
			}
		}
	}
	return Or(filters...)
}

// longestPart is the longest piece of a text between any of the characters.
func longestPart(text, separators string) string {
	longest := ""
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if part = strings.TrimSpace(part); len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// resembling are records with a name like it.
func (c *Client) resembling(ctx context.Context, l RefLookup, name string) ([]RefMatch, error) {
	const stem = 3 // letters at the start and at the end of a word that may be right
	word := []rune(longestPart(strings.ToLower(name), " '()%_-.,/"))
	if len(word) == 0 {
		return nil, nil
	}
	parts := []string{string(word)}
	if len(word) > stem {
		parts = []string{string(word[:stem]), string(word[len(word)-stem:])}
	}
	found, err := c.matching(ctx, l, containing(l.Columns, parts...), func(r Record) (string, bool) {
		return l.nameOf(r, func(text string) bool { return len(nearest.Names(name, []string{text}, 1)) > 0 })
	})
	slices.SortStableFunc(found, func(a, b RefMatch) int { return nearest.Distance(name, a.Name) - nearest.Distance(name, b.Name) })
	return found[:min(len(found), mostNear)], err
}
