package restdict

import (
	"context"
	"errors"
	"fmt"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// sinceEver makes the synchronisation look at every column of a table instead
// of one.
const sinceEver = "1970-01-01T00:00:00Z"

// mayRetry counts a conflict among the errors that pass: the process is running.
func (r *runner) mayRetry(ctx context.Context, st *state, err error) bool {
	return ctx.Err() == nil && (erp.Retryable(err) || errors.Is(err, erp.ErrConflict)) && st.attempts < r.opts.Attempts
}

// runProcess runs the process of a step. Synchronising and building an index
// say what the database is to be like, so they may be retried when the response
// is lost; other processes are run once.
func (r *runner) runProcess(ctx context.Context, st *state, step *dict.RunStep) error {
	process := r.processes[step.Purpose]
	record, ok := r.scalarOf(step.Record)
	if !ok || record.kind != 'n' {
		return fmt.Errorf("the record to run process %q on is not there", process.Value)
	}
	if step.Rename != nil {
		return r.rename(ctx, st, step, process, record.num)
	}
	params := &erp.ProcessParams{RecordID: record.num, Table: step.Table, Timeout: r.opts.ProcessTimeout}
	if step.Purpose == dict.SyncTable && !r.isNew(step) {
		params.Values = map[string]any{"DateFrom": sinceEver}
	}
	retryable := step.Purpose == dict.SyncTable || step.Purpose == dict.ValidateIndex
	for {
		st.attempts++
		result, err := r.client.RunProcess(ctx, process.Slug, params)
		if result != nil {
			st.message = result.Summary
		}
		if err == nil {
			st.status, st.outcome, st.err = Done, Ran, nil
			return nil
		}
		if !retryable || !r.mayRetry(ctx, st, err) {
			if step.Purpose == dict.SyncTable {
				err = r.refusal(ctx, step, err)
			}
			return err
		}
		if err := r.pause(ctx, st.attempts, err); err != nil {
			return err
		}
	}
}

// isNew reports whether this run, or the earlier one it goes on with, made the
// table: then the database does not have it, and one call makes it with all
// columns. Otherwise columns may be missing, whoever made them.
func (r *runner) isNew(step *dict.RunStep) bool {
	st := r.byKey[dict.Key(step.Name)]
	return st != nil && st.status == Done && st.outcome == Created
}
