package sqlite

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/sqlquote"
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
		return r.nullIf(r.expr(x.GetLexpr(), l, ctes), r.expr(x.GetRexpr(), l, ctes), at)
	case pg_query.A_Expr_Kind_AEXPR_IN:
		return r.inList(x, op == "<>", l, ctes)
	case pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE:
		return r.like(x, op, l, ctes)
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN:
		return r.between(x, l, ctes)
	case pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_OP_ALL:
		return r.arrayTest(x, op, l, ctes)
	}
	untranslated(at, "this form of the operator "+op)
	return expr{}
}

func (r *renderer) nullIf(a, b expr, at int32) expr {
	equal := r.compare("=", a, b, at)
	if a.typ == unknown || a.typ == "varchar" || a.typ != b.typ && b.typ != unknown && !(isInt(a.typ) && isInt(b.typ)) {
		typ := commonType([]expr{a, b}, at, "NULLIF")
		if typ == "varchar" {
			typ = "text"
		}
		a = r.coerce(a, typ, -1, at)
	}
	return expr{sql: "(CASE WHEN " + equal.sql + " THEN NULL ELSE " + a.sql + " END)", typ: a.typ, integer: a.integer}
}

func (r *renderer) prefix(op string, e expr, at int32) expr {
	switch {
	case e.typ == unknown:
		refuse(at, "the operator "+op+" on a literal without type", "cast it")
	case op == "+" && isNumber(e.typ):
		return e
	case op != "-":
		untranslated(at, "the operator "+op+" before a value")
	case isInt(e.typ) && strings.Trim(e.sql, "0123456789") == "" || isFloat(e.typ):
		return expr{sql: "(-" + e.sql + ")", typ: e.typ}
	case isInt(e.typ):
		return expr{sql: "pg_arith('-'," + sqlquote.Text(e.typ) + ",0," + e.sql + ")", typ: e.typ}
	case e.typ == "numeric":
		return expr{sql: "pg_neg_num(" + e.sql + ")", typ: "numeric"}
	}
	untranslated(at, "the operator "+op+" on "+e.typ)
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
	case "+", "-", "*", "/", "%":
		return r.arithmetic(op, a, b, at)
	}
	untranslated(at, "the operator "+op)
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
	typed := func(typ string) ([]expr, string) {
		return []expr{r.coerce(a, typ, -1, at), r.coerce(b, typ, -1, at)}, typ
	}
	switch {
	case a.typ != unknown && b.typ != unknown && category(a.typ) != category(b.typ):
		refuse(at, "comparing "+a.typ+" with "+b.typ, adviceToCast(a.typ, b.typ))
	case isFloat(a.typ) && isNumber(b.typ), isFloat(b.typ) && isNumber(a.typ):
		return typed("float8")
	case isInt(a.typ) && b.typ == unknown && b.lit != nil:
		return typed(a.typ) // PostgreSQL reads the literal as the other side's very type
	case isInt(b.typ) && a.typ == unknown && a.lit != nil:
		return typed(b.typ)
	}
	return r.together([]expr{a, b}, at, "comparing")
}

// adviceToCast is what to do about two types that do not compare.
func adviceToCast(a, b string) string {
	if isText(b) {
		a, b = b, a
	}
	if isText(a) && (isNumber(b) || b == "bool") {
		return run.AdviceTexts
	}
	return "cast one of them"
}

// compareRows compares (a, b) with (c, d).
func (r *renderer) compareRows(op string, a, b []expr, at int32) expr {
	switch {
	case len(a) != len(b) || len(a) == 0:
		refuse(at, "comparing rows of different lengths")
	case op != "=" && op != "<>":
		untranslated(at, "the operator "+op+" on rows")
	}
	word := " AND "
	if op == "<>" {
		word = " OR "
	}
	var parts []string
	for i := range a {
		parts = append(parts, r.compare(op, a[i], b[i], at).sql)
	}
	return expr{sql: "(" + strings.Join(parts, word) + ")", typ: "bool"}
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
			sql = "(" + r.key(list[0], at) + " IN (" + join(list[1:], ",") + "))"
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
	sql := "(" + r.compare(">=", v, low, at).sql + " AND " + r.compare("<=", v, high, at).sql + ")"
	if x.GetKind() == pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN {
		sql = "(NOT " + sql + ")"
	}
	return expr{sql: sql, typ: "bool"}
}

// like is LIKE and ILIKE, with or without ESCAPE.
func (r *renderer) like(x *pg_query.A_Expr, op string, l *level, ctes *cte) expr {
	at := x.GetLocation()
	value := r.expr(x.GetLexpr(), l, ctes)
	right, escape := x.GetRexpr(), "'\\'"
	if f := right.GetFuncCall(); f != nil && lastName(f.GetFuncname()) == "like_escape" {
		right = f.GetArgs()[0]
		escape = r.asText(r.expr(f.GetArgs()[1], l, ctes), "ESCAPE", at)
	}
	return r.likeOf(op, value, r.expr(right, l, ctes), escape, at)
}

func (r *renderer) likeOf(op string, value, pattern expr, escape string, at int32) expr {
	name := "pg_like"
	if strings.HasSuffix(op, "~~*") {
		name = "pg_ilike"
	}
	sql := name + "(" + r.asText(value, "LIKE", at) + "," + r.asText(pattern, "LIKE", at) + "," + escape + ")"
	if op[0] == '!' {
		sql = "(NOT " + sql + ")"
	}
	return expr{sql: sql, typ: "bool"}
}

// concat is ||: one side must be text.
func (r *renderer) concat(a, b expr, at int32) expr {
	if !isText(a.typ) && !isText(b.typ) && a.typ != unknown && b.typ != unknown || a.typ == "bytea" || b.typ == "bytea" || category(a.typ) == 'A' || category(b.typ) == 'A' {
		refuse(at, "|| on "+a.typ+" and "+b.typ, "cast them to text")
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
	typ := widening[max(slices.Index(widening, a.typ), slices.Index(widening, b.typ))]
	if isFloat(typ) && op == "%" {
		refuse(at, "the operator % on "+typ)
	}
	a, b = r.coerce(a, typ, -1, at), r.coerce(b, typ, -1, at)
	return expr{sql: "pg_arith(" + sqlquote.Text(op) + "," + sqlquote.Text(typ) + "," + a.sql + "," + b.sql + ")", typ: typ}
}

// timeOperators are the operators on dates, timestamps and intervals: how they are
// written, and the type of the result. A timestamp stands for both of its types.
var timeOperators = map[string][2]string{
	"date+int":            {"pg_date_add($1,$2)", "date"},
	"int+date":            {"pg_date_add($2,$1)", "date"},
	"date-int":            {"pg_date_add($1,-($2))", "date"},
	"date-date":           {"pg_days_between($1,$2)", "int4"},
	"date+interval":       {"pg_timestamp_add($1,$2,1)", "timestamp"},
	"interval+date":       {"pg_timestamp_add($2,$1,1)", "timestamp"},
	"date-interval":       {"pg_timestamp_add($1,$2,-1)", "timestamp"},
	"timestamp+interval":  {"pg_timestamp_add($1,$2,1)", ""},
	"interval+timestamp":  {"pg_timestamp_add($2,$1,1)", ""},
	"timestamp-interval":  {"pg_timestamp_add($1,$2,-1)", ""},
	"timestamp-timestamp": {"pg_time_between($1,$2)", "interval"},
	"timestamp-date":      {"pg_time_between($1,$2)", "interval"},
	"date-timestamp":      {"pg_time_between($1,$2)", "interval"},
	"int*interval":        {"pg_interval_times($2,$1)", "interval"},
	"interval*int":        {"pg_interval_times($1,$2)", "interval"},
}

// timeArithmetic are the operators on dates, timestamps and intervals.
func (r *renderer) timeArithmetic(op string, a, b expr, at int32) (expr, bool) {
	isTime := func(typ string) bool { return category(typ) == 'D' || category(typ) == 'T' }
	if !isTime(a.typ) && !isTime(b.typ) {
		return expr{}, false
	}
	// A literal without type has the type of the other side.
	if a.typ == unknown && b.typ != "date" {
		a = r.coerce(a, b.typ, -1, at)
	}
	if b.typ == unknown && (a.typ != "date" || op == "-") {
		b = r.coerce(b, a.typ, -1, at)
	}
	result := a.typ
	if isTimestamp(b.typ) {
		result = b.typ
	}
	kind := func(typ string) string {
		switch {
		case isTimestamp(typ):
			return "timestamp"
		case typ == "int2" || typ == "int4":
			return "int"
		}
		return typ
	}
	form, ok := timeOperators[kind(a.typ)+op+kind(b.typ)]
	if !ok {
		untranslated(at, "the operator "+op+" on "+a.typ+" and "+b.typ)
	}
	if form[1] != "" {
		result = form[1]
	}
	return expr{sql: strings.NewReplacer("$1", a.sql, "$2", b.sql).Replace(form[0]), typ: result}, true
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
		untranslated(at, "ANY and ALL of "+right.typ)
	}
	a := sqlquote.Name(r.alias("e"))
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
