package erp_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func TestParseDocAction(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]erp.DocAction{
		"complete": "CO", "CO": "CO", "co": "CO", "Reverse-Correct": "RC", "reverse correct": "RC", "reverseAccrual": "RA",
		"re_activate": "RE", "RE": "RE", "prepare": "PR", "void": "VO", "close": "CL",
	} {
		got, ok := erp.ParseDocAction(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "--", "delete", "C", "completed", "CO; DROP"} {
		_, ok := erp.ParseDocAction(text)
		assert.False(t, ok, text)
	}
}

// An action that a status lists is one that the ERP takes in it, and no action is
// both to be done and done.
func TestDocActionsOfStatuses(t *testing.T) {
	t.Parallel()
	all := []erp.DocStatus{
		erp.DocDrafted, erp.DocInvalid, erp.DocInProgress, erp.DocApproved, erp.DocNotApproved, erp.DocWaitingPayment,
		erp.DocWaitingConfirmation, erp.DocCompleted, erp.DocClosed, erp.DocReversed, erp.DocVoided,
	}
	for _, s := range all {
		assert.NotEmpty(t, s.Actions(), s)
		for _, a := range s.Actions() {
			assert.False(t, a.Done(s), "%s in %s", a, s)
			back, ok := erp.ParseDocAction(a.String())
			assert.True(t, ok && back == a, a)
		}
	}
	assert.Empty(t, erp.DocStatus("??").Actions())
	for a, s := range map[erp.DocAction]erp.DocStatus{
		erp.DocComplete: erp.DocCompleted, erp.DocVoid: erp.DocReversed, erp.DocReverseCorrect: erp.DocReversed, erp.DocClose: erp.DocClosed,
		erp.DocReactivate: erp.DocInProgress,
	} {
		assert.True(t, a.Done(s), "%s in %s", a, s)
	}
	assert.False(t, erp.DocComplete.Done(erp.DocClosed), "that is another status")
	assert.False(t, erp.DocPrepare.Done(erp.DocInProgress), "it may be prepared again")
}

// draftOrder makes an order with one line.
func draftOrder(t *testing.T, client *erp.Client) erp.ID {
	t.Helper()
	r, err := client.Create(t.Context(), "C_Order", map[string]any{
		"C_BPartner_ID": 118, "C_DocTypeTarget_ID": 132, "IsSOTrx": true,
		"C_OrderLine": []any{map[string]any{"M_Product_ID": 123, "QtyEntered": 2, "QtyOrdered": 2, "PriceEntered": 10, "PriceActual": 10}},
	})
	require.NoError(t, err)
	return r.ID()
}

func TestProcessDocument(t *testing.T) {
	t.Parallel()
	srv, client := embedded(t)
	ctx := t.Context()
	id := draftOrder(t, client)

	d, err := client.Document(ctx, "C_Order", id)
	require.NoError(t, err)
	assert.Equal(t, erp.DocDrafted, d.Status())
	assert.Equal(t, "Drafted", d.StatusName())
	assert.Equal(t, "Standard Order", d.Type().Identifier)
	found, err := client.FindDocuments(ctx, "C_Order", d.Number())
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, id, found[0].ID())

	// The response to the action is lost: it was done, and is not done again.
	lost := srv.Faults().On(erptest.Match{Method: http.MethodPut, Path: "/models/C_Order/*", N: 1}, erptest.CutAfter())
	done, err := client.ProcessDocument(ctx, "C_Order", id, erp.DocComplete)
	require.NoError(t, err)
	assert.Equal(t, 1, lost.Hits())
	assert.Equal(t, erp.DocCompleted, done.Document.Status())
	assert.True(t, done.Recovered)
	puts := func() (n int) {
		for _, r := range srv.Faults().Requests() {
			if r.Method == http.MethodPut {
				n++
			}
		}
		return n
	}
	before := puts()
	again, err := client.ProcessDocument(ctx, "C_Order", id, erp.DocComplete)
	require.NoError(t, err)
	assert.Equal(t, erp.DocCompleted, again.Document.Status())
	assert.Equal(t, before, puts(), "nothing was sent")

	// What the ERP refuses comes in its own words, what it passes over is noticed.
	_, err = client.ProcessDocument(ctx, "C_Order", id, erp.DocReactivate)
	var refused *erp.Error
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, refused.Detail, "cannot be reactivated")
	_, err = client.ProcessDocument(ctx, "C_Order", id, erp.DocPrepare)
	require.ErrorIs(t, err, erp.ErrNotProcessed)

	// A request that was cut before it arrived changed nothing, and is an error.
	other := draftOrder(t, client)
	srv.Faults().On(erptest.Match{Method: http.MethodPut, Path: "/models/C_Order/*", N: 1}, erptest.CutBefore())
	_, err = client.ProcessDocument(ctx, "C_Order", other, erp.DocComplete)
	require.ErrorIs(t, err, erp.ErrUnreachable)
	d, err = client.Document(ctx, "C_Order", other)
	require.NoError(t, err)
	assert.Equal(t, erp.DocDrafted, d.Status())

	_, err = client.Document(ctx, "C_BPartner", erp.IntID(118))
	require.ErrorIs(t, err, erp.ErrInvalid)
}
