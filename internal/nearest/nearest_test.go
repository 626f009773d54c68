package nearest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/internal/nearest"
)

var tables = []string{"C_BPartner", "C_Order", "C_OrderLine", "C_OrderTax", "M_Product"}

func TestName(t *testing.T) {
	for name, c := range map[string]struct{ word, want string }{
		"a letter missing":  {"C_Ordr", "C_Order"},
		"letters swapped":   {"C_Odrer", "C_Order"},
		"another case":      {"m_product", "M_Product"},
		"nothing like that": {"AD_Workflow_Node", ""},
		"empty":             {"", ""},
		"few letters agree": {"M_Prdct", "M_Product"},
		"too few do":        {"C_Ord", ""},
		"a statement":       {"C_Order; drop", ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, nearest.Name(c.word, tables)) })
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, []string{"C_Order", "C_OrderLine", "C_OrderTax"}, nearest.Names("c_order", tables, 3))
	assert.Equal(t, []string{"C_Order"}, nearest.Names("C_Odrer", tables, 3))
	assert.Equal(t, []string{"C_Order"}, nearest.Names("C_Order", []string{"C_Order", "C_Order"}, 3))
	assert.Empty(t, nearest.Names("Workflow", tables, 3))
	assert.Len(t, nearest.Names("c_order", tables, 2), 2)
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"abc", "ABC", 0}, {"abc", "acb", 1}, {"abcd", "abd", 1}, {"äöü", "aou", 3}} {
		assert.Equal(t, c.want, nearest.Distance(c.a, c.b), "%q %q", c.a, c.b)
		assert.Equal(t, c.want, nearest.Distance(c.b, c.a), "%q %q", c.b, c.a)
	}
	assert.Equal(t, 0, nearest.Distance(strings.Repeat("a", 1<<20), strings.Repeat("a", 1<<20)), "long words are cut")
}

// One meter gives for every pair and limit what a fresh one gives without limit.
func TestWithin(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "order", "ordre", "odrer", "orders", "bpartner", "ürder"}
	var m nearest.Meter
	for _, a := range words {
		for _, b := range words {
			want := nearest.Distance(a, b)
			for limit := range 10 {
				d, ok := m.Within([]rune(a), []rune(b), limit)
				assert.Equal(t, want <= limit, ok, "%q %q within %d", a, b, limit)
				if ok {
					assert.Equal(t, want, d, "%q %q", a, b)
				}
			}
		}
	}
}
