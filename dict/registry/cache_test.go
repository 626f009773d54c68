package registry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/registrytest"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// later is when tests change something.
var later = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

func TestMemorySuite(t *testing.T) {
	t.Parallel()
	d := synthdict.New(synthdict.Options{Tables: 40, Columns: 900})
	when := later
	tables, err := catalog(t, d).Tables(t.Context(), registry.ListQuery{Limit: 1})
	require.NoError(t, err)
	table, err := catalog(t, d).Table(t.Context(), tables.Items[0].Name)
	require.NoError(t, err)
	registrytest.Run(t, registrytest.Subject{
		Source: d.Source(), Want: catalog(t, synthdict.New(synthdict.Options{Tables: 40, Columns: 900})), Table: table.Name,
		Relabel: func(_ *testing.T, label string) {
			when = when.Add(time.Second)
			d.Update("AD_Table", table.ID, when, synthdict.Row{"Name": label})
		},
		Drop: func(*testing.T) string {
			last := table.Columns[len(table.Columns)-1]
			d.Delete("AD_Column", last.ID)
			return last.Name
		},
	})
}

func TestRefreshReadsWhatChanged(t *testing.T) {
	t.Parallel()
	d := shop()
	source := d.Source()
	cache := registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true})
	require.NoError(t, cache.Load(t.Context()))
	before := cache.Catalog()

	changed, err := cache.Refresh(t.Context())
	require.NoError(t, err)
	assert.Empty(t, changed)
	assert.Same(t, before, cache.Catalog())
	assert.Equal(t, 1, source.Reads("AD_Column"))

	d.Add("AD_Process", synthdict.Row{"AD_Process_ID": 182, "Value": "New", "Name": "New"})
	d.Update("AD_Element", 289, later, synthdict.Row{"Name": "State"})
	changed, err = cache.Refresh(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"AD_Element", "AD_Process"}, changed)
	assert.Equal(t, 1, source.Reads("AD_Column"), "columns did not change")
	table, err := cache.Table(t.Context(), "C_Order")
	require.NoError(t, err)
	status, _ := table.Column("DocStatus")
	assert.Equal(t, "State", status.ElementName, "a column shows its element as it is now")
	registrytest.Agree(t, catalog(t, d), cache)
	registrytest.Agree(t, catalog(t, shop()), before) // catalogs do not change
}

func TestCacheWithoutERP(t *testing.T) {
	t.Parallel()
	broken := errors.New("no route to host")
	snapshot := filepath.Join(t.TempDir(), "dictionary")
	for _, tt := range []struct {
		name     string
		snapshot bool
		strict   bool
		fails    bool
		tables   int
		logged   string
	}{
		{"nothing at all", false, false, false, 0, "the dictionary is empty until a refresh succeeds"},
		{"with a snapshot", true, false, false, 5, "using the snapshot"},
		{"strict", false, true, true, 0, ""},
		{"strict with a snapshot", true, true, true, 5, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := shop().Source()
			opts := &registry.CacheOptions{FailOnMissing: tt.strict}
			if tt.snapshot {
				opts.Snapshot = snapshot
				require.NoError(t, registry.NewCache(source, opts).Load(t.Context()))
			}
			var log bytes.Buffer
			opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
			source.Err = broken
			cache := registry.NewCache(source, opts)
			err := cache.Load(t.Context())
			if tt.fails {
				require.ErrorIs(t, err, broken)
				require.ErrorContains(t, err, "memory")
			} else {
				require.NoError(t, err)
				assert.Contains(t, log.String(), tt.logged)
				assert.Contains(t, log.String(), "level=WARN")
			}
			s, err := cache.Statistics(t.Context())
			require.NoError(t, err)
			assert.Equal(t, tt.tables, s.Tables)

			// The ERP comes back.
			source.Err = nil
			_, err = cache.Refresh(t.Context())
			require.NoError(t, err)
			registrytest.Agree(t, catalog(t, shop()), cache)
		})
	}
}

// A dictionary that has no tables is one that the role may not see.
func TestEmptyDictionaryIsAnError(t *testing.T) {
	t.Parallel()
	_, err := registry.LoadCatalog(t.Context(), synthdict.Empty().Source())
	require.ErrorContains(t, err, "no tables or no columns")

	source := shop().Source()
	cache := registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true})
	require.NoError(t, cache.Load(t.Context()))
	source.Missing = map[string]bool{"AD_Table": true}
	_, err = cache.Refresh(t.Context())
	require.ErrorContains(t, err, "hidden")
	registrytest.Agree(t, catalog(t, shop()), cache)
}

func TestHiddenParts(t *testing.T) {
	t.Parallel()
	source := shop().Source()
	source.Missing = map[string]bool{"AD_Field": true, "AD_Reference": true, "AD_Element": true, "AD_Val_Rule": true, "AD_Ref_Table": true}
	c, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	table, err := c.Table(t.Context(), "C_Order")
	require.NoError(t, err)
	partner, _ := table.Column("C_BPartner_ID")
	assert.Equal(t, "C_BPartner", partner.ForeignTable)
	_, err = c.Reference(t.Context(), "131")
	require.ErrorContains(t, err, "may not be loaded yet")
	_, err = c.Search(t.Context(), registry.SearchQuery{Text: "order"})
	require.NoError(t, err)
}

func TestSnapshotAge(t *testing.T) {
	t.Parallel()
	snapshot := filepath.Join(t.TempDir(), "dictionary")
	d := shop()
	require.NoError(t, registry.NewCache(d.Source(), &registry.CacheOptions{Snapshot: snapshot}).Load(t.Context()))
	d.Update("AD_Table", 259, later, synthdict.Row{"Name": "Renamed"})
	label := func(age time.Duration) string {
		cache := registry.NewCache(d.Source(), &registry.CacheOptions{Snapshot: snapshot, SnapshotAge: age, FailOnMissing: true})
		require.NoError(t, cache.Load(t.Context()))
		table, err := cache.Table(t.Context(), "C_Order")
		require.NoError(t, err)
		return table.Label
	}
	assert.Equal(t, "Order", label(time.Hour), "young enough")
	require.NoError(t, os.Chtimes(snapshot, time.Now(), time.Now().Add(2*time.Hour)))
	assert.Equal(t, "Renamed", label(time.Hour), "a time to come is no proof of youth")
	d.Update("AD_Table", 259, later.Add(time.Second), synthdict.Row{"Name": "Again"})
	require.NoError(t, os.Chtimes(snapshot, time.Now(), time.Now().Add(-2*time.Hour)))
	assert.Equal(t, "Again", label(time.Hour), "too old")
	require.NoError(t, os.Chtimes(snapshot, time.Now(), time.Now().Add(-2*time.Hour)))
	assert.Equal(t, "Again", label(0))
	st, err := os.Stat(snapshot)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), st.ModTime(), time.Minute, "found unchanged, so it is young again")
}

func TestSnapshotsThatAreOfNoUse(t *testing.T) {
	t.Parallel()
	good := filepath.Join(t.TempDir(), "dictionary")
	require.NoError(t, registry.NewCache(shop().Source(), &registry.CacheOptions{Snapshot: good}).Load(t.Context()))
	data, err := os.ReadFile(good)
	require.NoError(t, err)
	if st, err := os.Stat(good); runtime.GOOS != "windows" && assert.NoError(t, err) {
		assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	}
	change := func(at int, to byte) []byte {
		out := bytes.Clone(data)
		out[at] = to
		return out
	}
	for name, content := range map[string][]byte{
		"empty":         {},
		"short":         data[:20],
		"truncated":     data[:len(data)-1],
		"longer":        append(bytes.Clone(data), 0),
		"other format":  []byte("PK\x03\x04 something else altogether, a zip for example"),
		"other version": change(8, data[8]+1),
		"a bit flipped": change(len(data)/2, data[len(data)/2]^1),
		"checksum":      change(12, data[12]^1),
		"another ERP":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "dictionary")
			source := shop().Source()
			if content == nil {
				source.Name, content = "elsewhere", data
			}
			require.NoError(t, os.WriteFile(path, content, 0o600))
			var log bytes.Buffer
			opts := &registry.CacheOptions{Snapshot: path, SnapshotAge: time.Hour, Logger: slog.New(slog.NewTextHandler(&log, nil))}
			cache := registry.NewCache(source, opts)
			require.NoError(t, cache.Load(t.Context()))
			assert.Contains(t, log.String(), "the dictionary snapshot is ignored")
			assert.Contains(t, log.String(), "not a usable snapshot")
			assert.Equal(t, 1, source.Reads("AD_Table"), "read from the ERP instead")

			log.Reset()
			again := registry.NewCache(source, opts)
			require.NoError(t, again.Load(t.Context()))
			assert.Empty(t, log.String(), "it was replaced")
			registrytest.Agree(t, cache, again)
		})
	}
	t.Run("a folder", func(t *testing.T) {
		t.Parallel()
		cache := registry.NewCache(shop().Source(), &registry.CacheOptions{Snapshot: t.TempDir()})
		require.NoError(t, cache.Load(t.Context()))
		registrytest.Agree(t, catalog(t, shop()), cache)
	})
	t.Run("nowhere to write", func(t *testing.T) {
		t.Parallel()
		cache := registry.NewCache(shop().Source(), &registry.CacheOptions{Snapshot: filepath.Join(t.TempDir(), "no", "such", "folder")})
		require.NoError(t, cache.Load(t.Context()))
		registrytest.Agree(t, catalog(t, shop()), cache)
	})
}

// Several processes may keep one snapshot.
func TestSnapshotWrittenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dictionary")
	d := synthdict.New(synthdict.Options{Tables: 30})
	want := catalog(t, d)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 5 {
				assert.NoError(t, registry.NewCache(d.Source(), &registry.CacheOptions{Snapshot: path, FailOnMissing: true}).Load(t.Context()))
				assert.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
			}
		})
	}
	work.Wait()
	source := d.Source()
	cache := registry.NewCache(source, &registry.CacheOptions{Snapshot: path, FailOnMissing: true})
	require.NoError(t, cache.Load(t.Context()))
	assert.Zero(t, source.Reads("AD_Table"))
	registrytest.Agree(t, want, cache)
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1, "temporary files are left")
}

// Questions go on while the dictionary is replaced, and each sees one state.
func TestAskingWhileRefreshing(t *testing.T) {
	t.Parallel()
	d := shop()
	d.Update("AD_Table", 259, later, synthdict.Row{"Description": ""})
	d.Update("AD_Table", 260, later, synthdict.Row{"Description": ""})
	cache := registry.NewCache(d.Source(), &registry.CacheOptions{FailOnMissing: true})
	require.NoError(t, cache.Load(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for ctx.Err() == nil {
				one := cache.Catalog()
				order, err := one.Table(t.Context(), "C_Order")
				assert.NoError(t, err)
				line, err := one.Table(t.Context(), "C_OrderLine")
				assert.NoError(t, err)
				assert.Equal(t, order.Description, line.Description, "two questions to one catalog see two states")
				_, err = cache.Search(t.Context(), registry.SearchQuery{Text: "order"})
				assert.NoError(t, err)
			}
		})
	}
	when := later
	for i := range 50 {
		when = when.Add(time.Second)
		text := string(rune('a' + i%26))
		d.Update("AD_Table", 259, when, synthdict.Row{"Description": text})
		d.Update("AD_Table", 260, when, synthdict.Row{"Description": text})
		_, err := cache.Refresh(t.Context())
		require.NoError(t, err)
	}
	cancel()
	work.Wait()
}

func TestWaitingForARefreshEndsWithTheContext(t *testing.T) {
	t.Parallel()
	slow := &blocking{Source: shop().Source(), begun: make(chan struct{}), goOn: make(chan struct{})}
	cache := registry.NewCache(slow, nil)
	done := make(chan error, 1)
	go func() { done <- cache.Load(t.Context()) }()
	<-slow.begun
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() {
		_, err := cache.Refresh(ctx)
		waiting <- err
	}()
	cancel()
	require.ErrorIs(t, <-waiting, context.Canceled)
	close(slow.goOn)
	require.NoError(t, <-done)
	_, err := cache.Table(t.Context(), "C_Order")
	require.NoError(t, err)
}

// blocking is a source that waits.
type blocking struct {
	registry.Source
	begun, goOn chan struct{}
}

func (b *blocking) Read(ctx context.Context, tables []registry.SourceTable, sink registry.Sink) ([]registry.Stamp, error) {
	close(b.begun)
	<-b.goOn
	return b.Source.Read(ctx, tables, sink)
}

func TestWatch(t *testing.T) {
	t.Parallel()
	d := shop()
	cache := registry.NewCache(d.Source(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- cache.Watch(ctx, 0) }()
	for wait := time.NewTicker(10 * time.Millisecond); ; <-wait.C {
		if _, err := cache.Table(t.Context(), "C_Order"); err == nil {
			wait.Stop()
			break
		}
	}
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

// What sources return may come twice, in pieces or twisted; a table that is
// begun again forgets what was there.
func TestBeginStartsOver(t *testing.T) {
	t.Parallel()
	c, err := registry.LoadCatalog(t.Context(), again{shop().Source()})
	require.NoError(t, err)
	registrytest.Agree(t, catalog(t, shop()), c)
}

// again reads everything twice.
type again struct{ registry.Source }

func (a again) Read(ctx context.Context, tables []registry.SourceTable, sink registry.Sink) ([]registry.Stamp, error) {
	if _, err := a.Source.Read(ctx, tables, sink); err != nil {
		return nil, err
	}
	return a.Source.Read(ctx, tables, sink)
}

func TestRowsInAnyOrder(t *testing.T) {
	t.Parallel()
	d := synthdict.New(synthdict.Options{Tables: 30})
	c, err := registry.LoadCatalog(t.Context(), backwards{d.Source()})
	require.NoError(t, err)
	registrytest.Agree(t, catalog(t, d), c)
}

// backwards hands rows over in opposite order.
type backwards struct{ registry.Source }

func (b backwards) Read(ctx context.Context, tables []registry.SourceTable, sink registry.Sink) ([]registry.Stamp, error) {
	kept := &keeper{rows: make([][][]registry.SourceValue, len(tables))}
	stamps, err := b.Source.Read(ctx, tables, kept)
	for table, rows := range kept.rows {
		for i := range rows {
			if err := sink.Row(table, rows[len(rows)-1-i]); err != nil {
				return nil, err
			}
		}
	}
	return stamps, err
}

type keeper struct{ rows [][][]registry.SourceValue }

func (k *keeper) Begin(int) {}

func (k *keeper) Row(table int, values []registry.SourceValue) error {
	k.rows[table] = append(k.rows[table], append([]registry.SourceValue(nil), values...))
	return nil
}
