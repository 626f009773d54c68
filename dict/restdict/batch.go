package restdict

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// batchable reports whether a step may travel with others. A text such as the default
// @#AD_Client_ID@ would be replaced in a batch by servers that know references there.
func (r *runner) batchable(st *state) bool {
	rec, ok := st.step.(*dict.RecordStep)
	return ok && r.opts.BatchSize > 1 && !r.noBatch && rec.Action != dict.Update && st.err == nil &&
		!slices.ContainsFunc(rec.Values, func(v dict.ColumnValue) bool {
			text, ok := v.Value.(dict.Text)
			return ok && erp.IsBatchReference(string(text))
		})
}

// gather collects the steps of a batch from the one at first on: records to be
// made that need nothing but what is done or comes earlier in the batch. It
// returns the place of the last step that was looked at.
func (r *runner) gather(first int) (group []*state, last int) {
	inside := map[dict.Key]bool{}
	last = first
	for i := first; i < len(r.states) && len(group) < r.opts.BatchSize; i++ {
		st := r.states[i]
		if st.status == Done {
			last = i
			r.emit(StepSkipped, st)
			continue
		}
		if !r.batchable(st) {
			break
		}
		ready := true
		ensured := st.step.(*dict.RecordStep).Action == dict.Ensure
		for _, key := range st.step.Needs() {
			// The server may make by itself what is only ensured, along with what
			// it belongs to, such as a role's access to a new window. Refusing it
			// a second time would undo the batch, so it waits for the next one.
			ready = ready && (inside[key] && !ensured || r.byKey[key].status == Done)
		}
		if !ready {
			break
		}
		inside[st.step.StepKey()] = true
		group = append(group, st)
		last = i
	}
	return group, last
}

// batch makes the records of several steps in one request. In one transaction
// the first refusal undoes the whole request, so nothing after it is made; with
// ContinueOnError each record stands for itself.
func (r *runner) batch(ctx context.Context, left []*state) {
	for attempt := 1; len(left) > 0; attempt++ {
		requests, ok := r.requests(left)
		if !ok {
			return
		}
		results, err := r.client.Batch(ctx, requests, erp.BatchOptions{PerRequest: r.opts.ContinueOnError})
		var refused *erp.BatchError
		switch {
		case err == nil:
			r.takeResults(ctx, left, results)
			return
		case ctx.Err() != nil:
			return // the next run finds out what became of it
		case batchless(err):
			r.noBatch = true
			r.note("the server does not take this batch: going on record by record")
			r.singly(ctx, left)
			return
		case errors.As(err, &refused):
			left = r.afterRefusal(ctx, left, refused)
		case erp.Retryable(err):
			left = r.afterSilence(ctx, left, attempt, err)
		default:
			left[0].fail(err)
			return
		}
	}
}

// afterRefusal checks whether the record that the server refused exists: then
// somebody else made it in the meantime, and the batch is sent again without
// it. It returns the steps to send again.
func (r *runner) afterRefusal(ctx context.Context, left []*state, refused *erp.BatchError) []*state {
	blamed := left[refused.Index]
	there, err := r.lookUp(ctx, blamed, blamed.step.(*dict.RecordStep))
	switch {
	case there && blamed.status == Done:
		return pending(left)
	case there:
		blamed.fail(blamed.err)
	case err != nil:
		blamed.fail(errors.Join(refused.Err, fmt.Errorf("checking whether it is there: %w", err)))
	default:
		blamed.fail(refused.Err)
	}
	return nil
}

// afterSilence finds out what became of a batch that got no clear response, and
// returns the steps to send again.
func (r *runner) afterSilence(ctx context.Context, left []*state, attempt int, cause error) []*state {
	if attempt < r.opts.Attempts {
		if err := r.pause(ctx, attempt, cause); err != nil {
			left[0].fail(err)
			return nil
		}
	}
	for _, st := range left {
		st.looked = false
	}
	if err := r.inventory(ctx, left); err != nil {
		left[0].fail(errors.Join(cause, fmt.Errorf("checking what the ERP created nevertheless: %w", err)))
		return nil
	}
	for _, st := range left {
		if st.status == Done {
			st.outcome = Created // ours: the response was lost
		} else if st.err != nil {
			st.fail(st.err)
			return nil
		}
	}
	left = pending(left)
	if attempt >= r.opts.Attempts && len(left) > 0 {
		left[0].fail(cause)
		return nil
	}
	return left
}

func (st *state) fail(err error) { st.status, st.err = Failed, err }

func pending(states []*state) []*state {
	var left []*state
	for _, st := range states {
		if st.status == Pending {
			left = append(left, st)
		}
	}
	return left
}

// takeResults marks the steps by the responses to their requests.
func (r *runner) takeResults(ctx context.Context, states []*state, results []erp.BatchResult) {
	for i, st := range states {
		err := results[i].Err()
		if err == nil {
			rec, parseErr := results[i].Record()
			if parseErr == nil {
				st.made(rec)
				continue
			}
			err = parseErr
		}
		if r.waits(st) {
			continue // refused because of what it needs; it is tried when that is done
		}
		there, lookErr := r.lookUp(ctx, st, st.step.(*dict.RecordStep))
		switch {
		case there && st.status == Done:
		case there:
			st.fail(st.err)
		case lookErr != nil:
			st.fail(errors.Join(err, fmt.Errorf("checking whether it is there: %w", lookErr)))
		default:
			st.fail(err)
		}
	}
}

// requests builds the batch. A step that cannot be sent is marked as failed.
func (r *runner) requests(states []*state) ([]erp.BatchRequest, bool) {
	requests := make([]erp.BatchRequest, len(states))
	for i, st := range states {
		step := st.step.(*dict.RecordStep)
		body, err := r.body(step)
		if err != nil {
			st.fail(err)
			return nil, false
		}
		st.attempts++
		requests[i] = erp.BatchCreate(step.Table, body)
	}
	return requests, true
}

// batchless reports whether the server does not know batches, or none of this
// size.
func batchless(err error) bool {
	var erpErr *erp.Error
	if !errors.As(err, &erpErr) {
		return false
	}
	switch erpErr.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusRequestEntityTooLarge:
		return true
	}
	return false
}

// singly makes the records one by one.
func (r *runner) singly(ctx context.Context, states []*state) {
	for _, st := range states {
		if r.waits(st) {
			continue
		}
		r.one(ctx, st)
		if st.err != nil && (!r.opts.ContinueOnError || fatal(st.err)) || ctx.Err() != nil {
			return
		}
	}
}
