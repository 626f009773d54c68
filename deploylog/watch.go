package deploylog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/erphub/erphub/erp"
)

// WatchQuery says what to watch. The zero value watches everything the role may
// see.
type WatchQuery struct {
	Environment Environment // empty: all
	Client      erp.ID      // tenant; zero: all that the role may see
	// Every is the time between two looks while something happens; 0: 1 s. When
	// nothing happens it doubles up to Quiet.
	Every time.Duration
	// Quiet is the longest time between two looks; 0: 30 s.
	Quiet time.Duration
	// Patience is the time the server may be away before that is an error; 0: 1
	// minute, negative: forever.
	Patience time.Duration
}

// Change is a run that was there when watching began, is new, or has changed.
type Change struct {
	Run Run
	// Previous is the run as it was last seen; nil when it was not.
	Previous *Run
	// First is set for the runs that were there when watching began: the current
	// one of each environment and all that are in progress.
	First bool
	// More is set when further changes of the same look follow at once.
	More bool
}

// overlap is how far back each look reaches behind the newest change: times are
// whole seconds, and transactions become visible after their time.
const overlap = 10 * time.Second

// Watch yields the current runs, then every change as it is noticed, until the
// loop ends or the context does. It requests records that changed since the
// last look, less often the longer nothing happens. Changes that follow each
// other between two looks are one change. A server that is away is waited for
// (see WatchQuery.Patience); any other error is yielded and ends it, as does
// the end of the context.
func (l *Log) Watch(ctx context.Context, q WatchQuery) iter.Seq2[Change, error] {
	q.Every = cmp.Or(q.Every, time.Second)
	q.Quiet = max(cmp.Or(q.Quiet, 30*time.Second), q.Every)
	q.Patience = cmp.Or(q.Patience, time.Minute)
	return func(yield func(Change, error) bool) {
		var err error
		if q.Environment, err = l.orAll(ctx, q.Environment); err != nil {
			yield(Change{}, err)
			return
		}
		w := &watcher{log: l, q: q, seen: map[erp.ID]Run{}}
		wait := q.Every
		var away time.Time // since when the server is
		for {
			changes, err := w.look(ctx)
			switch {
			case err == nil:
				away = time.Time{}
			case ctx.Err() != nil:
				yield(Change{}, context.Cause(ctx))
				return
			case !transient(err):
				yield(Change{}, err)
				return
			case away.IsZero():
				away = l.clock.Now()
				l.log.Warn("watching: the server is away", "error", err)
			case q.Patience > 0 && l.clock.Now().Sub(away) >= q.Patience:
				yield(Change{}, fmt.Errorf("watching the deployment log: %w", err))
				return
			}
			for i, change := range changes {
				change.More = i < len(changes)-1
				if !yield(change, nil) {
					return
				}
			}
			if wait = min(wait*2, q.Quiet); len(changes) > 0 {
				wait = q.Every
			}
			if err := l.clock.Sleep(ctx, wait); err != nil {
				yield(Change{}, err)
				return
			}
		}
	}
}

// transient reports whether a look may succeed later.
func transient(err error) bool {
	var e *erp.Error
	return erp.Retryable(err) || errors.As(err, &e) && errors.Is(err, erp.ErrServer) && e.Page
}

// watcher is what Watch knows.
type watcher struct {
	log    *Log
	q      WatchQuery
	begun  bool
	newest time.Time      // newest change seen, by the server's clock
	seen   map[erp.ID]Run // runs in progress, and runs that changed lately
}

// look returns what changed since the last look, oldest first.
func (w *watcher) look(ctx context.Context) ([]Change, error) {
	if !w.begun {
		return w.begin(ctx)
	}
	f := within(w.q.Environment, w.q.Client).And(erp.NotNull("DateStarted"))
	if !w.newest.IsZero() { // else there was nothing yet
		f = f.And(erp.Ge("Updated", w.newest.Add(-overlap)))
	}
	var changes []Change
	for run, err := range w.log.list(ctx, erp.Query{Filter: f, OrderBy: []string{erp.Asc("Updated")}}) {
		if err != nil {
			return nil, err
		}
		before, known := w.seen[run.ID]
		if known && before == run {
			continue
		}
		change := Change{Run: run}
		if known {
			change.Previous = &before
		}
		changes = append(changes, change)
	}
	for _, change := range changes {
		w.take(change.Run)
	}
	w.forget()
	return changes, nil
}

// begin reads the state of things.
func (w *watcher) begin(ctx context.Context) ([]Change, error) {
	sq := StatusQuery{Environment: w.q.Environment, Client: w.q.Client}
	newest, err := w.newestChange(ctx)
	if err != nil {
		return nil, err
	}
	status, err := w.log.Status(ctx, sq)
	if err != nil {
		return nil, err
	}
	open, err := w.log.open(ctx, sq)
	if err != nil {
		return nil, err
	}
	var changes []Change
	add := func(run Run) {
		if _, known := w.seen[run.ID]; !known {
			w.take(run)
			changes = append(changes, Change{Run: run, First: true})
		}
	}
	for _, s := range status {
		if s.Current != nil {
			add(*s.Current)
		}
	}
	for _, run := range open {
		add(run)
	}
	// Runs that changed shortly before are not changes of now.
	if !newest.IsZero() {
		f := erp.Ge("Updated", newest.Add(-overlap)).And(erp.Lt("Updated", newest.Add(time.Second)))
		for run, err := range w.log.list(ctx, erp.Query{Filter: f, OrderBy: []string{erp.Asc("Updated")}}) {
			if err != nil {
				w.seen = map[erp.ID]Run{}
				return nil, err
			}
			if _, known := w.seen[run.ID]; !known {
				w.seen[run.ID] = run
			}
		}
		w.newest = newest
	}
	w.begun = true
	return changes, nil
}

// newestChange is the time of the log's newest change, zero when it is empty.
func (w *watcher) newestChange(ctx context.Context) (time.Time, error) {
	run, err := w.log.lookFor(ctx, within("", w.q.Client).And(erp.NotNull("DateStarted")), "Updated", time.Time{})
	if err != nil || run == nil {
		return time.Time{}, err
	}
	return run.Updated, nil
}

func (w *watcher) take(run Run) {
	w.seen[run.ID] = run
	if run.Updated.After(w.newest) {
		w.newest = run.Updated
	}
}

// maxSeen bounds how many runs are kept to tell what they were before.
const maxSeen = 1000

// forget drops runs that a look can no longer bring up unchanged, when there
// are many.
func (w *watcher) forget() {
	if len(w.seen) <= maxSeen {
		return
	}
	for id, run := range w.seen {
		if !run.Status.InProgress() && run.Updated.Before(w.newest.Add(-2*overlap)) {
			delete(w.seen, id)
		}
	}
}
