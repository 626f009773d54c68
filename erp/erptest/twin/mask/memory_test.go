package mask_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

// TestMemoryIsFlat: what a Masker keeps does not depend on how many different
// values it saw.
func TestMemoryIsFlat(t *testing.T) {
	m := newMasker(t, mask.Options{})
	after := func(from, to int) uint64 {
		for i := from; i < to; i++ {
			row := map[string]any{"Name": fmt.Sprintf("Partner %d", i), "Value": fmt.Sprint(i), "TaxID": fmt.Sprintf("DE%09d", i)}
			require.NoError(t, m.Row("C_BPartner", row))
		}
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	few := after(0, 500)
	many := after(500, 10_000)
	assert.Less(t, many, few+256<<10, "bytes after 500 and after 10,000 rows")
	runtime.KeepAlive(m)
}
