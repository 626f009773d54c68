package deploylog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/erphub/erphub/erp"
)

// StatusQuery says whose status to read. The zero value is that of all
// environments.
type StatusQuery struct {
	Environment Environment // empty: all
	Client      erp.ID      // tenant; zero: all that the role may see
}

// EnvironmentStatus is the current run of an environment and the version running there.
type EnvironmentStatus struct {
	Environment Environment `json:"environment"`
	// Current is the newest run in progress, else the newest run; nil when there
	// was none yet.
	Current *Run `json:"current"`
	// InProgress is the number of runs under way, which should be one at most.
	InProgress int `json:"inProgress"`
	// Running is the version that runs there according to the log: that of the
	// last SUCCESS, or the one the last ROLLED_BACK went back to. A failed
	// deployment does not change it. Empty: the log does not know.
	Running string `json:"running,omitempty"`
	// Since is the time when that version came there.
	Since time.Time `json:"since,omitzero"`
	// RunningID is the run that brought it.
	RunningID erp.ID `json:"runningId,omitzero"`
}

// Status reads the current run of each environment. It requests a handful of
// records, however many there are.
func (l *Log) Status(ctx context.Context, q StatusQuery) ([]EnvironmentStatus, error) {
	env, err := l.orAll(ctx, q.Environment)
	if err != nil {
		return nil, err
	}
	q.Environment = env
	open, err := l.open(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("reading the status: %w", err)
	}
	environments, err := l.environmentsOf(ctx, env)
	if err != nil {
		return nil, err
	}
	status := make([]EnvironmentStatus, len(environments))
	if err := each(environments, func(i int, env Environment) (err error) {
		status[i], err = l.environmentStatus(ctx, env, q.Client, open)
		return err
	}); err != nil {
		return nil, fmt.Errorf("reading the status: %w", err)
	}
	return status, nil
}

// maxOpen bounds how many runs in progress are looked at: more than that are
// runs that were never completed.
const maxOpen = 100

// open reads the runs in progress, newest first.
func (l *Log) open(ctx context.Context, q StatusQuery) ([]Run, error) {
	// Their start is looked at here: with it in the filter or the order, databases
	// go through all runs of the environment.
	f := within(q.Environment, q.Client).And(erp.IsNull("DateCompleted"))
	var runs []Run
	for run, err := range l.list(ctx, erp.Query{Filter: f, Limit: maxOpen, OrderBy: []string{erp.Desc(TableName + "_ID")}}) {
		if err != nil {
			return nil, err
		}
		if run.Status.InProgress() && !run.DateStarted.IsZero() {
			runs = append(runs, run)
		}
	}
	slices.SortStableFunc(runs, func(a, b Run) int { return b.DateStarted.Compare(a.DateStarted) })
	return runs, nil
}

func (l *Log) environmentStatus(ctx context.Context, env Environment, client erp.ID, open []Run) (EnvironmentStatus, error) {
	s := EnvironmentStatus{Environment: env}
	for i := range open {
		if open[i].Environment == env {
			if s.InProgress++; s.Current == nil {
				s.Current = &open[i]
			}
		}
	}
	last, err := l.lastDone(ctx, env, client, time.Time{})
	if err != nil {
		return s, err
	}
	if last != nil {
		s.Running, s.Since, s.RunningID = last.RunningAfter(), last.DateCompleted, last.ID
		if last.Status == RolledBack {
			s.Since = last.RolledBackAt()
		}
	}
	if s.Current == nil {
		s.Current, err = l.latest(ctx, env, client)
	}
	return s, err
}

// lastDone is the run that brought the version running in an environment at a
// time (zero: now); nil when there is none.
func (l *Log) lastDone(ctx context.Context, env Environment, client erp.ID, at time.Time) (*Run, error) {
	if !at.IsZero() {
		at = at.UTC().Truncate(time.Second).Add(time.Second)
	}
	return l.lookFor(ctx, within(env, client).And(done()), "DateCompleted", at)
}

// latest is the newest run of an environment, nil when there is none.
func (l *Log) latest(ctx context.Context, env Environment, client erp.ID) (*Run, error) {
	return l.lookFor(ctx, within(env, client), "DateStarted", time.Time{})
}

// lookFor finds the run with the largest value of a time column before a time
// (zero: any), nil when there is none.
func (l *Log) lookFor(ctx context.Context, f erp.Filter, column string, before time.Time) (*Run, error) {
	for run, err := range l.newest(ctx, f, column, before, 1) {
		if err != nil {
			return nil, err
		}
		return &run, nil
	}
	return nil, nil
}
