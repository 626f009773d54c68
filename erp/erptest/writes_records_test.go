package erptest_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// Rules 5.4 and 5.5: what a new record gets without being asked.
func TestCreateRecord(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := erptest.New(t, erptest.Options{Clock: clock.Now})
	w := writeAs(t, srv, asGardenAdmin)
	a := w.post("/models/C_BPartner", `{"Name":"Fresh","C_BP_Group_ID":{"identifier":"Standard"}}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	assert.Empty(t, a.header.Get("Location"))
	p := a.object(t)
	assert.GreaterOrEqual(t, idOf(t, p), 1000000)
	assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, p["uid"], "UUID of version 7")
	assert.Equal(t, 11, idOf(t, p["AD_Client_ID"]))
	assert.Equal(t, 0, idOf(t, p["AD_Org_ID"]), "partners are shared within the tenant")
	assert.Equal(t, true, p["IsActive"])
	assert.Equal(t, "2026-03-09T08:00:00Z", p["Created"])
	assert.Equal(t, "2026-03-09T08:00:00Z", p["Updated"])
	assert.Equal(t, 101, idOf(t, p["CreatedBy"]))
	assert.NotEmpty(t, p["Value"], "the search key comes from a sequence")
	assert.Equal(t, "c_bpartner", p["model-name"])
	again := w.get(fmt.Sprintf("/models/C_BPartner/%d", idOf(t, p)))
	assert.Equal(t, again.body, a.body, "the response is what GET sends")

	clock.Advance(time.Minute)
	changed := w.change("C_BPartner", idOf(t, p), `{"Description":"d"}`)
	assert.Equal(t, "2026-03-09T08:00:00Z", changed["Created"])
	assert.Equal(t, "2026-03-09T08:01:00Z", changed["Updated"])
	clock.Advance(time.Minute)
	assert.Equal(t, "2026-03-09T08:01:00Z", w.change("C_BPartner", idOf(t, p), `{"Description":"d"}`)["Updated"], "nothing changed")

	t.Run("uuid of the caller", func(t *testing.T) {
		const uid = "01890a5d-ac96-774b-bcce-b302099a8057"
		body := `{"C_BPartner_UU":"` + uid + `","Name":"Given","C_BP_Group_ID":103}`
		assert.Equal(t, uid, w.create("C_BPartner", body)["uid"])
		a := w.post("/models/C_BPartner", body)
		assert.Equal(t, `{"title":"Save error","status":500,"detail":"Record already exists: C_BPartner_UU"}`, a.body)
	})
	t.Run("ids come from the sequence", func(t *testing.T) {
		assert.NotEqual(t, 1234567, idOf(t, w.create("C_BPartner", `{"C_BPartner_ID":1234567,"Name":"x","C_BP_Group_ID":103}`)))
		assert.Equal(t, 999000, idOf(t, w.create("C_BPartner", `{"C_BPartner_ID":999000,"Name":"x","C_BP_Group_ID":103}`)), "but those of the ERP's own range")
		a := w.post("/models/C_BPartner", `{"C_BPartner_ID":999000,"Name":"x","C_BP_Group_ID":103}`)
		assert.Equal(t, `{"title":"Save error","status":500,"detail":"Record already exists: C_BPartner_ID"}`, a.body)
	})
	t.Run("unique violation", func(t *testing.T) {
		body := `{"Value":"same","Name":"Same","C_BP_Group_ID":103}`
		w.create("C_BPartner", body)
		a := w.post("/models/C_BPartner", body)
		assert.Equal(t, 500, a.status)
		assert.Equal(t, `{"title":"Save error","status":500,"detail":"Record already exists: Value"}`, a.body)
	})
	t.Run("a failure leaves nothing", func(t *testing.T) {
		a := w.post("/models/C_BPartner", `{"Value":"halfway","Name":"Half","C_BP_Group_ID":103,"C_BPartner_Location":[{"Name":"x","C_Location_ID":999999}]}`)
		assert.Equal(t, `{"title":"Save error","status":500,"detail":"Save error with exception: Foreign ID 999999 not found in C_Location_ID"}`, a.body)
		found := w.get("/models/C_BPartner?$filter=Value%20eq%20'halfway'").object(t)
		assert.InDelta(t, 0, found["row-count"], 0)
	})
	t.Run("role without access", func(t *testing.T) {
		a := writeAs(t, srv, asGardenUser).post("/models/AD_Table", `{"TableName":"XX_No","Name":"no"}`)
		assert.Equal(t, 403, a.status)
	})
	t.Run("wrong organization", func(t *testing.T) {
		a := writeAs(t, srv, asGardenUser).post("/models/C_BPartner", `{"AD_Org_ID":12,"Name":"a","C_BP_Group_ID":103}`)
		assert.Contains(t, []int{400, 403}, a.status, a.body)
	})
}

// Rules 5.5: children of children, and how they come back.
func TestCreateChildren(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	w := s.create("AD_Window", `{"Name":"Nested","WindowType":"M","EntityType":"U","AD_Tab":[
		{"Name":"First","AD_Table_ID":100,"SeqNo":10,"EntityType":"U","AD_Field":[{"AD_Column_ID":107,"EntityType":"U"},7]},
		{"Name":"Second","AD_Table_ID":101,"SeqNo":20,"TabLevel":1,"EntityType":"U","AD_Field":[]}]}`)
	tabs := w["AD_Tab"].([]any)
	require.Len(t, tabs, 2)
	first := tabs[0].(map[string]any)
	assert.Equal(t, idOf(t, w), idOf(t, first["AD_Window_ID"]))
	assert.Equal(t, "ad_tab", first["model-name"])
	fields := first["AD_Field"].([]any)
	require.Len(t, fields, 1, "what is no object is passed over")
	assert.Equal(t, idOf(t, first), idOf(t, fields[0].(map[string]any)["AD_Tab_ID"]))
	assert.NotContains(t, tabs[1], "AD_Field", "empty arrays are not repeated")
	names := memberNames(t, s.post("/models/AD_Window", `{"Name":"N2","WindowType":"M","EntityType":"U","AD_Tab":[{"Name":"F","AD_Table_ID":100,"SeqNo":10,"EntityType":"U"}]}`).body)
	assert.Equal(t, "AD_Tab", names[len(names)-1], "children stand last")
}

// Rules 5.3 and 5.6: what may change, and the ways to address a record.
func TestUpdateRecord(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	typesTable(t, srv)
	w := writeAs(t, srv, asGardenAdmin)
	made := w.create("XX_Types", `{"Name":"a","XXFixed":"fixed","C_BPartner_ID":118}`)
	id := idOf(t, made)
	for _, tc := range []struct {
		name, path, body string
		status           int
		response         string
	}{
		{"by uuid", "/models/XX_Types/" + made["uid"].(string), `{"Name":"b"}`, 200, ""},
		{"fixed column with its value", fmt.Sprintf("/models/XX_Types/%d", id), `{"XXFixed":"fixed"}`, 200, ""},
		{"fixed column", fmt.Sprintf("/models/XX_Types/%d", id), `{"XXFixed":"other"}`, 400, `{"title":"Validation error","status":400,"detail":"Cannot update column XXFixed"}`},
		{"stamp", fmt.Sprintf("/models/XX_Types/%d", id), `{"Created":"2020-01-01T00:00:00Z"}`, 400, `{"title":"Validation error","status":400,"detail":"Cannot update column Created"}`},
		{"virtual column", fmt.Sprintf("/models/XX_Types/%d", id), `{"XXVirtual":"x"}`, 400, `{"title":"Validation error","status":400,"detail":"Cannot update column XXVirtual"}`},
		{"reference cleared", fmt.Sprintf("/models/XX_Types/%d", id), `{"C_BPartner_ID":-1}`, 200, ""},
		{"value cleared", fmt.Sprintf("/models/XX_Types/%d", id), `{"DocStatus":null,"XXAmt":null}`, 200, ""},
		{"reference null", fmt.Sprintf("/models/XX_Types/%d", id), `{"C_BPartner_ID":null}`, 500, `{"title":"Update error","status":500,"detail":"Could not convert value null for C_BPartner"}`},
		{"too long is cut", fmt.Sprintf("/models/XX_Types/%d", id), `{"Name":"12345678901"}`, 200, ""},
		{"unknown column", fmt.Sprintf("/models/XX_Types/%d", id), `{"Nope":1}`, 400, `{"title":"Validation error","status":400,"detail":"Column Nope does not exist"}`},
		{"no body", fmt.Sprintf("/models/XX_Types/%d", id), ``, 500, `{"title":"Update error","status":500,"detail":"The request has no body: a JSON object is expected"}`},
		{"not existing", "/models/XX_Types/999", `{}`, 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 999"}`},
		{"another tenant's", "/models/C_BPartner/1000001", `{"Name":"x"}`, 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 1000001"}`},
		{"unknown table", "/models/Nope/1", `{}`, 404, `{"title":"Invalid table name","status":404,"detail":"No match found for table name: Nope"}`},
		{"the system's record", "/models/C_UOM/100", `{"Name":"x"}`, 403, `{"title":"Access denied","status":403,"detail":"Access denied for record with id: 100"}`},
		{"mandatory value cleared, and nothing else", "/models/C_BPartner/118", `{"Name":null}`, 200, ""},
		{"mandatory value cleared", "/models/C_BPartner/118", `{"Name":null,"Description":"x"}`, 500, `{"title":"Save error","status":500,"detail":"Fill mandatory fields: Name - Name"}`},
		{"mandatory value empty", "/models/C_BPartner/118", `{"Name":""}`, 500, `{"title":"Save error","status":500,"detail":"Mandatory column without a value: Name"}`},
		{"code that is not listed", "/models/C_BPartner/118", `{"PaymentRule":"Z"}`, 500, `{"title":"Save error","status":500,"detail":"Validate: Payment Rule - PaymentRule Invalid value - Z - Reference_ID=195 - B - S - `},
		{"code that is not listed, among others", "/models/C_BPartner/118", `{"SOCreditStatus":"?","Description":"x"}`, 500, `{"title":"Save error","status":500,"detail":"Validate: Credit Status - SOCreditStatus Invalid value - ? - `},
		{"number above its maximum", "/models/C_BP_Group/103", `{"CreditWatchPercent":101}`, 500, `{"title":"Save error","status":500,"detail":"MoreThanMaxValue: Credit Watch % - 100"}`},
		{"number below its minimum", "/models/C_BP_Group/103", `{"CreditWatchPercent":-1}`, 500, `{"title":"Save error","status":500,"detail":"LessThanMinValue: Credit Watch % - 0"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := w.put(tc.path, tc.body)
			assert.Equal(t, tc.status, a.status, a.body)
			assert.True(t, strings.HasPrefix(a.body, tc.response), a.body)
		})
	}
	t.Run("neither number nor uuid", func(t *testing.T) {
		a := w.put("/models/XX_Types/abc", `{}`)
		assert.Equal(t, 500, a.status)
		assert.True(t, a.isContainerPage())
	})
	t.Run("what was cleared is gone", func(t *testing.T) {
		o := w.get(fmt.Sprintf("/models/XX_Types/%d", id)).object(t)
		for _, name := range []string{"C_BPartner_ID", "DocStatus", "XXAmt"} {
			assert.NotContains(t, o, name)
		}
		assert.Equal(t, "1234567890", o["Name"])
		assert.Equal(t, "v1234567890", o["XXVirtual"])
	})
	t.Run("what was refused is as it was", func(t *testing.T) {
		assert.Equal(t, "B", w.get("/models/C_BPartner/118").object(t)["PaymentRule"].(map[string]any)["id"])
	})
	t.Run("refused members passed over by configuration", func(t *testing.T) {
		setConfig(t, srv, "REST_ERROR_ON_NON_UPDATABLE_COLUMN", "N")
		o := w.change("XX_Types", id, `{"XXFixed":"other","Name":"c"}`)
		assert.Equal(t, "fixed", o["XXFixed"])
		assert.Equal(t, "c", o["Name"])
	})
}

// Records of tenants are there for System, which is denied them.
func TestSystemIsDenied(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	for _, path := range []string{"C_BPartner/118", "C_Order/100", "AD_User/101", "AD_Client/11"} {
		_, id, _ := strings.Cut(path, "/")
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
			a := w.send(method, "/models/"+path, `{"Description":"x"}`)
			assert.Equal(t, `{"title":"Access denied","status":403,"detail":"Access denied for record with id: `+id+`"}`, a.body, method+" "+path)
		}
		assert.Equal(t, 404, w.get("/models/"+strings.Replace(path, id, "99999", 1)).status)
	}
}

// What the dictionary's messages say is in the language of the session.
func TestMessagesInLanguage(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	spanish := writeAs(t, srv, strings.Replace(asGardenAdmin, "en_US", "es_CO", 1))
	for title, w := range map[string]*writes{"Validation error": writeAs(t, srv, asGardenAdmin), "Error de validación": spanish} {
		assert.Equal(t, title, w.post("/models/C_BPartner", `{"Value":"q"}`).text(t, "title"))
		assert.Equal(t, "Error de validación", w.post("/models/C_BPartner?locale=es_CO", `{"Value":"q"}`).text(t, "title"))
		assert.Equal(t, "Record not found", w.get("/models/C_BPartner/99999").text(t, "title"), "not a message of the dictionary")
	}
	id := idOf(t, spanish.create("C_BPartner", `{"Name":"q"}`))
	assert.Equal(t, "Borrado", spanish.del(fmt.Sprintf("/models/C_BPartner/%d", id)).text(t, "msg"))
}

// Rules 5.6: child rows of PUT.
func TestUpdateChildren(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	window := s.create("AD_Window", `{"Name":"Kids","WindowType":"M","EntityType":"U","AD_Tab":[
		{"Name":"One","AD_Table_ID":100,"SeqNo":10,"EntityType":"U"},{"Name":"Two","AD_Table_ID":101,"SeqNo":20,"EntityType":"U"}]}`)
	tabs := window["AD_Tab"].([]any)
	one, two := tabs[0].(map[string]any), tabs[1].(map[string]any)
	path := fmt.Sprintf("/models/AD_Window/%d", idOf(t, window))
	a := s.put(path, fmt.Sprintf(`{"Description":"d","AD_Tab":[{"id":%d,"Name":"Uno"},{"uid":%q,"(delete)":true},{"Name":"Three","AD_Table_ID":102,"SeqNo":30,"EntityType":"U"}]}`,
		idOf(t, one), two["uid"]))
	require.Equal(t, 200, a.status, a.body)
	got := a.object(t)["AD_Tab"].([]any)
	require.Len(t, got, 2, "deleted rows are not listed")
	assert.Equal(t, "Uno", got[0].(map[string]any)["Name"])
	assert.Equal(t, "Three", got[1].(map[string]any)["Name"])
	assert.Equal(t, 404, s.get(fmt.Sprintf("/models/AD_Tab/%d", idOf(t, two))).status)

	for _, tc := range []struct{ name, child, response string }{
		{"delete what is not there", `{"id":999999,"(delete)":true}`, `{"title":"Delete Error","status":404,"detail":"Cannot delete non-existing record"}`},
		{"delete false", fmt.Sprintf(`{"id":%d,"(delete)":false}`, idOf(t, one)), `{"title":"Validation error","status":400,"detail":"Column (delete) does not exist"}`},
		{"mandatory values of a new child", `{"SeqNo":40,"EntityType":"U"}`, `{"title":"Validation error","status":400,"detail":"Fill mandatory fields: AD_Table_ID, name"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := s.put(path, `{"AD_Tab":[`+tc.child+`]}`)
			assert.JSONEq(t, tc.response, a.body)
		})
	}
}

// Rules 5.8: deletion.
func TestDeleteRecord(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := writeAs(t, srv, asGardenAdmin)
	id := idOf(t, w.create("C_BPartner", `{"Name":"Gone","C_BP_Group_ID":103}`))
	path := fmt.Sprintf("/models/C_BPartner/%d", id)
	a := w.del(path)
	assert.Equal(t, 200, a.status)
	assert.Equal(t, `{"msg":"Deleted"}`, a.body)
	assert.Equal(t, 404, w.del(path).status)

	a = w.del("/models/C_BP_Group/103")
	assert.Equal(t, 500, a.status)
	assert.Equal(t, "Delete error", a.text(t, "title"))
	assert.Contains(t, a.text(t, "detail"), "Record not deleted - there are dependent records in the table")
	a = w.del("/models/C_UOM/100")
	assert.Equal(t, `{"title":"Access denied","status":403,"detail":"Access denied for record with id: 100"}`, a.body)
	assert.Equal(t, 404, w.del("/models/C_BPartner/1000001").status, "another tenant's")
	assert.True(t, w.del("/models/C_BPartner/x").isContainerPage())

	t.Run("dependents go too", func(t *testing.T) {
		s := writeAs(t, srv, asSystem)
		window := s.create("AD_Window", `{"Name":"Doomed","WindowType":"M","EntityType":"U","AD_Tab":[{"Name":"T","AD_Table_ID":100,"SeqNo":10,"EntityType":"U"}]}`)
		tab := idOf(t, window["AD_Tab"].([]any)[0])
		a := s.del(fmt.Sprintf("/models/AD_Window/%d", idOf(t, window)))
		require.Equal(t, 200, a.status, a.body)
		assert.Equal(t, 404, s.get(fmt.Sprintf("/models/AD_Tab/%d", tab)).status)
	})
}

// What points at a record is as the dictionary and the database have it when the record
// is deleted, also when they change between two deletions.
func TestDeleteFollowsTheDictionary(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w, system := writeAs(t, srv, asGardenAdmin), writeAs(t, srv, asSystem)
	run := func(statement string) {
		require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		}, "C_Greeting"))
	}
	partner := func() int { return idOf(t, w.create("C_BPartner", `{"Name":"Gone","C_BP_Group_ID":103}`)) }
	remove := func(id int) response { return w.del(fmt.Sprintf("/models/C_BPartner/%d", id)) }
	require.Equal(t, 200, remove(partner()).status)

	column := system.create("AD_Column", `{"AD_Table_ID":346,"AD_Element_ID":187,"ColumnName":"C_BPartner_ID","Name":"Business Partner",
		"AD_Reference_ID":19,"FieldLength":10,"EntityType":"U"}`)
	require.Equal(t, 200, remove(partner()).status, "the database has no such column")

	run("ALTER TABLE C_Greeting ADD COLUMN C_BPartner_ID INTEGER")
	require.Equal(t, 200, remove(partner()).status)
	held := partner()
	run(fmt.Sprintf("UPDATE C_Greeting SET C_BPartner_ID=%d WHERE C_Greeting_ID=(SELECT min(C_Greeting_ID) FROM C_Greeting)", held))
	a := remove(held)
	assert.Equal(t, 500, a.status)
	assert.Contains(t, a.text(t, "detail"), "dependent records in the table Greeting")

	of := fmt.Sprintf("/models/AD_Column/%d", idOf(t, column))
	require.Equal(t, 200, system.put(of, `{"IsActive":false}`).status)
	assert.Equal(t, 200, remove(held).status, "a column that is not active holds nothing")
	require.Equal(t, 200, system.put(of, `{"IsActive":true,"FKConstraintType":"S"}`).status)
	held = partner()
	run(fmt.Sprintf("UPDATE C_Greeting SET C_BPartner_ID=%d WHERE C_Greeting_ID=(SELECT max(C_Greeting_ID) FROM C_Greeting)", held))
	assert.Equal(t, 200, remove(held).status, "loose references are cleared")
}

// What a deletion does to what points at the record is what the ERP's own foreign keys
// do (mkimage/dictionary/constraints.txt).
func TestDeleteFollowsTheERPsForeignKeys(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asGardenAdmin)
	user := idOf(t, w.create("AD_User", `{"Name":"Rep"}`))
	partner := idOf(t, w.create("C_BPartner", fmt.Sprintf(`{"Name":"Held","C_BP_Group_ID":103,"SalesRep_ID":%d}`, user)))
	contact := idOf(t, w.create("AD_User", fmt.Sprintf(`{"Name":"Contact","C_BPartner_ID":%d}`, partner)))
	read := func(table string, id int) response { return w.get(fmt.Sprintf("/models/%s/%d", table, id)) }
	remove := func(table string, id int) response { return w.del(fmt.Sprintf("/models/%s/%d", table, id)) }

	require.Equal(t, 200, remove("AD_User", user).status)
	assert.NotContains(t, read("C_BPartner", partner).object(t), "SalesRep_ID", "set null")
	place := idOf(t, w.create("C_BPartner_Location", fmt.Sprintf(`{"Name":"Here","C_BPartner_ID":%d,"C_Location_ID":114}`, partner)))
	order := idOf(t, w.create("C_Order", fmt.Sprintf(`{"C_BPartner_ID":%d}`, partner)))
	a := remove("C_BPartner", partner)
	assert.Equal(t, 500, a.status)
	assert.Contains(t, a.text(t, "detail"), "dependent records in the table Order", "no action")
	assert.Equal(t, 200, read("AD_User", contact).status, "nothing of it was done")
	require.Equal(t, 200, remove("C_Order", order).status)
	require.Equal(t, 200, remove("C_BPartner", partner).status)
	assert.Equal(t, 404, read("AD_User", contact).status, "cascade")
	assert.Equal(t, 404, read("C_BPartner_Location", place).status, "cascade")
}

// No response tells SQL, whatever is sent.
func TestWriteHostile(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := writeAs(t, srv, asGardenAdmin)
	for _, body := range []string{
		`{"Name":"'; DROP TABLE C_BPartner; --","C_BP_Group_ID":103}`,
		`{"Name":"a\u0000b","C_BP_Group_ID":103}`,
		`{"Name":"a","C_BP_Group_ID":{"lookupColumn":"Name\" OR 1=1 --","lookupValue":"x"}}`,
		`{"Name":"a","C_BP_Group_ID":{"identifier":{"a":1}}}`,
		`{"Name":"a","C_BP_Group_ID":[103]}`,
		`{"Name":"a","C_BP_Group_ID":{"uid":5}}`,
		`{"\" OR 1=1":"x"}`,
		strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200),
		strings.Repeat(`[`, 100000),
		"\xff\xfe{}",
	} {
		a := w.post("/models/C_BPartner", body)
		assert.Contains(t, []int{201, 400, 500}, a.status)
		for _, word := range []string{"SELECT", "INSERT", "sqlite", "constraint"} {
			assert.NotContains(t, a.body, word, "body %.60s", body)
		}
	}
	assert.Equal(t, 200, w.get("/models/C_BPartner/118").status)
}
