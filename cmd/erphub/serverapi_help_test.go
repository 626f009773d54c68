package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
)

// program is a run of a server command in this process.
type program struct {
	t           testing.TB
	url         string
	pid         int
	readyFile   string
	out, errOut syncbuffer.Buffer
	cancel      context.CancelFunc
	code        chan int
}

// serve runs a server command until it responds. The test stops it.
func serve(t testing.TB, env []string, args ...string) *program {
	t.Helper()
	dir := t.TempDir()
	p := &program{t: t, readyFile: filepath.Join(dir, "ready"), code: make(chan int, 1)}
	require.NoError(t, os.WriteFile(p.readyFile, []byte("of an earlier run"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	p.cancel = cancel
	args = append(append([]string{"erphub"}, args...), "--listen", "127.0.0.1:0", "--ready-file", p.readyFile)
	go func() {
		p.code <- execute(ctx, args, append([]string{"HOME=" + dir}, env...), shell.Streams{In: strings.NewReader(""), Out: &p.out, Err: &p.errOut})
	}()
	var ready struct {
		URL string
		PID int
	}
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		text, err := os.ReadFile(p.readyFile)
		if err == nil && json.Unmarshal(text, &ready) == nil {
			tick.Stop()
			break
		}
		select {
		case code := <-p.code:
			cancel()
			t.Fatalf("it ended with %d before it responded: %s", code, &p.errOut)
		default:
		}
	}
	p.url, p.pid = ready.URL, ready.PID
	return p
}

// stop ends the program and returns its exit code.
func (p *program) stop() int {
	p.t.Helper()
	p.cancel()
	select {
	case code := <-p.code:
		return code
	case <-time.After(30 * time.Second):
		p.t.Fatalf("the server does not end: %s", &p.errOut)
		return -1
	}
}

// call makes a request and returns status and body. change may be nil.
func (p *program) call(method, path, body string, change func(*http.Request)) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	require.NoError(p.t, err)
	if change != nil {
		change(req)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(p.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(p.t, err)
	return resp.StatusCode, string(text)
}
