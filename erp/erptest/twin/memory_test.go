package twin_test

import (
	"context"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

// liveHeap is how many bytes of the heap are in use, after what is not was collected:
// twice, as what is allocated during a collection counts in it.
func liveHeap() float64 {
	runtime.GC()
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

// The memory that a clone takes does not grow with the rows: eight times as many take
// as much. ERPHUB_PROOF has it with a million. Other tests wait, because the heap is
// theirs, too.
func TestManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("measures memory with many rows")
	}
	n := 32_000
	if os.Getenv("ERPHUB_PROOF") != "" {
		n = 125_000
	}
	columns := []inventedColumn{keyColumn("XX_Row"), nameText, {name: "Amount", display: 12}, {name: "Day", display: 15}}
	usual := map[int]float64{}
	for _, n := range []int{n, 8 * n} {
		src := &counting{invented: inventing(t, map[string]inventedTable{"XX_Row": {id: 990_031, columns: columns}}), n: n}
		var inUse []float64 // while rows wait to be written
		before := liveHeap()
		report, err := twin.Clone(t.Context(), src, t.TempDir(), twin.Options{Tables: []string{"XX_Row"}, Tenants: []string{"*"}, Masking: mask.Options{Key: mask.FixedKey("rows")}, Progress: func(p twin.Progress) {
			if p.Table == "XX_Row" {
				inUse = append(inUse, liveHeap()-before)
			}
		}})
		require.NoError(t, err)
		assert.EqualValues(t, n, table(t, report, "XX_Row").Rows)
		slices.Sort(inUse)
		// What is allocated while the heap is looked at counts, so the most is chance.
		usual[n] = inUse[len(inUse)/2]
		t.Logf("%d rows: %v, %.1f MB, %.1f MB in use (median of %d), %.1f at most", n, report.Took, float64(report.Bytes)/1e6, usual[n]/1e6, len(inUse), inUse[len(inUse)-1]/1e6)
	}
	assert.Greater(t, usual[n], 100e3, "bytes in use: rows that wait are among them")
	assert.Less(t, usual[8*n], 1.5*usual[n], "bytes in use with eight times the rows")
}

// counting makes up rows.
type counting struct {
	*invented
	n int
}

func (s *counting) Stamp(ctx context.Context, t *twin.Table) (twin.Stamp, error) {
	if t.Name == "XX_Row" {
		return twin.Stamp{Rows: int64(s.n)}, nil
	}
	return s.invented.Stamp(ctx, t)
}

func (s *counting) Rows(ctx context.Context, q *twin.Query, row func([]any) error) error {
	if q.Table.Name != "XX_Row" {
		return s.invented.Rows(ctx, q, row)
	}
	for i := range s.n {
		if err := row(record(q, map[string]any{"XX_Row_ID": int64(i + 1), "Name": "a name that is as long as names usually are", "Amount": "1234.56", "Day": "2026-03-09"})); err != nil {
			return err
		}
	}
	return nil
}
