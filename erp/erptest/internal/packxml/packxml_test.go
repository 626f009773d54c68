package packxml

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const head = `<?xml version="1.0" encoding="UTF-8"?><idempiere Name="n" Version="1.0.0" Description="" Client="0-SYSTEM-System" UpdateDictionary="false">`

func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := zw.Create(files[i])
		require.NoError(t, err)
		_, err = f.Write([]byte(files[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())
	return b.Bytes()
}

func all(a *Archive) ([]*Element, error) {
	_, seq, err := a.Read()
	if err != nil {
		return nil, err
	}
	var list []*Element
	for e, err := range seq {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

// Records with their properties and what is nested in them; a child without type
// is a property, and the last of repeated ones counts.
func TestRead(t *testing.T) {
	t.Parallel()
	doc := "\ufeff" + head + `
  <AD_Table type="table">
    <AD_Org_ID>0</AD_Org_ID><Help/><Name> a &amp; b
c </Name><AD_Org_ID reference="id" reference-key="AD_Org">5</AD_Org_ID>
    <AD_Column type="table"><AD_Element_ID reference="uuid" reference-key="AD_Element">u</AD_Element_ID></AD_Column>
    <Lost><Name>x</Name></Lost>
    <AD_Table_Trl type="translation"><AD_Language>de_DE</AD_Language></AD_Table_Trl>
  </AD_Table>
  <Stray>x</Stray>
  <SQLStatement type="custom"><DBType>ALL</DBType></SQLStatement>
</idempiere>`
	a, err := Open(zipped(t, "top/", "", "top/dict/PackOut.xml", doc, "top/blobs/1.dat", "blob"), DefaultLimits)
	require.NoError(t, err)
	assert.Equal(t, "top", a.Top)
	list, err := all(a)
	require.NoError(t, err)
	require.Len(t, list, 2)
	table := list[0]
	assert.Equal(t, "AD_Table", table.Name)
	assert.Equal(t, " a & b\nc ", table.Text("Name"), "blanks and line breaks are kept")
	org, ok := table.Property("ad_org_id")
	assert.True(t, ok)
	assert.Equal(t, Property{"AD_Org_ID", "5", "id", "AD_Org"}, org)
	help, ok := table.Property("Help")
	assert.True(t, ok)
	assert.Empty(t, help.Text)
	require.Len(t, table.Children, 2)
	assert.Equal(t, "AD_Table/AD_Column", table.Children[0].Path)
	assert.Equal(t, 5, table.Children[0].Line)
	assert.Equal(t, "translation", table.Children[1].Type)
	assert.Equal(t, "custom", list[1].Type)
	blob, err := a.Blob("1.dat")
	require.NoError(t, err)
	assert.Equal(t, "blob", string(blob))
	_, err = a.Blob("2.dat")
	require.ErrorIs(t, err, ErrFormat)
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	good := zipped(t, "top/dict/PackOut.xml", head+"</idempiere>")
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "no zip"},
		{"text", []byte("PK but no zip"), "no zip"},
		{"cut off", good[:len(good)-10], "no zip"},
		{"empty", zipped(t), "empty"},
		{"leads up", zipped(t, "top/../../etc/passwd", "x"), "leads out"},
		{"leads up at once", zipped(t, "../dict/PackOut.xml", "x"), "leads out"},
		{"absolute", zipped(t, "/etc/passwd", "x"), "leads out"},
		{"backslash", zipped(t, `top\..\x`, "x"), "leads out"},
		{"drive", zipped(t, `C:/dict/PackOut.xml`, "x"), "leads out"},
		{"null", zipped(t, "top/\x00", "x"), "leads out"},
		{"no folder", zipped(t, "PackOut.xml", "x"), "not below a folder"},
		{"two folders", zipped(t, "a/dict/PackOut.xml", "x", "b/x", "y"), "two folders"},
		{"another folder first", zipped(t, "__MACOSX/x", "x", "a/dict/PackOut.xml", "y"), "two folders"},
		{"twice", zipped(t, "a/dict/PackOut.xml", "x", "a/dict/PackOut.xml", "y"), "twice"},
		{"without PackOut", zipped(t, "a/doc/x", "x"), "no a/dict/PackOut.xml"},
		{"JSON", zipped(t, "a/dict/PackOut.json", "{}"), "later releases"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(tt.data, DefaultLimits)
			require.ErrorIs(t, err, ErrFormat)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	many := []string{}
	for i := range 20 {
		many = append(many, fmt.Sprintf("a/%d", i), "")
	}
	_, err := Open(zipped(t, many...), Limits{Entries: 10, Bytes: 1})
	require.ErrorContains(t, err, "20 entries")
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	bomb := `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>` + head[38:] +
		`<A type="table"><N>&b;</N></A></idempiere>`
	var columns strings.Builder
	for i := range 100 {
		fmt.Fprintf(&columns, "<C%d/>", i)
	}
	limits := Limits{Entries: 10, Bytes: 1 << 20, Records: 100, Depth: 10, Columns: 50}
	tests := []struct{ name, doc, want string }{
		{"entities", bomb, "document type"},
		{"unknown entity", head + "<A type='table'><N>&lol;</N></A></idempiere>", "not valid XML"},
		{"other root", "<adempiere Description='' Client='0'/>", "not idempiere"},
		{"no description", "<idempiere Client='0-'/>", "no attribute Description"},
		{"no client", "<idempiere Description=''/>", "no attribute Client"},
		{"empty", "", "not valid XML"},
		{"cut off", head + "<A type='table'><N>x", "not valid XML"},
		{"crossed", head + "<A type='table'><N></A></N></idempiere>", "not valid XML"},
		{"second root", head + "</idempiere><idempiere/>", "second root"},
		{"other encoding", `<?xml version="1.0" encoding="ISO-8859-1"?><idempiere/>`, "not valid XML"},
		{"control character", head + "<A type='table'><N>\x01</N></A></idempiere>", "not valid XML"},
		{"deep records", head + strings.Repeat("<A type='table'>", 30), "deep"},
		{"deep properties", head + "<A type='table'>" + strings.Repeat("<A>", 30), "deep"},
		{"many records", head + strings.Repeat("<A type='table'/>", 200) + "</idempiere>", "more than 100 records"},
		{"many columns", head + "<A type='table'>" + columns.String() + "</A></idempiere>", "more than 50 columns"},
		{"large", head + "<A type='table'><N>" + strings.Repeat("a", 2<<20) + "</N></A></idempiere>", "more than is allowed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := Open(zipped(t, "a/dict/PackOut.xml", tt.doc), limits)
			require.NoError(t, err)
			_, err = all(a)
			require.ErrorIs(t, err, ErrFormat)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	a, err := Open(zipped(t, "a/dict/PackOut.xml", head, "a/blobs/1.dat", strings.Repeat("a", 3<<19), "a/blobs/2.dat", strings.Repeat("a", 3<<19)), Limits{Entries: 10, Bytes: 2 << 20})
	require.NoError(t, err)
	_, err = a.Blob("1.dat")
	require.NoError(t, err)
	_, err = a.Blob("2.dat")
	require.ErrorContains(t, err, "blobs hold more")
}

// Real archives are read to their end.
func TestRealArchives(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("ERPHUB_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "shared", "reference")
	}
	for name, want := range map[string]int{"rest-api_2Pack_1.0.1.zip": 59, "rest-api_2Pack_1.0.19.zip": 252} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join(dir, "data", "2pack-samples", name))
			if err != nil {
				t.Skip("the real archives are not here")
			}
			a, err := Open(data, DefaultLimits)
			require.NoError(t, err)
			list, err := all(a)
			require.NoError(t, err)
			records := 0
			var count func(e *Element)
			count = func(e *Element) {
				if e.Type == "table" {
					records++
				}
				for _, c := range e.Children {
					count(c)
				}
			}
			for _, e := range list {
				count(e)
			}
			assert.Equal(t, want, records)
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(head + `<A type="table"><B>x</B><C type="table"/></A></idempiere>`))
	f.Add([]byte("\ufeff<idempiere Description='' Client='0'/>"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		_, seq, err := read(bytes.NewReader(doc), Limits{Bytes: 1 << 16, Records: 100, Depth: 8, Columns: 50})
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			return
		}
		for e, err := range seq {
			if err != nil {
				require.ErrorIs(t, err, ErrFormat)
				return
			}
			require.NotEmpty(t, e.Name)
			require.NotEmpty(t, e.Type)
		}
	})
}
