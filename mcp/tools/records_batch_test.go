package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
)

type writtenRecords struct {
	Status, Plan, Note string
	Operations         []struct{ Op, Table, ID, UUID, As string }
}

// partners counts the business partners whose search key begins so.
func (k *kit) partners(t *testing.T, prefix string) int {
	t.Helper()
	ctx, client := k.client(t, admin)
	page, err := client.Query(ctx, "C_BPartner", &erp.Query{Filter: erp.StartsWith("Value", erp.Pattern(prefix))})
	require.NoError(t, err)
	return len(page.Records)
}

// family is a partner with a contact that refers to it, a change and a deletion.
func family(k *kit, t *testing.T, prefix string) ([]args, string, string) {
	t.Helper()
	changed, deleted := k.partner(t, prefix+"changed"), k.partner(t, prefix+"deleted")
	return []args{
		{"op": "create", "table": "c_bpartner", "as": "@acme", "values": args{"Value": prefix + "new", "Name": "Acme", "C_BP_Group_ID": "Standard"}},
		{"op": "create", "table": "AD_User", "values": args{"Name": prefix + "contact", "C_BPartner_ID": "@acme"}},
		{"op": "update", "table": "C_BPartner", "id": changed, "values": args{"Description": "changed in a batch", "IsCustomer": "yes"}},
		{"op": "delete", "table": "C_BPartner", "id": deleted},
	}, changed, deleted
}

func TestWriteRecords(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	ops, changed, deleted := family(k, t, "batch-a-")
	plan := response[writtenRecords](t, k, admin, "writeRecords", args{"operations": ops, "dryRun": true})
	assert.Equal(t, "planned", plan.Status)
	for _, part := range []string{
		"Make these 4 changes, all or none?", "1. create C_BPartner as @acme", `C_BP_Group_ID: "Standard" (103)`, `C_BPartner_ID: "the new @acme"`,
		`3. update C_BPartner "batch-a-changed" (` + changed + ")", `Description: from nothing to "changed in a batch"`, `4. delete C_BPartner "batch-a-deleted" (` + deleted + ")",
	} {
		assert.Contains(t, plan.Plan, part)
	}
	assert.Equal(t, 2, k.partners(t, "batch-a-"), "a dry run writes nothing")

	var asked []string
	_, err := k.invoke(t, agreeing(k, t, admin, false, &asked), "writeRecords", args{"operations": ops})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	assert.Equal(t, []string{plan.Plan}, asked, "the question is the plan")
	assert.Equal(t, 2, k.partners(t, "batch-a-"))

	done := response[writtenRecords](t, k, admin, "writeRecords", args{"operations": ops})
	assert.Equal(t, "written", done.Status)
	require.Len(t, done.Operations, 4)
	ctx, client := k.client(t, admin)
	contact, err := client.Get(ctx, "AD_User", erp.UUID(done.Operations[1].UUID), nil)
	require.NoError(t, err)
	partner, _ := contact.Ref("C_BPartner_ID")
	assert.Equal(t, done.Operations[0].ID, partner.ID.String())
	_, err = client.Get(ctx, "C_BPartner", mustID(t, deleted), nil)
	require.ErrorIs(t, err, erp.ErrNotFound)
	r, err := client.Get(ctx, "C_BPartner", mustID(t, changed), nil)
	require.NoError(t, err)
	text, _ := r.Text("Description")
	assert.Equal(t, "changed in a batch", text)
}

func mustID(t *testing.T, text string) erp.ID {
	t.Helper()
	id, err := erp.ParseID(text)
	require.NoError(t, err)
	return id
}

// What fails takes all with it, and says which operation it was.
func TestWriteRecordsAllOrNone(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	e := refusal(t, k, admin, "writeRecords", args{"operations": []args{
		{"op": "create", "table": "C_BPartner", "values": args{"Value": "batch-b-1", "Name": "One"}},
		{"op": "create", "table": "C_BPartner", "values": args{"Value": "batch-b-2"}},
		{"op": "create", "table": "C_BPartner", "values": args{"Value": "batch-b-3", "Name": "Three"}},
	}}, mcp.CodeRefused)
	assert.Contains(t, e.Message, "operation 2 (create C_BPartner) failed, and all was rolled back")
	assert.Zero(t, k.partners(t, "batch-b-"))
	refusal(t, k, admin, "writeRecords", args{"operations": []args{
		{"op": "create", "table": "C_BPartner", "values": args{"Value": "batch-b-4", "Name": "Four"}},
		{"op": "update", "table": "AD_User", "id": 100, "values": args{"Name": "x"}},
	}}, mcp.CodePermissionDenied)
	assert.Zero(t, k.partners(t, "batch-b-"))

	one := args{"op": "create", "table": "C_BPartner", "as": "x", "values": args{"Value": "batch-b-5", "Name": "x"}}
	many := make([]args, 51)
	long := make([]args, 50)
	for i := range many {
		many[i] = one
	}
	for i := range long {
		long[i] = args{"op": "create", "table": "C_BPartner", "values": args{"Value": fmt.Sprint("batch-b-", i), "Name": strings.Repeat("n", 60), "Description": strings.Repeat("d", 250)}}
	}
	var asked []string
	for name, tc := range map[string]struct {
		arguments args
		code      string
		says      string
	}{
		"none":                      {args{"operations": []args{}}, mcp.CodeInvalidArguments, "operations"},
		"too many":                  {args{"operations": many}, mcp.CodeInvalidArguments, "operations"},
		"more than can be shown":    {args{"operations": long}, mcp.CodeTooLarge, "split"},
		"another word":              {args{"operations": []args{{"op": "upsert", "table": "C_BPartner"}}}, mcp.CodeInvalidArguments, "op"},
		"a name twice":              {args{"operations": []args{one, one}}, mcp.CodeInvalidArguments, "is taken"},
		"a name of nobody":          {args{"operations": []args{{"op": "create", "table": "AD_User", "values": args{"Name": "x", "C_BPartner_ID": "@y"}}}}, mcp.CodeInvalidArguments, "no earlier operation"},
		"a name that comes later":   {args{"operations": []args{{"op": "create", "table": "AD_User", "values": args{"Name": "x", "C_BPartner_ID": "@x"}}, one}}, mcp.CodeInvalidArguments, "no earlier operation"},
		"a name of another table":   {args{"operations": []args{one, {"op": "create", "table": "AD_User", "values": args{"Name": "x", "C_Greeting_ID": "@x"}}}}, mcp.CodeInvalidArguments, "refers to C_Greeting"},
		"a change of what is new":   {args{"operations": []args{one, {"op": "update", "table": "C_BPartner", "id": "@x", "values": args{"Name": "y"}}}}, mcp.CodeInvalidArguments, "same call"},
		"a creation with an id":     {args{"operations": []args{{"op": "create", "table": "C_BPartner", "id": 5, "values": args{"Name": "x"}}}}, mcp.CodeInvalidArguments, "number"},
		"a change of nothing":       {args{"operations": []args{{"op": "update", "table": "C_BPartner", "id": 118}}}, mcp.CodeInvalidArguments, "no values"},
		"a deletion of nobody":      {args{"operations": []args{{"op": "delete", "table": "C_BPartner", "id": 99999999}}}, mcp.CodeInvalidArguments, "there is no record"},
		"a deletion without an id":  {args{"operations": []args{{"op": "delete", "table": "C_BPartner"}}}, mcp.CodeInvalidArguments, "id is missing"},
		"all mistakes at once":      {args{"operations": []args{{"op": "delete", "table": "C_BPartner"}, {"op": "create", "table": "C_BPartnr", "values": args{"Name": "x"}}}}, mcp.CodeInvalidArguments, "2 problems"},
		"no UUID":                   {args{"operations": []args{one}, "uuid": "x"}, mcp.CodeInvalidArguments, "UUID"},
		"an id with a path in it":   {args{"operations": []args{{"op": "delete", "table": "C_BPartner", "id": "118/../119"}}}, mcp.CodeInvalidArguments, "118"},
		"the key in another's name": {args{"operations": []args{{"op": "update", "table": "C_BPartner", "id": 118, "values": args{"C_BPartner_ID": 119}}}}, mcp.CodeInvalidArguments, "key"},
	} {
		_, err := k.invoke(t, agreeing(k, t, admin, true, &asked), "writeRecords", tc.arguments)
		require.Error(t, err, name)
		assert.Equal(t, tc.code, mcp.ErrorOf(err).Code, "%s: %v", name, err)
		assert.Contains(t, mcp.ErrorOf(err).Error(), tc.says, name)
	}
	assert.Empty(t, asked)
	assert.Zero(t, k.partners(t, "batch-b-"))
}

// Once, whatever becomes of the response: looked up in the call, and when the call
// is made again with its UUID.
func TestWriteRecordsWhoseResponseIsLost(t *testing.T) {
	k := recordKit(t) // not parallel: the requests of others go to the same path
	const uuid = "0d3c5e1e-6f3b-4f8b-9c7e-1b9f2b7d4c01"
	ops, _, _ := family(k, t, "batch-c-")
	call := args{"operations": ops[:3], "uuid": uuid}
	k.srv.Faults().On(erptest.Match{Method: "POST", Path: "/batch", N: 1}, erptest.CutAfter())
	done := response[writtenRecords](t, k, admin, "writeRecords", call)
	assert.Equal(t, "written", done.Status)
	assert.Contains(t, done.Note, "lost")
	assert.Equal(t, 3, k.partners(t, "batch-c-"))
	again := response[writtenRecords](t, k, admin, "writeRecords", call)
	assert.Equal(t, "exists", again.Status)
	assert.Equal(t, 3, k.partners(t, "batch-c-"))

	// Lost before it arrived: nothing is written, and it is said so.
	k.srv.Faults().On(erptest.Match{Method: "POST", Path: "/batch", N: 1}, erptest.CutBefore())
	_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin), Confirm: willing}, "writeRecords", args{"operations": []args{{"op": "create", "table": "C_BPartner", "values": args{"Value": "batch-c-lost", "Name": "x"}}}})
	require.Error(t, err)
	assert.Equal(t, 3, k.partners(t, "batch-c-"))
	// A deletion shows by itself what became of the whole.
	k.srv.Faults().On(erptest.Match{Method: "POST", Path: "/batch", N: 1}, erptest.CutAfter())
	assert.Equal(t, "written", response[writtenRecords](t, k, admin, "writeRecords", args{"operations": ops[3:]}).Status)
	assert.Equal(t, 2, k.partners(t, "batch-c-"))
	// Changes alone do not.
	k.srv.Faults().On(erptest.Match{Method: "POST", Path: "/batch", N: 1}, erptest.CutAfter())
	_, err = k.invoke(t, &mcp.Call{Caller: k.as(t, admin), Confirm: willing}, "writeRecords", args{"operations": ops[2:3]})
	assert.Equal(t, mcp.CodeOutcomeUnknown, mcp.ErrorOf(err).Code)
}

// Two calls of one UUID at the same time write once.
func TestWriteRecordsAtTheSameTime(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	call := args{"uuid": "0d3c5e1e-6f3b-4f8b-9c7e-1b9f2b7d4c02", "operations": []args{
		{"op": "create", "table": "C_BPartner", "values": args{"Value": "batch-d-1", "Name": "One"}},
		{"op": "create", "table": "C_BPartner", "values": args{"Value": "batch-d-2", "Name": "Two"}},
	}}
	caller := k.as(t, admin)
	tool, _ := k.set.Tool("writeRecords")
	raw, err := json.Marshal(call)
	require.NoError(t, err)
	both := make(chan struct{})
	ready := make(chan struct{}, 2)
	confirm := func(context.Context, string) (bool, error) { // both have looked, and found nothing
		ready <- struct{}{}
		<-both
		return true, nil
	}
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := tool.Invoke(context.WithoutCancel(t.Context()), &mcp.Call{Caller: caller, Confirm: confirm, Arguments: raw})
			errs <- err
		}()
	}
	<-ready
	<-ready
	close(both)
	require.NoError(t, <-errs)
	require.NoError(t, <-errs)
	assert.Equal(t, 2, k.partners(t, "batch-d-"))
}
