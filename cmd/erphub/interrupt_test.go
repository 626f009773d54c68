//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

// slowRefresh is an ERP that takes its time for refreshes, before and after it
// makes them.
type slowRefresh struct {
	*httptest.Server
	erp *erptest.Server

	mu            sync.Mutex // guards what follows
	before, after time.Duration
	begun         chan struct{} // gets an element when a refresh arrives
}

func newSlowRefresh(t *testing.T) *slowRefresh {
	t.Helper()
	s := &slowRefresh{erp: erptest.New(t), begun: make(chan struct{}, 16)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/auth/refresh") {
			s.erp.ServeHTTP(w, r)
			return
		}
		s.mu.Lock()
		before, after := s.before, s.after
		s.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.begun <- struct{}{}
		select {
		case <-time.After(before):
		case <-r.Context().Done():
			return
		}
		made := httptest.NewRecorder()
		s.erp.ServeHTTP(made, r)
		select {
		case <-time.After(after):
		case <-r.Context().Done():
			return
		}
		for name, values := range made.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(made.Code)
		_, _ = w.Write(made.Body.Bytes())
	}))
	t.Cleanup(s.Close)
	return s
}

// takes sets how long a refresh takes, before and after it is made.
func (s *slowRefresh) takes(before, after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.after = before, after
}

// login stores a login whose every use refreshes it first, and returns the
// configuration file.
func (s *slowRefresh) login(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte("url: "+s.URL+"\nauth.refresh-buffer: 4h\nauth.token-lifetime: 10h\n"), 0o600))
	require.NoError(t, s.manager(t, path).Login(t.Context(), tokens.Login{
		Username: "GardenAdmin", Password: tokens.NewSecret("GardenAdmin"), Client: "11", Role: "102", Organization: "11"}))
	return path
}

// manager makes a manager over the stored login that knows nothing of earlier
// ones.
func (s *slowRefresh) manager(t *testing.T, path string) *tokens.Manager {
	t.Helper()
	store, err := filestore.Open(path)
	require.NoError(t, err)
	m, err := tokens.NewManager(s.URL, tokens.WithStore(store), tokens.WithHoldOff(0))
	require.NoError(t, err)
	return m
}

// start starts the program with a stored login.
func start(t *testing.T, path string, args ...string) (cmd *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	program, err := exec.LookPath("erphub") // where testscript put it
	require.NoError(t, err)
	cmd = exec.CommandContext(t.Context(), program, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "ERPHUB_CONFIG=" + path}
	said = &bytes.Buffer{}
	cmd.Stderr = said
	require.NoError(t, cmd.Start())
	return cmd, said
}

// A stored login is not lost by an interrupt: whatever the moment of SIGINT,
// SIGTERM or SIGHUP, once or twice, the pair that is stored afterwards is whole
// and can be refreshed. ERPHUB_PROOF=1 tries more moments.
func TestInterruptKeepsTheLogin(t *testing.T) {
	t.Parallel()
	rounds := 16
	switch {
	case whole():
		rounds = 400
	case testing.Short():
		rounds = 6
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	moment := func(most int) time.Duration { return time.Duration(random.IntN(most*1000)) * time.Microsecond }
	s := newSlowRefresh(t)
	path := s.login(t)
	commands := [][]string{{"record", "list", "AD_Org"}, {"auth", "refresh"}, {"process", "list"}}
	signals := [][]syscall.Signal{{syscall.SIGINT}, {syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGINT}, {syscall.SIGHUP}, {syscall.SIGTERM, syscall.SIGINT, syscall.SIGINT}}
	cut := 0
	for round := range rounds {
		s.takes(moment(60), moment(60))
		args, sent := commands[random.IntN(len(commands))], signals[random.IntN(len(signals))]
		cmd, said := start(t, path, args...)
		if round%4 != 0 {
			select { // most moments of interest are during a refresh
			case <-s.begun:
			case <-time.After(20 * time.Second):
				require.Fail(t, "no refresh", "%v: %s", args, said)
			}
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait()
		}()
		select {
		case <-time.After(moment(130)): // the moment is the test
		case <-ended:
		}
		for _, sig := range sent {
			_ = cmd.Process.Signal(sig) // it may have ended
		}
		<-ended
		what := fmt.Sprintf("round %d: %v with %v: exit code %d: %s", round, args, sent, cmd.ProcessState.ExitCode(), said)
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			cut++
			// The program may get a signal before it listens to any.
			assert.Contains(t, []int{130, -1}, code, what)
		}
		s.takes(0, 0)
		m := s.manager(t, path)
		status, err := m.Status(t.Context())
		require.NoError(t, err, what)
		require.False(t, status.Interrupted, what)
		require.NoError(t, m.Refresh(t.Context()), what)
		for len(s.begun) > 0 {
			<-s.begun
		}
	}
	t.Logf("%d of %d were cut off", cut, rounds)
	require.NotZero(t, cut)
}

func whole() bool { return os.Getenv("ERPHUB_PROOF") != "" }

// The wait for a refresh is bounded, and a person is told about it.
func TestInterruptDuringEndlessRefresh(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as long as the program does")
	}
	t.Parallel()
	s := newSlowRefresh(t)
	path := s.login(t)
	s.takes(30*time.Second, 0)
	cmd, said := start(t, path, "auth", "refresh")
	<-s.begun
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	assert.Equal(t, 130, cmd.ProcessState.ExitCode())
	assert.Contains(t, said.String(), "waiting up to 10s for a token refresh")
	assert.Contains(t, said.String(), "did not finish within 10s")
}
