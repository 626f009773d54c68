package docsearch_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp/internal/docsearch"
)

func passage(title, text string) docsearch.Passage {
	return docsearch.Passage{Title: title, Text: text, Source: strings.ToLower(title), Kind: docsearch.KindDocument}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	x := docsearch.NewIndex([]docsearch.Passage{
		passage("Closing periods", "At the end of a month the accountant closes the period. Nothing can be posted to it then."),
		passage("Shipping", "Shipments are made from completed orders. A period of two days passes before they leave."),
		passage("Business partners", "The table C_BPartner holds customers and vendors. See C_BPartner_Location for addresses."),
		passage("Períodos", "El período contable se cierra al final del mes. Straße, Größe."),
		passage("Reversals", "A document that was posted twice posted posted posted is reversed."),
	})
	assert.Equal(t, 5, x.Len())
	titles := func(question string) []string {
		out := []string{}
		for _, h := range x.Search(question, 10).Hits {
			out = append(out, h.Title)
		}
		return out
	}
	for name, c := range map[string]struct {
		question string
		first    string
	}{
		"the title counts":               {"period", "Closing periods"},
		"other forms of the word":        {"how do I close a period?", "Closing periods"},
		"plural":                         {"orders shipment", "Shipping"},
		"the beginning of a word":        {"account", "Closing periods"},
		"all the words before one often": {"period posted", "Closing periods"},
		"a name":                         {"c_bpartner_location", "Business partners"},
		"a part of a name":               {"bpartner", "Business partners"},
		"without marks":                  {"periodo contable", "Períodos"},
		"another alphabet's rules":       {"strasse grosse", "Períodos"},
	} {
		got := titles(c.question)
		if assert.NotEmpty(t, got, name) {
			assert.Equal(t, c.first, got[0], "%s: %v", name, got)
		}
	}
	for _, nothing := range []string{"", "   ", "the of and", "zzzz", "?!", "\xff\xfe"} {
		assert.Empty(t, titles(nothing), nothing)
	}
	found := x.Search("period", 1)
	assert.Len(t, found.Hits, 1)
	assert.Equal(t, 3, found.Total, "how many there are is told")
	assert.Empty(t, x.Search("period", 0).Hits)
	assert.Empty(t, docsearch.NewIndex(nil).Search("period", 5).Hits)
	assert.Equal(t, titles("period closing month"), titles("period closing month"), "the same order each time")
}

// A small index is no worse than a large one: what has all of a question scores
// above what has a part of it, wherever it is.
func TestScoresOfIndexesCompare(t *testing.T) {
	t.Parallel()
	small := docsearch.NewIndex([]docsearch.Passage{passage("Periods", "Close the period at the end of a month."), passage("Other", "period period")})
	var many []docsearch.Passage
	for i := range 500 {
		many = append(many, passage("Column", strings.Repeat("word ", i%7)+"of a record"))
	}
	large := docsearch.NewIndex(append(many, passage("C_Period_ID", "Accounting period.")))
	all := small.Search("close a period", 1).Hits[0].Score
	part := large.Search("close a period", 1).Hits[0].Score
	assert.Greater(t, all, part)
	assert.LessOrEqual(t, all, 1.0)
	assert.Positive(t, part)
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Filler text that says nothing at all. ", 60) +
		"The costing method of a product category decides how costs are kept. " + strings.Repeat("More größeres filler. ", 80)
	x := docsearch.NewIndex([]docsearch.Passage{passage("Costs", long)})
	h := x.Search("costing method", 1).Hits
	require.Len(t, h, 1)
	assert.Contains(t, h[0].Passage, "**costing** **method**")
	assert.True(t, strings.HasPrefix(h[0].Passage, "… "))
	assert.True(t, strings.HasSuffix(h[0].Passage, " …"))
	assert.Less(t, len(h[0].Passage), 800)
	assert.True(t, utf8.ValidString(h[0].Passage))

	x = docsearch.NewIndex([]docsearch.Passage{passage("x", "C_BPartner_ID is the key.")})
	assert.Equal(t, "**C_BPartner_ID** is the key.", x.Search("C_BPartner_ID", 1).Hits[0].Passage)
	assert.Equal(t, "C_**BPartner**_ID is the key.", x.Search("bpartner", 1).Hits[0].Passage)
}
