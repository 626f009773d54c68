package guard

import (
	"cmp"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// quote puts a name into a message. Names come from the statement.
func quote(name string) string { return `"` + name + `"` }

// node resolves an expression, which may be nil. It tells whether the value is
// computed from redacted columns.
func (r *resolver) node(n *pg.Node, e env) (redacted bool, err error) {
	m := content(n)
	if m == nil {
		return false, nil
	}
	return r.expression(m, e)
}

func (r *resolver) expression(m any, e env) (redacted bool, err error) {
	switch m := m.(type) {
	case *pg.ColumnRef:
		return r.columnRef(m, e)
	case *pg.A_Indirection:
		if done, red, err := r.fieldSelection(m, e); done || err != nil {
			return red, err
		}
	case *pg.SubLink:
		red, err := r.node(m.Testexpr, e)
		if err != nil {
			return false, err
		}
		cols, _, err := r.query(m.Subselect.GetSelectStmt(), e, nil)
		if err != nil {
			return false, err
		}
		if len(cols) > 0 {
			r.sublink[m] = cols[0].name
		}
		for i := range cols {
			red = red || cols[i].redacted
		}
		return red, nil
	case *pg.SelectStmt, *pg.RangeVar, *pg.RangeSubselect, *pg.RangeFunction, *pg.JoinExpr, *pg.CommonTableExpr, *pg.WithClause:
		// Handled where they belong; nowhere else.
		return false, unsupported(-1, "this construct is not supported here")
	}
	err = children(m, func(c any) error {
		red, err := r.expression(c, e)
		redacted = redacted || red
		return err
	})
	return redacted, err
}

// columnRef resolves a reference to a column, to all columns of an item, or to
// an item's whole row.
//
// A reference the server would not find as a column may be a call: it takes
// a.f for f(a). So everything must be found here.
func (r *resolver) columnRef(m *pg.ColumnRef, e env) (bool, error) {
	last := m.Fields[len(m.Fields)-1]
	if last.GetAStar() != nil {
		cols, err := r.star(m, e)
		return slices.ContainsFunc(cols, func(c column) bool { return c.redacted }), err
	}
	parts := make([]string, len(m.Fields))
	for i, f := range m.Fields {
		s := f.GetString_()
		if s == nil {
			return false, unsupported(m.Location, "this reference is not supported here")
		}
		parts[i] = s.Sval
	}
	if len(parts) == 1 {
		return r.simpleName(parts[0], m.Location, e)
	}
	it, err := r.qualifier(m, parts, e)
	if err != nil {
		return false, err
	}
	name := parts[len(parts)-1]
	c, twice := it.column(name)
	if twice {
		return false, ambiguous(name, m.Location)
	}
	if c == nil {
		return false, noColumn(it.name+"."+name, name, m.Location, it.base, it.cols)
	}
	if it.rewrite != "" {
		m.Fields[0] = str(it.rewrite)
	}
	c.use()
	return c.redacted, nil
}

func (r *resolver) simpleName(name string, at int32, e env) (bool, error) {
	c, twice := e.scope.columnNamed(name)
	if twice {
		return false, ambiguous(name, at)
	}
	if c != nil {
		c.use()
		return c.redacted, nil
	}
	if it := e.scope.itemNamed(name); it != nil && it.rewrite == "" { // the row as a whole
		return useAll(it.cols), nil
	}
	var near []column
	for s := e.scope; s != nil; s = s.parent {
		for _, it := range s.items {
			if it.colVisible {
				near = append(near, it.cols...)
			}
		}
	}
	return false, noColumn(name, name, at, e.scope.hasBase(), near)
}

// qualifier finds the item a reference of two or three parts names. A schema in
// front is taken away, because the table will be a subquery.
func (r *resolver) qualifier(m *pg.ColumnRef, parts []string, e env) (*item, error) {
	full := strings.Join(parts, ".")
	switch {
	case len(parts) == 2:
		if it := e.scope.itemNamed(parts[0]); it != nil {
			return it, nil
		}
	case len(parts) == 3 && parts[0] == r.job.policy.Schema && parts[0] != "":
		if it := e.scope.itemNamed(parts[1]); it != nil && it.table {
			m.Fields = m.Fields[1:]
			return it, nil
		}
	}
	return nil, noColumn(full, "", m.Location, e.scope.hasBase(), nil)
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
		it, err := r.qualifier(m, parts, e)
		if err != nil {
			return nil, err
		}
		if it.rewrite != "" {
			return nil, unsupported(m.Location, "* is not supported here")
		}
		cols = it.cols
	}
	useAll(cols)
	return passed(cols), nil
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
func (r *resolver) fieldSelection(m *pg.A_Indirection, e env) (done, redacted bool, err error) {
	selects := false
	for _, n := range m.Indirection {
		if n.GetAIndices() == nil {
			selects = true
		}
	}
	if !selects {
		return false, false, nil
	}
	at := m.Arg.GetColumnRef().GetLocation()
	refused := denied(at, "a field of this value is not available").advise("write table.column, or use the operators -> and ->>")
	name := onePart(m.Arg)
	f := m.Indirection[0].GetString_()
	if name == "" || f == nil {
		return true, false, refused
	}
	if c, twice := e.scope.columnNamed(name); c != nil || twice {
		return true, false, refused
	}
	it := e.scope.itemNamed(name)
	if it == nil || it.rewrite != "" {
		return true, false, refused
	}
	c, twice := it.column(f.Sval)
	if twice || c == nil {
		return true, false, noColumn(name+"."+f.Sval, f.Sval, at, it.base, it.cols)
	}
	useAll(it.cols) // the server looks at the whole row
	redacted = c.redacted
	for _, n := range m.Indirection[1:] {
		index := n.GetAIndices()
		if index == nil {
			return true, false, refused
		}
		red, err := r.expression(index, e)
		if err != nil {
			return true, false, err
		}
		redacted = redacted || red
	}
	return true, redacted, nil
}

func ambiguous(name string, at int32) *fault {
	return &fault{kind: Syntax, at: at, reason: "column " + quote(name) + " is in more than one table", hint: "put the table or its alias in front"}
}

// noColumn refuses a name in the same words whether the column exists or not.
func noColumn(full, name string, at int32, base bool, cols []column) *fault {
	f := denied(at, "column %s is not available", quote(full))
	if !base {
		f.kind = Syntax
	}
	if near := similar(name, cols); len(near) > 0 {
		f.hint = "similar columns: " + strings.Join(near, ", ")
	}
	return f
}

// similar returns up to three permitted names close to one that is not there.
func similar(name string, cols []column) []string {
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	if name == "" || len(name) > 63 {
		return nil
	}
	for _, c := range cols[:min(len(cols), 2000)] {
		far := distance(name, c.name)
		if strings.Contains(c.name, name) || strings.Contains(name, c.name) && len(c.name) > 3 {
			far = min(far, 2)
		}
		if far <= 2+len(name)/8 && !slices.ContainsFunc(found, func(f candidate) bool { return f.name == c.name }) {
			found = append(found, candidate{c.name, far})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(a.far-b.far, strings.Compare(a.name, b.name)) })
	var near []string
	for _, f := range found[:min(3, len(found))] {
		near = append(near, f.name)
	}
	return near
}

// distance counts the letters to change, add or drop between two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
