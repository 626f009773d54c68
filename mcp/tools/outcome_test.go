package tools_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
)

// named counts the partners of a name.
func (k *kit) named(t *testing.T, name string) int {
	t.Helper()
	ctx, client := k.client(t, admin)
	found, err := erpRecords(ctx, client, "C_BPartner", erp.Eq("Name", name))
	require.NoError(t, err)
	return len(found)
}

// A creation whose fate nobody knows says so, and the same call again creates nothing
// twice, whether the ERP did it at once, later or never.
func TestACreationWhoseFateIsUnknown(t *testing.T) {
	t.Parallel()
	k := start(t) // whose faults are its own
	_, err := k.rest.Registry(t.Context(), k.as(t, admin))
	require.NoError(t, err)
	one := func(name string) (string, args) {
		return "createRecord", args{"table": "C_BPartner", "values": args{"Value": name, "Name": name, "C_BP_Group_ID": 103}}
	}
	several := func(name string) (string, args) {
		return "writeRecords", args{"operations": []args{
			{"op": "create", "table": "C_BPartner", "as": "p", "values": args{"Value": name, "Name": name, "C_BP_Group_ID": 103}},
			{"op": "create", "table": "AD_User", "values": args{"Name": name, "C_BPartner_ID": "@p"}},
		}}
	}
	reads := erptest.Match{Method: http.MethodGet, Path: "/models/C_BPartner/*"}
	for name, tc := range map[string]struct {
		call  func(name string) (string, args)
		match erptest.Match
		fault erptest.Action
		away  bool // the ERP does not respond to the question whether it is there either
		first int  // records after the first call
		again string
	}{
		"never made":                         {one, erptest.Match{Method: http.MethodPost, Path: "/models/C_BPartner"}, erptest.CutBefore(), false, 0, "created"},
		"made, and the ERP went away":        {one, erptest.Match{Method: http.MethodPost, Path: "/models/C_BPartner"}, erptest.CutAfter(), true, 1, "exists"},
		"a proxy gave up":                    {one, erptest.Match{Method: http.MethodPost, Path: "/models/C_BPartner"}, erptest.HTML(504), false, 0, "created"},
		"a page came":                        {one, erptest.Match{Method: http.MethodPost, Path: "/models/C_BPartner"}, erptest.HTML(200), false, 0, "created"},
		"several, never made":                {several, erptest.Match{Method: http.MethodPost, Path: "/batch"}, erptest.CutBefore(), false, 0, "written"},
		"several, made, and the ERP is away": {several, erptest.Match{Method: http.MethodPost, Path: "/batch"}, erptest.CutAfter(), true, 1, "exists"},
		"several, a proxy gave up":           {several, erptest.Match{Method: http.MethodPost, Path: "/batch"}, erptest.HTML(502), false, 0, "written"},
	} {
		t.Run(name, func(t *testing.T) {
			k.srv.Faults().Reset()
			defer k.srv.Faults().Reset()
			k.srv.Faults().On(tc.match, tc.fault)
			if tc.away {
				k.srv.Faults().On(reads, erptest.HTML(502))
			}
			tool, arguments := tc.call("fate " + name)
			e := refusal(t, k, admin, tool, arguments, mcp.CodeOutcomeUnknown)
			assert.Contains(t, e.Hint, "created once at most")
			uuid := strings.Fields(e.Hint[strings.Index(e.Hint, "uuid ")+5:])[0]
			k.srv.Faults().Reset()
			assert.Equal(t, tc.first, k.named(t, "fate "+name))
			out := response[struct{ Status, Note string }](t, k, admin, tool, arguments)
			assert.Equal(t, tc.again, out.Status, out.Note)
			assert.Equal(t, 1, k.named(t, "fate "+name))

			// With the UUID that was named it is found from anywhere.
			arguments["uuid"] = uuid
			out = response[struct{ Status, Note string }](t, k.with(t), admin, tool, arguments)
			assert.Equal(t, "exists", out.Status, out.Note)
			assert.Equal(t, 1, k.named(t, "fate "+name))
		})
	}

	// Once the fate is known, the same call is another creation, as it was meant.
	note := args{"table": "C_Greeting", "values": args{"Name": "the same twice"}}
	for range 2 {
		assert.Equal(t, "created", response[writtenRecord](t, k, admin, "createRecord", note).Status)
	}
	ctx, client := k.client(t, admin)
	found, err := erpRecords(ctx, client, "C_Greeting", erp.Eq("Name", "the same twice"))
	require.NoError(t, err)
	assert.Len(t, found, 2)
}

// The other changes say that their outcome is not known as well, and how to look; the
// ones that can be looked up are.
func TestAChangeWhoseFateIsUnknown(t *testing.T) {
	t.Parallel()
	k := start(t)
	_, err := k.rest.Registry(t.Context(), k.as(t, admin))
	require.NoError(t, err)
	id := k.partner(t, "unknown-fate")
	order, _ := k.order(t)
	put := func(path string) erptest.Match { return erptest.Match{Method: http.MethodPut, Path: path} }
	for name, tc := range map[string]struct {
		tool      string
		arguments args
		match     erptest.Match
		hint      string
	}{
		"an update":     {"updateRecord", args{"table": "C_BPartner", "id": id, "values": args{"Description": "x"}}, put("/models/C_BPartner/*"), "read what was to be changed first"},
		"a deletion":    {"deleteRecord", args{"table": "C_BPartner", "id": id}, erptest.Match{Method: http.MethodDelete, Path: "/models/C_BPartner/*"}, "read what was to be changed first"},
		"a batch":       {"writeRecords", args{"operations": []args{{"op": "update", "table": "C_BPartner", "id": id, "values": args{"Description": "x"}}}}, erptest.Match{Method: http.MethodPost, Path: "/batch"}, "read what was to be changed first"},
		"a document":    {"processDocument", args{"table": "C_Order", "id": order, "action": "complete"}, put("/models/C_Order/*"), "call with action empty"},
		"an attachment": {"recordAttachments", args{"table": "C_BPartner", "id": id, "action": "add", "name": "a.txt", "text": "x"}, erptest.Match{Method: http.MethodPost, Path: "/models/C_BPartner/*/attachments"}, "read what was to be changed first"},
		"a process":     {"executeProcess", args{"processId": "C_Order Process", "table": "C_Order", "recordId": order}, erptest.Match{Method: http.MethodPost, Path: "/processes/c_order-process"}, "read what was to be changed first"},
	} {
		fault := k.srv.Faults().On(tc.match, erptest.HTML(504))
		e := refusal(t, k, admin, tc.tool, tc.arguments, mcp.CodeOutcomeUnknown)
		require.Positive(t, fault.Hits(), name)
		assert.Contains(t, e.Hint, tc.hint, name)
		assert.NotContains(t, e.Hint, "try again later", name)
		fault.Remove()
	}
	raw, err := json.Marshal(&mcp.Error{Code: mcp.CodeOutcomeUnknown})
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"code":"outcome_unknown"`)
}
