package erptest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// What saving AD_Table does: dictionary reference, section 4.
func TestSaveTable(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	made := s.create("AD_Table", `{"TableName":"XX_One","Name":"One"}`)
	for name, want := range map[string]any{"IsChangeLog": true, "IsDeleteable": true, "IsView": false, "IsHighVolume": false} {
		assert.Equal(t, want, made[name], name)
	}
	assert.Equal(t, "4", made["AccessLevel"].(map[string]any)["id"])
	assert.Equal(t, "U", made["EntityType"].(map[string]any)["id"])
	assert.Equal(t, "L", made["ReplicationType"].(map[string]any)["id"])
	sequence := s.get("/models/AD_Sequence?$filter=Name%20eq%20'XX_One'").object(t)["records"].([]any)
	require.Len(t, sequence, 1)
	seq := sequence[0].(map[string]any)
	assert.InDelta(t, 1000000, seq["CurrentNext"], 0)
	assert.InDelta(t, 200000, seq["CurrentNextSys"], 0)
	assert.Equal(t, true, seq["IsTableID"])
	assert.Equal(t, 0, idOf(t, seq["AD_Client_ID"]))

	view := s.create("AD_Table", `{"TableName":"XX_One_v","Name":"V","IsView":true,"IsDeleteable":true}`)
	assert.Equal(t, false, view["IsDeleteable"], "a view cannot be deletable")
	assert.InDelta(t, 0, s.get("/models/AD_Sequence?$filter=Name%20eq%20'XX_One_v'").object(t)["row-count"], 0)

	for _, tc := range []struct{ name, body, response string }{
		{"blank in the name", `{"TableName":"XX One","Name":"x"}`, `{"title":"Save error","status":500,"detail":"Error: Invalid identifier: must not contain spaces [TableName]"}`},
		{"SQL in the name", `{"TableName":"XX_a;drop","Name":"x"}`, `{"title":"Save error","status":500,"detail":"Error: Invalid identifier: just alphanumeric and underscore characters are allowed [TableName]"}`},
		{"digit first", `{"TableName":"1XX","Name":"x"}`, `{"title":"Save error","status":500,"detail":"Error: Invalid identifier: first character must be alphabetic [TableName]"}`},
		{"taken, in another case", `{"TableName":"xx_one","Name":"x"}`, `{"title":"Save error","status":500,"detail":"Record already exists: DB Table Name"}`},
		{"no name", `{"Name":"x"}`, `{"title":"Save error","status":500,"detail":"Error: Invalid identifier: empty [TableName]"}`},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.response, s.post("/models/AD_Table", tc.body).body) })
	}
	t.Run("deleting takes columns and sequence along", func(t *testing.T) {
		id := idOf(t, made)
		s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"ColumnName":"Name","Name":"n","AD_Reference_ID":10,"FieldLength":5}`, id))
		require.Equal(t, 200, s.del(fmt.Sprintf("/models/AD_Table/%d", id)).status)
		assert.InDelta(t, 0, s.get(fmt.Sprintf("/models/AD_Column?$filter=AD_Table_ID%%20eq%%20%d", id)).object(t)["row-count"], 0)
		assert.InDelta(t, 0, s.get("/models/AD_Sequence?$filter=Name%20eq%20'XX_One'").object(t)["row-count"], 0)
	})
}

// What saving AD_Column does, rule by rule: dictionary reference, section 4.
func TestSaveColumn(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	table := idOf(t, s.create("AD_Table", `{"TableName":"XX_Cols","Name":"Cols"}`))
	number := 0
	post := func(members string) response {
		if !strings.Contains(members, `"ColumnName"`) {
			number++
			members = fmt.Sprintf(`"ColumnName":"XX_C%d",%s`, number, members)
		}
		return s.post("/models/AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"n",%s}`, table, members))
	}
	for _, tc := range []struct{ name, members, detail string }{
		{"column name", `"ColumnName":"a b","AD_Reference_ID":10,"FieldLength":5`, "Error: Invalid identifier: must not contain spaces [ColumnName]"},
		{"constraint name", `"AD_Reference_ID":10,"FieldLength":5,"FKConstraintName":"a-b"`, "Error: Invalid identifier: just alphanumeric and underscore characters are allowed [FKConstraintName]"},
		{"length of a text", `"AD_Reference_ID":10`, "Fill mandatory fields: Length"},
		{"length of a list", `"AD_Reference_ID":17,"AD_Reference_Value_ID":131`, "Fill mandatory fields: Length"},
		{"table reference", `"AD_Reference_ID":18`, "Fill mandatory fields: Reference Key"},
		{"bounds", `"AD_Reference_ID":11,"ValueMin":"5","ValueMax":"4"`, "Maximum value must be greater than or equal to minimum value.: Max. Value"},
		{"format pattern of a number", `"AD_Reference_ID":11,"FormatPattern":"abc"`, "Could not save the record: Invalid number format: abc"},
		{"format pattern of a date", `"AD_Reference_ID":15,"FormatPattern":"yyyy-QQ"`, "Could not save the record: Invalid date pattern: yyyy-QQ"},
		{"read-only logic", `"AD_Reference_ID":11,"ReadOnlyLogic":"@A@="`, "Error: line 1:4 mismatched input '<EOF>' expecting {'$!', 'true', 'false', '(', DECIMAL, VARIABLE, QTEXT, QCSVTEXT, DQTEXT, DQCSVTEXT, TEXT}"},
		{"read-only logic that goes on", `"AD_Reference_ID":11,"ReadOnlyLogic":"@A@=1)"`, "Error: Invalid logic in ReadOnlyLogic: @A@=1)"},
		{"UUID type under another name", `"AD_Reference_ID":200231,"FieldLength":36`, "Error: UUID Columns must end with suffix _UU"},
		{"read-only logic of two words", `"AD_Reference_ID":11,"ReadOnlyLogic":"Y N"`, "Error: Invalid logic in ReadOnlyLogic: Y N"},
	} {
		t.Run("refused: "+tc.name, func(t *testing.T) {
			a := post(tc.members)
			assert.Equal(t, 500, a.status, a.body)
			assert.Equal(t, tc.detail, a.text(t, "detail"))
			assert.Equal(t, "Save error", a.text(t, "title"))
		})
	}
	for _, tc := range []struct {
		name, members string
		want          map[string]any // nil: absent
	}{
		{"length of ids", `"ColumnName":"C_UOM_ID","AD_Reference_ID":19`, map[string]any{"FieldLength": 10.0}},
		{"length of numbers", `"AD_Reference_ID":12`, map[string]any{"FieldLength": 14.0}},
		{"logic of one value", `"AD_Reference_ID":11,"MandatoryLogic":"Y"`, map[string]any{"MandatoryLogic": "Y"}},
		{"length of dates", `"AD_Reference_ID":16`, map[string]any{"FieldLength": 7.0}},
		{"length of large objects", `"AD_Reference_ID":36,"FieldLength":2000`, map[string]any{"FieldLength": 0.0}},
		{"length of JSON", `"AD_Reference_ID":200267,"FieldLength":2000`, map[string]any{"FieldLength": 0.0}},
		{"text may be without length", `"AD_Reference_ID":14,"FieldLength":0`, map[string]any{"FieldLength": 0.0}},
		{"UUID length", `"ColumnName":"XX_Other_UU","AD_Reference_ID":200231,"FieldLength":10`, map[string]any{"FieldLength": 36.0}},
		{"virtual", `"AD_Reference_ID":10,"FieldLength":5,"ColumnSQL":"1","IsMandatory":true,"IsUpdateable":true`, map[string]any{"IsMandatory": false, "IsUpdateable": false}},
		{"parent", `"AD_Reference_ID":11,"IsParent":true`, map[string]any{"IsUpdateable": false}},
		{"always updateable", `"AD_Reference_ID":11,"IsUpdateable":false,"IsAlwaysUpdateable":true`, map[string]any{"IsAlwaysUpdateable": false}},
		{"copying a standard column", `"ColumnName":"Updated","AD_Reference_ID":16`, map[string]any{"IsAllowCopy": false}},
		{"copying an own column", `"AD_Reference_ID":11`, map[string]any{"IsAllowCopy": true}},
		{"format pattern of a text", `"AD_Reference_ID":10,"FieldLength":5,"FormatPattern":"0.0"`, map[string]any{"FormatPattern": nil}},
		{"secure", `"AD_Reference_ID":10,"FieldLength":5,"IsSecure":true,"IsAllowLogging":true`, map[string]any{"IsAllowLogging": false}},
		{"yes-no", `"AD_Reference_ID":20,"FieldLength":1,"IsMandatory":false`, map[string]any{"IsMandatory": true, "DefaultValue": "N"}},
		{"yes-no with a default", `"AD_Reference_ID":20,"FieldLength":1,"DefaultValue":"Y"`, map[string]any{"DefaultValue": "Y"}},
		{"active flag", `"ColumnName":"IsActive","AD_Reference_ID":20,"FieldLength":1`, map[string]any{"IsMandatory": true, "DefaultValue": "Y"}},
		{"payment", `"AD_Reference_ID":200012,"FieldLength":1`, map[string]any{"AD_Reference_Value_ID": 195.0}},
		{"own UUID column", `"ColumnName":"XX_Cols_UU","AD_Reference_ID":10,"FieldLength":36`, map[string]any{"AD_Reference_ID": 200231.0}},
		{"element's terms", `"ColumnName":"c_bpartner_id","AD_Reference_ID":30`, map[string]any{"ColumnName": "C_BPartner_ID", "Name": "Business Partner"}},
		{"first selection column", `"AD_Reference_ID":11,"IsSelectionColumn":true`, map[string]any{"SeqNoSelection": 10.0}},
		{"second selection column", `"AD_Reference_ID":11,"IsSelectionColumn":true`, map[string]any{"SeqNoSelection": 20.0}},
		{"sound logic", `"AD_Reference_ID":11,"ReadOnlyLogic":"@A@=Y & (@B@!'N' | 1=1)"`, map[string]any{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := post(tc.members)
			require.Equal(t, 201, a.status, a.body)
			o := a.object(t)
			for name, want := range tc.want {
				got := o[name]
				if m, ok := got.(map[string]any); ok {
					got = m["id"]
				}
				assert.Equal(t, want, got, name)
			}
		})
	}
	t.Run("identifier sequence", func(t *testing.T) {
		require.Equal(t, 201, post(`"AD_Reference_ID":11,"IsIdentifier":true,"SeqNo":1`).status)
		assert.Equal(t, "Record already exists: Sequence", post(`"AD_Reference_ID":11,"IsIdentifier":true,"SeqNo":1`).text(t, "detail"))
		require.Equal(t, 201, post(`"AD_Reference_ID":11,"IsIdentifier":true,"SeqNo":2`).status)
	})
	t.Run("one key", func(t *testing.T) {
		require.Equal(t, 201, post(`"ColumnName":"XX_Cols_ID","AD_Reference_ID":13,"IsKey":true`).status)
		assert.Equal(t, "Error: The table has already a key column, there can be just one key.", post(`"AD_Reference_ID":13,"IsKey":true`).text(t, "detail"))
	})
	t.Run("name taken in the table", func(t *testing.T) {
		assert.Equal(t, "Record already exists: DB Column Name", post(`"ColumnName":"xx_cols_id","AD_Reference_ID":13`).text(t, "detail"))
	})
	t.Run("changing the length only keeps the rest", func(t *testing.T) {
		o := post(`"AD_Reference_ID":10,"FieldLength":5`).object(t)
		assert.InDelta(t, 9, s.change("AD_Column", idOf(t, o), `{"FieldLength":9}`)["FieldLength"], 0)
	})
}

// Columns without element: made or reused by default, refused by a strict
// server as by the real one.
func TestColumnElements(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	table := idOf(t, s.create("AD_Table", `{"TableName":"XX_El","Name":"El"}`))
	column := s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"ColumnName":"XX_Colour","Name":"Colour","AD_Reference_ID":10,"FieldLength":9}`, table))
	element := idOf(t, column["AD_Element_ID"])
	assert.GreaterOrEqual(t, element, 1000000)
	other := idOf(t, s.create("AD_Table", `{"TableName":"XX_El2","Name":"El2"}`))
	again := s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"ColumnName":"xx_COLOUR","Name":"zzz","AD_Reference_ID":10,"FieldLength":9}`, other))
	assert.Equal(t, element, idOf(t, again["AD_Element_ID"]), "reused without regard to case")
	assert.Equal(t, "XX_Colour", again["ColumnName"])
	assert.Equal(t, "Colour", again["Name"])

	a := s.post("/models/AD_Element", `{"ColumnName":" xx_colour ","Name":"x","PrintName":"x"}`)
	assert.Equal(t, `{"title":"Save error","status":500,"detail":"Record already exists: DB Column Name"}`, a.body)
	s.change("AD_Element", element, `{"Name":"Tint"}`)
	assert.Equal(t, "Tint", s.get(fmt.Sprintf("/models/AD_Column/%d", idOf(t, again))).text(t, "Name"), "pushed to the columns")

	strict := erptest.New(t, erptest.Options{Strict: true})
	ss := writeAs(t, strict, asSystem)
	table = idOf(t, ss.create("AD_Table", `{"TableName":"XX_El","Name":"El"}`))
	a = ss.post("/models/AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"ColumnName":"XX_Colour","Name":"Colour","AD_Reference_ID":10,"FieldLength":9}`, table))
	assert.Equal(t, `{"title":"Validation error","status":400,"detail":"Fill mandatory fields: AD_Element_ID"}`, a.body)
}

// The specification's array of AD_Column records.
func TestColumnBatch(t *testing.T) {
	t.Parallel()
	const body = `[{"AD_Table_ID":%[2]d,"ColumnName":"XX_Many_ID","Name":"Many","AD_Reference_ID":13,"IsKey":true},
		{"AD_Table_ID":%[2]d,"ColumnName":"Name","Name":"Name","AD_Reference_ID":10,"FieldLength":%[1]d}]`
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	table := idOf(t, s.create("AD_Table", `{"TableName":"XX_Many","Name":"Many"}`))
	columns := func() any {
		return s.get(fmt.Sprintf("/models/AD_Column?$filter=AD_Table_ID%%20eq%%20%d", table)).object(t)["row-count"]
	}
	a := s.post("/models/AD_Column", fmt.Sprintf(body, 0, table))
	assert.Equal(t, 500, a.status, "one bad record fails all")
	assert.InDelta(t, 0, columns(), 0)
	a = s.post("/models/AD_Column", fmt.Sprintf(body, 60, table))
	require.Equal(t, 201, a.status, a.body)
	assert.True(t, strings.HasPrefix(a.body, `[{"id":`), a.body)
	assert.InDelta(t, 2, columns(), 0)
	a = s.post("/models/AD_Column", `[{"AD_Table_ID":"@AD_Table_ID@","ColumnName":"XX_Lost","Name":"Lost","AD_Reference_ID":10,"FieldLength":9}]`)
	assert.Equal(t, 500, a.status, "no name of a table in the place of its id: %s", a.body)
	assert.Equal(t, 200, s.get("/models/AD_Table?$top=1").status)
	assert.Equal(t, 500, s.post("/models/AD_Table", `[{}]`).status, "no other table")

	strict := erptest.New(t, erptest.Options{Strict: true})
	assert.Equal(t, `{"title":"Server error","status":500,"detail":"Expected a JSON object but was an array"}`,
		writeAs(t, strict, asSystem).post("/models/AD_Column", fmt.Sprintf(body, 60, 100)).body)
}

// Windows, menus, fields and entity types.
func TestSaveWindowAndMenu(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	window := idOf(t, s.create("AD_Window", `{"Name":"Mine","WindowType":"M","EntityType":"U"}`))
	granted := s.get(fmt.Sprintf("/models/AD_Window_Access?$filter=AD_Window_ID%%20eq%%20%d", window)).object(t)["row-count"].(float64)
	assert.Positive(t, granted, "roles that are not maintained by hand get it")
	menu := s.create("AD_Menu", fmt.Sprintf(`{"Name":"Mine","Action":"W","AD_Window_ID":%d,"AD_Process_ID":181,"EntityType":"U"}`, window))
	assert.NotContains(t, menu, "AD_Process_ID", "it does not fit the action")
	nodes := fmt.Sprintf("/models/AD_TreeNodeMM?$filter=Node_ID%%20eq%%20%d", idOf(t, menu))
	node := s.get(nodes).object(t)["records"].([]any)
	require.NotEmpty(t, node)
	assert.InDelta(t, 999, node[0].(map[string]any)["SeqNo"], 0)
	folder := s.create("AD_Menu", `{"Name":"Folder","IsSummary":true,"Action":"W","EntityType":"U"}`)
	assert.NotContains(t, folder, "Action", "a folder does nothing")
	assert.Equal(t, false, folder["IsCentrallyMaintained"])
	s.change("AD_Window", window, `{"Name":"Ours"}`)
	assert.Equal(t, "Ours", s.get(fmt.Sprintf("/models/AD_Menu/%d", idOf(t, menu))).text(t, "Name"))
	require.Equal(t, 200, s.del(fmt.Sprintf("/models/AD_Menu/%d", idOf(t, menu))).status)
	assert.InDelta(t, 0, s.get(nodes).object(t)["row-count"], 0)

	tab := idOf(t, s.create("AD_Tab", fmt.Sprintf(`{"AD_Window_ID":%d,"Name":"T","AD_Table_ID":100,"SeqNo":10,"IsReadOnly":true,"IsInsertRecord":true,"EntityType":"U"}`, window)))
	assert.Equal(t, false, s.get(fmt.Sprintf("/models/AD_Tab/%d", tab)).object(t)["IsInsertRecord"])
	field := s.create("AD_Field", fmt.Sprintf(`{"AD_Tab_ID":%d,"AD_Column_ID":107,"EntityType":"U"}`, tab))
	assert.Equal(t, "DB Table Name", field["Name"], "from the element")
	assert.InDelta(t, 0, field["DisplayLength"], 0, "only windows fill it in")
	again := s.post("/models/AD_Field", fmt.Sprintf(`{"AD_Tab_ID":%d,"AD_Column_ID":107,"EntityType":"U"}`, tab))
	assert.Equal(t, "Record already exists: AD_Tab_ID, AD_Column_ID", again.text(t, "detail"))
	assert.Equal(t, 500, s.post("/models/AD_Field", fmt.Sprintf(`{"AD_Tab_ID":%d,"Name":"none"}`, tab)).status, "a field needs a column with an element")
	a := s.put(fmt.Sprintf("/models/AD_Tab/%d", tab), `{"AD_Table_ID":101}`)
	assert.Equal(t, "Error: Cannot change table if there are related fields", a.text(t, "detail"))

	own := s.create("AD_EntityType", `{"EntityType":"XXT","Name":"Test"}`)
	assert.Equal(t, "Cannot update column EntityType", s.put(fmt.Sprintf("/models/AD_EntityType/%d", idOf(t, own)), `{"EntityType":"YYT"}`).text(t, "detail"))
	assert.Equal(t, "Error: You cannot modify a System maintained entity", s.put("/models/AD_EntityType/10", `{"Name":"x"}`).text(t, "detail"))
	assert.Equal(t, "You cannot delete a System maintained entity", s.del("/models/AD_EntityType/10").text(t, "detail"))
}

// What programs of tables refuse or set before a record is saved.
func TestSaveBefore(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asGardenAdmin)
	role := writeAs(t, srv, asSystem).create("AD_Role", `{"Name":"XX Role","UserLevel":"  O"}`)
	assert.Equal(t, "S  ", role["UserLevel"].(map[string]any)["id"], "of System")
	assert.Equal(t, "  O", s.create("AD_Role", `{"Name":"XX Role"}`)["UserLevel"].(map[string]any)["id"])

	for _, body := range []string{`{"ProductType":"S"}`, `{"IsStocked":false}`, `{"IsActive":false}`} {
		assert.Equal(t, `{"title":"Save error","status":500,"detail":"Error: On Hand Quantity = 48"}`, s.put("/models/M_Product/122", body).body)
	}
	assert.Equal(t, `{"title":"Save error","status":500,"detail":"Error: NotFound Document Type"}`,
		s.post("/models/M_Movement", `{"MovementDate":"2026-03-05T00:00:00Z"}`).body)
	kind := idOf(t, s.create("C_DocType", `{"Name":"Move","PrintName":"Move","DocBaseType":"MMM","GL_Category_ID":108}`))
	assert.Equal(t, kind, idOf(t, s.create("M_Movement", `{"MovementDate":"2026-03-05T00:00:00Z"}`)["C_DocType_ID"]))
	contact := s.post("/windows/business-partner/tabs/business-partner/118/contact-user", `{"Name":"Ann Example"}`)
	assert.Equal(t, "aexample", contact.text(t, "Value"), "of the name, not of the partner")
}

// A new password is hashed, and logs in.
func TestSaveUserPassword(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := writeAs(t, srv, asGardenAdmin)
	w.change("AD_User", 101, `{"Password":"another one"}`)
	a := request{method: "POST", path: "/auth/tokens", body: strings.ReplaceAll(asGardenAdmin, `"password":"GardenAdmin"`, `"password":"another one"`)}.do(t, srv)
	assert.Equal(t, 200, a.status, a.body)
	a = request{method: "POST", path: "/auth/tokens", body: asGardenAdmin}.do(t, srv)
	assert.Equal(t, 401, a.status)
}

// Changes of a logged table are recorded.
func TestChangeLog(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	typesTable(t, srv)
	w := writeAs(t, srv, asGardenAdmin)
	id := idOf(t, w.create("XX_Types", `{"Name":"a"}`))
	w.change("XX_Types", id, `{"Name":null,"XXInt":5}`)
	require.Equal(t, 200, w.del(fmt.Sprintf("/models/XX_Types/%d", id)).status)
	var got []string
	for _, v := range w.get("/models/AD_ChangeLog?$orderby=AD_ChangeLog_ID").object(t)["records"].([]any) {
		o := v.(map[string]any)
		event, column := o["EventChangeLog"].(map[string]any)["id"], o["AD_Column_ID"].(map[string]any)["identifier"]
		got = append(got, fmt.Sprint(event, " ", column, " ", o["OldValue"], " ", o["NewValue"]))
	}
	require.Greater(t, len(got), 4)
	assert.Contains(t, got[0], "I XX_Types_ID")
	assert.Contains(t, got[1], "U Name")
	assert.Contains(t, got[1], " a NULL")
	assert.Contains(t, got[2], " 0 5")
	assert.Contains(t, got[3], "D ")
}
