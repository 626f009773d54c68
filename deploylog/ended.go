package deploylog

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/erphub/erphub/erp"
)

// ended is what measures need of a run that ended.
type ended struct {
	id, client         erp.ID
	completed, updated time.Time
	status             State         // empty: it counts nowhere
	deployed           bool          // it was SUCCESS, also when it was rolled back later
	restore            time.Duration // from its end to its rollback
	changes            []time.Time
}

func newEnded(run *Run) *ended {
	e := &ended{id: run.ID, client: run.Client.ID, completed: run.DateCompleted, updated: run.Updated}
	if run.ReachedDeployment() {
		e.status, e.deployed = run.Status, run.Status == Success || run.Progress == 100 // only SUCCESS gets there
		e.restore = max(run.RolledBackAt().Sub(run.DateCompleted), 0)
	}
	if e.status != Failed { // what failed has not arrived
		e.changes = changeTimes(run.Components)
	}
	return e
}

// lateness is how much later than its time a change may become visible.
const lateness = time.Hour

// endedRuns remembers the runs of an environment that ended. They are read once;
// what has changed since is read again.
type endedRuns struct {
	log     *Log
	filter  erp.Filter
	mu      sync.Mutex // guards what follows
	runs    map[erp.ID]*ended
	since   time.Time // all that ended from then on are in runs; zero: nothing was read
	changed time.Time // newest change seen, by the server's clock
}

// endedIn returns what is remembered of an environment.
func (l *Log) endedIn(env Environment) *endedRuns {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended[env] == nil {
		l.ended[env] = &endedRuns{log: l, filter: within(env, erp.ID{})}
	}
	return l.ended[env]
}

// between returns the runs that ended from a time to before another, in that order.
func (e *endedRuns) between(ctx context.Context, from, to time.Time) (list []*ended, err error) {
	e.mu.Lock() // others wait until the context of the one who reads ends
	defer e.mu.Unlock()
	current := false
	for try := 0; try < 2 && !current && !e.since.IsZero(); try++ { // runs end meanwhile
		if current, err = e.refresh(ctx); err != nil {
			return nil, err
		}
	}
	if !current { // runs were deleted or moved, the login sees others, or nothing was read yet
		newest, err := e.log.lookFor(ctx, e.filter, "Updated", time.Time{})
		if err != nil {
			return nil, err
		}
		e.runs, e.since, e.changed = map[erp.ID]*ended{}, time.Time{}, time.Time{}
		if newest != nil {
			e.changed = newest.Updated
		}
	}
	if err := e.extend(ctx, from); err != nil {
		return nil, err
	}
	for _, run := range e.runs {
		if !run.completed.Before(from) && run.completed.Before(to) {
			list = append(list, run)
		}
	}
	slices.SortFunc(list, func(a, b *ended) int { return a.completed.Compare(b.completed) })
	return list, nil
}

// refresh reads what has changed, and reports whether the server has as many runs
// then as are remembered.
func (e *endedRuns) refresh(ctx context.Context) (bool, error) {
	f := e.filter.And(stretch{since: e.since}.filter("DateCompleted"))
	changed := f
	if !e.changed.IsZero() { // else there was no run yet
		changed = f.And(erp.Ge("Updated", e.changed.Add(-lateness)))
	}
	changes, err := e.read(ctx, changed)
	if err != nil {
		return false, err
	}
	for _, run := range changes {
		if e.runs[run.id] = run; run.updated.After(e.changed) {
			e.changed = run.updated
		}
	}
	count, err := e.log.client.Query(ctx, TableName, &erp.Query{Filter: f, Select: []string{"Status"}, Top: 1})
	return err == nil && count.Rows == len(e.runs), err
}

// extend reads back to a time, in parts of some hundred runs: the server counts
// those of a part with each page.
func (e *endedRuns) extend(ctx context.Context, from time.Time) error {
	for width := newestStretch; e.since.IsZero() || from.Before(e.since); {
		part := stretch{from, e.since}
		end := e.since
		if end.IsZero() {
			end = e.log.clock.Now().UTC().Truncate(time.Second)
		}
		if end = end.Add(-width); end.After(from) {
			part.since = end
		}
		runs, err := e.read(ctx, e.filter.And(part.filter("DateCompleted")))
		if err != nil {
			return fmt.Errorf("not all runs of the period were read; measure again to go on from where this ended, or a shorter period: %w", err)
		}
		for _, run := range runs {
			e.runs[run.id] = run
		}
		if e.since = part.since; len(runs) < 100 {
			width = min(2*width, 30_000*newestStretch)
		} else if len(runs) > 1000 {
			width = max(width/2, time.Minute)
		}
	}
	return nil
}

// read reads the runs of a filter.
func (e *endedRuns) read(ctx context.Context, f erp.Filter) (list []*ended, err error) {
	for run, err := range e.log.list(ctx, erp.Query{
		Filter: f, OrderBy: []string{erp.Asc("DateCompleted"), erp.Asc(TableName + "_ID")}, // which stay when runs change meanwhile
		Select: []string{"AD_Client_ID", "Status", "Progress", "Components", "CurrentStep", "DateCompleted", "VersionPrevious", "Updated"},
	}) {
		if err != nil {
			return nil, err
		}
		list = append(list, newEnded(&run))
	}
	return list, nil
}
