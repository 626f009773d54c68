package aiquery

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// Query runs a statement and returns its rows. The error is an [*api.Error].
func (e *Engine) Query(ctx context.Context, who Caller, q Request) (*api.Result, error) {
	r, err := e.begin(ctx, who, q)
	if err != nil {
		return nil, err
	}
	result, err := r.query()
	if err := r.end(err); err != nil {
		return nil, err
	}
	return result, nil
}

// Explain checks a statement without running it, and returns what it reads, which
// columns come back and which of its conditions can use an index. The database's
// own plan is not shown: it follows the rows of all tenants. It is audited like a
// query. The error is an [*api.Error].
func (e *Engine) Explain(ctx context.Context, who Caller, q Request) (*api.Explanation, error) {
	r, err := e.begin(ctx, who, q)
	if err != nil {
		return nil, err
	}
	explanation, err := r.explain()
	if err := r.end(err); err != nil {
		return nil, err
	}
	return explanation, nil
}

// request is one statement on its way: it has a slot, a time limit, and one
// audit record, from begin to end.
type request struct {
	e       *Engine
	who     Caller
	q       Request
	rec     *record
	caller  context.Context //nolint:containedctx // for one call of the engine
	ctx     context.Context //nolint:containedctx // of the caller, within the time limit
	release func()
}

// begin takes a slot and writes the audit record. Its error is an [*api.Error], and
// recorded.
func (e *Engine) begin(ctx context.Context, who Caller, q Request) (*request, error) {
	r := &request{e: e, who: who, q: q, rec: newRecord(who, q, e.opts.Clock()), caller: ctx}
	limited, cancel := context.WithTimeout(ctx, e.opts.RequestTimeout)
	r.ctx = limited
	free, err := e.slots.acquire(limited, who.UserID)
	if err != nil {
		defer cancel()
		return nil, e.refuse(ctx, r.rec, r.refused(err))
	}
	r.release = func() {
		free()
		cancel()
	}
	if err := e.budget.exhausted(who.UserID, e.opts.Clock()); err != nil {
		defer r.release()
		return nil, e.refuse(ctx, r.rec, e.refused(err, r.rec.requestID))
	}
	if err := e.open(ctx, r.rec); err != nil {
		defer r.release()
		refusal := e.refused(err, r.rec.requestID)
		e.later(r.rec.done(refusal, e.opts.Clock()))
		return nil, refusal
	}
	return r, nil
}

// end completes the audit record and gives the slot back. The error is an
// [*api.Error]: that of the request, or that its record cannot be completed.
func (r *request) end(err error) error {
	defer r.release()
	if err != nil {
		return r.e.close(r.caller, r.rec, r.refused(err))
	}
	return r.e.close(r.caller, r.rec, nil)
}

// query secures the statement and runs it, and does both again when permissions
// change between the two.
func (r *request) query() (result *api.Result, err error) {
	defer recovered(&err)
	for attempt := 1; ; attempt++ {
		s, p, err := r.secure()
		if err != nil {
			return nil, err
		}
		out, err := r.run(s)
		if err == nil {
			return r.result(s.Plan, out), nil
		}
		if err := r.outdated(p, err, attempt); err != nil {
			return nil, err
		}
	}
}

// explain is query for the statement's plan.
func (r *request) explain() (explanation *api.Explanation, err error) {
	defer recovered(&err)
	for attempt := 1; ; attempt++ {
		s, p, err := r.secure()
		if err != nil {
			return nil, err
		}
		columns, err := r.e.db.Describe(r.ctx, s)
		if err == nil {
			redacted(columns, s.Plan)
			x := &api.Explanation{RequestID: r.rec.requestID, Reads: []api.Read{}, Tables: nonNil(s.Plan.Tables), Columns: columns, Failing: s.Plan.Failing}
			for _, read := range s.Plan.Reads {
				x.Reads = append(x.Reads, api.Read(read))
			}
			return x, nil
		}
		if err := r.outdated(p, err, attempt); err != nil {
			return nil, err
		}
	}
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = run.Internal(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
}

// secure makes the statement safe under the policy of the caller's role.
func (r *request) secure() (*run.Statement, *Policy, error) {
	e := r.e
	p, err := e.policies.get(r.ctx, r.who.UserID, r.q.RoleID)
	var other notHeld
	switch {
	case errors.As(err, &other):
		r.rec.clientID = other.client
		return nil, nil, err
	case err != nil:
		return nil, nil, err
	}
	r.rec.clientID, r.rec.policyVersion = p.permissions.clientID, p.Guard.Version
	if err := e.checkRequest(r.q); err != nil {
		return nil, nil, err
	}
	rows, notes := e.rows(r.q.MaxRows, p.MaxRows)
	r.rec.notes = notes
	plan, err := e.guard.Secure(r.ctx, p.Guard, r.q.SQL, len(r.q.Params), rows)
	if err != nil {
		var refusal *guard.Refusal
		if errors.As(err, &refusal) {
			r.rec.tables = refusal.Tables
		}
		return nil, nil, err
	}
	r.rec.tables, r.rec.securedSQL, r.rec.ran = plan.Tables, plan.SQL, true
	return &run.Statement{
		Plan: plan, Params: r.q.Params, Rows: rows, Bytes: e.opts.Bytes, CellBytes: e.opts.CellBytes,
		Timeout: e.remaining(r.ctx), Permissions: p.compared(plan.Tables),
	}, p, nil
}

// run runs what secure made. One that may need much memory waits for the user's
// others of the kind.
func (r *request) run(s *run.Statement) (*run.Output, error) {
	if len(s.Plan.Failing) > 0 {
		if err := r.e.failures.exhausted(r.who.UserID, r.e.opts.Clock()); err != nil {
			return nil, err
		}
	}
	if s.Plan.Collects {
		release, err := r.e.collecting.acquire(r.ctx, r.who.UserID)
		if err != nil {
			return nil, err
		}
		defer release()
		s.Timeout = r.e.remaining(r.ctx)
	}
	out, err := r.e.db.Run(r.ctx, s)
	return out, r.failed(s, err)
}

// failed is the error of a run as it may be told. Which of several things that
// can fail has failed first would tell of the plan, and so of hidden rows.
func (r *request) failed(s *run.Statement, err error) error {
	if err == nil {
		return nil
	}
	f := r.e.db.Failure(err)
	if s.Plan.TooMany != "" && f.State == s.Plan.TooMany {
		return run.Fail(api.CodeTooComplex, f.Cause, "the statement collects more or longer values than fit into memory").
			Advise("collect fewer or shorter ones: LIMIT in a subquery, single columns instead of rows, no text that WITH RECURSIVE makes longer and longer")
	}
	if f.Public.Code == api.CodeData && len(s.Plan.Failing) > 0 {
		r.e.failures.add(r.who.UserID, r.e.opts.Clock())
		return run.Fail(api.CodeData, f.Cause, "a value could not be converted or computed by %s", orList(s.Plan.Failing)).
			Advise("leave out the rows for which it fails, for example with CASE or nullif(value, 0)")
	}
	return err
}

// orList is "a, b or c".
func orList(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// maxAttempts is how often a statement is secured because permissions changed
// before it ran.
const maxAttempts = 3

// outdated is nil when a statement did not run because the permissions were others
// than those of its policy, which is forgotten; what else went wrong is returned.
func (r *request) outdated(p *Policy, err error, attempt int) error {
	if !errors.Is(err, run.ErrPermissionsChanged) {
		return err
	}
	if attempt > 1 {
		r.e.policies.drop() // perhaps it is the tables that have changed
	}
	r.e.policies.forget(policyKey{r.who.UserID, r.q.RoleID}, p)
	if attempt == maxAttempts {
		return run.Fail(api.CodeUnavailable, err, "the permissions are being changed").Advise("try again")
	}
	return nil
}

// refused is the error as the caller may see it. One that came because the
// caller left or the time was over says so: connections that are cut off for it
// fail in many ways.
func (r *request) refused(err error) *api.Error { return r.e.refused(r.cause(err), r.rec.requestID) }

func (r *request) cause(err error) error {
	var known *api.Error
	switch refusal := (*guard.Refusal)(nil); {
	case errors.Is(err, errNotHeld), errors.As(err, &refusal), errors.As(err, &known) && known.Code != api.CodeUnavailable:
		return err
	case errors.Is(r.caller.Err(), context.Canceled):
		return run.Canceled(err)
	case r.ctx.Err() != nil:
		return run.TimedOut(err)
	}
	return err
}

// checkRequest refuses what needs no parser.
func (e *Engine) checkRequest(q Request) error {
	if strings.TrimSpace(q.SQL) == "" {
		return run.Fail(api.CodeInvalid, nil, "there is no statement").Advise("give a SELECT in sql")
	}
	return checkParams(q.Params, &e.opts)
}

// rows is how many rows are returned at most.
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

// result makes the result.
func (r *request) result(plan *guard.Plan, out *run.Output) *api.Result {
	result := &api.Result{
		RequestID: r.rec.requestID, Columns: out.Columns, Rows: out.Rows, RowCount: len(out.Rows), Truncated: out.Truncated, Tables: nonNil(plan.Tables),
		ExecutionTimeMs: rounded(r.e.opts.Clock().Sub(r.rec.started)), Notes: slices.Concat(r.rec.notes, out.Notes),
	}
	r.rec.rowCount = len(out.Rows)
	redacted(result.Columns, plan)
	return result
}

// redacted marks the columns whose values are masked.
func redacted(columns []api.Column, plan *guard.Plan) {
	for i := range columns {
		columns[i].Redacted = i < len(plan.Columns) && plan.Columns[i].Redacted
	}
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// rounded is a duration in milliseconds, to 10 of them.
func rounded(d time.Duration) int64 { return d.Round(10 * time.Millisecond).Milliseconds() }
