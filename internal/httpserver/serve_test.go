package httpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is still running after its time is cut off, cancelled before where the
// server says so.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  Shutdown
		want string // what the client reads; empty: its connection was closed
		log  []string
	}{
		"at once":                {Shutdown{}, "", []string{"cut off"}},
		"after a while":          {Shutdown{Drain: 10 * time.Millisecond}, "", []string{"cut off", "running=1"}},
		"aborted before":         {Shutdown{Drain: 10 * time.Millisecond, Cancel: time.Minute, Abort: func() {}}, "finished", []string{"cancelled"}},
		"cancelled before":       {Shutdown{Drain: 10 * time.Millisecond, Cancel: time.Minute}, "stopped", []string{"cancelled"}},
		"requests have the time": {Shutdown{Drain: time.Minute}, "finished", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inside, leave, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
			srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(left)
				close(inside)
				select {
				case <-leave:
					_, _ = io.WriteString(w, "finished")
				case <-r.Context().Done():
					_, _ = io.WriteString(w, "stopped")
				}
			})}
			ln, err := Listen(t.Context(), "127.0.0.1:0")
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			var log bytes.Buffer
			tt.end.Logger = slog.New(slog.NewTextHandler(&log, nil))
			tt.end.Running = func() int { return 1 }
			finish := func() { close(leave) }
			switch {
			case tt.end.Abort != nil:
				tt.end.Abort = finish
			case tt.want == "finished":
				tt.end.Begin = finish
			}
			ended := make(chan error, 1)
			go func() { ended <- Serve(ctx, ln, srv, tt.end) }()
			read := make(chan string, 1)
			go func() {
				resp, err := http.Get(URL(ln.Addr())) //nolint:noctx // the server ends it
				if err != nil {
					read <- ""
					return
				}
				defer resp.Body.Close()
				body, _ := io.ReadAll(resp.Body)
				read <- string(body)
			}()
			<-inside
			cancel()
			require.NoError(t, <-ended)
			assert.Equal(t, tt.want, <-read)
			<-left
			for _, text := range tt.log {
				assert.Contains(t, log.String(), text)
			}
			if tt.log == nil {
				assert.NotContains(t, log.String(), "WARN")
			}
			assert.Positive(t, srv.ReadHeaderTimeout)
			assert.Positive(t, srv.IdleTimeout)
		})
	}
}

func TestServeSaysThatItCannot(t *testing.T) {
	t.Parallel()
	ln, err := Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	require.Error(t, Serve(t.Context(), ln, &http.Server{}, Shutdown{}))
}

func TestSlots(t *testing.T) {
	t.Parallel()
	s := NewSlots(3)
	assert.True(t, s.TryAcquire(0))
	assert.True(t, s.TryAcquire(2))
	assert.False(t, s.TryAcquire(2), "all or none")
	assert.Len(t, s, 2)
	assert.True(t, s.TryAcquire(1))
	assert.False(t, s.TryAcquire(1))
	s.Release(3)
	assert.Empty(t, s)
	assert.False(t, s.TryAcquire(4), "more than there are")
	assert.Empty(t, s)
}

func TestRecovered(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		value    any
		want, up bool // recovered, panicked again
	}{
		"nothing": {nil, false, false},
		"text":    {"a bug", true, false},
		"error":   {errors.New("a bug"), true, false},
		"abort":   {http.ErrAbortHandler, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			got := false
			handle := func() {
				defer func() {
					got = Recovered(t.Context(), recover(), slog.New(slog.NewTextHandler(&log, nil)), "it panicked", "path", "/x")
				}()
				if tt.value != nil {
					panic(tt.value)
				}
			}
			if tt.up {
				assert.PanicsWithValue(t, tt.value, handle)
			} else {
				assert.NotPanics(t, handle)
			}
			assert.Equal(t, tt.want, got)
			if !tt.want {
				assert.Empty(t, log.String())
				return
			}
			for _, text := range []string{"it panicked", "path=/x", "a bug", "serve_test.go"} {
				assert.Contains(t, log.String(), text)
			}
		})
	}
}

// What only this replica lacks makes all of it not ready, what replicas share only the
// parts that need it; what is missing is said in words for everybody.
func TestReadiness(t *testing.T) {
	t.Parallel()
	all := []string{"board", "sql"}
	on := func(name string, needed, used []string, own bool) Dependency {
		return Dependency{Name: name, Missing: "no " + name, Needed: needed, Used: used, Own: own}
	}
	database, cache, audit := on("database", all[1:], nil, false), on("cache", nil, all, false), on("audit", all[1:], nil, true)
	both := on("both", all, nil, false)
	for _, tt := range []struct {
		name, path string
		on         []Dependency
		away       []string
		status     int
		want       string
	}{
		{"no dependencies", "/readyz", nil, nil, 200, `{"status":"ready","parts":{"board":"ready","sql":"ready"}}`},
		{"all there", "/readyz", []Dependency{database, cache, audit}, nil, 200, `{"status":"ready","parts":{"board":"ready","sql":"ready"}}`},
		{"one part cannot be served", "/readyz", []Dependency{database, cache, audit}, []string{"database"}, 200, `{"status":"degraded","missing":["no database"],"parts":{"board":"ready","sql":"not ready"}}`},
		{"that part", "/readyz/sql", []Dependency{database, cache, audit}, []string{"database"}, 503, `{"status":"not ready","missing":["no database"]}`},
		{"the other part", "/readyz/board", []Dependency{database, cache, audit}, []string{"database"}, 200, `{"status":"ready"}`},
		{"parts can do less", "/readyz", []Dependency{database, cache, audit}, []string{"cache"}, 200, `{"status":"degraded","missing":["no cache"],"parts":{"board":"degraded","sql":"degraded"}}`},
		{"a part can do less", "/readyz/board", []Dependency{database, cache, audit}, []string{"cache"}, 200, `{"status":"degraded","missing":["no cache"]}`},
		{"nothing can be served", "/readyz", []Dependency{both, cache}, []string{"both", "cache"}, 503, `{"status":"not ready","missing":["no both","no cache"],"parts":{"board":"not ready","sql":"not ready"}}`},
		{"its own lack", "/readyz", []Dependency{database, cache, audit}, []string{"audit"}, 503, `{"status":"not ready","missing":["no audit"],"parts":{"board":"ready","sql":"not ready"}}`},
		{"a part without it", "/readyz/board", []Dependency{database, cache, audit}, []string{"audit"}, 200, `{"status":"ready"}`},
		{"no such part", "/readyz/none", []Dependency{both}, nil, 404, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i, d := range tt.on {
				tt.on[i].Check = func(ctx context.Context) error {
					if _, bounded := ctx.Deadline(); !bounded {
						return errors.New("a check must be bounded")
					}
					if slices.Contains(tt.away, d.Name) {
						return errors.New("secret reason")
					}
					return nil
				}
			}
			url, _ := running(t, http.NotFoundHandler(), &Options{Parts: all, Dependencies: tt.on})
			status, body := fetch(t, url+tt.path)
			assert.Equal(t, tt.status, status)
			assert.NotContains(t, body, "secret")
			if tt.want != "" {
				assert.JSONEq(t, tt.want, body)
			}
		})
	}
}

// While a check hangs the outcome of the one before counts, so that probes are not
// kept waiting; all who ask share one check. A server that ends says so without one.
func TestReadinessDoesNotWaitForWhatHangs(t *testing.T) {
	t.Parallel()
	hang, released := make(chan struct{}), make(chan struct{})
	var checks atomic.Int64
	leaving := make(chan struct{})
	r := NewReadiness(slog.New(slog.DiscardHandler), leaving, []string{"a"}, []Dependency{{Name: "d", Missing: "no d", Needed: []string{"a"}, Check: func(context.Context) error {
		checks.Add(1)
		select {
		case <-hang:
			<-released
			return errors.New("it did not respond")
		default:
			return nil
		}
	}}})
	m := NewMetrics()
	r.Show(m)
	ask := func() (int, string) {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
		return w.Code, w.Body.String()
	}
	assert.NotContains(t, string(m.Counts()), "server_dependency_up{", "nobody looked yet")
	status, _ := ask()
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, string(m.Counts()), `server_dependency_up{dependency="d"} 1`)
	close(hang)
	for range 2 {
		status, _ = ask()
		assert.Equal(t, http.StatusOK, status, "as before")
	}
	assert.EqualValues(t, 2, checks.Load(), "the one that hangs is not asked again")
	close(released)
	require.Eventually(t, func() bool { status, _ := ask(); return status == http.StatusServiceUnavailable }, time.Minute, time.Millisecond)
	text := string(m.Counts())
	for _, line := range []string{"server_ready 0\n", `server_part_ready{part="a"} 0`, `server_dependency_up{dependency="d"} 0`} {
		assert.Contains(t, text, line)
	}
	close(leaving)
	status, body := ask()
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.JSONEq(t, `{"status":"ending"}`, body)
}
