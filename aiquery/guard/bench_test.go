package guard

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkGuard compares what the guard costs with parsing and writing alone,
// of the statement as asked and of the one that runs, over all reports: the shortest time of each counts, as other programs disturb
// the rest.
func BenchmarkGuard(b *testing.B) {
	kept, fresh := New(nil), New(nil)
	known := testPolicy()
	names := slices.Sorted(maps.Keys(reports))
	var best [4][]time.Duration
	for i := range best {
		best[i] = make([]time.Duration, len(names))
	}
	asked := 0
	for b.Loop() {
		for n, name := range names {
			sql := reports[name]
			plan, err := kept.Secure(b.Context(), known, sql, 0, 10) // the first time fills the cache
			require.NoError(b, err)
			alone := func(sql string) error {
				tree, err := postgres.parse(sql)
				if err == nil {
					_, err = postgres.deparse(tree)
				}
				return err
			}
			for i, do := range []func() error{
				func() error { _, err := kept.Secure(b.Context(), known, sql, 0, 10); return err },
				// Statements nobody asked before, under a policy that is known.
				func() error { asked++; _, err := fresh.Secure(b.Context(), known, sql, 0, 10+asked); return err },
				func() error { return alone(sql) },
				func() error { return alone(plan.SQL) },
			} {
				start := time.Now()
				err := do()
				took := time.Since(start)
				require.NoError(b, err)
				if best[i][n] == 0 || took < best[i][n] {
					best[i][n] = took
				}
			}
		}
	}
	var total [4]float64
	for i := range best {
		for _, t := range best[i] {
			total[i] += float64(t.Nanoseconds())
		}
		total[i] /= float64(len(names)) * 1000
	}
	b.ReportMetric(total[0], "cached-µs")
	b.ReportMetric(total[1], "uncached-µs")
	b.ReportMetric(total[1]/total[2], "uncached/asked")
	b.ReportMetric(total[1]/total[3], "uncached/secured")
}
