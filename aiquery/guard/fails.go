package guard

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// An expression that fails for a row ends the statement, if the plan comes to that
// row, and plans follow statistics of all rows. So that nothing of them shows, the
// plan has to come to the same rows whatever it is: to all that the role may see
// and the conditions that cannot fail have let through.
//
//   - Conditions that can fail come last, in the order they are written (last).
//   - A LIMIT over something that can fail sorts its rows by what no index
//     has, and so looks at all of them (all).
//
// Joins and subqueries may still end early: see the package comment of aiquery.

// neverFail are functions that fail for no argument.
var neverFail = set(`now transaction_timestamp lower upper initcap length char_length character_length octet_length bit_length left right
	strpos position starts_with reverse md5 concat concat_ws btrim ltrim rtrim trim num_nulls num_nonnulls abs ceil ceiling floor round trunc sign
	to_jsonb to_json row_number rank dense_rank percent_rank cume_dist first_value last_value lag lead count min max bool_and bool_or every
	isfinite cardinality array_length date timestamp text justify_hours justify_days sum avg string_agg array_agg json_agg jsonb_agg`)

// operatorsNeverFail fail for no operands. Sums and products have a rule of their
// own.
var operatorsNeverFail = set(`= <> != < > <= >= || -> ->> @> <@ && ^@ ?`)

// note remembers what of an expression of the caller may fail for some row. What
// is not known to be safe can fail.
func (r *resolver) note(m any, e env) {
	if r.trusted || r.job.own[m] {
		return
	}
	what := ""
	switch m := m.(type) {
	case *pg.TypeCast:
		if r.castFails(m, e) {
			what = "the cast to " + typeName(m.TypeName)
		}
	case *pg.A_Expr:
		if operatorFails(m) {
			what, _ = lastName(m.Name)
			what = "the operator " + what
		}
	case *pg.FuncCall:
		if callFails(m) {
			what, _ = lastName(m.Funcname)
			what += "(…)"
		}
	case *pg.SubLink:
		if m.SubLinkType == pg.SubLinkType_EXPR_SUBLINK && !oneRow(m.Subselect.GetSelectStmt()) {
			what = "a subquery that returns several rows"
		}
	}
	if what != "" {
		r.job.failing = append(r.job.failing, what)
	}
}

// castFails reports whether what is cast may be no value of the type.
func (r *resolver) castFails(m *pg.TypeCast, e env) bool {
	typ := typeName(m.TypeName)
	if fixed(m.Arg) || m.Arg.GetSqlvalueFunction() != nil { // it is read before any row is
		return false
	}
	if len(m.TypeName.ArrayBounds) > 0 {
		return true
	}
	from := noFamily
	if c := r.columnOf(m.Arg, e); c != nil {
		from = families[c.typ]
	}
	switch typ {
	case "text", "varchar", "bpchar":
		return false
	case "numeric":
		return from != numberFamily || len(m.TypeName.Typmods) > 0
	case "date", "timestamp", "timestamptz":
		return from != timeFamily
	}
	return true
}

// operatorFails reports whether an operator may fail for values of its operands.
func operatorFails(m *pg.A_Expr) bool {
	name, _ := lastName(m.Name)
	switch m.Kind {
	case pg.A_Expr_Kind_AEXPR_SIMILAR:
		return true
	case pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE, pg.A_Expr_Kind_AEXPR_OP, pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
	default:
		return false // comparisons
	}
	switch name {
	case "~~", "!~~", "~~*", "!~~*":
		s := m.Rexpr.GetAConst().GetSval()
		return s == nil || strings.HasSuffix(s.Sval, `\`)
	case "+", "-", "*":
		return m.Lexpr != nil && !small(m.Lexpr) || !small(m.Rexpr)
	}
	return !operatorsNeverFail[name]
}

// small reports whether sums and products with a value stay within its type: a
// column, a short number or time, or what is computed from such.
func small(n *pg.Node) bool {
	switch m := content(n).(type) {
	case *pg.ColumnRef, *pg.SQLValueFunction:
		return true
	case *pg.A_Const:
		if m.GetIval() == nil && m.GetFval() == nil {
			return false
		}
		text, _ := numberOf(m)
		return len(text) <= 9 && !strings.ContainsAny(text, "eE")
	case *pg.TypeCast:
		s := m.Arg.GetAConst().GetSval()
		return s != nil && typeName(m.TypeName) == "interval" && len(s.Sval) < 12 && len(m.TypeName.Typmods) <= 1
	case *pg.A_Expr:
		name, _ := lastName(m.Name)
		return m.Kind == pg.A_Expr_Kind_AEXPR_OP && (name == "+" || name == "-" || name == "*") && (m.Lexpr == nil || small(m.Lexpr)) && small(m.Rexpr)
	case *pg.CoalesceExpr:
		return !slices.ContainsFunc(m.Args, func(a *pg.Node) bool { return !small(a) })
	case *pg.FuncCall:
		name, _ := lastName(m.Funcname)
		return name == "now" || name == "sum" && len(m.Args) == 1 && small(m.Args[0])
	}
	return false
}

// callFails reports whether a function may fail for values of its arguments.
func callFails(m *pg.FuncCall) bool {
	name, _ := lastName(m.Funcname)
	switch schema, _, _ := twoParts(m.Funcname); {
	case schema != catalog:
		return true
	case name == "extract", name == "date_trunc", name == "date_part":
		return len(m.Args) == 0 || m.Args[0].GetAConst().GetSval() == nil
	}
	return !neverFail[name]
}

// oneRow reports whether a SELECT returns one row at most, as can be seen.
func oneRow(s *pg.SelectStmt) bool {
	switch {
	case s.GetOp() != pg.SetOperation_SETOP_NONE:
		return false
	case s.GetLimitCount().GetAConst().GetIval().GetIval() == 1:
		return true
	case len(s.GetFromClause()) == 0:
		return len(s.GetValuesLists()) <= 1
	}
	return len(s.GetGroupClause()) == 0 && slices.ContainsFunc(s.GetTargetList(), func(n *pg.Node) bool { return collects(n) })
}

// mark is where the resolving of an expression begins, for failed.
func (r *resolver) mark() int {
	r.named = false
	return len(r.job.failing)
}

// failed reports whether what was resolved since may fail for some row.
func (r *resolver) failed(mark int) bool { return r.named || len(r.job.failing) > mark }

// computeFirst has the items of a WITH that can fail computed as a whole before
// the rows of its SELECT are looked at: a join might not need them.
func (r *resolver) computeFirst(w *pg.WithClause, e env) {
	for _, n := range w.Ctes {
		x := n.GetCommonTableExpr()
		if c := e.ctes.find(x.Ctename); c != nil && c.fails && !r.trusted {
			x.Ctematerialized = pg.CTEMaterialize_CTEMaterializeAlways
			r.early = append(r.early, countOf(x.Ctename))
		}
	}
}

// hoistTable does the same with a subquery of FROM, which becomes an item of the
// statement's WITH.
func (r *resolver) hoistTable(n *pg.Node, m *pg.RangeSubselect) {
	name := reserved + "s" + itoa(int32(len(r.job.hoisted)+1))
	r.job.hoisted = append(r.job.hoisted, &pg.Node{Node: &pg.Node_CommonTableExpr{CommonTableExpr: &pg.CommonTableExpr{
		Ctename: name, Ctematerialized: pg.CTEMaterialize_CTEMaterializeAlways, Ctequery: m.Subquery}}})
	n.Node = &pg.Node_RangeVar{RangeVar: &pg.RangeVar{Relname: name, Inh: true, Relpersistence: "p", Alias: m.Alias}}
	r.early = append(r.early, countOf(name))
}

// countOf is the number of rows of an item of WITH.
func countOf(name string) *pg.Node {
	s := newSelect()
	s.TargetList = []*pg.Node{target("", &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{
		Funcname: names(catalog, "count"), AggStar: true, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL}}})}
	s.FromClause = []*pg.Node{{Node: &pg.Node_RangeVar{RangeVar: &pg.RangeVar{Relname: name, Inh: true, Relpersistence: "p"}}}}
	return &pg.Node{Node: &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_EXPR_SUBLINK, Subselect: selectNode(s)}}}
}

// failable is a condition, and whether it can fail.
type failable struct {
	*pg.Node
	fails bool
}

// last joins the conditions of a level. Those that can fail are tested when
// all others hold for rows of all its tables.
func (r *resolver) last(conditions []failable, items []*item) *pg.Node {
	var sure, before, fail, cols []*pg.Node
	for _, c := range conditions {
		switch {
		case c.fails:
			fail = append(fail, c.Node)
			continue
		case !hasSubLink(content(c.Node)):
			before = append(before, c.Node)
		}
		sure = append(sure, c.Node)
	}
	if len(fail) == 0 {
		return and(sure)
	}
	for _, it := range items {
		if c := it.anyColumn(); c != nil && len(items) > 1 {
			cols = append(cols, c)
		}
	}
	if len(cols) > 0 {
		before = append(before, evaluated(cols))
	}
	after := fail[len(fail)-1]
	for _, n := range slices.Backward(fail[:len(fail)-1]) {
		after = caseWhen(n, after)
	}
	if len(before) > 0 {
		after = caseWhen(and(before), after)
	}
	return and(append(sure, after))
}

func hasSubLink(m any) bool {
	if m == nil {
		return false
	}
	if _, ok := m.(*pg.SubLink); ok {
		return true
	}
	found := false
	_ = children(m, func(c any) error {
		found = found || hasSubLink(c)
		return nil
	})
	return found
}

// anyColumn is a reference to a column of the item, nil if none can be named.
func (it *item) anyColumn() *pg.Node {
	if !it.relVisible || it.name == "" {
		return nil
	}
	cols, _ := it.identity()
	for _, i := range append(cols, 0) {
		if i < len(it.cols) && count(it.cols, it.cols[i].name) == 1 {
			it.cols[i].use()
			return columnRef(it.name, it.cols[i].name)
		}
	}
	return nil
}

// all makes a LIMIT look at all rows if something in them can fail: they are
// sorted first by something that is the same for all, and that no index has. Of
// set operations and DISTINCT only the rows that are returned are sorted so.
func (r *resolver) all(s *pg.SelectStmt, level *scope, grouped bool, around env, out *output) {
	if len(r.job.failing) == 0 || r.trusted {
		return
	}
	if level == nil || len(s.DistinctClause) > 0 || level.expands {
		if around.outermost && len(r.job.ties) == 0 && len(out.cols) > 0 {
			r.closeTies(s, out)
		}
		return
	}
	var of *pg.Node
	if grouped {
		of = &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{Funcname: names(catalog, "count"), AggStar: true, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL}}}
	}
	for _, it := range level.items {
		if of == nil {
			of = it.anyColumn()
		}
	}
	if of != nil && len(s.SortClause) > 0 {
		s.SortClause = append([]*pg.Node{sortBy(evaluated([]*pg.Node{of}))}, s.SortClause...)
	}
}
