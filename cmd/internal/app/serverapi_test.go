package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/syncbuffer"
)

// The board is served, says what it reads with, is ready when the log is there,
// and ends in order.
func TestServerAPI(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	dir := t.TempDir()
	readyFile := filepath.Join(dir, "ready")
	require.NoError(t, os.WriteFile(readyFile, []byte("of an earlier run"), 0o600))
	env := []string{"HOME=" + dir, "ERP_URL=" + srv.URL(), "ERP_USERNAME=GardenAdmin", "ERP_PASSWORD=GardenAdmin", "ERP_CLIENT_ID=11", "ERP_ROLE_ID=102", "ERP_ORG_ID=11"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errOut syncbuffer.Buffer
	code := make(chan int, 1)
	go func() {
		code <- Run(ctx, []string{"erphub", "server", "api", "--listen", "127.0.0.1:0", "--host", "board.example.com", "--ready-file", readyFile, "--json"}, env, Streams{Out: &out, Err: &errOut})
	}()
	var ready struct {
		URL string
		PID int
	}
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(readyFile)
		return err == nil && json.Unmarshal(text, &ready) == nil
	}, time.Minute, 5*time.Millisecond)
	assert.Equal(t, os.Getpid(), ready.PID)
	assert.JSONEq(t, `{"url":"`+ready.URL+`","board":"`+ready.URL+`/deployments"}`, out.String())
	said := errOut.String()
	assert.Contains(t, said, ready.URL+"/deployments")
	assert.Contains(t, said, "user GardenAdmin")
	assert.Contains(t, said, "only this machine can reach it")
	assert.NotContains(t, said, "ERP_PASSWORD")

	get := func(path, host string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, ready.URL+path, nil)
		require.NoError(t, err)
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	for _, tt := range []struct {
		name, path, host string
		status           int
		contains         string
	}{
		{"start page", "/", "", 200, "<title>Deployments</title>"},
		{"page", "/deployments", "board.example.com:8090", 200, "<title>Deployments</title>"},
		{"alive", "/healthz", "", 200, "ok"},
		{"not ready without the table", "/readyz", "", 503, "not ready"},
		{"status without the table", "/api/deployments", "", 503, "env deploy install"},
		{"metrics", "/metrics", "", 200, "board_listeners 0"},
		{"a name that points here from elsewhere", "/api/deployments", "evil.example.com", 421, "Host"},
		{"nothing there", "/api/nothing", "", 404, ""},
	} {
		status, body := get(tt.path, tt.host)
		assert.Equal(t, tt.status, status, tt.name)
		assert.Contains(t, body, tt.contains, tt.name)
	}

	cancel()
	select {
	case got := <-code:
		assert.Equal(t, exitDone, got, errOut.String())
	case <-time.After(30 * time.Second):
		t.Fatal("the server does not end")
	}
	assert.NoFileExists(t, readyFile)
}

// Wrong usage is told apart from a failure, and serves nothing.
func TestServerAPIUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		env  []string
		code int
	}{
		{"no ERP", nil, nil, exitUsage},
		{"an argument", []string{"now"}, []string{"ERP_URL=http://127.0.0.1:1"}, exitUsage},
		{"no address", []string{"--listen", "here"}, []string{"ERP_URL=http://127.0.0.1:1"}, exitFailed},
		{"a port there is not", []string{"--listen", "127.0.0.1:99999"}, []string{"ERP_URL=http://127.0.0.1:1"}, exitFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, errOut bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			code := Run(ctx, append([]string{"erphub", "server", "api"}, tt.args...), append(tt.env, "HOME="+t.TempDir()), Streams{Out: &out, Err: &errOut})
			assert.Equal(t, tt.code, code, errOut.String())
			assert.Empty(t, out.String())
			assert.NoError(t, ctx.Err(), "it served")
		})
	}
}
