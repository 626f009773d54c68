package restdict_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

// Every kind of step runs: references, indexes, window, tab, fields, menu,
// access and updates; a second run finds all of it.
func TestRunEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another")
	}
	t.Parallel()
	for _, size := range []int{1, 30, 200} {
		_, client := start(t)
		table := dict.NewTable("XX_Head").WithAccessLevel(dict.AccessAll).With(dict.Templates()...).
			Column(dict.Column{Name: "XX_Code", Type: dict.TypeString, Unique: true}).
			Index(dict.Index{Name: "XX_Head_Date", Columns: []string{"DateAcct", "XX_Code"}}).
			WithWindow(dict.Window{MenuParent: "System Admin", Roles: []int{0}})
		// The embedded ERP builds no indexes, so the database is left alone here.
		plan, err := dict.NewPlan(&dict.Options{NoSync: true}, table)
		require.NoError(t, err)
		options := quick(restdict.Options{BatchSize: size})
		result, err := restdict.Run(t.Context(), client, plan, options)
		require.NoError(t, err)
		assert.Equal(t, plan.Len(), result.CountStatus(restdict.Done))

		window, ok := result.Step("AD_Window.Head")
		require.True(t, ok)
		made, ok := result.Step("XX_Head")
		require.True(t, ok)
		rec, err := client.Get(t.Context(), "AD_Table", made.ID, nil)
		require.NoError(t, err)
		ref, _ := rec.Ref("AD_Window_ID")
		assert.Equal(t, window.ID, ref.ID, "the table knows its window")
		tabs := all(t.Context(), t, client, "AD_Tab", erp.Eq("AD_Window_ID", window.ID))
		require.Len(t, tabs, 1)
		fields := all(t.Context(), t, client, "AD_Field", erp.Eq("AD_Tab_ID", tabs[0].ID()))
		assert.Len(t, fields, len(table.AllColumns()), "one per column")

		again, err := restdict.Run(t.Context(), client, plan, options)
		require.NoError(t, err)
		assert.Zero(t, again.Count(restdict.Created))
		for _, s := range again.Steps {
			assert.Empty(t, s.Differences, s.Title)
		}
	}
}
