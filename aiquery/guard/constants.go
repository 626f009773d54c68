package guard

import (
	"maps"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// Every constant of the caller becomes a parameter, so that no plan depends on
// it: the planner compares what it sees with statistics of all rows, hidden ones
// included. A constant stays in the text only where it is not a value that could be
// compared with a column's:
//
//   - the number of an output column in GROUP BY, ORDER BY and DISTINCT ON
//   - the counts of LIMIT and OFFSET, and the bounds of a window's frame
//   - the length of a type, the field of EXTRACT, the form of NORMALIZE and the
//     marks of CYCLE, where the grammar wants a constant
//   - NULL, and true and false where they are a condition of their own
//   - a constant that GROUP BY or DISTINCT needs written alike in two clauses.
//     Columns beside it are gated where they decide about rows (see proof.go), so
//     that no statistics are known of them
//
// What is computed from constants alone is computed before any row is looked at,
// because whether it fails must not depend on the plan.

// lifter makes parameters of constants. It looks into every node; one it does
// not know has its constants lifted like any other.
type lifter struct{ job *job }

// alike are constants of a SELECT that stay as they are written, by kind and text.
type alike map[string]bool

func (a alike) key(m *pg.A_Const) string {
	switch {
	case m.GetSval() != nil:
		return "s" + m.GetSval().Sval
	case m.GetBsval() != nil:
		return "b" + m.GetBsval().Bsval
	case m.GetBoolval() != nil:
		return strconv.FormatBool(m.GetBoolval().Boolval)
	case m.GetIval() == nil && m.GetFval() == nil:
		return ""
	}
	text, _ := numberOf(m)
	return "n" + text
}

// add notes the constants below a node, but not those of subqueries.
func (a alike) add(n *pg.Node) {
	var look func(m any) error
	look = func(m any) error {
		switch m := m.(type) {
		case *pg.SubLink, *pg.TypeName:
			return nil
		case *pg.A_Const:
			a[a.key(m)] = true
			return nil
		}
		return children(m, look)
	}
	if m := content(n); m != nil {
		_ = look(m)
	}
}

// query lifts the constants of a SELECT and of those inside.
func (l *lifter) query(s *pg.SelectStmt) {
	if s == nil {
		return
	}
	for _, n := range s.WithClause.GetCtes() {
		l.query(n.GetCommonTableExpr().GetCtequery().GetSelectStmt())
	}
	l.query(s.Larg)
	l.query(s.Rarg)
	for _, row := range s.ValuesLists {
		l.values(row.GetList().GetItems(), nil)
	}
	for _, n := range s.FromClause {
		l.from(n)
	}
	l.condition(s.WhereClause, nil)
	same := compared(s)
	for _, n := range s.TargetList {
		l.value(n.GetResTarget().GetVal(), same)
	}
	l.positions(s.GroupClause, same)
	l.condition(s.HavingClause, same)
	for _, n := range s.WindowClause {
		l.window(n.GetWindowDef(), same)
	}
	l.positions(s.DistinctClause, same)
	for _, n := range s.SortClause {
		l.positions([]*pg.Node{n.GetSortBy().GetNode()}, same)
	}
	l.counts(s.LimitCount, s.LimitOffset)
}

// compared returns the constants of clauses whose expressions the server
// compares with those of others.
func compared(s *pg.SelectStmt) alike {
	same := alike{}
	list := append(append([]*pg.Node{}, s.GroupClause...), s.DistinctClause...)
	for _, n := range s.SortClause {
		if len(s.DistinctClause) > 0 {
			list = append(list, n.GetSortBy().GetNode())
		}
	}
	for _, n := range list {
		same.add(n)
		// It may be the number or the name of an output column.
		number, name := n.GetAConst().GetIval(), onePart(n)
		for i, t := range s.TargetList {
			if number != nil && int(number.Ival) == i+1 || name != "" && t.GetResTarget().GetName() == name {
				same.add(t.GetResTarget().GetVal())
			}
		}
	}
	return same
}

// from lifts the constants of a FROM item.
func (l *lifter) from(n *pg.Node) {
	switch m := content(n).(type) {
	case *pg.RangeSubselect:
		l.query(m.Subquery.GetSelectStmt())
	case *pg.RangeFunction:
		for _, f := range m.Functions {
			call := f.GetList().GetItems()[0]
			if args := call.GetFuncCall().GetArgs(); l.all(given, nil, args) != varying {
				l.once(call)
			}
		}
	case *pg.JoinExpr:
		l.from(m.Larg)
		l.from(m.Rarg)
		l.condition(m.Quals, nil)
	}
}

// once calls a function of FROM with constants once before, if that may fail.
func (l *lifter) once(call *pg.Node) {
	m := call.GetFuncCall()
	name, _ := lastName(m.GetFuncname())
	if name == "unnest" || name == "generate_subscripts" || name == "generate_series" && len(m.Args) < 3 {
		return
	}
	count := &pg.FuncCall{Funcname: names(catalog, "count"), AggStar: true, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL}
	s := newSelect()
	s.TargetList = []*pg.Node{target("", &pg.Node{Node: &pg.Node_FuncCall{FuncCall: count}})}
	s.FromClause = []*pg.Node{{Node: &pg.Node_RangeFunction{RangeFunction: &pg.RangeFunction{
		Functions: []*pg.Node{{Node: &pg.Node_List{List: &pg.List{Items: []*pg.Node{call, {}}}}}}}}}}
	l.job.once = append(l.job.once, &pg.Node{Node: &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_EXPR_SUBLINK, Subselect: selectNode(s)}}})
}

// positions lifts the constants of expressions in a place where a number alone
// means an output column.
func (l *lifter) positions(list []*pg.Node, same alike) {
	for _, n := range list {
		switch m := content(n).(type) {
		case *pg.A_Const:
		case *pg.GroupingSet:
			l.positions(m.Content, same)
		case *pg.RowExpr:
			if m.RowFormat == pg.CoercionForm_COERCE_IMPLICIT_CAST {
				l.positions(m.Args, same)
				continue
			}
			l.value(n, same)
		default:
			l.value(n, same)
		}
	}
}

func (l *lifter) window(m *pg.WindowDef, same alike) {
	l.values(m.GetPartitionClause(), same)
	for _, n := range m.GetOrderClause() {
		l.value(n.GetSortBy().GetNode(), same)
	}
	l.counts(m.GetStartOffset(), m.GetEndOffset())
}

// counts leaves constants, and lifts those of what is computed.
func (l *lifter) counts(list ...*pg.Node) {
	for _, n := range list {
		if !fixed(n) {
			l.value(n, nil)
		}
	}
}

// condition lifts the constants of a condition.
func (l *lifter) condition(n *pg.Node, same alike) {
	if n.GetAConst().GetBoolval() == nil {
		l.value(n, same)
	}
}

func (l *lifter) values(list []*pg.Node, same alike) {
	for _, n := range list {
		l.value(n, same)
	}
}

// value lifts the constants of an expression that nothing is computed from here.
func (l *lifter) value(n *pg.Node, same alike) {
	if l.expression(n, same) == computedOnce {
		l.job.once = append(l.job.once, n)
	}
}

// constancy says what an expression depends on.
type constancy int

const (
	given        constancy = iota // it is a constant or a parameter, perhaps read as a type
	computedOnce                  // it is computed from such
	varying                       // on anything else
)

// expression lifts the constants of an expression.
func (l *lifter) expression(n *pg.Node, same alike) constancy {
	switch m := content(n).(type) {
	case nil, *pg.ParamRef, *pg.SQLValueFunction:
		return given
	case *pg.A_Const:
		l.lift(n, m, same)
		return given
	case *pg.TypeCast:
		// A text without a type is read as the type at once, anything else when the
		// cast is computed.
		read := m.Arg.GetAConst().GetSval() != nil && len(m.TypeName.Typmods) == 0
		if kind := l.expression(m.Arg, same); kind != given || read {
			return kind
		}
		return computedOnce
	case *pg.A_Expr:
		return l.all(computedOnce, same, rowItems(m.Lexpr), rowItems(m.Rexpr))
	case *pg.BoolExpr:
		for _, a := range m.Args {
			l.condition(a, same)
		}
		return varying
	case *pg.A_ArrayExpr:
		return l.all(computedOnce, same, m.Elements)
	case *pg.CoalesceExpr:
		return l.all(computedOnce, same, m.Args)
	case *pg.MinMaxExpr:
		return l.all(computedOnce, same, m.Args)
	case *pg.List:
		return l.all(computedOnce, same, m.Items)
	case *pg.CollateClause:
		return l.all(computedOnce, same, []*pg.Node{m.Arg})
	case *pg.CaseExpr:
		return l.all(computedOnce, same, caseParts(m))
	case *pg.FuncCall:
		return l.call(m, same)
	case *pg.RowExpr:
		for _, a := range m.Args {
			l.typed(a, same)
		}
		return varying
	case *pg.SubLink:
		l.values(rowItems(m.Testexpr), same)
		l.query(m.Subselect.GetSelectStmt())
		return varying
	case *pg.SelectStmt:
		l.query(m)
		return varying
	case *pg.WindowDef:
		l.window(m, same)
		return varying
	default:
		l.values(nodesIn(m), same)
		return varying
	}
}

// all lifts the constants of the parts of an expression that is at most as
// constant as kind. If it is less so, its constant parts are computed once.
func (l *lifter) all(kind constancy, same alike, lists ...[]*pg.Node) constancy {
	var once []*pg.Node
	for _, list := range lists {
		for _, n := range list {
			switch l.expression(n, same) {
			case computedOnce:
				once = append(once, n)
			case varying:
				kind = varying
			}
		}
	}
	if kind == varying {
		l.job.once = append(l.job.once, once...)
	}
	return kind
}

// rowItems are the parts of a side of a comparison: the types of what a row or a
// list holds follow from the other side.
func rowItems(n *pg.Node) []*pg.Node {
	switch m := content(n).(type) {
	case *pg.RowExpr:
		return m.Args
	case *pg.List:
		var items []*pg.Node
		for _, item := range m.Items {
			items = append(items, rowItems(item)...)
		}
		return items
	}
	return []*pg.Node{n}
}

func caseParts(m *pg.CaseExpr) []*pg.Node {
	parts := []*pg.Node{m.Arg, m.Defresult}
	for _, n := range m.Args {
		w := n.GetCaseWhen()
		parts = append(parts, w.GetResult())
		if w.GetExpr().GetAConst().GetBoolval() == nil {
			parts = append(parts, w.GetExpr())
		}
	}
	return parts
}

// takesAny are functions that take values of any type, and so give texts none.
var takesAny = set(`concat concat_ws format json_build_object jsonb_build_object json_build_array jsonb_build_array num_nulls num_nonnulls`)

// keywords are the arguments that the grammar wants as constants.
var keywords = map[string]int{"extract": 0, "normalize": 1, "is_normalized": 1}

func (l *lifter) call(m *pg.FuncCall, same alike) constancy {
	name, _ := lastName(m.Funcname)
	_, several := tableFunctions[name]
	schema, _, _ := twoParts(m.Funcname)
	kind := computedOnce
	if several || aggregates[name] || m.Over != nil || m.AggStar || schema != catalog {
		kind = varying
	}
	if m.AggDistinct { // what it orders by has to be an argument
		same = maps.Clone(same)
		if same == nil {
			same = alike{}
		}
		for _, n := range m.AggOrder {
			same.add(n.GetSortBy().GetNode())
		}
	}
	args := m.Args
	if word, ok := keywords[name]; ok && m.Funcformat == pg.CoercionForm_COERCE_SQL_SYNTAX && word < len(args) {
		args = append(append([]*pg.Node{}, args[:word]...), args[word+1:]...)
	}
	if takesAny[name] {
		for _, a := range args {
			l.typed(a, same)
		}
		return varying
	}
	for _, n := range m.AggOrder {
		l.value(n.GetSortBy().GetNode(), same)
	}
	l.condition(m.AggFilter, same)
	l.window(m.Over, same)
	return l.all(kind, same, args)
}

// typed lifts the constants of an expression whose type nothing around it tells.
func (l *lifter) typed(n *pg.Node, same alike) {
	text := n.GetAConst().GetSval() != nil
	l.value(n, same)
	if p := n.GetParamRef(); text && p != nil {
		n.Node = cast(&pg.Node{Node: &pg.Node_ParamRef{ParamRef: p}}, "text").Node
	}
}

// lift makes a parameter of a constant that may be one.
func (l *lifter) lift(n *pg.Node, m *pg.A_Const, same alike) {
	if m.Isnull || same[same.key(m)] {
		return
	}
	v, ok := constantOf(m, "")
	switch {
	case ok:
	case m.GetBoolval() != nil:
		v = Value{Type: "bool", Text: strconv.FormatBool(m.GetBoolval().Boolval)}
	case m.GetBsval() != nil:
		v = Value{Type: "bit", Text: m.GetBsval().Bsval}
	default:
		return
	}
	n.Node = l.job.lifted(v).Node
}
