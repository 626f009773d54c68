package erptest_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// hostileTexts are what nobody should send.
var hostileTexts = []string{
	"'", "''", "' OR '1'='1", "1;DROP TABLE AD_User", "--", "/*", "\x01", "%", "%00", "{{", "}", "((((((", "))", "@#AD_Client_ID@", "@SQL=SELECT 1",
	strings.Repeat("a", 5000), strings.Repeat("(", 3000), "ü", "漢字", "\u202e", "-1", "99999999999999999999", "1e9", "NaN", "null", "true", "..", "%2e%2e", "*",
	"id eq 1 or", "Name eq", "contains(Name,'", "AD_User($expand=AD_User($expand=AD_User))", ",,,", "!", "!!", "Name,Name", "$", "$$", "\"", "{\"a\":",
}

// Whatever is put into paths and parameters is refused or handled, never with
// a failure of the database and, where the real server does not fail, never with
// 500.
func TestHostileRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another")
	}
	t.Parallel()
	o := operate(t, asGardenAdmin)
	failing := func(path, text string) bool { // what the real server fails on
		switch {
		case strings.HasPrefix(path, "/statuslines/"), strings.HasPrefix(path, "/charts/"), strings.HasPrefix(path, "/menutree/"):
			return true // ids that are no numbers
		case strings.HasPrefix(path, "/reference/"):
			return strings.Trim(text, "0123456789") == "" // numbers that are too big
		case strings.Contains(path, "$parameters"):
			return true // no JSON object
		case strings.Contains(path, "$filter"), strings.Contains(path, "$expand"):
			return true // truncated expressions, unknown functions, details without a link
		case strings.Contains(path, "$orderby"):
			return strings.HasSuffix(text, ",")
		case strings.Contains(path, "$page_no"):
			return true // beyond the end
		}
		return false
	}
	for _, path := range []string{
		"/windows/X", "/windows/X/tabs", "/windows/X/tabs/Y/fields", "/windows/sales-order/X", "/windows/sales-order/tabs/X/100",
		"/windows/sales-order/tabs/order/X", "/windows/sales-order/tabs/order/100/X", "/windows/sales-order/X/print",
		"/windows?$filter=X", "/windows?$select=X", "/windows?$expand=X", "/windows/bank-cash?$filter=X", "/windows/bank-cash?$sort_column=X",
		"/windows/bank-cash?$page_no=X", "/windows/bank-cash/100?$expand=X", "/windows/bank-cash/tabs/bank-cash/fields?$filter=X",
		"/forms?$filter=X", "/tasks?$filter=X", "/tasks/X", "/reference/X", "/infos?$filter=X", "/infos/X", "/infos/X/columns",
		"/infos/order-info?$orderby=X", "/infos/order-info?$parameters=X", "/infos/order-info?$page_no=X", "/statuslines?$filter=X", "/statuslines/X",
		"/charts/X", "/charts/X/data", "/charts/50000?width=X", "/charts/data?$filter=X", "/menutree/X", "/views?$filter=X", "/views/X", "/views/X/yaml",
		"/views/customer/X", "/views/customer/118/X", "/views/customer?$filter=X", "/views/customer?$select=X", "/views/customer?$orderby=X",
		"/views/customer?$expand=X", "/views/customer?$top=X",
	} {
		for _, text := range hostileTexts {
			escape := url.PathEscape
			if strings.Contains(path, "=X") {
				escape = url.QueryEscape
			}
			a := o.get(strings.Replace(path, "X", escape(text), 1))
			lower := strings.ToLower(a.body)
			for _, trace := range []string{"sqlite", "sql logic", "syntax error", "no such column", "no such table", "constraint failed", "goroutine"} {
				assert.NotContains(t, lower, trace, "%s with %q", path, text)
			}
			if a.status >= http.StatusInternalServerError {
				assert.True(t, failing(path, text) && a.status == 500, "%s with %q: %d %s", path, text, a.status, a.body)
			}
		}
	}
}
