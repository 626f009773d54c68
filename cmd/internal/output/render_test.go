package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTableFits(t *testing.T) {
	t.Parallel()
	long := "server responds with a certificate that nobody on this machine has ever seen before"
	for name, tt := range map[string]struct {
		width  int
		table  Table
		want   string
		hidden int
	}{
		"a long text shrinks": {60, Table{Columns: Columns("area", "check", "status", "found"), Rows: [][]string{{"api", "server responds", "ok", long}, {"database", "reachable", "fail", ""}}},
			"area      check            status  found\napi       server responds  ok      server responds with a c…\ndatabase  reachable        fail\n", 0},
		"the longest shrinks first": {40, Table{Columns: Columns("id", "a", "b"), Rows: [][]string{{"1", "twelve chars", long}}},
			"id  a             b\n1   twelve chars  server responds with…\n", 0},
		"several shrink alike": {40, Table{Columns: Columns("id", "a", "b"), Rows: [][]string{{"1", long, long}}},
			"id  a                 b\n1   server responds…  server responds…\n", 0},
		"numbers stay, columns go": {30, Table{Columns: Columns(">id", "name", ">open", "state", ">paid"), Rows: [][]string{{"1", long, "1234567890.12", "ok", "99"}}},
			"id  name                  open\n 1  server res…  1234567890.12\n", 2},
		"all fit":           {140, Table{Columns: Columns("a", "b"), Rows: [][]string{{"1", long}}}, "a  b\n1  " + long + "\n", 0},
		"no end":            {0, Table{Columns: Columns("a", "b"), Rows: [][]string{{"1", long}}}, "a  b\n1  " + long + "\n", 0},
		"Chinese":           {24, Table{Columns: Columns("id", "name", "state"), Rows: [][]string{{"1", "客户主数据维护窗口", "ok"}, {"2", "abc", "ok"}}}, "id  name           state\n1   客户主数据维…  ok\n2   abc            ok\n", 0},
		"emoji":             {0, Table{Columns: Columns("a", "b"), Rows: [][]string{{"❤️", "x"}, {"👍🏽", "x"}, {"👩‍💻", "x"}}}, "a     b\n❤     x\n👍    x\n👩💻  x\n", 0},
		"one long word":     {12, Table{Columns: Columns("word"), Rows: [][]string{{strings.Repeat("x", 50)}}}, "word\nxxxxxxxxxxx…\n", 0},
		"a tiny terminal":   {1, Table{Columns: Columns("a", "b"), Rows: [][]string{{"xx", "y"}}}, "a\n…\n", 1},
		"lines become one":  {0, Table{Columns: Columns("a", "b"), Rows: [][]string{{"x\n\ty\r\n z ", "\x1b[31m"}}}, "a      b\nx y z  [31m\n", 0},
		"many columns":      {20, Table{Columns: Columns(strings.Split("abcdefghijklmnop", "")...), Rows: [][]string{strings.Split("1234567890123456", "")}}, "a  b  c  d  e  f  g\n1  2  3  4  5  6  7\n", 9},
		"an empty table":    {20, Table{Columns: Columns("a", ">b")}, "a  b\n", 0},
		"wide are left out": {20, Table{Columns: []Column{{Name: "a"}, {Name: "b", Wide: true}, {Name: "c"}}, Rows: [][]string{{"1", "2", "3"}}}, "a  c\n1  3\n", 0},
		"spare ones where there is room": {11, Table{Columns: []Column{{Name: "a"}, {Name: "b", Spare: true}, {Name: "longer", Spare: true}, {Name: "c"}}, More: 5, Rows: [][]string{{"1", "22", "3", "4"}}},
			"a  b   c\n1  22  4\n", 6},
		"and no more than that": {8, Table{Columns: []Column{{Name: "a"}, {Name: "b", Spare: true}, {Name: "c"}}, Rows: [][]string{{"1", "22", "4"}}}, "a  b   c\n1  22  4\n", 0},
		"none without a screen": {0, Table{Columns: []Column{{Name: "a"}, {Name: "b", Spare: true}}, More: 5, Rows: [][]string{{"1", "2"}}}, "a\n1\n", 0},
		"a text wraps": {30, Table{Columns: []Column{{Name: "check"}, {Name: "found", Wrap: true}}, Rows: [][]string{{"login", "as GardenAdmin, who may read https://erp.example.com/a/path/that/is/long"}, {"b", "ok"}}},
			"check  found\nlogin  as GardenAdmin, who may\n       read\n       https://erp.example.\n       com/a/path/that/is/long\nb      ok\n", 0},
		"text alone": {5, Table{Below: "nothing to see\n"}, "nothing to see\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			hidden, err := (&Choice{Format: FormatTable}).Write(t.Context(), &b, Screen{Width: tt.width}, nil, tt.table)
			require.NoError(t, err)
			assert.Equal(t, tt.want, b.String())
			assert.Equal(t, tt.hidden, hidden)
		})
	}
}

// pieces are what random cells are made of: what terminals obey, what is wide, what
// joins, what CSV quotes.
var pieces = []string{"a", "word", " ", "  ", "\n", "\r\n", "\r", "\t", "\x1b[31m", "\x1b]0;x\a", "\u009b2J", "\u202e", "木", "客户", "👍🏽", "👩‍💻", "❤️", "é", "e\u0301", "\u200b", "…", ",", "\"", "'", "=1+1", "-5.10", "\xff", "\x00", "\u00a0", "null", "🇩🇪"}

func randomTable(r *rand.Rand) Table {
	text := func(most int) string {
		var b strings.Builder
		for range r.IntN(most) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	t := Table{Rows: make([][]string, r.IntN(5))}
	for i := range 1 + r.IntN(12) {
		t.Columns = append(t.Columns, Column{Name: fmt.Sprint(text(4), i), Right: r.IntN(3) == 0, Wide: i > 0 && r.IntN(9) == 0, Wrap: r.IntN(4) == 0, Max: r.IntN(2) * 30})
	}
	for i := range t.Rows {
		for range t.Columns {
			t.Rows[i] = append(t.Rows[i], text(1+r.IntN(12)))
		}
	}
	return t
}

// checkTable is what holds for every table on a terminal.
func checkTable(t *testing.T, table Table, limit int) {
	t.Helper()
	var b bytes.Buffer
	_, err := (&Choice{Format: FormatTable}).Write(t.Context(), &b, Screen{Width: limit}, nil, table)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	wraps := slices.ContainsFunc(table.Columns, func(c Column) bool { return c.Wrap })
	if len(lines) != 1+len(table.Rows) && !wraps || len(lines) < 1+len(table.Rows) {
		t.Fatalf("%d lines for %d rows: %q", len(lines), len(table.Rows), b.String())
	}
	for _, line := range lines {
		if cells(line) > limit {
			t.Fatalf("%d columns of %d: %q", cells(line), limit, line)
		}
		if strings.TrimRight(line, " \t") != line {
			t.Fatalf("trailing blank: %q", line)
		}
		if strings.ContainsAny(line, "\x1b\u009b\r\a\x00\u202e\t") || !utf8.ValidString(line) {
			t.Fatalf("a terminal would obey this: %q", line)
		}
	}
	var coloured bytes.Buffer
	for i := range table.Columns {
		table.Columns[i].Style = func(string) Style { return Bad }
	}
	_, err = (&Choice{Format: FormatTable}).Write(t.Context(), &coloured, Screen{Width: limit, Colour: true}, nil, table)
	require.NoError(t, err)
	plain := strings.NewReplacer("\x1b[1m", "", "\x1b[31m", "", "\x1b[0m", "").Replace(coloured.String())
	if plain != b.String() {
		t.Fatalf("colours change the text: %q instead of %q", plain, b.String())
	}
}

func TestRandomTables(t *testing.T) {
	t.Parallel()
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 1))
		checkTable(t, randomTable(r), 1+r.IntN(150))
	}
}

func FuzzTable(f *testing.F) {
	f.Add("name", "Joe Block", "\x1b[31mred\x1b[0m", 20)
	f.Add("客户", "👩‍💻 \u202e", strings.Repeat("x", 100), 7)
	f.Fuzz(func(t *testing.T, heading, a, b string, limit int) {
		checkTable(t, Table{Columns: []Column{{Name: heading}, {Name: b, Right: true}}, Rows: [][]string{{a, b}, {b, a}}}, 1+max(0, limit%200))
	})
}

// What CSV and NDJSON have is read back as it was.
func TestReadBack(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		table := randomTable(rand.New(rand.NewPCG(seed, 2)))
		for i := range table.Columns {
			table.Columns[i].Name = strings.ToValidUTF8(table.Columns[i].Name, "")
		}
		var list []map[string]string
		for i, row := range table.Rows {
			object := map[string]string{}
			for j, c := range row {
				table.Rows[i][j] = strings.ToValidUTF8(c, "")
				object[table.Columns[j].Name] = table.Rows[i][j]
			}
			list = append(list, object)
		}
		var b bytes.Buffer
		_, err := (&Choice{Format: FormatCSV}).Write(t.Context(), &b, Screen{Width: 10, Colour: true}, nil, table)
		require.NoError(t, err)
		read, err := csv.NewReader(&b).ReadAll()
		require.NoError(t, err)
		require.Len(t, read, 1+len(table.Rows))
		for i, row := range table.Rows {
			for j, c := range row { // encoding/csv reads \r\n in quotes as \n
				require.Equal(t, strings.ReplaceAll(c, "\r\n", "\n"), read[i+1][j], "seed %d", seed)
			}
		}
		b.Reset()
		_, err = (&Choice{Format: FormatNDJSON}).Write(t.Context(), &b, Screen{}, list, table)
		require.NoError(t, err)
		var back []map[string]string
		for line := range strings.Lines(b.String()) {
			var object map[string]string
			require.NoError(t, json.Unmarshal([]byte(line), &object))
			back = append(back, object)
		}
		require.Len(t, back, len(list))
		for i := range list {
			for name, want := range list[i] {
				require.Equal(t, want, back[i][name], "seed %d", seed)
			}
		}
	}
}
