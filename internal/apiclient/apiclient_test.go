package apiclient_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/apiclient"
)

type token string

func (t token) Token(context.Context) (string, error) { return string(t), nil }

// server counts and keeps the requests a handler gets.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // method, path, authorization, body
}

func serve(t *testing.T, handler http.HandlerFunc) (*server, *apiclient.Client) {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
		s.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	return s, &apiclient.Client{
		HTTP: &http.Client{}, Tokens: token("one-token"), Server: u, UserAgent: []string{"test"}, MaxBody: 1000, Silence: 5 * time.Second,
		Logger: slog.New(slog.DiscardHandler), Retry: apiclient.Policy{Max: 2, MaxWait: time.Millisecond, MaxRetryAfter: time.Second},
	}
}

func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.seen...)
}

func call(t *testing.T, method, url string, body io.Reader) *apiclient.Call {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	return &apiclient.Call{Request: req, Retry: apiclient.RetryAlways}
}

// TestBodies: what is sent again is sent whole, and what can be sent once is.
func TestBodies(t *testing.T) {
	t.Parallel()
	busy := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }
	s, c := serve(t, busy)
	resp, _, err := c.Do(call(t, http.MethodPut, s.URL+"/a", strings.NewReader("whole")))
	require.NoError(t, err)
	assert.Equal(t, 503, resp.StatusCode)
	const sent = "PUT /a Bearer one-token whole"
	assert.Equal(t, []string{sent, sent, sent}, s.requests())

	s, c = serve(t, busy)
	_, _, err = c.Do(call(t, http.MethodPut, s.URL+"/a", io.MultiReader(strings.NewReader("whole"))))
	require.NoError(t, err)
	assert.Equal(t, []string{sent}, s.requests())

	s, c = serve(t, busy)
	cause := errors.New("the disk is gone")
	_, _, err = c.Do(call(t, http.MethodPut, s.URL+"/a", io.MultiReader(strings.NewReader("wh"), failingReader{cause})))
	var source *apiclient.SourceError
	require.ErrorAs(t, err, &source)
	require.ErrorIs(t, err, cause)
	assert.False(t, apiclient.NotSent(err), "a part of it was")
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// TestRedirect: the token goes along within the server, and nowhere else even
// when the HTTP client follows.
func TestRedirect(t *testing.T) {
	t.Parallel()
	other, _ := serve(t, func(http.ResponseWriter, *http.Request) {})
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	s, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a":
			http.Redirect(w, r, "/b", http.StatusFound)
		case "/away":
			http.Redirect(w, r, elsewhere+"/c", http.StatusFound)
		}
	})
	_, _, err := c.Do(call(t, http.MethodGet, s.URL+"/a", nil))
	require.NoError(t, err)
	assert.Equal(t, []string{"GET /a Bearer one-token ", "GET /b Bearer one-token "}, s.requests())
	_, _, err = c.Do(call(t, http.MethodGet, s.URL+"/away", nil))
	require.NoError(t, err)
	_, _, err = c.Do(call(t, http.MethodGet, elsewhere+"/direct", nil))
	require.NoError(t, err)
	assert.Equal(t, []string{"GET /c  ", "GET /direct  "}, other.requests())
}

// TestHead: the length of a response to HEAD is that of another one.
func TestHead(t *testing.T) {
	t.Parallel()
	s, c := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "5000") })
	_, body, err := c.Do(call(t, http.MethodHead, s.URL, nil))
	require.NoError(t, err)
	assert.Empty(t, body)
	assert.Len(t, s.requests(), 1)
}

// TestWithinDeadline: a wait that outlives the caller is not begun.
func TestWithinDeadline(t *testing.T) {
	t.Parallel()
	s, c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3000")
		w.WriteHeader(429)
	})
	c.Retry.MaxRetryAfter, c.Retry.WithinDeadline = time.Hour, true
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	one := call(t, http.MethodGet, s.URL, nil)
	one.Request = one.Request.WithContext(ctx)
	resp, _, err := c.Do(one)
	require.NoError(t, err)
	assert.Equal(t, 429, resp.StatusCode)
	assert.NoError(t, ctx.Err())
}

func TestRedact(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a [token] b [token]", apiclient.Redact("a secret-1 b secret-1", "secret-1"))
	assert.Equal(t, "a", apiclient.Redact("a", ""))
	assert.Equal(t, `{"title":"[token]"}`, string(apiclient.RedactBody([]byte(`{"title":"secret-1"}`), "secret-1")))
	assert.Equal(t, `{"title":"x"}`, string(apiclient.RedactBody([]byte(`{"title":"x"}`), "t")), "JSON stays JSON")
}
