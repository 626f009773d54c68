package registrytest

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
)

type ctx = context.Context

// Subject is a source with what the suite needs to know about it.
type Subject struct {
	Source registry.Source
	// Want is what the source has to give, from another source; nil: not
	// compared.
	Want registry.Registry
	// Table is a table that the suite renames the label of, by Relabel.
	Table string
	// Relabel writes the label of Table and of nothing else, as the ERP does.
	Relabel func(t *testing.T, label string)
	// Drop deletes a column of Table and nothing else, and names it; nil: not
	// tested.
	Drop func(t *testing.T) string
}

// Run runs the suite. Cases share the subject's ERP and run in order.
func Run(t *testing.T, s Subject) {
	path := filepath.Join(t.TempDir(), "dictionary")
	counted := &counting{Source: s.Source}
	var loaded *registry.Cache
	cache := func(t *testing.T) *registry.Cache { // the one of all cases: reading a dictionary takes most of their time
		t.Helper()
		if loaded == nil {
			c := registry.NewCache(counted, &registry.CacheOptions{Snapshot: path, FailOnMissing: true})
			require.NoError(t, c.Load(t.Context()))
			loaded = c
		}
		return loaded
	}
	t.Run("gives what the other source gives", func(t *testing.T) {
		if s.Want == nil {
			t.Skip("no other source to compare with")
		}
		got, err := registry.LoadCatalog(t.Context(), s.Source)
		require.NoError(t, err)
		Agree(t, s.Want, got)
	})
	t.Run("gives the rows that meet a condition", func(t *testing.T) { s.conditions(t) })
	t.Run("says the same of a part", func(t *testing.T) { s.scopes(t) })
	t.Run("survives the disk", func(t *testing.T) { s.snapshot(t, cache(t), path) })
	t.Run("sees changes and reads no more than them", func(t *testing.T) { s.changes(t, cache(t), counted) })
	t.Run("sees a deletion", func(t *testing.T) {
		if s.Drop == nil {
			t.Skip("the subject cannot delete")
		}
		s.deletion(t, cache(t))
	})
	t.Run("stops when the context ends", func(t *testing.T) { s.cancelled(t) })
	t.Run("names itself without secrets", func(t *testing.T) {
		require.NotEmpty(t, s.Source.Origin())
		require.NotContains(t, strings.ToLower(s.Source.Origin()), "password")
		require.NotContains(t, s.Source.Origin(), "@")
	})
}

func (s Subject) snapshot(t *testing.T, first *registry.Cache, path string) {
	// The second cache cannot read, so all it has is from the file.
	second := registry.NewCache(silent{s.Source.Origin()}, &registry.CacheOptions{Snapshot: path, SnapshotAge: time.Hour, FailOnMissing: true,
		Logger: failing(t)})
	require.NoError(t, second.Load(t.Context()))
	Agree(t, first, second)
}

func (s Subject) changes(t *testing.T, cache *registry.Cache, counted *counting) {
	before := cache.Catalog()
	s.settle(t, cache)

	counted.whole = nil
	s.Relabel(t, "Changed Label")
	changed, err := cache.Refresh(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"AD_Table"}, changed)
	assert.Empty(t, counted.whole, "tables read as a whole after one row changed")
	table, err := cache.Table(t.Context(), s.Table)
	require.NoError(t, err)
	assert.Equal(t, "Changed Label", table.Label)
	assert.NotEmpty(t, table.Columns, "columns were lost although they did not change")

	old, err := before.Table(t.Context(), s.Table)
	require.NoError(t, err)
	assert.NotEqual(t, "Changed Label", old.Label, "a catalog changed under its reader")

	// A second change in the same second must not be lost.
	s.Relabel(t, "Changed Again")
	_, err = cache.Refresh(t.Context())
	require.NoError(t, err)
	table, err = cache.Table(t.Context(), s.Table)
	require.NoError(t, err)
	assert.Equal(t, "Changed Again", table.Label)
}

// settle refreshes until nothing counts as changed: what was written shortly
// before may be read once more.
func (s Subject) settle(t *testing.T, cache *registry.Cache) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		changed, err := cache.Refresh(ctx)
		require.NoError(t, err)
		if len(changed) == 0 {
			return
		}
	}
}

func (s Subject) deletion(t *testing.T, cache *registry.Cache) {
	name := s.Drop(t)
	table, err := cache.Table(t.Context(), s.Table)
	require.NoError(t, err)
	_, there := table.Column(name)
	require.True(t, there)

	changed, err := cache.Refresh(t.Context())
	require.NoError(t, err)
	assert.Contains(t, changed, "AD_Column")
	table, err = cache.Table(t.Context(), s.Table)
	require.NoError(t, err)
	_, there = table.Column(name)
	assert.False(t, there, "%s is still there", name)
}

func (s Subject) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := registry.LoadCatalog(ctx, s.Source)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Source.Stamps(ctx, registry.SourceTables())
	require.ErrorIs(t, err, context.Canceled)

	// Without the flag a start goes on without the ERP, but not without its
	// caller.
	require.ErrorIs(t, registry.NewCache(s.Source, nil).Load(ctx), context.Canceled)
}

// counting notes which tables are read as a whole.
type counting struct {
	registry.Source
	whole []string
}

func (c *counting) Read(ctx ctx, tables []registry.SourceTable, sink registry.Sink) ([]registry.Stamp, error) {
	stamps, err := c.Source.Read(ctx, tables, sink)
	for i := range stamps {
		if !stamps[i].Partial {
			c.whole = append(c.whole, tables[i].Name)
		}
	}
	return stamps, err
}

// silent is a source that cannot be read.
type silent struct{ origin string }

var errSilent = errors.New("the source cannot be read")

func (s silent) Origin() string { return s.origin }

func (silent) Stamps(ctx, []registry.SourceTable) ([]registry.Stamp, error) { return nil, errSilent }

func (silent) Read(ctx, []registry.SourceTable, registry.Sink) ([]registry.Stamp, error) {
	return nil, errSilent
}

// failing is a logger for caches that have nothing to complain about.
func failing(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(complaint{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

type complaint struct{ t *testing.T }

func (c complaint) Write(line []byte) (int, error) {
	c.t.Errorf("logged: %s", line)
	return len(line), nil
}
