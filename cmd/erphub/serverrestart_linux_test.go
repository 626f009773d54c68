package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/syncbuffer"
)

// manager does what systemd does for a server: it listens for it and hears how it is.
type manager struct {
	t      *testing.T
	socket *os.File
	url    string
	notify string
	told   chan string
	log    syncbuffer.Buffer
}

func newManager(t *testing.T) *manager {
	t.Helper()
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	m := &manager{t: t, url: "http://" + ln.Addr().String(), notify: filepath.Join(t.TempDir(), "notify"), told: make(chan string, 1000)}
	m.socket, err = ln.File()
	require.NoError(t, err)
	require.NoError(t, ln.Close()) // the file keeps it open
	hear, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: m.notify, Net: "unixgram"})
	require.NoError(t, err)
	go func() {
		buffer := make([]byte, 1000)
		for {
			n, err := hear.Read(buffer)
			if err != nil {
				return
			}
			m.told <- string(buffer[:n])
		}
	}()
	t.Cleanup(func() {
		hear.Close()
		m.socket.Close()
		if t.Failed() {
			t.Log(m.log.String())
		}
	})
	return m
}

// start starts the program with the socket and waits until it says that it is ready.
func (m *manager) start(args ...string) *exec.Cmd {
	m.t.Helper()
	program, err := exec.LookPath("erphub") // where testscript put it
	require.NoError(m.t, err)
	// LISTEN_PID is the process's own id, which the shell has before it becomes the program.
	cmd := exec.CommandContext(m.t.Context(), "/bin/sh", append([]string{"-c", `LISTEN_PID=$$ WATCHDOG_PID=$$ exec "$0" "$@"`, program}, args...)...)
	cmd.Env = append(os.Environ(), "ERPHUB_CONFIG="+filepath.Join(m.t.TempDir(), "config.yaml"), "LISTEN_FDS=1", "NOTIFY_SOCKET="+m.notify, "WATCHDOG_USEC=100000")
	cmd.ExtraFiles = []*os.File{m.socket}
	cmd.Stderr = &m.log
	require.NoError(m.t, cmd.Start())
	m.hear("READY=1")
	return cmd
}

// hear waits until the server tells a state.
func (m *manager) hear(state string) {
	m.t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case told := <-m.told:
			if told == state {
				return
			}
		case <-late:
			m.t.Fatalf("the server never told %s: %s", state, m.log.String())
		}
	}
}

// A server that is restarted five times under load fails no request: systemd keeps
// the socket, and the server ends connections in order.
func TestRestartLosesNoRequest(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(signingSecret), 0o600))
	args := []string{"server", "api", "--url", "http://127.0.0.1:1", "--jwt-secret-file", secret, "--listen", "nowhere"}
	server := m.start(args...)
	m.hear("WATCHDOG=1")

	const clients = 4
	var user, done atomic.Int64
	failures := make(chan error, clients)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range clients {
		client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
		all.Go(func() {
			defer client.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := generateOnce(client, m.url, signedFor(t, int(user.Add(1)))); err != nil {
					failures <- fmt.Errorf("%s after %d: %w", time.Now().Format("05.000"), done.Load(), err)
					return
				}
				done.Add(1)
			}
		})
	}
	for restart := range 5 {
		before := done.Load()
		require.Eventually(t, func() bool { return done.Load() > before+20 || len(failures) > 0 }, 30*time.Second, time.Millisecond)
		require.NoError(t, server.Process.Signal(syscall.SIGTERM))
		m.hear("STOPPING=1")
		require.NoError(t, server.Wait(), "restart %d", restart)
		server = m.start(args...)
	}
	close(stop)
	all.Wait()
	close(failures)
	for err := range failures {
		assert.NoError(t, err)
	}
	require.NoError(t, server.Process.Signal(syscall.SIGTERM))
	require.NoError(t, server.Wait())
	t.Logf("%d requests over five restarts", done.Load())
}

// generateOnce asks for a plugin by a request that clients do not retry by themselves.
func generateOnce(client *http.Client, base, token string) error {
	req, err := http.NewRequest(http.MethodPost, base+"/api/generate/plugin", strings.NewReader(`{"artifactId":"com.example.a","output":"archive"}`)) //nolint:noctx // the client has a timeout
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, body)
	}
	return err
}

// The access log has the request id that the response has and the trace that the
// request had, which the ERP gets, too; and nothing of the token.
func TestTraceOfARequest(t *testing.T) {
	t.Parallel()
	const trace = "0af7651916cd43dd8448eb211c80319c"
	var erpSaw syncbuffer.Buffer
	erp := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(&erpSaw, r.Header.Get("Traceparent"))
		http.Error(w, `{"title":"none"}`, http.StatusNotFound)
	})}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- erp.Serve(ln) }()
	t.Cleanup(func() {
		assert.NoError(t, erp.Close())
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	p := serve(t, []string{"ERP_URL=http://" + ln.Addr().String(), "ERP_TOKEN=" + signedFor(t, 1)}, "server", "api", "--access-log", "--log-format", "json")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/api/deployments?environment=Kanarienvogel", nil)
	require.NoError(t, err)
	req.Header.Set("Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
	req.Header.Set("Authorization", "Bearer "+signedFor(t, 2))
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	id := resp.Header.Get("X-Request-Id")
	require.NotEmpty(t, id)
	var line map[string]any
	require.Eventually(t, func() bool {
		for text := range strings.Lines(p.errOut.String()) {
			if strings.Contains(text, id) {
				return json.Unmarshal([]byte(text), &line) == nil
			}
		}
		return false
	}, 20*time.Second, 5*time.Millisecond, p.errOut.String())
	assert.Equal(t, trace, line["trace"])
	assert.Equal(t, "GET", line["method"])
	assert.Equal(t, "127.0.0.1", line["client"])
	assert.Positive(t, line["bytes"])
	assert.Contains(t, erpSaw.String(), "00-"+trace+"-")
	assert.NotContains(t, p.errOut.String(), "eyJ", "a token")
	assert.NotContains(t, p.errOut.String(), "Kanarienvogel", "a query")
	status, text := p.call(http.MethodGet, "/metrics", "", nil)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, text, "erphub_build_info{version=")
}
