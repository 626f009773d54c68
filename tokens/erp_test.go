package tokens_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
	"github.com/erphub/erphub/internal/testkit/testclock"
	"github.com/erphub/erphub/tokens"
)

func newClock() *testclock.Clock { return testclock.New(time.Now()) }

// garden is the demo user of the embedded ERP.
var garden = tokens.Login{Username: "GardenAdmin", Password: tokens.NewSecret("GardenAdmin"), Client: "11", Role: "102", Organization: "11"}

// front is the embedded ERP behind a door that counts what comes by, looks
// for refresh tokens sent twice, and can do one thing to a request.
type front struct {
	*httptest.Server
	erp *erptest.Server

	mu        sync.Mutex
	refreshes []string       // refresh tokens in the order they came
	count     map[string]int // by "METHOD /path status"
	fault     fault
}

// fault may handle the request itself instead of passing it on.
type fault func(w http.ResponseWriter, r *http.Request, pass func())

func newFront(t *testing.T, server *testclock.Clock) *front {
	t.Helper()
	f := &front{count: map[string]int{}}
	opts := erptest.Options{Strict: true}
	if server != nil {
		opts.Clock = server.Now
	}
	f.erp = erptest.New(t, opts)
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *front) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/auth/refresh") {
		data, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(data))
		var body struct {
			RefreshToken string `json:"refresh_token"`
		}
		_ = json.Unmarshal(data, &body)
		f.mu.Lock()
		f.refreshes = append(f.refreshes, body.RefreshToken)
		plant(body.RefreshToken)
		f.mu.Unlock()
	}
	f.mu.Lock()
	fault := f.fault
	f.mu.Unlock()
	seen := &seenStatus{ResponseWriter: w, status: 200}
	pass := func() { f.erp.ServeHTTP(seen, r) }
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.count[r.Method+" "+r.URL.Path+" "+http.StatusText(seen.status)]++
	}()
	if fault != nil {
		fault(seen, r, pass)
		return
	}
	pass()
}

type seenStatus struct {
	http.ResponseWriter
	status int
}

func (s *seenStatus) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (f *front) setFault(x fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = x
}

const (
	loginOK      = "POST /api/v1/auth/tokens OK"
	loginRefused = "POST /api/v1/auth/tokens Unauthorized"
	refreshOK    = "POST /api/v1/auth/refresh OK"
	refreshNo    = "POST /api/v1/auth/refresh Unauthorized"
	logoutOK     = "POST /api/v1/auth/logout OK"
)

func (f *front) counted(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[what]
}

// spent returns how many refresh tokens came, and how many of them twice.
func (f *front) spent() (all, twice int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := map[string]bool{}
	for _, r := range f.refreshes {
		if seen[r] {
			twice++
		}
		seen[r] = true
	}
	return len(f.refreshes), twice
}

// works calls the ERP with the token, and returns the status.
func (f *front) works(t testing.TB, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.erp.URL()+"/api/v1/models/AD_Org/11", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// manager makes one for the front with a test logger.
func (f *front) manager(t testing.TB, opts ...tokens.Option) *tokens.Manager {
	t.Helper()
	m, err := tokens.NewManager(f.URL, append([]tokens.Option{tokens.WithLogger(testLog)}, opts...)...)
	require.NoError(t, err)
	return m
}

// token gets a token that must come.
func token(t testing.TB, m *tokens.Manager) string {
	t.Helper()
	got, err := m.Token(t.Context())
	require.NoError(t, err)
	plant(got)
	return got
}

// testLog collects every record of the tests at level debug; TestMain looks
// for secrets in it.
var (
	testLogged syncbuffer.Buffer
	testLog    = slog.New(slog.NewJSONHandler(&testLogged, &slog.HandlerOptions{Level: slog.LevelDebug}))
)
