package guard

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// What a statement leaves open the plan decides, and the plan depends on
// statistics of all rows. So nothing that can show is left open: rows that are
// returned, counted off by LIMIT, chosen by DISTINCT ON, numbered or collected
// have an order that tells any two rows apart that differ. Where a statement
// requires an order, its own comes first.

// order says whether the rows of a query come in an order that the statement
// determines.
type order int

const (
	open   order = iota
	steady       // it does, as for a list of values
	sorted       // it does, with ORDER BY
)

const withTies = pg.LimitOption_LIMIT_OPTION_WITH_TIES

func openOrder(at int32, hint string, format string, args ...any) *fault {
	f := unsupported(at, format, args...).advise("%s", hint)
	f.kind = OpenOrder
	return f
}

// closeLevel gives the rows of a SELECT an order where it needs one. nodes are
// the expressions of the output columns, nil for those of *.
func (r *resolver) closeLevel(s *pg.SelectStmt, level *scope, around env, out *output, nodes []*pg.Node) error {
	r.keepCollections(s, level)
	grouped := len(s.GroupClause) > 0 || level.aggregated || s.HavingClause != nil
	from := orderOfFrom(s, level)
	if err := r.closeAggregates(s, level, from); err != nil {
		return err
	}
	if err := r.closeWindows(s, level, grouped, out.cols, nodes); err != nil {
		return err
	}
	markOutput(s, level, grouped, out)
	switch {
	case grouped && len(s.GroupClause) == 0:
		out.order = steady // one row
		if !level.expands {
			return nil
		}
	case !grouped && len(s.DistinctClause) == 0 && len(level.windows) == 0:
		out.order = from
	}
	if err := r.closeRows(s, level, around, out, nodes, grouped); err != nil {
		return err
	}
	if limits(s) || around.outermost {
		r.all(s, level, grouped, around, out)
	}
	return nil
}

// keepCollections notes what aggregates of a SELECT collect, for the end.
func (r *resolver) keepCollections(s *pg.SelectStmt, level *scope) {
	for _, c := range []*collection{level.collected, level.collectedOver} {
		if c != nil && !r.trusted {
			c.query = s
			r.job.collections = append(r.job.collections, c)
		}
	}
}

// orderOfFrom is the order in which a SELECT finds its rows. A subquery in WHERE may
// become a join, which has an order of its own.
func orderOfFrom(s *pg.SelectStmt, level *scope) order {
	switch {
	case mayJoin(content(s.WhereClause)):
		return open
	case len(s.FromClause) == 0:
		return steady
	case len(s.FromClause) == 1 && s.FromClause[0].GetJoinExpr() == nil && len(level.items) == 1:
		return level.items[0].order
	}
	return open
}

// mayJoin reports whether a condition has EXISTS or IN with a subquery.
func mayJoin(m any) bool {
	if m == nil {
		return false
	}
	if s, ok := m.(*pg.SubLink); ok {
		return s.SubLinkType == pg.SubLinkType_EXISTS_SUBLINK || s.SubLinkType == pg.SubLinkType_ANY_SUBLINK
	}
	found := false
	_ = children(m, func(c any) error {
		found = found || mayJoin(c)
		return nil
	})
	return found
}

func limits(s *pg.SelectStmt) bool { return s.LimitCount != nil || s.LimitOffset != nil }

// distinctOn tells DISTINCT ON from DISTINCT.
func distinctOn(s *pg.SelectStmt) bool {
	return len(s.DistinctClause) > 0 && content(s.DistinctClause[0]) != nil
}

// markOutput notes of the output columns what the kind of SELECT says.
func markOutput(s *pg.SelectStmt, level *scope, grouped bool, out *output) {
	distinct := len(s.DistinctClause) > 0
	if !grouped && !limits(s) && len(level.windows) == 0 && !distinct && s.WithClause == nil {
		return
	}
	for i := range out.cols {
		out.cols[i].apart = true
		out.cols[i].anyOf = out.cols[i].anyOf || len(s.GroupClause) > 0 && out.cols[i].bare || distinct
	}
}

// closeRows orders the rows of a SELECT itself where they need it.
func (r *resolver) closeRows(s *pg.SelectStmt, level *scope, around env, out *output, nodes []*pg.Node, grouped bool) error {
	on := distinctOn(s)
	switch {
	case !needsOrder(s, around, out, nodes):
		return nil
	case s.LimitOption == withTies:
		out.order = open // ties come in any order; more columns would break them
		if around.close {
			r.closeTies(s, out)
		}
		return nil
	case grouped, len(s.DistinctClause) > 0 && !on:
		return r.orderByOutput(s, out, nodes)
	case on && len(s.SortClause) == 0:
		for _, n := range s.DistinctClause {
			s.SortClause = append(s.SortClause, sortBy(n))
		}
	}
	out.order = sorted
	for _, k := range r.identity(level.items) {
		s.SortClause = append(s.SortClause, sortBy(k))
	}
	if level.expands {
		return r.orderByOutput(s, out, nodes)
	}
	return nil
}

// needsOrder reports whether something shows in which order the rows come.
func needsOrder(s *pg.SelectStmt, around env, out *output, nodes []*pg.Node) bool {
	switch {
	case around.anyRow:
		return false
	case len(s.SortClause) > 0:
		return true
	case out.order != open:
		return false
	case around.close, distinctOn(s):
		return true
	}
	return limits(s) && !allFixed(nodes)
}

func allFixed(nodes []*pg.Node) bool {
	return !slices.ContainsFunc(nodes, func(n *pg.Node) bool { return n == nil || !fixed(n) })
}

func sortBy(n *pg.Node) *pg.Node {
	return &pg.Node{Node: &pg.Node_SortBy{SortBy: &pg.SortBy{Node: n,
		SortbyDir: pg.SortByDir_SORTBY_DEFAULT, SortbyNulls: pg.SortByNulls_SORTBY_NULLS_DEFAULT}}}
}

// sortedBy adds keys to what rows are sorted by.
func sortedBy(order, keys []*pg.Node) []*pg.Node {
	for _, k := range keys {
		order = append(order, sortBy(k))
	}
	return order
}

// asText makes a value of any type one that can be sorted.
func asText(n *pg.Node) *pg.Node { return cast(n, "text") }

// closeWhole orders the rows of a set operation or of VALUES where they need it.
func (r *resolver) closeWhole(s *pg.SelectStmt, around env, out *output) error {
	defer func() { r.all(s, nil, false, around, out) }()
	needed := around.close || s.LimitCount != nil || s.LimitOffset != nil
	switch {
	case around.anyRow, len(s.SortClause) == 0 && (!needed || out.order != open):
		return nil
	case s.LimitOption == withTies:
		out.order = open
		if around.close {
			r.closeTies(s, out)
		}
		return nil
	}
	var nodes []*pg.Node
	repeated := s.Op == pg.SetOperation_SETOP_NONE || s.All // rows of others are all different
	if repeated && slices.ContainsFunc(out.cols, func(c column) bool { return c.look == varied && !c.unordered }) {
		nodes = r.enclose(s, out)
	}
	return r.orderByOutput(s, out, nodes)
}

// orderByOutput orders by all output columns. nodes are their expressions where
// they are known; those of * are not, whose rows have another order already.
func (r *resolver) orderByOutput(s *pg.SelectStmt, out *output, nodes []*pg.Node) error {
	var texts []*pg.Node
	for i, c := range out.cols {
		known := i < len(nodes) && nodes[i] != nil
		switch {
		case c.unordered && !known:
			return openOrder(-1, "cast json to jsonb or to text, or give a column that tells the rows apart in ORDER BY",
				"the rows cannot be put in an order: column %s is of a type without one", quote(c.name))
		case c.unordered:
			s.SortClause = append(s.SortClause, sortBy(asText(nodes[i])))
			continue
		case c.look == varied && known && len(s.DistinctClause) == 0:
			texts = append(texts, sortBy(asText(nodes[i])))
		}
		s.SortClause = append(s.SortClause, sortBy(intConst(int64(i)+1)))
	}
	s.SortClause = append(s.SortClause, texts...)
	out.order = sorted
	return nil
}

// enclose makes a set operation or VALUES the FROM of a SELECT, whose ORDER BY may
// have any expressions, and returns these for the columns.
func (r *resolver) enclose(s *pg.SelectStmt, out *output) []*pg.Node {
	body := &pg.SelectStmt{Op: s.Op, All: s.All, Larg: s.Larg, Rarg: s.Rarg, ValuesLists: s.ValuesLists, LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT}
	r.job.unnamed++
	alias := &pg.Alias{Aliasname: reserved + "q" + itoa(int32(r.job.unnamed))}
	nodes := make([]*pg.Node, len(out.cols))
	s.Op, s.All, s.Larg, s.Rarg, s.ValuesLists, s.TargetList = pg.SetOperation_SETOP_NONE, false, nil, nil, nil, nil
	for i, c := range out.cols {
		alias.Colnames = append(alias.Colnames, str(outputName(i)))
		nodes[i] = columnRef(alias.Aliasname, outputName(i))
		s.TargetList = append(s.TargetList, target(c.name, nodes[i]))
	}
	s.FromClause = []*pg.Node{{Node: subselect(body, alias)}}
	return nodes
}

// closeTies prepares the outermost SELECT for a statement with WITH TIES, whose
// own ORDER BY must stay as it is. What it orders by becomes hidden output.
func (r *resolver) closeTies(s *pg.SelectStmt, out *output) {
	for _, n := range s.SortClause {
		k := n.GetSortBy()
		i := -1
		if c := k.Node.GetAConst().GetIval(); c != nil {
			i = int(c.Ival) - 1
		} else if name := onePart(k.Node); name != "" {
			i = slices.IndexFunc(out.cols, func(c column) bool { return c.name == name })
		}
		if i < 0 {
			i = len(out.cols) + r.job.hidden
			r.job.hidden++
			s.TargetList = append(s.TargetList, &pg.Node{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: k.Node}}})
		}
		r.job.ties = append(r.job.ties, tie{column: i, sort: k})
	}
	for i, c := range out.cols {
		r.job.ties = append(r.job.ties, tie{column: i, text: c.unordered})
	}
	for i, c := range out.cols {
		if c.look == varied && !c.unordered {
			r.job.ties = append(r.job.ties, tie{column: i, text: true})
		}
	}
}

// tie is a key by which the outermost SELECT orders.
type tie struct {
	column int
	text   bool
	sort   *pg.SortBy // how, nil for the usual way
}

// identity returns expressions that tell any two rows of a FROM apart which the
// statement can tell apart.
func (r *resolver) identity(items []*item) []*pg.Node {
	var keys []*pg.Node
	for _, it := range items {
		if !it.relVisible || it.name == "" {
			continue
		}
		cols, isKey := it.identity()
		if slices.ContainsFunc(cols, func(i int) bool { return count(it.cols, it.cols[i].name) != 1 }) {
			useAll(it.cols)
			all := columnRef(it.name)
			all.GetColumnRef().Fields = append(all.GetColumnRef().Fields, star().GetColumnRef().Fields...)
			keys = append(keys, asText(&pg.Node{Node: &pg.Node_RowExpr{RowExpr: &pg.RowExpr{
				Args: []*pg.Node{all}, RowFormat: pg.CoercionForm_COERCE_EXPLICIT_CALL}}}))
			continue
		}
		for _, i := range cols {
			c := &it.cols[i]
			c.use()
			of := *c
			if isKey { // no two of its values are equal
				of.look = uniform
			}
			keys = append(keys, of.keys(columnRef(it.name, c.name))...)
		}
	}
	return keys
}

// identity returns the columns that tell an item's rows apart: a table's key,
// else all that the statement uses.
func (it *item) identity() (cols []int, isKey bool) {
	if it.ref == nil {
		for i := range it.cols {
			cols = append(cols, i)
		}
		return cols, false
	}
	if key := it.ref.table.Key; len(key) > 0 {
		for _, name := range key {
			i := slices.IndexFunc(it.ref.cols[:it.ref.visible], func(c Column) bool { return c.Name == name && !c.Redacted })
			if i < 0 {
				cols = nil
				break
			}
			cols = append(cols, i)
		}
		if cols != nil {
			return cols, true
		}
	}
	for i, used := range it.ref.used {
		if used && i < it.ref.visible && !it.ref.cols[i].Redacted {
			cols = append(cols, i)
		}
	}
	return cols, false
}
