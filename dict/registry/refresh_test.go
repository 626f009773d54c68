package registry_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/registrytest"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// late is by how much changes come late in histories.
const late = 10 * time.Second

// history changes a dictionary at random.
type history struct {
	*rand.Rand
	d    *synthdict.Dictionary
	now  time.Time
	last time.Time        // of a change
	keys map[string][]int // of the rows there are
	next int
	sums bool // the source sees changes that carry any time
}

// historyTables are changed: some with rows that others refer to. Tables and
// columns are never deleted, so that there is always something to compare.
var historyTables = []string{"AD_Table", "AD_Column", "AD_Element", "AD_Process", "AD_Ref_Table", "AD_Field"}

func newHistory(seed uint64, sums bool) *history {
	h := &history{Rand: rand.New(rand.NewPCG(seed, 1)), d: synthdict.New(synthdict.Options{Tables: 6, Columns: 80}), keys: map[string][]int{},
		now: later, last: later, next: 7_000_000, sums: sums}
	for _, name := range historyTables {
		for range 4 {
			h.insert(name, h.now)
		}
	}
	return h
}

func (h *history) key(name string) string {
	for _, t := range registry.SourceTables() {
		if t.Name == name {
			return t.Key
		}
	}
	panic(name)
}

// row is a row with some text in it.
func (h *history) row(name string, key int) synthdict.Row {
	text := fmt.Sprintf("Text %d", h.IntN(1e6))
	row := synthdict.Row{h.key(name): key}
	switch name {
	case "AD_Table":
		row["TableName"], row["Name"] = fmt.Sprint("XX_", h.IntN(1e6)), text
	case "AD_Column":
		row["AD_Table_ID"], row["ColumnName"], row["Description"], row["AD_Reference_ID"] = h.keys["AD_Table"][0], fmt.Sprint("XX_", h.IntN(1e6)), text, 10
	case "AD_Element":
		row["ColumnName"], row["Name"] = fmt.Sprint("XX_", h.IntN(1e6)), text
	case "AD_Process":
		row["Value"], row["Name"], row["IsReport"] = fmt.Sprint("XX_", h.IntN(1e6)), text, h.IntN(2) == 0
	case "AD_Ref_Table":
		row["AD_Table_ID"], row["WhereClause"] = h.keys["AD_Table"][0], text
	case "AD_Field":
		row["AD_Column_ID"], row["Name"], row["SeqNo"] = h.keys["AD_Column"][0], text, h.IntN(100)
	}
	return row
}

func (h *history) insert(name string, when time.Time) {
	h.next++
	h.d.Add(name, h.row(name, h.next))
	h.d.Touch(name, h.next, when)
	h.keys[name] = append(h.keys[name], h.next)
}

func (h *history) update(name string, when time.Time) {
	key := h.keys[name][h.IntN(len(h.keys[name]))]
	h.d.Update(name, key, when, h.row(name, key))
}

func (h *history) remove(name string) (key int) {
	keys := h.keys[name]
	if len(keys) < 2 {
		return 0
	}
	at := 1 + h.IntN(len(keys)-1) // others refer to the first
	key = keys[at]
	h.d.Delete(name, key)
	h.keys[name] = append(keys[:at:at], keys[at+1:]...)
	return key
}

// when is the time that a change carries which is committed now.
func (h *history) when() time.Time {
	switch {
	case h.sums && h.IntN(4) == 0: // as a script writes it, or a clock that is wrong
		return later.Add(time.Duration(h.IntN(1e9)-5e8) * time.Millisecond)
	case h.IntN(2) == 0: // a transaction that began a while ago
		return h.now.Add(-time.Duration(h.Int64N(int64(late/time.Second)+1)) * time.Second)
	}
	return h.now
}

// step makes some changes at one moment. Without sums nobody can tell a row that
// went from one that came with an old time, so there are not both of one table.
func (h *history) step() {
	went, came := map[string]bool{}, map[string]bool{}
	h.now = h.now.Add(time.Duration([]int{0, 0, 1, 3, 9, 11, 60, 4000}[h.IntN(8)]) * time.Second)
	for range h.IntN(4) {
		name := historyTables[h.IntN(len(historyTables))]
		kind := h.IntN(7)
		switch {
		case h.sums:
		case kind == 4 && went[name], kind >= 1 && kind <= 3 && came[name]:
			continue
		case kind == 4:
			came[name] = true
		case kind >= 1 && kind <= 3:
			went[name] = true
		}
		switch kind {
		case 0:
			h.insert(name, h.when())
		case 1:
			h.remove(name)
		case 2: // as many rows as before
			h.remove(name)
			h.insert(name, h.when())
		case 3: // the same key again
			if key := h.remove(name); key != 0 {
				h.d.Add(name, h.row(name, key))
				h.d.Touch(name, key, h.when())
				h.keys[name] = append(h.keys[name], key)
			}
		case 4: // a row comes into the role's sight
			h.insert(name, later.Add(-time.Duration(h.IntN(1e9))*time.Millisecond-time.Hour))
		default:
			h.update(name, h.when())
		}
	}
}

// After any history the catalog of a cache is the one that is read from scratch,
// although the cache reads little.
func TestRefreshEqualsLoad(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*synthdict.Source){
		"by number and newest time":   func(*synthdict.Source) {},
		"by number and all times":     func(s *synthdict.Source) { s.Sums = true },
		"source reads all every time": func(s *synthdict.Source) { s.Whole = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, refreshes := 0, 0
			seeds := uint64(4)
			if os.Getenv("ERPHUB_PROOF") != "" {
				seeds = 100
			}
			for seed := range seeds {
				h := newHistory(seed, false)
				source := h.d.Source()
				set(source)
				h.sums = source.Sums
				source.Late, source.Now = late, func() time.Time { return h.now }
				opts := &registry.CacheOptions{FailOnMissing: true, Snapshot: filepath.Join(t.TempDir(), "dictionary")}
				cache := registry.NewCache(source, opts)
				require.NoError(t, cache.Load(t.Context()))
				for step := range 25 {
					h.step()
					if step%5 == 4 { // another process goes on
						cache = registry.NewCache(source, opts)
						require.NoError(t, cache.Load(t.Context()))
					}
					_, err := cache.Refresh(t.Context())
					require.NoError(t, err)
					refreshes++
					want, err := registry.LoadCatalog(t.Context(), h.d.Source())
					require.NoError(t, err)
					registrytest.Agree(t, want, cache)
					if t.Failed() {
						t.Fatalf("seed %d, step %d", seed, step)
					}
				}
				whole += source.Reads("AD_Column")
			}
			if name != "source reads all every time" {
				assert.Less(t, whole, refreshes/2, "tables read as a whole")
			}
		})
	}
}

// What neither the number of rows nor a new time shows makes a table be read as a
// whole all the same, at once or after a day.
func TestRefreshReadsWholeTables(t *testing.T) {
	t.Parallel()
	d := shop()
	source := d.Source()
	d.Update("AD_Table", 259, later, synthdict.Row{"Name": "Newest"})
	cache := registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true, Snapshot: filepath.Join(t.TempDir(), "dictionary")})
	now := later
	registry.SetClock(cache, func() time.Time { return now })
	require.NoError(t, cache.Load(t.Context()))
	refresh := func(whole bool) {
		t.Helper()
		before := source.Reads("AD_Table")
		_, err := cache.Refresh(t.Context())
		require.NoError(t, err)
		assert.Equal(t, whole, source.Reads("AD_Table") > before, "read as a whole")
		registrytest.Agree(t, catalog(t, d), cache)
	}
	d.Update("AD_Table", 259, later.Add(-time.Hour), synthdict.Row{"Name": "Time set back"})
	refresh(true)
	now = now.Add(time.Hour)
	d.Update("AD_Table", 260, later.Add(time.Second), synthdict.Row{"Name": "After an hour"})
	refresh(false)
	now = now.Add(24 * time.Hour)
	d.Update("AD_Table", 259, later.Add(-time.Hour), synthdict.Row{"Name": "Nothing shows that"})
	d.Update("AD_Table", 260, later.Add(2*time.Second), synthdict.Row{"Name": "After a day"})
	refresh(true)
	d.Update("AD_Table", 260, later.Add(3*time.Second), synthdict.Row{"Name": "Again"})
	refresh(false)
}

// A source that leaves out rows without being told that it may is refused.
func TestUnrequestedPart(t *testing.T) {
	t.Parallel()
	_, err := registry.LoadCatalog(t.Context(), partial{shop().Source()})
	require.ErrorContains(t, err, "left out rows")
}

type partial struct{ registry.Source }

func (p partial) Read(ctx context.Context, tables []registry.SourceTable, sink registry.Sink) ([]registry.Stamp, error) {
	stamps, err := p.Source.Read(ctx, tables, sink)
	for i := range stamps {
		stamps[i].Partial = true
	}
	return stamps, err
}

// Of a dictionary that was made in one go, and so has one time, only the row that
// changes is read.
func TestRefreshReadsOneRow(t *testing.T) {
	t.Parallel()
	d := synthdict.New(synthdict.Options{Tables: 10, Columns: 200})
	source := d.Source()
	source.Late, source.Now = late, func() time.Time { return later }
	cache := registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true})
	require.NoError(t, cache.Load(t.Context()))
	columns, err := cache.Columns(t.Context(), "", registry.ListQuery{Limit: 1})
	require.NoError(t, err)
	before := source.Rows("AD_Column")
	d.Update("AD_Column", columns.Items[0].ID, later, synthdict.Row{"Description": "Changed"})
	for range 2 { // it stays recent
		_, err = cache.Refresh(t.Context())
		require.NoError(t, err)
		registrytest.Agree(t, catalog(t, d), cache)
	}
	assert.Equal(t, before+2, source.Rows("AD_Column"))
}
