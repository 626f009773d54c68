package deploylog

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
)

// # What has to hold
//
// However many writers move a run at the same time, are stopped at any request,
// or lose any response: of two different outcomes at most one is reported as
// done, a run makes only moves of the transition table, and a writer whose
// knowledge of the run is old changes nothing. A move whose response
// was lost may be reported as not made although it was made; never the other
// way round.
//
// # How
//
// The ERP's REST API knows no conditional update: two writers that read the
// same state could both move the run on. So a writer first makes a second
// record that nobody else can make, because its UUID is derived from the run's
// and unique, looks at the run again, and then changes the run and deletes that
// record in one transaction. A writer that was killed in between leaves the
// record behind; after a while the next one deletes it, whereupon the late
// transaction of the first fails as a whole.
//
// The record is inactive, so that no list shows it.
//
// # Why nothing simpler
//
//   - An update with a condition, an ETag or the Updated stamp: the API has none
//     of them, the last write wins. Columns that may not change and the flag
//     Processed are tested on what the server read before it writes, without a
//     lock, so that two requests can pass.
//   - Making a unique record in the transaction that changes the run, and
//     deleting it there: whoever comes after it may have read the run before.
//   - Leaving such a record for every state that was left: two requests instead
//     of four and no waiting, but up to three more records for every run, for
//     ever, which the ERP's window and every report would have to leave out.
//   - A unique column of the run itself: one record is never a duplicate of
//     itself.
//
// # Where it does not hold
//
// With a role that may not delete, or on a server without batches, the change
// and the claim are not one transaction: a writer that was stopped for longer
// than ClaimWait between the two can overwrite what another one did.

// claim is the permission to move a run.
type claim struct {
	id erp.ID
	// server is the time of the claim by the server's clock, and skew by how
	// much that is ahead of ours. A zero time means that the server did not say.
	server time.Time
	skew   time.Duration
}

// time is when a move happened by the server's clock: at, by our clock, or now.
func (c claim) time(at time.Time, clock Clock) time.Time {
	switch {
	case !at.IsZero():
		return at.Add(c.skew)
	case !c.server.IsZero():
		return c.server
	}
	return clock.Now()
}

// move is a move of a run to another state.
type move struct {
	to State
	at time.Time // when it happened, by the caller's clock; zero: now
	op string    // names the call, so that a retry knows its own claim
	// same reports whether a run that is in the state already was brought there
	// by a call like this one, so that there is nothing left to do.
	same func(run *Run) bool
	// build makes the columns to change, for the run as it is and the time of
	// the move by the server's clock.
	build func(ctx context.Context, run *Run, at time.Time) (map[string]any, error)
}

// maxRounds bounds how often a move starts over because others were faster.
const maxRounds = 5

// there reports whether the run is where the move leads to already, by a call
// like this one.
func (m *move) there(run *Run) bool { return run.Status == m.to && m.same(run) }

// move makes a move if the transition table allows it. moved is false when the
// run was there already.
func (l *Log) move(ctx context.Context, id erp.ID, m move) (_ Run, moved bool, err error) {
	if m.op == "" {
		m.op = newUUID()
	}
	for range maxRounds {
		run, err := l.Get(ctx, id)
		if err != nil {
			return Run{}, false, err
		}
		if m.there(&run) {
			return run, false, nil
		}
		if err := checkMove(&run, m.to); err != nil {
			return Run{}, false, err
		}
		c, err := l.claim(ctx, &run, m)
		if err != nil {
			return Run{}, false, fmt.Errorf("moving run %s to %s: %w", id, m.to, err)
		}
		result, again, err := l.moveClaimed(ctx, run.ID, m, c)
		if err != nil {
			var forbidden *TransitionError
			if errors.As(err, &forbidden) {
				return Run{}, false, err
			}
			return Run{}, false, fmt.Errorf("moving run %s to %s: %w", id, m.to, err)
		}
		if !again {
			return result, true, nil
		}
	}
	return Run{}, false, fmt.Errorf("moving run %s to %s: %w; try again", id, m.to, ErrBusy)
}

func (m *move) body(ctx context.Context, run *Run, at time.Time) (map[string]any, error) {
	if err := checkMove(run, m.to); err != nil {
		return nil, err
	}
	body, err := m.build(ctx, run, at)
	if err == nil {
		body["Status"] = m.to.Code()
	}
	return body, err
}

// moveClaimed makes the move of a run that is claimed; again means that the
// claim was lost, or that another writer was there first, and the run has to be
// looked at anew.
func (l *Log) moveClaimed(ctx context.Context, id erp.ID, m move, c claim) (_ Run, again bool, err error) {
	run, err := l.Get(ctx, id)
	if err == nil && m.there(&run) {
		l.release(ctx, c)
		return run, true, nil
	}
	var body map[string]any
	if err == nil {
		body, err = m.body(ctx, &run, c.time(m.at, l.clock))
	}
	if err != nil {
		l.release(ctx, c)
		return Run{}, false, err
	}
	for attempt := 1; ; attempt++ {
		moved, err := l.commit(ctx, id, c, body)
		switch {
		case err == nil:
			return moved, false, nil
		case claimGone(err) && attempt == 1:
			return Run{}, true, nil // another writer took over
		case claimGone(err):
			return l.outcome(ctx, id, m, body, err)
		case erp.Unsent(err) || !erp.Retryable(err) || ctx.Err() != nil:
			l.release(ctx, c)
			return Run{}, false, err
		}
		// The response is lost: as long as the claim is there, nothing was done.
		if _, gerr := l.client.Get(ctx, TableName, c.id, nil); errors.Is(gerr, erp.ErrNotFound) {
			return l.outcome(ctx, id, m, body, err)
		}
		if !l.again(ctx, attempt) {
			l.release(ctx, c)
			return Run{}, false, err
		}
	}
}

// outcome finds out what became of a move whose response was lost and whose
// claim is gone: it was made, or another writer took over before.
func (l *Log) outcome(ctx context.Context, id erp.ID, m move, body map[string]any, lost error) (_ Run, again bool, err error) {
	run, err := l.Get(ctx, id)
	if err != nil {
		return Run{}, false, lost
	}
	return run, !m.made(&run, body), nil
}

// made reports whether a run shows that the move was made, with these columns,
// whatever became of the run afterwards. In doubt it reports false: a writer
// that gets a wrong "no" looks at the run, one that gets a wrong "yes" does not.
func (m *move) made(run *Run, body map[string]any) bool {
	switch {
	case run.Status == m.to:
		return m.same(run)
	case !m.to.LeadsTo(run.Status):
		return false
	case m.to == Deploying:
		return run.ReachedDeployment()
	}
	// It ended and was rolled back since. Why it failed tells how it ended.
	message, _ := body["ErrorMessage"].(string)
	return m.same(run) && strings.TrimSpace(run.ErrorMessage) == strings.TrimSpace(message)
}

// commit changes the run and gives the claim up, in one transaction where the
// server has batches.
func (l *Log) commit(ctx context.Context, id erp.ID, c claim, body map[string]any) (Run, error) {
	if c.id.IsZero() { // the role may not delete, so there are no claims
		return l.put(ctx, id, body)
	}
	results, err := l.client.Batch(ctx, []erp.BatchRequest{
		erp.BatchDelete(TableName, c.id),
		erp.BatchUpdate(TableName, id, body),
	}, erp.BatchOptions{})
	if err == nil {
		rec, err := results[1].Record()
		if err != nil {
			return l.Get(ctx, id)
		}
		return ParseRun(rec)
	}
	var failed *erp.BatchError
	if errors.As(err, &failed) && failed.Index == 0 && !errors.Is(failed.Err, erp.ErrNotFound) {
		l.log.Warn("claims cannot be deleted; moves are made without", "error", err)
		return l.put(ctx, id, body)
	}
	if !errors.As(err, &failed) && (errors.Is(err, erp.ErrNotFound) || errors.Is(err, erp.ErrMethodNotAllowed)) { // no batches here
		run, err := l.put(ctx, id, body)
		if err == nil {
			l.release(ctx, c)
		}
		return run, err
	}
	return Run{}, err
}

// claimUUID is the UUID of the record that claims a run.
func claimUUID(run *Run) string { return derivedUUID("claim", run.UUID) }

// claimGone reports whether the claim is not there that a batch begins with.
func claimGone(err error) bool {
	var failed *erp.BatchError
	return errors.As(err, &failed) && failed.Index == 0 && errors.Is(failed.Err, erp.ErrNotFound)
}

// takeOver removes another writer's claim. It leaves one that it cannot remove.
func (l *Log) takeOver(ctx context.Context, run *Run, other erp.ID) (removed bool, err error) {
	l.log.Warn("taking over from a writer that did not finish", "run", run.ID.String())
	err = l.client.Delete(ctx, TableName, other)
	if err == nil || errors.Is(err, erp.ErrNotFound) {
		return true, nil
	}
	if erp.Retryable(err) {
		return false, err
	}
	return false, nil
}

// claim gets the permission to move the run, waiting for other writers.
func (l *Log) claim(ctx context.Context, run *Run, m move) (claim, error) {
	uuid := claimUUID(run)
	var other erp.ID // claim of another writer
	var since time.Time
	failures := 0
	for round := 1; ; round++ {
		sent := l.clock.Now()
		rec, err := l.client.Create(ctx, TableName, map[string]any{
			TableName + "_UU": uuid, "IsActive": false, "Environment": string(run.Environment), "Status": m.to.Code(),
			"DateStarted": isoUTC(sent), "DateCompleted": isoUTC(sent), "Automation_JobID": m.op,
			"CurrentStep": l.limits.cut("CurrentStep", fmt.Sprintf("moving run %s to %s", run.ID, m.to)),
		})
		if err == nil {
			return l.claimed(rec, sent), nil
		}
		if notCreated(ctx, err) {
			return claim{}, err
		}
		found, getErr := l.client.Get(ctx, TableName, erp.UUID(uuid), nil)
		switch {
		case getErr == nil:
			if owner, _ := found.Text("Automation_JobID"); owner == m.op {
				return l.claimed(found, time.Time{}), nil // its response was lost
			}
			failures = 0
			now := l.clock.Now()
			if found.ID() != other {
				other, since = found.ID(), now
			} else if now.Sub(since) >= l.opts.ClaimWait {
				if removed, err := l.takeOver(ctx, run, other); !removed {
					return claim{}, err
				}
				continue
			}
		case errors.Is(getErr, erp.ErrNotFound) && !erp.Retryable(err) && failures < 2*l.opts.Attempts:
			// It was given up between the two calls, or the ERP refuses such
			// records altogether.
			failures++
		default:
			if failures++; failures >= l.opts.Attempts {
				return claim{}, err
			}
		}
		if serr := l.clock.Sleep(ctx, min(time.Duration(round)*20*time.Millisecond, l.opts.ClaimWait/4)); serr != nil {
			return claim{}, fmt.Errorf("%w: %w", ErrBusy, serr)
		}
	}
}

// claimed reads what the server says about its clock from a claim that was just
// made: it wrote Created itself, and DateStarted is what we sent.
func (l *Log) claimed(rec erp.Record, sent time.Time) claim {
	c := claim{id: rec.ID()}
	created, ok := rec.Time("Created")
	started, ok2 := rec.Time("DateStarted")
	if !ok || !ok2 || sent.IsZero() {
		return c
	}
	c.server = sent.Truncate(time.Second).Add(created.Sub(started))
	now := l.clock.Now()
	if c.server.Before(sent.Add(-clockTolerance)) || c.server.After(now.Add(clockTolerance)) {
		c.skew = c.server.Sub(now)
	}
	return c
}

// release gives a claim up. What goes wrong with it costs the next writer a
// wait and nothing else.
func (l *Log) release(ctx context.Context, c claim) {
	if c.id.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := l.client.Delete(ctx, TableName, c.id); err != nil && !errors.Is(err, erp.ErrNotFound) {
		l.log.Warn("a claim stays behind", "error", err)
	}
}

// put changes columns of a run: by PUT, which is what the ERP knows, or by
// PATCH where the server says that it knows it.
func (l *Log) put(ctx context.Context, id erp.ID, body map[string]any) (Run, error) {
	change := l.client.Update
	if l.changeMethod(ctx, id) == http.MethodPatch {
		change = l.client.Patch
	}
	rec, err := change(ctx, TableName, id, body)
	if errors.Is(err, erp.ErrMethodNotAllowed) && l.refuseMethod(ctx, id) {
		rec, err = l.client.Patch(ctx, TableName, id, body)
	}
	if err != nil {
		return Run{}, err
	}
	return ParseRun(rec)
}
