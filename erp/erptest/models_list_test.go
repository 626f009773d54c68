package erptest_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// anyUUID makes bodies comparable whose records' UUIDs the seed makes up.
var anyUUID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func withoutUUIDs(body string) string { return anyUUID.ReplaceAllString(body, "U") }

// Rule 4.1: the members of the envelope in their order, and the headers.
func TestListEnvelope(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	a := r.get("models/c_bp_group", "$select", "Name", "$filter", "C_BP_Group_ID le 105", "$orderby", "C_BP_Group_ID", "$top", "2")
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.Equal(t, `{"page-count":2,"records-size":2,"skip-records":0,"row-count":3,"records":[`+
		`{"id":103,"uid":"U","Name":"Standard","model-name":"c_bp_group"},`+
		`{"id":104,"uid":"U","Name":"Vendor","model-name":"c_bp_group"}],"array-count":2}`, withoutUUIDs(a.body))
	assert.Equal(t, "application/json", a.header.Get("Content-Type"))
	for header, want := range map[string]string{
		"X-Page-Count": "2", "X-Records-Size": "2", "X-Skip-Records": "0", "X-Row-Count": "3", "X-Array-Count": "2",
	} {
		assert.Equal(t, want, a.header.Get(header), header)
	}
}

// Rules 4.1 and 4.8: the cap, skipping, pages.
func TestListPaging(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asSystem)
	for _, tc := range []struct {
		name        string
		query       []string
		size, count string
	}{
		{"no $top is the cap", nil, "100", "100"},
		{"$top below the cap", []string{"$top", "7"}, "7", "7"},
		{"$top above the cap", []string{"$top", "101"}, "100", "100"},
		{"$top 0", []string{"$top", "0"}, "100", "100"},
		{"negative $top", []string{"$top", "-3"}, "100", "100"},
		{"$skip past the end", []string{"$skip", "100000"}, "100", "0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.get("models/AD_Column", append(tc.query, "$select", "ColumnName")...)
			require.Equal(t, http.StatusOK, a.status, a.body)
			assert.Equal(t, tc.size, a.header.Get("X-Records-Size"))
			assert.Equal(t, tc.count, a.header.Get("X-Array-Count"))
		})
	}
	t.Run("nothing found is one page", func(t *testing.T) {
		a := r.get("models/AD_Table", "$filter", "TableName eq 'none'")
		assert.Equal(t, `{"page-count":1,"records-size":100,"skip-records":0,"row-count":0,"records":[],"array-count":0}`, a.body)
	})
	t.Run("pages do not overlap when ordered", func(t *testing.T) {
		first := r.records("models/AD_Table", "$orderby", "AD_Table_ID", "$top", "10", "$select", "TableName")
		second := r.records("models/AD_Table", "$orderby", "AD_Table_ID", "$top", "10", "$skip", "10", "$select", "TableName")
		assert.NotContains(t, propertyOf(second, "id"), propertyOf(first, "id")[9])
		both := r.records("models/AD_Table", "$orderby", "AD_Table_ID", "$top", "20", "$select", "TableName")
		assert.Equal(t, propertyOf(both, "id"), append(propertyOf(first, "id"), propertyOf(second, "id")...))
	})
}

// Rule 4.1 and section 18: the cap is configured, 0 is none.
func TestListCapConfigured(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asSystem)
	setConfig(t, srv, "REST_MAX_RECORDS_SIZE", "5")
	assert.Len(t, r.records("models/AD_Table", "$top", "50", "$select", "TableName"), 5)
	setConfig(t, srv, "REST_MAX_RECORDS_SIZE", "0")
	body := r.ok("models/AD_Column", "$select", "ColumnName")
	assert.Equal(t, "0", fmt.Sprint(body["records-size"]))
	assert.Equal(t, "1", fmt.Sprint(body["page-count"]))
	assert.Equal(t, body["row-count"], body["array-count"])
	assert.Greater(t, len(body["records"].([]any)), 1000)
}

// Rule 4.1: inactive records are listed only when the condition mentions
// IsActive; single records come in any case.
func TestListActiveOnly(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	a := r.send(http.MethodPut, "models/C_BP_Group/104", map[string]any{"IsActive": false})
	require.Equal(t, http.StatusOK, a.status, a.body)
	names := func(filter string) []string {
		return propertyOf(r.records("models/C_BP_Group", "$filter", filter, "$orderby", "Name", "$select", "Name"), "Name")
	}
	assert.Equal(t, []string{"Staff", "Standard"}, names("C_BP_Group_ID le 105"))
	assert.Equal(t, []string{"Vendor"}, names("IsActive eq false"))
	assert.Equal(t, []string{"Staff", "Standard", "Vendor"}, names("C_BP_Group_ID le 105 and IsActive neq null"))
	assert.Equal(t, []string{"Staff", "Standard"}, names("C_BP_Group_ID le 105 and Name neq 'IsActive'"), "a value is no mention")
	assert.Equal(t, "Vendor", r.ok("models/C_BP_Group/104")["Name"])
}

// Rule 4.1: rows of the own tenant and of System, nobody else's.
func TestListTenants(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	for login, want := range map[string]string{asGardenAdmin: "GardenWorld", asFernAdmin: "Fern Hollow"} {
		list := readAs(t, srv, login).records("models/AD_Client", "$orderby", "AD_Client_ID", "$select", "Name")
		require.Len(t, list, 2)
		assert.Equal(t, "System", list[0]["Name"])
		assert.Contains(t, list[1]["Name"], want)
	}
	garden := readAs(t, srv, asGardenAdmin)
	for _, filter := range []string{"C_BPartner_ID ge 1000000", "C_BPartner_ID ge 1000000 or C_BPartner_ID ge 1000000", "AD_Client_ID eq 1000000"} {
		assert.Empty(t, garden.records("models/C_BPartner", "$filter", filter), filter)
	}
}

// Rule 4.1 and the first rows of 1.3: what cannot be listed.
func TestListRefused(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenUser)
	for _, tc := range []struct {
		name, path string
		query      []string
		status     int
		body       string
	}{
		{"unknown table", "models/Nope", nil, 404, `{"title":"Invalid table name","status":404,"detail":"No match found for table name: Nope"}`},
		{"no access to the table", "models/AD_SysConfig", nil, 403, `{"title":"Access denied","status":403,"detail":"Access denied for table: AD_SysConfig"}`},
		{"unknown column in $select", "models/C_Tax", []string{"$select", "Name,Xyz"}, 400, `{"title":null,"status":400,"detail":"Xyz is not a valid column of table C_Tax"}`},
		{"id in $select", "models/C_Tax", []string{"$select", "id"}, 400, `{"title":null,"status":400,"detail":"id is not a valid column of table C_Tax"}`},
		{"unknown column in $filter", "models/C_Tax", []string{"$filter", "Xyz eq 1"}, 400, `{"title":null,"status":400,"detail":"Invalid column for filter: Xyz"}`},
		{"ne", "models/C_Tax", []string{"$filter", "Name ne 'x'"}, 400, `{"title":null,"status":400,"detail":"Unsupported operator: ne"}`},
		{"unknown function", "models/C_Tax", []string{"$filter", "substring(Name,1) eq 'x'"}, 500, `{"title":"GET Error","status":500,"detail":"Method call 'substring' not implemented"}`},
		{"unknown validation rule", "models/C_Tax", []string{"$valrule", "99999999"}, 404, `{"title":"Invalid validation rule","status":404,"detail":"No match found for validation with ID: 99999999"}`},
		{"empty validation rule", "models/C_Tax", []string{"$valrule", ""}, 404, `{"title":"Invalid validation rule","status":404,"detail":"No match found for validation with ID: "}`},
		{"validation rule by name", "models/C_Tax", []string{"$valrule", "abc"}, 400, `{"title":"Request Error","status":400,"detail":"Wrong ID abc is not an UU value nor a valid integer ID"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.get(tc.path, tc.query...)
			assert.Equal(t, tc.status, a.status)
			assert.Equal(t, tc.body, a.body)
		})
	}
	for _, query := range [][]string{{"$top", "abc"}, {"$skip", "1.5"}, {"$top", "99999999999"}} {
		a := r.get("models/C_Tax", query...)
		assert.Equal(t, 404, a.status, "the container cannot convert %v", query)
		assert.NotContains(t, a.body, `"title"`)
	}
}

// Rules 4.9: what $filter finds, over the API. The parser's own tests have
// the finer points.
func TestListFilter(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	for filter, want := range map[string]string{
		"id eq 118":                                        "Joe Block",
		"C_BPartner_ID eq 118":                             "Joe Block",
		"c_bpartner_id in (118,117)":                       "C&W Construction|Joe Block",
		"contains(Name,'Block')":                           "Joe Block",
		"contains(tolower(Name),'joe b')":                  "Joe Block",
		"startswith(Name,'Joe ') and IsCustomer eq true":   "Joe Block",
		"SO_CreditLimit ge 25000":                          "Agri-Tech|C&W Construction",
		"SO_CreditLimit ge 25000 and IsCustomer eq 'Y'":    "",
		"Name eq 'x'' OR 1=1 --'":                          "",
		"FirstSale eq 2024-02-05":                          "Joe Block",
		"PaymentRule eq 'B' and C_Greeting_ID eq 100":      "Joe Block",
		"SalesRep_ID neq null and not contains(Name,'in')": "Agri-Tech|C&W Construction|Joe Block|Rosenfreund GmbH|Seed Farm Inc.|Wood, Inc",
	} {
		list := r.records("models/C_BPartner", "$filter", filter, "$select", "Name", "$orderby", "Name")
		assert.Equal(t, want, strings.Join(propertyOf(list, "Name"), "|"), filter)
	}
	uid := r.ok("models/C_BPartner/118", "$select", "Name")["uid"]
	assert.Len(t, r.records("models/C_BPartner", "$filter", fmt.Sprintf("uid eq '%s'", uid)), 1)
}

// Rule 4.7: any invalid part makes the whole clause ignored.
func TestListOrder(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	ids := func(order string) string {
		return strings.Join(propertyOf(r.records("models/C_BP_Group", "$filter", "C_BP_Group_ID le 105", "$select", "Name", "$orderby", order), "id"), " ")
	}
	unordered := ids("")
	assert.Equal(t, "105 103 104", ids("Name"))
	assert.Equal(t, "104 103 105", ids("name DESC"))
	assert.Equal(t, "103 105 104", ids("IsDefault desc,Name asc"))
	for _, order := range []string{"Name,Nope", "id desc", "Name  desc", "Name descending", "Name desc asc", "Name;DROP TABLE C_BP_Group", "1"} {
		assert.Equal(t, unordered, ids(order), order)
	}
	secret := readAs(t, srv, asSystem)
	assert.Equal(t,
		propertyOf(secret.records("models/AD_User", "$select", "Name"), "id"),
		propertyOf(secret.records("models/AD_User", "$select", "Name", "$orderby", "Password desc"), "id"), "secure columns order nothing")
}

// Rules 4.11: $valrule with and without $context.
func TestListValidationRule(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	names := func(query ...string) string {
		return strings.Join(propertyOf(r.records("models/C_BPartner_Location", append(query, "$select", "Name", "$orderby", "Name")...), "Name"), "|")
	}
	const ofPartner = "167" // C_BPartner_Location.C_BPartner_ID=@C_BPartner_ID@ AND …IsActive='Y'
	assert.Equal(t, "Stamford", names("$valrule", ofPartner, "$context", "C_BPartner_ID:118"))
	assert.Equal(t, "Hamburg", names("$valrule", ofPartner, "$context", "Other:1,C_BPartner_ID:123"))
	uid := r.ok("models/AD_Val_Rule/167", "$select", "Name")["uid"].(string)
	assert.Equal(t, "Hamburg", names("$valrule", uid, "$context", "C_BPartner_ID:123"))
	for name, query := range map[string][]string{
		"a rule with variables and no context": {"$valrule", ofPartner},
		"a pair without value":                 {"$valrule", ofPartner, "$context", "C_BPartner_ID:"},
		"a value of other letters":             {"$valrule", ofPartner, "$context", "C_BPartner_ID:é"},
		"a pair without colon":                 {"$valrule", ofPartner, "$context", "C_BPartner_ID"},
		"a value with other characters":        {"$valrule", ofPartner, "$context", "C_BPartner_ID:118)or(1=1"},
	} {
		a := r.get("models/C_BPartner_Location", query...)
		assert.Equal(t, 500, a.status, name)
		assert.Contains(t, a.body, `"title":"GET Error"`, name)
		assert.NotContains(t, strings.ToUpper(a.body), "SQL", name)
	}
	assert.Empty(t, r.records("models/C_BPartner_Location", "$valrule", ofPartner, "$context", "C_BPartner_ID:118 OR 1 IS NOT NULL"), "words stay a text")
}

// Rules 4.11: showsql.
func TestListShowSQL(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	body := r.ok("models/C_BP_Group", "$select", "Name", "$filter", "Name eq 'Standard'", "showsql", "")
	assert.Regexp(t, `^SELECT C_BP_Group\.C_BP_Group_ID, .* FROM C_BP_Group WHERE .*C_BP_Group\.Name = \?`, body["sql-command"])
	assert.NotEmpty(t, body["records"])
	body = r.ok("models/C_BP_Group", "$expand", "C_BPartner", "showsql", "nodata")
	assert.Contains(t, body["sql-command-C_BPartner[C_BP_Group_ID]"], "FROM C_BPartner WHERE")
	assert.NotContains(t, body, "records")
	assert.Equal(t, body["row-count"], body["array-count"], "what would be sent")
	one := r.ok("models/C_BP_Group/103", "showsql", "nodata")
	assert.NotContains(t, one, "Name")
	assert.Contains(t, one["sql-command"], "FROM C_BP_Group")
}
