package guard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

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
