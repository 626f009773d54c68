package sqlite

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/aiquery/internal/run"
)

// operation renders an operator in one of its forms.
func (r *renderer) operation(x *pg_query.A_Expr, l *level, ctes *cte) expr {
	at := x.GetLocation()
	op := lastName(x.GetName())
	switch x.GetKind() {
	case pg_query.A_Expr_Kind_AEXPR_OP:
		if x.GetLexpr() == nil {
			return r.prefix(op, r.expr(x.GetRexpr(), l, ctes), at)
		}
		if a, b := x.GetLexpr().GetRowExpr(), x.GetRexpr().GetRowExpr(); a != nil && b != nil {
			return r.compareRows(op, r.exprs(a.GetArgs(), l, ctes), r.exprs(b.GetArgs(), l, ctes), at)
		}
		return r.operator(op, r.expr(x.GetLexpr(), l, ctes), r.expr(x.GetRexpr(), l, ctes), at)
	case pg_query.A_Expr_Kind_AEXPR_DISTINCT, pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		word := "IS NOT"
		if x.GetKind() == pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT {
			word = "IS"
		}
		return r.compare(word, r.expr(x.GetLexpr(), l, ctes), r.expr(x.GetRexpr(), l, ctes), at)
	case pg_query.A_Expr_Kind_AEXPR_NULLIF:
		a, b := r.expr(x.GetLexpr(), l, ctes), r.expr(x.GetRexpr(), l, ctes)
		equal := r.compare("=", a, b, at)
		switch {
		case a.typ == unknown, a.typ != b.typ && b.typ != unknown && !(isInt(a.typ) && isInt(b.typ)), a.typ == "varchar":
			typ := commonType([]expr{a, b}, at, "NULLIF")
			if typ == "varchar" {
				typ = "text"
			}
			a = r.coerce(a, typ, -1, at)
		}
		return expr{sql: "(CASE WHEN " + equal.sql + " THEN NULL ELSE " + a.sql + " END)", typ: a.typ, integer: a.integer}
	case pg_query.A_Expr_Kind_AEXPR_IN:
		return r.inList(x, op == "<>", l, ctes)
	case pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE, pg_query.A_Expr_Kind_AEXPR_SIMILAR:
		return r.like(x, op, l, ctes)
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return r.between(x, l, ctes)
	case pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_OP_ALL:
		return r.arrayTest(x, op, l, ctes)
	}
	refuse(at, "this form of the operator "+op)
	return expr{}
}

func (r *renderer) prefix(op string, e expr, at int32) expr {
	if e.typ == unknown {
		refuse(at, "the operator "+op+" on a literal without type", "cast it")
	}
	switch {
	case op == "+" && isNumber(e.typ):
		return e
	case op == "-" && isInt(e.typ):
		if strings.Trim(e.sql, "0123456789") == "" {
			return expr{sql: "(-" + e.sql + ")", typ: e.typ}
		}
		return expr{sql: "pg_arith('-'," + quoteText(e.typ) + ",0," + e.sql + ")", typ: e.typ}
	case op == "-" && isFloat(e.typ):
		return expr{sql: "(-" + e.sql + ")", typ: e.typ}
	case op == "-" && e.typ == "numeric":
		return expr{sql: "pg_neg_num(" + e.sql + ")", typ: "numeric"}
	case op == "-" && e.typ == "interval":
		return expr{sql: "pg_time_arith('interval*'," + e.sql + ",-1,'interval')", typ: "interval"}
	case op == "@" && isInt(e.typ):
		return expr{sql: "abs(" + e.sql + ")", typ: e.typ}
	case op == "@" && e.typ == "numeric":
		return expr{sql: "pg_abs_num(" + e.sql + ")", typ: e.typ}
	}
	refuse(at, "the operator "+op+" on "+e.typ)
	return expr{}
}

// operator is a binary operator.
func (r *renderer) operator(op string, a, b expr, at int32) expr {
	switch op {
	case "=", "<>", "<", ">", "<=", ">=":
		return r.compare(op, a, b, at)
	case "!=":
		return r.compare("<>", a, b, at)
	case "||":
		return r.concat(a, b, at)
	case "~~", "!~~", "~~*", "!~~*":
		return r.likeOf(op, a, b, "'\\'", at)
	case "~", "~*", "!~", "!~*":
		return r.regex(op, a, b, at)
	case "^@":
		return expr{sql: "pg_starts_with(" + r.asText(a, op, at) + "," + r.asText(b, op, at) + ")", typ: "bool"}
	case "+", "-", "*", "/", "%", "^", "&", "|", "#":
		return r.arithmetic(op, a, b, at)
	}
	refuse(at, "the operator "+op)
	return expr{}
}

func (r *renderer) asText(e expr, what string, at int32) string {
	return r.implied(e, "text", at, what+" on a value").sql
}

// compare brings both sides into one form. NULL compares to NULL unless op is
// IS or IS NOT.
func (r *renderer) compare(op string, a, b expr, at int32) expr {
	pair, typ := r.comparable(a, b, at)
	if typ == "numeric" && (pair[0].integer || pair[1].integer) && !(pair[0].integer && pair[1].integer) {
		pair[0].sql, pair[1].sql = numberText(pair[0]), numberText(pair[1])
		pair[0].integer, pair[1].integer = false, false
	}
	return expr{sql: "(" + r.key(pair[0], at) + " " + op + " " + pair[1].sql + ")", typ: "bool"}
}

// comparable finds the type two sides are compared in.
func (r *renderer) comparable(a, b expr, at int32) ([]expr, string) {
	if a.typ != unknown && b.typ != unknown && category(a.typ) != category(b.typ) {
		hint := "cast one of them"
		for _, pair := range [][2]string{{a.typ, b.typ}, {b.typ, a.typ}} {
			if isText(pair[0]) && (isNumber(pair[1]) || pair[1] == "bool") {
				hint = run.AdviceTexts
			}
		}
		refuse(at, "comparing "+a.typ+" with "+b.typ, hint)
	}
	if a.typ == "date" && b.typ == "time" || a.typ == "time" && b.typ != "time" && b.typ != unknown || b.typ == "time" && a.typ != "time" && a.typ != unknown {
		refuse(at, "comparing "+a.typ+" with "+b.typ)
	}
	switch {
	case isFloat(a.typ) && isNumber(b.typ), isFloat(b.typ) && isNumber(a.typ):
		return []expr{r.coerce(a, "float8", -1, at), r.coerce(b, "float8", -1, at)}, "float8"
	case isInt(a.typ) && b.typ == unknown && b.lit != nil, isInt(b.typ) && a.typ == unknown && a.lit != nil:
		// PostgreSQL reads the literal as the other side's very type.
		typ := a.typ
		if typ == unknown {
			typ = b.typ
		}
		return []expr{r.coerce(a, typ, -1, at), r.coerce(b, typ, -1, at)}, typ
	}
	pair, typ := r.together([]expr{a, b}, at, "comparing")
	return pair, typ
}

// compareRows compares (a, b) with (c, d).
func (r *renderer) compareRows(op string, a, b []expr, at int32) expr {
	if len(a) != len(b) || len(a) == 0 {
		refuse(at, "comparing rows of different lengths")
	}
	switch op {
	case "=", "<>":
		var parts []string
		for i := range a {
			parts = append(parts, r.compare(op, a[i], b[i], at).sql)
		}
		word := " AND "
		if op == "<>" {
			word = " OR "
		}
		return expr{sql: "(" + strings.Join(parts, word) + ")", typ: "bool"}
	case "<", ">", "<=", ">=":
		if len(a) > 8 {
			refuse(at, "comparing such long rows")
		}
		last := len(a) - 1
		sql := r.compare(op, a[last], b[last], at).sql
		strict := op[:1]
		for i := last - 1; i >= 0; i-- {
			// The first pair that is not equal decides; NULL makes it unknown.
			sql = "(CASE WHEN " + r.compare("=", a[i], b[i], at).sql + " THEN " + sql + " ELSE " + r.compare(strict, a[i], b[i], at).sql + " END)"
		}
		return expr{sql: sql, typ: "bool"}
	}
	refuse(at, "the operator "+op+" on rows")
	return expr{}
}

// inList is IN with a list.
func (r *renderer) inList(x *pg_query.A_Expr, not bool, l *level, ctes *cte) expr {
	at := x.GetLocation()
	items := x.GetRexpr().GetList().GetItems()
	var sql string
	if row := x.GetLexpr().GetRowExpr(); row != nil {
		left := r.exprs(row.GetArgs(), l, ctes)
		var parts []string
		for _, it := range items {
			if it.GetRowExpr() == nil {
				refuse(at, "IN of a row and single values")
			}
			parts = append(parts, r.compareRows("=", left, r.exprs(it.GetRowExpr().GetArgs(), l, ctes), at).sql)
		}
		sql = balanced(parts, " OR ")
	} else {
		left := r.expr(x.GetLexpr(), l, ctes)
		list := append([]expr{left}, r.exprs(items, l, ctes)...)
		uniform := true
		for _, e := range list[1:] {
			uniform = uniform && (e.typ == unknown || category(e.typ) == category(left.typ)) && !isFloat(e.typ)
		}
		if left.typ == unknown || isFloat(left.typ) || !uniform {
			var parts []string
			for _, e := range list[1:] {
				parts = append(parts, r.compare("=", left, e, at).sql)
			}
			sql = balanced(parts, " OR ")
		} else {
			typ := commonType(list, at, "IN")
			list = r.toType(list, typ, at, "IN")
			sql = "(" + r.key(list[0], at) + " IN (" + join(list[1:]) + "))"
		}
	}
	if not {
		sql = "(NOT " + sql + ")"
	}
	return expr{sql: sql, typ: "bool"}
}

func (r *renderer) between(x *pg_query.A_Expr, l *level, ctes *cte) expr {
	at := x.GetLocation()
	items := x.GetRexpr().GetList().GetItems()
	v, low, high := r.expr(x.GetLexpr(), l, ctes), r.expr(items[0], l, ctes), r.expr(items[1], l, ctes)
	within := func(low, high expr) string {
		return "(" + r.compare(">=", v, low, at).sql + " AND " + r.compare("<=", v, high, at).sql + ")"
	}
	sql := within(low, high)
	kind := x.GetKind()
	if kind == pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM || kind == pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM {
		sql = "(" + sql + " OR " + within(high, low) + ")"
	}
	if kind == pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN || kind == pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM {
		sql = "(NOT " + sql + ")"
	}
	return expr{sql: sql, typ: "bool"}
}

// like is LIKE, ILIKE and SIMILAR TO, with or without ESCAPE.
func (r *renderer) like(x *pg_query.A_Expr, op string, l *level, ctes *cte) expr {
	at := x.GetLocation()
	value := r.expr(x.GetLexpr(), l, ctes)
	right, escape := x.GetRexpr(), "'\\'"
	if f := right.GetFuncCall(); f != nil && (lastName(f.GetFuncname()) == "like_escape" || lastName(f.GetFuncname()) == "similar_to_escape") {
		right = f.GetArgs()[0]
		if len(f.GetArgs()) > 1 {
			escape = r.asText(r.expr(f.GetArgs()[1], l, ctes), "ESCAPE", at)
		}
	}
	return r.likeOf(op, value, r.expr(right, l, ctes), escape, at)
}

func (r *renderer) likeOf(op string, value, pattern expr, escape string, at int32) expr {
	name := "pg_like"
	switch {
	case strings.HasSuffix(op, "~~*"):
		name = "pg_ilike"
	case op == "~" || op == "!~":
		name = "pg_similar"
	}
	sql := name + "(" + r.asText(value, "LIKE", at) + "," + r.asText(pattern, "LIKE", at) + "," + escape + ")"
	if op[0] == '!' {
		sql = "(NOT " + sql + ")"
	}
	return expr{sql: sql, typ: "bool"}
}

func (r *renderer) regex(op string, value, pattern expr, at int32) expr {
	flags := "''"
	if strings.HasSuffix(op, "*") {
		flags = "'i'"
	}
	sql := "pg_regex(" + r.asText(value, op, at) + "," + r.asText(pattern, op, at) + "," + flags + ")"
	if op[0] == '!' {
		sql = "(NOT " + sql + ")"
	}
	return expr{sql: sql, typ: "bool"}
}

// concat is ||: one side must be text.
func (r *renderer) concat(a, b expr, at int32) expr {
	if category(a.typ) == 'A' || category(b.typ) == 'A' || a.typ == "bytea" || b.typ == "bytea" || strings.HasPrefix(a.typ, "json") || strings.HasPrefix(b.typ, "json") {
		refuse(at, "|| on "+a.typ+" and "+b.typ)
	}
	if !isText(a.typ) && !isText(b.typ) && a.typ != unknown && b.typ != unknown {
		refuse(at, "|| on "+a.typ+" and "+b.typ, "cast one of them to text")
	}
	return expr{sql: "(" + r.coerce(a, "text", -1, at).sql + " || " + r.coerce(b, "text", -1, at).sql + ")", typ: "text"}
}

// arithmetic resolves the operator by the types of both sides.
func (r *renderer) arithmetic(op string, a, b expr, at int32) expr {
	if a.typ == unknown && b.typ == unknown {
		refuse(at, "the operator "+op+" on two literals without type", "cast one of them")
	}
	if out, ok := r.timeArithmetic(op, a, b, at); ok {
		return out
	}
	if a.typ == unknown {
		a = r.coerce(a, b.typ, -1, at)
	}
	if b.typ == unknown {
		b = r.coerce(b, a.typ, -1, at)
	}
	if !isNumber(a.typ) || !isNumber(b.typ) {
		refuse(at, "the operator "+op+" on "+a.typ+" and "+b.typ, "cast them")
	}
	typ := a.typ
	switch {
	case op == "^":
		if (a.typ == "numeric" || b.typ == "numeric") && !isFloat(a.typ) && !isFloat(b.typ) {
			refuse(at, "the operator ^ on numeric", "cast to float8")
		}
		typ = "float8"
	case isFloat(a.typ) || isFloat(b.typ):
		typ = "float8"
		if a.typ == "float4" && b.typ == "float4" {
			typ = "float4"
		}
		if op == "%" {
			refuse(at, "the operator % on "+typ)
		}
	case a.typ == "numeric" || b.typ == "numeric":
		typ = "numeric"
	case b.typ > a.typ:
		typ = b.typ
	}
	if (op == "&" || op == "|" || op == "#") && !isInt(typ) {
		refuse(at, "the operator "+op+" on "+typ)
	}
	a, b = r.coerce(a, typ, -1, at), r.coerce(b, typ, -1, at)
	return expr{sql: "pg_arith(" + quoteText(op) + "," + quoteText(typ) + "," + a.sql + "," + b.sql + ")", typ: typ}
}

// timeArithmetic are the operators on dates, times and intervals.
func (r *renderer) timeArithmetic(op string, a, b expr, at int32) (expr, bool) {
	if category(a.typ) != 'D' && category(a.typ) != 'T' && category(b.typ) != 'D' && category(b.typ) != 'T' {
		return expr{}, false
	}
	call := func(kind string, x, y expr, typ string) (expr, bool) {
		return expr{sql: "pg_time_arith(" + quoteText(kind) + "," + x.sql + "," + y.sql + "," + quoteText(typ) + ")", typ: typ}, true
	}
	// A literal without type has the type of the other side.
	if a.typ == unknown && b.typ != "date" {
		a = r.coerce(a, b.typ, -1, at)
	}
	if b.typ == unknown && (a.typ != "date" || op == "-") {
		b = r.coerce(b, a.typ, -1, at)
	}
	stamp := func(typ string) bool { return typ == "timestamp" || typ == "timestamptz" }
	switch {
	case op == "+" && b.typ == "date" && isInt(a.typ), op == "+" && a.typ == "interval" && category(b.typ) == 'D', op == "+" && a.typ == "time" && b.typ == "date", op == "*" && b.typ == "interval":
		a, b = b, a
	}
	switch {
	case op == "+" && a.typ == "date" && isInt(b.typ) && b.typ != "int8":
		return call("date+int", a, b, "date")
	case op == "-" && a.typ == "date" && isInt(b.typ) && b.typ != "int8":
		return call("date+int", a, expr{sql: "(-" + b.sql + ")"}, "date")
	case op == "-" && a.typ == "date" && b.typ == "date":
		return call("date-date", a, b, "int4")
	case (op == "+" || op == "-") && a.typ == "date" && b.typ == "interval":
		return call("timestamp"+op+"interval", a, b, "timestamp")
	case op == "+" && a.typ == "date" && b.typ == "time":
		return call("timestamp+time", a, b, "timestamp")
	case (op == "+" || op == "-") && stamp(a.typ) && b.typ == "interval":
		return call("timestamp"+op+"interval", a, b, a.typ)
	case op == "-" && (stamp(a.typ) || a.typ == "date") && (stamp(b.typ) || b.typ == "date"):
		return call("timestamp-timestamp", r.coerce(a, "timestamp", -1, at), r.coerce(b, "timestamp", -1, at), "interval")
	case (op == "+" || op == "-") && a.typ == "time" && b.typ == "interval":
		return call("time"+op+"interval", a, b, "time")
	case (op == "+" || op == "-") && a.typ == "interval" && b.typ == "interval":
		return call("interval"+op+"interval", a, b, "interval")
	case (op == "*" || op == "/") && a.typ == "interval" && isNumber(b.typ):
		return call("interval"+op, a, b, "interval")
	}
	refuse(at, "the operator "+op+" on "+a.typ+" and "+b.typ, "use an interval or a date")
	return expr{}, false
}

// arrayTest is = ANY (array) and the like.
func (r *renderer) arrayTest(x *pg_query.A_Expr, op string, l *level, ctes *cte) expr {
	at := x.GetLocation()
	left := r.expr(x.GetLexpr(), l, ctes)
	all := x.GetKind() == pg_query.A_Expr_Kind_AEXPR_OP_ALL
	right := r.expr(x.GetRexpr(), l, ctes)
	if right.typ == unknown {
		if left.typ == unknown {
			left = r.coerce(left, "text", -1, at)
		}
		right = r.coerce(right, left.typ+"[]", -1, at)
	}
	elem, ok := strings.CutSuffix(right.typ, "[]")
	if !ok {
		refuse(at, "ANY and ALL of "+right.typ)
	}
	a := quoteName(r.alias("e"))
	value := expr{sql: a + ".value", typ: elem}
	if elem == "numeric" {
		value.sql = "CAST(" + value.sql + " AS TEXT)"
	}
	test := r.operator(op, left, value, at).sql
	from := " FROM json_each(" + right.sql + ") AS " + a + " WHERE "
	sql := "(CASE WHEN " + right.sql + " IS NULL THEN NULL WHEN EXISTS (SELECT 1" + from + test + ") THEN 1 WHEN EXISTS (SELECT 1" + from + test + " IS NULL) THEN NULL ELSE 0 END)"
	if all {
		sql = "(CASE WHEN " + right.sql + " IS NULL THEN NULL WHEN EXISTS (SELECT 1" + from + "NOT " + test + ") THEN 0 WHEN EXISTS (SELECT 1" + from + test + " IS NULL) THEN NULL ELSE 1 END)"
	}
	return expr{sql: sql, typ: "bool"}
}
