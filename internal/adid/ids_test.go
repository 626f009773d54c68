package adid

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write ids.txt.gz anew from the reference data")

// reference is the folder of the reference data; the test is skipped without.
func reference(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ERPHUB_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "reference")
	}
	dir = filepath.Join(dir, "data")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the reference data is not here")
	}
	return dir
}

func lines[T any](t *testing.T, path string, each func(T)) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	zr, err := gzip.NewReader(f)
	require.NoError(t, err)
	sc := bufio.NewScanner(zr)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var v T
		require.NoError(t, json.Unmarshal(sc.Bytes(), &v))
		each(v)
	}
	require.NoError(t, sc.Err())
}

// The list is what the reference data says.
func TestListFitsTheReference(t *testing.T) {
	t.Parallel()
	dir := reference(t)
	type named struct {
		ID                               int
		Table, Name, Column, Value, Type string
		Columns                          []struct {
			ID   int
			Name string
		}
	}
	var want bytes.Buffer
	put := func(kind string, id int, name string) {
		if id > 0 && id <= MaxOfficial && name != "" {
			fmt.Fprintf(&want, "%s\t%d\t%s\n", kind, id, name)
		}
	}
	lines(t, filepath.Join(dir, "ad-tables.jsonl.gz"), func(v named) {
		fmt.Fprintf(&want, "t\t%d\t%s\n", v.ID, v.Table)
		for _, c := range v.Columns {
			put("c", c.ID, c.Name)
		}
	})
	lines(t, filepath.Join(dir, "ad-elements.jsonl.gz"), func(v named) { put("e", v.ID, v.Column+"\t"+v.Name) })
	lines(t, filepath.Join(dir, "ad-processes.jsonl.gz"), func(v named) { put("p", v.ID, v.Value) })
	lines(t, filepath.Join(dir, "ad-references.jsonl.gz"), func(v named) { put("r", v.ID, v.Name) })
	if *update {
		var out bytes.Buffer
		zw, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		require.NoError(t, err)
		_, err = zw.Write(want.Bytes())
		require.NoError(t, err)
		require.NoError(t, zw.Close())
		require.NoError(t, os.WriteFile("ids.txt.gz", out.Bytes(), 0o644))
		return
	}
	zr, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	have, err := io.ReadAll(zr)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(have), "run the test with -update")
}

// Facts that the descriptions of the dictionary name.
func TestKnownIDs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		id   int
		get  func() (int, bool)
	}{
		{"table", 291, func() (int, bool) { return Table("c_bpartner") }},
		{"column", 2893, func() (int, bool) { return Column("C_BPartner", "c_bpartner_id") }},
		{"element", 102, func() (int, bool) { return Element("AD_CLIENT_ID") }},
		{"process", 181, func() (int, bool) { return Process("AD_Column Sync") }},
		{"reference", 131, func() (int, bool) { return Reference("_Document Status") }},
		{"no table", 0, func() (int, bool) { return Table("XX_None") }},
		{"no column", 0, func() (int, bool) { return Column("XX_None", "Name") }},
		{"other case of a search key", 0, func() (int, bool) { return Process("AD_COLUMN SYNC") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			id, ok := tt.get()
			assert.Equal(t, tt.id, id)
			assert.Equal(t, tt.id != 0, ok)
		})
	}
}

func TestElementLabel(t *testing.T) {
	t.Parallel()
	label, ok := ElementLabel(187)
	assert.True(t, ok)
	assert.Equal(t, "Business Partner", label)
	_, ok = ElementLabel(MaxOfficial + 1)
	assert.False(t, ok)
}

// A damaged list is an error, not a wrong id.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	pack := func(text string) []byte {
		var b bytes.Buffer
		zw := gzip.NewWriter(&b)
		_, err := zw.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, zw.Close())
		return b.Bytes()
	}
	for name, data := range map[string][]byte{
		"not zipped": []byte("t\t1\tA\n"), "no id": pack("t\tx\tA\n"), "no tabs": pack("t 1 A\n"), "cut off": packed[:len(packed)/2],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse(data)
			require.Error(t, err)
		})
	}
}
