package aiquery

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/erphub/erphub/aiquery/internal/run"
)

const (
	maxLate   = 1000             // records that are tried again at a time
	retryFor  = 10 * time.Minute // how long one is
	firstWait = 100 * time.Millisecond
	lastWait  = 15 * time.Second
)

// lateRecords are finished audit records that could not be written yet.
type lateRecords struct {
	background context.Context // ends with close
	stop       context.CancelFunc

	mu      sync.Mutex // guards the fields below
	waiting int
	closed  bool
	writers sync.WaitGroup
}

func (l *lateRecords) init() {
	l.background, l.stop = context.WithCancel(context.Background()) // outlives every request
}

// add begins work on a record, unless there is no more room or time for one.
func (l *lateRecords) add(write func(context.Context)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.waiting >= maxLate {
		return false
	}
	l.waiting++
	l.writers.Go(func() {
		defer func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.waiting--
		}()
		write(l.background)
	})
	return true
}

func (l *lateRecords) close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	defer l.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.writers.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		l.stop()
		<-done
		return fmt.Errorf("write the audit records that are late: %w", ctx.Err())
	}
}

// later writes a finished record as soon as that works, for retryFor. What is
// given up is in the log with all that matters.
func (e *Engine) later(r *record) {
	if e.opts.NoAudit || r.id == "" {
		return
	}
	copied := *r
	lost := func(why string) {
		e.log.Error("query: an audit record was given up", "reason", why, "request", copied.requestID, "user", copied.who.UserID,
			"role", copied.roleID, "status", copied.status, "tables", copied.tables)
	}
	if !e.late.add(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, retryFor)
		defer cancel()
		for wait := firstWait; ; wait = min(2*wait, lastWait) {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				lost("it took too long, or the service ends")
				return
			}
			try, cancelTry := context.WithTimeout(ctx, e.db.AuditPatience())
			err := e.db.AuditComplete(try, copied.row())
			cancelTry()
			switch {
			case err == nil:
				return
			case errors.Is(err, run.ErrNoAudit):
				lost("the table is missing or closed")
				return
			}
		}
	}) {
		lost("too many are late, or the service ends")
	}
}
