package registry_test

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/registrytest"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// facts is the dictionary of a real ERP, where it is at hand.
func facts(tb testing.TB) *synthdict.Dictionary {
	tb.Helper()
	folder := filepath.Join(cmp.Or(os.Getenv("ERPHUB_REFERENCE"), filepath.Join("..", "..", "..", "shared", "reference")), "data")
	if _, err := os.Stat(filepath.Join(folder, "ad-tables.jsonl.gz")); err != nil {
		tb.Skipf("no facts of a real dictionary; set ERPHUB_REFERENCE to the folder that has them: %v", err)
	}
	d, err := synthdict.ReadFacts(folder)
	require.NoError(tb, err)
	return d
}

func TestRealDictionary(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dictionary")
	cache := registry.NewCache(facts(t).Source(), &registry.CacheOptions{Snapshot: path, FailOnMissing: true})
	require.NoError(t, cache.Load(t.Context()))
	s, err := cache.Statistics(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1010, s.Tables+s.Inactive-inactiveColumns)
	assert.Equal(t, 20_190, s.Columns+inactiveColumns)

	order, err := cache.Table(t.Context(), "c_order")
	require.NoError(t, err)
	assert.Equal(t, 259, order.ID)
	assert.Equal(t, dict.AccessOrg, order.AccessLevel)
	for name, want := range map[string]string{"C_BPartner_ID": "C_BPartner", "AD_Client_ID": "AD_Client", "C_Currency_ID": "C_Currency"} {
		column, ok := order.Column(name)
		require.True(t, ok, name)
		assert.Equal(t, want, column.ForeignTable, name)
	}
	status, _ := order.Column("DocStatus")
	assert.Equal(t, 131, status.ReferenceID)
	list, err := cache.Reference(t.Context(), "131")
	require.NoError(t, err)
	var values []string
	for _, v := range list.Values {
		values = append(values, v.Value)
	}
	assert.Contains(t, values, "CO")

	sync, err := cache.Process(t.Context(), "AD_Column Sync")
	require.NoError(t, err)
	assert.Equal(t, 181, sync.ID)
	_, err = cache.Table(t.Context(), "C_Ordr")
	require.ErrorContains(t, err, "close to it: C_Order")
	for text, want := range map[string]string{"c_order": "C_Order", "business partner": "C_BPartner", "bpartner": "C_BPartner"} {
		got, err := cache.Search(t.Context(), registry.SearchQuery{Text: text, Kinds: []registry.SearchKind{registry.SearchTable}})
		require.NoError(t, err)
		require.NotEmpty(t, got.Hits, text)
		assert.Equal(t, want, got.Hits[0].Name, text)
	}
	warm := registry.NewCache(facts(t).Source(), &registry.CacheOptions{Snapshot: path, SnapshotAge: time.Hour, FailOnMissing: true})
	require.NoError(t, warm.Load(t.Context()))
	registrytest.Agree(t, cache, warm)
}

// inactiveColumns are columns of the facts that are deactivated.
const inactiveColumns = 1

// Foreign tables are found as the facts have them, for columns whose display
// type is on record.
func TestForeignTablesOfTheRealDictionary(t *testing.T) {
	t.Parallel()
	d := facts(t)
	wrong, right := 0, 0
	c := catalog(t, d)
	for column, table := range d.ForeignTables() {
		got, err := c.Columns(t.Context(), column.Table, registry.ListQuery{Pattern: strings.ReplaceAll(column.Name, "_", `\_`), Inactive: true})
		require.NoError(t, err)
		require.Len(t, got.Items, 1)
		switch got.Items[0].ForeignTable {
		case table:
			right++
		default:
			wrong++
			if wrong < 20 {
				t.Logf("%s.%s (%s, %q) leads to %q, the facts say %q", column.Table, column.Name, got.Items[0].TypeName,
					got.Items[0].Reference, got.Items[0].ForeignTable, table)
			}
		}
	}
	t.Logf("%d right, %d wrong", right, wrong)
	assert.Greater(t, right, 3000)
	assert.Less(t, wrong, right/50)
}

// A dictionary takes less memory than its program may have.
func TestMemory(t *testing.T) {
	d := synthdict.New(synthdict.Options{})
	source := d.Source()
	before := heap()
	cache := registry.NewCache(source, nil)
	require.NoError(t, cache.Load(t.Context()))
	_, err := cache.Search(t.Context(), registry.SearchQuery{Text: "order"})
	require.NoError(t, err)
	used := int64(heap()) - int64(before)
	runtime.KeepAlive(cache)
	runtime.KeepAlive(d)
	assert.Less(t, used, int64(60<<20), "bytes of 760 tables with 20,000 columns")
}
