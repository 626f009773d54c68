package guard

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// An expression that fails for a row ends the statement, if the plan comes to that
// row, and plans follow statistics of all rows. So that nothing of them shows, the
// plan has to come to the same rows whatever it is: to all that the role may see
// and the conditions that cannot fail have let through.
//
//   - Conditions that can fail come last, in the order they are written (last).
//   - A LIMIT over something that can fail sorts its rows by what no index
//     has, and so looks at all of them (all).
//
// Joins and subqueries may still end early: see the package comment of aiquery.

// mark is where the resolving of an expression begins, for failed.
func (r *resolver) mark() int {
	r.named = false
	return len(r.job.failing)
}

// failed reports whether what was resolved since may fail for some row.
func (r *resolver) failed(mark int) bool { return r.named || len(r.job.failing) > mark }

// computeFirst has the items of a WITH that can fail computed as a whole before
// the rows of its SELECT are looked at: a join might not need them.
func (r *resolver) computeFirst(w *pg.WithClause, e env) {
	for _, n := range w.Ctes {
		x := n.GetCommonTableExpr()
		if c := e.ctes.find(x.Ctename); c != nil && c.fails && !r.trusted {
			x.Ctematerialized = pg.CTEMaterialize_CTEMaterializeAlways
			r.early = append(r.early, countOf(x.Ctename))
		}
	}
}

// hoistTable does the same with a subquery of FROM, which becomes an item of the
// statement's WITH.
func (r *resolver) hoistTable(n *pg.Node, m *pg.RangeSubselect) {
	name := reserved + "s" + itoa(int32(len(r.job.hoisted)+1))
	r.job.hoisted = append(r.job.hoisted, &pg.Node{Node: &pg.Node_CommonTableExpr{CommonTableExpr: &pg.CommonTableExpr{
		Ctename: name, Ctematerialized: pg.CTEMaterialize_CTEMaterializeAlways, Ctequery: m.Subquery}}})
	n.Node = &pg.Node_RangeVar{RangeVar: &pg.RangeVar{Relname: name, Inh: true, Relpersistence: "p", Alias: m.Alias}}
	r.early = append(r.early, countOf(name))
}

// countOf is the number of rows of an item of WITH.
func countOf(name string) *pg.Node {
	s := newSelect()
	s.TargetList = []*pg.Node{target("", &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{
		Funcname: names(catalog, "count"), AggStar: true, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL}}})}
	s.FromClause = []*pg.Node{{Node: &pg.Node_RangeVar{RangeVar: &pg.RangeVar{Relname: name, Inh: true, Relpersistence: "p"}}}}
	return &pg.Node{Node: &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_EXPR_SUBLINK, Subselect: selectNode(s)}}}
}

// failable is a condition, and whether it can fail.
type failable struct {
	*pg.Node
	fails bool
}

// last joins the conditions of a level. Those that can fail are tested when
// all others hold for rows of all its tables.
func (r *resolver) last(conditions []failable, items []*item) *pg.Node {
	var sure, before, fail, cols []*pg.Node
	for _, c := range conditions {
		switch {
		case c.fails:
			fail = append(fail, c.Node)
			continue
		case !hasSubLink(content(c.Node)):
			before = append(before, c.Node)
		}
		sure = append(sure, c.Node)
	}
	if len(fail) == 0 {
		return and(sure)
	}
	if r.trusted { // the ERP's own conditions stay as they are
		var all []*pg.Node
		for _, c := range conditions {
			all = append(all, c.Node)
		}
		return and(all)
	}
	for _, it := range items {
		if c := it.anyColumn(); c != nil && len(items) > 1 {
			cols = append(cols, c)
		}
	}
	if len(cols) > 0 {
		before = append(before, evaluated(cols))
	}
	after := fail[len(fail)-1]
	for _, n := range slices.Backward(fail[:len(fail)-1]) {
		after = caseWhen(n, after)
	}
	if len(before) > 0 {
		after = caseWhen(and(before), after)
	}
	return and(append(sure, after))
}

func hasSubLink(m any) bool {
	if m == nil {
		return false
	}
	if _, ok := m.(*pg.SubLink); ok {
		return true
	}
	found := false
	_ = children(m, func(c any) error {
		found = found || hasSubLink(c)
		return nil
	})
	return found
}

// anyColumn is a reference to a column of the item, nil if none can be named.
func (it *item) anyColumn() *pg.Node {
	if !it.relVisible || it.name == "" {
		return nil
	}
	cols, _ := it.identity()
	for _, i := range append(cols, 0) {
		if i < len(it.cols) && count(it.cols, it.cols[i].name) == 1 {
			it.cols[i].use()
			return columnRef(it.name, it.cols[i].name)
		}
	}
	return nil
}

// all makes a LIMIT look at all rows if something in them can fail: they are
// sorted first by something that is the same for all, and that no index has. Of
// set operations and DISTINCT only the rows that are returned are sorted so.
func (r *resolver) all(s *pg.SelectStmt, level *scope, grouped bool, around env, out *output) {
	if len(r.job.failing) == 0 || r.trusted {
		return
	}
	if level == nil || len(s.DistinctClause) > 0 || level.expands {
		if around.outermost && len(r.job.ties) == 0 && len(out.cols) > 0 {
			r.closeTies(s, out)
		}
		return
	}
	var of *pg.Node
	if grouped {
		of = &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{Funcname: names(catalog, "count"), AggStar: true, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL}}}
	}
	for _, it := range level.items {
		if of == nil {
			of = it.anyColumn()
		}
	}
	if of != nil && len(s.SortClause) > 0 {
		s.SortClause = append([]*pg.Node{sortBy(evaluated([]*pg.Node{of}))}, s.SortClause...)
	}
}
