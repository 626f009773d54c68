package guard

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// quote puts a name into a message. Names come from the statement.
func quote(name string) string { return `"` + name + `"` }

// node resolves an expression, which may be nil.
func (r *resolver) node(n *pg.Node, e env) (value, error) {
	m := content(n)
	if m == nil {
		return value{}, nil
	}
	return r.expression(m, e)
}

// expression resolves an expression, and gates what it names unless the
// environment has a proof that this use needs no gate.
func (r *resolver) expression(m any, e env) (value, error) {
	v, err := r.meaning(m, e)
	if err == nil {
		if err = r.builds(&v, m, e); r.trusted {
			err = nil
		}
	}
	r.note(m, e)
	switch e.proof {
	case unproved:
		gateAll(v.sources)
	case plainComparison, readFirst, joinedColumns:
		for _, s := range v.sources {
			s.compare()
		}
	}
	return v, err
}

func (r *resolver) meaning(m any, e env) (v value, err error) {
	switch m := m.(type) {
	case *pg.ColumnRef:
		return r.columnRef(m, e)
	case *pg.A_Indirection:
		if done, v, err := r.fieldSelection(m, e); done || err != nil {
			return v, err
		}
	case *pg.SubLink:
		v, _, err := r.subLink(m, e)
		return v, err
	case *pg.FuncCall:
		return r.call(m, e)
	case *pg.TypeCast:
		v, err = r.node(m.Arg, e)
		v.retype(m.TypeName)
		return v, err
	case *pg.SelectStmt, *pg.RangeVar, *pg.RangeSubselect, *pg.RangeFunction, *pg.JoinExpr, *pg.CommonTableExpr, *pg.WithClause:
		// Handled where they belong; nowhere else.
		return value{}, unsupported(-1, "this construct is not supported here")
	}
	parts := whole
	err = children(m, func(c any) error {
		o, err := r.expression(c, e)
		parts = min(parts, o.look)
		v.add(o)
		v.parts = append(v.parts, o.width)
		return err
	})
	if _, ok := m.(*pg.A_ArrayExpr); ok {
		v.unordered = true
	}
	v.look = lookOf(m, parts)
	return v, err
}

// columnRef resolves a reference to a column, to all columns of an item, or to
// an item's whole row.
//
// A reference the server would not find as a column may be a call: it takes
// a.f for f(a). So everything must be found here.
func (r *resolver) columnRef(m *pg.ColumnRef, e env) (value, error) {
	last := m.Fields[len(m.Fields)-1]
	if last.GetAStar() != nil {
		cols, err := r.star(m, e)
		return values(cols), err
	}
	parts := make([]string, len(m.Fields))
	for i, f := range m.Fields {
		s := f.GetString_()
		if s == nil {
			return value{}, unsupported(m.Location, "this reference is not supported here")
		}
		parts[i] = s.Sval
	}
	if len(parts) == 1 {
		return r.simpleName(m, parts[0], e)
	}
	it, at, err := r.qualifier(m, parts, e)
	if err != nil {
		return value{}, err
	}
	name := parts[len(parts)-1]
	c, twice := it.column(name)
	if twice {
		return value{}, ambiguous(name, m.Location)
	}
	if c == nil {
		return value{}, noColumn(it.name+"."+name, m.Location, it, e.scope)
	}
	if it.rewrite != "" {
		m.Fields[0] = str(it.rewrite)
	}
	c.use()
	v := c.value()
	r.name(c)
	e.scope.leave(at, m, v.sources)
	return v, nil
}

// name notes that a column is named that may fail to be computed.
func (r *resolver) name(c *column) {
	r.named = r.named || c.fails
	if c.why != "" {
		r.job.failing = append(r.job.failing, c.why)
	}
}

// useWhole marks every column of a row that is named as a whole.
func (r *resolver) useWhole(cols []column) value {
	for i := range cols {
		r.name(&cols[i])
	}
	return useAll(cols)
}

func (r *resolver) simpleName(m *pg.ColumnRef, name string, e env) (value, error) {
	c, at, twice := e.scope.columnNamed(name)
	if twice {
		return value{}, ambiguous(name, m.Location)
	}
	if c != nil {
		c.use()
		v := c.value()
		r.name(c)
		e.scope.leave(at, m, v.sources)
		return v, nil
	}
	if it, at := e.scope.itemNamed(name); it != nil && it.rewrite == "" { // the row as a whole
		v := r.useWhole(it.cols)
		e.scope.leave(at, m, v.sources)
		return v, nil
	}
	return value{}, noColumn(name, m.Location, nil, e.scope)
}

// qualifier finds the item a reference of two or three parts names. A schema in
// front is taken away, because the table will be a subquery.
func (r *resolver) qualifier(m *pg.ColumnRef, parts []string, e env) (*item, *scope, error) {
	full := strings.Join(parts, ".")
	switch {
	case len(parts) == 2:
		if it, at := e.scope.itemNamed(parts[0]); it != nil {
			return it, at, nil
		}
	case len(parts) == 3 && r.job.policy.isSchema(parts[0]):
		if it, at := e.scope.itemNamed(parts[1]); it != nil && it.table {
			m.Fields = m.Fields[1:]
			return it, at, nil
		}
	}
	return nil, nil, noColumn(full, m.Location, nil, e.scope)
}

// star returns the columns * or a.* stands for.
func (r *resolver) star(m *pg.ColumnRef, e env) ([]column, error) {
	var cols []column
	if len(m.Fields) == 1 {
		for _, it := range e.scope.level() {
			if it.colVisible {
				cols = append(cols, it.cols...)
			}
		}
		if len(cols) == 0 {
			return nil, &fault{kind: Syntax, at: m.Location, reason: "there are no tables for *"}
		}
	} else {
		parts := make([]string, len(m.Fields))
		for i, f := range m.Fields[:len(m.Fields)-1] {
			parts[i] = f.GetString_().GetSval()
		}
		parts[len(parts)-1] = "*"
		it, at, err := r.qualifier(m, parts, e)
		if err != nil {
			return nil, err
		}
		if it.rewrite != "" {
			return nil, unsupported(m.Location, "* is not supported here")
		}
		cols = it.cols
		e.scope.leave(at, m, values(cols).sources)
	}
	r.useWhole(cols)
	return passed(cols), nil
}

// values is what is known of columns taken together.
func values(cols []column) (v value) {
	for i := range cols {
		v.add(cols[i].value())
	}
	return v
}

func (s *scope) level() []*item {
	if s == nil {
		return nil
	}
	return s.items
}

// fieldSelection resolves (x).f, which is allowed when x is an item and f one
// of its columns; anything else might be a call of f. done is false when there
// are only subscripts.
func (r *resolver) fieldSelection(m *pg.A_Indirection, e env) (done bool, v value, err error) {
	selects := false
	for _, n := range m.Indirection {
		if n.GetAIndices() == nil {
			selects = true
		}
	}
	if !selects {
		return false, v, nil
	}
	at := m.Arg.GetColumnRef().GetLocation()
	refused := denied(at, "a field of this value is not available").advise("write table.column, or use the operators -> and ->>")
	name := onePart(m.Arg)
	f := m.Indirection[0].GetString_()
	if name == "" || f == nil {
		return true, v, refused
	}
	if c, _, twice := e.scope.columnNamed(name); c != nil || twice {
		return true, v, refused
	}
	it, level := e.scope.itemNamed(name)
	if it == nil || it.rewrite != "" {
		return true, v, refused
	}
	c, twice := it.column(f.Sval)
	if twice || c == nil {
		return true, v, noColumn(name+"."+f.Sval, at, it, e.scope)
	}
	v = r.useWhole(it.cols) // the server looks at the whole row
	v.redacted, v.unordered, v.float, v.look = c.redacted, c.unordered, c.float, varied
	e.scope.leave(level, m.Arg.GetColumnRef(), v.sources)
	for _, n := range m.Indirection[1:] {
		index := n.GetAIndices()
		if index == nil {
			return true, v, refused
		}
		o, err := r.expression(index, e)
		if err != nil {
			return true, v, err
		}
		v.add(o)
	}
	return true, v, nil
}

func ambiguous(name string, at int32) *fault {
	return &fault{kind: Syntax, at: at, reason: "column " + quote(name) + " is in more than one table", hint: "put the table or its alias in front"}
}
