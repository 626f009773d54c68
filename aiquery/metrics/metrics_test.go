package metrics_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

// The built-in definitions are right by their own rules, and name tables and columns
// that there are.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	set, err := metrics.Builtin()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(set.Definitions()), 18)
	problems, err := set.Check(t.Context(), nil)
	require.NoError(t, err)
	for _, p := range problems {
		t.Error(p)
	}
	db := erptest.New(t).Database()
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	source, err := dbdict.New(db, dbdict.SQLite, nil)
	require.NoError(t, err)
	reg, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	problems, err = set.Check(t.Context(), reg)
	require.NoError(t, err)
	for _, p := range problems {
		t.Error(p)
	}
	for _, d := range set.Definitions() {
		assert.True(t, d.Source().Builtin, d.Name)
		assert.NotEmpty(t, d.Date.About, d.Name)
		if d.Currency != nil {
			assert.NotEmpty(t, d.Currency.About, d.Name)
		}
		assert.Equal(t, strings.Contains(d.SQL, "docstatus IN ("), len(d.Statuses) > 0, "%s: say which statuses count", d.Name)
		for _, m := range d.Measures {
			if m.Unit == metrics.Days && d.Date.Kind == metrics.Period { // what has not ended has no days
				assert.NotEmpty(t, d.Excluded, "%s: %s", d.Name, m.Name)
			}
			assert.NotEmpty(t, m.Title, "%s: %s", d.Name, m.Name)
		}
		for _, dim := range d.AllDimensions() {
			assert.NotEmpty(t, dim.Title, "%s: %s", d.Name, dim.Name)
		}
	}
}
