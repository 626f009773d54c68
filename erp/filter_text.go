package erp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// FilterTerm is one condition in the text of a filter.
type FilterTerm struct {
	// Column is the column that is compared, without tolower or toupper.
	Column string
	// Operator is eq, neq, gt, ge, lt, le or in, or one of the functions
	// contains, startswith and endswith.
	Operator string
	// Values are the values it is compared with, as written: texts with their quotes. A
	// word without quotes may be the name of another column. Only in has more
	// than one.
	Values []string
}

// FilterError is a problem with the text of a filter. It is [ErrInvalid], and
// [ErrInexpressible] where the language has no way to say what was meant.
type FilterError struct {
	Problem string // such as: there is no operator "="
	Advice  string // such as: write IsActive eq true

	inexpressible bool
}

func (e *FilterError) Error() string { return "filter: " + e.Problem + "; " + e.Advice }

// Is reports whether target is ErrInvalid, or ErrInexpressible.
func (e *FilterError) Is(target error) bool {
	return target == ErrInvalid || target == ErrInexpressible && e.inexpressible
}

func wrongFilter(advice, problem string, args ...any) error {
	return &FilterError{Problem: fmt.Sprintf(problem, args...), Advice: advice}
}

func noWay(advice, problem string, args ...any) error {
	return &FilterError{Problem: fmt.Sprintf(problem, args...), Advice: advice, inexpressible: true}
}

// FilterTerms reads the text of a filter that somebody wrote, as the server
// would, and returns its conditions in order. It reports what the server refuses
// or, worse, takes for something else without a word: operators of other
// languages, texts with a quote in them. Columns and types of values are not
// looked at. The error is a [*FilterError]. Empty text gives no terms.
func FilterTerms(text string) ([]FilterTerm, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if strings.ContainsRune(text, 0) {
		return nil, wrongFilter("leave it out", "the text holds a NUL character")
	}
	r := filterReader{}
	if err := r.read(text, 0); err != nil {
		return nil, err
	}
	return r.terms, nil
}

const (
	filterOperators = "eq, neq, gt, ge, lt, le, in"
	filterFunctions = "contains, startswith, endswith, tolower, toupper"
	// filterDepth bounds parentheses in each other, more than the server bears.
	filterDepth = 200
)

type filterReader struct{ terms []FilterTerm }

func (r *filterReader) read(text string, depth int) error {
	if depth > filterDepth {
		return wrongFilter("use fewer", "the parentheses are nested too deep")
	}
	words, err := filterWords(text)
	if err != nil {
		return err
	}
	for {
		if words, err = r.term(words, depth); err != nil {
			return err
		}
		if len(words) == 0 {
			return nil
		}
		switch word := words[0]; {
		case strings.EqualFold(word, "and"), strings.EqualFold(word, "or"):
		case word == "&&", word == "||":
			return wrongFilter("write and, or", "%s joins no conditions", quote(word))
		default:
			return wrongFilter("join conditions by and, or; put single quotes around a text with blanks", "%s stands where and, or is expected", quote(word))
		}
		words = words[1:]
	}
}

// term reads one condition and returns the words after it.
func (r *filterReader) term(words []string, depth int) ([]string, error) {
	negated := len(words) > 0 && strings.EqualFold(words[0], "not")
	if negated {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil, wrongFilter("such as Name eq 'x'", "it ends where a condition is expected")
	}
	word := words[0]
	name, arguments, isCall := functionCall(word)
	if negated && !slices.Contains([]string{"contains", "startswith", "endswith"}, name) {
		return nil, noWay("negate the condition: neq for eq, lt for ge, and for or", "not works before contains, startswith and endswith only, not before %s", quote(word))
	}
	if inner, ok := enclosedText(word); ok {
		return words[1:], r.read(inner, depth+1)
	}
	column := word
	if isCall {
		switch name {
		case "contains", "startswith", "endswith":
			return words[1:], r.match(name, arguments)
		case "tolower", "toupper":
			column = strings.TrimSpace(arguments)
		default:
			return nil, unknownFunction(name)
		}
	}
	if m := gluedOperator().FindStringSubmatch(column); m != nil {
		return nil, otherOperator(m[1], m[2], m[3]+strings.Join(words[1:min(2, len(words))], ""))
	}
	if !isName(column) {
		return nil, wrongFilter("such as Name eq 'x'", "%s is not a name of a column", quote(column))
	}
	return r.comparison(column, words)
}

func (r *filterReader) comparison(column string, words []string) ([]string, error) {
	if len(words) == 1 {
		return nil, wrongFilter("such as "+clipPlain(column)+" eq 1; operators: "+filterOperators, "after %s an operator and a value are expected", quote(words[0]))
	}
	operator, value := words[1], strings.Join(words[2:min(3, len(words))], "")
	if !slices.Contains([]string{"eq", "neq", "gt", "ge", "lt", "le", "in"}, operator) {
		return nil, otherOperator(column, operator, value)
	}
	if value == "" {
		return nil, wrongFilter("such as "+clipPlain(column)+" "+operator+" 1", "after %s %s a value is expected", clipPlain(column), operator)
	}
	t := FilterTerm{Column: column, Operator: operator, Values: []string{value}}
	if operator == "in" {
		list, ok := enclosedText(value)
		if !ok {
			return nil, wrongFilter("such as "+clipPlain(column)+" in (1,2)", "in needs a list in parentheses")
		}
		t.Values = strings.Split(list, ",") // the server cuts at every comma
		for i, v := range t.Values {
			if t.Values[i] = strings.TrimSpace(v); strings.HasPrefix(t.Values[i], "'") && strings.Count(v, "'") == 1 {
				return nil, noWay("join conditions with eq by or", "text in a list must not hold commas: %s", quote(value))
			}
		}
	}
	for _, v := range t.Values {
		if err := checkFilterValue(v); err != nil {
			return nil, err
		}
	}
	r.terms = append(r.terms, t)
	return words[3:], nil
}

// match reads the arguments of contains, startswith and endswith.
func (r *filterReader) match(name, arguments string) error {
	column, value, ok := strings.Cut(arguments, ",")
	column, value = strings.TrimSpace(column), strings.TrimSpace(value)
	if !ok || column == "" {
		return wrongFilter("such as "+name+"(Name,'x')", "%s takes a column and a text", name)
	}
	if f, inner, ok := functionCall(column); ok {
		if f != "tolower" && f != "toupper" {
			return unknownFunction(f)
		}
		column = strings.TrimSpace(inner)
	}
	if !isName(column) {
		return wrongFilter("such as "+name+"(Name,'x')", "%s is not a name of a column", quote(column))
	}
	if len(value) < 2 || value[0] != '\'' {
		return wrongFilter(fmt.Sprintf("write %s(%s,'%s')", name, clipPlain(column), clipPlain(strings.Trim(value, `"`))), "the text of %s needs single quotes around it", name)
	}
	if err := checkFilterValue(value); err != nil {
		return err
	}
	if strings.ContainsAny(value, "()") {
		return noWay("search for a part without them", "the text of %s must not hold parentheses: %s", name, quote(value))
	}
	r.terms = append(r.terms, FilterTerm{Column: column, Operator: name, Values: []string{value}})
	return nil
}

// filterWords splits a filter as the server does: at blanks outside of quotes
// and parentheses, where parentheses count inside quotes as well.
func filterWords(text string) ([]string, error) {
	var words []string
	start, depth, quoted := -1, 0, false
	for i := range len(text) {
		c := text[i]
		if strings.IndexByte(" \t\r\n", c) >= 0 && !quoted && depth == 0 {
			if start >= 0 {
				words, start = append(words, text[start:i]), -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
		switch c {
		case '\'':
			quoted = !quoted
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return nil, wrongFilter("parentheses count inside texts, too", "a closing parenthesis has no partner: %s", quote(text))
		}
	}
	switch {
	case quoted:
		return nil, noWay(aroundQuote, "a text is not closed, or holds a single quote: %s", quote(text[start:]))
	case depth > 0:
		return nil, wrongFilter("parentheses count inside texts, too", "an opening parenthesis has no partner: %s", quote(text))
	}
	if start >= 0 {
		words = append(words, text[start:])
	}
	return words, nil
}

const aroundQuote = "the server knows no way to write a quote in a text, doubled or not: search for a part without it, such as contains(Name,'Brien'), or go by id"

// checkFilterValue reports a value that the server would not take as it was
// meant.
func checkFilterValue(v string) error {
	switch {
	case v == "":
		return wrongFilter("an empty text is '', no value at all is null", "a value is empty")
	case v[0] == '"':
		return wrongFilter("write '"+clipPlain(strings.Trim(v, `"`))+"'", "texts stand in single quotes")
	case v[0] != '\'' && strings.ContainsFunc(v, func(r rune) bool { return r > unicode.MaxASCII }):
		return wrongFilter("write '"+clipPlain(v)+"'", "texts stand in single quotes")
	case v[0] != '\'':
		return nil
	case len(v) < 2 || v[len(v)-1] != '\'':
		return noWay(aroundQuote, "a text ends before its last character: %s", quote(v))
	case strings.Contains(v[1:len(v)-1], "'"):
		return noWay(aroundQuote, "text with a single quote: %s", quote(v))
	}
	return nil
}

// gluedOperator finds an operator of another language written without blanks.
var gluedOperator = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_.]*)(<>|!=|>=|<=|==|=|>|<)(.*)$`)

// otherOperators are the server's names of operators that other languages
// write.
var otherOperators = map[string]string{
	"=": "eq", "==": "eq", "===": "eq", "equals": "eq", "is": "eq", "!=": "neq", "<>": "neq", "ne": "neq",
	">": "gt", ">=": "ge", "gte": "ge", "<": "lt", "<=": "le", "lte": "le",
}

// otherOperator is the error for an operator the server does not know, with
// what to write instead.
func otherOperator(column, operator, value string) error {
	lower := strings.ToLower(operator)
	column, value = clipPlain(column), clipPlain(value)
	value = cmp.Or(value, "1")
	wrong := func(advice string, args ...any) error {
		return wrongFilter(fmt.Sprintf(advice, args...), "there is no operator %s", quote(operator))
	}
	if lower == "is" && strings.EqualFold(value, "not") {
		return wrong("write %s neq null", column)
	}
	if own := otherOperators[lower]; own != "" {
		return wrong("write %s %s %s", column, own, value)
	}
	for own := range strings.SplitSeq(filterOperators, ", ") {
		if lower == own {
			return wrong("write it in small letters: %s %s %s", column, own, value)
		}
		if strings.HasPrefix(lower, own+"(") || strings.HasPrefix(lower, own+"'") {
			return wrong("write a blank on each side of %s", own)
		}
	}
	switch lower {
	case "like", "ilike", "contains", "startswith", "endswith":
		return wrong("write %s", matchCall(lower, column, strings.Trim(value, `'"`)))
	case "between":
		return wrong("write %s ge … and %s le …", column, column)
	case "not":
		return wrong("write neq, or not before contains, startswith or endswith")
	}
	return wrong("operators: %s; functions: %s", filterOperators, filterFunctions)
}

func matchCall(operator, column, pattern string) string {
	function, text := "contains", strings.Trim(pattern, "%")
	switch open, end := strings.HasPrefix(pattern, "%"), strings.HasSuffix(pattern, "%"); {
	case operator == "startswith" || end && !open:
		function = "startswith"
	case operator == "endswith" || open && !end:
		function = "endswith"
	}
	if operator == "ilike" {
		column, text = "tolower("+column+")", strings.ToLower(text)
	}
	return fmt.Sprintf("%s(%s,'%s')", function, column, text)
}

func unknownFunction(name string) error {
	for own := range strings.SplitSeq(filterFunctions, ", ") {
		if strings.EqualFold(name, own) {
			return wrongFilter("write "+own+" in small letters", "there is no function %s", quote(name))
		}
	}
	return wrongFilter("functions: "+filterFunctions, "there is no function %s", quote(name))
}

// enclosedText is what stands in the parentheses around all of s.
func enclosedText(s string) (string, bool) {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") || len(s) < 2 || balance(s[1:len(s)-1]) != 0 {
		return "", false
	}
	return s[1 : len(s)-1], true
}

// functionCall takes name(arguments) apart.
func functionCall(s string) (name, arguments string, ok bool) {
	open := strings.IndexByte(s, '(')
	if open <= 0 || strings.IndexByte(s[:open], '\'') >= 0 {
		return "", "", false
	}
	arguments, ok = enclosedText(s[open:])
	return s[:open], arguments, ok
}

// clipPlain shortens text that is quoted in an example, and keeps it on a line.
func clipPlain(text string) string {
	quoted := quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
