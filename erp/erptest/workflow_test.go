package erptest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// activities are the ids of the activities a list has, in order.
func (o *operator) activities(path string) []int {
	o.t.Helper()
	list := o.object(http.MethodGet, path, "")
	ids := []int{}
	for _, one := range list["nodes"].([]any) {
		ids = append(ids, idOf(o.t, one))
	}
	require.InDelta(o.t, len(ids), list["row-count"], 0)
	return ids
}

// code is the value of a list column of a record.
func (o *operator) code(path, column string) any {
	o.t.Helper()
	v := o.object(http.MethodGet, path, "")[column]
	if m, ok := v.(map[string]any); ok {
		return m["id"]
	}
	return v
}

func TestPendingActivities(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	assert.Equal(t, []int{101, 100, 105, 104}, o.activities("/workflow"), "highest priority first")
	nodes := o.object(http.MethodGet, "/workflow", "")["nodes"].([]any)
	first := nodes[1].(map[string]any)
	uid, history := first["uid"].(string), first["history-records"].(string)
	assert.Regexp(t, `^[0-9a-f-]{36}$`, uid)
	assert.Equal(t, "<p>Jul 15, 2024, 9:00:00 AM UTC <b>(Start)</b>: </p><p>Jul 15, 2024, 9:00:01 AM UTC <b>Approve order</b>: <i>Waits for approval</i></p>", history)
	delete(first, "uid")
	delete(first, "history-records")
	assert.Equal(t, map[string]any{
		"id": 100.0, "model-name": "ad_wf_activity", "node-name": "Approve order", "priority": 5.0, "summary": "Order 80017: Joe Sales Joe Block ",
		"node-description": "Somebody must approve the order", "node-help": "Look at the total and the credit limit",
		"table-name": "C_Order", "ad_table_id": 259.0, "record_id": 117.0, "node-approval": true, "node-confirmation": false,
		"created": "2024-01-01T00:00:00Z",
	}, first)
	confirm, choose := nodes[2].(map[string]any), nodes[3].(map[string]any)
	assert.Equal(t, []any{false, true, false, false},
		[]any{confirm["node-approval"], confirm["node-confirmation"], choose["node-approval"], choose["node-confirmation"]})
	assert.NotContains(t, confirm, "history-records", "nothing happened yet")

	t.Run("of others", func(t *testing.T) {
		assert.Equal(t, []int{101, 100, 102, 105, 104}, o.activities("/workflow/103"), "his own and those of his role")
		user := o.object(http.MethodGet, "/models/AD_User/103", "")
		assert.Equal(t, []int{101, 100, 102, 105, 104}, o.activities("/workflow/"+user["uid"].(string)))
		assert.Equal(t, []int{}, o.activities("/workflow/102"))
		assert.Equal(t, []int{101, 100, 105, 104}, o.activities("/workflow/100"), "SuperUser has the role")
		for _, unknown := range []string{"999999", "1000000", "6f2d8c0e-8b1f-5a54-9e0b-3d2a4c51e7aa"} {
			want(t, o.get("/workflow/"+unknown), http.StatusBadRequest, `{"title":"User not found","status":400,"detail":"No user found matching id `+unknown+`"}`)
		}
		a := o.get("/workflow/joe")
		assert.Equal(t, http.StatusInternalServerError, a.status)
		assert.True(t, a.isContainerPage())
	})
	t.Run("of other tenants", func(t *testing.T) {
		assert.Equal(t, []int{}, o.as(asFernAdmin).activities("/workflow"))
		assert.Equal(t, []int{}, o.as(asFernAdmin).activities("/workflow/100"))
		assert.Equal(t, []int{}, o.as(asSystem).activities("/workflow"))
	})
}

func TestApprove(t *testing.T) {
	t.Parallel()
	clock := newClock()
	o := operate(t, asGardenAdmin, erptest.Options{Clock: clock.Now})
	require.Equal(t, "IP", o.code("/models/C_Order/117", "DocStatus"))
	clock.Advance(time.Minute)
	answer := o.object(http.MethodPut, "/workflow/approve/100", `{"message":"fine <by> me"}`)
	assert.Equal(t, []any{"Updated", "Order 80017: Joe Sales Joe Block "}, []any{answer["msg"], answer["summary"]})
	assert.Contains(t, answer["history-records"], "<b>Approve order</b>: <i>IsApproved=Y - fine <by> me</i></p>", "as it came: the caller cleans it")

	order := o.object(http.MethodGet, "/models/C_Order/117", "")
	assert.Equal(t, true, order["IsApproved"])
	assert.Equal(t, "AP", order["DocStatus"].(map[string]any)["id"])
	done := o.object(http.MethodGet, "/models/AD_WF_Activity/100", "")
	assert.Equal(t, []any{true, "IsApproved=Y - fine <by> me", "CC"}, []any{done["Processed"], done["TextMsg"], done["WFState"].(map[string]any)["id"]})
	results := o.object(http.MethodGet, "/models/AD_WF_ActivityResult?$filter=AD_WF_Activity_ID%20eq%20100", "")["records"].([]any)
	require.Len(t, results, 1)
	assert.Equal(t, []any{"IsApproved", "Y"}, []any{results[0].(map[string]any)["AttributeName"], results[0].(map[string]any)["AttributeValue"]})

	next := o.activities("/workflow/103")
	require.Len(t, next, 5, "the next step waits for its responsible: %v", next)
	created := o.object(http.MethodGet, "/models/AD_WF_Activity?$filter=AD_WF_Process_ID%20eq%20100%20and%20Processed%20eq%20false", "")["records"].([]any)
	require.Len(t, created, 1)
	step := created[0].(map[string]any)
	assert.Equal(t, []any{202.0, 103.0, 117.0}, []any{step["AD_WF_Node_ID"].(map[string]any)["id"], step["AD_User_ID"].(map[string]any)["id"], step["Record_ID"]})
	assert.Equal(t, "OS", o.code("/models/AD_WF_Process/100", "WFState"))

	want(t, o.put("/workflow/approve/100", `{}`), http.StatusBadRequest, `{"title":"The current User cannot action this Activity","status":400}`)
}

func TestReject(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	a := o.send(http.MethodPut, "/workflow/reject/101", "")
	require.Equal(t, http.StatusOK, a.status, "the body may be missing: %s", a.body)
	order := o.object(http.MethodGet, "/models/C_Order/118", "")
	assert.Equal(t, []any{false, "NA"}, []any{order["IsApproved"], order["DocStatus"].(map[string]any)["id"]})
	for _, path := range []string{"/models/AD_WF_Activity/101", "/models/AD_WF_Activity/102", "/models/AD_WF_Process/101"} {
		assert.Equal(t, "CA", o.code(path, "WFState"), path)
		assert.Equal(t, true, o.object(http.MethodGet, path, "")["Processed"], path)
	}
	assert.Equal(t, []int{100, 105, 104}, o.activities("/workflow"))
}

func TestChoicesAndAcknowledgment(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	require.Equal(t, http.StatusOK, o.put("/workflow/setuserchoice/104", `{"value":"1","message":"quick"}`).status)
	assert.Equal(t, "1", o.code("/models/C_Order/136", "PriorityRule"))
	assert.Equal(t, "CC", o.code("/models/AD_WF_Activity/104", "WFState"))
	assert.Equal(t, "OS", o.code("/models/AD_WF_Process/103", "WFState"), "a step is open")
	require.Equal(t, http.StatusOK, o.put("/workflow/acknowledge/105", `{"message":"seen"}`).status)
	assert.Equal(t, "CC", o.code("/models/AD_WF_Activity/105", "WFState"))
	assert.Equal(t, "CC", o.code("/models/AD_WF_Process/103", "WFState"), "nothing is left to do")
	assert.Equal(t, true, o.object(http.MethodGet, "/models/AD_WF_Process/103", "")["Processed"])

	answer := o.object(http.MethodPut, "/workflow/setuserchoice/100", `{"value":"Y"}`)
	assert.Equal(t, "Order 80017: Joe Sales Joe Block ", answer["summary"])
	assert.Contains(t, answer["history-records"], "<b>Approve order</b>: <i>IsApproved=Y</i></p>", "in place of what was there")
	assert.Equal(t, "AP", o.code("/models/C_Order/117", "DocStatus"), "an approval is a choice, too")
}

func TestActivitiesThatRefuse(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	user, fern := o.as(asGardenUser), o.as(asFernAdmin)
	title := func(status int, title string) string {
		return `{"title":"` + title + `","status":` + numberText(float64(status)) + `}`
	}
	for _, tc := range []struct {
		name     string
		who      *operator
		path     string
		body     string
		status   int
		response string
	}{
		{"unknown", o, "approve/999", `{}`, 404, title(404, "Activity not found")},
		{"neither number nor uuid", o, "approve/x%27%20OR%201=1", `{}`, 500, `{"title":"Approve error","status":500,"detail":"Approve error with exception: Wrong ID x' OR 1=1 is not an UU value nor a valid integer ID"}`},
		{"unknown uuid", o, "reject/6f2d8c0e-8b1f-5a54-9e0b-3d2a4c51e7aa", `{}`, 404, title(404, "Activity not found")},
		{"another tenant's", fern, "approve/100", `{}`, 404, title(404, "Activity not found")},
		{"approve a confirmation", o, "approve/105", `{}`, 404, title(404, "Not an approval node")},
		{"reject a choice", o, "reject/104", `{}`, 404, title(404, "Not an approval node")},
		{"acknowledge an approval", o, "acknowledge/100", `{}`, 404, title(404, "Not an acknowledgment node")},
		{"choose in a confirmation", o, "setuserchoice/105", `{"value":"1"}`, 404, title(404, "Not a user choice node")},
		{"not the caller's", user, "approve/100", `{}`, 400, title(400, "The current User cannot action this Activity")},
		{"not the caller's, nor an approval", o, "approve/102", `{}`, 400, title(400, "The current User cannot action this Activity")},
		{"not the caller's either", o, "acknowledge/102", `{}`, 400, title(400, "The current User cannot action this Activity")},
		{"over", o, "forward/103", `{"userTo":"104"}`, 400, title(400, "The current User cannot action this Activity")},
		{"unknown choice", o, "setuserchoice/104", `{"value":"X"}`, 500, `{"title":"Approve error","status":500,"detail":"Approve error with exception: Persistent Object not updated - AD_Table_ID=259, Record_ID=136 - Value=X error : PriorityRule Invalid value - X - Reference_ID=154 - 1 - 3 - 5 - 7 - 9"}`},
		{"a broken body", o, "approve/100", `{`, 500, ""},
		{"an array", o, "approve/100", `[]`, 500, `{"title":"Approve error","status":500,"detail":"Approve error with exception: Expected a JSON object but was an array"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := tc.who.put("/workflow/"+tc.path, tc.body)
			assert.Equal(t, tc.status, a.status, a.body)
			if tc.response != "" {
				assert.Equal(t, tc.response, a.body)
			}
		})
	}
	for _, verb := range []string{"setuserchoice", "forward"} {
		a := o.put("/workflow/"+verb+"/104", "")
		assert.Equal(t, http.StatusInternalServerError, a.status)
		assert.True(t, a.isContainerPage(), "without the body it needs")
	}

	// A document that cannot be approved any more stays as it is; the activity is done.
	require.Equal(t, http.StatusOK, o.put("/models/C_Order/117", `{"doc-action":"VO"}`).status)
	assert.Equal(t, http.StatusOK, o.put("/workflow/approve/100", `{}`).status)
	assert.Equal(t, "VO", o.code("/models/C_Order/117", "DocStatus"))
	assert.Equal(t, []int{101, 105, 104}, o.activities("/workflow"))
}

func TestForward(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	user := o.as(asGardenUser)
	const noUser = `{"title":"userTo property is mandatory.","status":400,"detail":"userTo property is not set or it has an invalid value"}`
	for body, response := range map[string]string{
		`{}`:                   noUser,
		`{"userTo":""}`:        noUser,
		`{"userTo":"999"}`:     noUser,
		`{"userTo":"1000000"}`: noUser,
		`{"userTo":"105"}`:     `{"title":"Invalid user - not Internal","status":400}`,
	} {
		want(t, o.put("/workflow/forward/100", body), http.StatusBadRequest, response)
	}
	assert.Equal(t, http.StatusInternalServerError, o.put("/workflow/forward/100", `{"userTo":"joe"}`).status)
	a := o.put("/workflow/forward/100", `{"userTo":"101"}`)
	want(t, a, http.StatusNotModified, "")
	assert.Equal(t, []int{}, user.activities("/workflow"))

	answer := o.object(http.MethodPut, "/workflow/forward/100", `{"userTo":"102","message":"please look"}`)
	assert.Equal(t, []any{"Updated", "Order 80017: Joe Sales Joe Block "}, []any{answer["msg"], answer["summary"]})
	assert.Contains(t, answer["history-records"], "please look")
	assert.Equal(t, []int{100}, user.activities("/workflow"))
	assert.Contains(t, o.activities("/workflow"), 100, "those with the role of its responsible keep it")
	audit := o.object(http.MethodGet, "/models/AD_WF_EventAudit?$filter=AttributeName%20eq%20'AD_User_ID'", "")["records"].([]any)
	require.Len(t, audit, 1)
	assert.Equal(t, []any{"GardenAdmin(101)", "GardenUser(102)"}, []any{audit[0].(map[string]any)["OldValue"], audit[0].(map[string]any)["NewValue"]})

	uid := o.object(http.MethodGet, "/models/AD_User/104", "")["uid"].(string)
	require.Equal(t, http.StatusOK, user.put("/workflow/forward/100", `{"userTo":"`+uid+`"}`).status)
	assert.Equal(t, []int{}, user.activities("/workflow"))
	activity := o.object(http.MethodGet, "/models/AD_WF_Activity/100", "")
	assert.Equal(t, 104.0, activity["AD_User_ID"].(map[string]any)["id"])
	assert.Equal(t, http.StatusOK, o.put("/workflow/approve/"+strings.ToLower(activity["uid"].(string)), `{}`).status, "by uuid")
}

func TestActivitiesAboutOtherTenantsRecords(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	fern := o.as(asFernAdmin)
	before := fern.object(http.MethodGet, "/models/C_Order/1000000", "")
	a := o.post("/models/AD_WF_Activity", `{"AD_WF_Process_ID":100,"AD_WF_Node_ID":201,"AD_Workflow_ID":116,"AD_WF_Responsible_ID":102,"AD_User_ID":101,"AD_Table_ID":259,"Record_ID":1000000,"WFState":"OS","Priority":9}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	id := numberText(a.object(t)["id"])
	list := o.get("/workflow")
	assert.NotContains(t, list.body, "Order "+before["DocumentNo"].(string))
	assert.Contains(t, list.body, `"id":`+id)
	want(t, o.put("/workflow/reject/"+id, `{}`), http.StatusInternalServerError,
		`{"title":"Approve error","status":500,"detail":"Approve error with exception: Persistent Object not found - AD_Table_ID=259, Record_ID=1000000"}`)
	assert.Equal(t, before, fern.object(http.MethodGet, "/models/C_Order/1000000", ""))
}
