package sqlite

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// aggregateNames are PostgreSQL's aggregate functions, also those that are
// refused.
var aggregateNames = map[string]bool{
	"count": true, "sum": true, "avg": true, "min": true, "max": true, "bool_and": true, "bool_or": true, "every": true,
	"string_agg": true, "array_agg": true, "json_agg": true, "jsonb_agg": true, "json_object_agg": true, "jsonb_object_agg": true,
	"stddev": true, "stddev_samp": true, "stddev_pop": true, "variance": true, "var_samp": true, "var_pop": true,
	"corr": true, "covar_pop": true, "covar_samp": true, "regr_slope": true, "regr_intercept": true, "regr_r2": true,
	"regr_avgx": true, "regr_avgy": true, "regr_count": true, "regr_sxx": true, "regr_sxy": true, "regr_syy": true,
	"mode": true, "percentile_cont": true, "percentile_disc": true, "range_agg": true, "bit_and": true, "bit_or": true, "bit_xor": true,
}

func isAggregate(f *pg_query.FuncCall) bool {
	return aggregateNames[functionName(f)] || f.GetAggStar() || f.GetAggWithinGroup()
}

// aggregate renders an aggregate of the SELECT it stands in.
func (r *renderer) aggregate(f *pg_query.FuncCall, l *level, ctes *cte) expr {
	name, at := functionName(f), f.GetLocation()
	switch {
	case l.noAgg != "":
		refuse(at, "an aggregate in "+l.noAgg)
	case l.inAgg:
		refuse(at, "an aggregate in an aggregate")
	}
	outer := l.touched
	t := &touched{}
	l.touched, l.inAgg = t, true
	filter := ""
	if f.GetAggFilter() != nil {
		filter = " FILTER (WHERE " + r.condition(f.GetAggFilter(), l, ctes, "FILTER") + ")"
	}
	var e expr
	switch {
	case f.GetAggStar() && name == "count":
		e = expr{sql: "count(*)" + filter, typ: "int8"}
	case f.GetAggWithinGroup():
		e = r.withinGroup(f, name, l, ctes, at)
		e.sql += filter
	default:
		args := r.exprs(f.GetArgs(), l, ctes)
		var call string
		e, call = r.aggregateOf(name, args, f.GetAggDistinct(), f.GetAggOrder(), at)
		order := r.aggregateOrder(f, args, l, ctes)
		e.sql = strings.Replace(call, "\x00", order, 1) + filter
	}
	l.inAgg = false
	l.touched = outer
	if outer != nil {
		outer.own = outer.own || t.own
		outer.outer = outer.outer || t.outer
	}
	if t.outer && !t.own {
		refuse(at, "an aggregate over columns of an outer query")
	}
	return e
}

// aggregateOrder is the ORDER BY within an aggregate. It matters only to those
// that list.
func (r *renderer) aggregateOrder(f *pg_query.FuncCall, args []expr, l *level, ctes *cte) string {
	name := functionName(f)
	if len(f.GetAggOrder()) == 0 || name != "string_agg" && name != "array_agg" {
		return ""
	}
	var keys []string
	for _, n := range f.GetAggOrder() {
		sb := n.GetSortBy()
		e := r.typed(sb.GetNode(), l, ctes)
		if f.GetAggDistinct() && (len(f.GetAggOrder()) > 1 || e.sql != r.coerce(args[0], "text", -1, f.GetLocation()).sql && e.sql != args[0].sql || sb.GetSortbyDir() == pg_query.SortByDir_SORTBY_DESC) {
			refuse(f.GetLocation(), name+" with DISTINCT and this ORDER BY")
		}
		keys = append(keys, r.direction(sb, r.key(safeKey(e, -1), sb.GetLocation())))
	}
	if f.GetAggDistinct() {
		return "" // these are sorted by their value anyway
	}
	return " ORDER BY " + strings.Join(keys, ", ")
}

// aggregateOf is an aggregate by its arguments: the type of its result, and
// the call, in which a zero byte marks the place of an ORDER BY.
func (r *renderer) aggregateOf(name string, args []expr, distinct bool, order []*pg_query.Node, at int32) (expr, string) {
	word := ""
	if distinct {
		word = "DISTINCT "
	}
	bad := func() { refuse(at, "the aggregate "+word+name+"("+typesOf(args)+")") }
	if len(args) == 0 || len(args) > 2 {
		bad()
	}
	a := args[0]
	if a.typ == unknown {
		a = r.coerce(a, "text", -1, at)
	}
	operand := a.sql
	if distinct {
		operand = word + r.key(a, at)
	}
	one := func(function, typ string) (expr, string) {
		if len(args) != 1 {
			bad()
		}
		return expr{typ: typ}, function + "(" + operand + ")"
	}
	switch name {
	case "count":
		return one("count", "int8")
	case "sum", "avg":
		switch {
		case isFloat(a.typ):
			if a.typ == "float4" {
				bad()
			}
			return one("pg_"+name+"_float", "float8")
		case name == "sum" && (a.typ == "int2" || a.typ == "int4"):
			return one("pg_sum_int", "int8")
		case isNumber(a.typ):
			return one("pg_"+name+"_num", "numeric")
		case a.typ == "interval" && name == "sum":
			return one("pg_sum_interval", "interval")
		}
	case "min", "max":
		if a.typ == "bool" || a.typ == "uuid" || a.typ == "bytea" || len(args) != 1 {
			bad()
		}
		typ := a.typ
		if typ == "varchar" {
			typ = "text"
		}
		return expr{typ: typ, integer: a.integer}, name + "(" + word + r.key(a, at) + ")"
	case "bool_and", "every", "bool_or":
		function := "min"
		if name == "bool_or" {
			function = "max"
		}
		a = r.implied(a, "bool", at, "an argument")
		operand = word + a.sql
		return one(function, "bool")
	case "string_agg":
		if len(args) != 2 {
			bad()
		}
		separator := r.asText(args[1], name, at)
		value := r.asText(a, name, at)
		if distinct {
			return expr{typ: "text"}, "pg_string_agg_distinct(" + value + "," + separator + "\x00)"
		}
		return expr{typ: "text"}, "pg_string_agg(" + value + "," + separator + "\x00)"
	case "array_agg":
		if category(a.typ) == 'A' || a.typ == "bytea" || distinct || len(args) != 1 {
			bad()
		}
		return expr{typ: a.typ + "[]"}, "pg_array_agg(" + numeralText(a) + "\x00)"
	case "stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop":
		function := map[string]string{"stddev": "pg_stddev_samp", "variance": "pg_var_samp"}[name]
		if function == "" {
			function = "pg_" + name
		}
		switch {
		case a.typ == "float8":
			return one(function+"_float", "float8")
		case isNumber(a.typ) && !isFloat(a.typ):
			return one(function+"_num", "numeric")
		}
	case "corr", "covar_pop", "covar_samp", "regr_slope", "regr_intercept", "regr_r2":
		if len(args) == 2 && !distinct {
			return expr{typ: "float8"}, "pg_" + name + "(" + r.implied(a, "float8", at, "an argument").sql + "," + r.implied(args[1], "float8", at, "an argument").sql + ")"
		}
	}
	bad()
	return expr{}, ""
}

// withinGroup are the aggregates over sorted values.
func (r *renderer) withinGroup(f *pg_query.FuncCall, name string, l *level, ctes *cte, at int32) expr {
	args := r.exprs(f.GetArgs(), l, ctes)
	if len(f.GetAggOrder()) != 1 || f.GetAggDistinct() {
		refuse(at, name+" in this form")
	}
	sb := f.GetAggOrder()[0].GetSortBy()
	desc := sb.GetSortbyDir() == pg_query.SortByDir_SORTBY_DESC
	v := r.typed(sb.GetNode(), l, ctes)
	r.key(v, at)
	switch {
	case name == "percentile_cont" && len(args) == 1 && isNumber(v.typ):
		p := r.implied(args[0], "float8", at, "a fraction").sql
		if desc {
			p = "(1.0-" + p + ")"
		}
		return expr{sql: "pg_percentile_cont(" + p + "," + r.coerce(v, "float8", -1, at).sql + ")", typ: "float8"}
	case name == "percentile_disc" && len(args) == 1 && !desc:
		return expr{sql: "pg_percentile_disc(" + r.implied(args[0], "float8", at, "a fraction").sql + "," + quoteText(v.typ) + "," + v.sql + ")", typ: v.typ, integer: v.integer}
	case name == "mode" && len(args) == 0 && !desc:
		return expr{sql: "pg_mode(" + quoteText(v.typ) + "," + v.sql + ")", typ: v.typ, integer: v.integer}
	}
	refuse(at, "the aggregate "+name+" in this form")
	return expr{}
}
