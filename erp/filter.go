package erp

import (
	"strings"
)

// Filter is a condition on records, in the server's filter language. The zero
// Filter stands for no condition. Build one with Eq, In, Contains and their like, join
// them with And and Or, or take text as it is with Raw. A mistake (a value the
// language cannot express, a name that is not a column) stays in the filter and
// is reported by Render and by the call that uses the filter, before anything
// is sent.
type Filter struct {
	text string
	kind filterKind
	err  error
}

type filterKind int8

const (
	filterNone     filterKind = iota
	filterTerm                // a comparison, or anything in parentheses
	filterFunction            // contains, startswith, endswith: may be negated
	filterAnd                 // terms joined by and
	filterRaw                 // the caller's text
)

// Column is a column, or a function of one, as operand of a comparison. As the
// value of a comparison it stands for the column's content, where a string
// would stand for text:
//
//	erp.Gt("DateAcct", erp.Column("DateOrdered"))
//	erp.Contains(erp.ToLower("Name"), "bolt")
type Column string

// ToLower is the content of a text column in small letters.
func ToLower(column string) Column { return Column("tolower(" + column + ")") }

// ToUpper is the content of a text column in capital letters.
func ToUpper(column string) Column { return Column("toupper(" + column + ")") }

// Eq is column = value. A nil value means null.
func Eq[C ~string](column C, value any) Filter { return compare(string(column), "eq", value) }

// Neq is column <> value. A nil value means null.
func Neq[C ~string](column C, value any) Filter { return compare(string(column), "neq", value) }

// Gt is column > value.
func Gt[C ~string](column C, value any) Filter { return compare(string(column), "gt", value) }

// Ge is column >= value.
func Ge[C ~string](column C, value any) Filter { return compare(string(column), "ge", value) }

// Lt is column < value.
func Lt[C ~string](column C, value any) Filter { return compare(string(column), "lt", value) }

// Le is column <= value.
func Le[C ~string](column C, value any) Filter { return compare(string(column), "le", value) }

// IsNull is true for records without a value in the column.
func IsNull[C ~string](column C) Filter { return compare(string(column), "eq", nil) }

// NotNull is true for records with a value in the column.
func NotNull[C ~string](column C) Filter { return compare(string(column), "neq", nil) }

// In is true if the column has one of the values, of which there must be at
// least one. Text values must not hold commas or parentheses; write such a
// list as Or of Eq. The language has no "not in".
func In[C ~string, V any](column C, values ...V) Filter {
	operand, err := operandText(string(column))
	if err != nil {
		return Filter{err: err}
	}
	if len(values) == 0 {
		return Filter{err: invalid("filter: In on %s needs at least one value", operand)}
	}
	var b strings.Builder
	b.WriteString(operand + " in (")
	for i, v := range values {
		text, err := listValue(v)
		if err != nil {
			return Filter{err: err}
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text)
	}
	b.WriteByte(')')
	return Filter{text: b.String(), kind: filterTerm}
}

// Contains is true if the column contains the text. Like StartsWith and
// EndsWith it distinguishes capital and small letters; combine it with ToLower
// to find both. The server gives % and _ in the text the meaning of wildcards
// and knows no way to take that away, so they are refused unless the text is a
// Pattern.
func Contains[C, T ~string](column C, text T) Filter { return textFunction("contains", column, text) }

// StartsWith is true if the column starts with the text; see Contains.
func StartsWith[C, T ~string](column C, text T) Filter {
	return textFunction("startswith", column, text)
}

// EndsWith is true if the column ends with the text; see Contains.
func EndsWith[C, T ~string](column C, text T) Filter { return textFunction("endswith", column, text) }

// Pattern is text for Contains, StartsWith and EndsWith in which % stands for
// any characters and _ for any one character. A name such as C_Order, used as
// a Pattern, finds CXOrder too.
type Pattern string

// Raw is a condition in the server's own language, taken as it is.
func Raw(text string) Filter {
	if strings.TrimSpace(text) == "" {
		return Filter{}
	}
	if strings.ContainsRune(text, 0) {
		return Filter{err: invalid("filter: the text holds a NUL character")}
	}
	return Filter{text: text, kind: filterRaw}
}

// Not is the opposite of Contains, StartsWith or EndsWith. The language can
// negate nothing else: use Neq, Lt for Ge and so on, and swap And and Or.
func Not(f Filter) Filter {
	switch {
	case f.err != nil:
		return f
	case f.kind != filterFunction:
		return Filter{err: inexpressible("only Contains, StartsWith and EndsWith can be negated, not %s", quote(f.text))}
	}
	return Filter{text: "not " + f.text, kind: filterTerm}
}

// And is true if all filters are. Zero filters are left out.
func And(filters ...Filter) Filter { return join(" and ", filters) }

// Or is true if one of the filters is. Zero filters are left out. The result
// is always in parentheses, because the server adds conditions of its own with
// and.
func Or(filters ...Filter) Filter { return join(" or ", filters) }

// And is true if f and all others are.
func (f Filter) And(others ...Filter) Filter { return And(append([]Filter{f}, others...)...) }

// Or is true if f or one of the others is.
func (f Filter) Or(others ...Filter) Filter { return Or(append([]Filter{f}, others...)...) }

// ActiveOrNot makes a filter find deactivated records, too, which the server
// leaves out of lists otherwise.
func ActiveOrNot(f Filter) Filter {
	return And(f, NotNull("IsActive"))
}

// IsZero reports whether there is no condition.
func (f Filter) IsZero() bool { return f.kind == filterNone && f.err == nil }

// Render returns the text that is sent, or what is wrong with the filter.
func (f Filter) Render() (string, error) { return f.text, f.err }

// String returns the text that is sent, or a note that the filter is wrong.
func (f Filter) String() string {
	if f.err != nil {
		return "(" + f.err.Error() + ")"
	}
	return f.text
}

// grouped returns the text such that further conditions can be appended.
func (f Filter) grouped() string {
	if f.kind == filterRaw {
		return "(" + f.text + ")"
	}
	return f.text
}

func join(word string, filters []Filter) Filter {
	var only Filter
	var b strings.Builder
	count := 0
	for _, f := range filters {
		if f.err != nil {
			return f
		}
		if f.IsZero() {
			continue
		}
		if count++; count == 1 {
			only = f
		} else {
			b.WriteString(word)
		}
		if f.kind == filterAnd && word == " or " {
			b.WriteString("(" + f.text + ")")
		} else {
			b.WriteString(f.grouped())
		}
	}
	switch {
	case count < 2:
		return only
	case word == " or ":
		return Filter{text: "(" + b.String() + ")", kind: filterTerm}
	}
	return Filter{text: b.String(), kind: filterAnd}
}

func compare(column, operator string, value any) Filter {
	operand, err := operandText(column)
	if err != nil {
		return Filter{err: err}
	}
	text, err := filterValue(value)
	if err != nil {
		return Filter{err: err}
	}
	if text == "null" && operator != "eq" && operator != "neq" {
		return Filter{err: inexpressible("null can only be compared with Eq and Neq (column %s)", operand)}
	}
	return Filter{text: operand + " " + operator + " " + text, kind: filterTerm}
}

func textFunction[C, T ~string](name string, column C, text T) Filter {
	operand, err := operandText(string(column))
	if err != nil {
		return Filter{err: err}
	}
	value := string(text)
	_, pattern := any(text).(Pattern)
	switch {
	case strings.ContainsAny(value, "()"):
		return Filter{err: inexpressible("the text of %s must not hold parentheses: %s", name, quote(value))}
	case !pattern && strings.ContainsAny(value, "%_"):
		return Filter{err: inexpressible("in the text of %s the server takes %% and _ for wildcards: %s; say erp.Pattern if that is wanted", name, quote(value))}
	}
	quoted, err := quoteText(value)
	if err != nil {
		return Filter{err: err}
	}
	return Filter{text: name + "(" + operand + "," + quoted + ")", kind: filterFunction}
}
