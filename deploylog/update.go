package deploylog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/erphub/erphub/erp"
)

// Update is a progress report. Only what is set is sent, so two reports at once
// do not undo each other.
type Update struct {
	Progress        *int    // percent, 0 to 100
	CurrentStep     *string // cut at 255 characters
	Components      *string
	Changes         *string
	AutomationJobID *string
	AutomationURL   *string // an address that begins with http:// or https://
	// Status may be DEPLOYING, when the build is finished. Progress starts again
	// at 0 then unless it is given, and the version that is running in the
	// environment is kept in VersionPrevious. For a run that is DEPLOYING already
	// it changes nothing.
	Status State

	// At is the time when it happened, by the caller's clock, for reports that are
	// delivered late; zero: now.
	At time.Time
	// Op names the call, so that a retry can be told from a second call;
	// empty for calls that are not retried.
	Op string
}

// Update reports progress of a run that is BUILDING or DEPLOYING. What the
// transition table forbids is a *TransitionError, and nothing is changed.
func (l *Log) Update(ctx context.Context, id erp.ID, u Update) (Run, error) {
	body, err := l.updateBody(&u)
	if err != nil {
		return Run{}, err
	}
	if err := u.check(); err != nil {
		return Run{}, err
	}
	if u.Status == "" {
		return l.report(ctx, id, body)
	}
	same := func(*Run) bool { return true }
	run, moved, err := l.move(ctx, id, move{to: Deploying, at: u.At, op: u.Op, same: same, build: func(ctx context.Context, run *Run, at time.Time) (map[string]any, error) {
		all := maps.Clone(body)
		if u.Progress == nil {
			all["Progress"] = 0
		}
		if run.VersionPrevious == "" {
			version, err := l.versionBefore(ctx, run, at)
			if err != nil {
				return nil, err
			}
			all["VersionPrevious"] = orNull(version)
		}
		return all, nil
	}})
	if err != nil || moved || len(body) == 0 {
		return run, err
	}
	return l.report(ctx, id, body)
}

func (l *Log) updateBody(u *Update) (map[string]any, error) {
	body := map[string]any{}
	var errs []error
	if u.Progress != nil {
		if *u.Progress < 0 || *u.Progress > 100 {
			errs = append(errs, fmt.Errorf("%w: the progress is a percentage from 0 to 100, not %d", ErrInvalid, *u.Progress))
		}
		body["Progress"] = *u.Progress
	}
	for column, text := range map[string]*string{"CurrentStep": u.CurrentStep, "Components": u.Components, "Changes": u.Changes} {
		if text != nil {
			body[column] = orNull(l.limits.cut(column, *text))
		}
	}
	for _, f := range []struct {
		column, what string
		text         *string
		check        func(column, what, text string) (string, error)
	}{
		{"Automation_JobID", "the automation job", u.AutomationJobID, l.limits.exact},
		{"Automation_URL", "the automation URL", u.AutomationURL, l.limits.link},
	} {
		if f.text == nil {
			continue
		}
		text, err := f.check(f.column, f.what, *f.text)
		if err != nil {
			errs = append(errs, err)
		}
		body[f.column] = orNull(text)
	}
	return body, errors.Join(errs...)
}

// orNull is the value that clears a text column when the text is empty.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// report changes columns of a run in progress.
func (l *Log) report(ctx context.Context, id erp.ID, body map[string]any) (Run, error) {
	run, err := l.Get(ctx, id)
	if err != nil {
		return Run{}, err
	}
	if !run.Status.InProgress() {
		return Run{}, &TransitionError{ID: run.ID, From: run.Status, Allowed: run.MayBecome()}
	}
	if len(body) == 0 {
		return run, nil
	}
	for attempt := 1; ; attempt++ {
		changed, err := l.put(ctx, run.ID, body)
		if err == nil {
			return changed, nil
		}
		if erp.Unsent(err) || !erp.Retryable(err) || !l.again(ctx, attempt) {
			return Run{}, fmt.Errorf("updating run %s: %w", id, err)
		}
	}
}

// versionBefore is the version that was running in the run's environment at
// the time given, "" if none was.
func (l *Log) versionBefore(ctx context.Context, run *Run, at time.Time) (string, error) {
	last, err := l.lastDone(ctx, run.Environment, run.Client.ID, at)
	if err != nil {
		return "", fmt.Errorf("reading which version runs in %s: %w", run.Environment, err)
	}
	if last == nil {
		return "", nil
	}
	return last.RunningAfter(), nil
}
