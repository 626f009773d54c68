package twin_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// All kinds of values arrive as they were, in any order, and one row of each key.
// -short leaves out cases without a peculiarity.
func TestValuesOfAllKinds(t *testing.T) {
	t.Parallel()
	columns := []inventedColumn{keyColumn("XX_Many"), {name: "Name", display: 10, mandatory: true}, {name: "Count", display: 11}, {name: "Amount", display: 12},
		{name: "Flag", display: 20}, {name: "Day", display: 15}, {name: "Long", display: 36}}
	odd := []any{"", "Zoë ☃ 'quoted' \"too\"", "a\x00b", strings.Repeat("long ", 3000), "007", nil}
	counts := []any{int64(0), int64(1), int64(-1), int64(math.MaxInt64), int64(math.MinInt64), nil, int64(1 << 23), int64(-1 << 31)}
	row := func(i int) []any {
		return []any{int64(i*37%5003 + 1), fmt.Sprint("row ", i), counts[i%len(counts)], []any{"12.50", "-0.001", nil}[i%3], i%2 == 0, "2026-03-09", odd[i%len(odd)]}
	}
	made := func(n int) (table inventedTable) {
		table = inventedTable{id: 990_051, columns: columns}
		for i := range n {
			table.rows = append(table.rows, row(i))
		}
		return table
	}
	for name, c := range map[string]struct {
		rows   int
		extra  []any
		bounds int
		left   map[string]int64
	}{
		"one batch":           {rows: 400},
		"several batches":     {rows: 5000},
		"the newest":          {rows: 5000, bounds: 3000},
		"a key twice":         {rows: 900, extra: row(3), left: map[string]int64{"the key or UUID is there already": 1}},
		"a mandatory default": {rows: 900, extra: []any{int64(6000), nil, nil, nil, nil, nil, nil}},
	} {
		if testing.Short() && c.extra == nil && c.bounds == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := made(c.rows)
			if c.extra != nil {
				source.rows = append(source.rows, c.extra)
			}
			dir := t.TempDir()
			report, err := twin.Clone(t.Context(), inventing(t, map[string]inventedTable{"XX_Many": source}), dir,
				twin.Options{Tables: []string{"XX_Many"}, Tenants: []string{"*"}, Rows: c.bounds, Masking: plain})
			require.NoError(t, err)
			verified(t, dir)
			got := table(t, report, "XX_Many")
			assert.Equal(t, c.left, got.LeftOut)
			srv := erptest.New(t, erptest.FromTwin(dir))
			want := map[string]bool{}
			rows := source.rows
			if c.bounds > 0 {
				rows = rows[len(rows)-c.bounds:]
			}
			for _, r := range rows {
				flag := "N"
				if r[4] == true {
					flag = "Y"
				}
				text := func(v any) string {
					if v == nil {
						return "-"
					}
					return fmt.Sprint(v)
				}
				day := "-"
				if r[5] != nil {
					day = fmt.Sprint(r[5], " 00:00:00")
				}
				name := ""
				if r[1] != nil {
					name = fmt.Sprint(r[1])
				}
				want[strings.Join([]string{text(r[0]), name, text(r[2]), text(r[3]), flag, day, text(r[6])}, "|")] = true
			}
			have := map[string]bool{}
			for _, line := range texts(t, srv, `SELECT XX_Many_ID || '|' || Name || '|' || COALESCE(Count,'-') || '|' || COALESCE(Amount,'-') || '|' || Flag || '|' || COALESCE(Day,'-') || '|' || COALESCE(Long,'-') FROM XX_Many`) {
				have[line] = true
			}
			assert.Len(t, have, len(want))
			for line := range want {
				require.True(t, have[line], "%.80q is missing", line)
			}
		})
	}
}

// A folder with signs that mean something in the address of a file.
func TestOddFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b%20?c#d&e")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	_, err := twin.Clone(t.Context(), newSmall(database(t, live())), dir, orders())
	require.NoError(t, err)
	assert.NotEmpty(t, texts(t, erptest.New(t, erptest.FromTwin(dir)), "SELECT Name FROM C_BPartner"))
	verified(t, dir)
}

// deletes is a transport that has a record deleted before it sends a request for others.
type deletes struct {
	http.RoundTripper
	do func()
}

func (d deletes) RoundTrip(r *http.Request) (*http.Response, error) {
	d.do()
	return d.RoundTripper.RoundTrip(r)
}

// Of a table from which others delete while it is read over REST, each row that is there
// all the while is read once, in the order of the keys.
func TestRowsThatGo(t *testing.T) {
	t.Parallel()
	const rows, kept = 1200, 900
	srv := erptest.New(t)
	c := client(t, srv, "GardenAdmin", 11, 102)
	ids := make([]int64, 0, rows)
	for i := range rows {
		record, err := c.Create(t.Context(), "C_Greeting", map[string]any{"Name": fmt.Sprintf("Greeting %d", i)})
		require.NoError(t, err)
		id, _ := record.ID().Int()
		ids = append(ids, id)
	}
	rand.New(rand.NewPCG(1, rows)).Shuffle(rows, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	stay, doomed := ids[:kept], ids[kept:]
	slices.Sort(stay)
	for _, descending := range []bool{false, true} {
		least := (rows - kept) / 2 // of the doomed are left for the second time
		if descending {
			slices.Reverse(stay)
			least = 0
		}
		var mu sync.Mutex
		transport := deletes{http.DefaultTransport, func() {
			mu.Lock()
			defer mu.Unlock()
			for range min(15, len(doomed)-least) {
				assert.NoError(t, c.Delete(t.Context(), "C_Greeting", erp.IntID(doomed[0])))
				doomed = doomed[1:]
			}
		}}
		token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 0, 0)
		require.NoError(t, err)
		reading, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)), erp.WithTransport(transport))
		require.NoError(t, err)
		query := &twin.Query{Table: &twin.Table{Name: "C_Greeting", Key: "C_Greeting_ID", HasActive: true}, Descending: descending,
			Columns: []twin.Column{{Name: "C_Greeting_ID", Type: twin.Integer}}, By: "AD_Client_ID", Keys: []any{int64(11)}}
		var read []int64
		require.NoError(t, twin.NewREST(reading, nil).Rows(t.Context(), query, func(values []any) error {
			read = append(read, values[0].(int64))
			return nil
		}))
		left := slices.DeleteFunc(slices.Clone(read), func(id int64) bool { return !slices.Contains(stay, id) })
		assert.Equal(t, stay, left)
		assert.Len(t, doomed, least)
	}
}
