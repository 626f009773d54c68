package guard

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// Options are the limits of a [Guard]. Zero means the default.
type Options struct {
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

// New returns a guard. nil means the default limits.
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
// The plan fetches one row more than limit, so that a longer result is noticed;
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
		g.cache.put(key, plan, plan.Size())
	}
	return plan, nil
}

func (g *Guard) job(ctx context.Context, policy *Policy, params, limit int) *job {
	return &job{ctx: ctx, guard: g, policy: policy, schema: policy.Schema, mask: cmp.Or(policy.Mask, "***"),
		params: params, limit: limit, tables: map[string]bool{}}
}

func (j *job) plan(statement string) (*Plan, error) {
	switch {
	case j.schema == "":
		return nil, insecure("the policy names no schema")
	case j.params < 0 || j.params > j.guard.opts.MaxParams:
		return nil, tooLarge(-1, "", "there are more than %d parameters", j.guard.opts.MaxParams)
	}
	j.size = len(statement)
	s, err := j.guard.parse(j.ctx, statement, j.guard.opts.MaxNesting)
	if err != nil {
		return nil, err
	}
	if macrosIn(statement) {
		if err := j.expand(s); err != nil {
			return nil, err
		}
	}
	tree, cols, err := j.secure(s)
	if err != nil {
		return nil, err
	}
	text, err := j.render(tree)
	if err != nil {
		return nil, err
	}
	return &Plan{SQL: text, Tables: slices.Sorted(maps.Keys(j.tables)), Columns: cols, Collects: j.collects, TooMany: j.alarm.state, Reads: j.reads, Failing: distinct(j.failing), Params: j.params, Values: j.values}, nil
}

func distinct(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}
