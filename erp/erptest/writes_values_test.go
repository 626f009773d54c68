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

// typesTable makes the table XX_Types, which has a column of every kind, and
// returns its id.
func typesTable(t testing.TB, srv *erptest.Server) int {
	t.Helper()
	s := writeAs(t, srv, asSystem)
	table := idOf(t, s.create("AD_Table", `{"TableName":"XX_Types","Name":"Types","AccessLevel":"3"}`))
	column := 0
	for _, c := range []string{
		`"ColumnName":"XX_Types_ID","AD_Reference_ID":13,"IsKey":true,"IsMandatory":true`,
		`"ColumnName":"XX_Types_UU","AD_Reference_ID":200231,"FieldLength":36`,
		`"ColumnName":"AD_Client_ID","AD_Reference_ID":19,"IsMandatory":true,"IsUpdateable":false,"DefaultValue":"@#AD_Client_ID@"`,
		`"ColumnName":"AD_Org_ID","AD_Reference_ID":19,"IsMandatory":true,"DefaultValue":"@AD_Org_ID@"`,
		`"ColumnName":"IsActive","AD_Reference_ID":20,"FieldLength":1`,
		`"ColumnName":"Created","AD_Reference_ID":16,"IsMandatory":true,"IsUpdateable":false`,
		`"ColumnName":"CreatedBy","AD_Reference_ID":18,"AD_Reference_Value_ID":110,"IsMandatory":true,"IsUpdateable":false`,
		`"ColumnName":"Updated","AD_Reference_ID":16,"IsMandatory":true,"IsUpdateable":false`,
		`"ColumnName":"UpdatedBy","AD_Reference_ID":18,"AD_Reference_Value_ID":110,"IsMandatory":true,"IsUpdateable":false`,
		`"ColumnName":"Name","AD_Reference_ID":10,"FieldLength":10,"IsIdentifier":true,"SeqNo":1`,
		`"ColumnName":"XXInt","AD_Reference_ID":11,"ValueMin":"-5","ValueMax":"1000000"`,
		`"ColumnName":"XXAmt","AD_Reference_ID":12,"DefaultValue":"12.50"`,
		`"ColumnName":"XXFlag","AD_Reference_ID":20,"FieldLength":1`,
		`"ColumnName":"XXDate","AD_Reference_ID":15`,
		`"ColumnName":"XXStamp","AD_Reference_ID":16`,
		`"ColumnName":"XXInstant","AD_Reference_ID":200133`,
		`"ColumnName":"XXTime","AD_Reference_ID":24`,
		`"ColumnName":"XXBinary","AD_Reference_ID":23`,
		`"ColumnName":"XXJson","AD_Reference_ID":200267`,
		`"ColumnName":"XXText","AD_Reference_ID":36`,
		`"ColumnName":"DocStatus","AD_Reference_ID":17,"AD_Reference_Value_ID":131,"FieldLength":2,"DefaultValue":"DR"`,
		`"ColumnName":"C_BPartner_ID","AD_Reference_ID":30`,
		`"ColumnName":"AD_Role_ID","AD_Reference_ID":19`,
		`"ColumnName":"C_Location_ID","AD_Reference_ID":21`,
		`"ColumnName":"Logo_ID","AD_Reference_ID":32`,
		`"ColumnName":"XXPartners","AD_Reference_ID":200163,"AD_Reference_Value_ID":138,"FieldLength":200`,
		`"ColumnName":"XXAction","AD_Reference_ID":28,"FieldLength":1,"DefaultValue":"A"`,
		`"ColumnName":"XXFixed","AD_Reference_ID":10,"FieldLength":20,"IsUpdateable":false`,
		`"ColumnName":"XXVirtual","AD_Reference_ID":10,"FieldLength":20,"ColumnSQL":"'v'||XX_Types.Name"`,
	} {
		column = idOf(t, s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"n",%s}`, table, c)))
	}
	first := s.get(fmt.Sprintf("/models/AD_Column?$filter=AD_Table_ID%%20eq%%20%d&$top=1", table))
	require.Equal(t, http.StatusOK, first.status, first.body)
	record := first.object(t)["records"].([]any)[0]
	a := s.post("/processes/ad_column-sync", fmt.Sprintf(`{"record-id":%d}`, idOf(t, record)))
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, false, a.object(t)["isError"], a.body)
	require.NotZero(t, column)
	return table
}

// Rules 5.2: every form of value a column accepts, and the response to
// others.
func TestWriteValues(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	typesTable(t, srv)
	w := writeAs(t, srv, asGardenAdmin)
	partner := w.get("/models/C_BPartner/118").object(t)
	uid, name, value := partner["uid"].(string), partner["Name"].(string), partner["Value"].(string)
	place := fmt.Sprint(idOf(t, w.get("/models/C_Location?$top=1&$orderby=C_Location_ID").object(t)["records"].([]any)[0]))
	const cleared = "absent"
	status := func(a response) string { return fmt.Sprintf("%d %s", a.status, a.body) }

	for _, tc := range []struct {
		name, column, value string
		want                string // the member as JSON, absent, or status and body
	}{
		{"text", "Name", `"abc"`, `"abc"`},
		{"text takes a number as it is written", "Name", `12.50`, `"12.50"`},
		{"text null", "Name", `null`, cleared},
		{"text is not an object", "Name", `{"a":1}`, `500 {"title":"Server error","status":500,"detail":"JsonObject"}`},
		{"text too long is cut", "Name", `"äbcdefghijk"`, `"äbcdefghij"`},
		{"text as long as the column in characters", "Name", `"äöüäöüäöüä"`, `"äöüäöüäöüä"`},
		{"unlimited text", "XXText", `"` + strings.Repeat("x", 9000) + `"`, `"` + strings.Repeat("x", 9000) + `"`},
		{"integer", "XXInt", `42`, `42`},
		{"integer as text", "XXInt", `"42"`, `42`},
		{"integer loses a fraction", "XXInt", `42.9`, `42`},
		{"integer as bad text", "XXInt", `"4x"`, `500 {"title":"Server error","status":500,"detail":"Could not convert value 4x for XXInt"}`},
		{"integer beyond 32 bits wraps", "XXInt", `4294967338`, `42`},
		{"integer above its maximum", "XXInt", `99999999999`, `500 {"title":"Save error","status":500,"detail":"MoreThanMaxValue: n - 1000000"}`},
		{"integer below its minimum", "XXInt", `-6`, `500 {"title":"Save error","status":500,"detail":"LessThanMinValue: n - -5"}`},
		{"integer null", "XXInt", `null`, cleared},
		{"amount keeps its scale", "XXAmt", `12.500`, `12.500`},
		{"amount as text", "XXAmt", `"-0.10"`, `-0.10`},
		{"amount of many digits", "XXAmt", `12345678901234567890.123456789`, `12345678901234567890.123456789`},
		{"amount with exponent", "XXAmt", `1.5e3`, `1500`},
		{"amount with a hostile exponent", "XXAmt", `1e999999999`, `500 {"title":"Server error","status":500,"detail":"Could not convert value 1e999999999 for XXAmt"}`},
		{"amount as bad text", "XXAmt", `"many"`, `500 {"title":"Server error","status":500,"detail":"Could not convert value many for XXAmt"}`},
		{"null leaves the database's default", "XXAmt", `null`, `12.50`},
		{"flag", "XXFlag", `true`, `true`},
		{"flag Y", "XXFlag", `"Y"`, `true`},
		{"flag TRUE", "XXFlag", `"TRUE"`, `true`},
		{"flag of another text is false", "XXFlag", `"yes"`, `false`},
		{"flag of a number is not understood", "XXFlag", `1`, `false`},
		{"date", "XXDate", `"2026-03-09"`, `"2026-03-09"`},
		{"date in another form", "XXDate", `"09.03.2026"`, `400 {"title":"Invalid date","status":400,"detail":"A Date is written as yyyy-MM-dd, not as 09.03.2026"}`},
		{"date that carries over", "XXDate", `"2026-02-30"`, `"2026-03-02"`},
		{"date of a JavaScript client", "XXDate", `"2026-03-09T14:05:06.789Z"`, `"2026-03-09"`},
		{"date in milliseconds is not understood", "XXDate", `1720000000000`, cleared},
		{"date null", "XXDate", `null`, cleared},
		{"date-time Z", "XXStamp", `"2026-03-09T14:05:06Z"`, `"2026-03-09T14:05:06Z"`},
		{"date-time with offset", "XXStamp", `"2026-03-09T14:05:06+01:00"`, `"2026-03-09T13:05:06Z"`},
		{"date-time without zone", "XXStamp", `"2026-03-09T14:05:06"`, `400 {"title":"Invalid date","status":400,"detail":"A DateTime is written as yyyy-MM-dd'T'HH:mm:ss'Z', not as 2026-03-09T14:05:06"}`},
		{"instant with fraction", "XXInstant", `"2026-03-09T13:05:06.123Z"`, `"2026-03-09T13:05:06.123Z"`},
		{"instant in another form", "XXInstant", `"2026-03-09"`, `400 {"title":"Invalid ISO Timestamp. ","status":400,"detail":"A timestamp with time zone is written as yyyy-MM-dd'T'HH:mm:ss[.SSSSSSSSS]'Z', not as 2026-03-09"}`},
		{"time of day", "XXTime", `"14:05:06Z"`, `"14:05:06Z"`},
		{"binary", "XXBinary", `"aGVsbG8="`, `"aGVsbG8="`},
		{"json object", "XXJson", `{"b":[1,2],"a":null}`, `{"b":[1,2],"a":null}`},
		{"list", "DocStatus", `"CO"`, `{"propertyLabel":"Document Status","id":"CO","identifier":"Completed","model-name":"ad_ref_list"}`},
		{"list as object", "DocStatus", `{"id":"CO"}`, `{"propertyLabel":"Document Status","id":"CO","identifier":"Completed","model-name":"ad_ref_list"}`},
		{"key", "C_BPartner_ID", `118`, "118"},
		{"key as text", "C_BPartner_ID", `"118"`, "118"},
		{"key in an object", "C_BPartner_ID", `{"id":118,"identifier":"nobody"}`, "118"},
		{"key as text in an object", "C_BPartner_ID", `{"id":"118"}`, "118"},
		{"key by identifier", "C_BPartner_ID", `{"identifier":"` + name + `"}`, "118"},
		{"key by uid", "C_BPartner_ID", `{"uid":"` + uid + `"}`, "118"},
		{"key by another column", "C_BPartner_ID", `{"lookupColumn":"Value","lookupValue":"` + value + `"}`, "118"},
		{"key null", "C_BPartner_ID", `null`, `500 {"title":"Server error","status":500,"detail":"Could not convert value null for C_BPartner"}`},
		{"key -1 clears", "C_BPartner_ID", `-1`, cleared},
		{"key 0 clears where there is no record 0", "C_BPartner_ID", `0`, cleared},
		{"key 0 is a record of AD_Role", "AD_Role_ID", `0`, "0"},
		{"key '-1' does not clear", "C_BPartner_ID", `"-1"`, `400 {"title":"Validation error","status":400,"detail":"Foreign ID -1 not found in C_BPartner_ID"}`},
		{"key missing", "C_BPartner_ID", `999`, `400 {"title":"Validation error","status":400,"detail":"Foreign ID 999 not found in C_BPartner_ID"}`},
		{"key of another tenant", "C_BPartner_ID", `1000001`, `400 {"title":"Validation error","status":400,"detail":"Cross tenant ID 1000001 not allowed in C_BPartner_ID"}`},
		{"identifier of nobody", "C_BPartner_ID", `{"identifier":"no such"}`, `500 {"title":"Server error","status":500,"detail":"Could not convert value {\"identifier\":\"no such\"} for C_BPartner"}`},
		{"identifier of several", "C_BPartner_ID", `{"lookupColumn":"IsActive","lookupValue":"Y"}`, `500 {"title":"Server error","status":500,"detail":"More than one ID found for C_BPartner.IsActive = Y"}`},
		{"lookup by an unknown column", "C_BPartner_ID", `{"lookupColumn":"Nope","lookupValue":1}`, `500 {"title":"Server error","status":500,"detail":"Column not found -> C_BPartner.Nope"}`},
		{"selections as text", "XXPartners", `"118,119"`, "118,119"},
		{"selections as array", "XXPartners", `[118,119]`, "118,119"},
		{"selections as object", "XXPartners", `{"selections":[{"id":118},{"id":119}]}`, "118,119"},
		{"text button", "XXAction", `"B"`, `500 {"title":"Server error","status":500,"detail":"Could not convert value B for XXAction"}`},
		{"virtual column", "XXVirtual", `"x"`, `400 {"title":"Validation error","status":400,"detail":"Cannot update virtual column XXVirtual"}`},
		{"location by number", "C_Location_ID", place, place},
		{"location by text is not understood", "C_Location_ID", `"` + place + `"`, cleared},
		{"location with a label", "C_Location_ID", `{"propertyLabel":"Address","id":` + place + `}`, `400 {"title":"Validation error","status":400,"detail":"Column propertyLabel does not exist"}`},
		{"image without data", "Logo_ID", `100`, cleared},
		{"text of a one-element array", "Name", `["a"]`, `"a"`},
		{"list of another code", "DocStatus", `"ZZ"`, `500 {"title":"Save error","status":500,"detail":"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := w.post("/models/XX_Types", fmt.Sprintf(`{%q:%s}`, tc.column, tc.value))
			if strings.HasPrefix(tc.want, "400 ") || strings.HasPrefix(tc.want, "500 ") {
				assert.Contains(t, status(a), tc.want)
				return
			}
			require.Equal(t, http.StatusCreated, a.status, a.body)
			got, ok := a.object(t)[tc.column]
			switch {
			case tc.want == cleared:
				assert.False(t, ok, "%v", got)
			case tc.column == "XXPartners":
				var ids []string
				for _, s := range got.(map[string]any)["selections"].([]any) {
					ids = append(ids, s.(map[string]any)["id"].(string))
				}
				assert.Equal(t, tc.want, strings.Join(ids, ","))
			case strings.HasSuffix(tc.column, "_ID"):
				assert.Equal(t, tc.want, fmt.Sprint(idOf(t, got)))
			default:
				assert.Contains(t, a.body, fmt.Sprintf("%q:%s", tc.column, tc.want))
			}
		})
	}
}

// Rules 5.2: addresses and images are records of their own.
func TestWriteLocationAndImage(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	typesTable(t, srv)
	w := writeAs(t, srv, asGardenAdmin)
	made := w.create("XX_Types", `{"C_Location_ID":{"address1":"Mill 1","City":"Ulm","C_Country_ID":100}}`)
	place := made["C_Location_ID"].(map[string]any)
	assert.Equal(t, "Mill 1", place["Address1"])
	same := w.create("XX_Types", fmt.Sprintf(`{"C_Location_ID":{"id":%d,"city":"Bonn"}}`, idOf(t, place)))["C_Location_ID"].(map[string]any)
	assert.Equal(t, idOf(t, place), idOf(t, same))
	assert.Equal(t, "Mill 1", same["Address1"])
	assert.Equal(t, "Bonn", same["City"])

	made = w.create("XX_Types", `{"Logo_ID":{"file_name":"a.png","data":"aGVsbG8="}}`)
	logo := made["Logo_ID"].(map[string]any)
	assert.Equal(t, "aGVsbG8=", logo["data"])
	made = w.change("XX_Types", idOf(t, made), fmt.Sprintf(`{"Logo_ID":{"id":%d,"data":"d29ybGQ="}}`, idOf(t, logo)))
	assert.Equal(t, "d29ybGQ=", made["Logo_ID"].(map[string]any)["data"])
	assert.NotContains(t, w.change("XX_Types", idOf(t, made), `{"Logo_ID":{"file_name":"a.png"}}`), "Logo_ID")
}

// Rules 5.1: how members may be called.
func TestWriteNames(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := writeAs(t, srv, asGardenAdmin)
	for _, tc := range []struct {
		name, body string
		status     int
		response   string // "" for any
	}{
		{"dictionary casing", `{"Name":"a","C_BP_Group_ID":103}`, 201, ""},
		{"first letter in lower case", `{"name":"a","C_BP_Group_ID":103}`, 201, ""},
		{"tolerated members", `{"id":5,"uid":"x","identifier":"y","model-name":"z","tableName":"t","doc-action":"CO","Name":"a","C_BP_Group_ID":103}`, 201, ""},
		{"wrong casing", `{"NAME":"a"}`, 400, `{"title":"Validation error","status":400,"detail":"Wrong name for column NAME, you must use name or Name"}`},
		{"wrong casing with underscore", `{"c_bp_group_id":103}`, 400, `{"title":"Validation error","status":400,"detail":"Wrong name for column c_bp_group_id, you must use C_BP_Group_ID"}`},
		{"unknown", `{"Foo":1}`, 400, `{"title":"Validation error","status":400,"detail":"Column Foo does not exist"}`},
		{"array that is no child", `{"Name":"a","C_BP_Group_ID":103,"Foo":[1]}`, 500, `{"title":"Wrong detail","status":500,"detail":"Cannot create detail records for the table because it has no column that links to the parent table: Foo"}`},
		{"array of a table without the key", `{"Name":"a","C_BP_Group_ID":103,"C_UOM":[{}]}`, 500, `{"title":"Wrong detail","status":500,"detail":"Cannot create detail records for the table because it has no column that links to the parent table: C_UOM"}`},
		{"comments and bare names", "{/*c*/ name: 'a'; // d\n C_BP_Group_ID = 103}", 201, ""},
		{"missing mandatory values", `{"Name":null}`, 400, `{"title":"Validation error","status":400,"detail":"Fill mandatory fields: name"}`},
		{"no body", ``, 500, `{"title":"Server error","status":500,"detail":"The request has no body: a JSON object is expected"}`},
		{"an array", `[{"Name":"a"}]`, 500, `{"title":"Server error","status":500,"detail":"Expected a JSON object but was an array"}`},
		{"broken JSON", `{"Name":`, 500, `{"title":"Server error","status":500,"detail":"Malformed JSON: unexpected end at byte 8"}`},
		{"another tenant", `{"AD_Client_ID":0,"Name":"a","C_BP_Group_ID":103}`, 403, `{"title":"Update error","status":403,"detail":"You are not allowed to create a record for another tenant"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := w.post("/models/c_bpartner", tc.body)
			assert.Equal(t, tc.status, a.status, a.body)
			if tc.response != "" {
				assert.Equal(t, tc.response, a.body)
			}
		})
	}
	t.Run("unknown members ignored by configuration", func(t *testing.T) {
		setConfig(t, srv, "REST_ERROR_ON_NON_EXISTING_COLUMN", "N")
		w.create("C_BPartner", `{"Name":"a","C_BP_Group_ID":103,"Foo":1}`)
	})
}
