package filter

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Filter is a filter as it was read: alternatives (or) of conjunctions (and)
// of terms, the way SQL ranks the two words. A filter without alternatives
// lets everything through.
type Filter struct {
	Alternatives [][]Term
}

// Term is a [Group], a [Match] or a [Comparison].
type Term interface{ term() }

// Group is a filter in parentheses.
type Group struct{ Filter *Filter }

// Match is a call of contains, startswith or endswith.
type Match struct {
	Not      bool
	Function string
	Operand  Operand
	Value    string // without its first and last character, whatever they were
}

// Comparison is operand, operator, right-hand side.
type Comparison struct {
	Operand  Operand
	Operator string   // eq neq gt ge lt le in
	Fold     Fold     // of the right-hand side
	Value    string   // as it was written, quotes included
	List     []string // operator in: the values as they were written
}

func (Group) term()      {}
func (Match) term()      {}
func (Comparison) term() {}

// Operand is a column name, perhaps inside tolower or toupper.
type Operand struct {
	Column string
	Fold   Fold
}

// Fold says what is done to a text before it is compared.
type Fold string

// The folds, by the SQL function that does them.
const (
	NoFold Fold = ""
	Lower  Fold = "erp_lower"
	Upper  Fold = "erp_upper"
)

func foldOf(function string) (Fold, bool) {
	switch function {
	case "tolower":
		return Lower, true
	case "toupper":
		return Upper, true
	}
	return NoFold, false
}

var operators = []string{"eq", "neq", "gt", "ge", "lt", "le", "in"}

// Parse reads a $filter. Blank text is a filter that lets everything through.
func Parse(text string) (*Filter, error) {
	if len(text) > MaxLength {
		return nil, bad("The filter is longer than %d bytes", MaxLength)
	}
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
		return nil, bad("The filter is not valid text")
	}
	if trim(text) == "" {
		return &Filter{}, nil
	}
	p := &parser{left: MaxTerms}
	return p.filter(text, 0)
}

type parser struct{ left int }

func (p *parser) filter(text string, depth int) (*Filter, error) {
	if depth > MaxDepth {
		return nil, bad("Parentheses are nested deeper than %d", MaxDepth)
	}
	words, err := tokens(text)
	if err != nil {
		return nil, err
	}
	in := &words
	f := &Filter{}
	var all []Term
	for {
		t, err := p.term(in, depth)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
		if len(*in) == 0 {
			f.Alternatives = append(f.Alternatives, all)
			return f, nil
		}
		switch word := next(in); {
		case strings.EqualFold(word, "and"):
		case strings.EqualFold(word, "or"):
			f.Alternatives = append(f.Alternatives, all)
			all = nil
		default:
			return nil, bad("Unsupported logical operator: %s", word)
		}
	}
}

func next(in *[]string) string {
	if len(*in) == 0 {
		return ""
	}
	word := (*in)[0]
	*in = (*in)[1:]
	return word
}

func (p *parser) term(in *[]string, depth int) (Term, error) {
	if p.left--; p.left < 0 {
		return nil, bad("The filter has more than %d conditions", MaxTerms)
	}
	if len(*in) == 0 {
		return nil, truncated()
	}
	word := next(in)
	if enclosed(word) {
		inner, err := p.filter(word[1:len(word)-1], depth+1)
		if err != nil {
			return nil, err
		}
		return Group{Filter: inner}, nil
	}
	not := strings.EqualFold(word, "not")
	if not {
		if len(*in) == 0 {
			return nil, truncated()
		}
		word = next(in)
	}
	name, arguments, isCall := call(word)
	if isCall && isMatch(name) {
		m, err := match(name, arguments)
		m.Not = not
		return m, err
	}
	if not {
		return nil, bad("Operator not is only supported directly before a string function: not %s", word)
	}
	operand := Operand{Column: word}
	if isCall {
		fold, ok := foldOf(name)
		if !ok {
			return nil, notImplemented(name)
		}
		operand = Operand{Column: trim(arguments), Fold: fold}
	}
	return comparison(operand, in)
}

func comparison(operand Operand, in *[]string) (Term, error) {
	if len(*in) == 0 {
		return nil, truncated()
	}
	c := Comparison{Operand: operand, Operator: next(in)}
	if !slices.Contains(operators, c.Operator) {
		return nil, bad("Unsupported operator: %s", c.Operator)
	}
	if len(*in) == 0 {
		return nil, truncated()
	}
	c.Value = next(in)
	if c.Operator == "in" {
		if !enclosed(c.Value) {
			return nil, bad("Operator in needs a list of values in parentheses: %s", c.Value)
		}
		for v := range strings.SplitSeq(c.Value[1:len(c.Value)-1], ",") {
			c.List = append(c.List, trim(v))
		}
		c.Value = ""
		return c, nil
	}
	if name, argument, ok := call(c.Value); ok {
		if fold, ok := foldOf(name); ok {
			c.Fold, c.Value = fold, trim(argument)
		}
	}
	if c.Value == "null" && c.Operator != "eq" && c.Operator != "neq" {
		return nil, bad("Operator %s cannot be used with null", c.Operator)
	}
	return c, nil
}

func isMatch(function string) bool {
	return function == "contains" || function == "startswith" || function == "endswith"
}

// match reads the arguments of a string function. The value loses its first
// and last character without a look at them, so only a quoted one is searched
// as it was meant.
func match(function, arguments string) (Match, error) {
	m := Match{Function: function}
	parts := split(arguments, ',')
	if len(parts) < 2 {
		return m, broken("%s needs a column and a value", function)
	}
	value := trim(strings.Join(parts[1:], ","))
	if strings.ContainsAny(value, "()") {
		return m, broken("The value of %s cannot contain parentheses", function)
	}
	if len(value) < 2 {
		return m, broken("The value of %s is not quoted", function)
	}
	_, first := utf8.DecodeRuneInString(value)
	_, last := utf8.DecodeLastRuneInString(value)
	if first+last > len(value) {
		return m, broken("The value of %s is not quoted", function)
	}
	m.Value = value[first : len(value)-last]
	m.Operand.Column = trim(parts[0])
	if name, argument, ok := call(m.Operand.Column); ok {
		fold, known := foldOf(name)
		if !known {
			return m, notImplemented(name)
		}
		m.Operand = Operand{Column: trim(argument), Fold: fold}
	}
	return m, nil
}

func notImplemented(function string) error {
	return broken("Method call '%s' not implemented", function)
}

func truncated() error { return broken("The expression ends where more was expected") }
