package transfer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
)

// readAll reads a file to its end, or to what is wrong with it.
func readAll(in transfer.Input) (names []string, rows []transfer.Row, err error) {
	r, err := in.Open()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	if names, err = r.Header(); err != nil {
		return nil, nil, err
	}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names, rows, nil
		}
		if err != nil {
			return names, rows, err
		}
		row.Cells = append([]values.Cell(nil), row.Cells...)
		rows = append(rows, row)
	}
}

func TestReadCSV(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, content, want string }{
		{"delimiters", "a\tb\n1\t2", "[a b] 2:1|2"},
		{"a single column", "a\n1\n\"\"\n\n2", "[a] 2:1 3: 5:2"},
		{"line ends", "a,b\r1,2\r\n3,4\n\n\r\n5,6", "[a b] 2:1|2 3:3|4 6:5|6"},
		{"inside of quotes", "a,b\n\"1\r\n\n2\",\"x\"\"y\"\n3,", "[a b] 2:1\r\n\n2|x\"y 5:3|"},
		{"quotes inside", "a,b\n5\" x,b\"c\n", "[a b] 2:5\" x|b\"c"},
		{"blanks are kept", "a , b\n 1, 2 \n", "[a b] 2: 1| 2 "},
		{"quoted delimiter in the header", "\"a,b\";c\n1;2\n", "[a,b c] 2:1|2"},
		{"tabs of f.tsv", "a,b\n1, 2", "[a,b] 2:1, 2"},
	} {
		called := "f.csv"
		if strings.HasSuffix(tt.name, ".tsv") {
			called = "f.tsv"
		}
		names, rows, err := readAll(file(t, called, tt.content))
		require.NoError(t, err, tt.name)
		got := fmt.Sprint(names)
		for _, r := range rows {
			texts := make([]string, len(r.Cells))
			for i, c := range r.Cells {
				texts[i] = c.Text
			}
			got += fmt.Sprintf(" %d:%s", r.Line, strings.Join(texts, "|"))
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

func TestReadJSON(t *testing.T) {
	t.Parallel()
	object := `{"a":1.50,"b":"x\ny","c":null,"d":true,"e":{"id":5},"f":[1]}`
	for name, content := range map[string]string{
		"f.ndjson": "\ufeff" + object + "\n\n" + object, "f.json": "[\n" + object + ",\n\n" + object + "]",
		"g.json": `{"records":[` + "\n" + object + ",\n\n" + object + `],"count":2}`, "f.jsonl": object + object,
	} {
		_, rows, err := readAll(file(t, name, content))
		require.NoError(t, err, name)
		require.Len(t, rows, 2, name)
		assert.Equal(t, []string{"a", "b", "c", "d", "e", "f"}, rows[1].Names)
		assert.Equal(t, []values.Cell{{Kind: values.Number, Text: "1.50"}, {Text: "x\ny"}, {Kind: values.Null}, {Kind: values.Bool, Text: "true"},
			{Kind: values.JSON, Text: `{"id":5}`}, {Kind: values.JSON, Text: "[1]"}}, rows[1].Cells)
		if name == "f.json" {
			assert.Equal(t, []int{2, 4}, []int{rows[0].Line, rows[1].Line})
		}
	}
}

// What was written is what is read.
func FuzzCSV(f *testing.F) {
	for _, s := range hard {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(strings.ReplaceAll(a, "\x00", ""), ""), strings.ToValidUTF8(strings.ReplaceAll(b, "\x00", ""), "")
		var out bytes.Buffer
		w, err := transfer.NewWriter(&out, transfer.CSV)
		require.NoError(t, err)
		require.NoError(t, w.Header([]string{"A", "B"}))
		want := []values.Cell{{Text: a}, {Text: b}}
		require.NoError(t, w.Row(want))
		require.NoError(t, w.Row(want))
		require.NoError(t, w.Close())
		_, rows, err := readAll(file(t, "f.csv", out.String()))
		require.NoError(t, err)
		require.Len(t, rows, 2)
		assert.Equal(t, want, rows[1].Cells)
	})
}

// Whatever is in a file, reading it ends with rows or with an error that names it.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a;b\n\"1\n", `{"a":1}` + "\n" + `{"b":[`, `[{"a":null},{"a":{}}]`, `{"records":[{"a":1}]}`, "\xff\xfe", "PK\x03\x04", strings.Repeat("[", 100)} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "f")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		for _, format := range []transfer.Format{transfer.CSV, transfer.NDJSON, transfer.JSONList} {
			names, rows, err := readAll(transfer.File{Path: path, Format: format})
			if err != nil {
				require.ErrorIs(t, err, transfer.ErrFile)
			}
			for _, r := range rows {
				if r.Names == nil && r.Err == nil {
					assert.Len(t, r.Cells, len(names))
				}
				assert.Positive(t, r.Line)
			}
		}
	})
}

// Memory does not grow with the number of rows: what is alive while a long file is
// checked is what is alive while a short one is.
func TestFlatMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("measures memory")
	}
	_, client := start(t)
	reg := demoDictionary()
	measure := func(rows int) (most uint64) {
		path := filepath.Join(t.TempDir(), "long.csv")
		f, err := os.Create(path)
		require.NoError(t, err)
		_, err = io.WriteString(f, "Value,Name,C_BP_Group_ID,Description\n")
		require.NoError(t, err)
		text := strings.Repeat("x", 200)
		for i := range rows {
			_, err = fmt.Fprintf(f, "ZF%d,Name %d,Standard,%s\n", i, i, text)
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
		n := 0
		opts := transfer.ImportOptions{Table: "C_BPartner", DryRun: true, BatchSize: 500, Progress: func(p transfer.Progress) {
			if n++; n%max(rows/500/8, 1) == 0 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}}
		result, err := transfer.Import(t.Context(), client, reg, transfer.File{Path: path, Format: transfer.CSV}, opts)
		require.NoError(t, err)
		require.Equal(t, rows, result.Created)
		return most
	}
	long := 50_000
	if os.Getenv("ERPHUB_PROOF") != "" {
		long = 1_000_000
	}
	measure(2_000) // what is made once
	few, many := measure(5_000), measure(long)
	t.Logf("%d rows: %d KiB, 5,000 rows: %d KiB", long, many>>10, few>>10)
	assert.Less(t, many, few+few/4+4<<20)
}
