package erptest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// Rules 4.10: the shape of the reference's own example.
func TestExpandShape(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	// As it is sent by clients that do not encode: raw dollars and semicolons.
	a := r.get("models/C_Order/100?$select=DocumentNo,C_BPartner_ID&$expand=C_BPartner_ID($select=Name,Value),C_OrderLine($select=Line,QtyOrdered;$orderby=Line;$top=1)")
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.Regexp(t, `^\{"id":100,"uid":"U","DocumentNo":"80000",`+
		`"C_BPartner_ID":\{"id":118,"uid":"U","Value":"JoeBlock","Name":"Joe Block","model-name":"c_bpartner"\},`+
		`"model-name":"c_order",`+
		`"C_OrderLine":\[\{"id":\d+,"uid":"U","Line":10,"QtyOrdered":[0-9.]+\}\]\}$`, withoutUUIDs(a.body))
}

// Rules 4.10: masters.
func TestExpandMaster(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	t.Run("typed in any case, under the dictionary's name", func(t *testing.T) {
		rec := r.ok("models/C_BPartner/118", "$select", "Name", "$expand", "c_bp_group_id($select=Value)")
		assert.Equal(t, "Standard", rec["C_BP_Group_ID"].(map[string]any)["Value"])
		assert.Equal(t, "c_bp_group", rec["C_BP_Group_ID"].(map[string]any)["model-name"])
	})
	t.Run("null leaves the property out", func(t *testing.T) {
		assert.NotContains(t, r.ok("models/C_BPartner/112", "$expand", "SalesRep_ID"), "SalesRep_ID")
	})
	t.Run("text keys", func(t *testing.T) {
		rec := r.ok("models/C_BPartner/118", "$select", "Name", "$expand", "AD_Language($select=LanguageISO)")
		assert.Equal(t, "en", rec["AD_Language"].(map[string]any)["LanguageISO"])
	})
	t.Run("nodes of trees", func(t *testing.T) {
		list := r.records("models/AD_TreeNode", "$filter", "AD_Tree_ID eq 101 and Node_ID eq 12", "$expand", "Node_ID($select=Name)")
		require.Len(t, list, 1)
		assert.Equal(t, "ad_org", list[0]["Node_ID"].(map[string]any)["model-name"])
		assert.Equal(t, "Store Central", list[0]["Node_ID"].(map[string]any)["Name"])
	})
}

// Rules 4.10: children.
func TestExpandChildren(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	children := func(path, property string, query ...string) []any {
		list, _ := r.ok(path, query...)[property].([]any)
		return list
	}
	t.Run("under the name as typed, without link and model-name", func(t *testing.T) {
		list := children("models/C_BPartner/118", "c_BPARTNER_location", "$expand", "c_BPARTNER_location")
		require.Len(t, list, 1)
		child := list[0].(map[string]any)
		assert.Equal(t, "Stamford", child["Name"])
		assert.NotContains(t, child, "C_BPartner_ID")
		assert.NotContains(t, child, "model-name")
	})
	t.Run("no children, no property", func(t *testing.T) {
		assert.NotContains(t, r.ok("models/C_BPartner/118", "$expand", "C_Invoice($filter=C_Invoice_ID eq 1)"), "C_Invoice")
	})
	t.Run("link named", func(t *testing.T) {
		list := children("models/AD_User/103", "AD_User.Supervisor_ID", "$expand", "AD_User.Supervisor_ID($select=Name,Supervisor_ID;$orderby=Name)")
		require.Len(t, list, 3)
		assert.Equal(t, "GardenAdmin", list[0].(map[string]any)["Name"])
		assert.NotContains(t, list[0], "Supervisor_ID")
	})
	t.Run("link named in another case stays", func(t *testing.T) {
		list := children("models/AD_User/103", "AD_User.supervisor_id", "$expand", "AD_User.supervisor_id($select=Name,Supervisor_ID)")
		require.Len(t, list, 3)
		assert.Contains(t, list[0], "Supervisor_ID")
	})
	t.Run("column both tables have", func(t *testing.T) {
		list := children("models/C_BPartner/118", "C_BPartner.C_BP_Group_ID", "$expand", "C_BPartner.C_BP_Group_ID($select=Name;$filter=Name eq 'Agri-Tech')")
		require.Len(t, list, 1)
	})
	t.Run("table on itself goes down", func(t *testing.T) {
		list := children("models/AD_User/103", "AD_User", "$expand", "AD_User($select=Name;$orderby=Name)")
		assert.Len(t, list, 3)
		a := r.send(http.MethodPut, "models/AD_User/102", map[string]any{"Supervisor_ID": 104})
		require.Equal(t, http.StatusOK, a.status, a.body)
		list = children("models/AD_User/103", "AD_User", "$expand", "AD_User($select=Name;$orderby=Name)")
		require.Len(t, list, 2)
		below := list[1].(map[string]any)["AD_User"].([]any)
		assert.Equal(t, "GardenUser", below[0].(map[string]any)["Name"])
	})
	t.Run("filter, order, top, skip", func(t *testing.T) {
		names := func(options string) string {
			var out []string
			for _, v := range children("models/C_BP_Group/103", "C_BPartner", "$expand", "C_BPartner($select=Name;"+options+")") {
				out = append(out, v.(map[string]any)["Name"].(string))
			}
			return strings.Join(out, "|")
		}
		assert.Equal(t, "Joe Block|Agri-Tech", names("$filter=C_BPartner_ID in (118,120);$orderby=Value desc"))
		assert.Equal(t, "Agri-Tech", names("$orderby=Name;$top=1"))
		assert.Equal(t, "C&W Construction", names("$orderby=Name;$top=1;$skip=1"))
		assert.Contains(t, names("$filter=Name eq 'Joe Block' or Name eq 'Tree Farm Inc.'"), "Tree Farm", "an or without parentheses leaks")
		assert.NotContains(t, names("$filter=(Name eq 'Joe Block' or Name eq 'Tree Farm Inc.')"), "Tree Farm")
		assert.NotContains(t, names("$filter=Name eq 'x' or C_BPartner_ID ge 1000000"), "Green", "tenants stay apart all the same")
	})
	t.Run("nested", func(t *testing.T) {
		order := r.ok("models/C_BPartner/118", "$select", "Name", "$expand", "C_Order($select=DocumentNo;$orderby=C_Order_ID;$top=1;$expand=C_OrderLine($select=Line;$expand=M_Product_ID($select=Name)),SalesRep_ID($select=Name))")["C_Order"].([]any)[0].(map[string]any)
		assert.Equal(t, "Joe Sales", order["SalesRep_ID"].(map[string]any)["Name"])
		line := order["C_OrderLine"].([]any)[0].(map[string]any)
		assert.Equal(t, "m_product", line["M_Product_ID"].(map[string]any)["model-name"])
		assert.NotContains(t, line, "model-name")
	})
	t.Run("only active ones", func(t *testing.T) {
		a := r.send(http.MethodPut, "models/C_BPartner_Location/109", map[string]any{"IsActive": false})
		require.Equal(t, http.StatusOK, a.status, a.body)
		assert.Empty(t, children("models/C_BPartner/118", "C_BPartner_Location", "$expand", "C_BPartner_Location"))
		assert.Len(t, children("models/C_BPartner/118", "C_BPartner_Location", "$expand", "C_BPartner_Location($filter=IsActive eq false)"), 1)
	})
	t.Run("on lists", func(t *testing.T) {
		list := r.records("models/C_BPartner", "$filter", "C_BPartner_ID in (117,119)", "$orderby", "C_BPartner_ID", "$select", "Name", "$expand", "C_BPartner_Location($select=Name)")
		require.Len(t, list, 2)
		assert.Equal(t, "Monroe", list[1]["C_BPartner_Location"].([]any)[0].(map[string]any)["Name"])
	})
	t.Run("records with table and record id", func(t *testing.T) {
		a := r.send(http.MethodPost, "models/C_BPartner/117/attachments", map[string]any{"name": "a.txt", "data": "YQ=="})
		require.Equal(t, http.StatusCreated, a.status, a.body)
		list := children("models/C_BPartner/117", "AD_Attachment.Record_ID", "$expand", "AD_Attachment.Record_ID($select=AD_Table_ID,Record_ID)")
		require.Len(t, list, 1)
		assert.Equal(t, "291", fmt.Sprint(list[0].(map[string]any)["AD_Table_ID"].(map[string]any)["id"]))
	})
}

// Rules 4.10 and section 18: the cap on children and the separator.
func TestExpandConfiguration(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asSystem)
	columns := func(expand string) int {
		list, _ := r.ok("models/AD_Table/100", "$select", "Name", "$expand", expand)["AD_Column"].([]any)
		return len(list)
	}
	setConfig(t, srv, "REST_MAX_RECORDS_SIZE", "3")
	assert.Equal(t, 3, columns("AD_Column"))
	assert.Equal(t, 3, columns("AD_Column($top=50)"))
	setConfig(t, srv, "REST_EXPAND_SEPARATOR", "|")
	assert.Equal(t, 2, columns("AD_Column($select=Name|$top=2)"))
}

// Rules 4.10: what is refused.
func TestExpandRefused(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	for _, tc := range []struct {
		name, expand string
		status       int
		title        string
	}{
		{"column that references nothing", "Name", 400, "Expand error"},
		{"master with more than $select", "C_BP_Group_ID($top=1)", 400, "Expand error"},
		{"master with $expand", "C_BP_Group_ID($expand=M_PriceList_ID)", 400, "Expand error"},
		{"unknown table", "Nope", 404, "Invalid table name"},
		{"table without link", "AD_Menu", 500, "Wrong detail"},
		{"unknown link column", "C_Order.Nope", 400, "Expand error"},
		{"column that is no link", "C_Order.C_Charge_ID", 400, "Expand error"},
		{"non-integer $top", "C_Order($top=x)", 400, "Expand error"},
		{"non-integer $skip", "C_Order($skip=1.5)", 400, "Expand error"},
		{"unbalanced", "C_Order($top=1", 500, "Expand error"},
		{"closing parenthesis", "C_Order)", 404, "Invalid table name"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.get("models/C_BPartner/118", "$expand", tc.expand)
			assert.Equal(t, tc.status, a.status, a.body)
			assert.Equal(t, tc.title, a.decode(t)["title"])
		})
	}
	a := r.get("models/C_BPartner/118", "$expand", "C_Order($select=Xyz)")
	assert.Equal(t, `{"title":null,"status":400,"detail":"Xyz is not a valid column of table C_Order"}`, a.body)
	a = readAs(t, srv, asGardenUser).get("models/C_BPartner/118", "$expand", "AD_SysConfig")
	assert.Equal(t, `{"title":"Access denied","status":403,"detail":"Access denied for table: AD_SysConfig"}`, a.body)
}
