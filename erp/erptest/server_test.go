package erptest_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
)

func TestRoutingComesBeforeAuthentication(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, _ := logIn(t, srv, asGardenAdmin)
	for _, tc := range []struct {
		name    string
		request request
		status  int
		allow   string
	}{
		{name: "unknown path", request: request{method: "GET", path: "/nowhere"}, status: 404},
		{name: "wrong verb", request: request{method: "DELETE", path: "/models/C_Order"}, status: 405, allow: "GET,HEAD,OPTIONS,POST"},
		{name: "wrong verb on a public route", request: request{method: "GET", path: "/auth/tokens"}, status: 405, allow: "OPTIONS,POST,PUT"},
		{name: "body of another type", request: request{method: "POST", path: "/models/C_Order", body: "<a/>", header: http.Header{"Content-Type": {"text/xml"}}}, status: 415},
		{name: "response of another type wanted", request: request{method: "GET", path: "/models/C_Order", header: http.Header{"Accept": {"text/xml"}}}, status: 406},
		{name: "any type wanted", request: request{method: "GET", path: "/models/C_Order", token: token, header: http.Header{"Accept": {"text/xml, */*;q=0.1"}}}, status: 200},
		{name: "OPTIONS needs no token", request: request{method: "OPTIONS", path: "/models/C_Order"}, status: 200, allow: "GET,HEAD,OPTIONS,POST"},
		{name: "HEAD is handled by GET", request: request{method: "HEAD", path: "/models/C_Order", token: token}, status: 200},
		{name: "trailing slash", request: request{method: "GET", path: "/models/C_Order/", token: token}, status: 200},
		{name: "known path without token", request: request{method: "GET", path: "/models/C_Order"}, status: 401},
		{name: "int parameter", request: request{method: "GET", path: "/auth/roles?client=x", token: token}, status: 404},
		{name: "TRACE", request: request{method: "TRACE", path: "/models/C_Order"}, status: 405, allow: "GET,HEAD,OPTIONS,POST"},
		{name: "a percent sign alone is no path", request: request{method: "GET", path: "/models/%00"}, status: 400},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := tc.request.do(t, srv)
			assert.Equal(t, tc.status, a.status, a.body)
			assert.Equal(t, tc.allow, strings.Join(a.header.Values("Allow"), ","))
			if tc.request.method == "HEAD" {
				assert.Empty(t, a.body)
			}
			if tc.status >= 400 {
				assert.True(t, a.isContainerPage(), a.body)
			}
		})
	}
}

func TestPatchIsPutUnlessStrict(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		srv := erptest.New(t, erptest.Options{Strict: strict})
		token, _ := logIn(t, srv, asGardenAdmin)
		a := request{method: "PATCH", path: "/models/C_BPartner/118", token: token, body: `{"Description":"patched"}`}.do(t, srv)
		if strict {
			assert.Equal(t, http.StatusMethodNotAllowed, a.status)
			assert.Equal(t, "DELETE,GET,HEAD,OPTIONS,PUT", strings.Join(a.header.Values("Allow"), ","))
			continue
		}
		require.Equal(t, http.StatusOK, a.status, a.body)
		assert.Equal(t, "patched", a.object(t)["Description"])
	}
}

func TestSizesAreBounded(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t, erptest.Options{MaxBodyBytes: 1000})
	a := request{method: "POST", path: "/auth/tokens", body: `{"userName":"` + strings.Repeat("x", 1000) + `"}`}.do(t, srv)
	assert.Equal(t, http.StatusRequestEntityTooLarge, a.status)
	a, err := request{method: "GET", path: "/health", header: http.Header{"X-Long": {strings.Repeat("x", 1<<20)}}}.try(t, srv)
	if err == nil { // else the server hung up while the header was on its way
		assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, a.status)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := erptest.New(t, erptest.Options{Clock: clock.Now})
	get := func(query string) response { return request{method: "GET", path: "/health" + query}.do(t, srv) }
	for query, want := range map[string]string{
		"": `{"status":"UP"}`, "?db=true": `{"status":"UP","database":"connected"}`, "?db=TRUE": `{"status":"UP","database":"connected"}`,
		"?db=1": `{"status":"UP"}`, "?key=unneeded": `{"status":"UP"}`,
	} {
		a := get(query)
		assert.Equal(t, http.StatusOK, a.status)
		assert.Equal(t, want, a.body, query)
	}
	setConfig(t, srv, "REST_HEALTH_MONITORING_KEY", "open sesame")
	assert.Equal(t, http.StatusUnauthorized, get("").status)
	assert.Equal(t, http.StatusUnauthorized, get("?key=open").status)
	assert.Equal(t, http.StatusOK, get("?key=open%20sesame").status)
}

func TestHealthIsCached(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv, err := erptest.Open(t.Context(), erptest.Options{Clock: clock.Now})
	require.NoError(t, err)
	ask := func() (int, string) {
		w := newRecorder()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/health?db=true", nil)
		require.NoError(t, err)
		srv.ServeHTTP(w, r)
		return w.status, w.body.String()
	}
	status, _ := ask()
	assert.Equal(t, http.StatusOK, status)
	require.NoError(t, srv.Close())
	clock.Advance(19 * time.Second)
	status, _ = ask()
	assert.Equal(t, http.StatusOK, status, "as 19 s ago")
	clock.Advance(time.Second)
	status, body := ask()
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Equal(t, `{"status":"DOWN","database":"disconnected"}`, body)
}

// recorder is an http.ResponseWriter in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRecorder() *recorder                    { return &recorder{header: http.Header{}} }
func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// Requests under way are completed when the server stops; new ones are not
// taken.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	srv, err := erptest.Open(t.Context(), erptest.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, srv.Close()) }()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, ln) }()

	gate := make(chan struct{})
	fault := srv.Faults().On(erptest.Match{Path: "/health", N: 1}, erptest.Hold(gate))
	conn, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	for fault.Hits() == 0 {
		runtime.Gosched()
	}
	cancel()
	for { // until the listener is closed
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			break
		}
		c.Close()
	}
	close(gate)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.NoError(t, <-served)
}

func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	out := &syncbuffer.Buffer{}
	logger := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	srv := erptest.New(t, erptest.Options{Logger: logger})
	token, refreshToken := logIn(t, srv, asGardenAdmin)
	for range 2 { // the second time is logged as a breach
		refresh(t, srv, refreshBody(refreshToken, 11, 101))
	}
	probe(t, srv, token)
	request{method: "POST", path: "/auth/tokens", body: `{"userName":"GardenAdmin","password":"hunter2"}`}.do(t, srv)
	logged := out.String()
	assert.Contains(t, logged, "used twice")
	for _, secret := range []string{token, refreshToken, "hunter2", srv.TokenSecret()} {
		assert.NotContains(t, logged, secret)
	}
}

// A file survives a restart: data, secret, tokens and rotation.
func TestFileSurvivesRestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "erp.db")
	open := func() (*erptest.Server, func()) {
		srv, err := erptest.Open(t.Context(), erptest.Options{Path: path})
		require.NoError(t, err)
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- srv.Serve(ctx, ln) }()
		for srv.URL() == "" { // Serve sets it first
			runtime.Gosched()
		}
		return srv, func() {
			cancel()
			assert.NoError(t, <-served)
			assert.NoError(t, srv.Close())
		}
	}
	srv, stop := open()
	token, refreshToken := logIn(t, srv, asGardenAdmin)
	stop()
	srv, stop = open()
	defer stop()
	assert.True(t, letIn(t, srv, token))
	assert.Equal(t, http.StatusOK, refresh(t, srv, refreshBody(refreshToken, 11, 101)).status)
	assert.Equal(t, invalidRefresh, refresh(t, srv, refreshBody(refreshToken, 11, 101)).body)
}

// The header Date tells the time the server lives in, because clients compare
// it with their own clock.
func TestDateIsTheServersClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	srv := erptest.New(t, erptest.Options{Clock: func() time.Time { return at }})
	for _, path := range []string{"/api/v1/models/C_Order", "/api/v1/health", "/nowhere"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL()+path, nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, []string{"Mon, 03 Feb 2031 04:05:06 GMT"}, resp.Header.Values("Date"), path)
	}
}
