package generator

import (
	"flag"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

var update = flag.Bool("update", false, "write the files that tests compare with anew")

// described is the dictionary of testdata/models.
func described(t testing.TB) registry.Registry {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "models", "dictionary.yaml"))
	require.NoError(t, err)
	var doc struct {
		Tables []struct {
			Row     synthdict.Row
			Columns []synthdict.Row
		}
		References []struct {
			Row    synthdict.Row
			Values [][2]string
			Lookup synthdict.Row
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &doc))
	d := synthdict.Empty()
	next := 1_000_000
	number := func() int { next++; return next }
	for _, table := range doc.Tables {
		d.Add("AD_Table", table.Row)
		for _, c := range table.Columns {
			if c["AD_Column_ID"] == nil {
				c["AD_Column_ID"] = number()
			}
			c["AD_Table_ID"], c["EntityType"] = table.Row["AD_Table_ID"], table.Row["EntityType"]
			d.Add("AD_Column", c)
		}
	}
	for _, r := range doc.References {
		d.Add("AD_Reference", r.Row)
		for _, v := range r.Values {
			d.Add("AD_Ref_List", synthdict.Row{"AD_Ref_List_ID": number(), "AD_Reference_ID": r.Row["AD_Reference_ID"], "Value": v[0], "Name": v[1]})
		}
		if r.Lookup != nil {
			r.Lookup["AD_Reference_ID"] = r.Row["AD_Reference_ID"]
			d.Add("AD_Ref_Table", r.Lookup)
		}
	}
	c, err := registry.LoadCatalog(t.Context(), d.Source())
	require.NoError(t, err)
	return c
}

// The classes of three tables of different shapes, to be read: go test
// ./generator -run Golden -update writes them anew.
func TestGoldenModelClasses(t *testing.T) {
	t.Parallel()
	a, err := Generate(t.Context(), described(t), "model", map[string]any{"artifactId": "com.example.demo",
		"tables": []string{"XX_Machine", "XX_MachineMaintenanceSchedulePlace", "XX_Reading"}})
	require.NoError(t, err)
	golden := filepath.Join("testdata", "models", "golden")
	var made []string
	for _, f := range a.Tree.Files() {
		if !strings.Contains(f.Name, "/model/") {
			continue
		}
		name := path.Base(f.Name)
		made = append(made, name)
		if *update {
			require.NoError(t, os.MkdirAll(golden, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(golden, name), f.Content, 0o644))
			continue
		}
		want, err := os.ReadFile(filepath.Join(golden, name))
		require.NoError(t, err, "go test ./generator -run Golden -update writes it")
		assert.Equal(t, string(want), string(f.Content), name)
	}
	entries, err := os.ReadDir(golden)
	require.NoError(t, err)
	var there []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	assert.Equal(t, there, made, "files of classes that are not made any more")
}
