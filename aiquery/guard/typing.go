package guard

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// typing finds the types of expressions that are resolved, as far as what can fail
// depends on them. "" is a type that is not known.
type typing struct {
	r *resolver
	e env
}

const (
	rowType = "record"  // of a row
	untyped = "unknown" // a constant or a parameter, which becomes what is beside it
)

func isArray(typ string) bool { return strings.HasPrefix(typ, "_") }
func isFloat(typ string) bool { return typ == "float4" || typ == "float8" }
func isWhole(typ string) bool { return typ == "int2" || typ == "int4" || typ == "int8" }

// perhapsArray reports whether a value may be an array.
func (t typing) perhapsArray(n *pg.Node) bool {
	typ := t.of(n)
	return typ == "" || isArray(typ)
}

// of is the type of an expression.
func (t typing) of(n *pg.Node) string {
	switch m := content(n).(type) {
	case *pg.ColumnRef:
		if c := t.r.columnOf(n, t.e); c != nil {
			return c.kind
		}
	case *pg.ParamRef:
		if i := int(m.Number) - 1; i < len(t.r.job.used) && t.r.job.used[i] > 1 {
			return "" // one of its other places may make it a floating-point number
		}
		return untyped
	case *pg.A_Const:
		return constantType(m)
	case *pg.TypeCast:
		if len(m.TypeName.ArrayBounds) > 0 {
			return "_" + typeName(m.TypeName)
		}
		return typeName(m.TypeName)
	case *pg.SQLValueFunction:
		return clockTypes[m.Op]
	case *pg.BoolExpr, *pg.NullTest, *pg.BooleanTest:
		return "bool"
	case *pg.GroupingFunc:
		return "int4"
	case *pg.RowExpr:
		return rowType
	case *pg.CollateClause:
		return "text"
	case *pg.SubLink:
		switch m.SubLinkType {
		case pg.SubLinkType_EXPR_SUBLINK:
			return t.ofSubquery(m)
		case pg.SubLinkType_ARRAY_SUBLINK:
			return "_" + t.ofSubquery(m)
		}
		return "bool"
	case *pg.A_Expr:
		return t.ofOperator(m)
	case *pg.FuncCall:
		return t.ofCall(m)
	case *pg.A_ArrayExpr:
		return "_" + t.common(m.Elements)
	case *pg.CoalesceExpr:
		return t.common(m.Args)
	case *pg.MinMaxExpr:
		return t.common(m.Args)
	case *pg.CaseExpr:
		results := []*pg.Node{m.Defresult}
		for _, w := range m.Args {
			results = append(results, w.GetCaseWhen().GetResult())
		}
		return t.common(results)
	case *pg.A_Indirection:
		if of := t.of(m.Arg); len(m.Indirection) == 1 && m.Indirection[0].GetAIndices() != nil && !m.Indirection[0].GetAIndices().IsSlice && isArray(of) {
			return of[1:]
		}
	}
	return ""
}

// ofSubquery is the type of what a subquery returns.
func (t typing) ofSubquery(m *pg.SubLink) string {
	switch cols := t.r.subtype[m]; len(cols) {
	case 0:
		return ""
	case 1:
		return cols[0]
	}
	return rowType
}

func constantType(m *pg.A_Const) string {
	switch {
	case m.GetIval() != nil, m.GetFval() != nil:
		_, typ := numberOf(m)
		return typ
	case m.GetBoolval() != nil:
		return "bool"
	case m.GetBsval() != nil:
		return "bit"
	}
	return untyped
}

var clockTypes = map[pg.SQLValueFunctionOp]string{
	pg.SQLValueFunctionOp_SVFOP_CURRENT_DATE: "date", pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME: "timetz", pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N: "timetz",
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP: "timestamptz", pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: "timestamptz",
	pg.SQLValueFunctionOp_SVFOP_LOCALTIME: "time", pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N: "time",
	pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP: "timestamp", pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N: "timestamp",
}

// common is the type that values of several have together.
func (t typing) common(nodes []*pg.Node) string {
	typ := untyped
	for _, n := range nodes {
		if n != nil && n.Node != nil {
			typ = commonType(typ, t.of(n))
		}
	}
	if typ == untyped { // texts
		return "text"
	}
	return typ
}

func commonType(a, b string) string {
	rank := map[string]int{"int2": 1, "int4": 2, "int8": 3, "numeric": 4}
	switch {
	case a == b, b == untyped:
		return a
	case a == untyped:
		return b
	case rank[a] > 0 && rank[b] > 0:
		if rank[a] > rank[b] {
			return a
		}
		return b
	case families[a] == textFamily && families[b] == textFamily:
		return "text"
	}
	return ""
}

func (t typing) ofOperator(m *pg.A_Expr) string {
	name, _ := lastName(m.Name)
	switch {
	case m.Kind == pg.A_Expr_Kind_AEXPR_NULLIF:
		return t.of(m.Lexpr)
	case m.Kind != pg.A_Expr_Kind_AEXPR_OP, conditions[name]:
		return "bool"
	}
	b := t.of(m.Rexpr)
	if m.Lexpr == nil {
		return b
	}
	a := t.of(m.Lexpr)
	switch name {
	case "||":
		if families[a] == textFamily || families[b] == textFamily {
			return "text"
		}
		if a == "jsonb" && b == a {
			return a
		}
	case "->>", "#>>":
		return "text"
	case "->", "#>":
		return a
	case "+", "-", "*", "/", "%":
		if families[a] == timeFamily || families[b] == timeFamily {
			return ofTimes(name, a, b)
		}
		if typ := commonType(a, b); families[typ] == numberFamily {
			return typ
		}
	}
	return ""
}

// conditions are the operators whose result is a truth value.
var conditions = set(`= <> != < > <= >= ~~ !~~ ~~* !~~* ~* !~ !~* ^@ @> <@ ? ?| ?& @? && -|- &< &>`)

// ofTimes is the type of a sum with times.
func ofTimes(op, a, b string) string {
	switch {
	case op == "-" && a == "date" && b == "date":
		return "int4"
	case op == "-" && families[a] == timeFamily && families[b] == timeFamily:
		return "interval"
	case a == "date" && isWhole(b), b == "date" && isWhole(a):
		return "date"
	case b == "interval" && families[a] == timeFamily:
		return timeOf(a)
	case a == "interval" && families[b] == timeFamily:
		return timeOf(b)
	}
	return ""
}

func timeOf(typ string) string {
	if typ == "date" {
		return "timestamp"
	}
	return typ
}

// returnTypes are the types that functions return whatever they are given.
var returnTypes = func() map[string]string {
	table := map[string]string{}
	for typ, names := range map[string]string{
		"int4": `length char_length character_length octet_length bit_length strpos position ascii cardinality array_length num_nulls num_nonnulls
			json_array_length jsonb_array_length ntile`,
		"int8":        "count row_number rank dense_rank",
		"bool":        "bool_and bool_or every starts_with isfinite regexp_like jsonb_path_exists overlaps isempty",
		"float8":      "percent_rank cume_dist date_part sqrt float8 cbrt degrees radians pi sin cos tan asin acos atan atan2 corr",
		"numeric":     "extract numeric to_number",
		"timestamptz": "now transaction_timestamp timestamptz to_timestamp",
		"timestamp":   "timestamp make_timestamp",
		"date":        "date make_date to_date",
		"interval":    "make_interval justify_days justify_hours justify_interval age interval",
		"jsonb":       "to_jsonb jsonb_agg jsonb_object_agg jsonb_build_object jsonb_build_array jsonb_set jsonb_strip_nulls jsonb_extract_path",
		"text": `lower upper initcap trim btrim ltrim rtrim substr substring left right lpad rpad replace translate reverse concat concat_ws overlay format
			to_char md5 string_agg split_part regexp_replace regexp_substr array_to_string quote_literal to_hex chr text jsonb_extract_path_text json_extract_path_text`,
		"_text": "string_to_array regexp_split_to_array regexp_match",
	} {
		for name := range strings.FieldsSeq(names) {
			table[name] = typ
		}
	}
	return table
}()

// returnsGiven are the functions that return what they are given first.
var returnsGiven = set(`min max lag lead first_value last_value nth_value any_value abs mode`)

func (t typing) ofCall(m *pg.FuncCall) string {
	name, _ := lastName(m.Funcname)
	if schema, _, _ := twoParts(m.Funcname); schema != catalog {
		return ""
	}
	given := ""
	if len(m.Args) > 0 {
		given = t.of(m.Args[0])
	}
	switch {
	case (name == "lower" || name == "upper") && families[given] != textFamily && given != untyped: // of a range
		return ""
	case returnTypes[name] != "":
		return returnTypes[name]
	case returnsGiven[name] && given != untyped:
		return given
	}
	switch name {
	case "round", "trunc", "ceil", "ceiling", "floor", "sign":
		switch {
		case given == "numeric", len(m.Args) > 1:
			return "numeric"
		case isWhole(given), isFloat(given):
			return "float8"
		}
	case "sum", "avg":
		switch {
		case name == "sum" && (given == "int2" || given == "int4"):
			return "int8"
		case isWhole(given), given == "numeric":
			return "numeric"
		}
	case "mod":
		return t.common(m.Args)
	case "array_agg":
		return "_" + given
	case "date_trunc":
		if len(m.Args) == 2 {
			switch typ := t.of(m.Args[1]); typ {
			case "timestamp", "interval":
				return typ
			case "date", "timestamptz":
				return "timestamptz"
			}
		}
	}
	return ""
}
