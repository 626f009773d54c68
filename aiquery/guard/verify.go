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

// securedBody returns the SELECT that reads a table or a view, the conditions on its
// rows, and, when columns are gated, the SELECT around it. It returns nil for
// what is not a secured subquery.
func securedBody(s *pg.SelectStmt) (secured *pg.SelectStmt, rows *pg.Node, gates *pg.SelectStmt) {
	if len(s.FromClause) != 1 {
		return nil, nil, nil
	}
	from := s.FromClause[0]
	sub := from.GetRangeSubselect()
	if sub.GetAlias().GetAliasname() == gateAlias {
		body := sub.GetSubquery().GetSelectStmt()
		n := len(body.GetTargetList())
		if n == 0 || body.TargetList[n-1].GetResTarget().GetName() != gateColumn || body.WhereClause != nil {
			return s, nil, s // of no form that is secure
		}
		return body, body.TargetList[n-1].GetResTarget().Val, s
	}
	if t := from.GetRangeVar(); t != nil && t.Schemaname != "" || strings.HasPrefix(sub.GetAlias().GetAliasname(), viewPrefix) {
		return s, s.WhereClause, nil
	}
	return nil, nil, nil
}

// table checks the subquery that stands for a table or a view.
func (v *verifier) table(secured *pg.SelectStmt, rows *pg.Node, gates *pg.SelectStmt) error {
	if len(secured.FromClause) != 1 {
		return fmt.Errorf("a secured subquery reads %d tables", len(secured.FromClause))
	}
	var table *Table
	alias := ""
	if t := secured.FromClause[0].GetRangeVar(); t != nil {
		if err := v.baseTable(t); err != nil {
			return err
		}
		table, alias = v.policy.Tables[t.Relname], t.Alias.GetAliasname()
	} else {
		d := secured.FromClause[0].GetRangeSubselect()
		alias = d.GetAlias().GetAliasname()
		name, ok := strings.CutPrefix(alias, viewPrefix)
		if table = v.policy.Tables[name]; !ok || table == nil || table.Definition == "" || len(d.Alias.Colnames) > 0 || d.Lateral {
			return fmt.Errorf("view %s is not permitted", alias)
		}
		if err := v.walkOwn(d.Subquery.GetSelectStmt()); err != nil { // a view sees no WITH item of the statement
			return err
		}
	}
	if gates != nil {
		if err := gateForm(gates, secured, table); err != nil {
			return err
		}
	}
	return v.secured(secured, rows, table, alias, gates != nil)
}

func (v *verifier) baseTable(t *pg.RangeVar) error {
	if table := v.policy.Tables[t.Relname]; table == nil || t.Schemaname != v.schema || table.Definition != "" {
		return fmt.Errorf("table %s is not permitted", t.Relname)
	}
	if _, ok := v.policy.Denied[t.Relname]; ok {
		return fmt.Errorf("table %s is denied", t.Relname)
	}
	if !t.Inh || t.Relpersistence != "p" || len(t.Alias.GetColnames()) > 0 || t.Alias.GetAliasname() == "" {
		return fmt.Errorf("table %s has no plain alias", t.Relname)
	}
	return nil
}

// plainSelect reports whether a SELECT has columns, FROM, WHERE and the fields
// named, and nothing else.
func plainSelect(s *pg.SelectStmt, limit pg.LimitOption, more ...string) bool {
	return s.Op == pg.SetOperation_SETOP_NONE && s.LimitOption == limit &&
		hasOnly(s, append(more, "target_list", "from_clause", "where_clause", "op", "limit_option")...)
}

// gateForm checks the SELECT that hides the values of hidden rows: the columns
// of the one inside, by their own names, bare or behind the condition.
func gateForm(s, secured *pg.SelectStmt, table *Table) error {
	wrong := fmt.Errorf("the gate of table %s has another form", table.Name)
	sub := s.FromClause[0].GetRangeSubselect()
	if !plainSelect(s, pg.LimitOption_LIMIT_OPTION_DEFAULT) || sub.Lateral || len(sub.Alias.Colnames) > 0 ||
		!isColumn(s.WhereClause, gateAlias, gateColumn) || len(s.TargetList) != len(secured.TargetList)-1 || len(table.Where) > 0 {
		return wrong
	}
	for i, n := range s.TargetList {
		t := n.GetResTarget()
		if t.GetName() != secured.TargetList[i].GetResTarget().GetName() {
			return wrong
		}
		val := t.Val
		if c := val.GetCaseExpr(); c != nil {
			w := c.Args[0].GetCaseWhen()
			if len(c.Args) != 1 || c.Arg != nil || c.Defresult != nil || !isGateOpen(w.GetExpr()) {
				return wrong
			}
			val = w.Result
		}
		if !isColumn(val, gateAlias, t.Name) {
			return wrong
		}
	}
	return nil
}

// secured checks the form of a secured subquery: permitted columns by their own
// names, constants for the redacted and denied ones, all conditions, nothing
// else. In a gate the conditions are not its WHERE.
func (v *verifier) secured(s *pg.SelectStmt, rows *pg.Node, table *Table, alias string, gated bool) error {
	plain := plainSelect(s, pg.LimitOption_LIMIT_OPTION_DEFAULT)
	if len(table.Where) > 0 && s.LimitOffset != nil { // a fence
		zero := s.LimitOffset.GetAConst()
		plain = plainSelect(s, pg.LimitOption_LIMIT_OPTION_COUNT, "limit_offset") && zero.GetIval() != nil && zero.GetIval().Ival == 0
	}
	if !plain || len(s.TargetList) == 0 || gated && s.LimitOffset != nil {
		return fmt.Errorf("table %s has a subquery of another form", table.Name)
	}
	targets := s.TargetList
	if gated {
		targets = targets[:len(targets)-1] // the last is the conditions
	}
	for _, n := range targets {
		if err := v.securedColumn(n.GetResTarget(), table, alias); err != nil {
			return err
		}
	}
	return v.securedRows(rows, table, alias)
}

func (v *verifier) securedColumn(t *pg.ResTarget, table *Table, alias string) error {
	wrong := fmt.Errorf("column %s of table %s", t.GetName(), table.Name)
	c := t.GetVal().GetTypeCast().GetArg().GetAConst()
	if i := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Name == t.GetName() }); i >= 0 {
		if table.Columns[i].Redacted {
			if c == nil || !c.Isnull && c.GetSval() == nil {
				return wrong
			}
			return nil
		}
		if !isColumn(t.GetVal(), alias, t.Name) {
			return wrong
		}
		return nil
	}
	if !slices.ContainsFunc(table.Denied, func(c Column) bool { return c.Name == t.GetName() }) || c == nil || !c.Isnull {
		return wrong
	}
	return nil
}

// securedRows checks that the conditions of the policy are the first terms of
// what the rows fulfil, and that there are as many more as the table has rules.
func (v *verifier) securedRows(rows *pg.Node, table *Table, alias string) error {
	terms := terms(rows)
	for i := range table.Conditions {
		c := &table.Conditions[i]
		if c.Not && c.NullOK && len(c.IDs)+len(c.Texts) == 0 {
			continue
		}
		if len(terms) == 0 || !holds(terms[0], c, alias) {
			return fmt.Errorf("table %s lacks its condition on %s", table.Name, c.Column)
		}
		terms = terms[1:]
	}
	if len(table.Where) == 0 && len(terms) > 0 || len(table.Where) > 0 && len(terms) < len(table.Where) {
		return fmt.Errorf("table %s has %d further conditions instead of %d", table.Name, len(terms), len(table.Where))
	}
	for _, t := range terms {
		if m := content(t); m != nil {
			if err := v.walkOwn(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// walkOwn walks a text of the ERP or its administrator.
func (v *verifier) walkOwn(m any) error {
	v.own++
	defer func() { v.own-- }()
	return v.walk(m, nil)
}

// holds compares a term with a condition.
func holds(n *pg.Node, c *Condition, alias string) bool {
	if c.NullOK {
		or := n.GetBoolExpr()
		if or == nil || or.Boolop != pg.BoolExprType_OR_EXPR || len(or.Args) != 2 ||
			!isNullTest(or.Args[0], pg.NullTestType_IS_NULL, alias, c.Column) {
			return false
		}
		n = or.Args[1]
	}
	switch {
	case len(c.IDs)+len(c.Texts) > 0:
		return isList(n, c, alias)
	case c.Not:
		return isNullTest(n, pg.NullTestType_IS_NOT_NULL, alias, c.Column)
	}
	b := n.GetAConst().GetBoolval()
	return b != nil && !b.Boolval
}

func isNullTest(n *pg.Node, kind pg.NullTestType, alias, column string) bool {
	t := n.GetNullTest()
	return t != nil && t.Nulltesttype == kind && isColumn(t.Arg, alias, column)
}

// isList recognises column IN (…) and column NOT IN (…).
func isList(n *pg.Node, c *Condition, alias string) bool {
	in := n.GetAExpr()
	if in == nil || in.Kind != pg.A_Expr_Kind_AEXPR_IN || len(in.Name) != 1 || !isColumn(in.Lexpr, alias, c.Column) {
		return false
	}
	op := "="
	if c.Not {
		op = "<>"
	}
	items := in.Rexpr.GetList().GetItems()
	if in.Name[0].GetString_().GetSval() != op || len(items) != len(c.IDs)+len(c.Texts) {
		return false
	}
	for i, item := range items {
		k := item.GetAConst()
		switch {
		case k == nil || k.Isnull:
			return false
		case i < len(c.IDs):
			if !isNumber(k, strconv.FormatInt(c.IDs[i], 10)) {
				return false
			}
		case k.GetSval() == nil || k.GetSval().Sval != c.Texts[i-len(c.IDs)]:
			return false
		}
	}
	return true
}

// isNumber recognises a whole number as it is written.
func isNumber(k *pg.A_Const, text string) bool {
	return k.GetIval() != nil && strconv.Itoa(int(k.GetIval().Ival)) == text || k.GetFval() != nil && k.GetFval().Fval == text
}

// isGateOpen recognises erphub_g.erphub_ok >= true.
func isGateOpen(n *pg.Node) bool {
	m := n.GetAExpr()
	return m != nil && m.Kind == pg.A_Expr_Kind_AEXPR_OP && len(m.Name) == 1 && m.Name[0].GetString_().GetSval() == ">=" &&
		isColumn(m.Lexpr, gateAlias, gateColumn) && m.Rexpr.GetAConst().GetBoolval().GetBoolval()
}

func isColumn(n *pg.Node, alias, name string) bool {
	from, column, ok := twoParts(n.GetColumnRef().GetFields())
	return ok && from == alias && column == name
}
