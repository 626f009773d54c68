package erptest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/erp/erptest"
)

// Rules 4.2: by id and UUID, and what goes wrong.
func TestGetRecord(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	byID := r.get("models/C_BPartner/118")
	require.Equal(t, http.StatusOK, byID.status, byID.body)
	uid := byID.decode(t)["uid"].(string)
	assert.Equal(t, byID.body, r.get("models/c_bpartner/"+uid).body)
	storage := r.records("models/M_StorageOnHand", "$top", "1")[0]
	assert.NotContains(t, storage, "id", "several key columns")
	assert.Equal(t, http.StatusOK, r.get("models/M_StorageOnHand/"+storage["uid"].(string)).status)

	for _, tc := range []struct {
		name, path string
		status     int
		body       string
	}{
		{"neither int nor uuid", "models/C_BPartner/abc", 400, `{"title":"Request Error","status":400,"detail":"Wrong ID abc is not an UU value nor a valid integer ID"}`},
		{"int beyond 32 bits", "models/C_BPartner/99999999999", 400, `{"title":"Request Error","status":400,"detail":"Wrong ID 99999999999 is not an UU value nor a valid integer ID"}`},
		{"not existing", "models/C_BPartner/990099", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 990099"}`},
		{"unknown uuid", "models/C_BPartner/00000000-0000-4000-8000-000000000000", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 00000000-0000-4000-8000-000000000000"}`},
		{"uuid compared by case", "models/C_BPartner/" + strings.ToUpper(uid), 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: ` + strings.ToUpper(uid) + `"}`},
		{"another tenant's", "models/C_BPartner/1000001", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 1000001"}`},
		{"unknown table", "models/Nope/1", 404, `{"title":"Invalid table name","status":404,"detail":"No match found for table name: Nope"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.get(tc.path)
			assert.Equal(t, tc.status, a.status)
			assert.Equal(t, tc.body, a.body)
		})
	}
	t.Run("int id on a table with several keys", func(t *testing.T) {
		a := r.get("models/M_StorageOnHand/1")
		assert.Equal(t, 500, a.status)
		assert.Equal(t, "Wrong detail", a.decode(t)["title"])
	})
	t.Run("kept from the role by a record rule", func(t *testing.T) {
		a := readAs(t, srv, asGardenUser).get("models/C_BPartner/120")
		assert.Equal(t, 403, a.status)
		assert.Equal(t, `{"title":"Access denied","status":403,"detail":"Access denied for record with id: 120"}`, a.body)
	})
}

// Rules 4.3.
func TestGetProperty(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	for path, want := range map[string]string{
		"models/C_BPartner/118/NAME":          `{"id":118,"uid":"U","Name":"Joe Block","model-name":"c_bpartner"}`,
		"models/C_BPartner/118/Name2":         `{"id":118,"uid":"U","model-name":"c_bpartner"}`,
		"models/C_BPartner/118/C_BPartner_ID": `{"id":118,"uid":"U","model-name":"c_bpartner"}`,
		"models/AD_User/101/Password":         `{"id":101,"uid":"U","model-name":"ad_user"}`,
	} {
		a := r.get(path)
		assert.Equal(t, http.StatusOK, a.status, path)
		assert.Equal(t, want, withoutUUIDs(a.body), path)
	}
	a := r.get("models/C_BPartner/118/Nope")
	assert.Equal(t, 404, a.status)
	assert.Equal(t, `{"title":"Invalid property name","status":404,"detail":"No match found for column name: Nope"}`, a.body)
}

// Rules 4.4 to 4.6: the record object and how values are written.
func TestRecordValues(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	srv := erptest.New(t, erptest.Options{Location: zone})
	r := readAs(t, srv, asGardenAdmin)
	for _, tc := range []struct{ name, path, selects, want string }{
		{"text, list, reference, yes-no, in the order of the dictionary", "models/C_BPartner/118", "name , PaymentRule,C_BP_Group_ID,IsCustomer,IsVendor",
			`{"id":118,"uid":"U","Name":"Joe Block","IsVendor":false,"IsCustomer":true,"PaymentRule":{"propertyLabel":"Payment Rule","id":"B","identifier":"Cash","model-name":"ad_ref_list"},` +
				`"C_BP_Group_ID":{"propertyLabel":"Business Partner Group","id":103,"identifier":"Standard","model-name":"c_bp_group"},` +
				`"model-name":"c_bpartner"}`},
		{"no HTML escapes", "models/C_BPartner/117", "Name,Name2", `{"id":117,"uid":"U","Name":"C&W Construction","Name2":"Carl & Will","model-name":"c_bpartner"}`},
		{"null is left out", "models/C_BPartner/118", "Name2,Value", `{"id":118,"uid":"U","Value":"JoeBlock","model-name":"c_bpartner"}`},
		{"amounts keep their scale", "models/C_BPartner/118", "SO_CreditLimit,SO_CreditUsed", `{"id":118,"uid":"U","SO_CreditLimit":5000.00,"SO_CreditUsed":214.65,"model-name":"c_bpartner"}`},
		{"date", "models/C_BPartner/118", "FirstSale", `{"id":118,"uid":"U","FirstSale":"2024-02-05","model-name":"c_bpartner"}`},
		{"time with the server's offset", "models/C_BPartner/118", "Created", `{"id":118,"uid":"U","Created":"2024-01-01T01:00:00+01:00","model-name":"c_bpartner"}`},
		{"time of day with a meaningless Z", "models/S_ResourceType/100", "TimeSlotStart", `{"id":100,"uid":"U","TimeSlotStart":"08:00:00Z","model-name":"s_resourcetype"}`},
		{"text keys", "models/AD_Table/100", "EntityType", `{"id":100,"uid":"U","EntityType":{"propertyLabel":"Entity Type","id":"D","identifier":"Dictionary","model-name":"ad_entitytype"},"model-name":"ad_table"}`},
		{"language key", "models/C_BPartner/118", "AD_Language", `{"id":118,"uid":"U","AD_Language":{"propertyLabel":"Language","id":"en_US","identifier":"English (USA)","model-name":"ad_language"},"model-name":"c_bpartner"}`},
		{"id 0", "models/C_BPartner/118", "AD_Org_ID", `{"id":118,"uid":"U","AD_Org_ID":{"propertyLabel":"Organization","id":0,"identifier":"*","model-name":"ad_org"},"model-name":"c_bpartner"}`},
		{"user views are ad_user", "models/C_BPartner/118", "CreatedBy", `{"id":118,"uid":"U","CreatedBy":{"propertyLabel":"Created By","id":100,"identifier":"SuperUser","model-name":"ad_user"},"model-name":"c_bpartner"}`},
		{"integer", "models/C_PaymentTerm/105", "NetDays", `{"id":105,"uid":"U","NetDays":0,"model-name":"c_paymentterm"}`},
		{"text buttons are left out", "models/C_Order/100", "DocumentNo,DocAction,Posted", `{"id":100,"uid":"U","DocumentNo":"80000","model-name":"c_order"}`},
		{"the key is not repeated", "models/C_BPartner/118", "C_BPartner_ID,C_BPartner_UU,Name", `{"id":118,"uid":"U","Name":"Joe Block","model-name":"c_bpartner"}`},
		{"secure columns are left out", "models/AD_User/101", "Password,Name", `{"id":101,"uid":"U","Name":"GardenAdmin","model-name":"ad_user"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.get(tc.path, "$select", tc.selects)
			require.Equal(t, http.StatusOK, a.status, a.body)
			assert.Equal(t, tc.want, withoutUUIDs(a.body))
		})
	}
}

// Rule 4.6: when the role may see none of the selected columns the whole
// record comes back.
func TestSelectOfHiddenColumns(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	user := readAs(t, srv, asGardenUser)
	both := user.ok("models/C_BPartner/118", "$select", "Name,SO_CreditLimit")
	assert.Equal(t, "Joe Block", both["Name"])
	assert.NotContains(t, both, "SO_CreditLimit")
	hidden := user.ok("models/C_BPartner/118", "$select", "SO_CreditLimit")
	assert.Contains(t, hidden, "C_BP_Group_ID")
	assert.NotContains(t, hidden, "SO_CreditLimit")
}

// Rules 4.5: addresses inline, whose scalars are all strings.
func TestLocation(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	a := r.get("models/C_BPartner_Location/109", "$select", "C_Location_ID")
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.Contains(t, a.body, `"C_Location_ID":{"propertyLabel":"Address","id":117,"identifier":"`)
	loc := a.decode(t)["C_Location_ID"].(map[string]any)
	assert.Equal(t, "88 Block Avenue", loc["Address1"])
	assert.Equal(t, "Stamford", loc["City"])
	assert.Equal(t, "true", loc["IsActive"])
	assert.Equal(t, "2024-01-01 00:00:00.0", loc["Created"])
	assert.Equal(t, "100", loc["CreatedBy"])
	assert.Equal(t, "88 Block Avenue, Stamford, CT 06905", loc["identifier"])
	assert.Equal(t, "c_location", loc["model-name"])
	assert.Equal(t, "United States", loc["C_Country_ID"].(map[string]any)["identifier"])
	assert.NotContains(t, loc, "C_Location_ID")
}

// Rules 4.5: images come with all their bytes, dangling ones not at all;
// binary is base64.
func TestImage(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	data := base64.StdEncoding.EncodeToString([]byte("\x89PNG\x00bytes"))
	a := r.send(http.MethodPost, "models/AD_Image", map[string]any{"Name": "logo.png", "BinaryData": data, "EntityType": "U"})
	require.Equal(t, http.StatusCreated, a.status, a.body)
	assert.Equal(t, data, a.decode(t)["BinaryData"])
	a = r.send(http.MethodPut, "models/C_BPartner/118", map[string]any{"Logo_ID": map[string]any{"file_name": "joe.png", "data": data}})
	require.Equal(t, http.StatusOK, a.status, a.body)
	logo := r.ok("models/C_BPartner/118", "$select", "Logo_ID")["Logo_ID"].(map[string]any)
	assert.Equal(t, data, logo["data"])
	assert.Equal(t, "ad_image", logo["model-name"])
	assert.Equal(t, "Logo", logo["propertyLabel"])
	assert.NotContains(t, logo, "identifier")
}

// Section 18: lower-case names and UUIDs of lookups.
func TestRecordConfiguration(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	setConfig(t, srv, "REST_COLUMNNAME_TOLOWERCASE", "Y")
	rec := r.ok("models/C_BPartner/118")
	for _, name := range []string{"name", "isActive", "createdBy", "C_BP_Group_ID", "SO_CreditLimit"} {
		assert.Contains(t, rec, name)
	}
	assert.NotContains(t, rec, "Name")
	setConfig(t, srv, "REST_COLUMNNAME_TOLOWERCASE", "N")

	lookups := func() string {
		return withoutUUIDs(r.get("models/C_BPartner/118", "$select", "C_BP_Group_ID,C_Greeting_ID").body)
	}
	const group, greeting = `"identifier":"Standard","model-name":"c_bp_group"`, `"identifier":"Mr","model-name":"c_greeting"`
	assert.NotContains(t, lookups(), "uuid")
	setConfig(t, srv, "REST_TABLES_EXPORT_LOOKUP_UU", "AD_User,C_BP_Group")
	assert.Contains(t, lookups(), group+`,"uuid":"U"}`)
	assert.Contains(t, lookups(), greeting+`}`)
	setConfig(t, srv, "REST_TABLES_EXPORT_LOOKUP_UU", "ALL")
	assert.Contains(t, lookups(), greeting+`,"uuid":"U"}`)
}

// Rules 4.12.
func TestListOfTables(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	admin, user := readAs(t, srv, asSystem), readAs(t, srv, asGardenUser)
	one := admin.get("models", "$filter", "TableName eq 'C_Invoice'")
	require.Equal(t, http.StatusOK, one.status, one.body)
	assert.Regexp(t, `^\{"models":\[\{"id":318,"uid":"U","model-name":"c_invoice","name":"Invoice"(,"description":"[^"]+")?\}\]\}$`, withoutUUIDs(one.body))
	names := func(r *reads) []string {
		var out []string
		for _, v := range r.ok("models")["models"].([]any) {
			out = append(out, v.(map[string]any)["model-name"].(string))
		}
		return out
	}
	all := names(admin)
	assert.Greater(t, len(all), 100, "not paged")
	assert.Contains(t, all, "ad_sysconfig")
	assert.NotContains(t, names(user), "ad_sysconfig")
	a := admin.get("models", "$filter", "Nope eq 1")
	assert.Equal(t, `{"title":null,"status":400,"detail":"Invalid column for filter: Nope"}`, a.body)
}

// Rules 4.13.
func TestTableDocument(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	for _, table := range []string{"C_BPartner_Location", "C_BPartner", "C_Order", "M_StorageOnHand", "AD_Image"} {
		a := r.get("models/" + table + "/yaml")
		require.Equal(t, http.StatusOK, a.status, a.body)
		assert.Equal(t, "application/yaml", a.header.Get("Content-Type"))
		var doc struct {
			OpenAPI    string         `yaml:"openapi"`
			Paths      map[string]any `yaml:"paths"`
			Components struct {
				Schemas map[string]struct {
					Properties map[string]map[string]any `yaml:"properties"`
				} `yaml:"schemas"`
			} `yaml:"components"`
			Servers []map[string]string `yaml:"servers"`
		}
		require.NoError(t, yaml.Unmarshal([]byte(a.body), &doc), table)
		assert.Equal(t, "3.0.0", doc.OpenAPI)
		assert.Contains(t, doc.Paths, "/models/"+table)
		assert.Contains(t, doc.Paths, "/models/"+table+"/{id}")
		assert.Contains(t, doc.Paths, "/auth/tokens")
		assert.Len(t, doc.Servers, 1)
		assert.Contains(t, doc.Servers[0]["url"], "localhost")
		assert.Contains(t, doc.Components.Schemas, "errorResponse")
		properties := doc.Components.Schemas[table].Properties
		assert.Equal(t, true, properties["AD_Client_ID"]["readOnly"], table)
		assert.Equal(t, true, properties["uid"]["readOnly"], table)
		assert.NotContains(t, properties, table+"_ID")
		switch table {
		case "C_BPartner_Location":
			assert.Contains(t, doc.Components.Schemas, "Location")
		case "C_BPartner":
			assert.Contains(t, doc.Components.Schemas, "Image")
			assert.Contains(t, fmt.Sprint(properties["PaymentRule"]), "enum:[")
		case "C_Order":
			assert.NotContains(t, doc.Components.Schemas, "Location")
			assert.NotContains(t, properties, "DocAction")
		}
	}
	assert.Equal(t, http.StatusInternalServerError, r.get("models/Nope/yaml").status)
	req := request{method: http.MethodGet, path: "/models/C_Tax/yaml", token: r.token, header: http.Header{"Accept": {"application/json"}}}
	assert.Equal(t, http.StatusNotAcceptable, req.do(t, srv).status)
}

// A table without an id of its own is read by its one key column; what is selected
// is looked at before the record.
func TestRecordsByTheirKey(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	org := o.object("GET", "/models/ad_orginfo/11", "")
	assert.NotContains(t, org, "id")
	assert.InDelta(t, 11, org["AD_Org_ID"].(map[string]any)["id"], 0)
	want(t, o.get("/models/ad_User_Roles/101"), 500, `{"title":"Wrong detail","status":500,"detail":"Cannot expand to the detail table because it has none or more than one primary key: ad_User_Roles"}`)
	assert.Equal(t, 400, o.get("/models/c_bpartner/999999?$select=Foo").status)
	want(t, o.get("/models/c_bpartner/999999/foo"), 404, `{"title":"Invalid property name","status":404,"detail":"No match found for column name: foo"}`)
	assert.Equal(t, 404, o.get("/models/c_bpartner/999999?$expand=Foo").status)
}
