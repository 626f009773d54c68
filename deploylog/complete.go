package deploylog

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
)

// Completion is the end of a run.
type Completion struct {
	Status       State  // SUCCESS, out of DEPLOYING, or FAILED
	Changes      string // summary of what changed; empty: as it is
	ErrorMessage string // why the run failed; with FAILED only

	// At is the time when the run ended, by the caller's clock, for calls that are
	// delivered late; zero: now.
	At time.Time
	// Op names the call, so that a retry can be told from a second call;
	// empty for calls that are not retried.
	Op string
}

// Complete ends a run. DateCompleted and Duration are computed from the
// server's clock. It is idempotent: a run that has ended in that state, with
// these texts where the call has any, is returned as it is. What the transition
// table forbids is a *TransitionError, and nothing is changed.
func (l *Log) Complete(ctx context.Context, id erp.ID, c Completion) (Run, error) {
	if err := c.check(); err != nil {
		return Run{}, err
	}
	same := func(run *Run) bool {
		return l.holds("Changes", run.Changes, c.Changes) && l.holds("ErrorMessage", run.ErrorMessage, c.ErrorMessage)
	}
	run, _, err := l.move(ctx, id, move{to: c.Status, at: c.At, op: c.Op, same: same, build: func(ctx context.Context, run *Run, at time.Time) (map[string]any, error) {
		return l.completed(ctx, &c, run, at)
	}})
	return run, err
}

func (l *Log) completed(ctx context.Context, c *Completion, run *Run, at time.Time) (map[string]any, error) {
	body := map[string]any{"DateCompleted": isoUTC(at), "Duration": 0}
	if !run.DateStarted.IsZero() {
		if at.Before(run.DateStarted) {
			at = run.DateStarted
			body["DateCompleted"] = isoUTC(at)
		}
		body["Duration"] = int64(at.Truncate(time.Second).Sub(run.DateStarted.Truncate(time.Second)) / time.Second)
	}
	if c.Changes != "" {
		body["Changes"] = l.limits.cut("Changes", c.Changes)
	}
	if c.Status == Success {
		body["Progress"] = 100
		return body, nil
	}
	reason := "no reason was given"
	if run.CurrentStep != "" {
		reason += "; the last step was: " + run.CurrentStep
	}
	body["ErrorMessage"] = l.limits.cut("ErrorMessage", cmp.Or(c.ErrorMessage, reason))
	switch {
	case run.Status == Building && run.VersionPrevious != "":
		// Somebody else filled it in. Only a run that reached the
		// deployment has one, see Run.ReachedDeployment.
		body["VersionPrevious"] = nil
	case run.Status == Deploying && run.VersionPrevious == "":
		version, err := l.versionBefore(ctx, run, at)
		if err != nil {
			return nil, err
		}
		if version == "" { // the first deployment here
			body["CurrentStep"] = l.limits.cut("CurrentStep", failedStep(deployFailed, run.CurrentStep))
			break
		}
		body["VersionPrevious"] = version
	}
	if run.Status == Building && strings.HasPrefix(run.CurrentStep, deployFailed) {
		body["CurrentStep"] = l.limits.cut("CurrentStep", failedStep(buildFailed, run.CurrentStep))
	}
	return body, nil
}

// holds reports whether a column holds a text that was given, as far as it
// fits; no text is nothing to hold.
func (l *Log) holds(column, stored, given string) bool {
	return given == "" || strings.TrimSpace(stored) == strings.TrimSpace(l.limits.cut(column, given))
}

// Rollback is the state that a run was taken back to.
type Rollback struct {
	// Version is the version that is running again; empty: the run's
	// VersionPrevious.
	Version string
	// Reason is kept in the error message of a run that had none.
	Reason string

	// At is the time when it was rolled back, by the caller's clock, for calls that are
	// delivered late; zero: now.
	At time.Time
	// Op names the call, so that a retry can be told from a second call;
	// empty for calls that are not retried.
	Op string
}

// Rollback records that a run was reverted: one that FAILED while DEPLOYING, or
// a SUCCESS. VersionPrevious is the version running again afterwards, and
// CurrentStep says when. DateCompleted and Duration stay those of the
// deployment. It is idempotent: a run that was rolled back to that version is
// returned as it is. What the transition table forbids is a *TransitionError,
// and nothing is changed.
func (l *Log) Rollback(ctx context.Context, id erp.ID, r Rollback) (Run, error) {
	version, err := l.limits.exact("VersionPrevious", "the version that is running again", r.Version)
	if err != nil {
		return Run{}, err
	}
	same := func(run *Run) bool { return version == "" || version == run.VersionPrevious }
	run, _, err := l.move(ctx, id, move{to: RolledBack, at: r.At, op: r.Op, same: same, build: func(_ context.Context, run *Run, at time.Time) (map[string]any, error) {
		back := cmp.Or(version, run.VersionPrevious)
		if back == "" {
			return nil, fmt.Errorf("%w: the log does not know which version ran in %s before run %s; name the one that is running again",
				ErrInvalid, run.Environment, run.ID)
		}
		body := map[string]any{"VersionPrevious": back, "CurrentStep": l.limits.cut("CurrentStep", rollbackStep(back, at))}
		if r.Reason != "" && run.ErrorMessage == "" {
			body["ErrorMessage"] = l.limits.cut("ErrorMessage", r.Reason)
		}
		return body, nil
	}})
	return run, err
}
