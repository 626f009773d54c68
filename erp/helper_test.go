package erp_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// quick retries at once, so that tests need not wait.
func quick() erp.Option {
	return erp.WithRetryPolicy(erp.RetryPolicy{Max: 3, MinWait: time.Microsecond, MaxWait: time.Millisecond, MaxRetryAfter: 10 * time.Second})
}

// recorder is a server that responds with a handler and keeps what it was sent.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	requests []seen
}

type seen struct {
	Method, URI, Body string
	Header            http.Header
}

// serve starts a server for one test and a client for it.
func serve(t *testing.T, handler http.HandlerFunc, opts ...erp.Option) (*recorder, *erp.Client) {
	t.Helper()
	rec := &recorder{}
	rec.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		rec.mu.Lock()
		rec.requests = append(rec.requests, seen{r.Method, r.RequestURI, string(body), r.Header.Clone()})
		rec.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler(w, r)
	}))
	t.Cleanup(rec.Close)
	client, err := erp.New(rec.URL, append([]erp.Option{quick()}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	return rec, client
}

// seen returns what the server was sent so far.
func (r *recorder) seen() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]seen(nil), r.requests...)
}

// last returns the latest request.
func (r *recorder) last(t *testing.T) seen {
	t.Helper()
	all := r.seen()
	require.NotEmpty(t, all, "nothing was sent")
	return all[len(all)-1]
}

// respond writes a JSON response.
func respond(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// always responds to every request the same.
func always(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { respond(w, status, body) }
}
