package diff_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
)

// A caller can read from the changes what a plan will do, and planning leaves
// the result as it is: the same result gives the same plan again.
func TestPlanFromValues(t *testing.T) {
	t.Parallel()
	client := start(t)
	apply(t, client, base())
	changed := base()
	column(&changed, "XX_Text").Label = "Words"
	drop(&changed, "XX_Must")
	changed = changed.Column(dict.Column{Name: "XX_New", Type: dict.TypeDate})
	result := compare(t, client, changed)

	changes := map[string]diff.Change{}
	for _, c := range result.Changes {
		changes[string(c.Action)+" "+c.Name] = c
	}
	made := changes["create XX_Case.XX_New"]
	step, ok := result.Wanted.Step(made.Step)
	require.True(t, ok, "%+v", made)
	assert.Equal(t, "create AD_Column XX_Case.XX_New", step.Title())
	assert.NotContains(t, result.Found, made.Step)
	updated := changes["update XX_Case.XX_Text"]
	require.Len(t, updated.Attributes, 1)
	assert.Equal(t, dict.Text("Words"), updated.Attributes[0].Value)
	assert.Equal(t, updated.Record, result.Found[updated.Step])
	removed := changes["remove XX_Case.XX_Must"]
	assert.Equal(t, "AD_Column", removed.Record.Table)
	assert.True(t, removed.MakeOptional)

	first, err := diff.NewPlan(result, nil)
	require.NoError(t, err)
	_, synced := first.Step("sync.XX_Case")
	assert.True(t, synced)
	all, err := diff.NewPlan(result, &diff.PlanOptions{SynchroniseAll: true})
	require.NoError(t, err)
	_, built := all.Step("index.xx_case_text")
	assert.True(t, built, "an index without changes")
	again, err := diff.NewPlan(result, nil)
	require.NoError(t, err)
	assert.Equal(t, first.Fingerprint(), again.Fingerprint())

	_, err = diff.NewPlan(&diff.Result{Changes: result.Changes}, nil)
	require.ErrorContains(t, err, "Compare")
}
