package guard

import (
	"cmp"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// subLink resolves a subquery in an expression. The border tells what it uses
// of the levels around it.
func (r *resolver) subLink(m *pg.SubLink, e env) (v value, b *border, err error) {
	if v, err = r.node(m.Testexpr, e); err != nil {
		return v, nil, err
	}
	b = &border{}
	kept := r.outer
	body := e.part()
	body.scope = &scope{parent: e.scope, border: b}
	body.close = m.SubLinkType == pg.SubLinkType_ARRAY_SUBLINK
	r.job.collects = r.job.collects || body.close
	body.anyRow = m.SubLinkType == pg.SubLinkType_EXISTS_SUBLINK
	q, err := r.query(m.Subselect.GetSelectStmt(), body, nil)
	r.outer = kept // those inside may be of levels inside
	if err != nil {
		return v, nil, err
	}
	if len(q.cols) > 0 {
		r.sublink[m] = q.cols[0].name
		for _, c := range q.cols {
			r.subtype[m] = append(r.subtype[m], c.kind)
		}
	}
	if m.SubLinkType == pg.SubLinkType_EXISTS_SUBLINK {
		v.redacted = v.redacted || slices.ContainsFunc(q.cols, func(c column) bool { return c.redacted })
		v.look = uniform
	} else {
		v.add(values(q.cols))
		v.passes = len(q.cols) == 1 && families[q.cols[0].typ] != noFamily
	}
	switch m.SubLinkType {
	case pg.SubLinkType_EXPR_SUBLINK:
		if len(q.cols) == 1 {
			v.look = q.cols[0].look
		}
	case pg.SubLinkType_ANY_SUBLINK, pg.SubLinkType_ALL_SUBLINK:
		v.look = uniform
	case pg.SubLinkType_ARRAY_SUBLINK:
		v.unordered = true
		c := &collection{array: m}
		c.takes(values(q.cols))
		if v.lists, v.width = []*collection{c}, maxCollected; !r.trusted {
			r.job.collections = append(r.job.collections, c)
		}
	}
	found := slices.Concat(b.plain, b.other)
	for _, o := range found {
		v.sources = append(v.sources, o.sources...)
	}
	r.outer = append(r.outer, found...)
	return v, b, nil
}

// scalarCondition resolves the comparison of a column with a subquery that
// depends on nothing around it. The subquery moves to the front of the
// statement and is evaluated before any row of the table is looked at: whether
// that fails tells nothing about the table.
func (r *resolver) scalarCondition(n *pg.Node, e env) (done bool, out *pg.Node, err error) {
	m := n.GetAExpr()
	if m == nil || m.Kind != pg.A_Expr_Kind_AEXPR_OP || !comparison(m.Name) || r.trusted {
		return false, nil, nil
	}
	tested, side := m.Lexpr, &m.Rexpr
	if (*side).GetSubLink() == nil {
		tested, side = m.Rexpr, &m.Lexpr
	}
	sub := (*side).GetSubLink()
	c := r.plainColumn(tested, e)
	if c == nil || sub.GetSubLinkType() != pg.SubLinkType_EXPR_SUBLINK {
		return false, nil, nil
	}
	r.note(sub, e)
	kept, ctes := r.outer, r.ctesUsed
	r.outer, r.ctesUsed = nil, false
	v, b, err := r.subLink(sub, e)
	refs, usesCTE := r.outer, r.ctesUsed
	r.outer, r.ctesUsed = kept, ctes || usesCTE
	if err != nil {
		return true, nil, err
	}
	why := unproved
	if len(b.plain)+len(b.other) == 0 && !usesCTE && !v.float && r.sublink[sub] != "" {
		why = readFirst
		read := r.job.hoist(*side)
		*side = read
		r.early = append(r.early, read)
	} else {
		gateAll(v.sources)
	}
	if _, err := r.node(tested, e.proved(why)); err != nil {
		return true, nil, err
	}
	return true, afterGates(n, refs), nil
}

// hoist moves an expression in front of the statement and returns what reads
// its value.
func (j *job) hoist(n *pg.Node) *pg.Node {
	name := reserved + "s" + itoa(int32(len(j.hoisted)+1))
	body := newSelect()
	body.TargetList = []*pg.Node{{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: n}}}}
	j.hoisted = append(j.hoisted, &pg.Node{Node: &pg.Node_CommonTableExpr{CommonTableExpr: &pg.CommonTableExpr{
		Ctename: name, Aliascolnames: names("v"), Ctematerialized: pg.CTEMaterialize_CTEMaterializeAlways, Ctequery: selectNode(body)}}})
	read := newSelect()
	read.TargetList = []*pg.Node{{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: columnRef(name, "v")}}}}
	read.FromClause = []*pg.Node{{Node: &pg.Node_RangeVar{RangeVar: &pg.RangeVar{Relname: name, Inh: true, Relpersistence: "p"}}}}
	return &pg.Node{Node: &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_EXPR_SUBLINK, Subselect: selectNode(read)}}}
}

// existsNot is the subquery of NOT EXISTS (…).
func existsNot(n *pg.Node) *pg.SubLink {
	if b := n.GetBoolExpr(); b != nil && b.Boolop == pg.BoolExprType_NOT_EXPR && len(b.Args) == 1 {
		if m := b.Args[0].GetSubLink(); m.GetSubLinkType() == pg.SubLinkType_EXISTS_SUBLINK {
			return m
		}
	}
	return nil
}

// isIn recognises x IN (SELECT …).
func isIn(m *pg.SubLink) bool {
	return m.GetSubLinkType() == pg.SubLinkType_ANY_SUBLINK && len(m.OperName) == 0
}

// joinedCondition resolves EXISTS (…), NOT EXISTS (…) and x IN (…) in the forms
// that PostgreSQL always turns into joins. Their comparisons become conditions
// of the join, plain ones included.
func (r *resolver) joinedCondition(n *pg.Node, e env) (done bool, out *pg.Node, err error) {
	m := cmp.Or(n.GetSubLink(), existsNot(n))
	tested := m.GetTestexpr()
	if m.GetSubLinkType() != pg.SubLinkType_EXISTS_SUBLINK && (!isIn(m) || r.plainColumn(tested, e) == nil) {
		return false, nil, nil
	}
	kept := r.outer
	r.outer = nil
	m.Testexpr = nil // resolved below, or not there
	v, b, err := r.subLink(m, e)
	m.Testexpr = tested
	refs := r.outer
	r.outer = append(kept, refs...)
	if err != nil {
		return true, nil, err
	}
	r.note(m, e)
	if tested == nil {
		here := func(o outer) bool { return o.level == e.scope }
		if becomesJoin(m.Subselect.GetSelectStmt()) && len(b.other) == 0 && slices.ContainsFunc(b.plain, here) {
			return true, n, nil
		}
		gateAll(v.sources)
		return true, afterGates(n, refs), nil
	}
	why := unproved
	if len(b.plain)+len(b.other) == 0 && v.passes && !v.float {
		why = joinedColumns
		for _, s := range v.sources {
			link(s, r.plainColumn(tested, e).source)
		}
	} else {
		gateAll(v.sources)
	}
	if _, err := r.node(tested, e.proved(why)); err != nil {
		return true, nil, err
	}
	return true, afterGates(n, refs), nil
}

// becomesJoin reports whether the body of EXISTS is one that PostgreSQL turns into
// a join whenever its WHERE, and nothing else of it, names columns around it.
func becomesJoin(s *pg.SelectStmt) bool {
	return s != nil && s.Op == pg.SetOperation_SETOP_NONE && s.WithClause == nil && len(s.ValuesLists) == 0 &&
		len(s.FromClause) > 0 && len(s.GroupClause) == 0 && s.HavingClause == nil && len(s.WindowClause) == 0 &&
		len(s.DistinctClause) == 0 && len(s.SortClause) == 0 && s.LimitCount == nil && s.LimitOffset == nil &&
		!slices.ContainsFunc(s.TargetList, func(n *pg.Node) bool { return belongsToLevel(content(n)) }) &&
		!belongsToLevel(content(s.WhereClause))
}

// belongsToLevel reports whether an expression has aggregates, window functions
// or functions that make several rows of one.
func belongsToLevel(m any) bool {
	switch m := m.(type) {
	case nil, *pg.SubLink:
		return false
	case *pg.GroupingFunc:
		return true
	case *pg.FuncCall:
		name, _ := lastName(m.Funcname)
		if _, several := tableFunctions[name]; several || aggregates[name] || m.Over != nil || m.AggStar || m.AggWithinGroup {
			return true
		}
	}
	found := false
	_ = children(m, func(c any) error {
		found = found || belongsToLevel(c)
		return nil
	})
	return found
}
