package twin_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// All kinds of values arrive as they were, in any order, and one row of each key.
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
