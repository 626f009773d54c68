package httpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	names := []string{"Board.example.com", ".intern.example.com"}
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:80": true, "127.0.0.1:8080": true, "[::1]:8080": true, "::1": true, "10.1.2.3": true,
		"board.example.com": true, "board.example.com.": true, "BOARD.example.com:8443": true, "a.intern.example.com": true,
		"evil.example.com": false, "intern.example.com": false, "xintern.example.com": false, "": false, "localhost.evil.com": false,
		"127.0.0.1.evil.com": false, "board.example.com.evil.com": false, "0x7f000001": false,
	} {
		assert.Equal(t, want, KnownHost(names, host), "%q", host)
	}
	assert.True(t, KnownHost([]string{"*"}, "anything"))
}

// running serves a handler until the test ends or stop is called.
func running(t *testing.T, h http.Handler, o *Options) (url string, stop func() error) {
	t.Helper()
	ln, err := Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- New(h, o).Serve(ctx, ln) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { assert.NoError(t, stop()) })
	return URL(ln.Addr()), stop
}

func fetch(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

// When the server ends, requests finish and streams do not hold it up.
func TestDrain(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		close(inside)
		<-leave
		if r.Context().Err() != nil {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		_, _ = io.WriteString(w, "finished")
	})
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	url, stop := running(t, mux, &Options{Drain: 20 * time.Second, Streams: func(r *http.Request) bool { return r.URL.Path == "/stream" }})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/stream", nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	stream := bufio.NewReader(resp.Body)
	line, err := stream.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "first\n", line)

	slow := make(chan string, 1)
	go func() {
		resp, err := http.Get(url + "/slow") //nolint:noctx // the server bounds it
		if err != nil {
			slow <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		slow <- string(body)
	}()
	<-inside
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	_, err = stream.ReadString('\n')
	assert.ErrorIs(t, err, io.EOF, "the stream ends in order")
	select {
	case <-ended:
		t.Fatal("the server did not wait for a request")
	default:
	}
	close(leave)
	assert.Equal(t, "finished", <-slow)
	assert.NoError(t, <-ended)
}

// Requests without a time limit that are no streams finish, too. Those that take
// longer than the server waits are told to stop, and still get a response.
func TestDrainOfLongRequests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		drain time.Duration
		want  string
	}{
		"enough time":     {time.Minute, "finished"},
		"not enough time": {10 * time.Millisecond, "stopped"},
	} {
		for _, path := range []string{"/long", "/other"} {
			t.Run(name+path, func(t *testing.T) {
				t.Parallel()
				inside, leave := make(chan struct{}), make(chan struct{})
				h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					close(inside)
					select {
					case <-leave:
						_, _ = io.WriteString(w, "finished")
					case <-r.Context().Done():
						_, _ = io.WriteString(w, "stopped")
					}
				})
				long := func(r *http.Request) bool { return r.URL.Path == "/long" }
				ln, err := Listen(t.Context(), "127.0.0.1:0")
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				s := New(h, &Options{Drain: tt.drain, Long: long})
				ended := make(chan error, 1)
				go func() { ended <- s.Serve(ctx, ln) }()
				received := make(chan string, 1)
				go func() {
					resp, err := http.Get(URL(ln.Addr()) + path) //nolint:noctx // the server ends it
					if err != nil {
						received <- err.Error()
						return
					}
					defer resp.Body.Close()
					body, _ := io.ReadAll(resp.Body)
					received <- string(body)
				}()
				<-inside
				cancel()
				if tt.want == "finished" {
					<-s.draining
					close(leave)
				}
				assert.Equal(t, tt.want, <-received)
				assert.NoError(t, <-ended)
			})
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/hold", func(http.ResponseWriter, *http.Request) {
		inside <- struct{}{}
		<-leave
	})
	mux.HandleFunc("/wait", func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		Problem(w, http.StatusGatewayTimeout, context.Cause(r.Context()).Error())
	})
	mux.HandleFunc("/read", func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			Problem(w, http.StatusRequestEntityTooLarge, "too much")
		}
	})
	mux.HandleFunc("/panic", func(http.ResponseWriter, *http.Request) { panic("password=secret") })
	url, _ := running(t, mux, &Options{MaxConcurrent: 1, MaxBody: 10, RequestTimeout: 200 * time.Millisecond})

	status, _ := fetch(t, url+"/wait")
	assert.Equal(t, http.StatusGatewayTimeout, status)
	status, body := fetch(t, url+"/panic")
	assert.Equal(t, http.StatusInternalServerError, status)
	assert.NotContains(t, body, "secret")
	resp, err := http.Post(url+"/read", "text/plain", strings.NewReader("more than ten bytes")) //nolint:noctx // the server bounds it
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)

	go func() {
		if resp, err := http.Get(url + "/hold"); err == nil { //nolint:noctx // released below
			_ = resp.Body.Close()
		}
	}()
	<-inside
	status, body = fetch(t, url+"/hold")
	assert.Equal(t, http.StatusServiceUnavailable, status, "one at a time")
	assert.Contains(t, body, "too many")
	status, _ = fetch(t, url+"/healthz")
	assert.Equal(t, http.StatusOK, status, "a busy server is alive")
	close(leave)

	_, body = fetch(t, url+"/metrics")
	assert.Contains(t, body, `http_requests_total{route="/panic",method="GET",code="500"} 1`)
	assert.Contains(t, body, `http_requests_refused_total{reason="busy"} 1`)
}

// The text of metrics is what Prometheus reads, whatever the labels hold.
func TestMetricsText(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	c := m.Counter("things_total", "Things\nwith a \\.", "kind", "of")
	c.Add(1, "a\"b\\c\nd", "x")
	c.Add(2.5, "a\"b\\c\nd", "x")
	m.Counter("none_total", "None.")
	m.GaugeFunc("level", "Level.", func() float64 { return 1e21 })
	h := m.Histogram("took_seconds", "Time.", "route")
	for _, v := range []float64{0.0005, 0.001, 0.2, 99} {
		h.Observe(v, "/x")
	}
	text := string(m.Text())
	assert.True(t, strings.HasPrefix(text, `# HELP things_total Things\nwith a \\.
# TYPE things_total counter
things_total{kind="a\"b\\c\nd",of="x"} 3.5
# HELP none_total None.
# TYPE none_total counter
none_total 0
# HELP level Level.
# TYPE level gauge
level 1e+21
# HELP took_seconds Time.
# TYPE took_seconds histogram
took_seconds_bucket{route="/x",le="0.001"} 2
`), text)
	assert.Contains(t, text, "took_seconds_bucket{route=\"/x\",le=\"0.25\"} 3\n")
	assert.Contains(t, text, "took_seconds_bucket{route=\"/x\",le=\"30\"} 3\ntook_seconds_bucket{route=\"/x\",le=\"+Inf\"} 4\ntook_seconds_sum{route=\"/x\"} 99.2015\ntook_seconds_count{route=\"/x\"} 4\n")
	assert.Panics(t, func() { m.Counter("level", "") })
	assert.Panics(t, func() { c.Add(1, "one") })
}

// Everybody may see how often something happened; how long it took and how much
// it was is shown on a listener of its own.
func TestMetricsListener(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	m.Counter("calls_total", "Calls.").Add(3)
	m.Counter("bytes_total", "Bytes.").OfSizes().Add(12345)
	m.Histogram("took_seconds", "Time.").Observe(0.123)
	m.GaugeFunc("open", "Open.", func() float64 { return 1 })
	serve := func(serve func(context.Context, net.Listener) error) (url string, end func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ln, err := Listen(ctx, "127.0.0.1:0")
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() { ended <- serve(ctx, ln) }()
		return URL(ln.Addr()), func() {
			cancel()
			require.NoError(t, <-ended)
		}
	}
	public, endPublic := serve(New(http.NotFoundHandler(), &Options{Metrics: m}).Serve)
	own, endOwn := serve(func(ctx context.Context, ln net.Listener) error { return m.Serve(ctx, ln, "metrics.example.com") })
	_, counts := fetch(t, public+"/metrics")
	_, all := fetch(t, own+"/metrics")
	for _, text := range []string{"calls_total 3\n", "open 1\n", "http_requests_total"} {
		assert.Contains(t, counts, text)
		assert.Contains(t, all, text)
	}
	for _, text := range []string{"bytes_total 12345\n", "took_seconds_sum 0.123\n", "http_request_duration_seconds_sum"} {
		assert.NotContains(t, counts, text)
		assert.Contains(t, all, text)
	}
	status, _ := fetch(t, own+"/healthz")
	assert.Equal(t, http.StatusNotFound, status)
	for host, want := range map[string]int{"metrics.example.com": 200, "evil.example.com": 421} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, own+"/metrics", nil)
		require.NoError(t, err)
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, want, res.StatusCode, host)
	}
	endPublic()
	endOwn()
}

// Made-up methods and paths make no new metrics.
func TestMetricsStayFew(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/known/{id}", func(http.ResponseWriter, *http.Request) {})
	s := New(mux, nil)
	for i := range 100 {
		for _, target := range []string{fmt.Sprintf("/known/%d", i), fmt.Sprintf("/unknown/%d", i)} {
			req := httptest.NewRequestWithContext(t.Context(), fmt.Sprintf("M%d", i), target, nil)
			req.Host = "localhost"
			s.handler.ServeHTTP(httptest.NewRecorder(), req)
		}
	}
	assert.Equal(t, 2, strings.Count(string(s.metrics.Text()), "\nhttp_requests_total{"), string(s.metrics.Text()))
}

func TestListen(t *testing.T) {
	t.Parallel()
	ln, err := Listen(t.Context(), ":0")
	require.NoError(t, err)
	assert.True(t, Loopback(ln.Addr()), "a port alone is loopback")
	_, err = Listen(t.Context(), ln.Addr().String())
	assert.ErrorContains(t, err, "port 0 for any free one")
	require.NoError(t, ln.Close())
	for _, bad := range []string{"", "here", "127.0.0.1", "127.0.0.1:99999", "[::1:80"} {
		_, err := Listen(t.Context(), bad)
		assert.Error(t, err, "%q", bad)
	}
}

func TestReadyFile(t *testing.T) {
	t.Parallel()
	require.NoError(t, ReadyFile("").Clear())
	require.NoError(t, ReadyFile("").Write("http://x"))
	path := filepath.Join(t.TempDir(), "ready")
	f := ReadyFile(path)
	require.NoError(t, f.Clear())
	require.NoError(t, f.Write("http://127.0.0.1:1"))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var r Ready
	require.NoError(t, json.Unmarshal(text, &r))
	assert.Equal(t, Ready{"http://127.0.0.1:1", os.Getpid()}, r)
	require.NoError(t, f.Clear())
	assert.NoFileExists(t, path)
	assert.Error(t, ReadyFile(filepath.Join(path, "no", "dir")).Write("x"))
}
