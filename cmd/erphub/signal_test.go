//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
)

// serving starts the program and waits until it says, on standard error, that
// it responds at an address. end waits for its end and returns the exit code.
func serving(t *testing.T, args ...string) (cmd *exec.Cmd, url string, end func() int) {
	t.Helper()
	return servingIn(t, nil, args...)
}

// servingIn is serving with more in the environment.
func servingIn(t *testing.T, env []string, args ...string) (cmd *exec.Cmd, url string, end func() int) {
	t.Helper()
	program, err := exec.LookPath("erphub") // where testscript put it
	require.NoError(t, err)
	cmd = exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(append(os.Environ(), "ERPHUB_CONFIG="+filepath.Join(t.TempDir(), "config.yaml")), env...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	for url == "" && lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), "http://"); ok {
			url = "http://" + strings.Fields(after)[0]
		}
	}
	require.NotEmpty(t, url, "it says where it responds")
	return cmd, url, func() int {
		for lines.Scan() { // the pipe must be empty before Wait
			t.Log(lines.Text())
		}
		_ = cmd.Wait() // the code tells
		return cmd.ProcessState.ExitCode()
	}
}

// Ctrl-C and the signal of service managers end a server in order.
func TestServersEndOnSignals(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"sandbox": {"sandbox", "--listen", "127.0.0.1:0"},
		"demo":    {"demo", "--serve"},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(name+" "+sig.String(), func(t *testing.T) {
				t.Parallel()
				cmd, url, end := serving(t, args...)
				resp, err := http.Get(url + "/api/v1/health")
				require.NoError(t, err)
				resp.Body.Close()
				require.NoError(t, cmd.Process.Signal(sig))
				assert.Zero(t, end())
			})
		}
	}
}

// run runs a command in this process and returns all it printed.
func run(ctx context.Context, t *testing.T, url string, args ...string) (code int, printed string) {
	t.Helper()
	var out bytes.Buffer
	code = execute(ctx, append([]string{"erphub"}, args...), []string{
		"ERPHUB_CONFIG=" + filepath.Join(t.TempDir(), "config.yaml"),
		"ERP_URL=" + url, "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System",
	}, shell.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	return code, out.String()
}

// columnsOf asks a server for the number of columns of a table.
func columnsOf(t *testing.T, url, table string) int {
	t.Helper()
	code, out := run(t.Context(), t, url, "record", "list", "AD_Column", "--filter",
		"AD_Table_ID eq "+tableID(t, url, table), "--select", "ColumnName", "--all", "-o", "ndjson")
	require.Zero(t, code, out)
	return strings.Count(out, "ColumnName")
}

func tableID(t *testing.T, url, table string) string {
	t.Helper()
	code, out := run(t.Context(), t, url, "record", "list", "AD_Table", "--filter", "TableName eq '"+table+"'", "--select", "TableName", "--json")
	require.Zero(t, code, out)
	var response struct {
		Records []struct {
			ID json.Number `json:"id"`
		} `json:"records"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &response), out)
	require.Len(t, response.Records, 1, "one table %s", table)
	return response.Records[0].ID.String()
}

// A sandbox that is killed in the middle of making a table starts again on
// what it had, and the table can be finished.
func TestSandboxIsKilled(t *testing.T) {
	t.Parallel()
	data, checkpoint := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "checkpoint.json")
	cmd, url, end := serving(t, "sandbox", "--listen", "127.0.0.1:0", "--data", data)
	var requests atomic.Int64
	var behind atomic.Pointer[string]
	behind.Store(&url)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models/AD_Column") && r.Method == http.MethodPost && requests.Add(1) == 8 {
			_ = cmd.Process.Kill()
			panic(http.ErrAbortHandler)
		}
		pass(w, r, *behind.Load())
	}))
	t.Cleanup(front.Close)
	code, out := run(t.Context(), t, front.URL, "add", "table", "XX_Killed", "--document", "--batch", "1", "--checkpoint", checkpoint)
	require.NotZero(t, code, out)
	require.NotZero(t, end())

	_, again, _ := serving(t, "sandbox", "--listen", "127.0.0.1:0", "--data", data)
	behind.Store(&again)
	code, out = run(t.Context(), t, front.URL, "add", "table", "XX_Killed", "--document", "--batch", "1", "--checkpoint", checkpoint, "--resume")
	require.Zero(t, code, out)
	assert.Equal(t, 17, columnsOf(t, again, "XX_Killed"))
	code, out = run(t.Context(), t, again, "record", "list", "XX_Killed")
	require.Zero(t, code, out)
}

// pass hands a request on to another server.
func pass(w http.ResponseWriter, r *http.Request, url string) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, url+r.URL.RequestURI(), r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	out.Header, out.ContentLength = r.Header.Clone(), r.ContentLength
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	var body bytes.Buffer
	_, _ = body.ReadFrom(resp.Body)
	_, _ = w.Write(body.Bytes())
}

// Ctrl-C in the middle of add table leaves a checkpoint that the next run goes
// on from.
func TestAddTableInterrupted(t *testing.T) {
	t.Parallel()
	for name, batch := range map[string]string{"single": "1", "batches": "5"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			creations := 0
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && !strings.Contains(r.URL.Path, "/auth/") {
					if creations++; creations == 4 {
						cancel()
					}
				}
				srv.ServeHTTP(w, r)
			}))
			t.Cleanup(front.Close)
			checkpoint := filepath.Join(t.TempDir(), "run.json")
			args := []string{"add", "table", "XX_Stopped", "--document", "--batch", batch, "--checkpoint", checkpoint}
			code, out := run(ctx, t, front.URL, args...)
			require.Equal(t, 130, code, out)
			assert.Contains(t, out, "(resume from "+checkpoint+")")
			text, err := os.ReadFile(checkpoint)
			require.NoError(t, err)
			require.True(t, json.Valid(text))

			code, out = run(t.Context(), t, front.URL, append(args, "--resume", "--json")...)
			require.Zero(t, code, out)
			assert.Contains(t, out, `"synced": true`)
			assert.Equal(t, 17, columnsOf(t, srv.URL(), "XX_Stopped"))
		})
	}
}
