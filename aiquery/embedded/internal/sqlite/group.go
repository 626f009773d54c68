package sqlite

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// groupKeys are the different grouping expressions of a SELECT.
type groupKeys struct {
	exprs []expr
	index map[string]int // by rendered text
	nodes map[*pg_query.Node]int
}

// maxSets bounds what CUBE multiplies to.
const maxSets = 64

func (r *renderer) groupKeys(s *pg_query.SelectStmt, l *level, ctes *cte, targets []target) *groupKeys {
	k := &groupKeys{index: map[string]int{}, nodes: map[*pg_query.Node]int{}}
	l.noAgg = "GROUP BY"
	defer func() { l.noAgg = "" }()
	var add func(n *pg_query.Node)
	add = func(n *pg_query.Node) {
		if g := n.GetGroupingSet(); g != nil {
			for _, c := range g.GetContent() {
				add(c)
			}
			return
		}
		if row := n.GetRowExpr(); row != nil && row.GetRowFormat() == pg_query.CoercionForm_COERCE_IMPLICIT_CAST {
			for _, c := range row.GetArgs() {
				add(c)
			}
			return
		}
		e := r.groupKey(n, l, ctes, targets)
		i, ok := k.index[e.sql]
		if !ok {
			i = len(k.exprs)
			k.index[e.sql] = i
			k.exprs = append(k.exprs, e)
		}
		k.nodes[n] = i
	}
	for _, n := range s.GetGroupClause() {
		add(n)
	}
	return k
}

// groupKey renders one grouping expression: a bare name is a column of FROM
// first and then one of the output, a number is a position.
func (r *renderer) groupKey(n *pg_query.Node, l *level, ctes *cte, targets []target) expr {
	pick := -1
	if c := n.GetAConst(); c != nil {
		v, ok := c.GetVal().(*pg_query.A_Const_Ival)
		if !ok {
			refuse(c.GetLocation(), "grouping by a constant")
		}
		if pick = int(v.Ival.GetIval()) - 1; pick < 0 || pick >= len(targets) {
			refuse(c.GetLocation(), "a position that is not in the select list")
		}
	} else if ref := n.GetColumnRef(); ref != nil && len(ref.GetFields()) == 1 {
		name := ref.GetFields()[0].GetString_().GetSval()
		if !slices.ContainsFunc(l.cols, func(c column) bool { return c.name == name }) {
			for i, t := range targets {
				if t.name == name {
					pick = i
					break
				}
			}
		}
	}
	var e expr
	switch {
	case pick < 0:
		e = r.expr(n, l, ctes)
	case targets[pick].node == nil:
		e = targets[pick].e
	default:
		e = r.expr(targets[pick].node, l, ctes)
	}
	if e.typ == unknown {
		e = r.coerce(e, "text", -1, location(n))
	}
	return e
}

// groupingSets expands ROLLUP, CUBE and GROUPING SETS; nil when GROUP BY has
// none of them.
func (r *renderer) groupingSets(clause []*pg_query.Node, k *groupKeys) [][]int {
	if !slices.ContainsFunc(clause, func(n *pg_query.Node) bool { return n.GetGroupingSet() != nil }) {
		return nil
	}
	sets := [][]int{{}}
	for _, n := range clause {
		var next [][]int
		for _, have := range sets {
			for _, more := range r.expandSet(n, k) {
				set := slices.Clone(have)
				for _, i := range more {
					if !slices.Contains(set, i) {
						set = append(set, i)
					}
				}
				next = append(next, set)
			}
		}
		if sets = next; len(sets) > maxSets {
			refuse(location(n), "so many grouping sets")
		}
	}
	return sets
}

func (r *renderer) expandSet(n *pg_query.Node, k *groupKeys) [][]int {
	g := n.GetGroupingSet()
	if g == nil {
		return [][]int{k.members(n)}
	}
	var out [][]int
	switch g.GetKind() {
	case pg_query.GroupingSetKind_GROUPING_SET_EMPTY:
		out = [][]int{{}}
	case pg_query.GroupingSetKind_GROUPING_SET_SIMPLE:
		out = [][]int{k.membersOf(g.GetContent())}
	case pg_query.GroupingSetKind_GROUPING_SET_ROLLUP:
		for n := len(g.GetContent()); n >= 0; n-- {
			out = append(out, k.membersOf(g.GetContent()[:n]))
		}
	case pg_query.GroupingSetKind_GROUPING_SET_CUBE:
		if len(g.GetContent()) > 6 {
			refuse(g.GetLocation(), "so many grouping sets")
		}
		for mask := 1<<len(g.GetContent()) - 1; mask >= 0; mask-- {
			set := []int{}
			for i, c := range g.GetContent() {
				if mask&(1<<i) != 0 {
					set = append(set, k.members(c)...)
				}
			}
			out = append(out, set)
		}
	case pg_query.GroupingSetKind_GROUPING_SET_SETS:
		for _, c := range g.GetContent() {
			out = append(out, r.expandSet(c, k)...)
			if len(out) > maxSets {
				refuse(g.GetLocation(), "so many grouping sets")
			}
		}
	default:
		refuse(g.GetLocation(), "this kind of grouping set")
	}
	return out
}

// membersOf are the expressions of several elements.
func (k *groupKeys) membersOf(list []*pg_query.Node) []int {
	set := []int{}
	for _, n := range list {
		set = append(set, k.members(n)...)
	}
	return set
}

// members are the expressions of an element, which may be a list.
func (k *groupKeys) members(n *pg_query.Node) []int {
	if row := n.GetRowExpr(); row != nil {
		out := []int{}
		for _, c := range row.GetArgs() {
			out = append(out, k.nodes[c])
		}
		return out
	}
	return []int{k.nodes[n]}
}

// grouping is the function GROUPING: a bit for each argument, set when the
// current grouping set is without it.
func (r *renderer) grouping(g *pg_query.GroupingFunc, l *level, ctes *cte) expr {
	n := 0
	for _, a := range g.GetArgs() {
		n <<= 1
		i := -1
		if l.index != nil {
			keys := l.keys
			l.keys = nil
			e := r.expr(a, l, ctes)
			l.keys = keys
			if at, ok := l.index[e.sql]; ok {
				i = at
			}
		}
		if i < 0 {
			refuse(g.GetLocation(), "GROUPING of something that is not grouped by")
		}
		if !l.active[i] {
			n |= 1
		}
	}
	return expr{sql: literal(int64(n)), typ: "int4"}
}
