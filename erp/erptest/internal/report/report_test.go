package report

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sample(rows int) *Table {
	t := &Table{Title: "Orders (all) & <more>", Header: []string{"No", "Partner"}}
	for i := range rows {
		t.Rows = append(t.Rows, []string{strconv.Itoa(i), `Möbel "A" (é) \ <b> €`})
	}
	return t
}

// Every offset of the cross-reference table points at its object, and every
// stream is as long as it says.
func TestPDF(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 1, 200} {
		doc := string(sample(rows).PDF())
		m := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindStringSubmatch(doc)
		require.NotNil(t, m)
		start, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(doc[start:], "xref\n"))
		entries := regexp.MustCompile(`(\d{10}) 00000 n `).FindAllStringSubmatch(doc[start:], -1)
		require.GreaterOrEqual(t, len(entries), 5)
		for i, e := range entries {
			at, err := strconv.Atoi(e[1])
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(doc[at:], fmt.Sprintf("%d 0 obj\n", i+1)), "object %d", i+1)
		}
		for _, s := range regexp.MustCompile(`(?s)/Length (\d+) >>\nstream\n(.*?)\nendstream`).FindAllStringSubmatch(doc, -1) {
			assert.Equal(t, s[1], strconv.Itoa(len(s[2])))
		}
		assert.Equal(t, rows, strings.Count(doc, "bel "), "every row")
		assert.Contains(t, doc, fmt.Sprintf("/Count %d ", len(regexp.MustCompile(`/Type /Page `).FindAllString(doc, -1))))
	}
	assert.Contains(t, string(sample(0).PDF()), `(Orders \(all\) & <more>) Tj`)
	assert.Contains(t, string(sample(1).PDF()), `M\366bel "A" \(\351\) \\ <b> \200`)
}

func TestHTMLAndCSV(t *testing.T) {
	t.Parallel()
	html := string(sample(1).HTML())
	assert.Contains(t, html, "<h1>Orders (all) &amp; &lt;more&gt;</h1>")
	assert.Contains(t, html, "<td>Möbel &#34;A&#34; (é) \\ &lt;b&gt; €</td>")
	data, err := sample(1).CSV()
	require.NoError(t, err)
	assert.Equal(t, "No,Partner\n0,\"Möbel \"\"A\"\" (é) \\ <b> €\"\n", string(data))
}

func TestXLSX(t *testing.T) {
	t.Parallel()
	data, err := sample(2).XLSX()
	require.NoError(t, err)
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for _, f := range r.File {
		rc, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(rc)
		require.NoError(t, err)
		var any struct {
			Cells []string `xml:"sheetData>row>c>is>t"`
		}
		require.NoError(t, xml.Unmarshal(content, &any), f.Name)
		if f.Name == "xl/worksheets/sheet1.xml" {
			assert.Equal(t, []string{"No", "Partner", "0", `Möbel "A" (é) \ <b> €`, "1", `Möbel "A" (é) \ <b> €`}, any.Cells)
		}
	}
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA"} {
		assert.Equal(t, want, columnName(i))
	}
}
