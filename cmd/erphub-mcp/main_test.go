package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
)

// programVariable makes the test binary the program.
const programVariable = "ERPHUB_MCP_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// program is a running tool server.
type program struct {
	url     string
	metrics string // where they are shown, with measured
	cmd     *exec.Cmd
	ended   chan struct{} // closed when it did
	log     *syncbuffer.Buffer
}

// run starts this test binary as the program and waits until it responds. It
// sees no settings but env.
func run(t testing.TB, env []string, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return runBinary(t, self, env, args...)
}

// runBinary is run with another binary of the program.
func runBinary(t testing.TB, binary string, env []string, args ...string) *program {
	t.Helper()
	dir := t.TempDir()
	ready := filepath.Join(dir, "ready")
	ended := make(chan struct{})
	p := &program{log: &syncbuffer.Buffer{}, ended: ended}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p.cmd = exec.CommandContext(ctx, binary, append([]string{"--listen", "127.0.0.1:0", "--ready-file", ready}, args...)...)
	p.cmd.Env = append([]string{programVariable + "=1", "HOME=" + dir, "PATH=" + os.Getenv("PATH")}, env...)
	p.cmd.Stderr = p.log
	require.NoError(t, p.cmd.Start())
	go func() { _ = p.cmd.Wait(); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	require.Eventually(t, func() bool {
		select {
		case <-ended:
			t.Fatalf("the program ended: %s", p.log.String())
		default:
		}
		text, err := os.ReadFile(ready)
		var r httpserver.Ready
		if err != nil || json.Unmarshal(text, &r) != nil {
			return false
		}
		p.url = r.URL
		return true
	}, time.Minute, 5*time.Millisecond, "%s", p.log)
	return p
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// connect is a session of the official Go client.
func connect(t testing.TB, url, token, version string) *sdk.ClientSession {
	t.Helper()
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "story", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}, nil
		},
	}).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}},
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close() })
	return cs
}

// args are arguments of a tool.
type args map[string]any

// loading is in the response of a tool that needs the ERP's dictionary while that is
// read for the first time, as callers are told who then call again.
const loading = `"code":"loading"`

// call is what a tool returns, for programs where it has a form for them, and
// whether that is a failure. A dictionary that is being read is waited for.
func call(t testing.TB, cs *sdk.ClientSession, tool string, arguments args) (response string, failed bool) {
	t.Helper()
	response, failed = callOnce(t, cs, tool, arguments)
	for end := time.Now().Add(2 * time.Minute); failed && strings.Contains(response, loading) && time.Now().Before(end); {
		response, failed = callOnce(t, cs, tool, arguments)
	}
	return response, failed
}

func callOnce(t testing.TB, cs *sdk.ClientSession, tool string, arguments args) (response string, failed bool) {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(t, err, tool)
	if res.StructuredContent != nil {
		raw, err := json.Marshal(res.StructuredContent)
		require.NoError(t, err)
		return string(raw), res.IsError
	}
	var b strings.Builder
	for _, c := range res.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String(), res.IsError
}

// do decodes the result of a tool, which must be no failure. On a machine so busy
// that the ERP gives no sign of life for seconds, it is asked again.
func do[T any](t testing.TB, cs *sdk.ClientSession, tool string, arguments args) (out T) {
	t.Helper()
	response, failed := call(t, cs, tool, arguments)
	for end := time.Now().Add(time.Minute); failed && strings.Contains(response, `"code":"unreachable"`) && time.Now().Before(end); {
		response, failed = call(t, cs, tool, arguments)
	}
	require.False(t, failed, "%s %v: %s", tool, arguments, response)
	require.NoError(t, json.Unmarshal([]byte(response), &out), response)
	return out
}
