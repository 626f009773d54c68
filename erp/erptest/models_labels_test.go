package erptest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// Rules 4.11: label and showlabel.
func TestLabels(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	create := func(table string, body map[string]any) string {
		a := r.send(http.MethodPost, "models/"+table, body)
		require.Equal(t, http.StatusCreated, a.status, a.body)
		return fmt.Sprint(a.decode(t)["id"])
	}
	category := create("AD_LabelCategory", map[string]any{"Name": "Tests"})
	for _, l := range []struct {
		name    string
		records []int
	}{{"#Red", []int{112, 123}}, {"#Blue", []int{123}}} {
		label := create("AD_Label", map[string]any{"Name": l.name, "AD_LabelCategory_ID": category})
		for _, id := range l.records {
			create("AD_LabelAssignment", map[string]any{"AD_Label_ID": label, "AD_Table_ID": 291, "Record_ID": id})
		}
	}
	ids := func(query ...string) []string {
		return propertyOf(r.records("models/C_BPartner", append(query, "$select", "Name", "$orderby", "C_BPartner_ID")...), "id")
	}
	assert.Equal(t, []string{"112", "123"}, ids("label", "Name eq '#Red'"))
	assert.Equal(t, []string{"123"}, ids("label", "Name eq '#Blue' or Name eq '#None'"))
	assert.Equal(t, []string{"123"}, ids("label", "Name eq '#Red'", "$filter", "Value eq 'Rosen'"))
	assert.Empty(t, ids("label", "Name eq '#None'"))
	assert.Equal(t, 400, r.get("models/C_BPartner", "label", "Nope eq 1").status)

	shown := func(id int, columns string) any {
		return r.ok(fmt.Sprintf("models/C_BPartner/%d", id), "$select", "Name", "showlabel", columns)["assigned-labels"]
	}
	assert.Equal(t, []any{"#Blue", "#Red"}, shown(123, "Name"))
	assert.Nil(t, shown(122, "Name"))
	whole := shown(112, "").([]any)[0].(map[string]any)
	assert.Equal(t, "ad_label", whole["model-name"])
	assert.Contains(t, whole, "id")
	some := shown(112, "Name,IsActive").([]any)[0].(map[string]any)
	assert.Equal(t, map[string]any{"Name": "#Red", "IsActive": true}, some)
	list := r.records("models/C_BPartner", "$filter", "C_BPartner_ID eq 123", "showlabel", "Name")
	assert.Equal(t, []any{"#Blue", "#Red"}, list[0]["assigned-labels"])

	group := r.ok("models/C_BP_Group/103", "$expand", "C_BPartner($select=Name;label=Name eq '#Blue')", "showlabel", "Name")
	require.Len(t, group["C_BPartner"], 1)
	assert.Equal(t, []any{"#Blue", "#Red"}, group["C_BPartner"].([]any)[0].(map[string]any)["assigned-labels"], "what is expanded shows its labels")
	user := r.ok("models/AD_User", "$filter", "C_BPartner_ID eq 112", "$expand", "C_BPartner_ID($select=Name)", "showlabel", "Name", "$top", "1")
	for _, u := range user["records"].([]any) {
		assert.Equal(t, []any{"#Red"}, u.(map[string]any)["C_BPartner_ID"].(map[string]any)["assigned-labels"])
	}
}

// Rules 1.5: texts, labels and identifiers follow the locale; property names
// and unknown languages do not matter.
func TestLocale(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	product := func(locale string) map[string]any {
		return r.ok("models/M_Product/122", "$select", "Name,C_UOM_ID", "locale", locale)
	}
	spanish := product("es_CO")
	assert.Equal(t, "Roble", spanish["Name"])
	assert.Equal(t, "Unidad", spanish["C_UOM_ID"].(map[string]any)["identifier"])
	english := product("")
	assert.Equal(t, "Oak Tree", english["Name"])
	assert.Equal(t, english, product("xx_XX"))
	order := r.ok("models/C_Order/100", "$select", "C_BPartner_ID", "locale", "es_CO")
	assert.Equal(t, "Tercero", order["C_BPartner_ID"].(map[string]any)["propertyLabel"])
	list := r.records("models/M_Product", "$filter", "M_Product_ID in (122,123)", "$orderby", "M_Product_ID", "locale", "es_CO", "$select", "Name")
	assert.Equal(t, []string{"Roble", "Olmo"}, propertyOf(list, "Name"))
}
