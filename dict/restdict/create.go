package restdict

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// create makes the record of a step. Whatever goes wrong, the record is looked
// up before anything is tried again: a lost response does not create it twice.
func (r *runner) create(ctx context.Context, st *state, step *dict.RecordStep) error {
	if err := st.err; errors.Is(err, ErrInactive) {
		return err
	}
	body, err := r.body(step)
	if err != nil {
		return err
	}
	for {
		st.attempts++
		rec, err := r.client.Create(ctx, step.Table, body)
		if err == nil {
			st.made(rec)
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		lost := erp.Retryable(err)
		if lost && st.attempts < r.opts.Attempts {
			if err := r.pause(ctx, st.attempts, err); err != nil {
				return err
			}
		}
		found, lookErr := r.lookUp(ctx, st, step)
		if found {
			if st.outcome == Found && lost {
				st.outcome = Created // ours: its response was lost
			}
			return st.err
		}
		if lookErr != nil {
			return errors.Join(err, fmt.Errorf("checking whether the ERP created it nevertheless: %w", lookErr))
		}
		if !lost || st.attempts >= r.opts.Attempts {
			return err
		}
	}
}

// made marks a step whose record was created.
func (st *state) made(rec erp.Record) {
	st.take(rec)
	if step, ok := st.step.(*dict.RecordStep); ok && st.uuid == "" {
		st.uuid = string(step.UUID)
	}
	st.status, st.outcome, st.err = Done, Created, nil
}

// take notes which record of the ERP is the step's.
func (st *state) take(rec erp.Record) {
	st.id, _ = rec.ID().Int()
	st.uuid = rec.UUID()
	st.created, _ = rec.Text("Created")
}

// lookUp finds out whether the record of one step is there: by UUID, then by
// name.
func (r *runner) lookUp(ctx context.Context, st *state, step *dict.RecordStep) (bool, error) {
	if step.UUID != "" {
		rec, err := r.client.Get(ctx, step.Table, erp.UUID(string(step.UUID)), nil)
		if err == nil {
			r.found(st, step, rec)
			return true, nil
		}
		if !errors.Is(err, erp.ErrNotFound) {
			return false, err
		}
	}
	st.looked = false
	if err := r.inventory(ctx, []*state{st}); err != nil {
		return false, err
	}
	return st.status == Done || errors.Is(st.err, ErrInactive), nil
}

// update changes the record that an earlier step made or found. It may be
// retried, because it says what the record is to be.
func (r *runner) update(ctx context.Context, st *state, step *dict.RecordStep) error {
	id, err := r.updated(ctx, st, step)
	if err != nil {
		return err
	}
	body, err := r.body(step)
	if err != nil {
		return err
	}
	for {
		st.attempts++
		rec, err := r.client.Update(ctx, step.Table, id, body)
		st.unknown = st.unknown || errors.Is(err, erp.ErrOutcomeUnknown)
		if err == nil {
			st.take(rec)
			st.status, st.outcome, st.err = Done, Changed, nil
			return nil
		}
		if ctx.Err() != nil || !erp.Retryable(err) || st.attempts >= r.opts.Attempts {
			return err
		}
		if err := r.pause(ctx, st.attempts, err); err != nil {
			return err
		}
	}
}

// updated is the record that an update changes. What it replaces is remembered.
func (r *runner) updated(ctx context.Context, st *state, step *dict.RecordStep) (erp.ID, error) {
	if step.Of != "" {
		return r.byKey[step.Of].recordID(), nil
	}
	var conditions []erp.Filter
	for _, m := range step.Match {
		s, ok := r.scalarOf(m.Value)
		if !ok {
			return erp.ID{}, fmt.Errorf("what %s is found by is not there", step.Table)
		}
		conditions = append(conditions, condition(m.Column, s, m.Fold))
	}
	page, err := r.client.Query(ctx, step.Table, &erp.Query{Filter: erp.ActiveOrNot(erp.And(conditions...)), Top: 2})
	if err != nil {
		return erp.ID{}, err
	}
	if len(page.Records) != 1 {
		return erp.ID{}, fmt.Errorf("there are %d records in %s with %s, one is needed", len(page.Records), step.Table, describe(step.Match))
	}
	st.before = before(step, page.Records[0])
	return page.Records[0].ID(), nil
}

// fatal reports whether an error will meet every further step too.
func fatal(err error) bool {
	return errors.Is(err, erp.ErrUnreachable) || errors.Is(err, erp.ErrTimeout) || errors.Is(err, erp.ErrUnavailable) ||
		errors.Is(err, erp.ErrUnauthorized)
}

// pause waits before another attempt.
func (r *runner) pause(ctx context.Context, attempt int, cause error) error {
	wait := time.Duration(0)
	if r.opts.RetryWait > 0 {
		wait = r.opts.RetryWait << min(attempt-1, 10)
		wait -= rand.N(wait/2 + 1)
	}
	var erpErr *erp.Error
	if errors.As(cause, &erpErr) && erpErr.RetryAfter > wait {
		if erpErr.RetryAfter > maxRetryAfter {
			return fmt.Errorf("the server wants the next attempt after %s, which is longer than this run waits: %w", erpErr.RetryAfter, cause)
		}
		wait = erpErr.RetryAfter
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
