package erptest_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// imported is the response of the process.
type imported struct {
	summary string
	failed  bool
	logs    []string
	proc    int
}

// importZip creates the record, attaches the archive (base64) and runs the process.
func importZip(t testing.TB, w *writes, zip, extra string) imported {
	t.Helper()
	proc := idOf(t, w.create("AD_Package_Imp_Proc", `{"Name":"test package","AD_Package_Source_Type":"File"`+extra+`}`))
	a := w.post(fmt.Sprintf("/models/AD_Package_Imp_Proc/%d/attachments", proc), `{"name":"2Pack_1.0.0.zip","data":"`+zip+`"}`)
	require.Equal(t, 201, a.status, a.body)
	a = w.post("/processes/packin", fmt.Sprintf(`{"record-id":%d,"model-name":"AD_Package_Imp_Proc"}`, proc))
	require.Equal(t, 200, a.status, a.body)
	o := a.object(t)
	r := imported{proc: proc, failed: o["isError"].(bool)}
	r.summary, _ = o["summary"].(string)
	logs, _ := o["logs"].([]any)
	for _, l := range logs {
		r.logs = append(r.logs, fmt.Sprint(l.(map[string]any)["msg"]))
	}
	return r
}

const packHead = `<?xml version="1.0" encoding="UTF-8"?><idempiere Name="n" Version="1.0.0" Description="d" Client="0-SYSTEM-System" UpdateDictionary="false">`

// importXML imports records, without the root around them.
func importXML(t testing.TB, w *writes, records string) imported {
	t.Helper()
	return importZip(t, w, zipOf(t, [2]string{"p/dict/PackOut.xml", packHead + records + "</idempiere>"}), "")
}

func rows(t testing.TB, w *writes, table, filter string) []any {
	t.Helper()
	a := w.get("/models/" + table + "?$top=500&$filter=" + url.PathEscape(filter))
	require.Equal(t, 200, a.status, a.body)
	list, _ := a.object(t)["records"].([]any)
	return list
}

func samplesFolder(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("ERPHUB_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "reference")
	}
	dir = filepath.Join(dir, "data", "2pack-samples")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real archives are not here")
	}
	return dir
}

// Real archives, one after the other as a plugin ships them: every element is
// handled, and importing again changes nothing.
func TestImportRealArchives(t *testing.T) {
	t.Parallel()
	dir := samplesFolder(t)
	w := writeAs(t, erptest.New(t), asSystem)
	for _, version := range []string{"1.0.1", "1.0.19"} {
		data, err := os.ReadFile(filepath.Join(dir, "rest-api_2Pack_"+version+".zip"))
		require.NoError(t, err)
		zip := base64.StdEncoding.EncodeToString(data)
		first := importZip(t, w, zip, "")
		require.False(t, first.failed, "%s\n%s", first.summary, strings.Join(first.logs, "\n"))
		elements := map[string]int{"1.0.1": 59 + 28, "1.0.19": 252 + 126}[version]
		counted := 0
		for _, l := range first.logs {
			if !strings.HasPrefix(l, "Sync ") && !strings.HasPrefix(l, "Index ") && !strings.Contains(l, "parent in the menu") {
				counted++
			}
			assert.NotContains(t, l, "entity type", "nothing is left out")
		}
		assert.Equal(t, elements, counted, "a line for each element")
		again := importZip(t, w, zip, "") // texts that a new column had from its term become the archive's
		require.False(t, again.failed, again.summary)
		assert.Contains(t, again.summary, " 0 new")
		again = importZip(t, w, zip, "")
		require.False(t, again.failed, again.summary)
		assert.Contains(t, again.summary, "0 new, 0 updated", strings.Join(again.logs, "\n"))
	}
	for _, table := range []string{"REST_AuthToken", "REST_Webhook_In", "REST_Webhook_Out_Log"} {
		a := w.get("/models/" + table)
		assert.Equal(t, 200, a.status, "%s is in the database: %s", table, a.body)
	}
	assert.Len(t, rows(t, w, "AD_Package_Imp", "PK_Status eq 'Completed successfully' and Name eq 'test package'"), 6)
	assert.Len(t, rows(t, w, "AD_Column", "AD_Table_ID eq 200443"), 18)
}

// The made-up example of the format's description: rows, database table, menu.
func TestImportMadeUpExample(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join(samplesFolder(t), "made-up-xx-demo-PackOut.xml"))
	require.NoError(t, err)
	w := writeAs(t, erptest.New(t), asSystem)
	r := importZip(t, w, zipOf(t, [2]string{"demo/", ""}, [2]string{"demo/dict/PackOut.xml", string(doc)}), "")
	require.False(t, r.failed, r.summary)
	assert.Contains(t, strings.Join(r.logs, "\n"), "Sync XX_Demo: CREATE TABLE")
	list := rows(t, w, "AD_Table", "TableName eq 'XX_Demo'")
	require.Len(t, list, 1)
	table := list[0].(map[string]any)
	assert.Equal(t, "7b6c827c-476a-51dd-968e-e5a9847545f9", table["uid"])
	assert.Len(t, rows(t, w, "AD_Column", fmt.Sprintf("AD_Table_ID eq %d", idOf(t, table))), 12)
	menu := rows(t, w, "AD_Menu", "AD_Menu_UU eq 'acd3c246-33da-5e68-8c2f-ed286e27a4a6'")
	require.Len(t, menu, 1)
	node := rows(t, w, "AD_TreeNodeMM", fmt.Sprintf("Node_ID eq %d", idOf(t, menu[0])))
	require.Len(t, node, 1)
	assert.EqualValues(t, 1000, node[0].(map[string]any)["SeqNo"])
	demo := writeAs(t, w.srv, asGardenAdmin).create("XX_Demo", `{"Name":"first","XX_DemoAmt":12.5}`)
	assert.Equal(t, "first", demo["Name"])
	proc := w.get(fmt.Sprintf("/models/AD_Package_Imp_Proc/%d", r.proc)).object(t)
	assert.Equal(t, r.summary, proc["P_Msg"])
	assert.NotEmpty(t, proc["DateProcessed"])
	packages := rows(t, w, "AD_Package_Imp", fmt.Sprintf("AD_Package_Imp_Proc_ID eq %d", r.proc))
	require.Len(t, packages, 1)
	details := rows(t, w, "AD_Package_Imp_Detail", fmt.Sprintf("AD_Package_Imp_ID eq %d", idOf(t, packages[0])))
	actions := map[string]int{}
	for _, d := range details {
		actions[fmt.Sprint(d.(map[string]any)["Action"])]++
	}
	assert.Equal(t, strings.Count(string(doc), `type="table"`), len(details), "one for each element")
	assert.Equal(t, len(details)-1, actions["New"], "the entity type was there")
}

const message = `<AD_Message type="table"><AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><AD_Message_UU>%s</AD_Message_UU>` +
	`<Value>%s</Value><MsgText>%s</MsgText><MsgType>I</MsgType><EntityType>U</EntityType><IsActive>Y</IsActive></AD_Message>`

const (
	uuidA = "11111111-1111-4111-8111-111111111111"
	uuidB = "22222222-2222-4222-8222-222222222222"
	uuidC = "33333333-3333-4333-8333-333333333333"
	uuidD = "44444444-4444-4444-8444-444444444444"
)

// Values by their kinds: what is given, empty or left out.
func TestImportValues(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	one := func() map[string]any {
		return rows(t, w, "AD_Message", "AD_Message_UU eq '"+uuidA+"'")[0].(map[string]any)
	}
	r := importXML(t, w, fmt.Sprintf(message, uuidA, "XX_One", " a &lt;b&gt;\n c ")+
		`<AD_Message type="table"><AD_Message_UU>`+uuidA+`</AD_Message_UU><MsgTip>tip</MsgTip></AD_Message>`)
	require.False(t, r.failed, r.summary)
	assert.Equal(t, " a <b>\n c ", one()["MsgText"], "text is taken as it is")
	assert.Equal(t, "tip", one()["MsgTip"])
	r = importXML(t, w, `<AD_Message type="table"><AD_Message_UU>`+uuidA+`</AD_Message_UU><MsgTip/><IsActive>true</IsActive><Nonsense>x</Nonsense></AD_Message>`)
	require.False(t, r.failed, r.summary)
	assert.NotContains(t, one(), "MsgTip", "an empty element clears")
	assert.Equal(t, " a <b>\n c ", one()["MsgText"], "what is left out is kept")
	assert.Contains(t, strings.Join(r.logs, "\n"), "not known here: Nonsense")
	r = importXML(t, w, `<AD_Message type="table"><AD_Message_UU>`+uuidA+`</AD_Message_UU><IsActive/></AD_Message>`)
	require.False(t, r.failed, r.summary)
	assert.Len(t, rows(t, w, "AD_Message", "AD_Message_UU eq '"+uuidA+"' and IsActive eq false"), 1, "an empty flag means no")
}

// References that come too early wait; those to nothing undo everything.
func TestImportDefers(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	list := `<AD_Ref_List type="table"><AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><AD_Ref_List_UU>` + uuidA +
		`</AD_Ref_List_UU><AD_Reference_ID reference="uuid" reference-key="AD_Reference">` + uuidB + `</AD_Reference_ID>` +
		`<Value>A</Value><Name>One</Name><EntityType>ZZ</EntityType><IsActive>Y</IsActive></AD_Ref_List>`
	reference := `<AD_Reference type="table"><AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><AD_Reference_UU>` + uuidB +
		`</AD_Reference_UU><Name>XX Kind</Name><ValidationType>L</ValidationType><ShowInactive>N</ShowInactive><EntityType>ZZ</EntityType></AD_Reference>`
	entity := `<AD_EntityType type="table"><AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><AD_EntityType_UU>` + uuidC +
		`</AD_EntityType_UU><EntityType>ZZ</EntityType><Name>Zed</Name><IsActive>Y</IsActive></AD_EntityType>`
	r := importXML(t, w, list+reference)
	require.True(t, r.failed)
	assert.Contains(t, r.summary, "AD_Reference (line 1) XX Kind: there is no entity type ZZ (2 records)")
	assert.Empty(t, rows(t, w, "AD_Reference", "Name eq 'XX Kind'"))
	r = importXML(t, w, list+reference+entity)
	require.False(t, r.failed, r.summary)
	assert.Len(t, rows(t, w, "AD_Ref_List", "AD_Ref_List_UU eq '"+uuidA+"'"), 1)

	// A failure after records that would have been fine.
	r = importXML(t, w, fmt.Sprintf(message, uuidC, "XX_Kept", "text")+fmt.Sprintf(message, uuidB, "XX_Kept", "text"))
	require.True(t, r.failed)
	assert.Contains(t, r.summary, "AD_Message (line 1) XX_Kept: Record already exists")
	assert.Empty(t, rows(t, w, "AD_Message", "Value eq 'XX_Kept'"), "all of it or nothing")
	proc := w.get(fmt.Sprintf("/models/AD_Package_Imp_Proc/%d", r.proc)).object(t)
	assert.Equal(t, r.summary, proc["P_Msg"], "that it was tried is kept")
	assert.Len(t, rows(t, w, "AD_Package_Imp", fmt.Sprintf("AD_Package_Imp_Proc_ID eq %d and PK_Status eq 'Failed'", r.proc)), 1)
}

// The rules that decide whether a record is taken.
func TestImportRules(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	core := strings.ReplaceAll(fmt.Sprintf(message, uuidA, "XX_Core", "text"), "<EntityType>U<", "<EntityType>D<")
	r := importXML(t, w, core)
	require.False(t, r.failed, r.summary)
	assert.Contains(t, r.logs[0], "Skipped AD_Message XX_Core")
	r = importZip(t, w, zipOf(t, [2]string{"p/dict/PackOut.xml", packHead + core + "</idempiere>"}), `,"AD_Override_Dict":true`)
	require.False(t, r.failed, r.summary)
	assert.Contains(t, r.logs[0], "New AD_Message XX_Core")
	r = importZip(t, w, zipOf(t, [2]string{"p/dict/PackOut.xml", strings.Replace(packHead, `UpdateDictionary="false"`, `UpdateDictionary="true"`, 1) +
		strings.Replace(core, ">text<", ">other<", 1) + "</idempiere>"}), "")
	require.False(t, r.failed, r.summary)
	assert.Contains(t, r.logs[0], "Update AD_Message XX_Core")

	element := `<AD_Element type="table"><AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><AD_Element_UU>` + uuidB +
		`</AD_Element_UU><ColumnName>%s</ColumnName><Name>N</Name><PrintName>N</PrintName><EntityType>U</EntityType></AD_Element>`
	r = importXML(t, w, fmt.Sprintf(element, "c_bpartner_id"))
	require.True(t, r.failed, "a second term for a column name of the ERP")
	assert.Contains(t, r.summary, "Record already exists: DB Column Name")
	r = importXML(t, w, `<SQLStatement type="custom"><DBType>ALL</DBType><statement>DROP TABLE AD_User</statement></SQLStatement>`+
		`<ShellScript type="custom"><script>rm</script></ShellScript><SQLMandatory type="custom"><DBType>Oracle</DBType><statement>DROP TABLE AD_User</statement></SQLMandatory>`)
	require.False(t, r.failed, r.summary)
	assert.Len(t, r.logs, 3)
	r = importXML(t, w, `<XX_Nowhere type="table"><XX_Nowhere_UU>`+uuidA+`</XX_Nowhere_UU></XX_Nowhere>`)
	require.True(t, r.failed)
	assert.Contains(t, r.summary, "there is no table XX_Nowhere")
}

// An archive may give a role access to an info window that it brings; the other roles
// get theirs at the end.
func TestImportInfoWindow(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	const head = `<AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><IsActive>true</IsActive><EntityType>U</EntityType>`
	r := importXML(t, w, `<AD_InfoWindow type="table">`+head+`<AD_InfoWindow_UU>`+uuidA+`</AD_InfoWindow_UU><Name>Own Info</Name>`+
		`<AD_Table_ID reference="id">217</AD_Table_ID><FromClause>AD_Message a</FromClause><SeqNo>900</SeqNo>`+
		`<AD_InfoWindow_Access type="table"><AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><IsActive>true</IsActive><AD_InfoWindow_Access_UU>`+uuidB+`</AD_InfoWindow_Access_UU>`+
		`<AD_InfoWindow_ID reference="uuid" reference-key="AD_InfoWindow">`+uuidA+`</AD_InfoWindow_ID><AD_Role_ID reference="id">0</AD_Role_ID></AD_InfoWindow_Access></AD_InfoWindow>`)
	require.False(t, r.failed, r.summary)
	id := rows(t, w, "AD_InfoWindow", "AD_InfoWindow_UU eq '"+uuidA+"'")[0].(map[string]any)["id"]
	granted := rows(t, w, "AD_InfoWindow_Access", fmt.Sprintf("AD_InfoWindow_ID eq %.0f", id))
	roles := map[any]int{}
	for _, g := range granted {
		roles[fmt.Sprint(g.(map[string]any)["AD_Role_ID"])]++
	}
	assert.Len(t, roles, len(granted), "one row a role")
	assert.Len(t, rows(t, w, "AD_InfoWindow_Access", "AD_InfoWindow_Access_UU eq '"+uuidB+"'"), 1, "the archive's own row")
}

// Columns: never smaller, Yes-No and terms as on saving, the database follows.
func TestImportColumns(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	table := func(columns string) string {
		return `<AD_Table type="table"><AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><AD_Table_UU>` + uuidA + `</AD_Table_UU>` +
			`<TableName>XX_Col</TableName><Name>Col</Name><AccessLevel>7</AccessLevel><EntityType>U</EntityType><ReplicationType>L</ReplicationType>` +
			`<IsActive>Y</IsActive><IsView>N</IsView>` + columns + `</AD_Table>`
	}
	column := func(uuid, name, element string, ref, length int, extra string) string {
		return fmt.Sprintf(`<AD_Column type="table"><IsSyncDatabase>Y</IsSyncDatabase><AD_Table_ID reference="uuid" reference-key="AD_Table">%s</AD_Table_ID>`+
			`<AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><AD_Column_UU>%s</AD_Column_UU><ColumnName>%s</ColumnName><Name>x</Name>%s`+
			`<AD_Reference_ID reference="id">%d</AD_Reference_ID><FieldLength>%d</FieldLength><Version>0</Version><EntityType>U</EntityType><IsActive>Y</IsActive>%s</AD_Column>`,
			uuidA, uuid, name, element, ref, length, extra)
	}
	named := `<AD_Element_ID reference="id" reference-key="AD_Element">469</AD_Element_ID>`
	r := importXML(t, w, table(column(uuidB, "Name", named, 10, 60, "")+
		column(uuidC, "XX_Flag", "", 20, 1, "<IsMandatory>N</IsMandatory>")))
	require.False(t, r.failed, r.summary)
	get := func(uuid string) map[string]any {
		return rows(t, w, "AD_Column", "AD_Column_UU eq '"+uuid+"'")[0].(map[string]any)
	}
	assert.Equal(t, "Name", get(uuidB)["Name"], "the text of the term")
	assert.Equal(t, true, get(uuidC)["IsMandatory"])
	assert.Equal(t, "N", get(uuidC)["DefaultValue"])
	assert.Len(t, rows(t, w, "AD_Element", "ColumnName eq 'XX_Flag'"), 1, "made on the fly")

	r = importXML(t, w, table(column(uuidB, "Name", named, 10, 40, "")))
	require.False(t, r.failed, r.summary)
	assert.EqualValues(t, 60, get(uuidB)["FieldLength"], "a column never shrinks")
	r = importXML(t, w, table(column(uuidB, "Name", named, 10, 120, "")))
	require.False(t, r.failed, r.summary)
	assert.EqualValues(t, 120, get(uuidB)["FieldLength"])
	assert.Contains(t, strings.Join(r.logs, "\n"), "Sync XX_Col: ")
}

// Archives that attack are refused with a reason, and leave nothing.
func TestImportHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another")
	}
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	bomb := `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>`
	good := zipOf(t, [2]string{"p/dict/PackOut.xml", packHead + "</idempiere>"})
	cut, err := base64.StdEncoding.DecodeString(good)
	require.NoError(t, err)
	tests := []struct{ name, zip, want string }{
		{"path traversal", zipOf(t, [2]string{"p/../../../etc/cron.d/x", "x"}, [2]string{"p/dict/PackOut.xml", packHead + "</idempiere>"}), "leads out"},
		{"entities", zipOf(t, [2]string{"p/dict/PackOut.xml", strings.Replace(packHead, "<idempiere", bomb+"<idempiere", 1) + "&b;</idempiere>"}), "document type"},
		{"cut off", base64.StdEncoding.EncodeToString(cut[:len(cut)-30]), "cut off"},
		{"no zip", base64.StdEncoding.EncodeToString([]byte("hello")), "no zip"},
		{"zip bomb", zipOf(t, [2]string{"p/dict/PackOut.xml", packHead + strings.Repeat(" ", 130<<20)}), "more than is allowed"},
		{"other root", zipOf(t, [2]string{"p/dict/PackOut.xml", "<html/>"}), "not idempiere"},
		{"no description", zipOf(t, [2]string{"p/dict/PackOut.xml", `<idempiere Client="0-SYSTEM-System"/>`}), "Description"},
		{"no tenant", zipOf(t, [2]string{"p/dict/PackOut.xml", `<idempiere Description="" Client="SYSTEM"/>`}), "tenant's number"},
		{"archive of a tenant", zipOf(t, [2]string{"p/dict/PackOut.xml", `<idempiere Description="" Client="11-x-y"/>`}), "for a tenant"},
		{"deep", zipOf(t, [2]string{"p/dict/PackOut.xml", packHead + strings.Repeat(`<AD_Menu type="table">`, 5000)}), "deep"},
		{"blank in a number", zipOf(t, [2]string{"p/dict/PackOut.xml", packHead + `<AD_Tab type="table"><AD_Tab_UU>` + uuidA + `</AD_Tab_UU><SeqNo> 10</SeqNo></AD_Tab></idempiere>`}), "no whole number"},
		{"foreign id", zipOf(t, [2]string{"p/dict/PackOut.xml", packHead + `<AD_Tab type="table"><AD_Tab_UU>` + uuidA + `</AD_Tab_UU><AD_Window_ID reference="id">1000001</AD_Window_ID></AD_Tab></idempiere>`}), "no official id"},
		{"quotes", zipOf(t, [2]string{"p/dict/PackOut.xml", packHead + `<AD_User type="table"><AD_User_UU>' OR 1=1 --</AD_User_UU><Name>x</Name><Nope__>"</Nope__></AD_User></idempiere>`}), "Invalid UUID"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &writes{t, w.srv, w.token}
			r := importZip(t, w, tt.zip, "")
			require.True(t, r.failed, r.summary)
			assert.Contains(t, r.summary, tt.want)
			assert.Less(t, len(r.summary), 2000)
		})
	}
	t.Run("without a file", func(t *testing.T) {
		proc := idOf(t, w.create("AD_Package_Imp_Proc", `{"Name":"none","AD_Package_Source_Type":"File"}`))
		o := w.post("/processes/packin", fmt.Sprintf(`{"record-id":%d}`, proc)).object(t)
		assert.Equal(t, true, o["isError"])
		assert.Contains(t, o["summary"], "Attach exactly one file")
	})
	t.Run("without a record", func(t *testing.T) {
		for _, body := range []string{`{}`, `{"record-id":987654}`, `{"record-id":5,"model-name":"C_Order"}`} {
			o := w.post("/processes/packin", body).object(t)
			assert.Equal(t, true, o["isError"], body)
			assert.Contains(t, o["summary"], "AD_Package_Imp_Proc", body)
		}
	})
}

// A tenant imports its own records, and never another's.
func TestImportTenant(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	system, garden, fern := writeAs(t, srv, asSystem), writeAs(t, srv, asGardenAdmin), writeAs(t, srv, asFernAdmin)
	partner := `<C_BP_Group type="table"><C_BP_Group_UU>` + uuidA + `</C_BP_Group_UU><AD_Org_ID>0</AD_Org_ID><Value>%s</Value><Name>%s</Name><IsActive>Y</IsActive></C_BP_Group>`
	doc := func(client string, records string) string {
		return zipOf(t, [2]string{"p/dict/PackOut.xml", strings.Replace(packHead, "0-SYSTEM-System", client, 1) + records + "</idempiere>"})
	}
	r := importZip(t, garden, doc("0-SYSTEM-System", ""), "")
	require.True(t, r.failed)
	assert.Contains(t, r.summary, "for the System tenant")
	r = importZip(t, garden, doc("11-GardenWorld-GardenWorld", fmt.Sprintf(partner, "G", "Garden")), "")
	require.False(t, r.failed, r.summary)
	r = importZip(t, fern, doc("11-GardenWorld-GardenWorld", fmt.Sprintf(partner, "F", "Fern")), "")
	require.False(t, r.failed, r.summary)
	r = importZip(t, fern, doc("11-GardenWorld-GardenWorld", fmt.Sprintf(partner, "F", "Fern 2")), "")
	require.False(t, r.failed, r.summary)
	assert.Contains(t, r.summary, "0 new, 1 updated", "found under the UUID it got")
	assert.Equal(t, "Garden", rows(t, garden, "C_BP_Group", "C_BP_Group_UU eq '"+uuidA+"'")[0].(map[string]any)["Name"], "untouched by the other tenant")
	r = importZip(t, system, doc("0-SYSTEM-System", fmt.Sprintf(partner, "S", "System")), "")
	require.True(t, r.failed)
	assert.Contains(t, r.summary, "belongs to another tenant")
	r = importZip(t, garden, doc("11-x-y", `<AD_Table type="table"><AD_Table_UU>`+uuidB+`</AD_Table_UU><TableName>XX_T</TableName><Name>T</Name><AccessLevel>3</AccessLevel><EntityType>U</EntityType><ReplicationType>L</ReplicationType></AD_Table>`), "")
	require.True(t, r.failed, "a tenant's role may not write the dictionary")
	raw, err := json.Marshal(r.summary)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "may not write table AD_Table")
}

// Translations are read when the ERP is told to, for languages it has.
func TestImportTranslations(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := writeAs(t, srv, asSystem)
	languages := rows(t, w, "AD_Language", "IsSystemLanguage eq true and IsBaseLanguage eq false")
	require.NotEmpty(t, languages)
	language := fmt.Sprint(languages[0].(map[string]any)["AD_Language"])
	if m, ok := languages[0].(map[string]any)["AD_Language"].(map[string]any); ok {
		language = fmt.Sprint(m["id"])
	}
	trl := `<AD_Message_Trl type="translation"><MsgText>translated</MsgText><AD_Language>%s</AD_Language><IsActive>Y</IsActive><IsTranslated>Y</IsTranslated></AD_Message_Trl></AD_Message>`
	records := strings.Replace(fmt.Sprintf(message, uuidA, "XX_Trl", "text"), "</AD_Message>", fmt.Sprintf(trl, language), 1) +
		strings.Replace(fmt.Sprintf(message, uuidB, "XX_Trl2", "text"), "</AD_Message>", fmt.Sprintf(trl, "xx_XX"), 1)
	r := importXML(t, w, records)
	require.False(t, r.failed, r.summary)
	assert.Contains(t, r.summary, "2 skipped")
	require.NoError(t, srv.SetConfig(t.Context(), "2PACK_HANDLE_TRANSLATIONS", "Y"))
	r = importXML(t, w, records)
	require.False(t, r.failed, r.summary)
	assert.Contains(t, r.summary, "1 updated, 2 unchanged, 1 skipped")
	assert.Len(t, rows(t, w, "AD_Message_Trl", "MsgText eq 'translated'"), 1)
}

// Indexes of an archive are built; the process builds them as well, and says why
// when it cannot.
func TestImportIndexes(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w, garden := writeAs(t, srv, asSystem), writeAs(t, srv, asGardenAdmin)
	doc, err := os.ReadFile(filepath.Join(samplesFolder(t), "made-up-xx-demo-PackOut.xml"))
	require.NoError(t, err)
	index := `<AD_TableIndex type="table"><AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><AD_TableIndex_UU>` + uuidA + `</AD_TableIndex_UU>` +
		`<AD_Table_ID reference="uuid" reference-key="AD_Table">7b6c827c-476a-51dd-968e-e5a9847545f9</AD_Table_ID><Name>xx_demo_name</Name>` +
		`<IsUnique>Y</IsUnique><IsKey>N</IsKey><IsCreateConstraint>N</IsCreateConstraint><EntityType>XX</EntityType><IsActive>Y</IsActive>` +
		`<AD_IndexColumn type="table"><AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><AD_IndexColumn_UU>` + uuidB + `</AD_IndexColumn_UU>` +
		`<AD_TableIndex_ID reference="uuid" reference-key="AD_TableIndex">` + uuidA + `</AD_TableIndex_ID>` +
		`<AD_Column_ID reference="uuid" reference-key="AD_Column">be0282c7-c10b-51a6-b921-70fd5a04a8d6</AD_Column_ID><SeqNo>10</SeqNo>` +
		`<EntityType>XX</EntityType><IsActive>Y</IsActive></AD_IndexColumn></AD_TableIndex>`
	// In front of the table whose columns it needs.
	text := strings.Replace(string(doc), `  <AD_Table type="table">`, index+`<AD_Table type="table">`, 1)
	r := importZip(t, w, zipOf(t, [2]string{"demo/dict/PackOut.xml", text}), "")
	require.False(t, r.failed, r.summary)
	assert.Contains(t, strings.Join(r.logs, "\n"), `Index xx_demo_name: Created index successfully`)
	garden.create("XX_Demo", `{"Name":"one"}`)
	a := garden.post("/models/XX_Demo", `{"Name":"one"}`)
	assert.Equal(t, 500, a.status/100*100, a.body)
	assert.Contains(t, a.body, "Record already exists: Name")

	id := idOf(t, rows(t, w, "AD_TableIndex", "Name eq 'xx_demo_name'")[0])
	run := func(id int) map[string]any {
		return w.post("/processes/ad_tableindex-validate", fmt.Sprintf(`{"record-id":%d}`, id)).object(t)
	}
	w.change("AD_TableIndex", id, `{"IsUnique":false}`)
	made := run(id)
	assert.Equal(t, "Modified index successfully", made["summary"])
	assert.Equal(t, []any{
		map[string]any{"number": 0.0, "msg": "DROP INDEX xx_demo_name"},
		map[string]any{"number": 0.0, "msg": "CREATE INDEX xx_demo_name ON XX_Demo (Name)"},
	}, made["logs"])
	garden.create("XX_Demo", `{"Name":"one"}`)
	w.change("AD_TableIndex", id, `{"IsUnique":true}`)
	o := run(id)
	assert.Equal(t, true, o["isError"])
	assert.Contains(t, o["summary"], "some repeat its values")
	w.change("AD_TableIndex", id, `{"IsUnique":false,"IsCreateConstraint":true}`)
	assert.Contains(t, run(id)["summary"], "must be unique")
	w.change("AD_TableIndex", id, `{"IsCreateConstraint":false,"Name":"XX_Demo"}`)
	assert.Contains(t, run(id)["summary"], "is taken")
	assert.Contains(t, run(987654)["summary"], "there is no index")
	empty := idOf(t, w.create("AD_TableIndex", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"xx_empty","EntityType":"XX"}`,
		idOf(t, rows(t, w, "AD_Table", "TableName eq 'XX_Demo'")[0]))))
	assert.Contains(t, run(empty)["summary"], "No index columns specified")
}
