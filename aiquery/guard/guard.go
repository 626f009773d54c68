package guard

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/erphub/erphub/aiquery/guard/sqlite"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// Dialect is the language of the database that runs the plans. Statements are
// always written in PostgreSQL's.
type Dialect int

// The dialects.
const (
	PostgreSQL Dialect = iota
	SQLite
)

// Options are the limits of a [Guard]. Zero means the default.
type Options struct {
	Dialect      Dialect
	MaxLength    int // bytes of a statement; 64 KiB
	MaxNesting   int // nesting weight; 200, or 30 with the parser that is used without cgo, which is also the most
	MaxNodes     int // nodes of the secured tree; 50,000
	MaxRelations int // tables after views were replaced; 50
	MaxParams    int // parameters; 100
	CacheSize    int // bytes of kept plans, about; 32 MiB, and a negative number keeps none
}

// Guard secures statements. Any number of goroutines may use it.
type Guard struct {
	opts  Options
	cache *cache
}

// New returns a guard. nil means the default limits and PostgreSQL.
func New(opts *Options) *Guard {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.MaxLength = cmp.Or(max(o.MaxLength, 0), 64<<10)
	o.MaxNesting = min(cmp.Or(max(o.MaxNesting, 0), postgres.maxWeight), postgres.maxWeight)
	o.MaxNodes = cmp.Or(max(o.MaxNodes, 0), 50_000)
	o.MaxRelations = cmp.Or(max(o.MaxRelations, 0), 50)
	o.MaxParams = cmp.Or(max(o.MaxParams, 0), 100)
	o.CacheSize = cmp.Or(o.CacheSize, 32<<20)
	return &Guard{opts: o, cache: newCache(o.CacheSize)}
}

const defaultLimit = 100

// Secure returns the plan to run for a statement with that many parameters.
// The plan fetches one row more than limit, so that a longer answer is noticed;
// a limit below 1 means 100. The error is a [*Refusal], or another when the
// context ended or the parser is out of use.
func (g *Guard) Secure(ctx context.Context, policy *Policy, sql string, params, limit int) (*Plan, error) {
	if limit < 1 {
		limit = defaultLimit
	}
	key := cacheKey{kind: keptPlan, text: sql, version: policy.Version, params: params, limit: limit}
	if policy.Version != "" {
		if plan, ok := g.cache.get(key); ok {
			return plan.(*Plan), nil
		}
	}
	j := g.job(ctx, policy, params, limit)
	plan, err := j.plan(sql)
	if err != nil {
		return nil, j.refusal(sql, err)
	}
	if policy.Version != "" {
		g.cache.put(key, plan, len(plan.SQL)+len(plan.text)+64*len(plan.Columns))
	}
	return plan, nil
}

func (g *Guard) job(ctx context.Context, policy *Policy, params, limit int) *job {
	j := &job{ctx: ctx, guard: g, policy: policy, schema: policy.Schema, mask: cmp.Or(policy.Mask, "***"),
		params: params, limit: limit, tables: map[string]bool{}}
	if g.opts.Dialect == SQLite {
		j.schema = "main" // a name with a schema is never a WITH item
	}
	return j
}

func (j *job) plan(statement string) (*Plan, error) {
	switch {
	case j.schema == "":
		return nil, insecure("the policy names no schema")
	case j.params < 0 || j.params > j.guard.opts.MaxParams:
		return nil, tooLarge(-1, "", "there are more than %d parameters", j.guard.opts.MaxParams)
	}
	s, err := j.guard.parse(j.ctx, statement, j.guard.opts.MaxNesting)
	if err != nil {
		return nil, err
	}
	tree, cols, err := j.secure(s)
	if err != nil {
		return nil, err
	}
	text, sql, rendered, err := j.finish(tree)
	if err != nil {
		return nil, err
	}
	return &Plan{SQL: sql, Rendered: rendered, Tables: slices.Sorted(maps.Keys(j.tables)), Columns: cols, Params: j.params, Values: j.values,
		guard: j.guard, policy: j.policy, limit: j.limit, text: text}, nil
}

// finish renders a secured tree for the database: as PostgreSQL text, and as
// the text that runs.
func (j *job) finish(tree *pg.ParseResult) (text, sql string, rendered *sqlite.Statement, err error) {
	text, again, err := j.render(tree)
	if err != nil || j.guard.opts.Dialect != SQLite {
		return text, text, nil, err
	}
	rendered, err = sqlite.Render(again, j.source)
	if u := (*sqlite.Unsupported)(nil); errors.As(err, &u) {
		return "", "", nil, unsupported(-1, "%s is not supported by this database", u.Construct).advise("%s", u.Hint)
	}
	if err != nil {
		return "", "", nil, err
	}
	return text, rendered.SQL, rendered, nil
}

// source tells the renderer the columns of base tables.
func (j *job) source(table string) []sqlite.Column {
	t := j.policy.Tables[table]
	if t == nil {
		return nil
	}
	var cols []sqlite.Column
	for _, c := range slices.Concat(t.Columns, t.Denied) {
		cols = append(cols, sqlite.Column{Name: c.Name, Type: c.Type, Integer: c.Integer})
	}
	return cols
}
