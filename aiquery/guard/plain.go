package guard

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// comparing are the operators of plain comparisons.
var comparing = set(`= <> != < > <= >=`)

// stable are functions of values that a plain comparison may call. None of them
// takes long; those that can fail are called before any row is looked at.
var stable = set(`now transaction_timestamp date_trunc age make_date make_timestamp make_interval to_date to_timestamp
	timezone justify_days justify_hours justify_interval lower upper date timestamp timestamptz`)

// arithmetic are operators that compute such values.
var arithmetic = set(`+ - * / ||`)

// plainCondition resolves a condition that consists of plain comparisons.
func (r *resolver) plainCondition(n *pg.Node, e env, k clause) (done bool, err error) {
	p := &plainness{r: r, e: e}
	if !p.condition(n) {
		return false, nil
	}
	for _, s := range p.gates {
		s.gate()
	}
	for _, pair := range p.links {
		link(pair[0], pair[1])
	}
	if !r.trusted { // what stands in the ERP's own texts is not the caller's to choose
		for _, lift := range p.lifts {
			lift()
		}
	}
	if k == where && e.scope.parent != nil && e.scope.parent.border != nil {
		b := e.scope.parent.border
		b.simple = true
		defer func() { b.simple = false }()
	}
	_, err = r.node(n, e.proved(plainComparison))
	return true, err
}

// plainness decides whether a condition is plain, without changing anything.
type plainness struct {
	r     *resolver
	e     env
	links [][2]*source // of columns that are compared
	gates []*source    // of what is compared with a column and may be pushed down to a table
	lifts []func()     // replace constants by parameters of the column's type
}

func (p *plainness) condition(n *pg.Node) bool {
	switch m := content(n).(type) {
	case *pg.BoolExpr:
		return !slices.ContainsFunc(m.Args, func(a *pg.Node) bool { return !p.condition(a) })
	case *pg.NullTest:
		return p.r.plainColumn(m.Arg, p.e) != nil || fixed(m.Arg)
	case *pg.BooleanTest:
		return p.truth(m.Arg)
	case *pg.ColumnRef:
		return p.truth(n)
	case *pg.A_Const:
		return m.GetBoolval() != nil
	case *pg.A_Expr:
		return p.comparison(m)
	}
	return false
}

func (p *plainness) truth(n *pg.Node) bool {
	c := p.r.plainColumn(n, p.e)
	return c != nil && families[c.typ] == boolFamily
}

func (p *plainness) comparison(m *pg.A_Expr) bool {
	switch m.Kind {
	case pg.A_Expr_Kind_AEXPR_OP:
		if !comparison(m.Name) || m.Lexpr == nil || m.Rexpr == nil {
			return false
		}
		return p.sides(m.Lexpr, m.Rexpr)
	case pg.A_Expr_Kind_AEXPR_DISTINCT, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		return p.sides(m.Lexpr, m.Rexpr)
	case pg.A_Expr_Kind_AEXPR_IN:
		return p.in(m)
	case pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
		return comparison(m.Name) && p.array(m)
	case pg.A_Expr_Kind_AEXPR_BETWEEN, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		c := p.r.plainColumn(m.Lexpr, p.e)
		items := m.Rexpr.GetList().GetItems()
		return c != nil && len(items) == 2 && p.value(c, items[0]) && p.value(c, items[1])
	}
	return false
}

func comparison(name []*pg.Node) bool {
	return len(name) == 1 && comparing[name[0].GetString_().GetSval()]
}

// sides judges a comparison of two things.
func (p *plainness) sides(l, r *pg.Node) bool {
	a, b := p.r.plainColumn(l, p.e), p.r.plainColumn(r, p.e)
	switch {
	case a != nil && b != nil:
		p.links = append(p.links, [2]*source{a.source, b.source})
		return families[a.typ] == families[b.typ]
	case a != nil:
		return p.value(a, r) || p.beside(a, r)
	case b != nil:
		return p.value(b, l) || p.beside(b, l)
	default:
		return p.apart(l) && p.apart(r) || fixed(l) && fixed(r)
	}
}

// apart reports whether a reference names a column computed by a subquery that
// the server does not merge into the query around it. Comparing it computes
// nothing. The server may still compare what it is computed from with something
// equal to it.
func (p *plainness) apart(n *pg.Node) bool {
	c := p.r.columnOf(n, p.e)
	if c == nil || !c.apart || c.float {
		return false
	}
	p.gates = append(p.gates, c.source)
	return true
}

// beside judges the comparison of a column with one that is computed apart. That one
// may be a constant, and the comparison may move to where it is known to be: what is
// gated of the one is gated of the other. The result of an aggregate is not
// a constant.
func (p *plainness) beside(c *column, n *pg.Node) bool {
	if !p.apart(n) {
		return false
	}
	if !p.r.columnOf(n, p.e).counted {
		p.gates = append(p.gates, c.source)
	}
	return true
}

// in judges x IN (…). Constants become one array.
func (p *plainness) in(m *pg.A_Expr) bool {
	c := p.r.plainColumn(m.Lexpr, p.e)
	items := m.Rexpr.GetList().GetItems()
	if c == nil || len(items) == 0 {
		return false
	}
	if len(items) == 1 && items[0].GetAConst() != nil {
		p.lifts = append(p.lifts, func() { m.Kind, m.Rexpr = pg.A_Expr_Kind_AEXPR_OP, items[0] })
		return p.value(c, items[0])
	}
	if array, ok := arrayOf(c.typ, items); ok {
		p.lifts = append(p.lifts, func() {
			m.Kind = pg.A_Expr_Kind_AEXPR_OP_ANY
			if m.Name[0].GetString_().GetSval() == "<>" {
				m.Kind = pg.A_Expr_Kind_AEXPR_OP_ALL
			}
			m.Rexpr = p.r.job.lifted(array)
		})
		return true
	}
	return !slices.ContainsFunc(items, func(n *pg.Node) bool { return !p.value(c, n) })
}

// array judges x = ANY (…).
func (p *plainness) array(m *pg.A_Expr) bool {
	c := p.r.plainColumn(m.Lexpr, p.e)
	if c == nil {
		return false
	}
	if m.Rexpr.GetParamRef() != nil {
		return true
	}
	a := m.Rexpr.GetAArrayExpr()
	if a == nil || len(a.Elements) == 0 {
		return false
	}
	array, ok := arrayOf(c.typ, a.Elements)
	if !ok {
		return false
	}
	p.lifts = append(p.lifts, func() { m.Rexpr = p.r.job.lifted(array) })
	return true
}

// value judges what a column is compared with.
func (p *plainness) value(c *column, n *pg.Node) bool {
	fam := families[c.typ]
	switch m := content(n).(type) {
	case *pg.A_Const:
		if m.Isnull || m.GetBoolval() != nil {
			return true
		}
		k, ok := constantOf(m, c.typ)
		if ok {
			p.lift(n, k)
		}
		return ok
	case *pg.ParamRef, *pg.SQLValueFunction:
		return true
	case *pg.TypeCast:
		if families[typeName(m.TypeName)] != fam || len(m.TypeName.ArrayBounds)+len(m.TypeName.Typmods) > 0 {
			return false
		}
		if m.Arg.GetParamRef() != nil {
			return true
		}
		if k := m.Arg.GetAConst(); k != nil && k.GetSval() != nil {
			p.lift(m.Arg, Value{Text: k.GetSval().Sval})
			return true
		}
	}
	return (fam == timeFamily || fam == numberFamily || fam == textFamily) && p.computed(n)
}

// computed judges a value that is computed from nothing but constants. It is
// computed before any row is looked at (constants.go).
func (p *plainness) computed(n *pg.Node) bool {
	switch m := content(n).(type) {
	case *pg.A_Const:
		_, ok := constantOf(m, "")
		return ok || m.Isnull || m.GetBoolval() != nil
	case *pg.ParamRef, *pg.SQLValueFunction:
		return true
	case *pg.TypeCast:
		if t := typeName(m.TypeName); families[t] == noFamily && t != "interval" || len(m.TypeName.ArrayBounds)+len(m.TypeName.Typmods) > 0 {
			return false
		}
		return p.computed(m.Arg)
	case *pg.A_Expr:
		return calculates(m) && (m.Lexpr == nil || p.computed(m.Lexpr)) && p.computed(m.Rexpr)
	case *pg.FuncCall:
		return dependsOnArguments(m) && !slices.ContainsFunc(m.Args, func(a *pg.Node) bool { return !p.computed(a) })
	}
	return false
}

func calculates(m *pg.A_Expr) bool {
	return m.Kind == pg.A_Expr_Kind_AEXPR_OP && len(m.Name) == 1 && arithmetic[m.Name[0].GetString_().GetSval()]
}

// dependsOnArguments reports whether a call gives the same for the same arguments, in every row.
func dependsOnArguments(m *pg.FuncCall) bool {
	name, _ := lastName(m.Funcname)
	return stable[name] && m.Over == nil && !m.AggStar && !m.AggDistinct && m.AggFilter == nil && len(m.AggOrder) == 0
}

func (p *plainness) lift(n *pg.Node, k Value) {
	p.lifts = append(p.lifts, func() { n.Node = p.r.job.lifted(k).Node })
}

// fixed reports whether a node is a constant or a parameter.
func fixed(n *pg.Node) bool { return n.GetAConst() != nil || n.GetParamRef() != nil }

// plainColumn returns the column a reference names when it passes on a column
// of a table whose comparisons can neither fail nor take long.
func (r *resolver) plainColumn(n *pg.Node, e env) *column {
	c := r.columnOf(n, e)
	if c == nil || families[c.typ] == noFamily {
		return nil
	}
	return c
}

// columnOf returns the column a reference names, or nil. It notes nothing.
func (r *resolver) columnOf(n *pg.Node, e env) *column {
	f := n.GetColumnRef().GetFields()
	if len(f) == 0 || slices.ContainsFunc(f, func(n *pg.Node) bool { return n.GetString_() == nil }) {
		return nil
	}
	name := f[len(f)-1].GetString_().Sval
	if len(f) == 1 {
		c, _, _ := e.scope.columnNamed(name)
		return c
	}
	it, _ := e.scope.itemNamed(f[len(f)-2].GetString_().Sval)
	if it == nil {
		return nil
	}
	c, _ := it.column(name)
	return c
}
