package restdict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// rename runs the process that renames a table or a column. The ERP does it in one
// transaction, so what the record is called reports whether it is done: before, for a
// run that goes on where another stopped, and after a response that was lost.
func (r *runner) rename(ctx context.Context, st *state, step *dict.RunStep, process *Process, id int64) error {
	params := &erp.ProcessParams{RecordID: id, Table: step.Table, Timeout: r.opts.ProcessTimeout}
	switch step.Purpose {
	case dict.RenameColumn:
		element, ok := r.scalarOf(dict.Ref(step.Rename.Element))
		if !ok {
			return fmt.Errorf("the element %s that the column is to have is not there", step.Rename.To)
		}
		params.Values = map[string]any{"AD_Element_ID": element.num}
	case dict.RenameTable:
		params.Values = map[string]any{"NewTableName": step.Rename.To}
	default:
		return fmt.Errorf("nothing is renamed for the purpose %q", step.Purpose)
	}
	sent, ran := false, false
	for {
		done, err := r.isRenamed(ctx, step, id)
		switch {
		case err == nil && done:
			st.status, st.outcome, st.err = Done, Found, nil
			if sent {
				st.outcome = Ran
			}
			return nil
		case err == nil && ran:
			return fmt.Errorf("the process %q says it renamed %s, but the record still has its old name", process.Value, step.Rename.From)
		case err == nil:
			st.attempts++
			sent = true
			var result *erp.ProcessResult
			if result, err = r.client.RunProcess(ctx, process.Slug, params); result != nil {
				st.message = result.Summary
			}
			if err == nil {
				ran = true
				continue // looked at once more
			}
		}
		if !r.mayRetry(ctx, st, err) {
			return err
		}
		if err := r.pause(ctx, max(st.attempts, 1), err); err != nil {
			return err
		}
	}
}

// isRenamed reports whether the record has its new name.
func (r *runner) isRenamed(ctx context.Context, step *dict.RunStep, id int64) (bool, error) {
	column := "ColumnName"
	if step.Purpose == dict.RenameTable {
		column = "TableName"
	}
	rec, err := r.client.Get(ctx, step.Table, erp.IntID(id), &erp.GetOptions{Select: []string{column}})
	if err != nil {
		return false, err
	}
	name, _ := rec.Text(column)
	switch {
	case strings.EqualFold(name, step.Rename.To):
		return true, nil
	case !strings.EqualFold(name, step.Rename.From):
		return false, fmt.Errorf("%s was to be renamed to %s, but is called %s by now; compare again", step.Rename.From, step.Rename.To, quote(name))
	}
	return false, nil
}

// renames reports whether the plan gives a table its name.
func (r *runner) renames(table string) bool {
	return slices.ContainsFunc(r.states, func(st *state) bool {
		p, ok := st.step.(*dict.RunStep)
		return ok && p.Purpose == dict.RenameTable && strings.EqualFold(p.Rename.To, table)
	})
}

// uuidOf is the UUID of a record that is found by nothing else.
func uuidOf(e dict.Existing) (string, bool) {
	if len(e.Match) != 1 || e.Match[0].Column != e.Table+"_UU" {
		return "", false
	}
	text, ok := e.Match[0].Value.(dict.Text)
	return string(text), ok
}
