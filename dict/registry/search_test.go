package registry_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	for _, tt := range []struct {
		name    string
		q       registry.SearchQuery
		first   string // kind and name of the best hit
		total   int    // -1: any
		suggest string
	}{
		{"exact name", registry.SearchQuery{Text: "c_order"}, "table C_Order", -1, ""},
		{"label", registry.SearchQuery{Text: "Business Partner"}, "table C_BPartner", -1, ""},
		{"a word within a name", registry.SearchQuery{Text: "bpartner"}, "table C_BPartner", -1, ""},
		{"description", registry.SearchQuery{Text: "about docstatus"}, "column DocStatus", 1, ""},
		{"synonym", registry.SearchQuery{Text: "customer"}, "table C_BPartner", -1, ""},
		{"synonym of two words, in the plural", registry.SearchQuery{Text: "Customer Orders"}, "table C_Order", -1, ""},
		{"synonym in another language", registry.SearchQuery{Text: "lieferant"}, "table C_BPartner", -1, ""},
		{"question", registry.SearchQuery{Text: "where are the customers?"}, "table C_BPartner", -1, ""},
		{"question for a process", registry.SearchQuery{Text: "which process synchronizes columns"}, "process AD_Column Sync", -1, ""},
		{"typing error in a synonym", registry.SearchQuery{Text: "custmoer"}, "table C_BPartner", -1, ""},
		{"typing error in a label", registry.SearchQuery{Text: "bussiness partner"}, "table C_BPartner", -1, ""},
		{"all words", registry.SearchQuery{Text: "order line"}, "table C_OrderLine", -1, ""},
		{"a column is one hit", registry.SearchQuery{Text: "C_BPartner_ID"}, "column C_BPartner_ID", 1, ""},
		{"table and column", registry.SearchQuery{Text: "c_order.docstatus"}, "column DocStatus", 1, ""},
		{"table and wrong column", registry.SearchQuery{Text: "C_Order.DocStat"}, "", 0, "C_Order.DocStatus"},
		{"process", registry.SearchQuery{Text: "synchronize"}, "process AD_Column Sync", 1, ""},
		{"table before window", registry.SearchQuery{Text: "sales order"}, "table C_Order", -1, ""},
		{"window", registry.SearchQuery{Text: "sales order window"}, "window Sales Order", -1, ""},
		{"reference", registry.SearchQuery{Text: "document status"}, "reference _Document Status", -1, ""},
		{"kinds", registry.SearchQuery{Text: "order", Kinds: []registry.SearchKind{registry.SearchWindow}}, "window Sales Order", 1, ""},
		{"custom", registry.SearchQuery{Text: "remark", CustomOnly: true}, "table XX_Remark", 1, ""},
		{"custom leaves out", registry.SearchQuery{Text: "order", CustomOnly: true}, "", 0, ""},
		{"tables with a column", registry.SearchQuery{Column: "c_bpartner_id"}, "table C_Order", 2, ""},
		{"tables with a column and a word", registry.SearchQuery{Text: "line", Column: "C_BPartner_ID"}, "table C_OrderLine", 1, ""},
		{"tables with a column nobody has", registry.SearchQuery{Text: "line", Column: "Nope"}, "", 0, ""},
		{"near miss", registry.SearchQuery{Text: "C_Ordr"}, "", -1, "C_Order"},
		{"inactive", registry.SearchQuery{Text: "XX_Old"}, "", -1, ""},
		{"nothing asked", registry.SearchQuery{}, "", 0, ""},
		{"only signs", registry.SearchQuery{Text: "%%% ---"}, "", 0, ""},
		{"limit", registry.SearchQuery{Text: "c", Limit: 1}, "", -1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.Search(t.Context(), tt.q)
			require.NoError(t, err)
			if tt.first != "" {
				require.NotEmpty(t, got.Hits)
				assert.Equal(t, tt.first, string(got.Hits[0].Kind)+" "+got.Hits[0].Name)
			}
			if tt.total >= 0 {
				assert.Equal(t, tt.total, got.Total)
			}
			if tt.suggest != "" {
				require.NotEmpty(t, got.Suggestions)
				assert.Equal(t, tt.suggest, got.Suggestions[0])
			}
			assert.LessOrEqual(t, len(got.Hits), got.Total)
			for _, h := range got.Hits {
				assert.NotEqual(t, "XX_Old", h.Name)
				assert.NotEqual(t, "Dead", h.Name)
			}
		})
	}
	for text, why := range map[string]string{
		"C_Order": "name", "business partner": "label", "order": "label", "customer": "synonym", "custmoer": "synonym, customer for custmoer", "orderl": "beginning of the name",
	} {
		got, err := c.Search(t.Context(), registry.SearchQuery{Text: text})
		require.NoError(t, err)
		require.NotEmpty(t, got.Hits, text)
		assert.Equal(t, why, got.Hits[0].Why, text)
	}
	hit, err := c.Search(t.Context(), registry.SearchQuery{Text: "C_BPartner_ID"})
	require.NoError(t, err)
	assert.Equal(t, []string{"C_Order", "C_OrderLine"}, hit.Hits[0].Tables)
	assert.Equal(t, 2, hit.Hits[0].TableCount)
	assert.Zero(t, hit.Hits[0].ID, "which of the two?")
}

// Whatever is asked for, each table finds itself first by its name.
func TestEveryTableFindsItself(t *testing.T) {
	t.Parallel()
	c := catalog(t, synthdict.New(synthdict.Options{Tables: 200}))
	tables, err := c.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	for _, table := range tables.Items {
		got, err := c.Search(t.Context(), registry.SearchQuery{Text: strings.ToUpper(table.Name)})
		require.NoError(t, err)
		require.NotEmpty(t, got.Hits)
		require.Equal(t, table.Name, got.Hits[0].Name)
	}
}

// A slip anywhere in a name still leads to it.
func TestSlipsLeadToTheTable(t *testing.T) {
	t.Parallel()
	c := catalog(t, synthdict.New(synthdict.Options{Tables: 60}))
	tables, err := c.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	for i, table := range tables.Items {
		at := 2 + i%(len(table.Name)-2)
		for kind, slip := range map[string]string{
			"missing": table.Name[:at] + table.Name[at+1:],
			"added":   table.Name[:at] + "q" + table.Name[at:],
			"other":   table.Name[:at] + "q" + table.Name[at+1:],
		} {
			_, err := c.Table(t.Context(), slip)
			var missing *registry.NotFoundError
			require.ErrorAs(t, err, &missing)
			require.True(t, slices.Contains(missing.Suggestions, table.Name), "%s letter: %s gives %v", kind, slip, missing.Suggestions)
		}
	}
}

func TestSearchingAtOnce(t *testing.T) {
	t.Parallel()
	c := catalog(t, synthdict.New(synthdict.Options{Tables: 50}))
	alone := map[string]registry.SearchResult{}
	for _, text := range searches {
		got, err := catalog(t, synthdict.New(synthdict.Options{Tables: 50})).Search(t.Context(), registry.SearchQuery{Text: text})
		require.NoError(t, err)
		alone[text] = got
	}
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			for j := range searches {
				text := searches[(i+j)%len(searches)]
				got, err := c.Search(t.Context(), registry.SearchQuery{Text: text})
				assert.NoError(t, err)
				assert.Equal(t, alone[text], got)
			}
		})
	}
	work.Wait()
}

func FuzzSearch(f *testing.F) {
	c := catalog(f, shop())
	for _, text := range append(slices.Clone(searches), "", ".", "C_Order.", ".DocStatus", "a\x00b", "\xff\xfe", strings.Repeat("ab ", 300), "İ", "ﬃ") {
		f.Add(text, "C_BPartner_ID", 5)
	}
	f.Fuzz(func(t *testing.T, text, column string, limit int) {
		for _, q := range []registry.SearchQuery{{Text: text, Limit: limit}, {Text: text, Column: column, CustomOnly: true}} {
			got, err := c.Search(t.Context(), q)
			require.NoError(t, err)
			require.LessOrEqual(t, len(got.Hits), got.Total)
			if q.Limit > 0 {
				require.LessOrEqual(t, len(got.Hits), q.Limit)
			}
			for i := 1; i < len(got.Hits); i++ {
				require.GreaterOrEqual(t, got.Hits[i-1].Score, got.Hits[i].Score)
			}
			again, err := c.Search(t.Context(), q)
			require.NoError(t, err)
			require.Equal(t, got, again, "a search left something behind")
		}
		_, err := c.Table(t.Context(), text)
		if err != nil {
			require.ErrorIs(t, err, registry.ErrNotFound)
			require.True(t, utf8.ValidString(err.Error()))
		}
	})
}
