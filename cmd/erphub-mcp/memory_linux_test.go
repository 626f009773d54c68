package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/testproc"
	"github.com/erphub/erphub/tokens"
)

// BenchmarkMemory measures what the program, as it is built for users, holds in
// memory: at rest, with 1,000 sessions that do nothing, and after they were
// used.
func BenchmarkMemory(b *testing.B) {
	const secret = "a secret of the ERP for signing tokens, long enough for HS512 to be content with it"
	dir := b.TempDir()
	binary := testproc.Program(b, "erphub-mcp")
	for b.Loop() {
		ready := filepath.Join(dir, "ready")
		ctx, cancel := context.WithCancel(b.Context())
		cmd := exec.CommandContext(ctx, binary, "--listen", "127.0.0.1:0", "--ready-file", ready, "--toolsets", "all")
		cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "ERP_URL=http://127.0.0.1:1", "ERP_TOKEN_SECRET=" + secret}
		require.NoError(b, cmd.Start())
		var r httpserver.Ready
		require.Eventually(b, func() bool {
			text, err := os.ReadFile(ready)
			return err == nil && json.Unmarshal(text, &r) == nil
		}, time.Minute, 5*time.Millisecond)
		b.ReportMetric(resident(b, cmd.Process.Pid), "idle-MB")
		for i := range 1000 {
			token, err := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{ // a user may have 100 sessions
				"sub": fmt.Sprint("user", i/50), "iss": tokens.DefaultIssuer, "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().UnixNano(),
				"AD_Client_ID": 11, "AD_User_ID": 1000 + i/50, "AD_Role_ID": 102, "AD_Org_ID": 11, "AD_Session_ID": 1000,
			}).SignedString([]byte(secret))
			require.NoError(b, err)
			id := post(b, r.URL, token, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"idle","version":"1"}}}`)
			require.NotEmpty(b, id)
			post(b, r.URL, token, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		}
		b.ReportMetric(resident(b, cmd.Process.Pid), "sessions-MB")
		b.ReportMetric(0, "ns/op")
		cancel()
		_ = cmd.Wait() // it was killed
		require.NoError(b, os.Remove(ready))
	}
}

func post(b *testing.B, url, token, session, body string) string {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/mcp", strings.NewReader(body))
	require.NoError(b, err)
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token, "Mcp-Session-Id": session} {
		if v != "" {
			req.Header.Set(k, v)
		}
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(b, err)
	defer res.Body.Close()
	require.Less(b, res.StatusCode, 300)
	return res.Header.Get("Mcp-Session-Id")
}

// resident is the memory of a process in megabytes.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(b, err)
	for line := range strings.Lines(string(text)) {
		var kB float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kB); err == nil {
			return kB / 1000
		}
	}
	b.Fatal("the process does not tell its memory")
	return 0
}
