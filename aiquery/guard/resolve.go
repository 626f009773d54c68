package guard

import (
	pg "github.com/pganalyze/pg_query_go/v6"
)

// resolver finds out what every name means, as the server will, and collects
// the tables to secure.
type resolver struct {
	job     *job
	trusted bool // inside a view's definition or an administrator's rule
	depth   int  // of views and rules
	refs    []*tableRef
	sublink map[*pg.SubLink]string // the name of a subquery's first column
}

// query resolves a SELECT. seed is told the columns of the part before UNION,
// for recursive queries; it may be nil.
func (r *resolver) query(s *pg.SelectStmt, e env, seed func([]column) error) ([]column, bool, error) {
	if s == nil {
		return nil, false, unsupported(-1, "a SELECT is missing")
	}
	if s.WithClause != nil {
		with, err := r.with(s.WithClause, e)
		if err != nil {
			return nil, false, err
		}
		e.ctes = with
	}
	switch {
	case s.Op != pg.SetOperation_SETOP_NONE:
		return r.setOperation(s, e, seed)
	case len(s.ValuesLists) > 0:
		return r.values(s, e)
	default:
		return r.simple(s, e)
	}
}

func (r *resolver) setOperation(s *pg.SelectStmt, e env, seed func([]column) error) ([]column, bool, error) {
	left, base, err := r.query(s.Larg, e, nil)
	if err != nil {
		return nil, false, err
	}
	if seed != nil {
		if err := seed(left); err != nil {
			return nil, false, err
		}
	}
	right, rightBase, err := r.query(s.Rarg, e, nil)
	if err != nil {
		return nil, false, err
	}
	if len(left) != len(right) {
		return nil, false, &fault{kind: Syntax, at: -1, reason: "both sides of UNION, INTERSECT or EXCEPT must have as many columns"}
	}
	out := make([]column, len(left))
	for i := range left {
		out[i] = column{name: left[i].name, redacted: left[i].redacted || right[i].redacted}
	}
	base = base || rightBase
	inside := env{ctes: e.ctes, scope: &scope{parent: e.scope, items: []*item{{cols: out, colVisible: true, base: base}}}}
	if err := r.tail(s, inside, nil); err != nil {
		return nil, false, err
	}
	return out, base, nil
}

func (r *resolver) values(s *pg.SelectStmt, e env) ([]column, bool, error) {
	var out []column
	for _, row := range s.ValuesLists {
		items := row.GetList().GetItems()
		if out == nil {
			for i := range items {
				out = append(out, column{name: "column" + itoa(int32(i+1))})
			}
		}
		if len(items) != len(out) {
			return nil, false, &fault{kind: Syntax, at: -1, reason: "the rows of VALUES must have as many columns each"}
		}
		for i, n := range items {
			red, err := r.node(n, e)
			if err != nil {
				return nil, false, err
			}
			out[i].redacted = out[i].redacted || red
		}
	}
	inside := env{ctes: e.ctes, scope: &scope{parent: e.scope, items: []*item{{cols: out, colVisible: true}}}}
	return out, false, r.tail(s, inside, nil)
}

func (r *resolver) simple(s *pg.SelectStmt, e env) ([]column, bool, error) {
	level := &scope{parent: e.scope}
	base := false
	for _, n := range s.FromClause {
		items, _, err := r.from(n, e, level.items)
		if err != nil {
			return nil, false, err
		}
		if level.items, err = addItems(level.items, items); err != nil {
			return nil, false, err
		}
	}
	for _, it := range level.items {
		base = base || it.base
	}
	e.scope = level
	if _, err := r.node(s.WhereClause, e); err != nil {
		return nil, false, err
	}
	var out []column
	for _, n := range s.TargetList {
		cols, err := r.target(n.GetResTarget(), e)
		if err != nil {
			return nil, false, err
		}
		out = append(out, cols...)
	}
	for _, n := range s.GroupClause {
		if err := r.grouped(n, e, out); err != nil {
			return nil, false, err
		}
	}
	if _, err := r.node(s.HavingClause, e); err != nil {
		return nil, false, err
	}
	for _, n := range s.WindowClause {
		if _, err := r.node(n, e); err != nil {
			return nil, false, err
		}
	}
	for _, n := range s.DistinctClause {
		if err := r.ordered(n, e, out); err != nil {
			return nil, false, err
		}
	}
	return out, base, r.tail(s, e, out)
}

// tail resolves ORDER BY, LIMIT and OFFSET. out are the columns ORDER BY may
// name before all others.
func (r *resolver) tail(s *pg.SelectStmt, e env, out []column) error {
	for _, n := range s.SortClause {
		if err := r.ordered(n.GetSortBy().GetNode(), e, out); err != nil {
			return err
		}
	}
	if _, err := r.node(s.LimitCount, e); err != nil {
		return err
	}
	_, err := r.node(s.LimitOffset, e)
	return err
}

// ordered resolves an expression of ORDER BY or DISTINCT ON, where a name alone
// means an output column first.
func (r *resolver) ordered(n *pg.Node, e env, out []column) error {
	if hasColumn(out, onePart(n)) {
		return nil
	}
	_, err := r.node(n, e)
	return err
}

// grouped resolves an expression of GROUP BY, where a name alone means a column
// of FROM first, then an output column.
func (r *resolver) grouped(n *pg.Node, e env, out []column) error {
	switch m := content(n).(type) {
	case *pg.GroupingSet:
		for _, c := range m.Content {
			if err := r.grouped(c, e, out); err != nil {
				return err
			}
		}
		return nil
	case *pg.RowExpr:
		if m.RowFormat == pg.CoercionForm_COERCE_IMPLICIT_CAST {
			for _, c := range m.Args {
				if err := r.grouped(c, e, out); err != nil {
					return err
				}
			}
			return nil
		}
	case *pg.ColumnRef:
		name := onePart(n)
		if c, ambiguous := e.scope.local().columnNamed(name); c == nil && !ambiguous && hasColumn(out, name) {
			return nil
		}
	}
	_, err := r.node(n, e)
	return err
}

func hasColumn(cols []column, name string) bool {
	if name == "" {
		return false
	}
	for i := range cols {
		if cols[i].name == name {
			return true
		}
	}
	return false
}

// onePart returns the name of a column reference that is a name alone.
func onePart(n *pg.Node) string {
	if f := n.GetColumnRef().GetFields(); len(f) == 1 {
		return f[0].GetString_().GetSval()
	}
	return ""
}

// target resolves an output expression and returns the columns it makes.
func (r *resolver) target(t *pg.ResTarget, e env) ([]column, error) {
	if t == nil || t.Val == nil {
		return nil, unsupported(-1, "this output column is not supported here")
	}
	if ref := t.Val.GetColumnRef(); ref != nil && ref.Fields[len(ref.Fields)-1].GetAStar() != nil {
		if t.Name != "" {
			return nil, &fault{kind: Syntax, at: ref.Location, reason: "* cannot have a name"}
		}
		return r.star(ref, e)
	}
	red, err := r.node(t.Val, e)
	if err != nil {
		return nil, err
	}
	name := t.Name
	if name == "" {
		name, _ = r.figure(t.Val)
	}
	if name == "" {
		name = "?column?"
	}
	return []column{{name: name, redacted: red}}, nil
}

// with resolves a WITH clause and returns the list that its query sees.
func (r *resolver) with(w *pg.WithClause, e env) (*ctes, error) {
	seen := map[string]bool{}
	entries := make([]*cte, len(w.Ctes))
	for i, n := range w.Ctes {
		x := n.GetCommonTableExpr()
		if x == nil {
			return nil, unsupported(w.Location, "this WITH clause is not supported here")
		}
		if seen[x.Ctename] {
			return nil, &fault{kind: Syntax, at: x.Location, reason: "WITH names " + quote(x.Ctename) + " twice"}
		}
		seen[x.Ctename] = true
		entries[i] = &cte{name: x.Ctename}
	}
	if !w.Recursive {
		for i, n := range w.Ctes {
			// Each item sees those before it and not itself.
			if err := r.cte(n.GetCommonTableExpr(), entries[i], e); err != nil {
				return nil, err
			}
			e.ctes = &ctes{entries[i], e.ctes}
		}
		return e.ctes, nil
	}
	for _, c := range entries {
		e.ctes = &ctes{c, e.ctes}
	}
	for i, n := range w.Ctes {
		entries[i].make = func() error { return r.cte(n.GetCommonTableExpr(), entries[i], e) }
	}
	for _, c := range entries {
		if c.state == unresolved {
			if err := c.make(); err != nil {
				return nil, err
			}
		}
	}
	return e.ctes, nil
}

func (r *resolver) cte(x *pg.CommonTableExpr, c *cte, e env) error {
	c.state = resolving
	cols, base, err := r.query(x.Ctequery.GetSelectStmt(), e, func(cols []column) error {
		named, err := rename(passed(cols), x.Aliascolnames, x.Location)
		c.cols, c.state = named, seeded
		return err
	})
	if err != nil {
		return err
	}
	cols, err = rename(passed(cols), x.Aliascolnames, x.Location)
	if err != nil {
		return err
	}
	if s := x.SearchClause; s != nil {
		cols = append(cols, column{name: s.SearchSeqColumn})
	}
	if y := x.CycleClause; y != nil {
		for _, n := range []*pg.Node{y.CycleMarkValue, y.CycleMarkDefault} {
			if _, err := r.node(n, env{ctes: e.ctes}); err != nil {
				return err
			}
		}
		cols = append(cols, column{name: y.CycleMarkColumn}, column{name: y.CyclePathColumn})
	}
	c.cols, c.base, c.state = cols, base, resolved
	return nil
}

// passed returns the columns of a query as something that names it sees them:
// what they are made of is used already.
func passed(cols []column) []column {
	out := make([]column, len(cols))
	for i, c := range cols {
		out[i] = column{name: c.name, redacted: c.redacted}
	}
	return out
}
