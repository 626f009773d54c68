package registry_test

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// warmed is a cache with a dictionary of real size and its snapshot.
func warmed(tb testing.TB, d *synthdict.Dictionary) (cache *registry.Cache, snapshot string) {
	tb.Helper()
	snapshot = filepath.Join(tb.TempDir(), "dictionary")
	cache = registry.NewCache(d.Source(), &registry.CacheOptions{Snapshot: snapshot, FailOnMissing: true})
	require.NoError(tb, cache.Load(tb.Context()))
	return cache, snapshot
}

func BenchmarkLoadFromMemory(b *testing.B) {
	d := synthdict.New(synthdict.Options{})
	for b.Loop() {
		_, err := registry.LoadCatalog(b.Context(), d.Source())
		require.NoError(b, err)
	}
}

// A start with a snapshot that is fresh enough.
func BenchmarkWarmStart(b *testing.B) {
	d := synthdict.New(synthdict.Options{})
	_, snapshot := warmed(b, d)
	opts := &registry.CacheOptions{Snapshot: snapshot, SnapshotAge: time.Hour, FailOnMissing: true}
	source := d.Source()
	for b.Loop() {
		cache := registry.NewCache(source, opts)
		require.NoError(b, cache.Load(b.Context()))
	}
	require.Zero(b, source.Reads("AD_Table"), "the snapshot was not used")
}

var searches = []string{
	"C_Order", "order", "invoice line", "partner address", "amount", "warehouse stock movement", "is", "payment term",
	"Ordr", "describes the customer", "xyzzy", "vendor bank account", "date", "a", "Produkt",
}

func BenchmarkSearch(b *testing.B) {
	cache, _ := warmed(b, synthdict.New(synthdict.Options{}))
	_, err := cache.Search(b.Context(), registry.SearchQuery{Text: "warm"})
	require.NoError(b, err)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		_, err := cache.Search(b.Context(), registry.SearchQuery{Text: searches[i%len(searches)]})
		took = append(took, time.Since(start))
		if err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func BenchmarkFirstSearch(b *testing.B) {
	d := synthdict.New(synthdict.Options{})
	for b.Loop() {
		b.StopTimer()
		catalog, err := registry.LoadCatalog(b.Context(), d.Source())
		require.NoError(b, err)
		b.StartTimer()
		_, err = catalog.Search(b.Context(), registry.SearchQuery{Text: "order"})
		require.NoError(b, err)
	}
}

func BenchmarkTable(b *testing.B) {
	cache, _ := warmed(b, synthdict.New(synthdict.Options{}))
	tables, err := cache.Tables(b.Context(), registry.ListQuery{})
	require.NoError(b, err)
	for i := 0; b.Loop(); i++ {
		if _, err := cache.Table(b.Context(), tables.Items[i%len(tables.Items)].Name); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkColumns(b *testing.B) {
	cache, _ := warmed(b, synthdict.New(synthdict.Options{}))
	for _, pattern := range []string{"c_order%", "%order%", "%_id", "c%order%id"} {
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				if _, err := cache.Columns(b.Context(), "", registry.ListQuery{Pattern: pattern, Limit: 10}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// heap is the memory in use after collecting garbage.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkMemory(b *testing.B) {
	d := synthdict.New(synthdict.Options{})
	_, snapshot := warmed(b, d)
	source := d.Source()
	for b.Loop() {
		before := heap()
		cache := registry.NewCache(source, &registry.CacheOptions{Snapshot: snapshot, SnapshotAge: time.Hour})
		require.NoError(b, cache.Load(b.Context()))
		loaded := heap()
		_, err := cache.Search(b.Context(), registry.SearchQuery{Text: "order"})
		require.NoError(b, err)
		searched := heap()
		b.ReportMetric(float64(loaded-before)/(1<<20), "MiB")
		b.ReportMetric(float64(searched-before)/(1<<20), "MiB-with-search")
		runtime.KeepAlive(cache)
	}
}
