package registrytest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
)

// Agree compares everything two registries say, one record at a time, so that
// the first difference is readable. Statistics are compared but for origin and
// time.
func Agree(t testing.TB, want, got registry.Registry) {
	t.Helper()
	ctx := t.Context()
	all := registry.ListQuery{Inactive: true}

	tables := lists(t, all, want.Tables, got.Tables)
	for _, item := range tables {
		id := fmt.Sprint(item.ID) // names may be there twice
		w, err := want.Table(ctx, id, registry.WithInactive)
		require.NoError(t, err)
		g, err := got.Table(ctx, id, registry.WithInactive)
		require.NoError(t, err)
		if assert.ObjectsAreEqual(w, g) {
			continue
		}
		require.Len(t, g.Columns, len(w.Columns), "columns of %s", item.Name)
		for i := range w.Columns {
			require.Equal(t, w.Columns[i], g.Columns[i], "column of %s", item.Name)
		}
		require.Equal(t, w, g)
	}
	for _, item := range lists(t, all, want.Windows, got.Windows) {
		describe(t, item.ID, want.Window, got.Window)
	}
	for _, item := range lists(t, all, want.Processes, got.Processes) {
		describe(t, item.ID, want.Process, got.Process)
	}
	for _, item := range lists(t, all, want.References, got.References) {
		describe(t, item.ID, want.Reference, got.Reference)
	}
	w, err := want.Statistics(ctx)
	require.NoError(t, err)
	g, err := got.Statistics(ctx)
	require.NoError(t, err)
	g.Origin, g.Loaded = w.Origin, w.Loaded
	require.Equal(t, w, g)
}

type listing[T any] = func(ctx ctx, q registry.ListQuery) (registry.Listing[T], error)

func lists[T any](t testing.TB, q registry.ListQuery, want, got listing[T]) []T {
	t.Helper()
	w, err := want(t.Context(), q)
	require.NoError(t, err)
	require.NotEmpty(t, w.Items, "nothing to compare")
	g, err := got(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, w.Total, g.Total)
	for i := range w.Items {
		require.Equal(t, w.Items[i], g.Items[i])
	}
	return w.Items
}

type description[T any] = func(ctx ctx, name string, with ...registry.Detail) (T, error)

func describe[T any](t testing.TB, id int, want, got description[T]) {
	t.Helper()
	w, err := want(t.Context(), fmt.Sprint(id), registry.WithInactive)
	require.NoError(t, err)
	g, err := got(t.Context(), fmt.Sprint(id), registry.WithInactive)
	require.NoError(t, err)
	require.Equal(t, w, g)
}
