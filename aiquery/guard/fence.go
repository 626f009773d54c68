package guard

import (
	"context"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// Fenced returns the plan's text with a barrier in every subquery that stands
// for a table, so that the caller's expressions are evaluated for permitted
// rows only. It is far slower than the plan's own text for statements that use
// indexes, and is meant for the one repetition after an error that data
// caused. It is made at each call.
func (p *Plan) Fenced(ctx context.Context) (string, error) {
	j := p.guard.job(ctx, p.policy, p.Params, p.limit)
	tree, err := run(ctx, &postgres, func() (*pg.ParseResult, error) { return postgres.parse(p.text) })
	if err != nil {
		return "", j.refusal("", err)
	}
	if err := fence(tree); err != nil {
		return "", j.refusal("", err)
	}
	_, text, _, err := j.finish(tree, true)
	if err != nil {
		return "", j.refusal("", err)
	}
	return text, nil
}

// fence puts OFFSET 0 into the subqueries of tables and views.
func fence(m any) error {
	if s, ok := m.(*pg.SelectStmt); ok && len(s.FromClause) == 1 {
		from := s.FromClause[0]
		if from.GetRangeVar().GetSchemaname() != "" ||
			strings.HasPrefix(from.GetRangeSubselect().GetAlias().GetAliasname(), viewPrefix) {
			s.LimitOffset = intConst(0)
			s.LimitOption = pg.LimitOption_LIMIT_OPTION_COUNT
		}
	}
	return children(m, fence)
}
