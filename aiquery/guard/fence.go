package guard

import (
	"context"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// Fenced returns the plan's text with a barrier in every subquery that stands
// for a table, so that the caller's expressions are evaluated for permitted
// rows only, by the planner too; see [Plan.Blind]. It is far slower than the
// plan's own text for statements that use indexes, and is meant for the one
// repetition after an error that data caused. It is made at each call.
func (p *Plan) Fenced(ctx context.Context) (string, error) { return p.changed(ctx, true) }

// Blind returns the plan's text with columns of which the server's planner has
// no statistics. Statistics are a sample of all rows, those of other tenants
// included, and the planner compares the caller's constants with it: from the
// costs it arrives at, and from the steps it chooses, values in that sample can
// be found bit by bit. So this is the text to explain. For SQLite, which keeps
// no such sample, it is the plan's own. It is made at each call.
func (p *Plan) Blind(ctx context.Context) (string, error) {
	if p.guard.opts.Dialect == SQLite {
		return p.SQL, nil
	}
	return p.changed(ctx, false)
}

func (p *Plan) changed(ctx context.Context, fenced bool) (string, error) {
	j := p.guard.job(ctx, p.policy, p.Params, p.limit)
	tree, err := run(ctx, &postgres, func() (*pg.ParseResult, error) { return postgres.parse(p.text) })
	if err != nil {
		return "", j.refusal("", err)
	}
	change := func(s *pg.SelectStmt) {
		if p.guard.opts.Dialect == PostgreSQL {
			blind(s)
		}
		if fenced {
			fence(s)
		}
	}
	if err := eachSecured(tree, change); err != nil {
		return "", j.refusal("", err)
	}
	_, text, _, err := j.finish(tree, fenced)
	if err != nil {
		return "", j.refusal("", err)
	}
	return text, nil
}

// eachSecured calls change for the subqueries that stand for tables and views.
func eachSecured(m any, change func(*pg.SelectStmt)) error {
	if s, ok := m.(*pg.SelectStmt); ok && len(s.FromClause) == 1 {
		from := s.FromClause[0]
		if from.GetRangeVar().GetSchemaname() != "" ||
			strings.HasPrefix(from.GetRangeSubselect().GetAlias().GetAliasname(), viewPrefix) {
			change(s)
		}
	}
	return children(m, func(c any) error { return eachSecured(c, change) })
}

// fence puts OFFSET 0 into a subquery.
func fence(s *pg.SelectStmt) {
	s.LimitOffset = intConst(0)
	s.LimitOption = pg.LimitOption_LIMIT_OPTION_COUNT
}

// blind makes expressions of a subquery's columns, which the planner has
// statistics of only when it sees the columns themselves.
func blind(s *pg.SelectStmt) {
	for _, n := range s.TargetList {
		if t := n.GetResTarget(); t.GetVal().GetColumnRef() != nil {
			t.Val = &pg.Node{Node: &pg.Node_CoalesceExpr{CoalesceExpr: &pg.CoalesceExpr{
				Args: []*pg.Node{t.Val, proto.Clone(t.Val).(*pg.Node)}}}}
		}
	}
}
