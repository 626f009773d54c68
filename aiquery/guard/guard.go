package guard

import "context"

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
	opts Options
}

// New returns a guard. nil means the default limits and PostgreSQL.
func New(opts *Options) *Guard {
	g := new(Guard)
	if opts != nil {
		g.opts = *opts
	}
	return g
}

// Secure returns the plan to run for a statement with that many parameters.
// The plan fetches one row more than limit, so that a longer answer is noticed;
// a limit below 1 means 100. The error is a [*Refusal], or the context's when
// that ended first.
func (g *Guard) Secure(ctx context.Context, policy *Policy, sql string, params, limit int) (*Plan, error) {
	return nil, &Refusal{Kind: Insecure, Reason: "the statement could not be secured"}
}

// Fenced returns the plan's text with a barrier around every table, so that the
// caller's expressions are evaluated for permitted rows only. It is far slower
// than the plan's own text for statements that use indexes, and is meant for
// the one repetition after an error that data caused.
func (p *Plan) Fenced(ctx context.Context) (string, error) {
	return "", &Refusal{Kind: Insecure, Reason: "the statement could not be secured"}
}
