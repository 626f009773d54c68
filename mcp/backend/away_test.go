package backend_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/tokens"
)

// anyRead is every request for records.
var anyRead = erptest.Match{Method: http.MethodGet, Path: "/models/..."}

// over is a backend over an embedded ERP with pages as large as it likes.
func over(t *testing.T, o backend.RESTOptions) (*erptest.Server, *backend.RESTBackend) {
	t.Helper()
	srv := erptest.New(t)
	require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "1000"))
	if o.Registry.Wait == 0 {
		o.Registry.Wait = patient.Wait
	}
	b, err := backend.NewREST(srv.URL(), &o)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return srv, b
}

// patient waits for a dictionary however busy the machine is.
var patient = backend.RegistryOptions{Wait: 5 * time.Minute}

// fastFail makes a connection that does not try again by itself.
var fastFail = []erp.Option{erp.WithRetryPolicy(erp.RetryPolicy{})}

// A dictionary that takes longer than a call may wait is read on after the call,
// which is told how far it is; a later call finds it.
func TestSlowDictionary(t *testing.T) {
	t.Parallel()
	srv, b := over(t, backend.RESTOptions{Registry: backend.RegistryOptions{Wait: 50 * time.Millisecond}})
	admin := caller(t, srv, "GardenAdmin", 11, 102, 11)
	gate := make(chan struct{})
	srv.Faults().On(erptest.Match{Method: http.MethodGet, Path: "/models/*", N: 12, Times: 1000}, erptest.Hold(gate))

	_, err := b.Registry(t.Context(), admin)
	e := mcp.ErrorOf(err)
	require.Equal(t, mcp.CodeLoading, e.Code, "%v", err)
	assert.Positive(t, e.RetryAfter)
	assert.Contains(t, e.Hint, "try again in")
	require.Eventually(t, func() bool { // the reading went on as far as it can
		_, err := b.Registry(t.Context(), admin)
		return assert.ObjectsAreEqual(mcp.CodeLoading, mcp.ErrorOf(err).Code) && srv.Faults().Count(anyRead) >= 12
	}, 20*time.Second, time.Millisecond)
	_, err = b.Registry(t.Context(), admin)
	assert.Regexp(t, `the first time: ([1-9]|1\d) of \d+ requests done`, mcp.ErrorOf(err).Message)

	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err = b.Registry(ctx, admin)
	require.Error(t, err, "a call without time does not end the reading")
	close(gate)
	require.Eventually(t, func() bool {
		_, err := b.Registry(t.Context(), admin)
		return err == nil
	}, 30*time.Second, time.Millisecond)
}

// What was read stays read: while the ERP is away in the middle of it the calls
// are told so, and when it is back the reading goes on where it was. A reading
// costs as many requests as one that nothing got in the way of, and one more for
// each that failed.
func TestDictionaryGoesOn(t *testing.T) {
	t.Parallel()
	srv, b := over(t, backend.RESTOptions{Client: fastFail})
	admin := caller(t, srv, "GardenAdmin", 11, 102, 11)
	_, err := b.Registry(t.Context(), admin)
	require.NoError(t, err)
	whole := srv.Faults().Count(anyRead)

	another, err := backend.NewREST(srv.URL(), &backend.RESTOptions{Client: fastFail, Registry: patient})
	require.NoError(t, err)
	t.Cleanup(another.Close)
	srv.Faults().Reset()
	cut := srv.Faults().On(erptest.Match{Method: http.MethodGet, Path: "/models/*", N: whole / 2, Times: 1000}, erptest.CutBefore())
	_, err = another.Registry(t.Context(), admin)
	e := mcp.ErrorOf(err)
	require.Equal(t, mcp.CodeUnreachable, e.Code, "%v", err)
	assert.Regexp(t, `\d+ of \d+ requests are done, and it goes on from there`, e.Message)
	assert.Positive(t, e.RetryAfter)
	cut.Remove()
	require.Eventually(t, func() bool {
		_, err = another.Registry(t.Context(), admin)
		return err == nil
	}, 30*time.Second, time.Millisecond, "%v", err)
	assert.Equal(t, whole+cut.Hits(), srv.Faults().Count(anyRead))
}

// A loaded dictionary serves on when the ERP cannot be asked, and says so; a
// user whose token the ERP refuses is refused.
func TestLoadedDictionaryServesOn(t *testing.T) {
	t.Parallel()
	srv, b := over(t, backend.RESTOptions{Client: fastFail, Registry: backend.RegistryOptions{Fresh: -1, RefreshWait: time.Minute}})
	admin := caller(t, srv, "GardenAdmin", 11, 102, 11)
	reg, err := b.Registry(t.Context(), admin)
	require.NoError(t, err)
	assert.Empty(t, backend.StaleNote(reg))
	away := srv.Faults().On(erptest.Match{}, erptest.CutBefore())
	reg, err = b.Registry(t.Context(), admin)
	require.NoError(t, err)
	assert.Regexp(t, `could not be checked with the ERP whether its dictionary has changed; this is as of 20\d\d-\d\d-\d\d \d\d:\d\d UTC`, backend.StaleNote(reg))
	_, err = reg.Table(t.Context(), "C_Order")
	require.NoError(t, err)
	asked := srv.Faults().Count(erptest.Match{})
	for range 20 {
		_, err = b.Registry(t.Context(), admin)
		require.NoError(t, err)
	}
	// The look that failed may end a request late, and one more is due after a pause.
	assert.Less(t, srv.Faults().Count(erptest.Match{}), asked+10, "it is not asked each time")
	away.Remove()
	require.NoError(t, b.Refresh(t.Context(), admin))
	reg, err = b.Registry(t.Context(), admin)
	require.NoError(t, err)
	assert.Empty(t, backend.StaleNote(reg))

	srv.Faults().On(erptest.Match{}, erptest.Fail(http.StatusUnauthorized))
	_, err = b.Registry(t.Context(), admin)
	assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code, "%v", err)
}

// All users of a role share one dictionary, read with the token of one of them;
// when that is refused, another one's is used.
func TestOneDictionaryPerRole(t *testing.T) {
	t.Parallel()
	srv, b := over(t, backend.RESTOptions{})
	admin := caller(t, srv, "GardenAdmin", 11, 102, 11)
	same := caller(t, srv, "SuperUser", 11, 102, 11)
	bad := admin
	bad.Token = tokens.NewSecret("eyJhbGciOiJIUzUxMiJ9.e30.AAAA")
	_, err := b.Registry(t.Context(), bad)
	require.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := b.Registry(context.WithoutCancel(t.Context()), bad); err != nil {
				assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
			}
		})
		wg.Go(func() {
			_, err := b.Registry(context.WithoutCancel(t.Context()), admin)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	one, err := b.Registry(t.Context(), admin)
	require.NoError(t, err)
	asked := srv.Faults().Count(anyRead)
	two, err := b.Registry(t.Context(), same)
	require.NoError(t, err)
	assert.Same(t, one, two)
	assert.Equal(t, asked, srv.Faults().Count(anyRead))
}

// A server that accepts connections and never responds is given up, and left
// alone for a while; one that takes long with one request is not.
func TestHungServer(t *testing.T) {
	t.Parallel()
	const patience = time.Second
	srv, b := over(t, backend.RESTOptions{Patience: patience, Client: fastFail})
	admin := caller(t, srv, "GardenAdmin", 11, 102, 11)
	require.NoError(t, b.Ping(t.Context()))

	// One slow request beside a server that lives.
	slow := make(chan struct{})
	one := srv.Faults().On(erptest.Match{Path: "/models/C_Order"}, erptest.Hold(slow))
	done := make(chan error, 1)
	go func() {
		_, err := b.Search(context.WithoutCancel(t.Context()), admin, backend.Search{Table: "C_Order", Limit: 1})
		done <- err
	}()
	require.Eventually(t, func() bool { return srv.Faults().Count(erptest.Match{Path: "/health"}) >= 3 }, 20*time.Second, time.Millisecond)
	close(slow)
	require.NoError(t, <-done, "it was waited for")
	one.Remove()

	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	hung := srv.Faults().On(erptest.Match{}, erptest.Hold(never))
	_, err := b.Search(t.Context(), admin, backend.Search{Table: "C_Order", Limit: 1})
	require.ErrorIs(t, err, erp.ErrUnreachable)
	var lost *erp.ConnError
	require.ErrorAs(t, err, &lost)
	assert.True(t, lost.Sent, "it may have been carried out")
	_, err = b.Search(t.Context(), admin, backend.Search{Table: "C_Order", Limit: 1})
	require.ErrorAs(t, err, &lost)
	assert.False(t, lost.Sent, "it was not even sent")
	require.Error(t, b.Ping(t.Context()))
	hung.Remove()
	require.Eventually(t, func() bool { return b.Ping(t.Context()) == nil }, 20*time.Second, time.Millisecond)
	_, err = b.Search(t.Context(), admin, backend.Search{Table: "C_Order", Limit: 1})
	require.NoError(t, err)
}

// stuck is a login whose server hangs.
type stuck struct{}

func (stuck) Token(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// A login that cannot be refreshed because the ERP hangs does not hold a call.
func TestHungLogin(t *testing.T) {
	t.Parallel()
	srv, b := over(t, backend.RESTOptions{Patience: 200 * time.Millisecond, Own: stuck{}})
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	srv.Faults().On(erptest.Match{}, erptest.Hold(never))
	_, err := b.Search(t.Context(), mcp.Caller{}, backend.Search{Table: "C_Order", Limit: 1})
	assert.Equal(t, mcp.CodeUnreachable, mcp.ErrorOf(err).Code, "%v", err)
}

// Another backend serves when the ERP is away or hangs.
func TestFallbackFromAHungERP(t *testing.T) {
	t.Parallel()
	srv, b := over(t, backend.RESTOptions{Patience: 200 * time.Millisecond})
	admin := caller(t, srv, "GardenAdmin", 11, 102, 11)
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	srv.Faults().On(erptest.Match{}, erptest.Hold(never))
	var asked []backend.Name
	pool, err := backend.NewPool("", b, searching{"cli", nil, &asked})
	require.NoError(t, err)
	_, by, err := backend.Read(t.Context(), pool, "search", func(ctx context.Context, r interface {
		Search(context.Context, mcp.Caller, backend.Search) (*backend.Page, error)
	}) (*backend.Page, error) {
		return r.Search(ctx, admin, backend.Search{Table: "C_Order", Limit: 1})
	})
	require.NoError(t, err)
	assert.Equal(t, backend.CLI, by)
}

// An AI API is used once it is found, stays while it does not respond, and goes
// when something else responds in its place.
func TestAIPresence(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	response := http.NotFound
	say := func(h http.HandlerFunc) { mu.Lock(); defer mu.Unlock(); response = h }
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := response
		mu.Unlock()
		assert.Empty(t, r.Header.Get("Authorization"), "a look sends no token")
		h(w, r)
	}))
	t.Cleanup(srv.Close)
	b, err := backend.NewAI(srv.URL, &backend.AIOptions{Optional: true})
	require.NoError(t, err)
	pool, err := backend.NewPool("", named(backend.REST), b)
	require.NoError(t, err)
	health := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	abort := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for _, c := range []struct {
		name     string
		response http.HandlerFunc
		present  bool
	}{
		{"a container's 404", http.NotFound, false},
		{"a login page", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }, false},
		{"a page for everything", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, false},
		{"away", abort, false},
		{"up", health(200, `{"status":"up"}`), true},
		{"away again", abort, true},
		{"a proxy's 502", health(502, ``), true},
		{"its database is down", health(503, `{"status":"down"}`), true},
		{"it wants a login", health(401, `{"error":{"code":"unauthenticated","message":"no"}}`), true},
		{"gone", http.NotFound, false},
	} {
		before := b.Present()
		say(c.response)
		assert.Equal(t, before != c.present, b.Probe(t.Context()), c.name)
		assert.Equal(t, c.present, b.Present(), c.name)
		assert.Equal(t, c.present, backend.Can[backend.Querier](pool), c.name)
		assert.Len(t, pool.Backends(), map[bool]int{false: 1, true: 2}[c.present], c.name)
	}
	_, _, err = backend.Read(t.Context(), pool, "run SQL", func(context.Context, backend.Querier) (int, error) { return 1, nil })
	require.ErrorIs(t, err, errors.ErrUnsupported)

	say(health(200, `{"status":"up"}`))
	ctx, cancel := context.WithCancel(t.Context())
	came, ended := make(chan struct{}, 1), make(chan struct{})
	go func() { defer close(ended); b.Watch(ctx, func() { came <- struct{}{} }) }()
	select {
	case <-came:
		assert.True(t, b.Present())
	case <-time.After(20 * time.Second):
		t.Error("nobody noticed that it is there")
	}
	say(http.NotFound)
	_, err = b.Query(t.Context(), mcp.Caller{Known: true}, backend.Query{SQL: "SELECT 1", RoleID: new(int)})
	require.Error(t, err) // no token: nothing is asked, and nothing is doubted
	cancel()
	<-ended
}
