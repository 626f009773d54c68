package tools_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
)

type processedDocument struct {
	Table, ID, DocumentNo, Outcome, Before, Status, StatusName, Message, Note string
	Actions                                                                   []string
}

// order makes an order of one line over 20 and returns its id and its number.
func (k *kit) order(t *testing.T) (id, number string) {
	t.Helper()
	ctx, client := k.client(t, admin)
	r, err := client.Create(ctx, "C_Order", map[string]any{
		"C_BPartner_ID": 118, "C_DocTypeTarget_ID": 132, "IsSOTrx": true,
		"C_OrderLine": []any{map[string]any{"M_Product_ID": 123, "QtyEntered": 2, "QtyOrdered": 2, "PriceEntered": 10, "PriceActual": 10}},
	})
	require.NoError(t, err)
	number, _ = r.Text("DocumentNo")
	return r.ID().String(), number
}

// status is the status of a document in the ERP.
func (k *kit) status(t *testing.T, table, id string) string {
	t.Helper()
	ctx, client := k.client(t, admin)
	key, err := erp.ParseID(id)
	require.NoError(t, err)
	d, err := client.Document(ctx, table, key)
	require.NoError(t, err)
	return string(d.Status())
}

func TestProcessDocument(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	id, number := k.order(t)

	read := response[processedDocument](t, k, admin, "processDocument", args{"table": "c_order", "documentNo": number})
	assert.Equal(t, "read", read.Outcome)
	assert.Equal(t, "C_Order", read.Table)
	assert.Equal(t, id, read.ID)
	assert.Equal(t, "DR", read.Status)
	assert.Contains(t, read.Actions, "complete")
	assert.NotContains(t, read.Actions, "close")

	for _, action := range []string{"close", "reverse-correct", "RC", "post"} {
		e := refusal(t, k, admin, "processDocument", args{"table": "C_Order", "id": id, "action": action}, mcp.CodeRefused)
		assert.Contains(t, e.Hint, "prepare, complete, void", action)
		assert.Contains(t, e.Message, "Drafted", action)
	}
	prepared := response[processedDocument](t, k, admin, "processDocument", args{"table": "C_Order", "id": id, "action": "PR"})
	assert.Equal(t, "processed", prepared.Outcome)
	assert.Equal(t, "DR", prepared.Before)
	assert.Equal(t, "IP", prepared.Status)
	completed := response[processedDocument](t, k, admin, "processDocument", args{"table": "C_Order", "documentNo": number, "action": "Complete"})
	assert.Equal(t, "CO", completed.Status)
	assert.Equal(t, "Completed", completed.StatusName)
	assert.Contains(t, completed.Actions, "void")

	// What the document's program always refuses is not offered, and not asked about.
	for _, action := range []string{"reactivate", "reverse-accrual"} {
		assert.NotContains(t, completed.Actions, action)
		e := refusal(t, k, admin, "processDocument", args{"table": "C_Order", "id": id, "action": action}, mcp.CodeRefused)
		assert.Contains(t, e.Message, "its type or your role does not allow that")
	}
	voided := response[processedDocument](t, k, admin, "processDocument", args{"table": "C_Order", "id": id, "action": "void"})
	assert.Equal(t, "VO", voided.Status)

	for name, tc := range map[string]struct {
		who       login
		arguments args
		code      string
		says      string
	}{
		"no such action":        {admin, args{"table": "C_Order", "id": id, "action": "delete"}, mcp.CodeInvalidArguments, "reverse-correct"},
		"no document":           {admin, args{"table": "C_BPartner", "id": 118, "action": "complete"}, mcp.CodeInvalidArguments, "no documents"},
		"no such table":         {admin, args{"table": "C_Ordr", "id": id, "action": "complete"}, mcp.CodeNotFound, "C_Order"},
		"no such record":        {admin, args{"table": "C_Order", "id": 99999999, "action": "complete"}, mcp.CodeNotFound, "documentNo"},
		"no such number":        {admin, args{"table": "C_Order", "documentNo": "80000' or 1=1 --", "action": "complete"}, "", ""},
		"neither id nor number": {admin, args{"table": "C_Order", "action": "complete"}, mcp.CodeInvalidArguments, "either"},
		"both":                  {admin, args{"table": "C_Order", "id": id, "documentNo": number, "action": "complete"}, mcp.CodeInvalidArguments, "either"},
		"an id with a path":     {admin, args{"table": "C_Order", "id": "100/print", "action": "complete"}, mcp.CodeNotFound, "called"},
		"a tenant's, to System": {root, args{"table": "C_Order", "id": id, "action": "complete"}, mcp.CodePermissionDenied, ""},
	} {
		if tc.code == "" { // a number that the filter language cannot express, or nobody has
			_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, tc.who), Confirm: willing}, "processDocument", tc.arguments)
			assert.Contains(t, []string{mcp.CodeNotFound, mcp.CodeInvalidArguments}, mcp.ErrorOf(err).Code, name)
			continue
		}
		e := refusal(t, k, tc.who, "processDocument", tc.arguments, tc.code)
		assert.Contains(t, e.Error(), tc.says, name)
	}
}

// Done once, whatever becomes of the response: in the call itself, and when the
// call is made again.
func TestProcessDocumentWhoseResponseIsLost(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	id, _ := k.order(t)
	complete := args{"table": "C_Order", "id": id, "action": "complete"}
	puts := func() (n int) {
		for _, r := range k.srv.Faults().Requests() {
			if r.Method == http.MethodPut && strings.HasSuffix(r.Path, "/"+id) {
				n++
			}
		}
		return n
	}
	k.srv.Faults().On(erptest.Match{Method: "PUT", Path: "/models/C_Order/" + id, N: 1}, erptest.CutAfter())
	done := response[processedDocument](t, k, admin, "processDocument", complete)
	assert.Equal(t, "processed", done.Outcome)
	assert.Equal(t, "CO", done.Status)
	assert.Contains(t, done.Note, "lost")
	before := puts()
	again := response[processedDocument](t, k, admin, "processDocument", complete)
	assert.Equal(t, "unchanged", again.Outcome)
	assert.Equal(t, before, puts(), "nothing was sent again")

	// Lost before it arrived: an error that says what to do, and nothing is done.
	other, _ := k.order(t)
	k.srv.Faults().On(erptest.Match{Method: "PUT", Path: "/models/C_Order/" + other, N: 1}, erptest.CutBefore())
	_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin), Confirm: willing}, "processDocument", args{"table": "C_Order", "id": other, "action": "complete"})
	require.Error(t, err)
	assert.Contains(t, mcp.ErrorOf(err).Hint, "before you call again")
	assert.Equal(t, "DR", k.status(t, "C_Order", other))
}

// The user sees what is going to happen, in words that records cannot forge.
func TestProcessDocumentAsks(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	id, number := k.order(t)
	var asked string
	refusing := func(_ context.Context, question string) (bool, error) {
		asked = question
		return false, nil
	}
	_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin), Confirm: refusing}, "processDocument", args{"table": "C_Order", "id": id, "action": "complete"})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	for _, part := range []string{`Complete C_Order "` + number + `" (` + id + ")?", `partner: "Joe Block" (118)`, "GrandTotal: 20", "currency: USD", `status: "Drafted" (DR)`, "takes effect"} {
		assert.Contains(t, asked, part)
	}
	assert.Equal(t, "DR", k.status(t, "C_Order", id))
}

// Two documents of one number are told apart, and none is processed.
func TestProcessDocumentOfSeveral(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	ctx, client := k.client(t, admin)
	for _, docType := range []int{132, 133} {
		_, err := client.Create(ctx, "C_Order", map[string]any{"C_BPartner_ID": 118, "C_DocTypeTarget_ID": docType, "IsSOTrx": true, "DocumentNo": "TWICE-1", "C_DocType_ID": docType})
		require.NoError(t, err)
	}
	e := refusal(t, k, admin, "processDocument", args{"table": "C_Order", "documentNo": "TWICE-1", "action": "void"}, mcp.CodeConflict)
	assert.Contains(t, e.Message, `type: "Standard Order"`)
	assert.Contains(t, e.Message, "2 documents")
}

// What the role administration does not give the role for a document type is
// neither offered nor done.
func TestProcessDocumentByRole(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	id, _ := k.order(t)
	ctx, client := k.client(t, admin)
	entries, err := client.Query(ctx, "AD_Ref_List", &erp.Query{Filter: erp.And(erp.Eq("AD_Reference_ID", 135), erp.Eq("Value", "PR"))})
	require.NoError(t, err)
	_, err = client.Create(ctx, "AD_Document_Action_Access", map[string]any{"AD_Role_ID": 103, "C_DocType_ID": 132, "AD_Ref_List_ID": entries.Records[0].ID()})
	require.NoError(t, err)
	e := refusal(t, k, user, "processDocument", args{"table": "C_Order", "id": id, "action": "complete"}, mcp.CodeRefused)
	assert.Contains(t, e.Hint, "for this role: prepare")
	assert.Equal(t, "DR", k.status(t, "C_Order", id))
}
