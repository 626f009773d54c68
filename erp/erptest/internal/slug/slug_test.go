package slug_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/erp/erptest/internal/slug"
)

// Slugs: rules 7.1.
func TestSlugs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, printed, looked string }{
		{"Bank/Cash", "bank-cash", "bank-cash"},
		{"Rpt M_InOut", "rpt-m_inout", "rpt-m_inout"},
		{"Café déjà", "cafe-deja", "cafe-deja"},
		{"AD_Column Sync", "ad_column-sync", "ad_column-sync"},
		{" (a) -- b ", "a-b", "a-b"},
		{"Straße", "strae", "strasse"},
		{"a€b", "ab", "a-b"},
		{"日本", "", ""},
	} {
		assert.Equal(t, tc.printed, slug.Of(tc.in), tc.in)
		assert.Equal(t, tc.looked, slug.Lookup(tc.in), tc.in)
	}
}
