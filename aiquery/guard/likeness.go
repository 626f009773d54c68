package guard

import (
	pg "github.com/pganalyze/pg_query_go/v6"
)

// likeness says whether equal values of an expression look the same. 1 and 1.00 are
// equal, and so are '1 day' and '24 hours': only the text tells rows apart that have
// such values and no others.
type likeness int

const (
	varied  likeness = iota // equal values may look different; so may those of which nothing is known
	alone                   // they look the same as long as none of another column is among them
	uniform                 // they look the same
	whole                   // they are whole numbers, of which sums and products are whole numbers
)

// together is how values look of which some have one likeness and some another.
func together(a, b likeness) likeness {
	if l := min(a, b); l != alone {
		return l
	}
	return varied
}

// likeness is how the values of a table's column look.
func (c *Column) likeness() likeness {
	switch {
	case c.Whole:
		return whole
	case c.Type == "bpchar": // all are filled up to the column's length
		return alone
	}
	return looks[c.Type]
}

// looks are those of types; all others are varied.
var looks = map[string]likeness{
	"int2": whole, "int4": whole, "int8": whole,
	"text": uniform, "varchar": uniform, "name": uniform, "char": uniform, "bool": uniform, "uuid": uniform, "bytea": uniform,
	"date": uniform, "timestamp": uniform, "timestamptz": uniform, "time": uniform,
}

// wholeNumbers are functions that return whole numbers, texts those that return text,
// a condition or a moment, and passingOn those whose results look as their arguments do.
var (
	wholeNumbers = set(`count row_number rank dense_rank ntile length char_length character_length octet_length bit_length strpos position ascii
		cardinality array_length`)
	texts = set(`lower upper initcap trim btrim ltrim rtrim substr substring left right lpad rpad replace translate reverse concat concat_ws
		to_char md5 string_agg split_part regexp_replace now bool_and bool_or every starts_with`)
	passingOn = set(`min max lag lead first_value last_value nth_value any_value date_trunc sum abs mod`)
)

// lookOf is how the values of an expression look, of whose parts the least uniform
// has the given look.
func lookOf(m any, parts likeness) likeness {
	switch m := m.(type) {
	case *pg.A_Const:
		switch {
		case m.GetIval() != nil:
			return whole
		case m.GetSval() != nil, m.GetBoolval() != nil:
			return uniform
		}
	case *pg.String: // the name of an operator
		return whole
	case *pg.BoolExpr, *pg.NullTest, *pg.BooleanTest:
		return uniform
	case *pg.A_Expr:
		return operatorLook(m, parts)
	case *pg.CaseExpr, *pg.CaseWhen, *pg.CoalesceExpr, *pg.MinMaxExpr, *pg.List:
		return together(parts, whole)
	}
	return varied
}

func operatorLook(m *pg.A_Expr, parts likeness) likeness {
	switch name, _ := lastName(m.Name); {
	case m.Kind == pg.A_Expr_Kind_AEXPR_NULLIF:
		return parts
	case m.Kind != pg.A_Expr_Kind_AEXPR_OP, comparing[name]:
		return uniform // a condition
	case name == "||":
		return together(parts, uniform)
	case parts == whole && (name == "+" || name == "-" || name == "*" || name == "/" || name == "%"):
		return whole
	}
	return varied
}

// callLook is how the results of a function look.
func callLook(name string, args likeness) likeness {
	switch {
	case wholeNumbers[name]:
		return whole
	case texts[name]:
		return uniform
	case passingOn[name]:
		return together(args, whole)
	}
	return varied
}

// keys are what tells values of a column, named so, apart which differ.
func (c *column) keys(n *pg.Node) []*pg.Node {
	switch {
	case c.unordered:
		return []*pg.Node{asText(n)}
	case c.look == varied:
		return []*pg.Node{n, asText(n)}
	}
	return []*pg.Node{n}
}
