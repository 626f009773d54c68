package sqlite

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// aggregateNames are PostgreSQL's aggregate functions, also those that are
// refused.
var aggregateNames = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`count sum avg min max string_agg
		bool_and bool_or every array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg any_value
		stddev stddev_samp stddev_pop variance var_samp var_pop corr covar_pop covar_samp
		regr_slope regr_intercept regr_r2 regr_avgx regr_avgy regr_count regr_sxx regr_sxy regr_syy
		mode percentile_cont percentile_disc range_agg range_intersect_agg bit_and bit_or bit_xor`) {
		names[name] = true
	}
	return names
}()

func isAggregate(f *pg_query.FuncCall) bool {
	return aggregateNames[functionName(f)] || f.GetAggStar() || f.GetAggWithinGroup()
}

// aggregate renders an aggregate of the SELECT it stands in.
func (r *renderer) aggregate(f *pg_query.FuncCall, l *level, ctes *cte) expr {
	at := f.GetLocation()
	switch {
	case l.noAgg != "":
		refuse(at, "an aggregate in "+l.noAgg)
	case l.inAgg:
		refuse(at, "an aggregate in an aggregate")
	}
	outer := l.touched
	t := &touched{}
	l.touched, l.inAgg = t, true
	e := r.aggregateCall(f, l, ctes)
	l.inAgg = false
	l.touched = outer
	if outer != nil {
		outer.own = outer.own || t.own
		outer.outer = outer.outer || t.outer
	}
	if t.outer && !t.own {
		untranslated(at, "an aggregate over columns of an outer query")
	}
	return e
}

// aggregateCall is the call of an aggregate with its DISTINCT, ORDER BY and FILTER.
func (r *renderer) aggregateCall(f *pg_query.FuncCall, l *level, ctes *cte) expr {
	name, at := functionName(f), f.GetLocation()
	if f.GetAggWithinGroup() {
		untranslated(at, "the aggregate "+name)
	}
	e := expr{sql: "count(*)", typ: "int8"}
	if name != "count" || !f.GetAggStar() {
		e = r.aggregateOf(f, r.exprs(f.GetArgs(), l, ctes), l, ctes)
	}
	if f.GetAggFilter() != nil {
		e.sql += " FILTER (WHERE " + r.condition(f.GetAggFilter(), l, ctes, "FILTER") + ")"
	}
	return e
}

// aggregateOf is an aggregate by its arguments.
func (r *renderer) aggregateOf(f *pg_query.FuncCall, args []expr, l *level, ctes *cte) expr {
	name, at := functionName(f), f.GetLocation()
	if name == "string_agg" && len(args) == 2 {
		return r.stringAgg(f, args, l, ctes)
	}
	if len(args) != 1 {
		untranslated(at, "the aggregate "+name+"("+typesOf(args)+")")
	}
	a := args[0]
	if a.typ == unknown {
		a = r.coerce(a, "text", -1, at)
	}
	word := ""
	operand := a.sql
	if f.GetAggDistinct() {
		word = "DISTINCT "
		operand = word + r.key(a, at)
	}
	switch name {
	case "count":
		return expr{sql: "count(" + operand + ")", typ: "int8"}
	case "min", "max":
		if a.typ == "bool" || category(a.typ) == 'U' {
			break
		}
		e := expr{sql: name + "(" + word + r.key(a, at) + ")", typ: a.typ, integer: a.integer}
		if e.typ == "varchar" {
			e.typ = "text"
		}
		return e
	case "sum", "avg":
		if kind, typ := sumOf(name, a.typ); typ != "" {
			return expr{sql: "pg_" + name + "_" + kind + "(" + operand + ")", typ: typ}
		}
	}
	untranslated(at, "the aggregate "+name+"("+a.typ+")")
	return expr{}
}

// sumOf is the variant of a sum or an average of values of a type, and its own type.
func sumOf(name, typ string) (kind, result string) {
	switch {
	case isFloat(typ):
		return "float", "float8"
	case name == "sum" && (typ == "int2" || typ == "int4"):
		return "int", "int8"
	case isNumber(typ):
		return "num", "numeric"
	}
	return "", ""
}

// stringAgg is string_agg. With DISTINCT the values are sorted, as in PostgreSQL.
func (r *renderer) stringAgg(f *pg_query.FuncCall, args []expr, l *level, ctes *cte) expr {
	at := f.GetLocation()
	value, separator := r.asText(args[0], "string_agg", at), r.asText(args[1], "string_agg", at)
	var keys []string
	for _, n := range f.GetAggOrder() {
		sb := n.GetSortBy()
		e := r.typed(sb.GetNode(), l, ctes)
		if f.GetAggDistinct() && (len(f.GetAggOrder()) > 1 || e.sql != value && e.sql != args[0].sql || sb.GetSortbyDir() == pg_query.SortByDir_SORTBY_DESC) {
			untranslated(at, "string_agg with DISTINCT and this ORDER BY")
		}
		keys = append(keys, r.direction(sb, r.key(safeKey(e, -1), sb.GetLocation())))
	}
	name, order := "pg_string_agg", ""
	switch {
	case f.GetAggDistinct():
		name = "pg_string_agg_distinct"
	case len(keys) > 0:
		order = " ORDER BY " + strings.Join(keys, ", ")
	}
	return expr{sql: name + "(" + value + "," + separator + order + ")", typ: "text"}
}
