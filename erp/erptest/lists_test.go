package erptest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// Rules 9: forms and tasks.
func TestForms(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	a := o.get("/forms")
	forms := listOf(t, a.object(t), "forms")
	assert.Equal(t, fmt.Sprint(len(forms)), a.header.Get("X-Row-Count"))
	assert.ElementsMatch(t, []string{"id", "uid", "Name", "Description", "Classname", "EntityType", "model-name", "slug"}, names(forms[0]))
	for i := 1; i < len(forms); i++ {
		assert.Less(t, forms[i-1]["id"], forms[i]["id"])
	}
	assert.Equal(t, "generate-shipments-manual", forms[0]["slug"])
	assert.Empty(t, listOf(t, o.object("GET", "/forms?$filter=entityType%20neq%20'D'", ""), "forms"))
	assert.Len(t, listOf(t, o.as(asGardenUser).object("GET", "/forms", ""), "forms"), 1, "what the role was granted")
	want(t, o.get("/forms?$filter=x%20eq%201"), 400, `{"title":"GET Error","status":400,"detail":"Get forms with exception: Invalid column for filter: x"}`)
}

func TestTasks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC)
	o := operate(t, asGardenAdmin, erptest.Options{Clock: func() time.Time { return now }})
	tasks := listOf(t, o.object("GET", "/tasks", ""), "tasks")
	require.Len(t, tasks, 2)
	assert.Equal(t, "java-version", tasks[0]["slug"])
	assert.Equal(t, tasks[0], o.object("GET", "/tasks/java-version", ""))
	want(t, o.post("/tasks/show-date", `{"ignored":1}`), 200, `{"exitValue":0,"stdOut":"Mon Mar  9 08:00:00 UTC 2026\n","stdErr":""}`)
	assert.Contains(t, o.object("POST", "/tasks/java-version", "")["stdErr"], "openjdk")
	want(t, o.get("/tasks/nope"), 404, `{"title":"Invalid task name","status":404,"detail":"No match found for task name: nope"}`)
	want(t, o.post("/tasks/export-backup", "{}"), 403, `{"title":"Access denied","status":403,"detail":"Access denied for task: export-backup"}`)
	system := o.as(asSystem)
	result := system.object("POST", "/tasks/export-backup", "")
	assert.InDelta(t, 127, result["exitValue"], 0)
	assert.Contains(t, result["stdErr"], "backup.sh: command not found")
	// A command somebody writes into the dictionary runs nothing.
	a := system.post("/models/ad_task", `{"Name":"Evil","OS_Command":"touch /tmp/erptest-was-here; echo $(id)","AccessLevel":"7","EntityType":"U"}`)
	require.Equal(t, 201, a.status, a.body)
	assert.InDelta(t, 127, system.object("POST", "/tasks/evil", "")["exitValue"], 0)
	assert.NoFileExists(t, "/tmp/erptest-was-here")
	a = system.put(fmt.Sprintf("/models/ad_task/%d", idOf(t, a.object(t))), `{"OS_Command":"echo one  two"}`)
	require.Equal(t, 200, a.status, a.body)
	want(t, system.post("/tasks/evil", ""), 200, `{"exitValue":0,"stdOut":"one two\n","stdErr":""}`)
}

// Rules 10.2: references.
func TestReferences(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	list := o.object("GET", "/reference/319", "")
	assert.Equal(t, []any{map[string]any{"value": "N", "name": "No"}, map[string]any{"value": "Y", "name": "Yes"}}, list["reflist"])
	assert.Equal(t, "ad_reference", list["model-name"])
	assert.Equal(t, "L", list["ValidationType"].(map[string]any)["id"])
	assert.Equal(t, list, o.object("GET", "/reference/"+list["uid"].(string), ""))
	assert.Equal(t, list, o.object("GET", "/reference/_YesNo", ""))
	currencies := listOf(t, o.object("GET", "/reference/112", ""), "reftable")
	for _, c := range currencies {
		assert.ElementsMatch(t, []string{"id", "uid", "ISO_Code", "model-name"}, names(c))
		assert.NotEqual(t, "EUR", c["ISO_Code"], "the reference's own condition holds")
	}
	for _, u := range listOf(t, o.object("GET", "/reference/110", ""), "reftable") {
		assert.NotEqual(t, "FernAdmin", u["Name"], "no other tenant's rows")
	}
	want(t, o.get("/reference/_yesno"), 404, `{"title":"Invalid reference id","status":404,"detail":"No match found for AD_Reference_ID: _yesno"}`)
	want(t, o.get("/reference/10"), 501, `{"title":"References with data validation are not implemented.","status":501,"detail":"Not implemented AD_Reference_ID: 10"}`)
	assert.Equal(t, 404, o.get("/reference/-1").status, "a name")
	assert.True(t, o.get("/reference/99999999999").isContainerPage())
}

// Rules 13: the menu.
func TestMenuTree(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	menu := o.object("GET", "/menutree/10", "")
	assert.Equal(t, "Menu", menu["Name"])
	assert.Equal(t, "", menu["Description"])
	tree := o.object("GET", "/models/ad_tree/10", "")
	assert.Equal(t, menu, o.object("GET", "/menutree/"+tree["uid"].(string), ""))
	var leaves []string
	var walk func(list []map[string]any)
	walk = func(list []map[string]any) {
		for _, e := range list {
			if e["entries"] == nil {
				assert.Contains(t, e, "Action")
				leaves = append(leaves, e["Name"].(string))
				continue
			}
			assert.NotEmpty(t, e["entries"], "no empty folders")
			walk(listOf(t, e, "entries"))
		}
	}
	walk(listOf(t, menu, "entries"))
	assert.Contains(t, leaves, "Sales Order")
	assert.NotContains(t, leaves, "Initial Tenant Setup", "only System may")
	all := len(leaves)
	leaves = nil
	walk(listOf(t, o.as(asGardenUser).object("GET", "/menutree/10", ""), "entries"))
	assert.Contains(t, leaves, "Sales Order")
	assert.NotContains(t, leaves, "Role")
	assert.Less(t, len(leaves), all/2)
	for id, what := range map[string]string{
		"101": "a tree of organizations", "4711": "no tree", "x": "no number", "1000000": "another tenant's tree",
		"00000000-0000-0000-0000-000000000000": "no tree",
	} {
		a := o.get("/menutree/" + id)
		assert.Equal(t, 500, a.status, what)
		assert.Equal(t, "GET Error", a.text(t, "title"), what)
		assert.Contains(t, a.text(t, "detail"), "Get menu tree with exception: ", what)
	}
}

// An entry below what is not a folder stands at the end of the menu.
func TestMenuEntryWithoutFolder(t *testing.T) {
	t.Parallel()
	o := operate(t, asSystem)
	top := listOf(t, o.object("GET", "/menutree/10", ""), "entries")
	folder := top[0]
	inside := listOf(t, folder, "entries")
	a := o.put(fmt.Sprintf("/models/ad_menu/%d", idOf(t, folder)), `{"IsActive":false}`)
	require.Equal(t, 200, a.status, a.body)
	moved := listOf(t, o.object("GET", "/menutree/10", ""), "entries")
	require.Len(t, moved, len(top)-1+len(inside))
	assert.Equal(t, inside[0]["id"], moved[len(top)-1]["id"])
}

// Rules 11: info windows.
func TestInfoWindows(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	infos := listOf(t, o.object("GET", "/infos", ""), "infowindows")
	assert.Equal(t, "business-partner-info", infos[0]["slug"])
	assert.Contains(t, infos[0], "FromClause", "whole records")
	assert.Len(t, listOf(t, o.object("GET", "/infos?$filter=Name%20eq%20'Order%20Info'", ""), "infowindows"), 1)
	columns := listOf(t, o.object("GET", "/infos/business-partner-info/columns", ""), "infowindowcolumns")
	assert.Equal(t, "ad_infocolumn", columns[0]["model-name"])
	processes := listOf(t, o.object("GET", "/infos/business-partner-info/processes", ""), "infowindowprocesses")
	require.Len(t, processes, 1)
	process := o.object("GET", "/processes/"+processes[0]["slug"].(string), "")
	assert.InDelta(t, 334, process["id"], 0)
	relateds := listOf(t, o.object("GET", "/infos/business-partner-info/relateds", ""), "infowindowrelateds")
	assert.Equal(t, "order-info", relateds[0]["slug"])
	want(t, o.get("/infos/nope"), 404, `{"title":"Invalid info window name","status":404,"detail":"No match found for info window name: nope"}`)
	want(t, o.as(asGardenUser).get("/infos/order-info"), 403, `{"title":"Access denied","status":403,"detail":"Access denied for info window: order-info"}`)
}
