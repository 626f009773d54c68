package guard

import (
	"fmt"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// trustedText is a text of the ERP or its administrator, kept parsed. The tree
// must be cloned before it is changed.
type trustedText struct {
	tree *pg.SelectStmt
}

// definition returns a view's SELECT with its tables secured, its columns, and
// whether which rows it has may fail to be found out. What may fail in it is named by
// the columns and the view, and not by what they are made of.
func (r *resolver) definition(ref *tableRef) (s *pg.SelectStmt, cols []column, fails bool, err error) {
	failing := len(r.job.failing)
	defer func() { r.job.failing = r.job.failing[:failing] }()
	if r.depth >= maxDepth {
		return nil, nil, false, &fault{kind: Denied, reason: "views are nested too deeply", at: -1}
	}
	if len(ref.physical) > 63-len(viewPrefix) {
		return nil, nil, false, &fault{kind: Denied, reason: "the view's name is too long", at: -1}
	}
	if s, err = r.job.trusted(ref.table.Definition); err != nil {
		return nil, nil, false, err
	}
	check := &checker{job: r.job, trusted: true}
	if err := check.check(s, -1); err != nil {
		return nil, nil, false, err
	}
	// A fresh scope: nothing of the statement is in sight.
	v := r.below()
	q, err := v.query(s, env{}, nil)
	if err != nil {
		return nil, nil, false, err
	}
	cols = q.cols
	ref.inside = v
	for _, c := range ref.table.Conditions {
		if count(cols, c.Column) != 1 {
			return nil, nil, false, &fault{kind: Denied, at: -1, reason: fmt.Sprintf("the view's definition has no column %s for its condition", c.Column)}
		}
	}
	for i, c := range ref.cols {
		if i < ref.visible && count(cols, c.Name) != 1 {
			return nil, nil, false, &fault{kind: Denied, at: -1, reason: fmt.Sprintf("the view's definition has no column %s", c.Name)}
		}
	}
	return s, cols, q.fails, nil
}

// below returns a resolver for a text inside the one at hand.
func (r *resolver) below() *resolver {
	return &resolver{job: r.job, trusted: true, depth: r.depth + 1, sublink: r.sublink, subtype: r.subtype}
}

// rule returns an administrator's condition with its tables secured. It sees
// the table's own columns, also those the caller does not.
func (r *resolver) rule(ref *tableRef, inside, text string) (*pg.Node, error) {
	if r.depth >= maxDepth {
		return nil, &fault{kind: Denied, reason: "rules are nested too deeply", at: -1}
	}
	s, err := r.job.trusted("SELECT WHERE " + text)
	if err != nil {
		return nil, err
	}
	bare := newSelect()
	bare.WhereClause = s.WhereClause
	if s.WhereClause == nil || !proto.Equal(s, bare) {
		return nil, &fault{kind: Denied, reason: "the rule is not one condition", at: -1}
	}
	check := &checker{job: r.job, trusted: true}
	if err := check.check(s, -1); err != nil {
		return nil, err
	}
	own := &item{name: ref.physical, rewrite: inside, relVisible: true, colVisible: true, base: true, table: true}
	for _, list := range [][]Column{ref.table.Columns, ref.table.Denied} {
		for _, c := range list {
			own.cols = append(own.cols, column{name: c.Name, typ: c.Type, kind: c.Type})
		}
	}
	v := r.below()
	failing := len(r.job.failing)
	defer func() { r.job.failing = r.job.failing[:failing] }() // it comes before what the caller writes
	if _, err := v.node(s.WhereClause, env{scope: &scope{items: []*item{own}}, proof: ownRule}); err != nil {
		return nil, err
	}
	return s.WhereClause, v.secureAll()
}

// trusted parses a text of the ERP, or finds it parsed.
func (j *job) trusted(text string) (*pg.SelectStmt, error) {
	key := cacheKey{kind: keptTree, text: text}
	if kept, ok := j.guard.cache.get(key); ok {
		return proto.Clone(kept.(*trustedText).tree).(*pg.SelectStmt), nil
	}
	tree, err := j.guard.parse(j.ctx, text, postgres.maxWeight)
	if err != nil {
		return nil, err
	}
	s := selectOf(tree)
	j.guard.cache.put(key, &trustedText{tree: s}, 40*len(text))
	return proto.Clone(s).(*pg.SelectStmt), nil
}
