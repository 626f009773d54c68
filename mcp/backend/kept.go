package backend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

const (
	// firstPause and longestPause are between two attempts to read on; it doubles.
	firstPause, longestPause = 500 * time.Millisecond, 15 * time.Second
	// failedPause is how long after a failed look no other one is made.
	failedPause = 5 * time.Second
	// progressEvery is the time between two reports to a call that waits.
	progressEvery = 200 * time.Millisecond
)

// kept is one dictionary and the work on it.
type kept struct {
	*registry.Cache
	view string
	all  *registries
	ctx  context.Context // of the work; ends when the dictionary is dropped
	drop context.CancelFunc

	mu          sync.Mutex // guards what follows
	caller      mcp.Caller // who called last: with their token it is read
	loaded      bool
	checked     time.Time // when it was last found to be right
	job         *reading  // under way; nil: none
	failed      error     // of the last look; nil: it succeeded
	failedAt    time.Time
	refused     tokens.Secret // token that the ERP refused then
	used        tokens.Secret // token of the last request
	sharedAt    time.Time     // when it was last kept for other servers
	done, total int           // requests of the reading
	trouble     error         // why reading does not go on just now; nil: it does
	troubleAt   time.Time
	nextTry     time.Time
	changed     chan struct{} // closed and replaced when somebody needs it
}

// reading is one reading of the dictionary, or one check whether it has changed.
type reading struct {
	begun time.Time
	ended chan struct{}
	err   error // once ended is closed
}

func (k *kept) isLoaded() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.loaded
}

// fresh reports whether the dictionary can be used without calling the ERP, and
// notes who called.
func (k *kept) fresh(caller mcp.Caller) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.caller = caller
	fresh := k.all.opts.Fresh
	return k.loaded && fresh > 0 && k.all.now().Sub(k.checked) < fresh
}

// start begins the work unless it is under way; own tells which.
func (k *kept) start(caller mcp.Caller) (_ *reading, own bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.caller = caller
	close(k.changed)
	k.changed = make(chan struct{})
	if k.job != nil {
		return k.job, false
	}
	j := &reading{begun: k.all.now(), ended: make(chan struct{})}
	k.all.mu.Lock()
	closed := k.all.closed
	if !closed {
		k.all.jobs.Add(1)
	}
	k.all.mu.Unlock()
	if closed {
		j.err = errClosed
		close(j.ended)
		return j, true
	}
	k.job, k.done, k.total, k.trouble = j, 0, 0, nil
	go k.work(j, k.loaded)
	return j, true
}

var errClosed = &mcp.Error{Code: mcp.CodeUnreachable, Message: "the server ends", Hint: "connect again"}

// work reads the dictionary, or what changed of it.
func (k *kept) work(j *reading, refresh bool) {
	defer k.all.jobs.Done()
	ctx := context.WithValue(k.ctx, callerKey{}, k)
	begun := k.all.now()
	if !refresh {
		k.takeShared(ctx)
	}
	before := k.Catalog()
	var err error
	if refresh {
		_, err = k.Refresh(ctx)
	} else {
		err = k.Load(ctx)
	}
	k.settle(ctx, j, refresh, begun, err)
	if err == nil {
		k.share(ctx, k.Catalog() != before)
	}
}

// settle notes what came of the work and tells those who wait.
func (k *kept) settle(ctx context.Context, j *reading, refresh bool, begun time.Time, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.job, k.trouble, k.failed, j.err = nil, nil, err, err
	switch {
	case err == nil:
		k.loaded, k.checked = true, begun
		k.all.note(begun)
	case ctx.Err() == nil:
		k.failedAt, k.refused = k.all.now(), tokens.Secret{}
		if refusal(err) {
			k.refused = k.used
		}
		k.all.log.Warn("the ERP's dictionary could not be read", "refresh", refresh, "error", err)
	}
	close(j.ended)
}

// lastCaller is with whose token the next request is made.
func (k *kept) lastCaller() mcp.Caller {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.used = k.caller.Token
	return k.caller
}

// refusal tells the ERP's no from everything that can pass.
func refusal(err error) bool {
	return errors.Is(err, erp.ErrUnauthorized) || errors.Is(err, erp.ErrForbidden)
}

// await waits for the work: for a first reading as long as a call may, for a
// check whether something has changed only shortly. It is an error only when
// there is no dictionary to go on with, or the ERP refused this caller's token.
func (k *kept) await(ctx context.Context, caller mcp.Caller) error {
	k.mu.Lock()
	loaded := k.loaded
	resting := loaded && k.job == nil && k.failed != nil && k.all.now().Sub(k.failedAt) < failedPause
	err := k.refusedLocked(caller)
	k.mu.Unlock()
	if resting {
		return err
	}
	begun := k.all.now()
	j, _ := k.start(caller)
	limit := k.all.opts.Wait
	if loaded {
		limit = k.all.opts.RefreshWait - begun.Sub(j.begun)
	}
	if end, ok := ctx.Deadline(); ok { // the response wants some time of the limit
		limit = min(limit, time.Until(end)-500*time.Millisecond)
	}
	enough := time.NewTimer(max(limit, 0))
	defer enough.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-j.ended:
			if errors.Is(j.err, erp.ErrUnauthorized) && !k.isRefused(caller) { // somebody else was
				j, _ = k.start(caller)
				continue
			}
			return k.outcome(j, caller)
		case <-ctx.Done():
			if loaded {
				return nil
			}
			return ctx.Err()
		case <-enough.C:
			if loaded {
				return nil
			}
			return k.loading(j, begun)
		case <-tick.C:
			if loaded && k.inTrouble(time.Time{}) != nil {
				return nil
			}
			if loaded {
				continue
			}
			k.report(ctx)
			if err := k.inTrouble(begun); err != nil {
				if errors.Is(err, erp.ErrUnauthorized) && !k.isRefused(caller) { // this one's token may do
					j, _ = k.start(caller)
					continue
				}
				return err
			}
		}
	}
}

// outcome is what the end of the work means for a caller.
func (k *kept) outcome(j *reading, caller mcp.Caller) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.loaded {
		if j.err == nil || k.ctx.Err() != nil {
			return errClosed
		}
		return fmt.Errorf("reading the dictionary: %w", j.err)
	}
	return k.refusedLocked(caller)
}

func (k *kept) isRefused(caller mcp.Caller) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused.Equal(caller.Token)
}

// refusedLocked is the ERP's no to this caller's token, nil without one.
func (k *kept) refusedLocked(caller mcp.Caller) error {
	if k.failed != nil && refusal(k.failed) && k.refused.Equal(caller.Token) {
		return fmt.Errorf("checking whether the dictionary has changed: %w", k.failed)
	}
	return nil
}

// report tells a call that waits how far the reading is.
func (k *kept) report(ctx context.Context) {
	k.mu.Lock()
	done, total := k.done, k.total
	k.mu.Unlock()
	if total > 0 {
		mcp.Progress(ctx, float64(done)/float64(total), 1, fmt.Sprintf("reading the dictionary: %d of %d requests done", done, total))
	}
}

// inTrouble is why the reading does not go on since the call began to wait; nil
// when it does.
func (k *kept) inTrouble(begun time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.trouble == nil || k.troubleAt.Before(begun) {
		return nil
	}
	message := "the dictionary cannot be read just now"
	if k.done > 0 {
		message += fmt.Sprintf("; %d of %d requests are done, and it goes on from there", k.done, k.total)
	}
	e := mcp.ErrorOf(k.trouble)
	code := e.Code
	if code == mcp.CodeInternal || code == mcp.CodeRefused || code == mcp.CodeTimeout {
		code = mcp.CodeUnreachable
	}
	return &mcp.Error{
		Code: code, Message: message + ": " + e.Message, Hint: e.Hint, Err: k.trouble,
		RetryAfter: max(k.nextTry.Sub(k.all.now()), time.Second),
	}
}

// loading says that the dictionary takes longer to read than a call may wait.
func (k *kept) loading(j *reading, begun time.Time) error {
	k.mu.Lock()
	done, total := k.done, k.total
	k.mu.Unlock()
	if err := k.inTrouble(begun); err != nil {
		return err
	}
	e := &mcp.Error{Code: mcp.CodeLoading, Message: "the dictionary is being read from the ERP for the first time", RetryAfter: k.all.opts.Wait}
	if done > 0 && total > 0 {
		took := k.all.now().Sub(j.begun)
		e.Message += fmt.Sprintf(": %d of %d requests done", done, total)
		e.RetryAfter = min(max(time.Duration(float64(took)*float64(total-done)/float64(done)), 2*time.Second), time.Minute)
	}
	e.Hint = fmt.Sprintf("it goes on meanwhile: try again in %d s", int(math.Ceil(e.RetryAfter.Seconds())))
	return e
}

// progressed records how many requests of the loading are done.
func (k *kept) progressed(done, total int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.done, k.total, k.trouble = done, total, nil
}

// retry waits until a request of the reading is worth another attempt, and
// reports whether it is. Refused requests need another token, and so somebody
// who asks.
func (k *kept) retry(ctx context.Context, attempt int, err error) bool {
	no := refusal(err)
	if !no && !passing(err, attempt) {
		return false
	}
	pause := longestPause
	if attempt < 6 {
		pause = min(firstPause<<(attempt-1), longestPause)
	}
	k.mu.Lock()
	first, changed, used := k.done == 0, k.changed, k.used
	if no && first {
		k.mu.Unlock()
		return false // this caller may not read it at all
	}
	k.trouble, k.troubleAt, k.nextTry = err, k.all.now(), k.all.now().Add(pause)
	if no {
		k.refused = used
	}
	k.mu.Unlock()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	due := timer.C
	if no {
		due = nil
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-due:
			return true
		case <-changed:
		}
		k.mu.Lock()
		changed = k.changed
		other := !k.caller.Token.Equal(used)
		k.mu.Unlock()
		if !no || other {
			return true
		}
	}
}

// mostStrange is how often a response that is not the ERP's is requested again:
// one that was cut off is, a wrong address stays wrong.
const mostStrange = 3

// passing reports failures that another attempt can fix.
func passing(err error, attempt int) bool {
	var responded *erp.Error
	switch {
	case errors.As(err, &responded):
		return responded.Status == http.StatusTooManyRequests || responded.Status > http.StatusInternalServerError
	case errors.Is(err, erp.ErrBadResponse):
		return attempt < mostStrange
	}
	return errors.Is(err, erp.ErrUnreachable)
}

// staleNote says that the dictionary could not be compared with the ERP's.
func (k *kept) staleNote() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.loaded || k.failed == nil && k.trouble == nil {
		return ""
	}
	age := k.all.now().Sub(k.checked).Round(time.Second)
	if age >= 2*time.Minute {
		age = age.Round(time.Minute)
	}
	return fmt.Sprintf("it could not be checked with the ERP whether its dictionary has changed; this is as of %s (%v ago)",
		k.checked.UTC().Format("2006-01-02 15:04 UTC"), age)
}

// callerOf is the caller that a request is made for. A request that belongs to no call
// is made for the last caller that wanted the dictionary.
func callerOf(ctx context.Context) mcp.Caller {
	switch c := ctx.Value(callerKey{}).(type) {
	case mcp.Caller:
		return c
	case *kept:
		return c.lastCaller()
	}
	return mcp.Caller{}
}
