package mcp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// running are the calls that run.
type running struct {
	mu     sync.Mutex // guards what follows
	calls  map[*runningCall]struct{}
	ending bool
	idle   chan struct{} // closed when it ends and no call runs
}

// runningCall is one call with its records.
type runningCall struct {
	b      *Boundary
	cancel context.CancelCauseFunc
	begun  atomic.Bool // the tool may have changed something

	mu   sync.Mutex // guards what follows
	rec  AuditRecord
	over bool // its last record is written
}

// errEnding is why calls end when the server does.
var errEnding = &Error{
	Code: CodeCancelled, Message: "the server is ending", RetryAfter: time.Second,
	Hint: "call again in a moment",
}

// start registers a call, and gives it a context that ends with the server.
func (b *Boundary) start(ctx context.Context, rec AuditRecord) (context.Context, *runningCall, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	rc := &runningCall{b: b, cancel: cancel, rec: rec}
	r := &b.running
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ending {
		cancel(nil)
		return ctx, rc, errEnding
	}
	r.calls[rc] = struct{}{}
	return ctx, rc, nil
}

// begin writes that the tool is about to change something. An error forbids it.
func (rc *runningCall) begin() error {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.over {
		return errEnding
	}
	if audit := rc.b.opts.Audit; audit != nil {
		rec := rc.rec
		rec.Event = AuditBegun
		if err := audit.Write(rec); err != nil {
			rc.b.auditFailed(err)
			return &Error{
				Code: CodeRefused, Message: "nothing was changed: the server's audit cannot be written, and no change is made that is not on record", Err: err,
				Hint: "tell the operator of the server; tools that only read still work",
			}
		}
	}
	rc.begun.Store(true)
	return nil
}

// end writes the last record of the call, unless it was written before.
func (rc *runningCall) end(outcome string, took time.Duration, spent Cost) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.over {
		return
	}
	rc.over = true
	rec := rc.rec
	rec.Event, rec.Outcome, rec.Took, rec.APICalls, rec.Tokens = AuditEnded, outcome, took, spent.APICalls, spent.Tokens
	rc.b.opts.Metrics.Called(rec.Tool, rec.Outcome, rec.Took, rec.APICalls, rec.Tokens)
	if audit := rc.b.opts.Audit; audit != nil {
		if err := audit.Write(rec); err != nil {
			rc.b.auditFailed(err)
		}
	}
}

// leave forgets a call.
func (b *Boundary) leave(rc *runningCall) {
	rc.cancel(nil)
	r := &b.running
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.calls, rc)
	r.signalLocked()
}

func (r *running) signalLocked() {
	if r.ending && len(r.calls) == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
}

func (b *Boundary) auditFailed(err error) {
	b.opts.Metrics.AuditFailed()
	b.opts.Logger.Error("the audit could not be written", "error", err)
}

// Cancel cancels the calls that run, and refuses further ones: the server ends. It
// does not wait.
func (b *Boundary) Cancel() {
	r := &b.running
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ending = true
	for rc := range r.calls {
		rc.cancel(errEnding)
	}
}

// Close cancels the calls that run, waits for them until ctx ends, and writes that
// those which had begun a change and did not end are cut off. Nothing is written to
// the audit afterwards, which may be closed then. The error says that there were
// such calls.
func (b *Boundary) Close(ctx context.Context) error {
	b.Cancel()
	r := &b.running
	r.mu.Lock()
	idle := make(chan struct{})
	r.idle = idle
	r.signalLocked()
	r.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	left := make([]*runningCall, 0, len(r.calls))
	for rc := range r.calls {
		left = append(left, rc)
	}
	r.idle = nil
	r.mu.Unlock()
	var cut error
	for _, rc := range left {
		outcome := CodeCancelled
		if rc.begun.Load() {
			outcome, cut = OutcomeCutOff, errors.New("calls of tools were cut off that had begun to change something: the audit names them, and whether they did has to be looked up")
		}
		rc.end(outcome, b.opts.Now().Sub(rc.rec.Time), Cost{})
	}
	return cut
}
