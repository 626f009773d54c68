package erptest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// A server that was started serves until it is closed, also when the context of the
// start has ended before; closing it again does nothing.
func TestStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	srv, err := erptest.Start(ctx, erptest.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, srv.Close()) })
	cancel()
	get := func() (int, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL()+"/api/v1/health", nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		return resp.StatusCode, resp.Body.Close()
	}
	status, err := get()
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)

	require.NoError(t, srv.Close())
	_, err = get()
	require.Error(t, err, "it is gone")
	require.NoError(t, srv.Close())
}

// What cannot be opened is an error, and nothing is left listening.
func TestStartFails(t *testing.T) {
	t.Parallel()
	_, err := erptest.Start(t.Context(), erptest.Options{Path: t.TempDir()})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "starting the embedded ERP: ")
}
