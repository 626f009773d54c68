package erptest_test

import (
	"archive/zip"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// Rules 7.1 and 7.2: which processes there are and how they are addressed.
func TestProcessDetail(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	list := s.get("/processes").object(t)["processes"].([]any)
	slugs := map[string]bool{}
	last := ""
	for _, v := range list {
		p := v.(map[string]any)
		slugs[p["slug"].(string)] = true
		assert.LessOrEqual(t, last, p["Value"].(string), "ordered by Value")
		last = p["Value"].(string)
		assert.Equal(t, "ad_process", p["model-name"])
		assert.NotContains(t, p, "AD_Client_ID")
	}
	for _, slug := range []string{"ad_column-sync", "ad_table_createcolumns", "createtable", "ad_table_createwindow", "ad_tab_createfields", "packin", "ad_sequence_check"} {
		assert.True(t, slugs[slug], slug)
	}
	filtered := s.get("/processes?$filter=Value%20eq%20'PackIn'").object(t)["processes"].([]any)
	require.Len(t, filtered, 1)
	bad := s.get("/processes?$filter=Nope%20eq%201")
	assert.Equal(t, 400, bad.status)
	assert.Equal(t, "GET Error", bad.text(t, "title"))
	assert.Contains(t, bad.text(t, "detail"), "Get process with exception: ")

	p := s.get("/processes/createtable").object(t)
	assert.InDelta(t, 200134, p["id"], 0)
	assert.Equal(t, "createtable", p["slug"])
	var names []string
	for _, v := range p["parameters"].([]any) {
		para := v.(map[string]any)
		names = append(names, para["parameterName"].(string))
		for _, hidden := range []string{"ColumnName", "FieldLength", "AD_Client_ID", "Created"} {
			assert.NotContains(t, para, hidden)
		}
	}
	assert.Equal(t, "TableName", names[0])

	for _, tc := range []struct {
		name, slug string
		status     int
		response   string
	}{
		{"unknown", "nope", 404, `{"title":"Invalid process name","status":404,"detail":"No match found for process name: nope"}`},
		{"not the search key", "AD_Column%20Sync", 404, `{"title":"Invalid process name","status":404,"detail":"No match found for process name: AD_Column Sync"}`},
		{"number by id", "181", 200, ""},
		{"number of the specification", "291", 200, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := s.get("/processes/" + tc.slug)
			assert.Equal(t, tc.status, a.status, a.body)
			if tc.response != "" {
				assert.Equal(t, tc.response, a.body)
			}
		})
	}

	g := writeAs(t, srv, asGardenAdmin)
	assert.Equal(t, `{"title":"Access denied","status":403,"detail":"Access denied for process: ad_column-sync"}`, g.get("/processes/ad_column-sync").body)
	assert.Equal(t, `{"title":"Access denied","status":403,"detail":"Access denied for process: ad_column-sync"}`, g.post("/processes/ad_column-sync", `{}`).body)

	strict := writeAs(t, erptest.New(t, erptest.Options{Strict: true}), asSystem)
	assert.Equal(t, 404, strict.get("/processes/181").status)
	assert.Equal(t, 404, strict.post("/processes/291", `{}`).status)
}

// The way from nothing to a table that works.
func TestTableFromNothing(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	table := idOf(t, s.create("AD_Table", `{"TableName":"XX_Test","Name":"Test","AccessLevel":"3","EntityType":"U"}`))
	g := writeAs(t, srv, asGardenAdmin)
	a := g.post("/models/XX_Test", `{"Name":"early"}`)
	assert.NotEqual(t, 201, a.status)
	assert.NotContains(t, a.body, "SQL")
	column := 0
	for _, c := range []string{
		`"ColumnName":"XX_Test_ID","AD_Reference_ID":13,"IsKey":true,"IsMandatory":true`,
		`"ColumnName":"XX_Test_UU","AD_Reference_ID":200231,"FieldLength":36`,
		`"ColumnName":"AD_Client_ID","AD_Reference_ID":19,"IsMandatory":true,"DefaultValue":"@#AD_Client_ID@"`,
		`"ColumnName":"AD_Org_ID","AD_Reference_ID":19,"IsMandatory":true,"DefaultValue":"@AD_Org_ID@"`,
		`"ColumnName":"IsActive","AD_Reference_ID":20,"FieldLength":1`,
		`"ColumnName":"Created","AD_Reference_ID":16,"IsMandatory":true,"DefaultValue":"SYSDATE"`,
		`"ColumnName":"CreatedBy","AD_Reference_ID":18,"AD_Reference_Value_ID":110,"IsMandatory":true`,
		`"ColumnName":"Updated","AD_Reference_ID":16,"IsMandatory":true,"DefaultValue":"SYSDATE"`,
		`"ColumnName":"UpdatedBy","AD_Reference_ID":18,"AD_Reference_Value_ID":110,"IsMandatory":true`,
		`"ColumnName":"Name","AD_Reference_ID":10,"FieldLength":60,"IsMandatory":true`,
		`"ColumnName":"XX_Kind","AD_Reference_ID":10,"FieldLength":9,"IsMandatory":true,"DefaultValue":"'plain'"`,
		`"ColumnName":"XX_When","AD_Reference_ID":15,"DefaultValue":"@#Date@"`,
		`"ColumnName":"XX_User_ID","AD_Reference_ID":18,"AD_Reference_Value_ID":110,"DefaultValue":"@#AD_User_ID@"`,
		`"ColumnName":"XX_Price","AD_Reference_ID":37,"DefaultValue":"1.50"`,
		`"ColumnName":"SeqNo","AD_Reference_ID":11,"DefaultValue":"@SQL=SELECT COALESCE(MAX(SeqNo),0)+10 AS DefaultValue FROM XX_Test WHERE AD_Org_ID=@AD_Org_ID@"`,
		`"ColumnName":"XX_Odd","AD_Reference_ID":10,"FieldLength":20,"DefaultValue":"@SQL=SELECT Password FROM AD_User WHERE 1=1"`,
		`"ColumnName":"XX_Many","AD_Reference_ID":10,"FieldLength":20,"DefaultValue":"@Nope@;@Name@;last"`,
	} {
		column = idOf(t, s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"n",%s}`, table, c)))
	}
	run := func(slug, body string) map[string]any {
		t.Helper()
		a := s.post("/processes/"+slug, body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		return a.object(t)
	}
	res := run("181", fmt.Sprintf(`{"record-id":%d}`, column))
	assert.Equal(t, false, res["isError"], res)
	assert.Equal(t, "181", res["process"])
	today := time.Now().UTC().Format(time.DateOnly)
	for i := 1; i <= 2; i++ {
		o := g.create("xx_test", `{"Name":"first"}`)
		assert.Equal(t, 1000000+i-1, idOf(t, o))
		assert.Equal(t, "plain", o["XX_Kind"])
		assert.Contains(t, []string{today, time.Now().UTC().Format(time.DateOnly)}, o["XX_When"])
		assert.Equal(t, 101, idOf(t, o["XX_User_ID"]))
		assert.InDelta(t, 1.5, o["XX_Price"], 0)
		assert.InDelta(t, 10*i, o["SeqNo"], 0)
		assert.NotContains(t, o, "XX_Odd", "statements of other forms are not run")
		assert.Equal(t, "first", o["XX_Many"], "the first alternative with a value")
	}
	assert.Equal(t, `{"title":"Validation error","status":400,"detail":"Fill mandatory fields: name"}`, g.post("/models/xx_test", `{}`).body)
	assert.InDelta(t, 2, g.get("/models/XX_Test").object(t)["row-count"], 0)

	more := idOf(t, s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"n","ColumnName":"XX_Late","AD_Reference_ID":10,"FieldLength":5,"DefaultValue":"x"}`, table)))
	assert.Equal(t, false, run("ad_column-sync", fmt.Sprintf(`{"record-id":%d,"model-name":"AD_Column"}`, more))["isError"])
	assert.Equal(t, "x", g.create("XX_Test", `{"Name":"third"}`)["XX_Late"])

	t.Run("the specification's number, with the table", func(t *testing.T) {
		s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"n","ColumnName":"XX_Later","AD_Reference_ID":10,"FieldLength":5}`, table))
		assert.Equal(t, false, run("291", fmt.Sprintf(`{"record-id":%d,"model-name":"AD_Table"}`, table))["isError"])
		assert.Equal(t, "y", g.create("XX_Test", `{"Name":"fourth","XX_Later":"y"}`)["XX_Later"])
	})
	t.Run("no record", func(t *testing.T) {
		res := run("ad_column-sync", `{}`)
		assert.Equal(t, true, res["isError"])
		assert.Equal(t, "No Column", res["summary"])
	})
	t.Run("no such column", func(t *testing.T) {
		assert.Equal(t, true, run("ad_column-sync", `{"record-id":99999999}`)["isError"])
	})
}

// Rules 7.3: the response of a run, and what is wrong with a request.
func TestRunProcess(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	a := s.post("/processes/cache-reset", `{}`)
	assert.Equal(t, `{"AD_PInstance_ID":1000000,"process":"cache-reset","summary":"Cache Reset","isError":false}`, a.body)
	instance := s.get("/models/AD_PInstance/1000000").object(t)
	assert.Equal(t, false, instance["IsProcessing"])
	assert.InDelta(t, 1, instance["Result"], 0)
	assert.Equal(t, 205, idOf(t, instance["AD_Process_ID"]))

	for _, tc := range []struct{ name, slug, body string }{
		{"empty body", "cache-reset", ``},
		{"array", "cache-reset", `[]`},
		{"bad record-id", "cache-reset", `{"record-id":"x"}`},
		{"bad parameter", "ad_role_accessupdate", `{"AD_Role_ID":"x","ResetAccess":"N"}`},
		{"bad date", "ad_column-sync", `{"DateFrom":"yesterday"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := s.post("/processes/"+tc.slug, tc.body)
			assert.Equal(t, 500, a.status)
			assert.True(t, a.isContainerPage(), a.body)
		})
	}
	a = s.post("/processes/packin", `{"record-id":5}`)
	assert.Equal(t, 200, a.status)
	assert.Contains(t, a.text(t, "summary"), "AD_Package_Imp_Proc")
	assert.Equal(t, true, a.object(t)["isError"])
	a = s.post("/processes/194", `{"record-id":5}`)
	assert.Contains(t, a.text(t, "summary"), "AD_Package_Imp_Proc")
	a = writeAs(t, srv, asGardenAdmin).post("/processes/c_rfq_create", `{"record-id":118}`)
	assert.Equal(t, "the embedded ERP has no program for org.compiere.process.RfQCreate", a.text(t, "summary"))
	paras := s.post("/processes/ad_role_accessupdate", `{"AD_Role_ID":102,"resetAccess":true,"unknown":1}`)
	require.Equal(t, false, paras.object(t)["isError"], paras.body)
	logs := paras.object(t)["logs"].([]any)
	assert.NotEmpty(t, logs[0].(map[string]any)["msg"])
	count := s.get(fmt.Sprintf("/models/AD_PInstance_Para?$filter=AD_PInstance_ID%%20eq%%20%.0f", paras.object(t)["AD_PInstance_ID"])).object(t)["row-count"]
	assert.InDelta(t, 2, count, 0)
}

// The processes that build dictionary objects: dictionary reference, section 7.
func TestDictionaryProcesses(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	run := func(slug, body string) map[string]any {
		t.Helper()
		a := s.post("/processes/"+slug, body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		o := a.object(t)
		require.Equal(t, false, o["isError"], a.body)
		return o
	}
	only := func(path string) map[string]any {
		t.Helper()
		records := s.get(path).object(t)["records"].([]any)
		require.Len(t, records, 1, path)
		return records[0].(map[string]any)
	}
	run("createtable", `{"TableName":"XX_Made","Name":"Made","AccessLevel":"3","EntityType":"U","IsCreateColName":true,"IsCreateColDocStatus":true}`)
	table := only("/models/AD_Table?$filter=TableName%20eq%20'XX_Made'")
	columns := s.get(fmt.Sprintf("/models/AD_Column?$filter=AD_Table_ID%%20eq%%20%d&$orderby=AD_Column_ID", idOf(t, table))).object(t)["records"].([]any)
	var names []string
	for _, c := range columns {
		names = append(names, c.(map[string]any)["ColumnName"].(string))
	}
	assert.Equal(t, []string{"XX_Made_ID", "AD_Client_ID", "AD_Org_ID", "Created", "CreatedBy", "IsActive", "Updated", "UpdatedBy", "XX_Made_UU", "Name", "DocStatus"}, names)
	run("ad_column-sync", fmt.Sprintf(`{"record-id":%d}`, idOf(t, columns[0])))
	made := writeAs(t, srv, asGardenAdmin).create("XX_Made", `{"Name":"n"}`)
	assert.Equal(t, "DR", made["DocStatus"].(map[string]any)["id"])

	require.Equal(t, 200, s.del(fmt.Sprintf("/models/AD_Column/%d", idOf(t, columns[10]))).status)
	assert.Equal(t, "#1", run("ad_table_createcolumns", fmt.Sprintf(`{"record-id":%d,"EntityType":"U","AllTables":false}`, idOf(t, table)))["summary"], "DocStatus is still in the database")

	run("ad_table_createwindow", fmt.Sprintf(`{"record-id":%d,"IsNewWindow":true,"WindowType":"M","IsCreateMenu":true}`, idOf(t, table)))
	window := only("/models/AD_Window?$filter=Name%20eq%20'Made'")
	tab := only(fmt.Sprintf("/models/AD_Tab?$filter=AD_Window_ID%%20eq%%20%d", idOf(t, window)))
	assert.Equal(t, "XX_Made.Name", tab["OrderByClause"])
	assert.Equal(t, idOf(t, window), idOf(t, s.get(fmt.Sprintf("/models/AD_Table/%d", idOf(t, table))).object(t)["AD_Window_ID"]))
	only(fmt.Sprintf("/models/AD_Menu?$filter=AD_Window_ID%%20eq%%20%d", idOf(t, window)))
	fields := s.get(fmt.Sprintf("/models/AD_Field?$filter=AD_Tab_ID%%20eq%%20%d&$orderby=SeqNo", idOf(t, tab))).object(t)["records"].([]any)
	require.Len(t, fields, 7, "none for the stamps")
	assert.Equal(t, "Tenant", fields[0].(map[string]any)["Name"])
	assert.Equal(t, "Active", fields[4].(map[string]any)["Name"], "the active flag is the last that is shown")

	s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"n","ColumnName":"Help","AD_Reference_ID":14,"FieldLength":2000}`, idOf(t, table)))
	assert.Equal(t, "Created #1", run("ad_tab_createfields", fmt.Sprintf(`{"record-id":%d}`, idOf(t, tab)))["summary"])

	empty := idOf(t, s.create("AD_Table", `{"TableName":"XX_Copy","Name":"Copy"}`))
	run("ad_table_copycolumnsfromtable", fmt.Sprintf(`{"record-id":%d,"AD_Table_ID":%d}`, empty, idOf(t, table)))
	only(fmt.Sprintf("/models/AD_Column?$filter=AD_Table_ID%%20eq%%20%d%%20and%%20ColumnName%%20eq%%20'XX_Copy_ID'", empty))

	run("ad_sequence_check", `{}`)
	run("uuidgenerator", `{"IsFillUUID":true,"IsClearUUID":false}`)
	run("ad_synchronize", `{}`)
}

// Rules 7.4: jobs, and 7.3: nothing runs twice at once.
func TestJobs(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	found := s.get("/models/AD_Message?$filter=Value%20eq%20'BackgroundJob'").object(t)["row-count"].(float64)
	if found == 0 {
		s.create("AD_Message", `{"Value":"BackgroundJob","MsgText":"Background job","MsgType":"I","EntityType":"U"}`)
	}
	a := s.post("/processes/jobs/ad_sequence_check", `{"notification-type":"N"}`)
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, []string{"id", "client", "user", "process", "since", "processing"}, memberNames(t, a.body))
	job := a.object(t)
	assert.Equal(t, "System", job["client"])
	assert.Equal(t, "SuperUser", job["user"])
	assert.Equal(t, "ad_sequence_check", job["process"])
	assert.Equal(t, true, job["processing"])
	assert.Len(t, s.get("/processes/jobs").object(t)["jobs"], 1)
	conflict := s.post("/processes/ad_sequence_check", `{}`)
	assert.Equal(t, 409, conflict.status)
	assert.Equal(t, "ad_sequence_check", conflict.text(t, "detail"))
	assert.Equal(t, 409, s.post("/processes/jobs/ad_sequence_check", `{}`).status)
	assert.Equal(t, 404, writeAs(t, srv, asGardenAdmin).get(fmt.Sprintf("/processes/jobs/%.0f", job["id"])).status, "another tenant's")

	require.Eventually(t, func() bool {
		return s.get(fmt.Sprintf("/processes/jobs/%.0f", job["id"])).object(t)["processing"] == false
	}, 20*time.Second, 50*time.Millisecond)
	assert.Equal(t, `{"jobs":[]}`, s.get("/processes/jobs").body)
	notes := s.get(fmt.Sprintf("/models/AD_Note?$filter=Record_ID%%20eq%%20%.0f", job["id"])).object(t)["records"].([]any)
	require.Len(t, notes, 1)
	assert.Contains(t, notes[0].(map[string]any)["TextMsg"], "Sequence Check\n")
	assert.InDelta(t, 1, s.get(fmt.Sprintf("/models/AD_PInstance/%.0f", job["id"])).object(t)["Result"], 0)
	assert.Equal(t, 200, s.post("/processes/ad_sequence_check", `{}`).status, "free again")
	assert.Equal(t, `{"title":"Job not found","status":404,"detail":"No job found matching id 5"}`, s.get("/processes/jobs/5").body)
	assert.True(t, s.get("/processes/jobs/x").isContainerPage())
	assert.Equal(t, 404, s.post("/processes/jobs/nope", `{}`).status)
	assert.Equal(t, 405, s.post("/processes/jobs", `{}`).status)
}

// Rules 7.3: what reports give.
func TestReports(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := writeAs(t, srv, asGardenAdmin)
	run := func(body string) map[string]any {
		t.Helper()
		a := w.post("/processes/rpt-c_order", body)
		require.Equal(t, 200, a.status, a.body)
		return a.object(t)
	}
	content := func(o map[string]any, member string) string {
		t.Helper()
		data, err := base64.StdEncoding.DecodeString(o[member].(string))
		require.NoError(t, err)
		assert.InDelta(t, len(data), o[member+"Length"], 0)
		return string(data)
	}
	o := run(`{}`)
	assert.Equal(t, false, o["isError"], o)
	pdf := content(o, "reportFile")
	assert.True(t, strings.HasPrefix(pdf, "%PDF-1.4"))
	assert.Equal(t, "OrderPrint.pdf", o["reportFileName"])
	rows := int(w.get("/models/C_Order").object(t)["row-count"].(float64))
	assert.Equal(t, fmt.Sprintf("Report: %d rows", rows), o["summary"])

	lines, err := csv.NewReader(strings.NewReader(content(run(`{"report-type":"CSV"}`), "exportFile"))).ReadAll()
	require.NoError(t, err)
	assert.Len(t, lines, rows+1)
	assert.Contains(t, content(run(`{"report-type":"HTML"}`), "exportFile"), "<table>")
	sheet := content(run(`{"report-type":"XLSX"}`), "exportFile")
	_, err = zip.NewReader(strings.NewReader(sheet), int64(len(sheet)))
	require.NoError(t, err)
	xls := run(`{"report-type":"XLS"}`)
	assert.Equal(t, true, xls["isError"])

	order := w.get("/models/C_Order?$top=1&$orderby=C_Order_ID").object(t)["records"].([]any)[0].(map[string]any)
	one := content(run(fmt.Sprintf(`{"record-id":%d,"model-name":"C_Order","report-type":"CSV"}`, idOf(t, order))), "exportFile")
	assert.Contains(t, one, order["DocumentNo"])
	none := run(`{"record-id":99999,"model-name":"C_Order"}`)
	assert.Equal(t, true, none["isError"])
	assert.Equal(t, "No record found matching id: 99999", none["summary"])
}

// Rules 5.10.
func TestPrint(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	w := writeAs(t, srv, asGardenAdmin)
	id := idOf(t, w.get("/models/C_Order?$top=1&$orderby=C_Order_ID&$filter=IsSOTrx%20eq%20true").object(t)["records"].([]any)[0])
	tab := s.get("/models/AD_Tab?$filter=AD_Window_ID%20eq%20143&$orderby=SeqNo&$top=1").object(t)["records"].([]any)[0]
	s.change("AD_Tab", idOf(t, tab), `{"AD_Process_ID":-1}`)
	path := fmt.Sprintf("/models/C_Order/%d/print", id)
	assert.Equal(t, "No print process", w.get(path).text(t, "title"))
	s.change("AD_Tab", idOf(t, tab), `{"AD_Process_ID":110}`)
	a := w.get(path)
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, []string{"AD_PInstance_ID", "process", "summary", "isError", "reportFile", "reportFileName", "reportFileLength"}, memberNames(t, a.body))
	assert.Equal(t, "rpt-c_order", a.text(t, "process"))
	assert.Contains(t, memberNames(t, w.get(path+"?$report_type=CSV").body), "exportFile")
	assert.Equal(t, 404, w.get("/models/C_Order/99999/print").status)
	assert.True(t, w.get("/models/C_Order/x/print").isContainerPage())
	types := typesTable(t, srv)
	require.NotZero(t, types)
	made := w.create("XX_Types", `{"Name":"a"}`)
	assert.Equal(t, "Window not found", w.get(fmt.Sprintf("/models/XX_Types/%d/print", idOf(t, made))).text(t, "title"))
}

// A process that fails leaves nothing behind but its instance.
func TestProcessRollback(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	s := writeAs(t, srv, asSystem)
	table := idOf(t, s.create("AD_Table", `{"TableName":"XX_Bad","Name":"Bad"}`))
	s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"n","ColumnName":"XX_Other","AD_Reference_ID":13,"IsKey":true}`, table))
	a := s.post("/processes/createtable", `{"TableName":"XX_Bad","Name":"Bad","AccessLevel":"3","EntityType":"U","IsCreateKeyColumn":true}`)
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, true, a.object(t)["isError"], "the table has a key already")
	assert.Equal(t, "Error: The table has already a key column, there can be just one key.", a.text(t, "summary"))
	assert.InDelta(t, 0, s.get("/models/AD_Element?$filter=ColumnName%20eq%20'XX_Bad_ID'").object(t)["row-count"], 0)
	instance := s.get(fmt.Sprintf("/models/AD_PInstance/%.0f", a.object(t)["AD_PInstance_ID"])).object(t)
	assert.InDelta(t, 0, instance["Result"], 0)
}

// Reports on database views show the rows of the table behind them.
func TestReportOnView(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asGardenAdmin)
	rows := func(body string) float64 {
		t.Helper()
		a := w.post("/processes/rv_orderdetail", body)
		require.Equal(t, 200, a.status, a.body)
		o := a.object(t)
		require.Equal(t, false, o["isError"], a.body)
		var n float64
		_, err := fmt.Sscanf(o["summary"].(string), "Report: %g rows", &n)
		require.NoError(t, err)
		return n
	}
	one := rows(`{"C_BPartner_ID":"117"}`)
	other := rows(`{"C_BPartner_ID":"118"}`)
	assert.Positive(t, one)
	assert.Positive(t, other)
	assert.InDelta(t, one+other, rows(`{"C_BPartner_ID":"117,118"}`), 0)
	assert.Less(t, rows(`{"C_BPartner_ID":"117,118","DateOrdered":"2024-01-01","DateOrdered_to":"2024-02-29"}`), one+other)
	assert.InDelta(t, 0, rows(`{"C_BPartner_ID":"117 OR 1=1"}`), 0)
}
