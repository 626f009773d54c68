package guard

import (
	"math"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// What cannot fail. An expression that this file does not prove sure is taken to
// be able to fail, whatever it is: a kind of node, an operator or a function that
// nobody thought of makes a statement slower, and does not tell of hidden rows.
//
// Two things are taken to be sure although they are not quite: sums of a time of a
// table and an interval, and times from dates. They fail within some 30,000 years of
// the end of the calendar and for infinity, which no client of the ERP writes.

// note remembers what of an expression may fail for some row.
func (r *resolver) note(m any, e env) {
	if r.job.own[m] {
		return
	}
	if what := r.mayFail(m, e); what != "" {
		r.job.failing = append(r.job.failing, what)
	}
}

// mayFail names what is computed here of parts that are computed already, "" if it
// cannot fail.
func (r *resolver) mayFail(m any, e env) string {
	t := typing{r, e}
	sure, what := false, "an expression"
	switch m := m.(type) {
	case *pg.A_Const, *pg.ParamRef, *pg.SQLValueFunction, *pg.ColumnRef, *pg.A_Star, *pg.String, *pg.Integer, *pg.Float, *pg.Boolean, *pg.BitString, *pg.List,
		*pg.TypeName, *pg.BoolExpr, *pg.BooleanTest, *pg.NullTest, *pg.CaseWhen, *pg.CollateClause, *pg.GroupingFunc, *pg.GroupingSet, *pg.NamedArgExpr,
		*pg.RowExpr, *pg.A_Indices, *pg.A_Indirection, *pg.SortBy, *pg.ResTarget:
		return ""
	case *pg.CoalesceExpr:
		sure, what = t.alike(m.Args), "COALESCE of numbers of several types"
	case *pg.MinMaxExpr:
		sure, what = t.alike(m.Args) && t.comparable(m.Args...), "GREATEST or LEAST"
	case *pg.CaseExpr:
		sure, what = t.caseSure(m), "CASE of values of several types"
	case *pg.A_ArrayExpr:
		sure, what = t.alike(m.Elements) && !slices.ContainsFunc(m.Elements, t.perhapsArray), "an array of arrays"
	case *pg.WindowDef:
		sure, what = frameSure(m), "the frame of a window"
	case *pg.TypeCast:
		sure, what = t.castSure(m), "the cast to "+typeName(m.TypeName)
	case *pg.A_Expr:
		name, _ := lastName(m.Name)
		sure, what = t.operatorSure(m), "the operator "+name
	case *pg.FuncCall:
		name, _ := lastName(m.Funcname)
		sure, what = t.callSure(m), name+"(…)"
	case *pg.SubLink:
		return t.sublinkFails(m)
	}
	if sure {
		return ""
	}
	return what
}

// caseSure reports whether CASE only compares and passes on.
func (t typing) caseSure(m *pg.CaseExpr) bool {
	var results, compared []*pg.Node
	for _, n := range m.Args {
		results = append(results, n.GetCaseWhen().GetResult())
		compared = append(compared, n.GetCaseWhen().GetExpr())
	}
	if m.Defresult != nil {
		results = append(results, m.Defresult)
	}
	if m.Arg != nil && !t.comparable(append(compared, m.Arg)...) {
		return false
	}
	return t.alike(results)
}

// frameSure reports whether the bounds of a window's frame are numbers of rows that
// are written out.
func frameSure(m *pg.WindowDef) bool {
	for _, n := range []*pg.Node{m.StartOffset, m.EndOffset} {
		if n != nil && (!countSure(n) || m.FrameOptions&frameRange != 0) {
			return false
		}
	}
	return true
}

// countSure reports whether a count of LIMIT is one that is not a negative number.
func countSure(n *pg.Node) bool {
	c := n.GetAConst()
	return n == nil || c != nil && (c.Isnull || c.GetIval() != nil && c.GetIval().Ival >= 0)
}

func (t typing) sublinkFails(m *pg.SubLink) string {
	switch m.SubLinkType {
	case pg.SubLinkType_EXISTS_SUBLINK:
		return ""
	case pg.SubLinkType_ARRAY_SUBLINK:
		if typ := t.ofSubquery(m); typ != "" && !isArray(typ) {
			return ""
		}
		return "an array of arrays"
	case pg.SubLinkType_EXPR_SUBLINK:
		if oneRow(m.Subselect.GetSelectStmt()) {
			return ""
		}
		return "a subquery that returns several rows"
	case pg.SubLinkType_ANY_SUBLINK, pg.SubLinkType_ALL_SUBLINK:
		op, _ := lastName(m.OperName)
		tested := []*pg.Node{m.Testexpr}
		if row := m.Testexpr.GetRowExpr(); row != nil {
			tested = row.Args
		}
		cols := t.r.subtype[m]
		sure := (op == "" || comparing[op]) && len(cols) == len(tested)
		for i := range tested {
			sure = sure && comparableTypes(t.of(tested[i]), cols[i])
		}
		if sure {
			return ""
		}
	}
	return "a comparison with the rows of a subquery"
}

// oneRow reports whether a SELECT returns one row at most, as can be seen.
func oneRow(s *pg.SelectStmt) bool {
	switch {
	case s.GetOp() != pg.SetOperation_SETOP_NONE:
		return false
	case s.GetLimitCount().GetAConst().GetIval().GetIval() == 1 && s.LimitOption != withTies:
		return true
	case slices.ContainsFunc(s.GetTargetList(), func(n *pg.Node) bool { return returnsSet(content(n)) }):
		return false
	case len(s.GetFromClause()) == 0:
		return len(s.GetValuesLists()) <= 1
	}
	return len(s.GetGroupClause()) == 0 && slices.ContainsFunc(s.GetTargetList(), func(n *pg.Node) bool { return aggregated(content(n)) })
}

// returnsSet reports whether an expression makes several rows of one.
func returnsSet(m any) bool {
	return hasCall(m, func(m *pg.FuncCall, name string) bool { _, several := tableFunctions[name]; return several })
}

// aggregated reports whether an expression is computed from all rows together.
func aggregated(m any) bool {
	return hasCall(m, func(m *pg.FuncCall, name string) bool { return aggregates[name] && m.Over == nil })
}

// hasCall looks for a call in an expression, but not in its subqueries.
func hasCall(m any, is func(m *pg.FuncCall, name string) bool) bool {
	switch m := m.(type) {
	case nil, *pg.SubLink:
		return false
	case *pg.FuncCall:
		if name, _ := lastName(m.Funcname); is(m, name) {
			return true
		}
	}
	found := false
	_ = children(m, func(c any) error {
		found = found || hasCall(c, is)
		return nil
	})
	return found
}

// castSure reports whether whatever is cast is a value of the type.
func (t typing) castSure(m *pg.TypeCast) bool {
	if fixed(m.Arg) || m.Arg.GetSqlvalueFunction() != nil { // it is read before any row is
		return true
	}
	to, from := typeName(m.TypeName), t.of(m.Arg)
	if len(m.TypeName.ArrayBounds) > 0 {
		return false
	}
	switch to {
	case "text", "varchar", "bpchar":
		return true
	case "date", "timestamp", "timestamptz":
		return families[from] == timeFamily
	}
	if len(m.TypeName.Typmods) > 0 || from == "" {
		return false
	}
	return to == from || slices.Contains(strings.Fields(wideningCasts[to]), from)
}

// wideningCasts are the types whose values all have one in another.
var wideningCasts = map[string]string{
	"int4": "int2", "int8": "int2 int4", "numeric": "int2 int4 int8 float4 float8",
	"float4": "int2 int4 int8", "float8": "int2 int4 int8 float4", "jsonb": "jsonb", "json": "jsonb",
}

// operatorSure reports whether an operator has a result for all values of its
// operands.
func (t typing) operatorSure(m *pg.A_Expr) bool {
	name, _ := lastName(m.Name)
	switch m.Kind {
	case pg.A_Expr_Kind_AEXPR_DISTINCT, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT, pg.A_Expr_Kind_AEXPR_NULLIF,
		pg.A_Expr_Kind_AEXPR_IN, pg.A_Expr_Kind_AEXPR_BETWEEN, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return t.compared(m.Lexpr, m.Rexpr)
	case pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE:
		return patternSure(m.Rexpr)
	case pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
		typ := t.of(m.Lexpr)
		return comparing[name] && typ != "" && typ != rowType && !isFloat(typ)
	case pg.A_Expr_Kind_AEXPR_OP:
	default:
		return false
	}
	switch name {
	case "~~", "!~~", "~~*", "!~~*":
		return patternSure(m.Rexpr)
	case "+", "-", "*":
		return t.sumSure(name, m.Lexpr, m.Rexpr)
	case "||":
		return families[t.of(m.Lexpr)] == textFamily || families[t.of(m.Rexpr)] == textFamily
	case "->", "->>":
		return t.of(m.Lexpr) == "jsonb"
	}
	if comparing[name] {
		return t.compared(m.Lexpr, m.Rexpr)
	}
	return operatorsNeverFail[name]
}

// operatorsNeverFail fail for no operands. Others have rules of their own.
var operatorsNeverFail = set(`@> <@ && ^@ ?`)

// patternSure reports whether a pattern of LIKE is written out and complete.
func patternSure(n *pg.Node) bool {
	s := n.GetAConst().GetSval()
	return s != nil && !strings.HasSuffix(s.Sval, `\`)
}

// compared reports whether the two sides of a comparison, lists and rows included,
// can be compared whatever their values are.
func (t typing) compared(l, r *pg.Node) bool {
	if items := r.GetList().GetItems(); items != nil {
		return !slices.ContainsFunc(items, func(n *pg.Node) bool { return !t.compared(l, n) })
	}
	a, b := l.GetRowExpr(), r.GetRowExpr()
	if a != nil && b != nil && len(a.Args) == len(b.Args) {
		for i := range a.Args {
			if !t.compared(a.Args[i], b.Args[i]) {
				return false
			}
		}
		return true
	}
	return t.comparable(l, r)
}

// comparable reports whether values can be compared with one another.
func (t typing) comparable(nodes ...*pg.Node) bool {
	for i := range nodes {
		for j := range i {
			if !comparableTypes(t.of(nodes[i]), t.of(nodes[j])) {
				return false
			}
		}
	}
	return true
}

// comparableTypes reports whether all values of two types can be compared. Those of
// rows cannot always, and the server knows which only when it does. A large number
// is not a floating-point one.
func comparableTypes(a, b string) bool {
	switch {
	case a == "" && b == "", a == rowType || b == rowType:
		return false
	}
	return !mixes(a, b)
}

// mixes reports whether a number of one type has to become a floating-point number,
// which large ones cannot.
func mixes(a, b string) bool {
	return a == "numeric" && (b == "" || isFloat(b)) || b == "numeric" && (a == "" || isFloat(a))
}

// alike reports whether values become ones of a common type without fail.
func (t typing) alike(nodes []*pg.Node) bool {
	floats, others := false, false
	for _, n := range nodes {
		switch typ := t.of(n); {
		case typ == "" || isFloat(typ):
			floats = true
		case typ == "numeric":
			others = true
		}
	}
	return !floats || !others
}

// countsOn reports whether a small number is added to a counter, which no statement
// can do for long enough.
func (t typing) countsOn(l *pg.Node, n *pg.Integer) bool {
	c := t.r.columnOf(l, t.e)
	return c != nil && c.counter && n != nil && n.Ival < 1000 && n.Ival > -1000
}

func isExact(typ string) bool { return typ == "numeric" || isWhole(typ) }

// sumSure reports whether a sum or product stays within its type.
func (t typing) sumSure(op string, l, r *pg.Node) bool {
	a, b := t.of(l), t.of(r)
	switch {
	case l == nil:
		return b == "numeric" || isFloat(b) || b != "int2" && t.bits(r) < 31
	case families[a] == timeFamily || families[b] == timeFamily:
		return t.timeSumSure(op, l, r)
	case a == "numeric" || b == "numeric":
		return isExact(a) && isExact(b)
	case !isWhole(a) || !isWhole(b):
		return false
	case op != "*" && t.countsOn(l, r.GetAConst().GetIval()):
		return true
	}
	most := map[string]int{"int2": 15, "int4": 31, "int8": 63}
	return t.resultBits(op, l, r) <= max(most[a], most[b]) // the result has the larger type
}

// timeSumSure is sumSure of a time and an interval, some days, or another time.
func (t typing) timeSumSure(op string, l, r *pg.Node) bool {
	a, b := t.of(l), t.of(r)
	short := func(n *pg.Node, typ string) bool { return shortInterval(n) || typ == "int4" && t.bits(n) < 31 }
	switch op {
	case "+":
		return families[a] == timeFamily && short(r, b) || families[b] == timeFamily && short(l, a)
	case "-":
		return families[a] == timeFamily && (short(r, b) || families[b] == timeFamily)
	}
	return false
}

// bits is how many bits the whole numbers of an expression have at most.
func (t typing) bits(n *pg.Node) int {
	switch m := content(n).(type) {
	case *pg.ColumnRef:
		if c := t.r.columnOf(n, t.e); c != nil && c.bits > 0 {
			return c.bits
		}
	case *pg.A_Const:
		if m.GetIval() != nil || m.GetFval() != nil {
			if text, typ := numberOf(m); typ != "numeric" {
				return 4 * len(text)
			}
		}
	case *pg.A_Expr:
		if name, _ := lastName(m.Name); m.Kind == pg.A_Expr_Kind_AEXPR_OP && slices.Contains([]string{"+", "-", "*"}, name) {
			return t.resultBits(name, m.Lexpr, m.Rexpr)
		}
	case *pg.FuncCall:
		name, _ := lastName(m.Funcname)
		switch returnTypes[name] {
		case "int4": // lengths
			return 30
		case "int8": // of rows
			return 48
		}
	}
	switch t.of(n) {
	case "int2":
		return 15
	case "int4":
		return 31
	}
	return 63
}

// resultBits are those of a sum, a difference or a product.
func (t typing) resultBits(op string, l, r *pg.Node) int {
	switch {
	case l == nil:
		return t.bits(r)
	case op == "*":
		return t.bits(l) + t.bits(r)
	}
	return max(t.bits(l), t.bits(r)) + 1
}

// shortInterval reports whether a value is an interval of some years at most.
func shortInterval(n *pg.Node) bool {
	m := n.GetTypeCast()
	s := m.GetArg().GetAConst().GetSval()
	return s != nil && typeName(m.TypeName) == "interval" && len(s.Sval) < 12 && len(m.TypeName.Typmods) <= 1
}

// callSure reports whether a function has a result for all values of its arguments.
func (t typing) callSure(m *pg.FuncCall) bool {
	name, _ := lastName(m.Funcname)
	if schema, _, _ := twoParts(m.Funcname); schema != catalog || m.FuncVariadic {
		return false
	}
	if parts, ok := partsOf[name]; ok {
		return len(m.Args) == 2 && partSure(parts, m.Args[0], t.of(m.Args[1]))
	}
	takes, ok := surely[name]
	if !ok || len(m.Args) > takes.most {
		return false
	}
	return !slices.ContainsFunc(m.Args, func(a *pg.Node) bool { return !takes.kind(t.of(a)) })
}

// surely are the functions that fail for no arguments of a kind, of which they have
// so many at most.
var surely = func() map[string]signature {
	any := func(string) bool { return true }
	ordered := func(typ string) bool { return typ != "" && typ != rowType }
	table := map[string]signature{}
	for _, row := range []struct {
		most  int
		kind  func(typ string) bool
		names string
	}{
		{0, any, "now transaction_timestamp row_number rank dense_rank percent_rank cume_dist"},
		{1, any, `lower upper initcap length char_length character_length octet_length bit_length reverse md5 ceil ceiling floor sign to_json
			first_value last_value count bool_and bool_or every any_value isfinite cardinality text json_agg`},
		{2, any, "left right strpos position starts_with btrim ltrim rtrim trim round trunc lag lead array_length string_agg"},
		{math.MaxInt, any, "concat concat_ws num_nulls num_nonnulls"},
		{1, ordered, "min max"},
		{1, func(typ string) bool { return typ == "numeric" }, "abs"},
		{1, func(typ string) bool { return typ == "numeric" || isWhole(typ) }, "sum avg"},
		// No array, and no json: jsonb has not all the letters that json may have.
		{1, func(typ string) bool { return ordered(typ) && typ != "json" && !isArray(typ) }, "to_jsonb jsonb_agg array_agg"},
		{1, func(typ string) bool { return families[typ] == timeFamily }, "date timestamp"},
	} {
		for name := range strings.FieldsSeq(row.names) {
			table[name] = signature{row.most, row.kind}
		}
	}
	return table
}()

type signature struct {
	most int
	kind func(typ string) bool
}

// partsOf are the functions of a part of a time, with the parts that they know of
// each type.
var partsOf = func() map[string]map[string]map[string]bool {
	const clock, calendar = "hour minute second milliseconds microseconds ", "year month day quarter century decade millennium "
	const ofDates = calendar + "week dow isodow doy isoyear epoch julian "
	extract := map[string]map[string]bool{"date": set(ofDates), "interval": set(clock + calendar + "epoch")}
	truncate := map[string]map[string]bool{}
	for _, typ := range []string{"timestamp", "timestamptz"} {
		extract[typ], truncate[typ] = set(clock+ofDates), set(clock+calendar+"week")
	}
	truncate["date"] = truncate["timestamp"]
	return map[string]map[string]map[string]bool{"extract": extract, "date_part": extract, "date_trunc": truncate}
}()

func partSure(parts map[string]map[string]bool, part *pg.Node, typ string) bool {
	return parts[typ][strings.ToLower(part.GetAConst().GetSval().GetSval())]
}
