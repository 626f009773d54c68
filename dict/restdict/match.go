package restdict

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// describe writes the conditions of a match as text: the same conditions give
// the same text, whatever they are resolved to.
func describe(matches []dict.Match) string {
	parts := make([]string, len(matches))
	for i, m := range matches {
		parts[i] = m.Column + "=" + valueText(m.Value)
	}
	return strings.Join(parts, ", ")
}

func valueText(v dict.Value) string {
	switch v := v.(type) {
	case dict.Text:
		return string(v)
	case dict.Int:
		return strconv.FormatInt(int64(v), 10)
	case dict.YesNo:
		return strconv.FormatBool(bool(v))
	case dict.Ref:
		return dict.Key(v).Placeholder()
	case dict.Existing:
		return v.Table + "(" + existingText(v) + ")"
	}
	return ""
}

func existingText(e dict.Existing) string {
	if len(e.Match) == 0 {
		return strconv.Itoa(e.ID)
	}
	return describe(e.Match)
}

// existingName is the name a record outside the plan has in runner.existing.
func existingName(e dict.Existing) string { return e.Table + "(" + existingText(e) + ")" }

// scalar is a value that a column can be compared with: the texts are kept, the
// rest is an id, a number or a flag.
type scalar struct {
	text string
	num  int64
	kind byte // t text, n number, b flag
}

// scalarOf resolves a value; false means that it refers to a record that is
// not there.
func (r *runner) scalarOf(v dict.Value) (scalar, bool) {
	switch v := v.(type) {
	case dict.Text:
		return scalar{text: string(v), kind: 't'}, true
	case dict.Int:
		return scalar{num: int64(v), kind: 'n'}, true
	case dict.YesNo:
		s := scalar{kind: 'b'}
		if v {
			s.num = 1
		}
		return s, true
	case dict.Ref:
		st := r.byKey[dict.Key(v)]
		if st == nil || st.status != Done || st.id == 0 {
			return scalar{}, false
		}
		return scalar{num: st.id, kind: 'n'}, true
	case dict.Existing:
		id, ok := r.existingID(v)
		return scalar{num: id, kind: 'n'}, ok
	}
	return scalar{}, false
}

func (r *runner) existingID(e dict.Existing) (int64, bool) {
	if len(e.Match) == 0 {
		return int64(e.ID), e.ID != 0
	}
	id, ok := r.existing[existingName(e)]
	return id, ok
}

// condition is the filter for one column and value.
func condition(column string, s scalar, fold bool) erp.Filter {
	switch {
	case s.kind == 'b':
		return erp.Eq(column, s.num == 1)
	case s.kind == 'n':
		return erp.Eq(column, s.num)
	case fold:
		return erp.Eq(erp.ToLower(column), strings.ToLower(s.text))
	}
	return erp.Eq(column, s.text)
}

// identity is the text by which a record is recognised among others of its
// table: its values in the columns of the match.
func identity(s scalar, fold bool) string {
	if s.kind != 't' {
		return strconv.FormatInt(s.num, 10)
	}
	if fold {
		return strings.ToLower(s.text)
	}
	return s.text
}

// recordIdentity reads the same text from a record.
func recordIdentity(rec erp.Record, matches []dict.Match) string {
	parts := make([]string, len(matches))
	for i, m := range matches {
		parts[i] = columnText(rec, m.Column)
		if m.Fold {
			parts[i] = strings.ToLower(parts[i])
		}
	}
	return strings.Join(parts, "\x00")
}

// columnText is a column's value as comparable text: the id of a reference, 1
// or 0 for a flag.
func columnText(rec erp.Record, column string) string {
	if text, ok := rec.Text(column); ok {
		return text
	}
	if flag, ok := rec.Bool(column); ok {
		if flag {
			return "1"
		}
		return "0"
	}
	if number, ok := rec.Decimal(column); ok {
		if whole, ok := number.Int64(); ok {
			return strconv.FormatInt(whole, 10)
		}
		return number.String()
	}
	if ref, ok := rec.Ref(column); ok {
		return ref.Code()
	}
	return ""
}

// sayable reports whether the filter language can express the text; what it
// cannot is found by UUID only.
func sayable(f erp.Filter) (bool, error) {
	_, err := f.Render()
	if errors.Is(err, erp.ErrInexpressible) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for what is there: %w", err)
	}
	return true, nil
}
