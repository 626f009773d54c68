package sqlite

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// functionName is the name without schema. Functions of the ERP's own schema
// count when they are on the list of signatures.
func functionName(f *pg_query.FuncCall) string { return lastName(f.GetFuncname()) }

func (r *renderer) call(f *pg_query.FuncCall, l *level, ctes *cte) expr {
	name, at := functionName(f), f.GetLocation()
	if f.GetFuncVariadic() {
		refuse(at, "VARIADIC")
	}
	switch {
	case f.GetOver() != nil:
		return r.windowCall(f, l, ctes)
	case isAggregate(f):
		return r.aggregate(f, l, ctes)
	case f.GetAggDistinct() || f.GetAggFilter() != nil || len(f.GetAggOrder()) > 0 || f.GetAggStar():
		refuse(at, "DISTINCT, FILTER or ORDER BY in the function "+name)
	}
	args := r.exprs(f.GetArgs(), l, ctes)
	if len(args) == 1 {
		if e, ok := r.castCall(name, args[0], at); ok {
			return e
		}
	}
	switch name {
	case "concat":
		parts := []string{"''"}
		for _, a := range args {
			parts = append(parts, r.shown(a, at))
		}
		return expr{sql: "pg_concat_ws(" + strings.Join(parts, ",") + ")", typ: "text"}
	case "num_nulls", "num_nonnulls":
		parts := []string{"0"}
		for _, a := range args {
			parts = append(parts, r.isNull(a, name == "num_nonnulls", at))
		}
		return expr{sql: "(" + strings.Join(parts, "+") + ")", typ: "int4"}
	case "concat_ws":
		if len(args) < 2 {
			refuse(at, "concat_ws with fewer than two arguments")
		}
		for i := range args {
			args[i].sql = r.shown(args[i], at)
		}
		return expr{sql: "pg_concat_ws(" + join(args) + ")", typ: "text"}
	case "nvl":
		list, typ := r.together(args, at, name)
		if len(list) != 2 {
			refuse(at, "nvl with another number of arguments")
		}
		return expr{sql: "coalesce(" + join(list) + ")", typ: typ, integer: list[0].integer}
	case "timezone":
		return r.timezone(args, at)
	case "array_length", "cardinality", "array_to_string":
		return r.arrayCall(name, args, at)
	}
	overloads := signatures()[name]
	if overloads == nil {
		refuse(at, "the function "+name)
	}
	s, ok := resolve(overloads, args)
	if !ok {
		refuse(at, "the function "+name+"("+typesOf(args)+")", "cast its arguments")
	}
	if s.form == "-" {
		refuse(at, "the function "+name+"("+strings.Join(s.args, ", ")+")", "cast the argument to float8")
	}
	for i := range args {
		args[i] = r.implied(args[i], s.args[i], at, "an argument")
	}
	return expr{sql: s.write(args), typ: s.result}
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

// castCall is a cast written as a call, date(x).
func (r *renderer) castCall(name string, arg expr, at int32) (expr, bool) {
	switch name {
	case "date", "text", "numeric", "int2", "int4", "int8", "float4", "float8", "bool", "timestamp", "timestamptz", "varchar":
	default:
		return expr{}, false
	}
	if arg.typ != unknown && !castable(arg.typ, name) {
		refuse(at, "casting "+arg.typ+" to "+name)
	}
	return r.coerce(arg, name, -1, at), true
}

// timezone is AT TIME ZONE; only UTC, in which everything is kept.
func (r *renderer) timezone(args []expr, at int32) expr {
	if len(args) != 2 || args[0].lit == nil || !(strings.EqualFold(*args[0].lit, "UTC") || strings.EqualFold(*args[0].lit, "GMT")) {
		refuse(at, "a time zone other than UTC")
	}
	switch e := args[1]; e.typ {
	case "timestamp":
		return expr{sql: e.sql, typ: "timestamptz"}
	case "timestamptz":
		return expr{sql: e.sql, typ: "timestamp"}
	case "date":
		return expr{sql: r.coerce(e, "timestamp", -1, at).sql, typ: "timestamp"}
	case unknown:
		return expr{sql: r.coerce(e, "timestamptz", -1, at).sql, typ: "timestamp"}
	}
	refuse(at, "AT TIME ZONE on "+args[1].typ)
	return expr{}
}

func (r *renderer) arrayCall(name string, args []expr, at int32) expr {
	if len(args) == 0 || category(args[0].typ) != 'A' {
		refuse(at, "the function "+name+"("+typesOf(args)+")")
	}
	switch {
	case name == "cardinality" && len(args) == 1:
		return expr{sql: "pg_cardinality(" + args[0].sql + ")", typ: "int4"}
	case name == "array_length" && len(args) == 2:
		return expr{sql: "pg_array_length(" + args[0].sql + "," + r.implied(args[1], "int4", at, "an argument").sql + ")", typ: "int4"}
	case name == "array_to_string" && (len(args) == 2 || len(args) == 3):
		null := "NULL"
		if len(args) == 3 {
			null = r.asText(args[2], name, at)
		}
		elem := strings.TrimSuffix(args[0].typ, "[]")
		return expr{sql: "pg_array_to_string(" + args[0].sql + "," + r.asText(args[1], name, at) + "," + quoteText(elem) + "," + null + ")", typ: "text"}
	}
	refuse(at, "the function "+name+"("+typesOf(args)+")")
	return expr{}
}

// listCall is a function in FROM: an SQL expression for a JSON list, and the
// type of its elements.
func (r *renderer) listCall(f *pg_query.FuncCall, l *level, ctes *cte) (list, elem string) {
	name, at := functionName(f), f.GetLocation()
	args := r.exprs(f.GetArgs(), l, ctes)
	switch {
	case name == "generate_series" && (len(args) == 2 || len(args) == 3):
		return r.series(args, at)
	case name == "unnest" && len(args) == 1 && category(args[0].typ) == 'A':
		return args[0].sql, strings.TrimSuffix(args[0].typ, "[]")
	case name == "string_to_table" && len(args) == 2:
		return "pg_string_to_array(" + r.asText(args[0], name, at) + "," + r.asText(args[1], name, at) + ")", "text"
	case name == "regexp_split_to_table" && len(args) == 2:
		return "pg_regexp_split(" + r.asText(args[0], name, at) + "," + r.asText(args[1], name, at) + ")", "text"
	}
	refuse(at, "the function "+name+" in FROM")
	return "", ""
}

func (r *renderer) series(args []expr, at int32) (list, elem string) {
	typ := commonType(args[:2], at, "generate_series")
	step := expr{sql: "1", typ: "int4"}
	switch category(typ) {
	case 'N':
		all := args
		typ = commonType(all, at, "generate_series")
		if isFloat(typ) {
			refuse(at, "generate_series of "+typ)
		}
		if typ == "int2" {
			typ = "int4"
		}
		if len(args) == 3 {
			step = args[2]
		}
		step = r.implied(step, typ, at, "the step")
	case 'D':
		if len(args) != 3 || typ == "time" {
			refuse(at, "generate_series of "+typ)
		}
		if typ == "date" {
			typ = "timestamptz"
		}
		step = r.implied(args[2], "interval", at, "the step")
	default:
		refuse(at, "generate_series of "+typ)
	}
	from, to := r.implied(args[0], typ, at, "an argument"), r.implied(args[1], typ, at, "an argument")
	return "pg_series(" + quoteText(typ) + "," + from.sql + "," + to.sql + "," + step.sql + ")", typ
}

// window renders OVER (…): partition, order and frame, named windows written
// out.
func (r *renderer) window(w *pg_query.WindowDef, l *level, ctes *cte) string {
	at := w.GetLocation()
	base := w.GetRefname()
	if base == "" && w.GetName() != "" {
		base = w.GetName()
	}
	partition, order := w.GetPartitionClause(), w.GetOrderClause()
	frame := w
	for depth := 0; base != ""; depth++ {
		b := l.windows[base]
		if b == nil || depth > 20 {
			refuse(at, "the unknown window "+base)
		}
		if len(partition) == 0 {
			partition = b.GetPartitionClause()
		}
		if len(order) == 0 {
			order = b.GetOrderClause()
		}
		if w.GetName() != "" && frame == w {
			frame = b // OVER name takes the frame too
		}
		base = b.GetRefname()
	}
	var parts []string
	if len(partition) > 0 {
		var keys []string
		for _, n := range partition {
			keys = append(keys, r.key(safeKey(r.typed(n, l, ctes), -1), location(n)))
		}
		parts = append(parts, "PARTITION BY "+strings.Join(keys, ", "))
	}
	var sorted []expr
	if len(order) > 0 {
		var keys []string
		for _, n := range order {
			sb := n.GetSortBy()
			e := r.typed(sb.GetNode(), l, ctes)
			sorted = append(sorted, e)
			keys = append(keys, r.direction(sb, r.key(safeKey(e, -1), sb.GetLocation())))
		}
		parts = append(parts, "ORDER BY "+strings.Join(keys, ", "))
	}
	if f := r.frame(frame, sorted, l, ctes); f != "" {
		parts = append(parts, f)
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// typed renders an expression; a literal without type is text.
func (r *renderer) typed(n *pg_query.Node, l *level, ctes *cte) expr {
	e := r.expr(n, l, ctes)
	if e.typ == unknown {
		e = r.coerce(e, "text", -1, location(n))
	}
	return e
}

// The bits of WindowDef.FrameOptions, as the parser sets them.
const (
	frameNonDefault = 1 << iota
	frameRange
	frameRows
	frameGroups
	frameBetween
	frameStartUnboundedPreceding
	frameEndUnboundedPreceding
	frameStartUnboundedFollowing
	frameEndUnboundedFollowing
	frameStartCurrent
	frameEndCurrent
	frameStartOffsetPreceding
	frameEndOffsetPreceding
	frameStartOffsetFollowing
	frameEndOffsetFollowing
	frameExcludeCurrent
	frameExcludeGroup
	frameExcludeTies
)

func (r *renderer) frame(w *pg_query.WindowDef, sorted []expr, l *level, ctes *cte) string {
	o := w.GetFrameOptions()
	if o&frameNonDefault == 0 {
		return ""
	}
	mode := "RANGE"
	switch {
	case o&frameRows != 0:
		mode = "ROWS"
	case o&frameGroups != 0:
		mode = "GROUPS"
	}
	offset := func(n *pg_query.Node) string {
		e := r.expr(n, l, ctes)
		if mode == "RANGE" {
			if len(sorted) != 1 || !isInt(e.typ) || !isInt(sorted[0].typ) && !sorted[0].integer {
				refuse(w.GetLocation(), "RANGE with an offset on this type", "use ROWS or GROUPS")
			}
			return e.sql
		}
		return r.implied(e, "int8", w.GetLocation(), "a frame's offset").sql
	}
	bound := func(up, uf, current, op, of int32, n *pg_query.Node) string {
		switch {
		case o&up != 0:
			return "UNBOUNDED PRECEDING"
		case o&uf != 0:
			return "UNBOUNDED FOLLOWING"
		case o&current != 0:
			return "CURRENT ROW"
		case o&op != 0:
			return offset(n) + " PRECEDING"
		case o&of != 0:
			return offset(n) + " FOLLOWING"
		}
		refuse(w.GetLocation(), "this window frame")
		return ""
	}
	start := bound(frameStartUnboundedPreceding, frameStartUnboundedFollowing, frameStartCurrent, frameStartOffsetPreceding, frameStartOffsetFollowing, w.GetStartOffset())
	end := bound(frameEndUnboundedPreceding, frameEndUnboundedFollowing, frameEndCurrent, frameEndOffsetPreceding, frameEndOffsetFollowing, w.GetEndOffset())
	sql := mode + " BETWEEN " + start + " AND " + end
	switch {
	case o&frameExcludeCurrent != 0:
		sql += " EXCLUDE CURRENT ROW"
	case o&frameExcludeGroup != 0:
		sql += " EXCLUDE GROUP"
	case o&frameExcludeTies != 0:
		sql += " EXCLUDE TIES"
	}
	return sql
}

// windowCall is a window function, or an aggregate as one.
func (r *renderer) windowCall(f *pg_query.FuncCall, l *level, ctes *cte) expr {
	name, at := functionName(f), f.GetLocation()
	if l.noAgg != "" {
		refuse(at, "a window function in "+l.noAgg)
	}
	if f.GetAggDistinct() || len(f.GetAggOrder()) > 0 || f.GetAggWithinGroup() {
		refuse(at, "DISTINCT or ORDER BY in the window function "+name)
	}
	filter := ""
	if f.GetAggFilter() != nil {
		filter = " FILTER (WHERE " + r.condition(f.GetAggFilter(), l, ctes, "FILTER") + ")"
	}
	if isAggregate(f) {
		if name == "count" && f.GetAggStar() {
			return expr{sql: "count(*)" + filter + " OVER " + r.window(f.GetOver(), l, ctes), typ: "int8"}
		}
		args := r.exprs(f.GetArgs(), l, ctes)
		e, call := r.aggregateOf(name, args, false, nil, at)
		switch name {
		case "mode", "percentile_cont", "percentile_disc":
			refuse(at, name+" as a window function")
		}
		if w := f.GetOver(); frameOf(w, l).GetFrameOptions()&(frameExcludeCurrent|frameExcludeGroup|frameExcludeTies) != 0 && strings.HasPrefix(call, "pg_") {
			refuse(at, name+" with EXCLUDE")
		}
		e.sql = strings.Replace(call, "\x00", "", 1) + filter + " OVER " + r.window(f.GetOver(), l, ctes)
		return e
	}
	if filter != "" {
		refuse(at, "FILTER in the function "+name)
	}
	args := r.exprs(f.GetArgs(), l, ctes)
	over := " OVER " + r.window(f.GetOver(), l, ctes)
	typ := map[string]string{"row_number": "int8", "rank": "int8", "dense_rank": "int8", "percent_rank": "float8", "cume_dist": "float8"}[name]
	if typ != "" && len(args) == 0 {
		return expr{sql: name + "()" + over, typ: typ}
	}
	for i := range args {
		if args[i].typ == unknown && (i == 0 || name == "first_value" || name == "last_value") {
			args[i] = r.coerce(args[i], "text", -1, at)
		}
	}
	switch {
	case name == "ntile" && len(args) == 1:
		return expr{sql: "ntile(" + r.implied(args[0], "int4", at, "an argument").sql + ")" + over, typ: "int4"}
	case (name == "first_value" || name == "last_value") && len(args) == 1:
		return expr{sql: name + "(" + args[0].sql + ")" + over, typ: args[0].typ, integer: args[0].integer}
	case name == "nth_value" && len(args) == 2:
		return expr{sql: name + "(" + args[0].sql + "," + r.implied(args[1], "int4", at, "an argument").sql + ")" + over, typ: args[0].typ, integer: args[0].integer}
	case (name == "lag" || name == "lead") && len(args) >= 1 && len(args) <= 3:
		list := []expr{args[0]}
		if len(args) == 3 {
			list, _ = r.together([]expr{args[0], args[2]}, at, name)
		}
		sql := name + "(" + list[0].sql
		if len(args) > 1 {
			n := r.implied(args[1], "int4", at, "an argument")
			if _, err := strconv.ParseUint(n.sql, 10, 31); err != nil {
				refuse(at, name+" by a computed number of rows")
			}
			sql += "," + n.sql
		}
		if len(args) == 3 {
			sql += "," + list[1].sql
		}
		return expr{sql: sql + ")" + over, typ: list[0].typ, integer: list[0].integer}
	}
	refuse(at, "the window function "+name+"("+typesOf(args)+")")
	return expr{}
}

// frameOf is the definition a window's frame comes from.
func frameOf(w *pg_query.WindowDef, l *level) *pg_query.WindowDef {
	if w.GetName() != "" && l.windows[w.GetName()] != nil {
		return l.windows[w.GetName()]
	}
	return w
}
