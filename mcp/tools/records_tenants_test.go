package tools_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
)

// What another tenant has is not there: not to be seen, not to be changed, not to be
// found by its name, and nobody is asked about it.
func TestRecordsOfOtherTenants(t *testing.T) {
	k := recordKit(t) // not parallel: requests are counted
	fern := login{"FernAdmin", 1000000, 1000000, 1000000}
	_, err := k.rest.Registry(t.Context(), k.as(t, fern))
	require.NoError(t, err)
	order, number := k.order(t)
	partner := k.partner(t, "garden-secret")
	before := k.writes()
	var asked []string
	for name, tc := range map[string]struct {
		tool      string
		arguments args
		code      string
	}{
		"a document":              {"processDocument", args{"table": "C_Order", "id": order, "action": "complete"}, mcp.CodeNotFound},
		"a document by number":    {"processDocument", args{"table": "C_Order", "documentNo": number, "action": "complete"}, mcp.CodeNotFound},
		"a print":                 {"printRecord", args{"table": "C_Order", "id": order}, mcp.CodeNotFound},
		"a process":               {"executeProcess", args{"processId": "C_Order Process", "table": "C_Order", "recordId": order}, mcp.CodeNotFound},
		"attachments":             {"recordAttachments", args{"table": "C_Order", "id": order}, mcp.CodeNotFound},
		"a new attachment":        {"recordAttachments", args{"table": "C_Order", "id": order, "action": "add", "name": "x", "text": "x"}, mcp.CodeNotFound},
		"a change":                {"updateRecord", args{"table": "C_BPartner", "id": partner, "values": args{"Name": "mine"}}, mcp.CodeNotFound},
		"a deletion":              {"deleteRecord", args{"table": "C_BPartner", "id": partner}, mcp.CodeNotFound},
		"a change among several":  {"writeRecords", args{"operations": []args{{"op": "update", "table": "C_BPartner", "id": partner, "values": args{"Name": "mine"}}}}, mcp.CodeInvalidArguments},
		"a reference by name":     {"createRecord", args{"table": "AD_User", "values": args{"Name": "x", "C_BPartner_ID": "garden-secret"}}, mcp.CodeInvalidArguments},
		"an activity":             {"decideWorkflow", args{"action": "approve", "id": 101}, mcp.CodeNotFound},
		"an activity to be given": {"decideWorkflow", args{"action": "forward", "id": 101, "to": "FernAdmin"}, mcp.CodeNotFound},
	} {
		_, err := k.invoke(t, agreeing(k, t, fern, true, &asked), tc.tool, tc.arguments)
		require.Error(t, err, name)
		assert.Equal(t, tc.code, mcp.ErrorOf(err).Code, "%s: %v", name, err)
	}
	assert.Empty(t, asked)
	assert.Equal(t, before, k.writes(), "nothing was sent")
	refusal(t, k, fern, "createRecord", args{"table": "AD_User", "values": args{"Name": "x", "C_BPartner_ID": partner}}, mcp.CodeInvalidArguments)
}

// A process is sent once, whatever becomes of the response.
func TestExecuteProcessWhoseResponseIsLost(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	id, _ := k.order(t)
	lost := k.srv.Faults().On(erptest.Match{Method: "POST", Path: "/processes/c_order-process"}, erptest.CutAfter())
	defer lost.Remove()
	_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin), Confirm: willing}, "executeProcess", args{"processId": "C_Order Process", "table": "C_Order", "recordId": id})
	require.Error(t, err)
	assert.Equal(t, mcp.CodeOutcomeUnknown, mcp.ErrorOf(err).Code)
	assert.Contains(t, mcp.ErrorOf(err).Message, "may have carried out")
	assert.Equal(t, 1, lost.Hits())
}
