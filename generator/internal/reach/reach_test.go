package reach_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator/internal/reach"
	"github.com/erphub/erphub/internal/failure"
)

func TestFailure(t *testing.T) {
	t.Parallel()
	err := reach.Failure(t.Context(), "sending", "the server", fmt.Errorf("dial: %w", syscall.ECONNREFUSED))
	require.ErrorIs(t, err, failure.Unreachable)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	assert.EqualError(t, err, "sending: the server cannot be reached: nothing listens there; check host and port, and whether the server runs")
	require.NoError(t, reach.Failure(t.Context(), "sending", "the server", errors.New("other")))

	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user has left")
	cancel(why)
	err = reach.Failure(ctx, "sending", "the server", syscall.ECONNRESET)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, why)
	assert.EqualError(t, err, "sending: canceled")
}
