package sqlite

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/internal/sqlquote"
)

// condition renders a boolean expression.
func (r *renderer) condition(n *pg_query.Node, l *level, ctes *cte, what string) string {
	e := r.expr(n, l, ctes)
	return r.boolean(e, location(n), what).sql
}

func (r *renderer) boolean(e expr, at int32, what string) expr {
	return r.implied(e, "bool", at, "a condition in "+what)
}

// expr renders an expression. In the output of a grouped SELECT an expression
// equal to one that is grouped by stands for the group's value.
func (r *renderer) expr(n *pg_query.Node, l *level, ctes *cte) expr {
	if l.keys != nil && !l.inAgg && len(l.groups) > 0 && !hasSublink(n) && n.GetAConst() == nil && n.GetColumnRef() == nil {
		keys := l.keys
		l.keys = nil
		e := r.node(n, l, ctes)
		l.keys = keys
		if i, ok := keys[e.sql]; ok {
			return l.grouped(i)
		}
	}
	return r.node(n, l, ctes)
}

func (r *renderer) node(n *pg_query.Node, l *level, ctes *cte) expr {
	switch v := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		return r.columnRef(v.ColumnRef, l)
	case *pg_query.Node_AConst:
		return r.constant(v.AConst)
	case *pg_query.Node_ParamRef:
		return r.paramRef(v.ParamRef)
	case *pg_query.Node_AExpr:
		return r.operation(v.AExpr, l, ctes)
	case *pg_query.Node_BoolExpr:
		return r.boolExpr(v.BoolExpr, l, ctes)
	case *pg_query.Node_NullTest:
		return r.nullTest(v.NullTest, l, ctes)
	case *pg_query.Node_BooleanTest:
		return r.booleanTest(v.BooleanTest, l, ctes)
	case *pg_query.Node_TypeCast:
		typ, mod := r.typeName(v.TypeCast.GetTypeName())
		return r.coerce(r.expr(v.TypeCast.GetArg(), l, ctes), typ, mod, v.TypeCast.GetLocation())
	case *pg_query.Node_CaseExpr:
		return r.caseExpr(v.CaseExpr, l, ctes)
	case *pg_query.Node_CoalesceExpr:
		return r.coalesce(v.CoalesceExpr.GetArgs(), l, ctes, v.CoalesceExpr.GetLocation())
	case *pg_query.Node_MinMaxExpr:
		return r.minMax(v.MinMaxExpr, l, ctes)
	case *pg_query.Node_FuncCall:
		return r.call(v.FuncCall, l, ctes)
	case *pg_query.Node_SubLink:
		return r.subLink(v.SubLink, l, ctes)
	case *pg_query.Node_SqlvalueFunction:
		return r.valueFunction(v.SqlvalueFunction)
	case *pg_query.Node_RowExpr:
		refuse(v.RowExpr.GetLocation(), "a row as a value", "name its columns")
	case *pg_query.Node_AArrayExpr:
		untranslated(v.AArrayExpr.GetLocation(), "ARRAY")
	case *pg_query.Node_GroupingFunc:
		return r.grouping(v.GroupingFunc, l, ctes)
	case *pg_query.Node_CollateClause:
		untranslated(v.CollateClause.GetLocation(), "COLLATE")
	}
	untranslated(location(n), "this expression")
	return expr{}
}

func (r *renderer) constant(c *pg_query.A_Const) expr {
	if c.GetIsnull() {
		return expr{typ: unknown, null: true}
	}
	switch v := c.GetVal().(type) {
	case *pg_query.A_Const_Ival:
		return expr{sql: strconv.Itoa(int(v.Ival.GetIval())), typ: "int4"}
	case *pg_query.A_Const_Fval:
		text := v.Fval.GetFval()
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return expr{sql: literal(n), typ: "int8"}
		}
		d, err := parseDecimal(text)
		if err != nil {
			refuse(c.GetLocation(), "this number")
		}
		return expr{sql: sqlquote.Text(d.String()), typ: "numeric"}
	case *pg_query.A_Const_Boolval:
		return expr{sql: literal(boolValue(v.Boolval.GetBoolval())), typ: "bool"}
	case *pg_query.A_Const_Sval:
		text := v.Sval.GetSval()
		return expr{typ: unknown, lit: &text}
	}
	untranslated(c.GetLocation(), "a bit string")
	return expr{}
}

func (r *renderer) paramRef(p *pg_query.ParamRef) expr {
	n := p.GetNumber()
	if n < 1 || n > 1000 {
		refuse(p.GetLocation(), "this parameter")
	}
	if int(n) <= len(r.params) && r.params[n-1] != "" {
		typ := r.params[n-1]
		return expr{sql: r.parameter(n, typ, -1, p.GetLocation()), typ: typ}
	}
	return expr{typ: unknown, param: n}
}

func (r *renderer) boolExpr(b *pg_query.BoolExpr, l *level, ctes *cte) expr {
	var parts []string
	word := map[pg_query.BoolExprType]string{pg_query.BoolExprType_AND_EXPR: " AND ", pg_query.BoolExprType_OR_EXPR: " OR ", pg_query.BoolExprType_NOT_EXPR: "NOT "}[b.GetBoolop()]
	for _, a := range b.GetArgs() {
		parts = append(parts, r.boolean(r.expr(a, l, ctes), location(a), strings.TrimSpace(word)).sql)
	}
	if b.GetBoolop() == pg_query.BoolExprType_NOT_EXPR {
		return expr{sql: "(NOT " + parts[0] + ")", typ: "bool"}
	}
	return expr{sql: balanced(parts, word), typ: "bool"}
}

// balanced chains many conditions as a tree, as SQLite bounds the depth of
// expressions.
func balanced(parts []string, word string) string {
	if len(parts) <= 50 {
		return "(" + strings.Join(parts, word) + ")"
	}
	half := len(parts) / 2
	return "(" + balanced(parts[:half], word) + word + balanced(parts[half:], word) + ")"
}

func (r *renderer) nullTest(t *pg_query.NullTest, l *level, ctes *cte) expr {
	not := t.GetNulltesttype() == pg_query.NullTestType_IS_NOT_NULL
	if row := t.GetArg().GetRowExpr(); row != nil {
		var parts []string
		for _, a := range row.GetArgs() {
			parts = append(parts, r.isNull(r.expr(a, l, ctes), not, t.GetLocation()))
		}
		if len(parts) == 0 {
			refuse(t.GetLocation(), "an empty row")
		}
		return expr{sql: "(" + strings.Join(parts, " AND ") + ")", typ: "bool"}
	}
	return expr{sql: r.isNull(r.expr(t.GetArg(), l, ctes), not, t.GetLocation()), typ: "bool"}
}

func (r *renderer) isNull(e expr, not bool, at int32) string {
	if e.typ == unknown {
		e = r.coerce(e, "text", -1, at)
	}
	if not {
		return "(" + e.sql + " IS NOT NULL)"
	}
	return "(" + e.sql + " IS NULL)"
}

func (r *renderer) booleanTest(t *pg_query.BooleanTest, l *level, ctes *cte) expr {
	e := r.boolean(r.expr(t.GetArg(), l, ctes), t.GetLocation(), "IS")
	test := map[pg_query.BoolTestType]string{
		pg_query.BoolTestType_IS_TRUE: "IS 1", pg_query.BoolTestType_IS_NOT_TRUE: "IS NOT 1",
		pg_query.BoolTestType_IS_FALSE: "IS 0", pg_query.BoolTestType_IS_NOT_FALSE: "IS NOT 0",
		pg_query.BoolTestType_IS_UNKNOWN: "IS NULL", pg_query.BoolTestType_IS_NOT_UNKNOWN: "IS NOT NULL",
	}[t.GetBooltesttype()]
	if test == "" {
		refuse(t.GetLocation(), "this test")
	}
	return expr{sql: "(" + e.sql + " " + test + ")", typ: "bool"}
}

func (r *renderer) caseExpr(c *pg_query.CaseExpr, l *level, ctes *cte) expr {
	at := c.GetLocation()
	var subject *expr
	if c.GetArg() != nil {
		e := r.expr(c.GetArg(), l, ctes)
		if e.typ == unknown {
			e = r.coerce(e, "text", -1, at)
		}
		subject = &e
	}
	var conds []string
	var results []expr
	for _, n := range c.GetArgs() {
		w := n.GetCaseWhen()
		cond := r.expr(w.GetExpr(), l, ctes)
		if subject != nil {
			cond = r.compare("=", *subject, cond, w.GetLocation())
		}
		conds = append(conds, r.boolean(cond, w.GetLocation(), "CASE").sql)
		results = append(results, r.expr(w.GetResult(), l, ctes))
	}
	otherwise := expr{typ: unknown, null: true}
	if c.GetDefresult() != nil {
		otherwise = r.expr(c.GetDefresult(), l, ctes)
	}
	results, typ := r.together(append(results, otherwise), at, "CASE")
	var b strings.Builder
	b.WriteString("(CASE")
	for i, cond := range conds {
		b.WriteString(" WHEN " + cond + " THEN " + results[i].sql)
	}
	b.WriteString(" ELSE " + results[len(conds)].sql + " END)")
	return expr{sql: b.String(), typ: typ, integer: results[0].integer}
}

func (r *renderer) exprs(nodes []*pg_query.Node, l *level, ctes *cte) []expr {
	out := make([]expr, len(nodes))
	for i, n := range nodes {
		if n.GetNamedArgExpr() != nil {
			refuse(n.GetNamedArgExpr().GetLocation(), "named arguments")
		}
		out[i] = r.expr(n, l, ctes)
	}
	return out
}

func (r *renderer) coalesce(args []*pg_query.Node, l *level, ctes *cte, at int32) expr {
	list, typ := r.together(r.exprs(args, l, ctes), at, "COALESCE")
	if len(list) == 1 {
		return list[0]
	}
	return expr{sql: "coalesce(" + join(list, ",") + ")", typ: typ, integer: list[0].integer}
}

func join(list []expr, between string) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = e.sql
	}
	return strings.Join(parts, between)
}

func (r *renderer) minMax(m *pg_query.MinMaxExpr, l *level, ctes *cte) expr {
	sign := "-1"
	if m.GetOp() == pg_query.MinMaxOp_IS_GREATEST {
		sign = "1"
	}
	list, typ := r.together(r.exprs(m.GetArgs(), l, ctes), m.GetLocation(), "GREATEST and LEAST")
	r.key(expr{sql: "x", typ: typ}, m.GetLocation())
	return expr{sql: "pg_extreme(" + sign + "," + sqlquote.Text(typ) + "," + join(list, ",") + ")", typ: typ, integer: list[0].integer}
}

func valueFunctionName(op pg_query.SQLValueFunctionOp) string {
	switch op {
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE:
		return "current_date"
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME, pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:
		return "current_time"
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP, pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N:
		return "current_timestamp"
	case pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME, pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME_N:
		return "localtime"
	case pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP, pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:
		return "localtimestamp"
	}
	return ""
}

// now is the time of the statement, the same wherever it stands in it.
const now = "pg_stored('timestamp',strftime('%Y-%m-%d %H:%M:%f','now'))"

func (r *renderer) valueFunction(f *pg_query.SQLValueFunction) expr {
	switch f.GetOp() {
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE:
		return expr{sql: "date('now')", typ: "date"}
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP:
		return expr{sql: now, typ: "timestamptz"}
	case pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP:
		return expr{sql: now, typ: "timestamp"}
	}
	untranslated(f.GetLocation(), "this function without parentheses")
	return expr{}
}

// subLink renders a subquery in an expression.
func (r *renderer) subLink(s *pg_query.SubLink, l *level, ctes *cte) expr {
	at := s.GetLocation()
	sub := s.GetSubselect().GetSelectStmt()
	if s.GetSubLinkType() == pg_query.SubLinkType_EXISTS_SUBLINK {
		return expr{sql: "EXISTS (" + r.selectStmt(sub, l, ctes, selectOptions{}).sql + ")", typ: "bool"}
	}
	q := r.selectStmt(sub, l, ctes, selectOptions{})
	switch s.GetSubLinkType() {
	case pg_query.SubLinkType_EXPR_SUBLINK:
		if len(q.cols) != 1 {
			refuse(at, "a subquery of several columns as a value")
		}
		e := q.cols[0].e
		if q.single {
			e.sql = "(" + q.sql + ")"
			return e
		}
		a := sqlquote.Name(r.alias("s"))
		e.sql = "(SELECT pg_single(" + a + "." + sqlquote.Name(q.cols[0].sqlName) + ") FROM (" + q.sql + ") AS " + a + ")"
		return e
	case pg_query.SubLinkType_ANY_SUBLINK, pg_query.SubLinkType_ALL_SUBLINK:
		return r.quantified(s, q, l, ctes)
	}
	untranslated(at, "this kind of subquery")
	return expr{}
}

// quantified is IN, op ANY and op ALL of a subquery.
func (r *renderer) quantified(s *pg_query.SubLink, q query, l *level, ctes *cte) expr {
	at := s.GetLocation()
	tests := []*pg_query.Node{s.GetTestexpr()}
	if row := s.GetTestexpr().GetRowExpr(); row != nil {
		tests = row.GetArgs()
	}
	op := "="
	if len(s.GetOperName()) > 0 {
		op = lastName(s.GetOperName())
	}
	if len(tests) != len(q.cols) {
		refuse(at, "a comparison with a subquery of another number of columns")
	}
	a := sqlquote.Name(r.alias("s"))
	var parts []string
	for i, t := range tests {
		c := q.cols[i].e
		c.sql = a + "." + sqlquote.Name(q.cols[i].sqlName)
		parts = append(parts, r.operator(op, r.expr(t, l, ctes), c, at).sql)
	}
	if len(parts) > 1 && op != "=" && op != "<>" {
		untranslated(at, "comparing rows with "+op+" and a subquery")
	}
	word := " AND "
	if op == "<>" {
		word = " OR "
	}
	test := "(" + strings.Join(parts, word) + ")"
	from := " FROM (" + q.sql + ") AS " + a + " WHERE "
	found, missing := "EXISTS (SELECT 1"+from+test+")", "EXISTS (SELECT 1"+from+test+" IS NULL)"
	if s.GetSubLinkType() == pg_query.SubLinkType_ALL_SUBLINK {
		failed := "EXISTS (SELECT 1" + from + "NOT " + test + ")"
		return expr{sql: "(CASE WHEN " + failed + " THEN 0 WHEN " + missing + " THEN NULL ELSE 1 END)", typ: "bool"}
	}
	if op == "=" && len(tests) == 1 {
		// SQLite's own IN can use an index it makes once.
		if e, ok := r.in(r.expr(tests[0], l, ctes), q); ok {
			return e
		}
	}
	return expr{sql: "(CASE WHEN " + found + " THEN 1 WHEN " + missing + " THEN NULL ELSE 0 END)", typ: "bool"}
}

// in is IN of a subquery where both sides have the same form.
func (r *renderer) in(left expr, q query) (expr, bool) {
	c := q.cols[0].e
	same := left.typ == c.typ && left.integer == c.integer || isText(left.typ) && isText(c.typ) && left.typ != "bpchar" && c.typ != "bpchar" ||
		(isInt(left.typ) || left.integer) && (isInt(c.typ) || c.integer)
	if !same || category(left.typ) == 'A' {
		return expr{}, false
	}
	return expr{sql: "(" + r.key(left, -1) + " IN (" + q.sql + "))", typ: "bool"}, true
}
