package seed

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// TestAgreesWithTheReferenceData compares the seeded dictionary with the facts
// extracted from the ERP, where they are at hand.
func TestAgreesWithTheReferenceData(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("ERPHUB_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "shared", "reference")
	}
	path := filepath.Join(dir, "data", "ad-tables.jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the reference data are not here: ", err)
	}
	type column struct {
		Name, Kind, Default string
		ID, Ref, Element    int64
		RefValue            int64
		Mandatory, Std      bool
		Inactive            bool
		Updateable          *bool
		Virtual             any
	}
	type table struct {
		Table       string
		ID          int64
		AccessLevel int
		Model       bool
		Columns     []column
	}
	facts := map[string]table{}
	factLines(t, path, func(line []byte) {
		var x table
		require.NoError(t, json.Unmarshal(line, &x))
		facts[x.Table] = x
	})
	references := map[int64]bool{}
	factLines(t, filepath.Join(dir, "data", "ad-references.jsonl.gz"), func(line []byte) {
		var x struct{ ID int64 }
		require.NoError(t, json.Unmarshal(line, &x))
		references[x.ID] = true
	})
	compared := 0
	eachTable(t, open(t), func(_ context.Context, _ *store.Tx, tab *store.Table) {
		want, ok := facts[tab.Name]
		if !ok {
			assert.True(t, strings.HasPrefix(tab.Name, "REST_"), "%s is not in the reference data", tab.Name)
			return
		}
		assert.Equal(t, want.ID, tab.ID, tab.Name)
		assert.Equal(t, want.AccessLevel, int(tab.AccessLevel[0]-'0'), tab.Name)
		for _, w := range want.Columns {
			if w.Virtual != nil || w.Inactive {
				continue
			}
			c, ok := tab.Column(w.Name)
			if !assert.True(t, ok, "%s has no %s", tab.Name, w.Name) {
				continue
			}
			compared++
			at := tab.Name + "." + w.Name
			assert.Equal(t, w.Name, c.Name, at)
			if w.ID != 0 {
				assert.Equal(t, w.ID, c.ID, at)
			}
			if w.Element != 0 {
				assert.Equal(t, w.Element, c.ElementID, "element of %s", at)
			}
			if w.Std || w.Name == "AD_Client_ID" || w.Name == "AD_Org_ID" {
				continue // the seed gives the standard columns one form in all tables
			}
			if unknown := w.Ref == 17 && w.RefValue == 0 || w.Ref == 18 && !references[w.RefValue]; unknown {
				continue // what the values are is not known, so they are text or numbers
			}
			if w.Ref != 0 && !strings.HasSuffix(w.Kind, "?") && c.Ref != displaytype.Table && !c.Key {
				assert.EqualValues(t, w.Ref, c.Ref, "display type of %s", at)
			}
			if want.Model {
				assert.Equal(t, w.Mandatory, c.Mandatory, "mandatory: %s", at)
				if !c.Key && !c.Parent && w.Updateable != nil {
					assert.Equal(t, *w.Updateable, c.Updateable, "updateable: %s", at)
				}
			}
		}
	})
	assert.Greater(t, compared, 4000)
}

// factLines calls fn with the lines of a compressed file.
func factLines(t *testing.T, path string, fn func(line []byte)) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	zr, err := gzip.NewReader(f)
	require.NoError(t, err)
	lines := bufio.NewScanner(zr)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		fn(lines.Bytes())
	}
	require.NoError(t, lines.Err())
}
