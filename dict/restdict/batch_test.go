package restdict_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// refusedPlan is a plan with a column that passes for a definition and that the
// server refuses: a text column without length.
func refusedPlan(t *testing.T) *dict.Plan {
	t.Helper()
	steps := newPlan(t, twentyColumns()).Steps()
	for i, step := range steps {
		rec, ok := step.(*dict.RecordStep)
		if !ok || rec.Key != "AD_Column.XX_Trial.Value" {
			continue
		}
		changed := *rec
		changed.Values = slices.Clone(rec.Values)
		for j, f := range changed.Values {
			if f.Column == "FieldLength" {
				changed.Values[j].Value = dict.Int(0)
			}
		}
		steps[i] = &changed
	}
	plan, err := dict.Assemble("XX_Trial", steps...)
	require.NoError(t, err)
	return plan
}

// What a batch holds is made as a whole or not at all; the refused step is
// named.
func TestBatchRefused(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	result, err := restdict.Run(t.Context(), client, refusedPlan(t), quick(restdict.Options{BatchSize: 15}))
	var run *restdict.RunError
	require.ErrorAs(t, err, &run)
	require.Len(t, run.Failed, 1)
	assert.Equal(t, dict.Key("AD_Column.XX_Trial.Value"), run.Failed[0].Key)
	assert.ErrorIs(t, err, erp.ErrServer, "the server's rule speaks as a 500")
	table, _ := result.Step("XX_Trial")
	id, _ := table.ID.Int()
	made := 0
	for _, s := range result.Steps {
		if s.Outcome == restdict.Created && s.Key != "XX_Trial" && s.Status == restdict.Done {
			made++
		}
	}
	columns := all(t.Context(), t, client, "AD_Column", erp.Eq("AD_Table_ID", id))
	assert.GreaterOrEqual(t, made, len(columns), "nothing is there that the result does not say")

	_, err = restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), quick(restdict.Options{BatchSize: 15}))
	require.NoError(t, err, "the corrected plan goes on from there")
}

// With ContinueOnError the rest of a batch is made all the same.
func TestBatchContinues(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	steps := refusedPlan(t)
	result, err := restdict.Run(t.Context(), client, steps, quick(restdict.Options{BatchSize: 50, ContinueOnError: true}))
	var run *restdict.RunError
	require.ErrorAs(t, err, &run)
	require.Len(t, run.Failed, 1)
	assert.Equal(t, dict.Key("AD_Column.XX_Trial.Value"), run.Failed[0].Key)
	assert.Equal(t, 1, run.Waiting, "the synchronisation")
	name, _ := result.Step("AD_Column.XX_Trial.Name")
	assert.Equal(t, restdict.Created, name.Outcome)
	assert.Contains(t, err.Error(), "AD_Column XX_Trial.Value")
	assert.Contains(t, err.Error(), "run the plan again")
}

// What a refused step takes with it in the same batch stays pending.
func TestBatchContinuesWithoutWhatFailed(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	steps := newPlan(t, twentyColumns()).Steps()
	for i, step := range steps {
		if rec, ok := step.(*dict.RecordStep); ok && rec.Key == "AD_Element.xx_remark" {
			changed := *rec
			changed.Values = slices.Clone(rec.Values)
			changed.Values[0].Value = dict.Text("not a name")
			changed.Match = []dict.Match{{Column: "ColumnName", Value: dict.Text("not a name"), Fold: true}}
			steps[i] = &changed
		}
	}
	plan, err := dict.Assemble("XX_Trial", steps...)
	require.NoError(t, err)
	result, err := restdict.Run(t.Context(), client, plan, quick(restdict.Options{BatchSize: 100, ContinueOnError: true}))
	var run *restdict.RunError
	require.ErrorAs(t, err, &run)
	require.Len(t, run.Failed, 1)
	assert.Equal(t, dict.Key("AD_Element.xx_remark"), run.Failed[0].Key)
	column, _ := result.Step("AD_Column.XX_Trial.XX_Remark")
	assert.Equal(t, restdict.Pending, column.Status)
	assert.NoError(t, column.Err)
	assert.Equal(t, 2, run.Waiting)
}

// Somebody else makes one of the elements after the run has looked: it is used,
// and the batch goes on without it.
func TestBatchMeetsSomebodyElse(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 60} {
		_, client := start(t)
		var other erp.Record
		result, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), quick(restdict.Options{
			BatchSize: size, Observe: func(e restdict.Event) {
				if e.Kind == restdict.StepStarted && e.Step.StepKey() == "XX_Trial" {
					var err error
					other, err = client.Create(t.Context(), "AD_Element", map[string]any{
						"ColumnName": "XX_Remark", "Name": "Remark", "PrintName": "Remark", "EntityType": "U"})
					assert.NoError(t, err)
				}
			}}))
		require.NoError(t, err)
		element, _ := result.Step("AD_Element.xx_remark")
		assert.Equal(t, restdict.Found, element.Outcome)
		assert.Equal(t, other.ID(), element.ID)
		assert.Len(t, all(t.Context(), t, client, "AD_Element", erp.Eq(erp.ToLower("ColumnName"), "xx_remark")), 1)
	}
}

// A server that demands a pause gets it, one that demands too long a pause is
// left alone.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	srv.Faults().On(erptest.Match{Method: "POST", N: 1}, erptest.Fail(503, erptest.RetryAfter(time.Second)))
	began := time.Now()
	_, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), quick(restdict.Options{BatchSize: 100}))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(began), time.Second)

	srv, client = start(t)
	srv.Faults().On(erptest.Match{Method: "POST", N: 1}, erptest.Fail(503, erptest.RetryAfter(time.Hour)))
	for _, size := range []int{1, 100} {
		_, err = restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), quick(restdict.Options{BatchSize: size}))
		if size == 1 {
			require.ErrorIs(t, err, erp.ErrUnavailable)
			assert.Contains(t, err.Error(), "1h0m0s")
			continue
		}
		require.NoError(t, err, "the fault is over")
	}
}
