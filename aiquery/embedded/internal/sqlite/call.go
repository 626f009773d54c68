package sqlite

import (
	"slices"
	"strings"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// functionName is the name without schema. Functions of the ERP's own schema
// count when they are on the list of signatures.
func functionName(f *pg_query.FuncCall) string { return lastName(f.GetFuncname()) }

func (r *renderer) call(f *pg_query.FuncCall, l *level, ctes *cte) expr {
	name, at := functionName(f), f.GetLocation()
	switch {
	case f.GetFuncVariadic():
		untranslated(at, "VARIADIC")
	case f.GetOver() != nil:
		return r.windowCall(f, l, ctes)
	case isAggregate(f):
		return r.aggregate(f, l, ctes)
	case f.GetAggDistinct() || f.GetAggFilter() != nil || len(f.GetAggOrder()) > 0 || f.GetAggStar():
		untranslated(at, "DISTINCT, FILTER or ORDER BY in the function "+name)
	}
	args := r.exprs(f.GetArgs(), l, ctes)
	switch {
	case len(args) == 1 && slices.Contains(typeNames, name):
		return r.coerce(args[0], name, -1, at) // a cast written as a call, date(x)
	case name == "concat":
		return r.concatWS(append([]expr{{sql: "''", typ: "text"}}, args...), at)
	case name == "concat_ws" && len(args) >= 2:
		return r.concatWS(args, at)
	case name == "num_nulls": // which package guard writes
		parts := []string{"0"}
		for _, a := range args {
			parts = append(parts, r.isNull(a, false, at))
		}
		return expr{sql: "(" + strings.Join(parts, "+") + ")", typ: "int4"}
	}
	return r.listed(name, args, at)
}

// listed is a call of a function on the list of signatures.
func (r *renderer) listed(name string, args []expr, at int32) expr {
	overloads := signatures()[name]
	if overloads == nil {
		untranslated(at, "the function "+name)
	}
	s, ok := resolve(overloads, args)
	if !ok {
		refuse(at, "the function "+name+"("+typesOf(args)+")", "cast its arguments")
	}
	if s.form == "-" {
		untranslated(at, "the function "+name+"("+strings.Join(s.args, ", ")+")")
	}
	checkWords(name, args, at)
	for i := range args {
		args[i] = r.implied(args[i], s.args[i], at, "an argument")
	}
	return expr{sql: s.write(args), typ: s.result}
}

// checkWords refuses units, fields and formats that are written out and not
// translated.
func checkWords(name string, args []expr, at int32) {
	word := func(i int) string {
		if i < len(args) && args[i].lit != nil {
			return *args[i].lit
		}
		return ""
	}
	switch name {
	case "date_trunc":
		if w := word(0); w != "" && truncations[unitNames[strings.ToLower(w)]] == nil {
			untranslated(at, "this unit of date_trunc")
		}
	case "extract":
		if unitNames[strings.ToLower(word(0))] == "" {
			untranslated(at, "this field of extract")
		}
	case "to_char":
		if _, err := formatTimeAs(time.Time{}, word(1)); err != nil {
			untranslated(at, "this format of to_char")
		}
	}
}

// concatWS joins values, without those that are NULL, with the first between them.
func (r *renderer) concatWS(args []expr, at int32) expr {
	for i := range args {
		args[i].sql = r.shown(args[i], at)
	}
	return expr{sql: "pg_concat_ws(" + join(args, ",") + ")", typ: "text"}
}

// shown is a value as concat writes it.
func (r *renderer) shown(e expr, at int32) string {
	if e.typ == "bool" {
		return "(CASE " + e.sql + " WHEN 1 THEN 't' WHEN 0 THEN 'f' END)"
	}
	return r.coerce(e, "text", -1, at).sql
}

func typesOf(args []expr) string {
	var list []string
	for _, a := range args {
		list = append(list, a.typ)
	}
	return strings.Join(list, ", ")
}

// window renders OVER (…): partition and order.
func (r *renderer) window(w *pg_query.WindowDef, l *level, ctes *cte) string {
	at := w.GetLocation()
	const frameNonDefault = 1 // of WindowDef.FrameOptions, as the parser sets them
	switch {
	case w.GetName() != "" || w.GetRefname() != "":
		untranslated(at, "a window with a name")
	case w.GetFrameOptions()&frameNonDefault != 0:
		untranslated(at, "a frame of a window")
	}
	var parts []string
	if len(w.GetPartitionClause()) > 0 {
		var keys []string
		for _, n := range w.GetPartitionClause() {
			keys = append(keys, r.key(safeKey(r.typed(n, l, ctes), -1), location(n)))
		}
		parts = append(parts, "PARTITION BY "+strings.Join(keys, ", "))
	}
	if len(w.GetOrderClause()) > 0 {
		var keys []string
		for _, n := range w.GetOrderClause() {
			sb := n.GetSortBy()
			keys = append(keys, r.direction(sb, r.key(safeKey(r.typed(sb.GetNode(), l, ctes), -1), sb.GetLocation())))
		}
		parts = append(parts, "ORDER BY "+strings.Join(keys, ", "))
	}
	return " OVER (" + strings.Join(parts, " ") + ")"
}

// typed renders an expression; a literal without type is text.
func (r *renderer) typed(n *pg_query.Node, l *level, ctes *cte) expr {
	e := r.expr(n, l, ctes)
	if e.typ == unknown {
		e = r.coerce(e, "text", -1, location(n))
	}
	return e
}

// windowFunctions are those that number rows.
var windowFunctions = []string{"row_number", "rank", "dense_rank"}

// windowCall is a window function, or an aggregate as one.
func (r *renderer) windowCall(f *pg_query.FuncCall, l *level, ctes *cte) expr {
	name, at := functionName(f), f.GetLocation()
	switch {
	case l.noAgg != "":
		refuse(at, "a window function in "+l.noAgg)
	case f.GetAggDistinct() || len(f.GetAggOrder()) > 0 || f.GetAggWithinGroup():
		refuse(at, "DISTINCT or ORDER BY in the window function "+name)
	case isAggregate(f):
		e := r.aggregateCall(f, l, ctes)
		e.sql += r.window(f.GetOver(), l, ctes)
		return e
	case !slices.Contains(windowFunctions, name) || f.GetAggFilter() != nil || len(f.GetArgs()) > 0:
		untranslated(at, "the window function "+name)
	}
	return expr{sql: name + "()" + r.window(f.GetOver(), l, ctes), typ: "int8"}
}
