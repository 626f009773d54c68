package sandbox

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
)

// serveInTest serves a sandbox until the test ends.
func serveInTest(t *testing.T, loopback bool, hosts ...string) *sandboxServices {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	listen := func(ctx context.Context) (*shell.Listener, error) {
		ln, err := httpserver.Listen(ctx, "127.0.0.1:0")
		return &shell.Listener{Listener: ln, URL: httpserver.URL(ln.Addr()), Loopback: loopback}, err
	}
	s, served, err := startSandbox(ctx, erptest.Options{Logger: slog.New(slog.DiscardHandler)}, sandboxOptions{listen: listen, hosts: hosts})
	require.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
	})
	return s
}

// A page in a browser cannot reach a sandbox on loopback by a name of its own.
func TestHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, host string
		loopback   bool
		refused    bool
	}{
		{"address", "", true, false},
		{"localhost", "localhost:8080", true, false},
		{"named", "erp.test", true, false},
		{"a name that points here", "evil.example.com", true, true},
		{"any name of other machines", "erp-service", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serveInTest(t, tt.loopback, "erp.test")
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/health", nil)
			require.NoError(t, err)
			req.Host = tt.host
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, tt.refused, res.StatusCode == http.StatusMisdirectedRequest, "%d", res.StatusCode)
		})
	}
}
