package erptest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listOf are the objects in an array of an object.
func listOf(t testing.TB, o map[string]any, name string) []map[string]any {
	t.Helper()
	list, ok := o[name].([]any)
	require.True(t, ok, "no array %s: %v", name, o)
	out := make([]map[string]any, len(list))
	for i, v := range list {
		out[i], ok = v.(map[string]any)
		require.True(t, ok, "no object: %v", v)
	}
	return out
}

func names(o map[string]any) []string {
	var out []string
	for name := range o {
		out = append(out, name)
	}
	return out
}

// Rules 8: the list of windows.
func TestWindowsAreListed(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	all := listOf(t, o.object("GET", "/windows", ""), "windows")
	require.Greater(t, len(all), 20)
	for i := 1; i < len(all); i++ {
		assert.LessOrEqual(t, all[i-1]["Name"], all[i]["Name"])
	}
	one := func(query string) map[string]any {
		t.Helper()
		list := listOf(t, o.object("GET", "/windows?$filter="+url.QueryEscape("name eq 'Bank/Cash'")+query, ""), "windows")
		require.Len(t, list, 1)
		return list[0]
	}
	w := one("")
	assert.Equal(t, "bank-cash", w["slug"])
	assert.Equal(t, "ad_window", w["model-name"])
	assert.NotContains(t, w, "tabs")
	assert.NotContains(t, one("&$expand=ad_tab"), "tabs", "the case of the text counts")
	tabs := listOf(t, one("&$expand=AD_Tab"), "tabs")
	require.Len(t, tabs, 6)
	assert.Equal(t, []any{"bank-cash", "account", "bank-account-document"}, []any{tabs[0]["slug"], tabs[1]["slug"], tabs[2]["slug"]})
	assert.NotContains(t, tabs[0], "fields")
	fields := listOf(t, listOf(t, one("&$expand="+url.QueryEscape("AD_Tab($expand=AD_Field)")), "tabs")[0], "fields")
	assert.Equal(t, "ad_field", fields[0]["model-name"])
	chosen := one("&$expand=AD_Tab&$select=Name,AD_Tab/SeqNo")
	assert.ElementsMatch(t, []string{"id", "uid", "Name", "model-name", "slug", "tabs"}, names(chosen))
	assert.ElementsMatch(t, []string{"id", "uid", "SeqNo", "model-name", "slug"}, names(listOf(t, chosen, "tabs")[0]))
	want(t, o.get("/windows?$filter=Nope%20eq%201"), 400, `{"title":"GET Error","status":400,"detail":"Get windows with exception: Invalid column for filter: Nope"}`)
}

func TestWindowsTabsAndFields(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	w := o.object("GET", "/windows/bank-cash/tabs", "")
	assert.InDelta(t, 158, w["id"], 0)
	tabs := listOf(t, w, "tabs")
	assert.ElementsMatch(t, []string{"id", "uid", "Name", "EntityType", "SeqNo", "TabLevel", "model-name", "slug"}, names(tabs[1]))
	fields := listOf(t, o.object("GET", "/windows/bank-cash/tabs/account/fields", ""), "fields")
	assert.Greater(t, len(fields), 10)
	fields = listOf(t, o.object("GET", "/windows/bank-cash/tabs/account/fields?$filter="+url.QueryEscape("Name eq 'Account No'"), ""), "fields")
	require.Len(t, fields, 1)
	assert.Equal(t, "AccountNo", fields[0]["AD_Column_ID"].(map[string]any)["identifier"])
}

// Rules 8: pages of 100 records, counted from 0.
func TestWindowPages(t *testing.T) {
	t.Parallel()
	o := operate(t, asSystem)
	a := o.get("/windows/element")
	require.Equal(t, 200, a.status, a.body)
	page := a.object(t)
	total := int(page["row-count"].(float64))
	require.Greater(t, total, 200)
	pages := (total + 99) / 100
	assert.Len(t, page["window-records"], 100)
	assert.InDelta(t, pages, page["page-count"], 0)
	for header, n := range map[string]int{"X-Page-Count": pages, "X-Page-Size": 100, "X-Page-Number": 0, "X-Row-Count": total} {
		assert.Equal(t, fmt.Sprint(n), a.header.Get(header), header)
	}
	last := o.object("GET", fmt.Sprintf("/windows/element?$page_no=%d", pages-1), "")
	assert.Len(t, last["window-records"], total-100*(pages-1))
	a = o.get(fmt.Sprintf("/windows/element?$page_no=%d", pages))
	assert.Equal(t, 500, a.status)
	assert.Equal(t, "Internal Server Error", a.text(t, "title"))
	assert.Equal(t, 404, o.get("/windows/element?$page_no=x").status)
	assert.Len(t, o.object("GET", "/windows/element?$page_no=-3", "")["window-records"], 100)
	sorted := func(column string) string {
		return listOf(t, o.object("GET", "/windows/element?$sort_column="+url.QueryEscape(column), ""), "window-records")[0]["ColumnName"].(string)
	}
	assert.Less(t, sorted("ColumnName"), "AD_B")
	assert.Greater(t, sorted("!ColumnName"), "X")
	assert.Equal(t, sorted("!ColumnName,Name"), sorted(""), "unknown columns are ignored")
	assert.Equal(t, sorted("!columnname"), sorted(""), "the case counts")
	groups := func(sort string) (list []string) {
		for _, p := range listOf(t, o.as(asGardenAdmin).object("GET", "/windows/business-partner?$sort_column="+sort, ""), "window-records") {
			list = append(list, p["C_BP_Group_ID"].(map[string]any)["identifier"].(string))
		}
		return list
	}
	assert.IsIncreasing(t, slices.Compact(groups("C_BP_Group_ID")), "by what is displayed")
	assert.IsDecreasing(t, slices.Compact(groups("!C_BP_Group_ID")))
	filtered := o.object("GET", "/windows/element?$filter="+url.QueryEscape("ColumnName eq 'C_Order_ID' or ColumnName eq 'C_BPartner_ID'"), "")
	assert.InDelta(t, 2, filtered["row-count"], 0)
}

func TestTabRecords(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	orders := listOf(t, o.object("GET", "/windows/sales-order", ""), "window-records")
	for _, order := range orders {
		assert.Equal(t, true, order["IsSOTrx"], "the tab's own condition holds")
		assert.Equal(t, "order", order["slug"])
		assert.NotContains(t, order, "model-name")
	}
	order := o.object("GET", "/windows/sales-order/100?$expand=order-line,%20order-tax,nonsense", "")
	assert.NotContains(t, order, "order-tax", "blanks count")
	assert.NotContains(t, order, "slug")
	assert.NotContains(t, order, "nonsense")
	lines := listOf(t, order, "order-line")
	require.Len(t, lines, 2)
	assert.Len(t, o.object("GET", "/windows/bank-cash/tabs/account/101?$expand=bank-account-document", "")["bank-account-document"], 0, "present also when empty")
	page := o.object("GET", "/windows/sales-order/tabs/order/100/order-line?$sort_column=!Line", "")
	assert.InDelta(t, 2, page["row-count"], 0)
	line := listOf(t, page, "childtab-records")[0]
	assert.InDelta(t, 20, line["Line"], 0)
	assert.Equal(t, "order-line", line["slug"])
	assert.Equal(t, lines[1]["id"], line["id"])
	assert.InDelta(t, 1, o.object("GET", "/windows/sales-order/tabs/order/100/order-line?$filter=Line%20eq%2020", "")["row-count"], 0)
	single := o.object("GET", fmt.Sprintf("/windows/sales-order/tabs/order-line/%d", idOf(t, line)), "")
	assert.Equal(t, line["uid"], single["uid"])
	assert.Equal(t, 404, o.get("/windows/purchase-order/100").status, "a sales order is not in the window for purchases")
}

// Rules 8: errors, two of them with two statuses.
func TestWindowErrors(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		want               string
	}{
		"window":           {"GET", "/windows/nope", "", 404, `{"title":"Invalid window name","status":404,"detail":"No match found for window name: nope"}`},
		"window by id":     {"GET", "/windows/143", "", 404, `{"title":"Invalid window name","status":404,"detail":"No match found for window name: 143"}`},
		"tab":              {"GET", "/windows/sales-order/tabs/nope/100", "", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id 100"}`},
		"tab of a DELETE":  {"DELETE", "/windows/sales-order/tabs/nope/100", "", 404, `{"title":"Invalid tab name","status":404,"detail":"No match found for tab name: nope"}`},
		"tab of fields":    {"GET", "/windows/sales-order/tabs/nope/fields", "", 404, `{"title":"Invalid tab name","status":404,"detail":"No match found for tab name: nope"}`},
		"filter of fields": {"GET", "/windows/sales-order/tabs/order/fields?$filter=Foo%20eq%201", "", 400, `{"title":"GET Error","status":400,"detail":"Get TabFields with exception: Invalid column for filter: Foo"}`},
		"selected column":  {"GET", "/windows?$select=Foo", "", 400, `{"title":"GET Error","status":400,"detail":"Get windows with exception: Foo is not a valid column of table AD_Window"}`},
		"selected table":   {"GET", "/windows?$select=AD_Field/Name&$expand=AD_Tab", "", 400, `{"title":"GET Error","status":400,"detail":"Get windows with exception: AD_Field does not make part of the request body."}`},
		"not expanded":     {"GET", "/windows?$select=AD_Tab/Name", "", 400, `{"title":"GET Error","status":400,"detail":"Get windows with exception: AD_Tab/Name is not a valid column of table AD_Window"}`},
		"record":           {"GET", "/windows/sales-order/4711", "", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id 4711"}`},
		"record of a PUT":  {"PUT", "/windows/sales-order/4711", "{}", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 4711"}`},
		"other tenant":     {"GET", "/windows/sales-order/1000000", "", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id 1000000"}`},
		"parent tab":       {"GET", "/windows/sales-order/tabs/nope/100/order-line", "", 400, `{"title":"Invalid tab name","status":404,"detail":"No match found for tab name: nope"}`},
		"several records":  {"GET", "/windows/user/tabs/user-roles/101", "", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id 101"}`},
		"several to write": {"PUT", "/windows/user/tabs/user-roles/101", "{}", 400, `{"title":"More than 1 match","status":404,"detail":"More than 1 matching record for id: 101"}`},
		"no child":         {"GET", "/windows/sales-order/tabs/order-line/100/order-tax", "", 400, `order-tax is not child tab of order-line`},
		"child tab":        {"GET", "/windows/sales-order/tabs/order/100/nope", "", 404, `{"title":"Invalid tab name","status":404,"detail":"No match found for tab name: nope"}`},
		"parent record":    {"POST", "/windows/sales-order/tabs/order/4711/order-line", "{}", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id 4711"}`},
		"no body":          {"POST", "/windows/bank-cash", "", 500, `{"title":"Server error","status":500,"detail":"Server error with exception: The request has no body: a JSON object is expected"}`},
		"page":             {"GET", "/windows/bank-cash?$page_no=3", "", 500, `{"title":"Internal Server Error","status":500,"detail":"Unable to set active page to 3 since only 1 pages"}`},
		"no new taxes":     {"POST", "/windows/sales-order/tabs/order-line/100/order-tax", "{}", 403, `{"title":"Create not allow","status":403,"detail":"Create not allow for tab: order-tax"}`},
		"wrong parent":     {"POST", "/windows/sales-order/tabs/order-line/100/order-line", "{}", 400, `{"title":"Wrong parent tab","status":400,"detail":"order-line is not child tab of order-line"}`},
		"read-only tab":    {"PUT", "/windows/sales-order/tabs/order-tax/100", "{}", 403, `{"title":"Tab is readonly","status":403,"detail":"Tab is readonly: order-tax"}`},
		"no new records":   {"POST", "/windows/tenant", "{}", 403, `{"title":"Create not allow","status":403,"detail":"Create not allow for tab: tenant"}`},
		"no deletion":      {"DELETE", "/windows/tenant/11", "", 403, `{"title":"Delete not allow","status":403,"detail":"Delete not allow for tab: tenant"}`},
		"mandatory":        {"POST", "/windows/bank-cash", `{"Description":"x"}`, 500, `{"title":"Save error","status":500,"detail":"Save error with exception: Fill mandatory fields: "}`},
		"text as a key":    {"POST", "/windows/business-partner", `{"Name":"x","C_BP_Group_ID":"abc"}`, 500, `{"title":"Save error","status":500}`},
		"document action":  {"PUT", "/windows/sales-order/100", `{"doc-action":"RE"}`, 500, `{"title":"Can't perform document action","status":500,"detail":"Encounter exception during execution of document action: Standard Order cannot be reactivated\n - 80000: Grand Total=154.07"}`},
		"no print process": {"GET", "/windows/bank-cash/100/print", "", 404, `{"title":"No print process","status":404,"detail":"No print process have been defined for window"}`},
	} {
		t.Run(name, func(t *testing.T) { want(t, o.send(c.method, c.path, c.body), c.status, c.want) })
	}
	for _, body := range []string{"[", "[]", "1"} {
		a := o.post("/windows/bank-cash", body)
		assert.Equal(t, 500, a.status, body)
		assert.True(t, a.isContainerPage(), body)
		assert.Equal(t, 404, o.post("/windows/nope", body).status, "the window comes first")
	}
	for _, path := range []string{"/windows/sales-order/abc", "/windows/sales-order/tabs/order/abc", "/windows/sales-order/5b0c9d4e-6c1f-4a52-9f3e-1d2a7c8b9e01"} {
		a := o.get(path)
		assert.Equal(t, 404, a.status, path)
		assert.True(t, a.isContainerPage(), path)
	}
	want(t, o.as(asGardenUser).get("/windows/bank-cash"), 403, `{"title":"Access denied","status":403,"detail":"Access denied for window: bank-cash"}`)
}

const azaleaOrder = `{"isSOTrx":true,"C_DocTypeTarget_ID":{"identifier":"Standard Order"},"C_BPartner_ID":{"identifier":"C&W Construction"},
	"deliveryViaRule":"P","nonsense":5,"order-line":[{"M_Product_ID":{"identifier":"Azalea Bush"},"qtyEntered":1}],"doc-action":"CO"}`

// Rules 8: creating through a window, with children and document action.
func TestWindowCreates(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	a := o.post("/windows/sales-order", azaleaOrder)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	order := a.object(t)
	assert.Equal(t, "CO", order["DocStatus"].(map[string]any)["id"])
	lines := listOf(t, order, "order-line")
	require.Len(t, lines, 1)
	assert.Equal(t, "Azalea Bush", lines[0]["M_Product_ID"].(map[string]any)["identifier"])
	stored := o.object("GET", fmt.Sprintf("/models/c_order/%d", idOf(t, order)), "")
	assert.Equal(t, order["DocumentNo"], stored["DocumentNo"])
	assert.Positive(t, stored["GrandTotal"])
	purchase := o.post("/windows/purchase-order?$save=false", `{"C_BPartner_ID":{"identifier":"Tree Farm Inc."}}`).object(t)
	assert.Equal(t, false, purchase["IsSOTrx"], "the window tells what kind of order it is")
	a = o.post("/windows/sales-order", strings.Replace(azaleaOrder, "Azalea Bush", "Unicorn", 1))
	assert.Equal(t, 500, a.status)
	assert.Equal(t, "Server error", a.text(t, "title"))
	a = o.post("/windows/sales-order", strings.Replace(azaleaOrder, `"order-line":[{"M_Product_ID":{"identifier":"Azalea Bush"},"qtyEntered":1}],`, "", 1))
	assert.Equal(t, "Can't perform document action", a.text(t, "title"))
	assert.InDelta(t, 1, o.object("GET", "/models/c_order?$filter=C_Order_ID%20gt%201000003", "")["row-count"], 0, "failures leave nothing")
}

// Rules 8: $save=false shows what would be saved and saves nothing.
func TestWindowDryRun(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	count := func() any { return o.object("GET", "/models/c_order", "")["row-count"] }
	before := count()
	a := o.post("/windows/sales-order?$save=false", azaleaOrder)
	require.Equal(t, 200, a.status, a.body)
	order := a.object(t)
	assert.NotContains(t, order, "id")
	assert.Equal(t, "Immediate", order["C_PaymentTerm_ID"].(map[string]any)["identifier"], "the log-in's: the partner's comes when it is saved")
	assert.Equal(t, "DR", order["DocStatus"].(map[string]any)["id"])
	assert.Equal(t, before, count())
	assert.Equal(t, 200, o.post("/windows/bank-cash?$save=0", `{}`).status, "what is not true is false, and nothing is mandatory")
	a = o.put("/windows/bank-cash/100?$save=false", `{"Name":"Other"}`)
	assert.Equal(t, "Other", a.text(t, "Name"))
	assert.Equal(t, "MoneyBank", o.get("/windows/bank-cash/100").text(t, "Name"))
	assert.Equal(t, 200, o.put("/windows/bank-cash/100?$save=TRUE", `{"Name":"Other"}`).status)
	assert.Equal(t, "Other", o.get("/windows/bank-cash/100").text(t, "Name"))
}

func TestWindowChangesAndDeletes(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	bank := o.object("PUT", "/windows/bank-cash/100", `{"id":100,"name":"Bank of Gardens","nope":1,"Created":"2020-01-01T00:00:00Z",
		"account":[{"id":101,"Name":"The Till"},{"Value":"Safe","Name":"Safe","AccountNo":"7","BankAccountType":"C","C_Currency_ID":100}]}`)
	assert.Equal(t, "Bank of Gardens", bank["Name"])
	accounts := listOf(t, bank, "account")
	require.Len(t, accounts, 2)
	assert.Equal(t, "The Till", accounts[0]["Name"])
	assert.InDelta(t, 100, accounts[1]["C_Bank_ID"].(map[string]any)["id"], 0)
	assert.Len(t, o.object("GET", "/windows/bank-cash/100?$expand=account", "")["account"], 3)
	a := o.put("/windows/bank-cash/100", `{"name":"Nothing","account":[{"Name":"Incomplete"}]}`)
	assert.Equal(t, 500, a.status, a.body)
	assert.Equal(t, "Bank of Gardens", o.get("/windows/bank-cash/100").text(t, "Name"), "a child's failure undoes all")

	path := "/windows/bank-cash/tabs/account/100/bank-account-document"
	a = o.post(path, `{"AD_Org_ID":{"identifier":"HQ"},"name":"Second","paymentRule":{"id":"S"},"currentNext":1000,"Check_PrintFormat_ID":{"id":124}}`)
	require.Equal(t, 201, a.status, a.body)
	assert.InDelta(t, 100, a.object(t)["C_BankAccount_ID"].(map[string]any)["id"], 0)
	one := fmt.Sprintf("/windows/bank-cash/tabs/bank-account-document/%d", idOf(t, a.object(t)))
	assert.Equal(t, "Mine", o.put(one, `{"name":"Mine"}`).text(t, "Name"))
	want(t, o.del(one), 200, "")
	assert.Equal(t, 404, o.get(one).status)
	assert.InDelta(t, 1, o.object("GET", path, "")["row-count"], 0)
	assert.Equal(t, 500, o.del("/windows/bank-cash/tabs/account/100").status, "payments refer to it")
	processed := o.object("PUT", "/windows/sales-order/101", `{"C_BPartner_ID":118,"Description":"late"}`)
	assert.NotEqual(t, "late", processed["Description"], "columns of processed documents are passed over")
}

func TestWindowPrints(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	report := o.object("GET", "/windows/sales-order/102/print", "")
	assert.Equal(t, "rpt-c_order", report["process"])
	pdf, err := base64Std(report["reportFile"].(string))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(pdf), "%PDF-"))
	report = o.object("GET", "/windows/sales-order/tabs/order/102/print?$report_type=CSV", "")
	assert.Contains(t, report, "exportFile")
	assert.Equal(t, 404, o.get("/windows/sales-order/4711/print").status)
	assert.Equal(t, 404, o.get("/windows/sales-order/x/print").status)
}

func TestWindowsOfOtherTenantsAndRoles(t *testing.T) {
	t.Parallel()
	o := operate(t, asFernAdmin)
	for _, order := range listOf(t, o.object("GET", "/windows/sales-order", ""), "window-records") {
		assert.InDelta(t, 1000000, order["AD_Client_ID"].(map[string]any)["id"], 0)
	}
	assert.Equal(t, 404, o.get("/windows/sales-order/100").status)
	assert.Equal(t, 404, o.put("/windows/sales-order/100", `{"Description":"x"}`).status)
	assert.Equal(t, 404, o.del("/windows/sales-order/100").status)
	assert.Equal(t, 404, o.post("/windows/sales-order/tabs/order/100/order-line", `{}`).status)
	assert.Equal(t, 404, o.get("/windows/sales-order/tabs/order/100/order-line").status)
	user := o.as(asGardenUser)
	assert.Len(t, listOf(t, user.object("GET", "/windows", ""), "windows"), 6)
	a := user.put("/windows/product/128", `{"Name":"Mine"}`)
	assert.Equal(t, 403, a.status, a.body)
}

// Rules 8: windows obey the logic of tabs and fields.
func TestWindowLogic(t *testing.T) {
	t.Parallel()
	o := operate(t, asSystem)
	garden := o.as(asGardenAdmin)
	set := func(table string, id int, body string) {
		t.Helper()
		a := o.put(fmt.Sprintf("/models/%s/%d", table, id), body)
		require.Equal(t, 200, a.status, a.body)
	}
	field := func(name string) int {
		t.Helper()
		filter := url.QueryEscape("AD_Tab_ID eq 227 and Name eq '" + name + "'")
		return idOf(t, listOf(t, o.object("GET", "/models/ad_field?$filter="+filter, ""), "records")[0])
	}
	set("ad_field", field("Routing No"), `{"DisplayLogic":"@IsOwnBank@='N'"}`)
	assert.NotContains(t, garden.object("GET", "/windows/bank-cash/100", ""), "RoutingNo")
	set("ad_field", field("Name"), `{"IsReadOnly":true,"ReadOnlyLogic":"@IsOwnBank@='Y' & @#AD_Client_ID@=11"}`)
	bank := garden.object("PUT", "/windows/bank-cash/100", `{"Name":"Other","Description":"mine"}`)
	assert.Equal(t, []any{"Other", "mine"}, []any{bank["Name"], bank["Description"]}, "the ERP does not ask whether a field is read-only")
	set("ad_tab", 227, `{"ReadOnlyLogic":"@Name@='Other'"}`)
	assert.Equal(t, 200, garden.put("/windows/bank-cash/100", `{}`).status, "the record is not looked at")
	set("ad_tab", 227, `{"ReadOnlyLogic":"@#AD_Client_ID@=11"}`)
	want(t, garden.put("/windows/bank-cash/100", `{}`), 403, `{"title":"Tab is readonly","status":403,"detail":"Tab is readonly: null"}`)
	assert.Equal(t, 403, garden.del("/windows/bank-cash/100").status)
	set("ad_tab", 227, `{"ReadOnlyLogic":"","WhereClause":"C_Bank.AD_Client_ID IN (SELECT c.AD_Client_ID FROM AD_Client c WHERE c.AD_Client_ID=@#AD_Client_ID@)","IsInsertRecord":false}`)
	assert.InDelta(t, 1, garden.object("GET", "/windows/bank-cash", "")["row-count"], 0)
	assert.Equal(t, 403, garden.post("/windows/bank-cash", `{"Name":"x","RoutingNo":"1"}`).status)
	set("ad_tab", 227, `{"WhereClause":"C_Bank.C_Bank_ID=@Nothing@"}`)
	assert.InDelta(t, 0, garden.object("GET", "/windows/bank-cash", "")["row-count"], 0)
}
