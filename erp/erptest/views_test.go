package erptest_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Rules 6: definitions of views.
func TestViewDefinitions(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	views := listOf(t, o.object("GET", "/views", ""), "views")
	require.Len(t, views, 4)
	list := listOf(t, o.object("GET", "/views?$filter=Name%20eq%20'customer-order'", ""), "views")
	require.Len(t, list, 1)
	v := list[0]
	assert.Equal(t, "c_order", v["tableName"])
	assert.Equal(t, "C_Order.IsSOTrx='Y'", v["whereClause"])
	columns := listOf(t, v, "columns")
	assert.Equal(t, "C_BPartner_ID", columns[2]["columnName"])
	assert.Equal(t, "customer", columns[2]["referenceView"].(map[string]any)["name"])
	related := listOf(t, v, "relatedViews")[0]
	assert.Equal(t, []any{"lines", "order-line", true}, []any{related["name"], related["view"].(map[string]any)["name"], related["autoExpand"]})
	assert.NotContains(t, views[0], "whereClause", "optional members are left out")

	a := o.get("/views/customer/yaml")
	require.Equal(t, 200, a.status)
	var doc map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(a.body), &doc))
	assert.Contains(t, doc["paths"], "/views/customer/{id}")
	schema := doc["components"].(map[string]any)["schemas"].(map[string]any)["customer"].(map[string]any)["properties"].(map[string]any)
	assert.Contains(t, schema["credit"].(map[string]any)["properties"], "limit")
	want(t, o.get("/views/nope/yaml"), 404, `{"title":"Invalid view name","status":404,"detail":"No match found for view name: nope"}`)
	want(t, o.get("/views/nope"), 404, `{"title":"Invalid rest view name","status":404,"detail":"No match found for rest view name: nope"}`)
	assert.Equal(t, 404, o.get("/views/Customer").status, "names of views are case-sensitive")
	assert.Equal(t, 406, o.send("GET", "/views/customer/yaml", "", "Accept", "application/json").status)
}

// Rules 6: names, nesting, conditions of the view.
func TestViewRecords(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	a := o.get("/views/customer/118")
	require.Equal(t, 200, a.status)
	joe := a.object(t)
	assert.Equal(t, map[string]any{
		"id": 118.0, "uid": joe["uid"], "key": "JoeBlock", "name": "Joe Block", "customer": true,
		"group":      map[string]any{"propertyLabel": "Business Partner Group", "id": 103.0, "identifier": "Standard", "model-name": "c_bp_group"},
		"credit":     map[string]any{"limit": 5000.0, "balance": 214.65},
		"model-name": "c_bpartner", "view-name": "customer",
	}, joe)
	assert.Equal(t, joe, o.object("GET", "/views/customer/"+joe["uid"].(string), ""))
	want(t, o.get("/views/customer/114"), 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 114"}`)
	assert.Equal(t, 200, o.get("/models/c_bpartner/114").status, "a vendor, whom the view does not show")
	want(t, o.get("/views/customer/118/credit.balance"), 200,
		fmt.Sprintf(`{"id":118,"uid":%q,"credit":{"balance":214.65},"model-name":"c_bpartner","view-name":"customer"}`, joe["uid"]))
	assert.Equal(t, 404, o.get("/views/customer/118/nope").status)
	assert.Equal(t, 400, o.get("/views/customer/x").status)
	assert.Equal(t, 404, o.get("/views/customer/1000001").status, "another tenant's")

	a = o.get("/views/customer?$top=3&$orderby=Value")
	page := a.object(t)
	assert.InDelta(t, 8, page["row-count"], 0)
	assert.Equal(t, "8", a.header.Get("X-Row-Count"))
	assert.Len(t, page["records"], 3)
	list := func(query string) []map[string]any {
		t.Helper()
		return listOf(t, o.object("GET", "/views/customer?"+query, ""), "records")
	}
	assert.Len(t, list("$filter="+url.QueryEscape("credit.limit gt 20000 and contains(name,'Con')")), 1)
	assert.Len(t, list("$filter="+url.QueryEscape("id eq 118 or key eq 'JoeBlock'")), 1)
	assert.Len(t, list("$filter="+url.QueryEscape("id eq 114 or id eq 118")), 1, "the view's condition is not one of the alternatives")
	assert.ElementsMatch(t, []string{"id", "uid", "name", "credit", "model-name", "view-name"}, names(list("$select=name,SO_CreditLimit,Created")[0]))
	assert.Equal(t, list("$orderby=key%20desc"), list(""), "not a column of the table")
	want(t, o.get("/views/customer?$filter=Name%20eq%20'x'"), 400, `{"title":null,"status":400,"detail":"Invalid column for filter: Name"}`)
	want(t, o.get("/views/customer?$select=nope"), 400, `{"title":null,"status":400,"detail":"nope is not a valid column of table C_BPartner"}`)
	assert.Equal(t, 404, o.get("/views/customer?$top=x").status)
	assert.Contains(t, o.object("GET", "/views/customer?showsql=nodata", ""), "sql-command")
}

// Rules 6: relations and reference views.
func TestViewExpansion(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	order := o.object("GET", "/views/customer-order/100", "")
	assert.Equal(t, map[string]any{"id": 118.0, "identifier": "Joe Block", "view-name": "customer"}, order["customer"])
	lines := listOf(t, order, "lines")
	require.Len(t, lines, 2, "expanded by itself")
	assert.ElementsMatch(t, []string{"id", "uid", "line", "product", "quantity", "amount"}, names(lines[0]))
	assert.Contains(t, o.object("GET", "/views/customer-order/100/number", ""), "lines", "also with one property")
	assert.Equal(t, []any{"c_order", "customer-order"}, []any{o.object("GET", "/views/customer-order/100/Description", "")["model-name"], order["view-name"]}, "a column that the view has not")
	assert.Contains(t, listOf(t, o.object("GET", "/views/customer-order?$top=1", ""), "records")[0], "lines")
	order = o.object("GET", "/views/customer-order/100?$expand="+url.QueryEscape("customer($select=name,key)"), "")
	assert.NotContains(t, order, "lines", "not with a $expand")
	customer := order["customer"].(map[string]any)
	assert.ElementsMatch(t, []string{"id", "uid", "name", "key", "model-name", "view-name"}, names(customer))
	order = o.object("GET", "/views/customer-order/100?$expand="+url.QueryEscape("lines($select=line,product;$filter=line gt 10;$orderby=Line;$top=5;$expand=product($select=Name))")+"&showsql", "")
	assert.Contains(t, order, "sql-command-C_OrderLine[C_Order_ID]")
	lines = listOf(t, order, "lines")
	require.Len(t, lines, 1)
	assert.Equal(t, "Azalea Bush", lines[0]["product"].(map[string]any)["Name"])
	joe := o.object("GET", "/views/customer/118?$expand=addresses,group", "")
	assert.Equal(t, "c_bp_group", joe["group"].(map[string]any)["model-name"], "a whole record where there is no reference view")
	assert.Contains(t, joe["group"], "IsConfidentialInfo")
	assert.Len(t, joe["addresses"], 1)
	for _, expand := range []string{"customer($filter=name eq 'x')", "lines($top=x)", "lines($filter=quantity gt 1)", "total", "number($top=1)"} {
		assert.Equal(t, 400, o.get("/views/customer-order/100?$expand="+url.QueryEscape(expand)).status, expand)
	}
	for _, expand := range []string{"C_BPartner_Location", "nope", "lines(nope=1)"} {
		assert.Equal(t, 200, o.get("/views/customer-order/100?$expand="+url.QueryEscape(expand)).status, expand)
	}
}

// Rules 6: writing in the view's names.
func TestViewWrites(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	a := o.post("/views/customer", `{"name":"New One","credit":{"limit":12.5},"addresses":[{"name":"Home","phone":"123","location":{"Address1":"x","C_Country_ID":100}}]}`)
	require.Equal(t, 201, a.status, a.body)
	made := a.object(t)
	id := idOf(t, made)
	assert.InDelta(t, 12.5, made["credit"].(map[string]any)["limit"], 0)
	assert.Equal(t, true, made["customer"], "the view's own default")
	assert.Equal(t, "Standard", made["group"].(map[string]any)["identifier"])
	home := listOf(t, made, "addresses")[0]
	assert.Equal(t, "123", home["phone"])
	assert.InDelta(t, id, o.object("GET", fmt.Sprintf("/models/c_bpartner_location/%d", idOf(t, home)), "")["C_BPartner_ID"].(map[string]any)["id"], 0)
	path := fmt.Sprintf("/views/customer/%d", id)

	changed := o.object("PUT", path, fmt.Sprintf(`{"name":"Newer","addresses":[{"id":%d,"name":"House"},{"name":"Shop","location":{"C_Country_ID":100}}]}`, idOf(t, home)))
	assert.Equal(t, "Newer", changed["name"])
	both := listOf(t, changed, "addresses")
	assert.Equal(t, []any{"House", "Shop"}, []any{both[0]["name"], both[1]["name"]})
	o.object("PUT", path, fmt.Sprintf(`{"addresses":[{"id":%d,"(delete)":true}]}`, idOf(t, both[1])))
	assert.Len(t, o.object("GET", path+"?$expand=addresses", "")["addresses"], 1)

	for name, c := range map[string]struct {
		method, path, body string
		status             int
		want               string
	}{
		"column name":      {"POST", "/views/customer", `{"SO_CreditLimit":1}`, 400, `{"title":"Validation error","status":400,"detail":"Column SO_CreditLimit does not exist"}`},
		"nested name":      {"POST", "/views/customer", `{"name":"x","credit":{"nope":1}}`, 400, `{"title":"Validation error","status":400,"detail":"Column credit.nope does not exist"}`},
		"other case":       {"POST", "/views/customer", `{"Name":"x"}`, 400, `{"title":"Validation error","status":400,"detail":"Wrong name for column Name, you must use name"}`},
		"id of a group":    {"POST", "/views/customer", `{"name":"x","Group":{"id":103}}`, 400, `{"title":"Validation error","status":400,"detail":"Wrong name for column Group, you must use group"}`},
		"name of the view": {"POST", "/views/customer", `{"name":"x","view-name":"customer"}`, 400, `{"title":"Validation error","status":400,"detail":"Column view-name does not exist"}`},
		"group as value":   {"POST", "/views/customer", `{"name":"x","credit":1}`, 400, `{"title":"Validation error","status":400,"detail":"Column credit does not exist"}`},
		"child":            {"POST", "/views/customer", `{"name":"x","addresses":[{"nope":1}]}`, 500, `{"title":"Save error","status":500,"detail":"Save error with exception: Column nope does not exist"}`},
		"child of a PUT":   {"PUT", "/views/customer/118", `{"addresses":[{"nope":1}]}`, 400, `{"title":"Validation error","status":400,"detail":"Column nope does not exist"}`},
		"unknown deleted":  {"PUT", "/views/customer/118", `{"addresses":[{"id":4711,"(delete)":true}]}`, 404, `{"title":"Delete Error","status":404,"detail":"Cannot delete non-existing record"}`},
		"array":            {"POST", "/views/customer", `[]`, 500, `{"title":"Server error","status":500,"detail":"Expected a JSON object but was an array"}`},
	} {
		t.Run(name, func(t *testing.T) { want(t, o.send(c.method, c.path, c.body), c.status, c.want) })
	}
	assert.Equal(t, "Tree", o.object("PUT", "/views/customer/114", `{"name":"Tree"}`)["name"], "the view's condition is for reading")
	a = o.post("/views/customer", `{"name":"Other","nothing":[{"x":1}],"C_BPartner_Location":[{"name":"There","location":{"C_Country_ID":100}}]}`)
	require.Equal(t, 201, a.status, a.body)
	assert.Len(t, a.object(t)["C_BPartner_Location"], 1, "by the name of the table")
	a = o.put("/views/customer/x", `{}`)
	assert.Equal(t, 500, a.status)
	assert.True(t, a.isContainerPage())
	want(t, o.del(path), 200, `{"msg":"Deleted"}`)
	assert.Equal(t, 404, o.get(path).status)
	draft := listOf(t, o.object("GET", "/views/customer-order?$filter=status%20eq%20'DR'&$orderby=C_Order_ID", ""), "records")[0]
	order := o.object("PUT", fmt.Sprintf("/views/customer-order/%d", idOf(t, draft)), `{"doc-action":"CO"}`)
	assert.Equal(t, "CO", order["status"].(map[string]any)["id"])
}

func TestViewAttachmentsAndPrint(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	files := "/views/customer-order/102/attachments"
	want(t, o.get(files), 200, `{"attachments":[]}`)
	assert.Equal(t, 204, o.send("GET", files+"/zip", "", "Accept", "*/*").status)
	want(t, o.post(files, `{"name":"a.txt","data":"SGVsbG8="}`), 201, "")
	assert.Equal(t, 409, o.post(files, `{"name":"a.txt","data":"SGVsbG8="}`).status)
	want(t, o.get("/models/c_order/102/attachments"), 200, `{"attachments":[{"name":"a.txt","contentType":"text/plain"}]}`)
	assert.Equal(t, "Hello", o.send("GET", files+"/a.txt", "", "Accept", "*/*").body)
	zip := o.object("GET", files+"/zip?json", "")
	want(t, o.del(files+"/a.txt"), 200, `{"msg":"Deleted"}`)
	want(t, o.post(files+"/zip", fmt.Sprintf(`{"data":%q}`, zip["data"])), 201, "")
	want(t, o.del(files), 200, `{"msg":"Deleted"}`)
	assert.Equal(t, 200, o.get("/views/customer/114/attachments").status, "the view's condition is for its records")
	want(t, o.post("/views/c_order/102/attachments", `{"name":"b.txt","data":"SGVsbG8="}`), 201, "")
	assert.Equal(t, 404, o.get("/views/c_order/102/attachments").status)
	assert.Contains(t, o.object("GET", "/views/customer-order/102/print", ""), "reportFile")
}

func TestViewsOfOtherRolesAndTenants(t *testing.T) {
	t.Parallel()
	o := operate(t, asFernAdmin)
	for _, r := range listOf(t, o.object("GET", "/views/customer-order", ""), "records") {
		assert.GreaterOrEqual(t, r["id"], 1000000.0)
	}
	assert.Equal(t, 404, o.get("/views/customer-order/100").status)
	assert.Equal(t, 404, o.put("/views/customer-order/100", `{}`).status)
	user := o.as(asGardenUser)
	joe := user.object("GET", "/views/customer/118", "")
	assert.NotContains(t, joe["credit"], "limit", "hidden from the role")
	// A tenant's own view reaches no further than its tables.
	garden := o.as(asGardenAdmin)
	a := garden.post("/models/rest_view", fmt.Sprintf(`{"Name":"spy","AD_Table_ID":%d,"EntityType":"U","WhereClause":%q,"REST_ViewColumn":[{"Name":"n","AD_Column_ID":%d}]}`,
		291, "EXISTS (SELECT 1 FROM AD_User x WHERE x.AD_Client_ID=1000000)", 2902))
	require.Equal(t, 201, a.status, a.body)
	assert.InDelta(t, 0, garden.object("GET", "/views/spy", "")["row-count"], 0)
	assert.Equal(t, 404, o.get("/views/spy").status, "another tenant's view")
	require.Equal(t, 200, garden.put(fmt.Sprintf("/models/rest_view/%d", idOf(t, a.object(t))), `{"WhereClause":"1=1) OR (1=1"}`).status)
	broken := garden.get("/views/spy")
	assert.Equal(t, 500, broken.status)
	assert.NotContains(t, broken.body, "near")
}
