package guard

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// The verifier looks again whether conditions of the caller meet hidden values. It
// does not know what the rewriter has proved: it looks at the columns that a condition
// names itself, of secured subqueries beside it or around it, and takes only
// comparisons for harmless. What passes through subqueries it does not follow.

// shownColumn is a column of a secured subquery.
type shownColumn struct {
	name   string
	open   bool // it shows the values of hidden rows
	gated  bool // it shows NULL in their place; one that is neither belongs to no hidden row
	family family
}

// shown are the columns of the secured subquery of a table, nil if it hides nothing.
func shown(secured, gates *pg.SelectStmt, rows *pg.Node, table *Table) []shownColumn {
	list := secured.TargetList
	if gates != nil {
		list = gates.TargetList
	}
	var cols []shownColumn
	for _, n := range list {
		t := n.GetResTarget()
		c := shownColumn{name: t.GetName(), open: rows != nil && secured.LimitOffset == nil && t.GetVal().GetColumnRef() != nil, gated: t.GetVal().GetCaseExpr() != nil}
		for _, of := range table.Columns {
			if of.Name == c.name {
				c.family = families[of.Type]
			}
		}
		cols = append(cols, c)
	}
	return cols
}

// sight is what the names of a SELECT and of those around it mean.
type sight struct {
	items  map[string][]shownColumn // by alias; nil for what is not a secured subquery
	parent *sight
}

// see adds the FROM item below a node.
func (s *sight) see(v *verifier, n *pg.Node) {
	switch m := content(n).(type) {
	case *pg.RangeVar:
		name := m.Relname
		if m.Alias != nil {
			name = m.Alias.Aliasname
		}
		if i := pieceNumber(m.Relname); i >= 0 && i < len(v.shown) && m.Schemaname == "" {
			s.items[name] = renamed(v.shown[i], m.Alias)
			return
		}
		s.items[name] = nil
	case *pg.RangeSubselect:
		inner := m.Subquery.GetSelectStmt()
		s.items[m.Alias.GetAliasname()] = nil
		if table := v.tableOf(inner); table != nil {
			secured, rows, gates := securedBody(inner)
			s.items[m.Alias.GetAliasname()] = renamed(shown(secured, gates, rows, table), m.Alias)
		}
	case *pg.RangeFunction:
		s.items[m.Alias.GetAliasname()] = nil
	case *pg.JoinExpr:
		s.see(v, m.Larg)
		s.see(v, m.Rarg)
		if m.Alias != nil {
			s.items[m.Alias.Aliasname] = nil
		}
	}
}

// tableOf is the table or view that a secured subquery stands for.
func (v *verifier) tableOf(s *pg.SelectStmt) *Table {
	if s == nil {
		return nil
	}
	secured, _, _ := securedBody(s)
	if secured == nil || len(secured.FromClause) != 1 {
		return nil
	}
	if t := secured.FromClause[0].GetRangeVar(); t != nil {
		return v.policy.Tables[t.Relname]
	}
	return v.policy.Tables[strings.TrimPrefix(secured.FromClause[0].GetRangeSubselect().GetAlias().GetAliasname(), viewPrefix)]
}

// renamed are columns with the names of an alias's list.
func renamed(cols []shownColumn, a *pg.Alias) []shownColumn {
	if len(a.GetColnames()) == 0 {
		return cols
	}
	out := append([]shownColumn{}, cols...)
	for i, n := range a.Colnames {
		if i < len(out) {
			out[i].name = n.GetString_().GetSval()
		}
	}
	return out
}

// column is what a reference means, the zero value if that is not to be seen.
func (s *sight) column(n *pg.Node) shownColumn {
	f := n.GetColumnRef().GetFields()
	if len(f) == 0 {
		return shownColumn{}
	}
	name := f[len(f)-1].GetString_().GetSval()
	for ; s != nil; s = s.parent {
		var found []shownColumn
		for alias, cols := range s.items {
			if len(f) == 2 && alias != f[0].GetString_().GetSval() {
				continue
			}
			for _, c := range cols {
				if c.name == name {
					found = append(found, c)
				}
			}
			if len(f) == 2 && len(found) == 0 {
				return shownColumn{} // of something else of that name
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0]
		default:
			return shownColumn{} // a join has merged them
		}
	}
	return shownColumn{}
}

// conditions checks those of a SELECT.
func (s *sight) conditions(m *pg.SelectStmt) error {
	for _, n := range m.FromClause {
		if err := s.joins(n); err != nil {
			return err
		}
	}
	if err := s.condition(m.WhereClause); err != nil {
		return err
	}
	return s.hidden(m.HavingClause)
}

func (s *sight) joins(n *pg.Node) error {
	m := n.GetJoinExpr()
	if m == nil {
		return nil
	}
	for _, side := range []*pg.Node{m.Larg, m.Rarg} {
		if err := s.joins(side); err != nil {
			return err
		}
	}
	return s.condition(m.Quals)
}

// condition checks that one which is not a comparison names no column that shows hidden
// values.
func (s *sight) condition(n *pg.Node) error {
	switch m := content(n).(type) {
	case nil:
		return nil
	case *pg.BoolExpr:
		return s.each(m.Args, s.condition)
	case *pg.CaseExpr:
		if m.Arg == nil {
			parts := []*pg.Node{}
			for _, n := range m.Args {
				parts = append(parts, n.GetCaseWhen().GetExpr(), n.GetCaseWhen().GetResult())
			}
			return s.each(append(parts, m.Defresult), s.condition)
		}
	case *pg.ColumnRef:
		return s.compared(n)
	case *pg.NullTest:
		if m.Arg.GetColumnRef() != nil {
			return s.compared(m.Arg)
		}
	case *pg.BooleanTest:
		return s.condition(m.Arg)
	case *pg.SubLink:
		if isIn(m) && m.Testexpr.GetColumnRef() != nil {
			return s.compared(m.Testexpr)
		}
	case *pg.A_Expr:
		if isEvaluation(m) {
			return nil
		}
		if s.compares(m) {
			return s.equal(m)
		}
	}
	return s.hidden(n)
}

func (s *sight) each(list []*pg.Node, check func(*pg.Node) error) error {
	for _, n := range list {
		if err := check(n); err != nil {
			return err
		}
	}
	return nil
}

// isEvaluation recognises num_nulls(…) >= 0, which always holds.
func isEvaluation(m *pg.A_Expr) bool {
	schema, name, _ := twoParts(m.GetLexpr().GetFuncCall().GetFuncname())
	return schema == catalog && name == "num_nulls" && len(m.Name) == 1 && m.Name[0].GetString_().GetSval() == ">="
}

// compares reports whether an expression only compares columns and values that name
// none.
func (s *sight) compares(m *pg.A_Expr) bool {
	if m.Kind != pg.A_Expr_Kind_AEXPR_BETWEEN && m.Kind != pg.A_Expr_Kind_AEXPR_NOT_BETWEEN && m.Kind != pg.A_Expr_Kind_AEXPR_BETWEEN_SYM &&
		m.Kind != pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM && (len(m.Name) != 1 || !comparing[m.Name[0].GetString_().GetSval()]) {
		return false
	}
	for _, side := range []*pg.Node{m.Lexpr, m.Rexpr} {
		if side.GetColumnRef() == nil && namesColumns(content(side)) {
			return false
		}
	}
	return m.Kind != pg.A_Expr_Kind_AEXPR_NULLIF
}

// equal checks the columns of a comparison, which hide the same.
func (s *sight) equal(m *pg.A_Expr) error {
	if err := s.each([]*pg.Node{m.Lexpr, m.Rexpr}, s.compared); err != nil {
		return err
	}
	a, b := s.column(m.Lexpr), s.column(m.Rexpr)
	if (a.open && b.gated || a.gated && b.open || a.open && b.open && a.family != b.family) && m.Name[0].GetString_().GetSval() == "=" {
		return fmt.Errorf("columns %s and %s are compared and only one of them is gated", a.name, b.name)
	}
	return nil
}

// compared checks a column that is compared as it is.
func (s *sight) compared(n *pg.Node) error {
	if c := s.column(n); c.open && c.family == noFamily {
		return fmt.Errorf("column %s is compared and shows hidden values", c.name)
	}
	return nil
}

// hidden checks that an expression names no column that shows hidden values. What its
// subqueries name they are asked for themselves; aggregates see rows that have passed.
func (s *sight) hidden(n *pg.Node) error {
	var look func(m any) error
	look = func(m any) error {
		switch m := m.(type) {
		case *pg.SubLink:
			return s.hidden(m.Testexpr)
		case *pg.FuncCall:
			if name, _ := lastName(m.Funcname); aggregates[name] || m.Over != nil {
				return nil
			}
		case *pg.ColumnRef:
			if c := s.column(&pg.Node{Node: &pg.Node_ColumnRef{ColumnRef: m}}); c.open {
				return fmt.Errorf("column %s stands in a condition and shows hidden values", c.name)
			}
			return nil
		}
		return children(m, look)
	}
	if m := content(n); m != nil {
		return look(m)
	}
	return nil
}

// namesColumns reports whether an expression has a column or a subquery other than one
// that is read first.
func namesColumns(m any) bool {
	switch m := m.(type) {
	case nil:
		return false
	case *pg.ColumnRef:
		return true
	case *pg.SubLink:
		from := m.Subselect.GetSelectStmt().GetFromClause()
		return m.SubLinkType != pg.SubLinkType_EXPR_SUBLINK || len(from) != 1 || !strings.HasPrefix(from[0].GetRangeVar().GetRelname(), reserved+"s")
	}
	found := false
	_ = children(m, func(c any) error {
		found = found || namesColumns(c)
		return nil
	})
	return found
}
