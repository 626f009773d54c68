package masktest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/twin/mask"
	"github.com/erphub/erphub/internal/testkit/masktest"
)

func seen(class mask.Class, was, is string) mask.Observation {
	return mask.Observation{Table: "C_BPartner", Column: "Name", Class: class, Was: was, Is: is}
}

func TestFinder(t *testing.T) {
	t.Parallel()
	const value = "Jane Röe of Main Street"
	wide := func(little bool) []byte {
		var b bytes.Buffer
		for _, u := range utf16.Encode([]rune(value)) {
			if little {
				b.Write([]byte{byte(u), byte(u >> 8)})
			} else {
				b.Write([]byte{byte(u >> 8), byte(u)})
			}
		}
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		content []byte
		found   bool
	}{
		"not there":           {[]byte("Jane Röe of Main Stree"), false},
		"alone":               {[]byte(value), true},
		"in the middle":       {[]byte("x\x00" + value + "\x00y"), true},
		"over two pieces":     {append(bytes.Repeat([]byte{'x'}, 1<<20-5), value...), true},
		"at the end of many":  {append(bytes.Repeat([]byte("Jane Röe of "), 200_000), value...), true},
		"UTF-16":              {wide(true), true},
		"UTF-16 the other":    {append([]byte{0, 1, 2}, wide(false)...), true},
		"an empty file":       {nil, false},
		"in capitals":         {[]byte(strings.ToUpper(value)), false},
		"a piece of a piece":  {append(bytes.Repeat([]byte{'x'}, 1<<20), value[1:]...), false},
		"beginning of it all": {append([]byte(value), bytes.Repeat([]byte{0}, 3<<20)...), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f masktest.Finder
			f.Observe(seen(mask.Firm, value, "Mira Somebody"))
			dir := t.TempDir()
			path := filepath.Join(dir, "sub", "erp.db")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, c.content, 0o600))
			found, err := f.Search(dir)
			require.NoError(t, err)
			if c.found {
				assert.Equal(t, []masktest.Found{{File: path, Value: value, From: "C_BPartner.Name"}}, found)
			} else {
				assert.Empty(t, found)
			}
		})
	}
}

func TestFinderSkips(t *testing.T) {
	t.Parallel()
	f := masktest.Finder{Limit: 4}
	f.Observe(seen(mask.Firm, "Roe", "Ada"))
	f.Observe(seen(mask.Account, "12345678", "87654321"))
	f.Observe(seen(mask.Firm, "Roe Trading", "Ada Trade"))
	f.Observe(seen(mask.Firm, "Roe Trading", "Ada Trade"))
	f.Observe(seen(mask.Keep, "the Standard prices", "the Standard prices"))
	f.Observe(seen(mask.Label, "Standard", "Kilo Piece"))
	f.Observe(seen(mask.Keep, "Roe Role", "Kilo Role"))
	f.Observe(seen(mask.Label, "Kilo Role", "Meter Piece"))
	f.Observe(seen(mask.Text, "Timber trade", "Given usual"))
	f.Observe(seen(mask.Firm, "Roe Machines", "Ada Works"))
	n, skipped := f.Values()
	assert.Equal(t, 2, n)
	assert.Equal(t, masktest.Skipped{Short: 2, Words: 1, Kept: 2, Over: 1}, skipped)
	_, err := f.Search(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestFinderWithMasker: what a Masker wrote holds nothing of the source, and
// the Finder would have seen it.
func TestFinderWithMasker(t *testing.T) {
	t.Parallel()
	var f masktest.Finder
	m, err := mask.New([]mask.Table{{Name: "C_BPartner", Columns: []mask.Column{
		{Name: "Name", DisplayType: 10, Length: 60}, {Name: "Description", DisplayType: 14, Length: 255}, {Name: "DocumentNo", DisplayType: 10, Length: 30}}}},
		mask.Options{Key: mask.NewKey(), Observe: f.Observe})
	require.NoError(t, err)
	var clean, leaky bytes.Buffer
	for _, name := range []string{"Jane Roe", "Richard Miles", "Roe Trading GmbH"} {
		row := map[string]any{"Name": name, "Description": "Knows " + name + " since 1999", "DocumentNo": "INV-2024-001"}
		require.NoError(t, m.Row("C_BPartner", row))
		clean.WriteString(row["Name"].(string) + "\x00" + row["Description"].(string) + "\x00" + row["DocumentNo"].(string))
		leaky.WriteString(name)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "clean"), clean.Bytes(), 0o600))
	found, err := f.Search(dir)
	require.NoError(t, err)
	assert.Empty(t, found)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "leaky"), leaky.Bytes(), 0o600))
	found, err = f.Search(dir)
	require.NoError(t, err)
	assert.Len(t, found, 3)
	n, _ := f.Values()
	assert.Equal(t, 6, n)
}

func Example() {
	dir, err := os.MkdirTemp("", "masked")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	var finder masktest.Finder
	tables := []mask.Table{{Name: "AD_User", Columns: []mask.Column{{Name: "Name", DisplayType: 10, Length: 60}}}}
	m, err := mask.New(tables, mask.Options{Key: mask.NewKey(), Observe: finder.Observe})
	if err != nil {
		fmt.Println(err)
		return
	}
	row := map[string]any{"Name": "Jane Roe"}
	if err := m.Row("AD_User", row); err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "users"), []byte(row["Name"].(string)), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	found, err := finder.Search(dir)
	fmt.Println(len(found), err)
	// Output: 0 <nil>
}
