package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"
)

// BoundaryOptions change a [Boundary]. The zero value permits everything, limits no
// counts and keeps no audit.
type BoundaryOptions struct {
	// Toolsets are the tool sets that are enabled; none, or AllSets among
	// them, means all.
	Toolsets []string
	// DefaultToolsets returns the sets that a caller is offered who selects none
	// (Caller.Selection), as far as they are enabled. It is called often, so it must
	// not wait. nil, and one that returns none: all that are enabled.
	DefaultToolsets func(Caller) []string
	// ReadOnly is the upper bound for everybody: no tool that changes something.
	ReadOnly bool
	// Rules narrow what callers may use.
	Rules []Rule
	// Admit refuses callers whose login has ended, with an error; nil admits all. It is
	// asked before each call, and should remember what it found out.
	Admit func(context.Context, Caller) error
	// Limits bound what each caller may use.
	Limits Limits
	// Store keeps counts; nil: in memory.
	Store LimitStore
	// Audit keeps a record of every call when it ended, and of one that changes
	// something before it does; nil: there is none. It is the caller's to close, after
	// [Boundary.Close].
	Audit *Audit
	// Metrics counts calls and refusals.
	Metrics BoundaryMetrics
	// Logger gets internal errors with their cause; nil is silent.
	Logger *slog.Logger
	// Now replaces time.Now.
	Now func() time.Time
}

// Boundary stands in front of tools. It is safe for concurrent use.
type Boundary struct {
	opts    BoundaryOptions
	slots   slots
	running running
}

// NewBoundary makes a boundary; nil options are the zero value.
func NewBoundary(opts *BoundaryOptions) (*Boundary, error) {
	b := &Boundary{opts: *cmp.Or(opts, &BoundaryOptions{}), slots: slots{running: map[string]int{}}, running: running{calls: map[*runningCall]struct{}{}}}
	o := &b.opts
	o.Toolsets, o.Rules = slices.Clone(o.Toolsets), slices.Clone(o.Rules)
	for i, r := range o.Rules {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	l := &o.Limits
	if min(l.CallsPerMinute, l.Concurrent, l.ResultTokens, l.Session.Tokens, l.Session.APICalls, l.Day.Tokens, l.Day.APICalls) < 0 || l.Confirmation < 0 {
		return nil, errors.New("a limit is negative; leave it out for none")
	}
	l.Concurrent = cmp.Or(l.Concurrent, defaultConcurrent)
	l.ResultTokens = cmp.Or(l.ResultTokens, defaultResultTokens)
	l.Confirmation = cmp.Or(l.Confirmation, defaultConfirmation)
	o.Metrics.fill()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Store == nil {
		o.Store = NewMemoryStore(o.Now)
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return b, nil
}

// Ready reports whether calls can be counted.
func (b *Boundary) Ready(ctx context.Context) error { return b.opts.Store.Ping(ctx) }

// Admit is nil when the caller's login is good, as far as Options.Admit can tell.
func (b *Boundary) Admit(ctx context.Context, c Caller) error {
	if b.opts.Admit == nil {
		return nil
	}
	err := b.opts.Admit(ctx, c)
	if err != nil {
		b.opts.Metrics.Refused("login")
	}
	return err
}

// Audited reports whether changes can be put on record.
func (b *Boundary) Audited() error {
	if b.opts.Audit == nil {
		return nil
	}
	return b.opts.Audit.Ready()
}

// grace is how long a tool may take to notice that its time is over before the
// caller gets a response without it.
const grace = 500 * time.Millisecond

// Call calls the tool if the caller may. c.Confirm is how users are asked. An
// error is a [*Error], or, when c.Confirm returned one or is nil, a
// [*ConfirmationRequired].
func (b *Boundary) Call(ctx context.Context, t Tool, c *Call) (*Reply, error) {
	start := b.opts.Now()
	call := *c
	call.Tool = t.Name
	rec := record(t.Name, &call, start, rand.Text()[:12])
	spent := &Cost{}
	ctx, rc, err := b.start(ctx, rec)
	defer b.leave(rc)
	var reply *Reply
	if err == nil {
		reply, err = b.call(ctx, t, &call, spent, rc)
	}
	outcome := "ok"
	switch {
	case err != nil && rc.begun.Load() && errors.Is(context.Cause(ctx), errEnding):
		outcome = OutcomeCutOff
	case err != nil:
		outcome = ErrorOf(err).Code
	case reply.Failed:
		outcome = "failed"
	}
	if reply != nil {
		reply.Spent = *spent
	}
	rc.end(outcome, b.opts.Now().Sub(start), *spent)
	return reply, err
}

func (b *Boundary) call(ctx context.Context, t Tool, c *Call, spent *Cost, rc *runningCall) (reply *Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			reply, err = nil, b.panicked(ctx, t, rc, p)
		}
	}()
	reference := rc.rec.Reference
	if err := b.Permit(t, c.Caller); err != nil {
		b.opts.Metrics.Refused("permission")
		return nil, err
	}
	if err := b.Admit(ctx, c.Caller); err != nil {
		return nil, err
	}
	if !b.slots.take(c.Caller.ID, b.opts.Limits.Concurrent) {
		b.opts.Metrics.Refused("busy")
		return nil, &Error{
			Code: CodeRateLimitExceeded, Message: fmt.Sprintf("more than %d calls at the same time", b.opts.Limits.Concurrent),
			Hint: "wait for one of them to end, then call again", RetryAfter: time.Second,
		}
	}
	held := true
	defer func() {
		if held {
			b.slots.release(c.Caller.ID)
		}
	}()
	if err := b.rate(ctx, c); err != nil {
		return nil, err
	}
	arguments := Cost{Tokens: EstimateTokens(len(c.Arguments))}
	need := Cost{APICalls: t.Cost.APICalls, Tokens: max(t.Cost.Tokens, arguments.Tokens, 1)}
	if err := b.spend(ctx, c, arguments, need, false); err != nil {
		return nil, err
	}
	spent.Tokens = arguments.Tokens
	own := c.OnSpend
	counted := make(chan Cost, 1)
	counted <- Cost{}
	c.OnSpend = func(ctx context.Context, cost Cost) error {
		if own != nil {
			if err := own(ctx, cost); err != nil {
				return err
			}
		}
		if err := b.spend(ctx, c, cost, Cost{}, false); err != nil {
			return err
		}
		counted <- (<-counted).Add(cost)
		return nil
	}
	begin := c.OnBegin
	c.OnBegin = func(ctx context.Context) error {
		if begin != nil {
			if err := begin(ctx); err != nil {
				return err
			}
		}
		return rc.begin()
	}
	held = false // the tool's end releases it, even if nobody waits any more
	value, err := b.run(ctx, t, c, rc)
	*spent = spent.Add(<-counted)
	counted <- Cost{} // a tool that was left behind may go on counting
	if err != nil {
		return nil, b.explain(ctx, t, err, reference)
	}
	if reply, err = fit(t, value, b.opts.Limits.ResultTokens); err != nil {
		return nil, b.explain(ctx, t, err, reference)
	}
	result := Cost{Tokens: reply.Tokens()}
	// The reply says what was changed even if it exceeds the limit: else the caller
	// would not know of it. It counts even if the caller is gone.
	err = b.spend(context.WithoutCancel(ctx), c, result, Cost{}, !t.Hints.ReadOnly)
	if e := ErrorOf(err); e != nil && e.Code == CodeCostLimitExceeded {
		return nil, &Error{
			Code: e.Code, RetryAfter: e.RetryAfter, Err: err, Hint: narrower(t) + "; " + e.Hint,
			Message: fmt.Sprintf("the result of %s has about %d tokens, more than are left: %s", t.Name, result.Tokens, e.Message),
		}
	}
	*spent = spent.Add(result)
	if err != nil {
		b.opts.Logger.WarnContext(ctx, "the tokens of a result were not counted", "tool", t.Name, "error", err)
	}
	return reply, nil
}

// outcome is how a tool ended.
type outcome struct {
	value any
	err   error
}

// run calls the tool and stops waiting for it when its time is over. What it
// holds of the caller's calls at a time it holds until it really ends.
func (b *Boundary) run(ctx context.Context, t Tool, c *Call, rc *runningCall) (any, error) {
	reference := rc.rec.Reference
	done := make(chan outcome, 1)
	ctx, cancel := t.WithLimit(ctx)
	defer cancel()
	go func() {
		defer b.slots.release(c.Caller.ID)
		var o outcome
		returned := false
		defer func() {
			if p := recover(); !returned { // it panicked, or ended its goroutine
				o = outcome{err: b.panicked(ctx, t, rc, p)}
			}
			done <- o
		}()
		o.value, o.err = t.Invoke(ctx, c)
		returned = true
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-late.C:
		b.opts.Logger.WarnContext(ctx, "a tool goes on after its end", "tool", t.Name, "reference", reference)
		e := ErrorOf(context.Cause(ctx))
		if rc.begun.Load() {
			e = OutcomeUnknown(e.Message+", after the change had begun", e)
		}
		return nil, e
	}
}

// panicked is the error of a call whose code panicked with p. What had begun to change
// something may have done so.
func (b *Boundary) panicked(ctx context.Context, t Tool, rc *runningCall, p any) *Error {
	reference := rc.rec.Reference
	b.opts.Logger.ErrorContext(ctx, "a tool panicked", "tool", t.Name, "reference", reference, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	e := internal(t, reference, errors.New("panic"))
	if rc.begun.Load() {
		return OutcomeUnknown(e.Message+", after the change had begun", e)
	}
	return e
}

// explain makes an error of a tool one for the caller. Of an internal error the
// caller learns a reference, the log the cause.
func (b *Boundary) explain(ctx context.Context, t Tool, err error, reference string) error {
	var ask *ConfirmationRequired
	if errors.As(err, &ask) {
		return ask
	}
	e := ErrorOf(err)
	if e.Code != CodeInternal || e.Err == nil {
		return e
	}
	if !errors.Is(e.Err, errReferenced) {
		b.opts.Logger.ErrorContext(ctx, "a tool failed", "tool", t.Name, "reference", reference, "error", e.Err)
	}
	return internal(t, reference, e.Err)
}

// errReferenced marks an error that is in the log already.
var errReferenced = errors.New("in the log")

func internal(t Tool, reference string, cause error) *Error {
	return &Error{
		Code: CodeInternal, Message: fmt.Sprintf("%s failed for a reason it did not foresee (reference %s)", t.Name, reference),
		Hint: "try again; if it persists, give the operator the reference, whose log has the details", Err: errors.Join(errReferenced, cause),
	}
}
