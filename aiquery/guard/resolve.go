package guard

import (
	"cmp"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// resolver finds out what every name means, as the server will, and collects
// the tables to secure.
type resolver struct {
	job     *job
	trusted bool // inside a view's definition or an administrator's rule
	depth   int  // of views and rules
	refs    []*tableRef
	sublink map[*pg.SubLink]string   // the name of a subquery's first column
	subtype map[*pg.SubLink][]string // the types of its columns

	outer    []outer    // what subqueries of the condition at hand name of the levels around them
	early    []*pg.Node // values of the SELECT at hand that are computed before any row is looked at
	ctesUsed bool       // an item of WITH was named
	named    bool       // a column that may fail to be computed was named
	tested   bool       // a condition of a join of the SELECT at hand can fail
	moved    []failable // conditions of joins of the SELECT at hand that can fail, for its WHERE
}

// output is what a query gives to the query around it.
type output struct {
	cols  []column
	base  bool // it reads tables
	fails bool // which rows it has may fail to be found out
	order order
}

// query resolves a SELECT. It calls seed with the columns of the part before UNION,
// for recursive queries; it may be nil.
func (r *resolver) query(s *pg.SelectStmt, e env, seed func(output) error) (output, error) {
	if s == nil {
		return output{}, unsupported(-1, "a SELECT is missing")
	}
	if s.WithClause != nil {
		with, err := r.with(s.WithClause, e)
		if err != nil {
			return output{}, err
		}
		e.ctes = with
	}
	kept := r.early
	r.early = nil
	defer func() { r.early = kept }()
	if s.WithClause != nil && e.scope == nil {
		r.computeFirst(s.WithClause, e)
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

// part is the environment of a part of a query: what is wanted of the whole is
// not wanted of it, and nothing is proved of it.
func (e env) part() env {
	e.close, e.anyRow, e.outermost, e.inner, e.proof = false, false, false, false, unproved
	return e
}

func (r *resolver) setOperation(s *pg.SelectStmt, e env, seed func(output) error) (output, error) {
	before := r.mark()
	left, err := r.query(s.Larg, e.part(), nil)
	if err != nil {
		return output{}, err
	}
	if seed != nil {
		if err := seed(left); err != nil {
			return output{}, err
		}
	}
	right, err := r.query(s.Rarg, e.part(), nil)
	if err != nil {
		return output{}, err
	}
	if len(left.cols) != len(right.cols) {
		return output{}, &fault{kind: Syntax, at: -1, reason: "both sides of UNION, INTERSECT or EXCEPT must have as many columns"}
	}
	appended := s.Op == pg.SetOperation_SETOP_UNION && s.All
	out := output{base: left.base || right.base, fails: r.failed(before), cols: make([]column, len(left.cols))}
	for i := range left.cols {
		out.cols[i] = r.united(&left.cols[i], &right.cols[i], appended)
	}
	if appended && left.order != open && right.order != open {
		out.order = steady
	}
	inside := env{ctes: e.ctes, scope: &scope{parent: e.scope, items: []*item{{cols: out.cols, colVisible: true, base: out.base}}}}
	if err := r.tail(s, inside, nil, e.outermost); err != nil {
		return output{}, err
	}
	return out, r.closeWhole(s, e, &out)
}

func (r *resolver) values(s *pg.SelectStmt, e env) (output, error) {
	var all []value
	columns := map[int][]*pg.Node{}
	for _, row := range s.ValuesLists {
		items := row.GetList().GetItems()
		if all == nil {
			all = make([]value, len(items))
		}
		if len(items) != len(all) {
			return output{}, &fault{kind: Syntax, at: -1, reason: "the rows of VALUES must have as many columns each"}
		}
		for i, n := range items {
			v, err := r.node(n, e.part().proved(afterRows))
			if err != nil {
				return output{}, err
			}
			all[i].add(v)
			columns[i] = append(columns[i], n)
		}
	}
	out := output{order: steady}
	for i, v := range all {
		c := v.column("column" + itoa(int32(i+1)))
		if t := (typing{r, e}); t.alike(columns[i]) {
			c.kind = t.common(columns[i])
		} else {
			r.job.failing = append(r.job.failing, "numbers of several types in VALUES")
		}
		out.cols = append(out.cols, c)
	}
	inside := env{ctes: e.ctes, scope: &scope{parent: e.scope, items: []*item{{cols: out.cols, colVisible: true}}}}
	if err := r.tail(s, inside, nil, e.outermost); err != nil {
		return output{}, err
	}
	return out, r.closeWhole(s, e, &out)
}

func (r *resolver) simple(s *pg.SelectStmt, around env) (output, error) {
	e := around.part()
	level := &scope{parent: e.scope}
	var out output
	moved, tested := r.moved, r.tested
	r.moved, r.tested = nil, false
	defer func() { r.moved, r.tested = moved, tested }()
	for _, n := range s.FromClause {
		e := e
		e.inner = true
		items, _, err := r.from(n, e, level.items)
		if err != nil {
			return out, err
		}
		if level.items, err = addItems(level.items, items); err != nil {
			return out, err
		}
	}
	for _, it := range level.items {
		out.base = out.base || it.base
	}
	e.scope = level
	conditions, err := r.judged(s.WhereClause, e, where)
	if err != nil {
		return out, err
	}
	conditions = append(conditions, r.moved...)
	s.WhereClause = r.last(conditions, level.items)
	if err := r.job.narrows(s, level.items); err != nil {
		return out, err
	}
	out.fails = r.tested || slices.ContainsFunc(conditions, func(c failable) bool { return c.fails })
	after := r.mark()
	var nodes []*pg.Node // of the columns, nil for those of *
	for _, n := range s.TargetList {
		cols, err := r.target(n.GetResTarget(), e, around.outermost)
		if err != nil {
			return out, err
		}
		out.cols = append(out.cols, cols...)
		for range cols {
			node := n.GetResTarget().Val
			if len(cols) > 1 || endsInStar(node) {
				node = nil
			}
			nodes = append(nodes, node)
		}
	}
	for _, n := range s.GroupClause {
		if err := r.grouped(n, e, out.cols); err != nil {
			return out, err
		}
	}
	if s.HavingClause, err = r.conditions(s.HavingClause, e, having); err != nil {
		return out, err
	}
	for _, n := range s.WindowClause {
		if _, err := r.node(n, e.proved(afterRows)); err != nil {
			return out, err
		}
	}
	for _, n := range s.DistinctClause {
		if err := r.ordered(n, e, out.cols); err != nil {
			return out, err
		}
	}
	if err := r.tail(s, e, out.cols, around.outermost); err != nil {
		return out, err
	}
	if len(r.early) > 0 {
		s.WhereClause = and(append([]*pg.Node{evaluated(r.early)}, terms(s.WhereClause)...))
	}
	if len(s.GroupClause)+len(s.DistinctClause)+len(level.windows) > 0 || level.aggregated || s.HavingClause != nil || s.LimitCount != nil || s.LimitOffset != nil {
		out.fails = out.fails || r.failed(after)
	}
	return out, r.closeLevel(s, level, around, &out, nodes)
}

// terms are the conditions that AND joins.
func terms(n *pg.Node) []*pg.Node {
	switch b := n.GetBoolExpr(); {
	case n == nil || n.Node == nil:
		return nil
	case b != nil && b.Boolop == pg.BoolExprType_AND_EXPR:
		return b.Args
	}
	return []*pg.Node{n}
}

func endsInStar(n *pg.Node) bool {
	f := n.GetColumnRef().GetFields()
	return len(f) > 0 && f[len(f)-1].GetAStar() != nil
}

// tail resolves ORDER BY, LIMIT and OFFSET. out are the columns ORDER BY may
// name before all others.
func (r *resolver) tail(s *pg.SelectStmt, e env, out []column, outermost bool) error {
	for _, n := range s.SortClause {
		if err := r.ordered(n.GetSortBy().GetNode(), e, out); err != nil {
			return err
		}
	}
	if !outermost && !(countSure(s.LimitCount) && countSure(s.LimitOffset)) { // that of the statement is always read
		r.job.failing = append(r.job.failing, "LIMIT or OFFSET")
	}
	if _, err := r.node(s.LimitCount, e.proved(afterRows)); err != nil {
		return err
	}
	_, err := r.node(s.LimitOffset, e.proved(afterRows))
	return err
}

// ordered resolves an expression of ORDER BY or DISTINCT ON, where a name alone
// means an output column first.
func (r *resolver) ordered(n *pg.Node, e env, out []column) error {
	if hasColumn(out, onePart(n)) {
		return nil
	}
	_, err := r.node(n, e.proved(afterRows))
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
		if c, _, ambiguous := e.scope.local().columnNamed(name); c == nil && !ambiguous && hasColumn(out, name) {
			return nil
		}
	}
	_, refs, err := r.watched(n, e.proved(afterRows))
	inner := &pg.Node{Node: n.Node}
	if out := afterGates(inner, refs); out != inner { // as in the column that is the same
		n.Node = out.Node
	}
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

// united is the column that a set operation makes of one of each side.
func (r *resolver) united(a, b *column, appended bool) column {
	v := a.value()
	v.add(b.value())
	c := v.column(a.name)
	if a.typ == b.typ {
		c.typ = a.typ
	}
	if c.kind = commonType(a.kind, b.kind); mixes(a.kind, b.kind) {
		r.job.failing = append(r.job.failing, "numbers of several types in "+quote(c.name))
	}
	c.apart, c.anyOf = !appended, c.anyOf || !appended
	return c
}

// target resolves an output expression and returns the columns it makes.
func (r *resolver) target(t *pg.ResTarget, e env, outermost bool) ([]column, error) {
	if t == nil || t.Val == nil {
		return nil, unsupported(-1, "this output column is not supported here")
	}
	if ref := t.Val.GetColumnRef(); ref != nil && ref.Fields[len(ref.Fields)-1].GetAStar() != nil {
		if t.Name != "" {
			return nil, &fault{kind: Syntax, at: ref.Location, reason: "* cannot have a name"}
		}
		return r.star(ref, e)
	}
	before := len(r.job.failing)
	v, refs, err := r.watched(t.Val, e.proved(afterRows))
	if err != nil {
		return nil, err
	}
	name, _ := r.figure(t.Val)
	name = cmp.Or(t.Name, name, "?column?")
	c := v.column(name)
	c.fails = v.fails || len(r.job.failing) > before
	types := typing{r, e}
	if c.kind = types.of(t.Val); c.kind == untyped {
		c.kind = "text"
	}
	if isWhole(c.kind) {
		c.bits = types.bits(t.Val)
	}
	if passed := r.columnOf(t.Val, e); passed != nil {
		c.typ, c.apart, c.counted = passed.typ, passed.apart, passed.counted
	} else if f := t.Val.GetFuncCall(); f != nil {
		called, _ := lastName(f.Funcname)
		c.counted = aggregates[called] || f.Over != nil
	}
	if val := afterGates(t.Val, refs); val != t.Val && !outermost { // a condition further out may use it
		t.Val, t.Name = val, name
	}
	return []column{c}, nil
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
	r.job.collects = true
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
	before := len(r.job.failing)
	defer func() { c.fails = len(r.job.failing) > before }()
	q, err := r.query(x.Ctequery.GetSelectStmt(), e.part(), func(seed output) error {
		named, err := rename(passed(seed.cols), x.Aliascolnames, x.Location)
		for i := range named {
			named[i].apart = true // rows made so far
			named[i].counter, named[i].bits = named[i].bits > 0 && named[i].bits < 24, 0
			if named[i].width != narrow {
				named[i].grows, named[i].width = true, longText
			}
		}
		c.cols, c.order, c.state = named, seed.order, seeded
		return err
	})
	if err != nil {
		return err
	}
	cols, err := rename(passed(q.cols), x.Aliascolnames, x.Location)
	if err != nil {
		return err
	}
	c.order = q.order
	if s := x.SearchClause; s != nil {
		cols = append(cols, column{name: s.SearchSeqColumn})
	}
	if y := x.CycleClause; y != nil {
		for _, n := range []*pg.Node{y.CycleMarkValue, y.CycleMarkDefault} {
			if _, err := r.node(n, env{ctes: e.ctes, proof: afterRows}); err != nil {
				return err
			}
		}
		cols = append(cols, column{name: y.CycleMarkColumn}, column{name: y.CyclePathColumn})
	}
	c.cols, c.base, c.state = cols, q.base, resolved
	return nil
}

// passed returns the columns of a query as something that names it sees them:
// what they are made of is used already.
func passed(cols []column) []column {
	out := make([]column, len(cols))
	for i, c := range cols {
		c.marks = nil
		out[i] = c
	}
	return out
}
