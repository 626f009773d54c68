package aiquery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/dict/registry"
)

// Engine runs statements. It is safe for concurrent use.
type Engine struct {
	db       run.Runner
	reg      registry.Registry
	opts     Options
	log      *slog.Logger
	guard    *guard.Guard
	redact   *redactor
	policies *policies
	slots    *slots

	collecting *slots // of statements that may need much memory
	budget     *auditBudget
	failures   *failureBudget
	gather     *gatherer

	late lateRecords
}

// New makes an engine. The database and the registry stay the caller's; the
// registry should refresh itself ([registry.Cache.Watch]). Nil options are the
// defaults.
func New(db Database, reg registry.Registry, opts *Options) (*Engine, error) {
	if db == nil || reg == nil {
		return nil, errors.New("make an engine for queries: the database or the registry is nil; open both first")
	}
	e := &Engine{db: db.Runner(), reg: reg}
	if opts != nil {
		e.opts = *opts
	}
	if err := e.opts.fill(); err != nil {
		return nil, err
	}
	e.log = e.opts.Logger
	e.guard = guard.New(&guard.Options{MaxLength: e.opts.MaxLength, MaxParams: e.opts.MaxParams})
	e.redact = newRedactor(&e.opts)
	e.policies = &policies{e: e, kept: map[policyKey]*flight[*Policy]{}}
	e.slots = newSlots(e.opts.Running, e.opts.PerUser, e.opts.Queued)
	e.collecting = newSlots(e.opts.Collecting, 1, e.opts.Queued)
	e.budget = newAuditBudget(e.opts.AuditBytes)
	e.failures = &failureBudget{limit: e.opts.Failures}
	e.gather = &gatherer{e: e, every: gatherFor, users: map[int]*gathered{}}
	e.late.init()
	return e, nil
}

// fill puts the defaults in.
func (o *Options) fill() error {
	for _, n := range []struct {
		name  string
		value *int
		def   int
	}{
		{"Rows", &o.Rows, DefaultRows}, {"MaxRows", &o.MaxRows, MaxRows}, {"Bytes", &o.Bytes, DefaultBytes}, {"CellBytes", &o.CellBytes, DefaultCellBytes},
		{"MaxLength", &o.MaxLength, 64 << 10}, {"MaxParams", &o.MaxParams, DefaultParams}, {"MaxParamBytes", &o.MaxParamBytes, 64 << 10},
		{"MaxParamsBytes", &o.MaxParamsBytes, 1 << 20}, {"Running", &o.Running, 8}, {"Queued", &o.Queued, 32}, {"PerUser", &o.PerUser, 2}, {"Collecting", &o.Collecting, 1},
		{"Failures", &o.Failures, DefaultFailures},
	} {
		if *n.value < 0 {
			return fmt.Errorf("make an engine for queries: the option %s is negative", n.name)
		}
		if *n.value == 0 {
			*n.value = n.def
		}
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		def   time.Duration
	}{
		{"StatementTimeout", &o.StatementTimeout, 10 * time.Second}, {"RequestTimeout", &o.RequestTimeout, 15 * time.Second},
		{"PolicyLife", &o.PolicyLife, time.Minute},
	} {
		if *d.value < 0 {
			return fmt.Errorf("make an engine for queries: the option %s is negative", d.name)
		}
		if *d.value == 0 {
			*d.value = d.def
		}
	}
	if o.AuditBytes < 0 {
		return errors.New("make an engine for queries: the option AuditBytes is negative")
	}
	o.AuditBytes = cmp.Or(o.AuditBytes, DefaultAuditBytes)
	o.MaxRows = min(o.MaxRows, MaxRows)
	o.Rows = min(o.Rows, o.MaxRows)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return nil
}

// Close waits until late audit records are written, or gives them up when ctx
// ends, and says in the log which. Call it after the last query has returned.
func (e *Engine) Close(ctx context.Context) error {
	e.gather.close()
	return e.late.close(ctx)
}

// Invalidate forgets all policies and what is known of the database's tables,
// so that the next query reads them anew.
func (e *Engine) Invalidate() { e.policies.drop() }

// Policy returns what a user may read under a role. The error is an [*api.Error] with
// [api.CodeDenied] when the role is not one the user can use.
func (e *Engine) Policy(ctx context.Context, who Caller, roleID int) (*Policy, error) {
	p, err := e.policies.get(ctx, who.UserID, roleID)
	if err != nil {
		return nil, e.refused(err, who.RequestID)
	}
	return p, nil
}

// Refused keeps the record of a query that is refused before the engine sees
// of it, for want of a free slot for example, and returns the reason with the
// request's id. Of what is not known the request has "" and -1. Refusals with
// [api.CodeRateLimited] share records: each user's leave at most two in a
// minute.
func (e *Engine) Refused(ctx context.Context, who Caller, q Request, why *api.Error) *api.Error {
	rec := newRecord(who, q, e.opts.Clock())
	refusal := e.refused(why, rec.requestID)
	_ = e.refuse(ctx, rec, refusal) // there is no result that could be withheld
	return refusal
}

// refused is any error as the caller may see it. What it really was goes to
// the log under the request's id.
func (e *Engine) refused(err error, requestID string) *api.Error {
	var known *api.Error
	var cause error
	var failure *run.Failure
	var refusal *guard.Refusal
	switch {
	case errors.As(err, &failure):
		known, cause = failure.Public, failure.Cause
	case errors.As(err, &known):
	case errors.Is(err, errNotHeld):
		known = &api.Error{Code: api.CodeDenied, Message: "the role is not available to this user", Hint: "use one of the user's own roles"}
	case errors.Is(err, errBusy):
		known = &api.Error{Code: api.CodeBusy, Message: "too many statements at a time", Hint: "try again in a moment", RetryAfter: time.Second}
	case errors.As(err, &refusal):
		if known = refusalError(refusal); refusal.Kind == guard.Insecure {
			cause = refusal // a defect of ours, or an attack
		}
	default:
		failure = e.db.Failure(err)
		known, cause = failure.Public, failure.Cause
	}
	copied := *known
	copied.RequestID = requestID
	if cause != nil || copied.Code == api.CodeInternal {
		e.log.Warn("query: failed", "request", requestID, "code", string(copied.Code), "error", e.db.LogText(err), "cause", e.db.LogText(cause))
	}
	return &copied
}

// refusalError is a refusal of the guard for the caller.
func refusalError(r *guard.Refusal) *api.Error {
	codes := map[guard.Kind]api.Code{
		guard.Syntax: api.CodeSyntax, guard.NotSelect: api.CodeNotSelect, guard.Unsupported: api.CodeUnsupported, guard.Denied: api.CodeDenied,
		guard.TooLarge: api.CodeTooComplex, guard.Insecure: api.CodeUnsupported, guard.OpenOrder: api.CodeUnsupported,
	}
	code, ok := codes[r.Kind]
	if !ok {
		code = api.CodeUnsupported
	}
	return &api.Error{Code: code, Message: r.Reason, Hint: r.Hint, Object: r.Object, Position: r.Position}
}

// healthTimeout is how long a database may take to say how it is.
const healthTimeout = 5 * time.Second

// Health looks at the database, its login and the audit.
func (e *Engine) Health(ctx context.Context) Health {
	h := Health{Database: "up", Audit: "up", Checked: e.opts.Clock()}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	checked, err := e.db.Check(ctx)
	if err != nil {
		h.Database = e.db.Failure(err).Public.Message
	}
	h.Warnings, h.Limits = checked.Warnings, checked.Limits
	switch {
	case e.opts.NoAudit:
		h.Audit = "off"
	case err == nil:
		if ready := e.db.AuditReady(ctx, recordColumns()); ready != nil {
			h.Audit = e.db.Failure(ready).Public.Message
		}
	default:
		h.Audit = "unknown"
	}
	h.OK = err == nil && (h.Audit == "up" || h.Audit == "off" || e.opts.AuditOptional)
	return h
}
