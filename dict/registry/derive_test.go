package registry_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// labelOf is what is derived here.
type labelOf struct{ table string }

func TestDerive(t *testing.T) {
	t.Parallel()
	d := shop()
	cache := registry.NewCache(d.Source(), &registry.CacheOptions{FailOnMissing: true})
	require.NoError(t, cache.Load(t.Context()))
	done := 0
	derive := func(reg registry.Registry) (string, error) {
		state := registry.State(reg)
		return registry.Derive(state, labelOf{"C_Order"}, func() (string, error) {
			done++
			table, err := state.Table(t.Context(), "C_Order")
			return fmt.Sprint(table.Label, len(table.Columns)), err
		})
	}
	first, err := derive(cache)
	require.NoError(t, err)
	again, err := derive(cache)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.Equal(t, 1, done, "once for a state")

	other := struct{ registry.Registry }{cache}
	_, err = derive(other)
	require.NoError(t, err)
	assert.Equal(t, 2, done, "a registry without states")

	d.Add("AD_Column", synthdict.Row{"AD_Column_ID": 9_000_001, "AD_Table_ID": tableID(t, cache, "C_Order"), "ColumnName": "XX_New", "AD_Reference_ID": 10})
	changed, err := cache.Refresh(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, changed)
	after, err := derive(cache)
	require.NoError(t, err)
	assert.NotEqual(t, first, after, "the dictionary has changed")
	assert.Equal(t, 3, done)
}

func TestDeriveKeepsNoErrors(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	fail := errors.New("no")
	_, err := registry.Derive(c, labelOf{"x"}, func() (int, error) { return 0, fail })
	require.ErrorIs(t, err, fail)
	got, err := registry.Derive(c, labelOf{"x"}, func() (int, error) { return 7, nil })
	require.NoError(t, err)
	assert.Equal(t, 7, got)
}

// However much is derived, each gets its own.
func TestDeriveMuch(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	for round := range 2 {
		for i := range 1000 {
			got, err := registry.Derive(c, i, func() (int, error) { return i * i, nil })
			require.NoError(t, err)
			require.Equal(t, i*i, got, round)
		}
	}
}

func tableID(t *testing.T, reg registry.Registry, name string) int {
	t.Helper()
	table, err := reg.Table(t.Context(), name, registry.WithoutColumns)
	require.NoError(t, err)
	return table.ID
}
