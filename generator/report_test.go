package generator

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/pack"
)

func TestReport(t *testing.T) {
	t.Parallel()
	a, err := Generate(t.Context(), nil, "report", map[string]any{"artifactId": "com.example.demo", "class": "OrderList", "entityType": "XX",
		"label": "Orders ]]> & more", "table": "C_Order", "columns": "DocumentNo,DateOrdered", "parameters": "DateOrdered:Date:range"})
	require.NoError(t, err)
	data, err := a.Tree.ReadFile("reports/OrderList.jrxml")
	require.NoError(t, err)
	wellFormed(t, File{Name: "OrderList.jrxml", Content: data})
	require.Contains(t, string(data), "$P{DateOrdered1} IS NULL OR DateOrdered >= $P{DateOrdered1}")
	props, err := a.Tree.ReadFile("build.properties")
	require.NoError(t, err)
	require.Contains(t, string(props), "reports/")

	archive, err := a.Tree.ReadFile("META-INF/2Pack_1.0.0.zip")
	require.NoError(t, err)
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, "dict/PackOut.xml") {
			continue
		}
		r, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.Empty(t, pack.CheckXML(text))
		require.Contains(t, string(text), "bundle:com.example.demo:reports/OrderList.jrxml")
		return
	}
	t.Fatal("the archive has no PackOut.xml")
}
