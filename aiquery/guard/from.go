package guard

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	api "github.com/erphub/erphub/aiquery/api"
)

// from resolves a FROM item. left are the items before it, which LATERAL ones
// may name. It returns the items it adds and its own columns.
func (r *resolver) from(n *pg.Node, e env, left []*item) ([]*item, []column, error) {
	switch m := content(n).(type) {
	case *pg.RangeVar:
		it, err := r.relation(n, m, e)
		if err != nil {
			return nil, nil, err
		}
		return []*item{it}, it.cols, nil
	case *pg.RangeSubselect:
		ctes := r.ctesUsed
		r.ctesUsed = false
		it, fails, err := r.subselect(m, e, left)
		if err != nil {
			return nil, nil, err
		}
		if fails && !r.ctesUsed && !m.Lateral && e.scope == nil && !r.trusted {
			r.hoistTable(n, m)
		}
		r.ctesUsed = r.ctesUsed || ctes
		return []*item{it}, it.cols, nil
	case *pg.RangeFunction:
		it, err := r.functions(m, e, left)
		if err != nil {
			return nil, nil, err
		}
		return []*item{it}, it.cols, nil
	case *pg.JoinExpr:
		return r.join(m, e, left)
	default:
		return nil, nil, unsupported(-1, "this FROM item is not supported here")
	}
}

// addItems appends items, whose names must be new.
func addItems(have, more []*item) ([]*item, error) {
	for _, it := range more {
		if !it.relVisible {
			continue
		}
		for _, other := range have {
			if other.relVisible && other.name == it.name {
				return nil, &fault{kind: Syntax, at: -1, reason: "FROM names " + quote(it.name) + " twice", hint: "give one an alias"}
			}
		}
	}
	return append(slices.Clip(have), more...), nil
}

// relation resolves a name in FROM: a WITH item in sight, else a table.
func (r *resolver) relation(n *pg.Node, m *pg.RangeVar, e env) (*item, error) {
	var c *cte
	if m.Schemaname == "" {
		c = e.ctes.find(m.Relname)
	}
	if c == nil {
		return r.table(n, m, e.ctes)
	}
	r.ctesUsed = true
	if c.state == unresolved && c.make != nil {
		if err := c.make(); err != nil {
			return nil, err
		}
	}
	if c.state != resolved && c.state != seeded {
		return nil, &fault{kind: Syntax, at: m.Location, reason: "WITH item " + quote(c.name) + " uses itself in a place where it cannot",
			hint: "write WITH RECURSIVE name AS (start UNION ALL SELECT … FROM name …)"}
	}
	it := &item{name: m.Relname, cols: c.cols, relVisible: true, colVisible: true, base: c.base, order: c.order}
	return it, alias(it, m.Alias, m.Location)
}

// alias applies an alias with its list of columns.
func alias(it *item, a *pg.Alias, at int32) error {
	if a == nil {
		return nil
	}
	it.name, it.relVisible, it.table = a.Aliasname, true, false
	if len(a.Colnames) == 0 {
		return nil
	}
	cols, err := rename(it.cols, a.Colnames, at)
	if err != nil {
		return err
	}
	it.cols = cols
	return nil
}

func (r *resolver) subselect(m *pg.RangeSubselect, e env, left []*item) (it *item, fails bool, err error) {
	if m.Lateral {
		e.scope = &scope{items: left, parent: e.scope}
	}
	q, err := r.query(m.Subquery.GetSelectStmt(), e, nil)
	if err != nil {
		return nil, false, err
	}
	it = &item{cols: passed(q.cols), relVisible: m.Alias != nil, colVisible: true, base: q.base, order: q.order}
	if m.Alias == nil {
		// Newer servers take a subquery without an alias, older ones do not.
		r.job.unnamed++
		m.Alias = &pg.Alias{Aliasname: reserved + "q" + itoa(int32(r.job.unnamed))}
		return it, q.fails, nil
	}
	return it, q.fails, alias(it, m.Alias, -1)
}

func (r *resolver) functions(m *pg.RangeFunction, e env, left []*item) (*item, error) {
	e = e.proved(afterRows)
	e.scope = &scope{items: left, parent: e.scope} // functions see what is on their left, LATERAL or not
	it := &item{relVisible: true, colVisible: true, order: steady}
	single := len(m.Functions) == 1
	for i, n := range m.Functions {
		items := n.GetList().GetItems()
		call := items[0].GetFuncCall()
		var v value
		for _, a := range items {
			o, err := r.node(a, e)
			if err != nil {
				return nil, err
			}
			v.add(o)
		}
		v.sources = nil // the server computes it from rows that passed their conditions
		name := call.Funcname[len(call.Funcname)-1].GetString_().GetSval()
		if i == 0 {
			it.name = name
		}
		cols := tableFunctions[name]
		switch {
		case cols != nil:
		case name == "unnest" && len(call.Args) > 1:
			cols = slices.Repeat([]string{name}, len(call.Args))
		case single && m.Alias != nil:
			cols = []string{m.Alias.Aliasname}
		default:
			cols = []string{name}
		}
		for _, c := range cols {
			made := v.column(c)
			made.apart = true
			it.cols = append(it.cols, made)
		}
	}
	if m.Ordinality {
		it.cols = append(it.cols, column{name: "ordinality", kind: "int8", look: whole})
	}
	return it, alias(it, m.Alias, -1)
}

func (r *resolver) join(m *pg.JoinExpr, e env, left []*item) ([]*item, []column, error) {
	l, right := e, e
	named := m.Alias == nil // else WHERE cannot name what the join has
	l.inner = e.inner && named && (m.Jointype == pg.JoinType_JOIN_INNER || m.Jointype == pg.JoinType_JOIN_LEFT)
	right.inner = e.inner && named && (m.Jointype == pg.JoinType_JOIN_INNER || m.Jointype == pg.JoinType_JOIN_RIGHT)
	litems, lcols, err := r.from(m.Larg, l, left)
	if err != nil {
		return nil, nil, err
	}
	ritems, rcols, err := r.from(m.Rarg, right, append(slices.Clip(left), litems...))
	if err != nil {
		return nil, nil, err
	}
	items, err := addItems(litems, ritems)
	if err != nil {
		return nil, nil, err
	}
	if m.Quals != nil {
		// ON sees the two sides and the levels around, not what stands before a comma.
		on, k := env{ctes: e.ctes, scope: &scope{items: items, parent: e.scope}}, outerOn
		if m.Jointype == pg.JoinType_JOIN_INNER {
			k = innerOn
		}
		conditions, err := r.judged(m.Quals, on, k)
		if err != nil {
			return nil, nil, err
		}
		if e.inner && k == innerOn && !r.trusted {
			conditions = r.move(conditions)
		}
		r.tested = r.tested || slices.ContainsFunc(conditions, func(c failable) bool { return c.fails })
		if m.Quals = r.last(conditions, items); m.Quals == nil {
			m.Quals = constant(&pg.A_Const{Val: &pg.A_Const_Boolval{Boolval: &pg.Boolean{Boolval: true}}})
		}
	}
	shared, err := sharedColumns(m, lcols, rcols)
	if err != nil {
		return nil, nil, err
	}
	merged, cols := r.merge(shared, lcols, rcols)

	self := &item{cols: cols, colVisible: true}
	for _, it := range items {
		self.base = self.base || it.base
	}
	if m.Alias != nil {
		if err := alias(self, m.Alias, -1); err != nil {
			return nil, nil, err
		}
		return []*item{self}, self.cols, nil
	}
	// The sides keep their names; their columns alone are the join's.
	for i, it := range items {
		hidden := *it
		hidden.colVisible = false
		items[i] = &hidden
	}
	if a := m.JoinUsingAlias; a != nil {
		items, err = addItems(items, []*item{{name: a.Aliasname, cols: merged, relVisible: true, base: self.base}})
		if err != nil {
			return nil, nil, err
		}
	}
	return append(items, self), cols, nil
}

// move takes the conditions of a join that can fail, and name what they name with
// its table, to the WHERE of the SELECT at hand, where they mean the same.
func (r *resolver) move(conditions []failable) (stay []failable) {
	for _, c := range conditions {
		if c.fails && qualified(content(c.Node)) {
			r.moved = append(r.moved, c)
		} else {
			stay = append(stay, c)
		}
	}
	return stay
}

// qualified reports whether all columns are named with their table.
func qualified(m any) bool {
	if ref, ok := m.(*pg.ColumnRef); ok {
		return len(ref.Fields) > 1
	}
	ok := true
	_ = children(m, func(c any) error {
		ok = ok && qualified(c)
		return nil
	})
	return ok
}

// sharedColumns returns the names a join merges.
func sharedColumns(m *pg.JoinExpr, l, r []column) ([]string, error) {
	var shared []string
	if m.IsNatural {
		// Which columns are shared depends on all of them, so none may be left out.
		useAll(l)
		useAll(r)
		for i := range l {
			if hasColumn(r, l[i].name) && !slices.Contains(shared, l[i].name) {
				shared = append(shared, l[i].name)
			}
		}
	}
	for _, n := range m.UsingClause {
		shared = append(shared, n.GetString_().GetSval())
	}
	for i, name := range shared {
		if count(l, name) != 1 || count(r, name) != 1 || slices.Contains(shared[:i], name) {
			return nil, denied(-1, "column %s is not available on both sides of the join", quote(name)).about(api.ColumnObject, name)
		}
	}
	return shared, nil
}

func count(cols []column, name string) (n int) {
	for i := range cols {
		if cols[i].name == name {
			n++
		}
	}
	return n
}

// joined gates two columns that the server compares with one another, unless it does
// so without computing anything that can fail or take long (see plainness.sides).
func joined(a, b *column) {
	f, g := families[a.typ], families[b.typ]
	switch {
	case f != noFamily && f == g:
		link(a.source, b.source)
	case f != noFamily && g == noFamily && b.apart && !b.float && b.counted:
		b.source.gate()
	case g != noFamily && f == noFamily && a.apart && !a.float && a.counted:
		a.source.gate()
	default:
		a.source.gate()
		b.source.gate()
	}
	a.source.compare()
	b.source.compare()
}

// merge returns the columns a join merges, and all of the join's: the merged
// ones first.
func (r *resolver) merge(shared []string, left, right []column) (merged, all []column) {
	for _, name := range shared {
		var sides []*column
		var v value
		for _, side := range [][]column{left, right} {
			for i := range side {
				if side[i].name == name {
					side[i].use()
					sides = append(sides, &side[i])
					v.add(side[i].value())
				}
			}
		}
		joined(sides[0], sides[1])
		c := v.column(name)
		if sides[0].typ == sides[1].typ {
			c.typ = sides[0].typ
		}
		c.kind = commonType(sides[0].kind, sides[1].kind)
		if !comparableTypes(sides[0].kind, sides[1].kind) {
			r.job.failing = append(r.job.failing, "the comparison of "+name)
		}
		merged = append(merged, c)
	}
	all = slices.Clone(merged)
	for _, side := range [][]column{left, right} {
		for _, c := range side {
			if !slices.Contains(shared, c.name) {
				all = append(all, c)
			}
		}
	}
	return merged, all
}
