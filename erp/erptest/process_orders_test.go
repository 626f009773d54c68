package erptest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCopyOrderLines(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	run := func(body string) []any {
		got := o.object(http.MethodPost, "/processes/c_order-copyfrom", body)
		return []any{got["summary"], got["isError"]}
	}
	lines := func(order string) []any {
		return o.object(http.MethodGet, "/models/C_OrderLine?$filter=C_Order_ID%20eq%20"+order+"&$orderby=C_OrderLine_ID", "")["records"].([]any)
	}
	before := lines("119")
	assert.Equal(t, []any{"Copied=2", false}, run(`{"record-id":119,"model-name":"C_Order","C_Order_ID":100}`))
	source, after := lines("100"), lines("119")
	require.Len(t, after, len(before)+2)
	header := o.object(http.MethodGet, "/models/C_Order/119", "")
	for i, line := range after[len(before):] {
		from, made := source[i].(map[string]any), line.(map[string]any)
		for _, same := range []string{"Line", "M_Product_ID", "QtyOrdered", "PriceActual", "C_Tax_ID"} {
			assert.Equal(t, from[same], made[same], same)
		}
		assert.Equal(t, header["C_BPartner_ID"], made["C_BPartner_ID"], "of the order it is copied to")
		assert.Equal(t, []any{0.0, 0.0, false}, []any{made["QtyDelivered"], made["QtyInvoiced"], made["Processed"]})
		assert.NotEqual(t, from["uid"], made["uid"])
	}

	for name, tc := range map[string]struct {
		body string
		want []any
	}{
		"no target":                  {`{"C_Order_ID":100}`, []any{"Target C_Order_ID == 0", true}},
		"no source":                  {`{"record-id":119}`, []any{"Source C_Order_ID == 0", true}},
		"a processed target":         {`{"record-id":100,"C_Order_ID":119}`, []any{"Copied=0", false}},
		"another tenant's source":    {`{"record-id":119,"C_Order_ID":1000000}`, []any{"Copied=0", false}},
		"another tenant's target":    {`{"record-id":1000000,"C_Order_ID":100}`, []any{"Copied=0", false}},
		"a source that is not there": {`{"record-id":119,"C_Order_ID":999999}`, []any{"Copied=0", false}},
	} {
		assert.Equal(t, tc.want, run(tc.body), name)
	}
}

func TestProcessOfADocument(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	run := func(body string) map[string]any { return o.object(http.MethodPost, "/processes/c_order-process", body) }
	done := run(`{"record-id":120,"model-name":"c_order"}`)
	assert.Equal(t, []any{"Completed", false}, []any{done["summary"], done["isError"]})
	order := o.object(http.MethodGet, "/models/C_Order/120", "")
	assert.Equal(t, []any{"CO", true}, []any{order["DocStatus"].(map[string]any)["id"], order["Processed"]})
	for name, body := range map[string]string{
		"no record":         `{}`,
		"no document":       `{"record-id":118,"model-name":"c_bpartner"}`,
		"another tenant's":  `{"record-id":1000000,"model-name":"c_order"}`,
		"a record not here": `{"record-id":999999,"model-name":"c_order"}`,
	} {
		assert.Equal(t, true, run(body)["isError"], name)
	}
}
