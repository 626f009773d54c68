package deploylog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/deploylog"
)

func TestParseComponents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]deploylog.Component{
		"":             nil,
		" , ;\n- \n":   nil,
		"sales, stock": {{"sales", ""}, {"stock", ""}},
		"org.example.sales 1.4.0; org.example.stock v2.0-rc.1": {{"org.example.sales", "1.4.0"}, {"org.example.stock", "2.0-rc.1"}},
		"sales:1.4.0\nstock@2\r\nlabels = 7.1":                 {{"sales", "1.4.0"}, {"stock", "2"}, {"labels", "7.1"}},
		"* sales (1.4.0)\n* stock":                             {{"sales", "1.4.0"}, {"stock", ""}},
		"org.example.sales_1.4.0.v20260301.jar":                {{"org.example.sales", "1.4.0.v20260301"}},
		"sales-1.4.0.jar, com.acme.web-shop":                   {{"sales", "1.4.0"}, {"com.acme.web-shop", ""}},
		"org.example.shipping at 2026-03-09T14:00:00Z":         {{"org.example.shipping", ""}},
		"org.example.shipping 1.2 at 2026-03-09T14:00:00+01:00, 2026-03-09T14:00:00Z, stock at the warehouse": {{"org.example.shipping", "1.2"}, {"stock at the warehouse", ""}},
		"sales 1, sales 2, sales":             {{"sales", "2"}},
		"12.0.4":                              {{"12.0.4", ""}},
		"migration 202603141200_shipping.sql": {{"migration", "202603141200_shipping.sql"}},
	} {
		assert.Equal(t, want, deploylog.ParseComponents(text), text)
	}
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "c%d 1,", i)
	}
	assert.Len(t, deploylog.ParseComponents(many.String()), 500)
}
