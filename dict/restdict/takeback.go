package restdict

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// columnTable is the table of the dictionary whose records the database follows.
const columnTable = "AD_Column"

// refusal completes the error of a synchronisation. When the ERP refused it, what
// this run changed in the table's columns is taken back: the ERP reads a table with
// all columns of the dictionary, so one that the database does not have makes every
// read fail. When nobody knows what became of it, the error says what that means.
func (r *runner) refusal(ctx context.Context, step *dict.RunStep, cause error) error {
	var refused *erp.Error
	failed := errors.Is(cause, erp.ErrProcessFailed) || errors.Is(cause, erp.ErrForbidden) || errors.As(cause, &refused) && refused.Status == http.StatusBadRequest
	switch {
	case ctx.Err() != nil:
		return cause
	case !failed:
		return fmt.Errorf("%w; nobody knows whether it ran: until %s is synchronised, reading it may fail", cause, step.Name)
	case r.isNew(step):
		return fmt.Errorf("%w; until it is synchronised, %s is in the dictionary alone, and reading it fails", cause, step.Name)
	}
	back, err := r.takeBack(ctx, step)
	text := ""
	if len(back) > 0 {
		text = "; taken back, so that the dictionary is as the database: " + strings.Join(back, ", ")
	}
	if err != nil {
		return fmt.Errorf("%w%s; this could not be taken back, and until %s is synchronised reading it may fail: %w", cause, text, step.Name, err)
	}
	return fmt.Errorf("%w%s", cause, text)
}

// undoneWith are the table's columns, and what hangs on those that go.
func (r *runner) undoneWith(sync *dict.RunStep) map[dict.Key]bool {
	undo := map[dict.Key]bool{}
	for _, key := range sync.Needs() {
		rec, ok := r.byKey[key].step.(*dict.RecordStep)
		if ok && rec.Table == columnTable && strings.HasPrefix(strings.ToLower(rec.Name), strings.ToLower(sync.Name)+".") {
			undo[key] = true
		}
	}
	for _, st := range r.states {
		needs := func(key dict.Key) bool { return undo[key] && r.byKey[key].outcome == Created }
		if st.status == Done && slices.ContainsFunc(st.step.Needs(), needs) {
			undo[st.step.StepKey()] = true
		}
	}
	return undo
}

// takeBack undoes what the run did to the columns of a table, and to what hangs on
// them, the last first. It returns the names of the columns.
func (r *runner) takeBack(ctx context.Context, sync *dict.RunStep) (names []string, err error) {
	undo := r.undoneWith(sync)
	for _, st := range slices.Backward(r.states) {
		step, ok := st.step.(*dict.RecordStep)
		if !ok || !undo[step.Key] || st.status != Done {
			continue
		}
		done, failed := r.takeBackOne(ctx, st, step, undo)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", step.Name, failed))
			continue
		}
		if done && step.Table == columnTable && !slices.Contains(names, step.Name) {
			names = append(names, step.Name)
		}
	}
	slices.Reverse(names)
	return names, err
}

// takeBackOne undoes one step, unless it left the ERP as it was.
func (r *runner) takeBackOne(ctx context.Context, st *state, step *dict.RecordStep, undo map[dict.Key]bool) (bool, error) {
	switch st.outcome {
	case Created:
		if err := r.client.Delete(ctx, step.Table, st.recordID()); err != nil && !errors.Is(err, erp.ErrNotFound) {
			return false, err
		}
	case Changed:
		if of := r.byKey[step.Of]; of != nil && undo[step.Of] && of.outcome == Created {
			break // it goes with its record
		}
		if st.before == nil {
			return false, errors.New("an earlier run changed it, and what it was is not known")
		}
		if _, err := r.client.Update(ctx, step.Table, st.recordID(), st.before); err != nil {
			return false, err
		}
	default:
		return false, nil
	}
	st.status, st.outcome, st.earlier, st.looked = Pending, "", false, false
	st.id, st.uuid, st.created = 0, "", ""
	return true, nil
}

// before are the values of a record that an update replaces, nil for a record that
// the database does not follow.
func before(step *dict.RecordStep, rec erp.Record) map[string]any {
	if step.Table != columnTable {
		return nil
	}
	values := map[string]any{}
	for _, f := range step.Values {
		if !unwritable(step.Table, f.Column) {
			values[f.Column] = valueBefore(rec, f)
		}
	}
	return values
}

// valueBefore is the value of a record in the form in which it is written.
func valueBefore(rec erp.Record, f dict.ColumnValue) any {
	switch f.Value.(type) {
	case dict.Text:
		return columnText(rec, f.Column)
	case dict.YesNo:
		flag, _ := rec.Bool(f.Column)
		return flag
	}
	if ref, ok := rec.Ref(f.Column); ok {
		if id, ok := ref.ID.Int(); ok {
			return id
		}
		return ref.Code()
	}
	if number, ok := rec.Decimal(f.Column); ok {
		if whole, ok := number.Int64(); ok {
			return whole
		}
	}
	return -1 // which the REST API takes for none
}
