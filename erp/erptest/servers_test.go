package erptest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

func TestServerJobs(t *testing.T) {
	t.Parallel()
	clock := newClock()
	o := operate(t, asSystem, erptest.Options{Clock: clock.Now})
	const list = `{"servers":[{"id":"RequestProcessor100","name":"Request Processor","started":true},` +
		`{"id":"WorkflowProcessor100","name":"Workflow Processor","started":true},` +
		`{"id":"Scheduler100","name":"Check Sequences","started":true},` +
		`{"id":"Scheduler101","name":"Sales Report","started":true},` +
		`{"id":"Scheduler1000000","name":"Sales Report","started":true}]}`
	want(t, o.get("/servers"), http.StatusOK, list)
	want(t, o.get("/servers/Scheduler100"), http.StatusOK,
		`{"id":"Scheduler100","name":"Check Sequences","description":"Looks after the sequences at night","lastRun":"Sep 1, 2024, 12:00:00 AM UTC",`+
			`"info":"#0","nextRun":"Sep 2, 2024, 12:00:00 AM UTC","statistics":"Run #0 - Last=0 ms","started":true,"sleeping":true,"interruptd":false}`)

	t.Run("toggle", func(t *testing.T) {
		off := o.object(http.MethodPost, "/servers/Scheduler101/state", "")
		assert.Equal(t, []any{false, false, true}, []any{off["started"], off["sleeping"], off["interruptd"]})
		assert.Equal(t, false, o.object(http.MethodGet, "/servers/Scheduler101", "")["started"])
		on := o.object(http.MethodPost, "/servers/Scheduler101/state", "")
		assert.Equal(t, []any{true, true, false}, []any{on["started"], on["sleeping"], on["interruptd"]})
	})
	t.Run("run a scheduler", func(t *testing.T) {
		logs := func() []any {
			return o.object(http.MethodGet, "/servers/Scheduler100/logs", "")["logs"].([]any)
		}
		assert.Equal(t, map[string]any{
			"created": "Sep 1, 2024, 2:00:04 AM UTC", "summary": "Sequences checked", "reference": "#2", "error": false,
		}, logs()[0], "newest first")
		ran := o.object(http.MethodPost, "/servers/Scheduler100/run", "")
		assert.Equal(t, "Mar 9, 2026, 8:00:00 AM UTC", ran["lastRun"])
		assert.Equal(t, "Mar 10, 2026, 2:00:00 AM UTC", ran["nextRun"], "every night at two")
		assert.Contains(t, ran["info"], "Sequence Check")
		line := logs()[0].(map[string]any)
		assert.Equal(t, "Mar 9, 2026, 8:00:00 AM UTC", line["created"])
		assert.Equal(t, "#1", line["reference"])
		assert.Equal(t, false, line["error"], line)
		assert.Contains(t, line["summary"], "Sequence Check")
		assert.Len(t, logs(), 1, "lines older than the scheduler keeps them are gone")
		record := o.object(http.MethodGet, "/models/AD_Scheduler/100", "")
		assert.Equal(t, "2026-03-09T08:00:00Z", record["DateLastRun"])
		assert.Equal(t, "2026-03-10T02:00:00Z", record["DateNextRun"])
		instance := o.object(http.MethodGet, "/models/AD_PInstance?$filter=AD_Process_ID%20eq%20258&$orderby=AD_PInstance_ID%20desc", "")
		assert.NotEmpty(t, instance["records"], "the process really ran")
	})
	t.Run("run another one", func(t *testing.T) {
		want(t, o.get("/servers/WorkflowProcessor100/logs"), http.StatusOK, `{"logs":[]}`)
		o.object(http.MethodPost, "/servers/WorkflowProcessor100/run", "")
		o.object(http.MethodPost, "/servers/RequestProcessor100/run", "")
		want(t, o.get("/servers/WorkflowProcessor100/logs"), http.StatusOK,
			`{"logs":[{"created":"Mar 9, 2026, 8:00:00 AM UTC","summary":"5 activities wait","reference":"#1","error":false}]}`)
	})
	t.Run("unknown", func(t *testing.T) {
		for _, a := range []response{
			o.get("/servers/Scheduler5"), o.get("/servers/Scheduler5/logs"), o.post("/servers/Scheduler5/state", ""), o.post("/servers/Scheduler5/run", ""),
		} {
			want(t, a, http.StatusNotFound, `{"title":"Invalid server Id","status":404,"detail":"No match found for server id: Scheduler5"}`)
		}
		assert.Equal(t, http.StatusMethodNotAllowed, o.get("/servers/reload").status, "the path decides, not the verb")
	})
	t.Run("reload", func(t *testing.T) {
		require.Equal(t, http.StatusOK, o.post("/servers/Scheduler101/state", "").status)
		require.Equal(t, http.StatusOK, o.del("/servers/schedulers/100").status)
		want(t, o.post("/servers/reload", ""), http.StatusOK, list)
		assert.Equal(t, "#0", o.object(http.MethodGet, "/servers/Scheduler100", "")["info"])
	})
}

func TestSchedulerThatFails(t *testing.T) {
	t.Parallel()
	clock := newClock()
	o := operate(t, asGardenSuper, erptest.Options{Clock: clock.Now})
	admin := o.as(asGardenAdmin)
	id := admin.post("/models/AD_Scheduler", `{"Name":"Nothing to run","AD_Process_ID":118,"AD_Schedule_ID":200002,"Supervisor_ID":101,"KeepLogDays":1}`)
	require.Equal(t, http.StatusCreated, id.status, id.body)
	nobody := admin.post("/models/AD_Scheduler", `{"Name":"Nobody","AD_Process_ID":110,"AD_Schedule_ID":200002,"Supervisor_ID":105,"KeepLogDays":1}`)
	require.Equal(t, http.StatusCreated, nobody.status, nobody.body)
	forbidden := admin.post("/models/AD_Scheduler", `{"Name":"Not for tenants","AD_Process_ID":258,"AD_Schedule_ID":200002,"Supervisor_ID":101,"KeepLogDays":1}`)
	require.Equal(t, http.StatusCreated, forbidden.status, forbidden.body)
	report := admin.post("/models/AD_Scheduler", `{"Name":"Orders","AD_Process_ID":110,"AD_Schedule_ID":200002,"Supervisor_ID":101,"KeepLogDays":1,"ReportOutputType":"CSV"}`)
	require.Equal(t, http.StatusCreated, report.status, report.body)
	require.Equal(t, http.StatusOK, o.post("/servers/reload", "").status)
	run := func(a response) map[string]any {
		t.Helper()
		server := "/servers/Scheduler" + numberText(a.object(t)["id"])
		o.object(http.MethodPost, server+"/run", "")
		return o.object(http.MethodGet, server+"/logs", "")["logs"].([]any)[0].(map[string]any)
	}
	line := run(id)
	assert.Equal(t, true, line["error"])
	assert.Contains(t, line["summary"], "NotFound Warehouse", "the parameter it needs")
	line = run(nobody)
	assert.Equal(t, true, line["error"])
	assert.Equal(t, "The supervisor (user 105) has no role in tenant 11", line["summary"])
	line = run(forbidden)
	assert.Equal(t, true, line["error"])
	assert.Equal(t, "The supervisor may not run the process AD_Sequence_Check", line["summary"])
	line = run(report)
	assert.Equal(t, false, line["error"], line)
	a := o.get("/files?fileName=/tmp/OrderPrint.csv&length=1")
	assert.Equal(t, http.StatusForbidden, a.status, "the report is there, with another length: %s", a.body)

	require.Equal(t, http.StatusOK, admin.del("/models/AD_Scheduler/"+numberText(report.object(t)["id"])).status)
	server := "/servers/Scheduler" + numberText(report.object(t)["id"])
	assert.Equal(t, "#2 There is no scheduler "+numberText(report.object(t)["id"])+" any more", o.object(http.MethodPost, server+"/run", "")["info"])
}

func TestWhoManagesServerJobs(t *testing.T) {
	t.Parallel()
	o := operate(t, asSystem)
	admin, user, fern := o.as(asGardenAdmin), o.as(asGardenUser), o.as(asFernAdmin)
	denied := func(request string) string {
		return `{"title":"Access denied","status":403,"detail":"Access denied for ` + request + `"}`
	}
	for path, request := range map[string]string{
		"/servers": "get servers request: ", "/servers/Scheduler101": "get server request: Scheduler101",
		"/servers/Scheduler101/logs": "get server logs request: Scheduler101",
	} {
		want(t, admin.get(path), http.StatusForbidden, denied(request))
	}
	want(t, admin.post("/servers/reload", ""), http.StatusForbidden, denied("reload servers request: "))

	started := func() any { return o.object(http.MethodGet, "/servers/Scheduler101", "")["started"] }
	want(t, admin.post("/servers/Scheduler101/state", ""), http.StatusForbidden, denied("get server request: Scheduler101"))
	assert.Equal(t, false, started(), "the state changed, only the response is refused")
	want(t, admin.post("/servers/Scheduler101/run", ""), http.StatusForbidden, denied("get server request: Scheduler101"))
	assert.Contains(t, o.object(http.MethodGet, "/servers/Scheduler101", "")["info"], "#1")

	want(t, user.post("/servers/Scheduler101/state", ""), http.StatusForbidden, denied("change server state request: Scheduler101"))
	assert.Equal(t, false, started(), "the role does not have the window of schedulers")
	want(t, admin.post("/servers/Scheduler100/state", ""), http.StatusForbidden, denied("change server state request: Scheduler100"))
	want(t, admin.post("/servers/WorkflowProcessor100/run", ""), http.StatusForbidden, denied("run now request: WorkflowProcessor100"))
	want(t, fern.post("/servers/Scheduler101/state", ""), http.StatusForbidden, denied("change server state request: Scheduler101"))
	assert.Equal(t, false, started(), "another tenant's")
}

func TestSchedulers(t *testing.T) {
	t.Parallel()
	clock := newClock()
	o := operate(t, asSystem, erptest.Options{Clock: clock.Now})
	one := o.object(http.MethodGet, "/servers/schedulers/100", "")
	assert.Equal(t, []any{100.0, "Check Sequences", "ad_scheduler", "Scheduler100", "Scheduler Started"},
		[]any{one["id"], one["Name"], one["model-name"], one["server-id"], one["scheduler-state"]})

	a := o.post("/servers/schedulers/100", "")
	assert.NotContains(t, one, "SchedulerState", "the real server has no converter for its type")
	assert.Equal(t, http.StatusConflict, a.status)
	assert.Equal(t, one, a.object(t), "the scheduler, not an error")
	assert.Equal(t, "Not Schedule", o.object(http.MethodDelete, "/servers/schedulers/100", "")["scheduler-state"])
	assert.Equal(t, http.StatusNotFound, o.get("/servers/Scheduler100").status)
	assert.Equal(t, "Not Schedule", o.object(http.MethodGet, "/servers/schedulers/100", "")["scheduler-state"], "the record stays")
	a = o.post("/servers/schedulers/100", "")
	assert.Equal(t, http.StatusCreated, a.status, a.body)
	assert.Equal(t, "Scheduler Started", a.object(t)["scheduler-state"])
	require.Equal(t, http.StatusOK, o.post("/servers/Scheduler100/state", "").status)
	assert.Equal(t, "Scheduler Stopped", o.object(http.MethodGet, "/servers/schedulers/100", "")["scheduler-state"])

	garden, fern, user := o.as(asGardenAdmin), o.as(asFernAdmin), o.as(asGardenUser)
	a = garden.post("/servers/schedulers/102", "")
	assert.Equal(t, http.StatusCreated, a.status, a.body)
	clock.Advance(time.Minute)
	assert.Equal(t, http.StatusOK, o.get("/servers/schedulers/102").status, "the system reaches all tenants")
	want(t, fern.get("/servers/schedulers/102"), http.StatusForbidden, `{"title":"Access denied","status":403,"detail":"Access denied for get scheduler request: 102"}`)
	want(t, fern.del("/servers/schedulers/102"), http.StatusForbidden, `{"title":"Access denied","status":403,"detail":"Access denied for remove scheduler request: Scheduler102"}`)
	want(t, fern.post("/servers/schedulers/5", ""), http.StatusNotFound, `{"title":"Invalid scheduler Id","status":404,"detail":"No match found for scheduler id: 5"}`)
	assert.Equal(t, http.StatusOK, o.as(asGardenSuper).get("/servers/schedulers/102").status)
	want(t, user.get("/servers/schedulers/102"), http.StatusForbidden, `{"title":"Access denied","status":403,"detail":"Access denied for get scheduler request: 102"}`)
	assert.Equal(t, http.StatusForbidden, garden.del("/servers/schedulers/100").status, "the system's")
	for _, id := range []string{"0", "-1"} {
		want(t, o.get("/servers/schedulers/"+id), http.StatusBadRequest, `{"title":"Invalid scheduler id","status":400,"detail":"Invalid scheduler id: `+id+`"}`)
	}
	a = o.get("/servers/schedulers/abc")
	assert.Equal(t, http.StatusNotFound, a.status)
	assert.True(t, a.isContainerPage())
}
