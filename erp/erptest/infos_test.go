package erptest_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// infoRows queries an info window with query parameters as names and values.
func infoRows(t testing.TB, o *operator, slug string, query ...string) []map[string]any {
	t.Helper()
	v := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		v.Set(query[i], query[i+1])
	}
	page := o.object("GET", "/infos/"+slug+"?"+v.Encode(), "")
	rows := listOf(t, page, "infowindow-records")
	assert.InDelta(t, len(rows), page["row-count"], 0)
	return rows
}

// Rules 11: rows of an info window.
func TestInfoRows(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	row := infoRows(t, o, "business-partner-info", "$parameters", `{"vaLue":"joeb"}`)
	require.Len(t, row, 1, "upper-cased, with % at the end")
	assert.Equal(t, map[string]any{
		"C_BPartner_ID": 118.0, "Value": "JoeBlock", "Name": "Joe Block", "TotalOpenBalance": 214.65, "IsCustomer": true,
		"C_BP_Group_ID": map[string]any{"propertyLabel": "Business Partner Group", "id": 103.0, "identifier": "Standard"},
	}, row[0])
	all := infoRows(t, o, "business-partner-info")
	customers := infoRows(t, o, "business-partner-info", "$parameters", `{"IsCustomer":true}`)
	others := infoRows(t, o, "business-partner-info", "$parameters", `{"IsCustomer":false}`)
	assert.Equal(t, len(all), len(customers)+len(others))
	assert.Len(t, infoRows(t, o, "business-partner-info", "$parameters", `{"IsCustomer":true,"Name":"Joe"}`), 1, "combined with and")
	assert.Len(t, infoRows(t, o, "business-partner-info", "$parameters", `{"nonsense":1}`), len(all))
	for name, value := range map[string]string{"lookup": `{"C_BP_Group_ID":103}`, "object": `{"C_BP_Group_ID":{"id":103,"identifier":"Nothing"}}`} {
		for _, r := range infoRows(t, o, "business-partner-info", "$parameters", value) {
			assert.InDelta(t, 103, r["C_BP_Group_ID"].(map[string]any)["id"], 0, name)
		}
	}
	for _, r := range infoRows(t, o, "product-info", "$parameters", `{"Weight":11}`) {
		assert.GreaterOrEqual(t, r["Weight"], 11.0)
	}
	for _, r := range infoRows(t, o, "order-info", "$parameters", `{"DateOrdered":"2024-05-01"}`) {
		assert.GreaterOrEqual(t, r["DateOrdered"], "2024-05-01")
	}
	first := func(order string) any { return infoRows(t, o, "business-partner-info", "$orderby", order)[0]["Name"] }
	assert.Equal(t, "Wood, Inc", first("name DESC"))
	assert.Equal(t, "Agri-Tech", first("Name"))
	assert.Equal(t, "Wood, Inc", first(", name  desc ,"), "empty parts do not count")
	for _, invalid := range []string{"C_BPartner_ID", "Name DESC, nope", "Name sideways", "Name; DROP TABLE AD_User", "(SELECT 1)", "1"} {
		assert.Equal(t, all[0]["Name"], first(invalid), "any invalid part drops the clause")
	}
}

// Rules 11: pages counted from 1, with wrong numbers in the headers.
func TestInfoPages(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	for i := range 120 {
		a := o.post("/models/c_bpartner", fmt.Sprintf(`{"Value":"Z%03d","Name":"Zoo %03d","C_BP_Group_ID":103}`, i, i))
		require.Equal(t, 201, a.status, a.body)
	}
	query := "/infos/business-partner-info?$orderby=Name&$parameters=" + url.QueryEscape(`{"Name":"Zoo"}`)
	a := o.get(query)
	assert.Equal(t, []string{"100", "1", "100", "2"}, []string{
		a.header.Get("X-Array-Count"), a.header.Get("X-Page"), a.header.Get("X-Per-Page"), a.header.Get("X-Next-Page"),
	})
	assert.InDelta(t, 100, a.object(t)["row-count"], 0)
	assert.Equal(t, a.body, o.get(query+"&$page_no=0").body)
	assert.Equal(t, a.body, o.get(query+"&$page_no=-7").body)
	a = o.get(query + "&$page_no=2")
	assert.InDelta(t, 20, a.object(t)["row-count"], 0)
	assert.Equal(t, "1", a.header.Get("X-Page"), "whatever page was asked for")
	assert.Empty(t, a.header.Get("X-Next-Page"))
	a = o.get(query + "&$page_no=3")
	want(t, a, 200, `{"row-count":0,"infowindow-records":[]}`)
	assert.Empty(t, a.header.Values("X-Page"))
	assert.Equal(t, 404, o.get(query+"&$page_no=x").status)
}

func TestInfoRowsOfOtherTenants(t *testing.T) {
	t.Parallel()
	o := operate(t, asFernAdmin)
	for _, r := range infoRows(t, o, "order-info") {
		assert.GreaterOrEqual(t, r["C_Order_ID"], 1000000.0)
	}
	for _, r := range infoRows(t, o, "support-users-vs-roles") {
		assert.NotEqual(t, "GardenAdmin", r["AD_User_ID"].(map[string]any)["identifier"])
	}
	user := o.as(asGardenUser)
	for _, r := range infoRows(t, user, "business-partner-info") {
		assert.NotEqual(t, "Agri-Tech", r["Name"], "a record hidden from the role")
	}
}

func TestInfoHostileParameters(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	for _, text := range []string{
		"x", "[1]", `"a"`, "1", "{", "{,}", " ", "null", `{"DateOrdered":"yesterday"}`, `{"C_BPartner_ID":"x"}`, `{"C_BPartner_ID":"118"}`,
		`{"C_BPartner_ID":[1]}`, `{"C_BPartner_ID":null}`, `{"C_BPartner_ID":{"identifier":"Joe Block"}}`,
	} {
		a := o.get("/infos/order-info?$parameters=" + url.QueryEscape(text))
		assert.Equal(t, 500, a.status, text+a.body)
		assert.True(t, a.isContainerPage(), text)
	}
	assert.Empty(t, infoRows(t, o, "order-info", "$parameters", `{"DocumentNo":null}`), "nothing equals what is unknown")
	assert.Empty(t, infoRows(t, o, "order-info", "$parameters", `{"DocStatus":null}`))
	assert.Empty(t, infoRows(t, o, "order-info", "$parameters", `{"DocumentNo":"' OR '1'='1"}`))
	// What a tenant may not write stays unreadable: a failing query is a page.
	system := o.as(asSystem)
	info := listOf(t, system.object("GET", "/models/ad_infowindow?$filter=AD_InfoWindow_ID%20eq%20200002", ""), "records")[0]
	a := system.put(fmt.Sprintf("/models/ad_infowindow/%d", idOf(t, info)), `{"WhereClause":"o.Nonsense=1"}`)
	require.Equal(t, 200, a.status, a.body)
	a = o.get("/infos/order-info")
	assert.Equal(t, 500, a.status)
	assert.True(t, a.isContainerPage())
	assert.NotContains(t, a.body, "Nonsense")
}
