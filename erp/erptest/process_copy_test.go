package erptest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// outcome is what a run came to: its summary and whether it failed.
func (o *operator) outcome(slug, body string) []any {
	o.t.Helper()
	got := o.object(http.MethodPost, "/processes/"+slug, body)
	return []any{got["summary"], got["isError"]}
}

// made creates a record.
func (o *operator) made(path, body string) map[string]any {
	o.t.Helper()
	got := o.send(http.MethodPost, path, body)
	require.Equal(o.t, http.StatusCreated, got.status, got.body)
	return got.object(o.t)
}

func (o *operator) records(query string) []any {
	o.t.Helper()
	return o.object(http.MethodGet, "/models/"+query, "")["records"].([]any)
}

func TestCopyWindow(t *testing.T) {
	t.Parallel()
	o := operate(t, asSystem)
	window := idOf(t, o.made("/models/AD_Window", `{"Name":"Copied window","WindowType":"M","EntityType":"U"}`))
	tabsOf := func(id int) []any {
		return o.records(fmt.Sprintf("AD_Tab?$filter=AD_Window_ID%%20eq%%20%d&$orderby=SeqNo,AD_Tab_ID", id))
	}
	fieldsOf := func(tab any) []any {
		return o.records(fmt.Sprintf("AD_Field?$filter=AD_Tab_ID%%20eq%%20%d&$select=Name&$orderby=SeqNo,AD_Field_ID", idOf(t, tab)))
	}
	const source = 123 // Business Partner
	from := tabsOf(source)
	require.NotEmpty(t, from)
	fields := 0
	for _, tab := range from {
		fields += len(fieldsOf(tab))
	}
	assert.Equal(t, []any{fmt.Sprintf("Copied #%d/%d", len(from), fields), false},
		o.outcome("ad_window_copy", fmt.Sprintf(`{"record-id":%d,"table-id":105,"AD_Window_ID":%d}`, window, source)))
	made := tabsOf(window)
	require.Len(t, made, len(from))
	for i := range from {
		was, is := from[i].(map[string]any), made[i].(map[string]any)
		for _, same := range []string{"Name", "SeqNo", "TabLevel", "AD_Table_ID", "OrderByClause", "WhereClause"} {
			assert.Equal(t, was[same], is[same], same)
		}
		assert.Equal(t, "U", is["EntityType"].(map[string]any)["id"], "of the window it is copied to")
		assert.NotEqual(t, was["uid"], is["uid"])
		assert.Len(t, fieldsOf(is), len(fieldsOf(was)), was["Name"])
	}

	first := idOf(t, made[0])
	for name, tc := range map[string]struct {
		slug, body string
		want       []any
	}{
		"no source":                  {"ad_window_copy", fmt.Sprintf(`{"record-id":%d}`, window), []any{"NotFound (from->) Window", true}},
		"no target":                  {"ad_window_copy", `{"AD_Window_ID":123}`, []any{"NotFound (to<-) Window", true}},
		"a source that is not there": {"ad_window_copy", fmt.Sprintf(`{"record-id":%d,"AD_Window_ID":999999}`, window), []any{"NotFound (from->) Window", true}},
		"fields that are there":      {"ad_tab_copy", fmt.Sprintf(`{"record-id":%d,"AD_Tab_ID":%d}`, first, idOf(t, from[0])), []any{"Copied #0", false}},
		"a tab of another table":     {"ad_tab_copy", fmt.Sprintf(`{"record-id":%d,"AD_Tab_ID":186}`, first), []any{"Error Table", true}},
		"no tab":                     {"ad_tab_copy", fmt.Sprintf(`{"record-id":%d}`, first), []any{"NotFound (from->) Tab", true}},
	} {
		assert.Equal(t, tc.want, o.outcome(tc.slug, tc.body), name)
	}

	tab := o.made("/models/AD_Tab", fmt.Sprintf(`{"AD_Window_ID":%d,"Name":"Again","AD_Table_ID":291,"SeqNo":90,"TabLevel":0,"EntityType":"U"}`, window))
	assert.Equal(t, []any{fmt.Sprintf("Copied #%d", len(fieldsOf(from[0]))), false},
		o.outcome("ad_tab_copy", fmt.Sprintf(`{"record-id":%d,"AD_Tab_ID":%d}`, idOf(t, tab), idOf(t, from[0]))))
}

func TestLinkOrganization(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	link := func(body string) []any { return o.outcome("c_bpartner-org-link", body) }
	const created = "Business Partner - Organization Link created"
	store := idOf(t, o.made("/models/AD_Org", `{"Value":"NoAddress","Name":"No address"}`))
	homeless := idOf(t, o.made("/models/C_BPartner", `{"Value":"homeless","Name":"Homeless"}`))
	for name, tc := range map[string]struct {
		body string
		want []any
	}{
		"no partner":                       {`{}`, []any{"No Business Partner ID", true}},
		"a partner that is not there":      {`{"record-id":999999,"AD_Org_ID":12}`, []any{"BPartnerNotFound - C_BPartner_ID=999999", true}},
		"another tenant's partner":         {`{"record-id":1000000,"AD_Org_ID":12}`, []any{"BPartnerNotFound - C_BPartner_ID=1000000", true}},
		"a partner without address":        {fmt.Sprintf(`{"record-id":%d,"AD_Org_ID":12}`, homeless), []any{"Business Partner has no Location", true}},
		"no organization":                  {`{"record-id":118}`, []any{"Warehouse not saved", true}},
		"an organization that is not here": {`{"record-id":118,"AD_Org_ID":999999}`, []any{"NotFound Organization 999999", true}},
		"an organization without address":  {fmt.Sprintf(`{"record-id":118,"AD_Org_ID":%d}`, store), []any{"Warehouse not saved", true}},
	} {
		assert.Equal(t, tc.want, link(tc.body), name)
	}

	assert.Equal(t, []any{created, false}, link(`{"record-id":118,"table-id":291,"AD_Org_ID":12}`))
	partner := o.object(http.MethodGet, "/models/C_BPartner/118", "")
	assert.Equal(t, []any{12.0, 0}, []any{partner["AD_OrgBP_ID"], idOf(t, partner["AD_Org_ID"])})
	assert.Equal(t, []any{"Organization Store Central already linked Business Partner Joe Block", true}, link(`{"record-id":117,"AD_Org_ID":12}`))

	address := o.made("/models/C_Location", `{"City":"Ulm"}`)
	o.object(http.MethodPut, fmt.Sprintf("/models/AD_OrgInfo/%d", store), fmt.Sprintf(`{"C_Location_ID":%d}`, idOf(t, address)))
	assert.Equal(t, []any{created, false}, link(fmt.Sprintf(`{"record-id":117,"AD_Org_ID":%d,"AD_Role_ID":102}`, store)))
	warehouses := o.records(fmt.Sprintf("M_Warehouse?$filter=AD_Org_ID%%20eq%%20%d", store))
	require.Len(t, warehouses, 1)
	locators := o.records(fmt.Sprintf("M_Locator?$filter=M_Warehouse_ID%%20eq%%20%d", idOf(t, warehouses[0])))
	require.Len(t, locators, 1)
	assert.Equal(t, []any{"NoAddress", "Standard", true},
		[]any{warehouses[0].(map[string]any)["Value"], locators[0].(map[string]any)["Value"], locators[0].(map[string]any)["IsDefault"]})
	access := o.records(fmt.Sprintf("AD_Role_OrgAccess?$filter=AD_Org_ID%%20eq%%20%d", store))
	require.Len(t, access, 1, "only the role that was named")
	assert.EqualValues(t, 102, idOf(t, access[0].(map[string]any)["AD_Role_ID"]))
}
