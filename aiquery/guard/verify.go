package guard

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// verifier looks at a finished statement and checks whether it is secure, knowing
// the policy and the form secured statements have, not how they were made.
type verifier struct {
	policy    *Policy
	schema    string
	params    int
	pieces    int            // names below this number stand for secured subqueries
	places    []*pg.RangeVar // where such names stand
	relations int

	shown [][]shownColumn // of the secured subqueries that names stand for
	sight *sight          // at the SELECT at hand
	own   int             // levels of texts of the ERP and its administrator around it
}

// verify checks a parsed secured statement, all of it. The error is for the log.
func verify(tree *pg.ParseResult, policy *Policy, schema string, maxRelations, params, limit int) error {
	return (&verifier{policy: policy, schema: schema, params: params}).statement(tree, maxRelations, limit)
}

// statement checks a statement, in which names may stand for secured subqueries.
func (v *verifier) statement(tree *pg.ParseResult, maxRelations, limit int) error {
	inner, err := outerSelect(tree, limit)
	if err != nil {
		return err
	}
	if err := visit(tree, -1, v.message); err != nil {
		return err
	}
	if err := v.walk(inner, nil); err != nil {
		return err
	}
	if v.relations > maxRelations {
		return fmt.Errorf("%d tables", v.relations)
	}
	return nil
}

// piece checks a secured subquery on its own.
func (v *verifier) piece(tree *pg.ParseResult) error {
	s := selectOf(tree)
	if s == nil {
		return fmt.Errorf("not one SELECT")
	}
	if secured, _, _ := securedBody(s); secured == nil {
		return fmt.Errorf("not the subquery of a table")
	}
	if err := visit(tree, -1, v.message); err != nil {
		return err
	}
	if table := v.tableOf(s); table != nil {
		secured, rows, gates := securedBody(s)
		v.shown = [][]shownColumn{shown(secured, gates, rows, table)}
	}
	return v.walkOwn(s)
}

// outerSelect checks SELECT * FROM (…) AS q LIMIT n and returns what is in the
// brackets.
func outerSelect(tree *pg.ParseResult, limit int) (*pg.SelectStmt, error) {
	s := selectOf(tree)
	if s == nil {
		return nil, fmt.Errorf("not one SELECT")
	}
	if len(s.FromClause) != 1 || len(s.TargetList) == 0 || s.Op != pg.SetOperation_SETOP_NONE ||
		!hasOnly(s, "target_list", "from_clause", "where_clause", "sort_clause", "limit_count", "op", "limit_option") ||
		s.WhereClause != nil && !computedFirst(s.WhereClause) {
		return nil, fmt.Errorf("the outer SELECT has another form")
	}
	sub := s.FromClause[0].GetRangeSubselect()
	inner := sub.GetSubquery().GetSelectStmt()
	n := s.LimitCount.GetAConst()
	text := ""
	switch {
	case n.GetIval() != nil:
		text = strconv.Itoa(int(n.GetIval().Ival))
	case n.GetFval() != nil:
		text = n.GetFval().Fval
	}
	if inner == nil || sub.Lateral || sub.Alias.GetAliasname() != "q" || text != strconv.Itoa(limit+1) {
		return nil, fmt.Errorf("the outer SELECT has another form")
	}
	if names := sub.Alias.Colnames; len(names) > 0 { // the statement has columns to order by that are not returned
		for i, n := range s.TargetList {
			if i >= len(names) || !isColumn(n.GetResTarget().GetVal(), "q", names[i].GetString_().GetSval()) {
				return nil, fmt.Errorf("the outer SELECT has other columns")
			}
		}
		return inner, nil
	}
	fields := s.TargetList[0].GetResTarget().GetVal().GetColumnRef().GetFields()
	if len(s.TargetList) != 1 || len(s.SortClause) > 0 || len(fields) != 1 || fields[0].GetAStar() == nil {
		return nil, fmt.Errorf("the outer SELECT has other columns")
	}
	return inner, nil
}

// computedFirst reports whether a condition always holds and names no row: it
// computes what is made of constants.
func computedFirst(n *pg.Node) bool {
	m := n.GetAExpr()
	schema, name, _ := twoParts(m.GetLexpr().GetFuncCall().GetFuncname())
	if m == nil || m.Kind != pg.A_Expr_Kind_AEXPR_OP || len(m.Name) != 1 || m.Name[0].GetString_().GetSval() != ">=" || schema != catalog ||
		name != "num_nulls" || m.Rexpr.GetAConst().GetIval() == nil || m.Rexpr.GetAConst().GetIval().Ival != 0 {
		return false
	}
	ok := true
	var look func(m any) error
	look = func(m any) error {
		switch m.(type) {
		case *pg.ColumnRef, *pg.RangeVar, *pg.CommonTableExpr:
			ok = false
		}
		return children(m, look)
	}
	_ = look(m)
	return ok
}

// message checks what needs no scope: everything is named in full and listed.
func (v *verifier) message(m any, _ int32) error {
	switch m := m.(type) {
	case *pg.FuncCall:
		return v.call(m)
	case *pg.TypeName:
		return listed("type", m.Names, types)
	case *pg.CollateClause:
		return listed("collation", m.Collname, collations)
	case *pg.A_Expr:
		switch m.Kind {
		case pg.A_Expr_Kind_AEXPR_BETWEEN, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN, pg.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		default:
			return v.operator(m.Name)
		}
	case *pg.SubLink:
		if len(m.OperName) > 0 {
			return v.operator(m.OperName)
		}
	case *pg.SortBy:
		if len(m.UseOp) > 0 {
			return v.operator(m.UseOp)
		}
	case *pg.ColumnRef:
		if len(m.Fields) > 2 {
			return fmt.Errorf("a column of %d parts", len(m.Fields))
		}
	case *pg.ParamRef:
		if m.Number < 1 || int(m.Number) > v.params {
			return fmt.Errorf("parameter %d", m.Number)
		}
	case *pg.RangeVar:
		v.relations++ // WITH items are taken away again
	case *pg.A_Indirection:
		return subscripts(m)
	}
	return nil
}

// call checks that a function is a listed one.
func (v *verifier) call(m *pg.FuncCall) error {
	schema, name, ok := twoParts(m.Funcname)
	switch {
	case !ok:
	case m.Funcformat == pg.CoercionForm_COERCE_SQL_SYNTAX && schema == catalog && sqlSyntax[name]:
		return nil
	case m.Funcformat == pg.CoercionForm_COERCE_EXPLICIT_CALL && (schema == catalog && builtins[name] || schema == v.schema && v.policy.Functions[name]):
		return nil
	}
	return fmt.Errorf("function %s.%s", schema, name)
}

// listed checks that a name is one of PostgreSQL's own on a list.
func listed(what string, parts []*pg.Node, list map[string]bool) error {
	if schema, name, ok := twoParts(parts); !ok || schema != catalog || !list[name] {
		return fmt.Errorf("%s %s.%s", what, schema, name)
	}
	return nil
}

// subscripts checks that a selection is one by subscripts, or of a column of a row.
func subscripts(m *pg.A_Indirection) error {
	for i, n := range m.Indirection {
		if n.GetAIndices() == nil && (i > 0 || len(m.Arg.GetColumnRef().GetFields()) != 1) {
			return fmt.Errorf("a field of an expression")
		}
	}
	return nil
}

// operator checks that an operator is a listed one, or arithmetic of the ERP's
// own, which only its views can have.
func (v *verifier) operator(name []*pg.Node) error {
	if len(name) == 1 && operators[name[0].GetString_().GetSval()] {
		return nil
	}
	schema, op, ok := twoParts(name)
	if ok && operators[op] && (schema == catalog || schema == v.policy.Schema && schema != "" && (op == "+" || op == "-")) {
		return nil
	}
	return fmt.Errorf("operator %s", op)
}

func twoParts(parts []*pg.Node) (first, second string, ok bool) {
	if len(parts) != 2 {
		return "", "", false
	}
	return parts[0].GetString_().GetSval(), parts[1].GetString_().GetSval(), true
}

// visible is the list of WITH items in sight.
type visible struct {
	name   string
	parent *visible
}

func (s *visible) has(name string) bool {
	for ; s != nil; s = s.parent {
		if s.name == name {
			return true
		}
	}
	return false
}

// walk looks for tables below m. Each must be the only item of a SELECT of the
// secured form, or a WITH item in sight.
func (v *verifier) walk(m any, with *visible) error {
	switch m := m.(type) {
	case *pg.SelectStmt:
		return v.selectStmt(m, with)
	case *pg.JoinExpr:
		if v.pieces > 0 {
			if err := noConstant(m.Quals); err != nil {
				return err
			}
		}
	case *pg.RangeVar:
		switch n := pieceNumber(m.Relname); {
		case m.Schemaname != "":
		case n >= 0 && n < v.pieces:
			v.places = append(v.places, m)
			return nil
		case with.has(m.Relname):
			v.relations--
			return nil
		}
		return fmt.Errorf("table %s is not secured", m.Relname)
	}
	return children(m, func(c any) error { return v.walk(c, with) })
}

func (v *verifier) selectStmt(s *pg.SelectStmt, with *visible) error {
	if w := s.WithClause; w != nil {
		if w.Recursive {
			for _, n := range w.Ctes {
				with = &visible{n.GetCommonTableExpr().GetCtename(), with}
			}
		}
		for _, n := range w.Ctes {
			if err := v.walk(n.GetCommonTableExpr(), with); err != nil {
				return err
			}
			if !w.Recursive {
				with = &visible{n.GetCommonTableExpr().GetCtename(), with}
			}
		}
	}
	if secured, rows, gates := securedBody(s); secured != nil {
		return v.table(secured, rows, gates)
	}
	if v.pieces > 0 { // else it is the ERP's own text
		if err := noConstant(s.WhereClause); err != nil {
			return err
		}
	}
	v.sight = &sight{items: map[string][]shownColumn{}, parent: v.sight}
	defer func() { v.sight = v.sight.parent }()
	for _, n := range s.FromClause {
		v.sight.see(v, n)
	}
	if v.own == 0 {
		if err := v.sight.conditions(s); err != nil {
			return err
		}
	}
	return children(s, func(c any) error {
		if _, ok := c.(*pg.WithClause); ok {
			return nil
		}
		return v.walk(c, with)
	})
}

// noConstant checks that the planner sees no constant in a condition, where it
// would compare it with what it knows of hidden rows. A subquery has conditions of its
// own, but what IN and ANY compare with is what it returns.
func noConstant(n *pg.Node) error {
	var look func(m any) error
	look = func(m any) error {
		switch m := m.(type) {
		case *pg.SubLink:
			if m.SubLinkType == pg.SubLinkType_ANY_SUBLINK || m.SubLinkType == pg.SubLinkType_ALL_SUBLINK {
				return noConstantReturned(m.Subselect.GetSelectStmt(), look)
			}
			return nil
		case *pg.TypeName:
			return nil
		case *pg.A_Const:
			if !m.Isnull && m.GetBoolval() == nil {
				return fmt.Errorf("a constant stands in a condition")
			}
			return nil
		case *pg.FuncCall:
			if name, _ := lastName(m.Funcname); m.Funcformat == pg.CoercionForm_COERCE_SQL_SYNTAX && (name == "extract" || strings.HasSuffix(name, "normalize") || name == "is_normalized") {
				return nil
			}
		}
		return children(m, look)
	}
	if m := content(n); m != nil {
		return look(m)
	}
	return nil
}

// noConstantReturned looks at what a SELECT returns, unless it groups by it: that needs
// constants as they are written, and the columns beside them are gated instead.
func noConstantReturned(s *pg.SelectStmt, look func(m any) error) error {
	if s.GetOp() != pg.SetOperation_SETOP_NONE {
		return errors.Join(noConstantReturned(s.Larg, look), noConstantReturned(s.Rarg, look))
	}
	if len(s.GetGroupClause()) > 0 || len(s.GetDistinctClause()) > 0 {
		return nil
	}
	for _, n := range slices.Concat(s.GetTargetList(), s.GetValuesLists()) {
		if err := look(content(n)); err != nil {
			return err
		}
	}
	return nil
}
