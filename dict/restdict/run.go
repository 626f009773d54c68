package restdict

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// state is what is known about a step.
type state struct {
	step     dict.Step
	number   int // from 1
	status   Status
	outcome  Outcome
	earlier  bool            // done by an earlier run
	claim    *checkpointStep // what the checkpoint says an earlier run did; nil: nothing
	id       int64
	uuid     string
	created  string         // when the record was made, as the ERP says it
	looked   bool           // looked for and not found
	unknown  bool           // whether an attempt changed something is not known
	before   map[string]any // what an update replaced
	attempts int
	took     time.Duration
	message  string
	diffs    []Difference
	err      error
}

// runner runs one plan once.
type runner struct {
	client    *erp.Client
	plan      *dict.Plan
	opts      Options
	states    []*state
	byKey     map[dict.Key]*state
	existing  map[string]int64 // ids of records the plan refers to, by describe
	processes map[dict.Purpose]*Process
	noBatch   bool   // the server has no batches
	resumed   bool   // an earlier run may have changed something
	planJSON  []byte // the plan as checkpoints hold it, once one was written
}

// Run brings the plan into the ERP that the client is connected to. When it
// returns no error, every record of the plan is in this ERP, whatever a
// checkpoint said, and the checkpoint is removed. The result is there even with
// an error, except when the plan could not be begun. Nil options mean the
// defaults.
func Run(ctx context.Context, client *erp.Client, plan *dict.Plan, opts *Options) (*Result, error) {
	start := time.Now()
	r := newRunner(client, plan, opts)
	if r.opts.Resume {
		if r.opts.Checkpoint == "" {
			return nil, errors.New("resuming needs the checkpoint file of the run to go on with")
		}
		if err := r.load(); err != nil {
			return nil, err
		}
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if r.opts.Begin != nil {
		if err := r.opts.Begin(); err != nil {
			return nil, err
		}
	}
	if err := r.save(); err != nil {
		return nil, err
	}
	err := r.steps(ctx)
	result := &Result{Took: time.Since(start)}
	for _, st := range r.states {
		result.Steps = append(result.Steps, st.result())
	}
	if err == nil {
		err = r.verdict(result)
	}
	if err != nil {
		return result, err
	}
	return result, r.clear()
}

func newRunner(client *erp.Client, plan *dict.Plan, opts *Options) *runner {
	r := &runner{client: client, plan: plan, opts: opts.withDefaults(), byKey: map[dict.Key]*state{},
		existing: map[string]int64{}, processes: map[dict.Purpose]*Process{}}
	for i, step := range plan.Steps() {
		st := &state{step: step, number: i + 1, status: Pending}
		r.states = append(r.states, st)
		r.byKey[step.StepKey()] = st
	}
	return r
}

// prepare finds out what is there, and refuses a plan that cannot come to its
// end, before anything is changed.
func (r *runner) prepare(ctx context.Context) error {
	if err := r.verify(ctx); err != nil {
		return err
	}
	if err := r.findProcesses(ctx); err != nil {
		return err
	}
	if err := r.resolveExisting(ctx); err != nil {
		return err
	}
	return r.inventory(ctx, r.states)
}

func (r *runner) findProcesses(ctx context.Context) error {
	for _, st := range r.states {
		p, ok := st.step.(*dict.RunStep)
		if !ok || st.status == Done || r.processes[p.Purpose] != nil {
			continue
		}
		found, err := FindProcess(ctx, r.client, p.Purpose, r.opts.Processes[p.Purpose])
		if err != nil {
			return err
		}
		r.processes[p.Purpose] = found
	}
	return nil
}

// steps carries out what is left to do, in order.
func (r *runner) steps(ctx context.Context) error {
	for i := 0; i < len(r.states); i++ {
		if err := ctx.Err(); err != nil {
			return r.interrupted(ctx)
		}
		st := r.states[i]
		if st.status == Done {
			r.emit(StepSkipped, st)
			continue
		}
		if r.waits(st) {
			st.status = Pending
			r.emit(StepWaiting, st)
			continue
		}
		group := []*state{st}
		if r.batchable(st) {
			var last int
			group, last = r.gather(i)
			i = last
		}
		saveErr := r.carryOut(ctx, group)
		if saveErr != nil {
			return saveErr
		}
		if ctx.Err() != nil && !done(group) {
			return r.interrupted(ctx)
		}
		for _, st := range group {
			if st.err != nil && (!r.opts.ContinueOnError || fatal(st.err)) {
				return nil // the verdict tells
			}
		}
	}
	return nil
}

// carryOut sends one step, or the steps of one batch, and keeps the state.
func (r *runner) carryOut(ctx context.Context, group []*state) error {
	for _, st := range group {
		r.emit(StepStarted, st)
	}
	start := time.Now()
	if len(group) > 1 {
		r.batch(ctx, group)
	} else {
		r.one(ctx, group[0])
	}
	took := time.Since(start) / time.Duration(len(group))
	for _, st := range group {
		st.took = took
		if ctx.Err() != nil && st.status != Done {
			st.status, st.err = Pending, nil // whether it was done is found out on the next run
		}
	}
	if err := r.save(); err != nil {
		return err
	}
	for _, st := range group {
		switch {
		case st.status == Done && st.outcome == Found:
			r.emit(StepSkipped, st)
		case st.status == Done:
			r.emit(StepDone, st)
		case st.status == Failed:
			r.emit(StepFailed, st)
		case r.waits(st):
			r.emit(StepWaiting, st)
		}
	}
	return nil
}

func done(group []*state) bool {
	return !slices.ContainsFunc(group, func(st *state) bool { return st.status != Done })
}

// one carries out a single step and leaves the outcome in its state.
func (r *runner) one(ctx context.Context, st *state) {
	var err error
	switch step := st.step.(type) {
	case *dict.RecordStep:
		if step.Action == dict.Update {
			err = r.update(ctx, st, step)
		} else {
			err = r.create(ctx, st, step)
		}
	case *dict.RunStep:
		err = r.runProcess(ctx, st, step)
	default:
		err = fmt.Errorf("a step of type %T cannot be run over the REST API", step)
	}
	if err != nil {
		st.fail(err)
	}
}

// waits reports whether a step cannot be tried because one it needs is not
// done.
func (r *runner) waits(st *state) bool {
	return slices.ContainsFunc(st.step.Needs(), func(key dict.Key) bool { return r.byKey[key].status != Done })
}

func (r *runner) interrupted(ctx context.Context) error {
	done := 0
	for _, st := range r.states {
		if st.status == Done {
			done++
		}
	}
	next := "run the plan again to go on: what is done will be found"
	if r.opts.Checkpoint != "" {
		next = "resume from " + r.opts.Checkpoint
	}
	return fmt.Errorf("interrupted after %d of %d steps (%s): %w", done, len(r.states), next, context.Cause(ctx))
}

// verdict is the error of a run that did everything it could.
func (r *runner) verdict(result *Result) error {
	e := &RunError{Total: len(r.states), Checkpoint: r.opts.Checkpoint,
		Done: result.CountStatus(Done), Waiting: result.CountStatus(Pending)}
	for _, st := range r.states {
		if st.status == Failed {
			e.Failed = append(e.Failed, &StepError{Key: st.step.StepKey(), Title: st.step.Title(), Err: st.err})
		}
	}
	if len(e.Failed) == 0 {
		return nil
	}
	if e.Changed = r.resumed || slices.ContainsFunc(r.states, mayHaveChanged); !e.Changed {
		e.Checkpoint = ""
		return errors.Join(e, r.clear())
	}
	return e
}

// mayHaveChanged reports whether a step changed the ERP, or nobody knows.
func mayHaveChanged(st *state) bool {
	_, process := st.step.(*dict.RunStep)
	return st.status == Done && st.outcome != Found || st.status == Failed && (process || st.unknown || errors.Is(st.err, erp.ErrOutcomeUnknown))
}

func (st *state) result() StepResult {
	s := StepResult{Key: st.step.StepKey(), Title: st.step.Title(), Status: st.status, Earlier: st.earlier, ID: st.recordID(),
		Took: st.took, Attempts: st.attempts, Message: st.message, Differences: st.diffs, Err: st.err}
	if st.status == Done {
		s.Outcome = st.outcome
	}
	return s
}

func (r *runner) emit(kind EventKind, st *state) {
	if r.opts.Observe != nil {
		r.opts.Observe(Event{Kind: kind, Step: st.step, Number: st.number, Total: len(r.states), Result: st.result()})
	}
}

func (r *runner) note(text string) {
	if r.opts.Observe != nil {
		r.opts.Observe(Event{Kind: Note, Total: len(r.states), Text: text})
	}
}
