package erp_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func TestActivities(t *testing.T) {
	t.Parallel()
	srv, client := embedded(t)
	ctx := t.Context()
	list, err := client.Activities(ctx)
	require.NoError(t, err)
	require.Len(t, list, 4)
	byID := map[int64]erp.Activity{}
	for _, a := range list {
		byID[a.ID] = a
	}
	order := byID[100]
	assert.Equal(t, "Approve order", order.Node)
	assert.Equal(t, "C_Order", order.Table)
	assert.Equal(t, int64(117), order.RecordID)
	assert.Equal(t, []erp.Decision{erp.DecisionApprove, erp.DecisionReject, erp.DecisionForward}, order.Decisions())
	confirm, choose := byID[105], byID[104]
	assert.Equal(t, []erp.Decision{erp.DecisionAcknowledge, erp.DecisionForward}, confirm.Decisions())
	assert.Equal(t, []erp.Decision{erp.DecisionChoose, erp.DecisionForward}, choose.Decisions())

	for name, err := range map[string]error{
		"no value":    client.DecideActivity(ctx, erp.IntID(104), erp.DecisionChoose, nil),
		"nobody":      client.DecideActivity(ctx, erp.IntID(104), erp.DecisionForward, nil),
		"no decision": client.DecideActivity(ctx, erp.IntID(104), "delete", nil),
		"no id":       client.DecideActivity(ctx, erp.ID{}, erp.DecisionApprove, nil),
	} {
		require.ErrorIs(t, err, erp.ErrInvalid, name)
	}
	require.ErrorIs(t, client.DecideActivity(ctx, erp.IntID(104), erp.DecisionApprove, nil), erp.ErrNotFound, "no approval")
	require.ErrorIs(t, client.DecideActivity(ctx, erp.IntID(999999), erp.DecisionApprove, nil), erp.ErrNotFound)

	// Sent once, also when the response is lost.
	lost := srv.Faults().On(erptest.Match{Method: http.MethodPut, Path: "/workflow/approve/100"}, erptest.CutAfter())
	require.ErrorIs(t, client.DecideActivity(ctx, erp.IntID(100), erp.DecisionApprove, &erp.DecisionOptions{Message: "fine"}), erp.ErrUnreachable)
	assert.Equal(t, 1, lost.Hits())
	require.NoError(t, client.DecideActivity(ctx, erp.UUID(confirm.UUID), erp.DecisionAcknowledge, nil))
	require.NoError(t, client.DecideActivity(ctx, erp.IntID(104), erp.DecisionChoose, &erp.DecisionOptions{Value: "1"}))
	left, err := client.Activities(ctx)
	require.NoError(t, err)
	for _, a := range left {
		assert.NotContains(t, []int64{100, 104, 105}, a.ID)
	}
	err = client.DecideActivity(ctx, erp.IntID(101), erp.DecisionForward, &erp.DecisionOptions{To: erp.IntID(100000)})
	require.ErrorIs(t, err, erp.ErrValidation)
}
