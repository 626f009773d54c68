package aiquery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/answer"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/dict"
)

// Engine answers statements. It is safe for concurrent use.
type Engine struct {
	db       run.Runner
	reg      dict.Registry
	opts     Options
	log      *slog.Logger
	guard    *guard.Guard
	redact   *redactor
	policies *policies
	slots    *slots

	collecting *slots // of statements that may need much memory
	budget     *auditBudget
	gather     *gatherer

	late lateRecords
}

// New makes an engine. The database and the registry stay the caller's; the
// registry should refresh itself ([dict.Cache.Watch]). Nil options are the
// defaults.
func New(db Database, reg dict.Registry, opts *Options) (*Engine, error) {
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
		{"MaxParamsBytes", &o.MaxParamsBytes, 1 << 20}, {"Running", &o.Running, 8}, {"Queued", &o.Queued, 32}, {"PerUser", &o.PerUser, 2}, {"Collecting", &o.Collecting, 2},
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

// Policy is what a user may read under a role. The error is an [*Error] with
// [answer.CodeDenied] when the role is not one the user can use.
func (e *Engine) Policy(ctx context.Context, who Caller, roleID int) (*Policy, error) {
	p, err := e.policies.get(ctx, who.UserID, roleID)
	if err != nil {
		return nil, e.refused(err, who.RequestID)
	}
	return p, nil
}

// Query answers a statement. The error is an [*Error].
func (e *Engine) Query(ctx context.Context, who Caller, q Request) (*Result, error) {
	var result *Result
	err := e.audited(ctx, who, q, func(ctx context.Context, rec *record) error {
		plan, out, err := e.answer(ctx, who, q, rec)
		if err != nil {
			return err
		}
		result = e.result(rec, plan, out)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Explain tells how a statement would be run, without running it. The plan is
// made without what the database knows of the columns' values, which are also
// others'; so it names no index. It has no costs, which tell how large tables are
// with the rows of all tenants, except for roles of the System level. It is
// audited like a query. The error is an [*Error].
func (e *Engine) Explain(ctx context.Context, who Caller, q Request) (*Explanation, error) {
	var explanation *Explanation
	err := e.audited(ctx, who, q, func(ctx context.Context, rec *record) error {
		var node *PlanNode
		plan, err := e.secured(ctx, who, q, rec, func(s *run.Statement, p *Policy) (err error) {
			if node, err = e.db.Explain(ctx, s); err == nil && !p.rights.system() {
				dropCosts(node)
			}
			return err
		})
		if err != nil {
			return err
		}
		explanation = &Explanation{RequestID: rec.requestID, Plan: *node, Tables: nonNil(plan.Tables), Columns: planColumns(plan)}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return explanation, nil
}

func dropCosts(n *PlanNode) {
	n.StartupCost, n.TotalCost = 0, 0
	for i := range n.Plans {
		dropCosts(&n.Plans[i])
	}
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// audited runs do as one request: with a slot, a time limit, one audit record,
// and whatever happens an [*Error] that may be shown.
func (e *Engine) audited(ctx context.Context, who Caller, q Request, do func(context.Context, *record) error) error {
	rec := newRecord(who, q, e.opts.Clock())
	limited, cancel := context.WithTimeout(ctx, e.opts.RequestTimeout)
	defer cancel()
	release, err := e.slots.acquire(limited, who.UserID)
	if err != nil {
		return e.refuse(ctx, rec, e.refused(ended(ctx, limited, err), rec.requestID))
	}
	defer release()
	if why := e.budget.exhausted(who.UserID, e.opts.Clock()); why != nil {
		return e.refuse(ctx, rec, e.refused(why, rec.requestID))
	}
	if err := e.open(ctx, rec); err != nil {
		refusal := e.refused(err, rec.requestID)
		e.later(rec.done(refusal, e.opts.Clock()))
		return refusal
	}
	err = protect(func() error { return do(limited, rec) })
	if err != nil {
		return e.close(ctx, rec, e.refused(ended(ctx, limited, err), rec.requestID))
	}
	return e.close(ctx, rec, nil)
}

// ended says of an error that came because the caller left or the time was over
// that it did: connections that are cut off for it fail in many ways.
func ended(ctx, limited context.Context, err error) error {
	var known *Error
	switch refusal := (*guard.Refusal)(nil); {
	case errors.Is(err, errNotHeld), errors.As(err, &refusal), errors.As(err, &known) && known.Code != answer.CodeUnavailable:
		return err
	case errors.Is(ctx.Err(), context.Canceled):
		return run.Canceled(err)
	case limited.Err() != nil:
		return run.TimedOut(err)
	}
	return err
}

// Refused keeps the record of a query that is refused before the engine hears
// of it, for want of a place for example, and returns the reason with the
// request's id. Of what is not known the request has "" and -1. Refusals with
// [answer.CodeRateLimited] share records: each user's leave at most two in a
// minute.
func (e *Engine) Refused(ctx context.Context, who Caller, q Request, why *Error) *Error {
	rec := newRecord(who, q, e.opts.Clock())
	refusal := e.refused(why, rec.requestID)
	_ = e.refuse(ctx, rec, refusal) // there is no answer that could be withheld
	return refusal
}

// protect turns a panic into an error.
func protect(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = run.Internal(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return do()
}

// answer secures a statement and runs it.
func (e *Engine) answer(ctx context.Context, who Caller, q Request, rec *record) (*guard.Plan, *run.Output, error) {
	var out *run.Output
	plan, err := e.secured(ctx, who, q, rec, func(s *run.Statement, _ *Policy) error {
		if s.Plan.Collects {
			release, err := e.collecting.acquire(ctx, who.UserID)
			if err != nil {
				return err
			}
			defer release()
			s.Timeout = e.remaining(ctx)
		}
		var err error
		out, err = e.db.Run(ctx, s)
		return err
	})
	return plan, out, err
}

// maxAttempts is how often a statement is secured anew because rights changed
// before it ran.
const maxAttempts = 3

// secured makes a statement safe under the caller's policy and hands it to do,
// which says whether the rights are still those.
func (e *Engine) secured(ctx context.Context, who Caller, q Request, rec *record, do func(*run.Statement, *Policy) error) (*guard.Plan, error) {
	for attempt := 1; ; attempt++ {
		p, err := e.policies.get(ctx, who.UserID, q.RoleID)
		var other notHeld
		switch {
		case errors.As(err, &other):
			rec.clientID = other.client
			return nil, err
		case err != nil:
			return nil, err
		}
		rec.clientID, rec.policyVersion = p.rights.clientID, p.Guard.Version
		if err := e.checkRequest(q); err != nil {
			return nil, err
		}
		rows, notes := e.rows(q.MaxRows, p.MaxRows)
		rec.notes = notes
		plan, err := e.guard.Secure(ctx, p.Guard, q.SQL, len(q.Params), rows)
		if err != nil {
			var refusal *guard.Refusal
			if errors.As(err, &refusal) {
				rec.tables = refusal.Tables
			}
			return nil, err
		}
		rec.tables, rec.securedSQL, rec.ran = plan.Tables, plan.SQL, true
		err = do(&run.Statement{
			Plan: plan, Params: q.Params, Rows: rows, Bytes: e.opts.Bytes, CellBytes: e.opts.CellBytes,
			Timeout: e.remaining(ctx), Rights: &p.rights.made,
		}, p)
		if err == nil {
			return plan, nil
		}
		if !errors.Is(err, run.ErrRightsChanged) {
			return nil, err
		}
		if attempt > 1 {
			e.policies.drop() // perhaps it is the tables that have changed
		}
		e.policies.forget(policyKey{who.UserID, q.RoleID}, p)
		if attempt == maxAttempts {
			return nil, run.Fail(answer.CodeUnavailable, err, "the rights are being changed").Advise("try again")
		}
	}
}

// checkRequest refuses what needs no parser.
func (e *Engine) checkRequest(q Request) error {
	if strings.TrimSpace(q.SQL) == "" {
		return run.Fail(answer.CodeInvalid, nil, "there is no statement").Advise("give a SELECT in sql")
	}
	return checkParams(q.Params, &e.opts)
}

// rows is how many rows are answered at most.
func (e *Engine) rows(wanted, role int) (rows int, notes []string) {
	rows = wanted
	if rows <= 0 {
		rows = e.opts.Rows
	}
	if rows > e.opts.MaxRows {
		rows = e.opts.MaxRows
		notes = append(notes, fmt.Sprintf("maxRows was lowered to %d", rows))
	}
	if role > 0 && rows > role {
		rows = role
		notes = append(notes, fmt.Sprintf("the role may read at most %d rows at a time", rows))
	}
	return rows, notes
}

// remaining is how long a run may take.
func (e *Engine) remaining(ctx context.Context) time.Duration {
	left := e.opts.StatementTimeout
	if deadline, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(deadline))
	}
	return max(left, time.Millisecond)
}

// result makes the answer.
func (e *Engine) result(rec *record, plan *guard.Plan, out *run.Output) *Result {
	r := &Result{
		RequestID: rec.requestID, Columns: out.Columns, Rows: out.Rows, RowCount: len(out.Rows), Truncated: out.Truncated, Tables: nonNil(plan.Tables),
		ExecutionTimeMs: rounded(e.opts.Clock().Sub(rec.started)), Notes: slices.Concat(rec.notes, out.Notes),
	}
	rec.rowCount = len(out.Rows)
	for i := range r.Columns {
		if i < len(plan.Columns) {
			r.Columns[i].Redacted = plan.Columns[i].Redacted
		}
	}
	return r
}

func planColumns(plan *guard.Plan) []Column {
	columns := make([]Column, len(plan.Columns))
	for i, c := range plan.Columns {
		columns[i] = Column{Name: c.Name, Redacted: c.Redacted}
	}
	return columns
}

// rounded is a duration in milliseconds, to 10 of them.
func rounded(d time.Duration) int64 { return d.Round(10 * time.Millisecond).Milliseconds() }

// refused is any error as the caller may hear it. What it really was goes to
// the log under the request's id.
func (e *Engine) refused(err error, requestID string) *Error {
	var known *Error
	var cause error
	var failure *run.Failure
	var refusal *guard.Refusal
	switch {
	case errors.As(err, &failure):
		known, cause = failure.Public, failure.Cause
	case errors.As(err, &known):
	case errors.Is(err, errNotHeld):
		known = &Error{Code: answer.CodeDenied, Message: "the role is not available to this user", Hint: "use one of the user's own roles"}
	case errors.Is(err, errBusy):
		known = &Error{Code: answer.CodeBusy, Message: "too many statements at a time", Hint: "try again in a moment", RetryAfter: time.Second}
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
	if cause != nil || copied.Code == answer.CodeInternal {
		e.log.Warn("query: failed", "request", requestID, "code", string(copied.Code), "error", e.db.LogText(err), "cause", e.db.LogText(cause))
	}
	return &copied
}

// refusalError is a refusal of the guard for the caller.
func refusalError(r *guard.Refusal) *Error {
	codes := map[guard.Kind]answer.Code{
		guard.Syntax: answer.CodeSyntax, guard.NotSelect: answer.CodeNotSelect, guard.Unsupported: answer.CodeUnsupported, guard.Denied: answer.CodeDenied,
		guard.TooLarge: answer.CodeTooComplex, guard.Insecure: answer.CodeUnsupported, guard.OpenOrder: answer.CodeUnsupported,
	}
	code, ok := codes[r.Kind]
	if !ok {
		code = answer.CodeUnsupported
	}
	return &Error{Code: code, Message: r.Reason, Hint: r.Hint, Object: r.Object, Position: r.Position}
}

// healthTimeout is how long a database may take to say how it is.
const healthTimeout = 5 * time.Second

// Health looks at the database, its login and the audit.
func (e *Engine) Health(ctx context.Context) Health {
	h := Health{Database: "up", Audit: "up", Checked: e.opts.Clock()}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	warnings, err := e.db.Check(ctx)
	if err != nil {
		h.Database = e.db.Failure(err).Public.Message
	}
	h.Warnings = append(h.Warnings, warnings...)
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
