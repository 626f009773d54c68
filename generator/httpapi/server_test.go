package httpapi_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

// behind runs the API behind this module's server, which bounds requests on its
// own.
func behind(t *testing.T, deliveries httpapi.Deliveries, opts httpapi.Options, bounds httpserver.Options) (url string, end func()) {
	t.Helper()
	verifier, err := tokens.NewSecretVerifier([]byte(secret))
	require.NoError(t, err)
	h, err := httpapi.New(deliveries, verifier, &opts)
	require.NoError(t, err)
	bounds.Long, bounds.Logger = httpapi.Streams, slog.New(slog.DiscardHandler)
	ln, err := httpserver.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- httpserver.New(h, &bounds).Serve(ctx, ln) }()
	end = sync.OnceFunc(func() {
		cancel()
		assert.NoError(t, <-served)
	})
	t.Cleanup(end)
	return httpserver.URL(ln.Addr()), end
}

// ask posts with a good token and reads the response.
func ask(t *testing.T, url, accept string) (*http.Response, *bytes.Buffer) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/generate/plugin", strings.NewReader(body+"}"))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token(t, 101, time.Hour))
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	var text bytes.Buffer
	_, err = text.ReadFrom(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp, &text
}

// The server's bound of requests at a time is not for downloads.
func TestDownloadsBehindAServer(t *testing.T) {
	t.Parallel()
	store, err := generator.OpenArtifactFolder(t.TempDir(), generator.ArtifactFolderOptions{})
	require.NoError(t, err)
	id, _, err := store.Put(t.Context(), "x.zip", bytes.Repeat([]byte("0123456789"), 10_000), time.Hour)
	require.NoError(t, err)
	url, _ := behind(t, never{}, httpapi.Options{Artifacts: store}, httpserver.Options{MaxConcurrent: 1})
	var wg sync.WaitGroup
	var right atomic.Int64
	for range 100 {
		wg.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/artifacts/"+id+"/download", nil)
			if err != nil {
				return
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return
			}
			n, err := io.Copy(io.Discard, resp.Body)
			if resp.Body.Close() == nil && err == nil && n == 100_000 && resp.StatusCode == http.StatusOK {
				right.Add(1)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 100, right.Load())
}

// A request that outlasts the server's patience gets a response, and its work has
// stopped; one that listens to events is not bound by it.
func TestPatienceOfAServer(t *testing.T) {
	t.Parallel()
	g := newGate(generator.ModeEmail)
	url, _ := behind(t, g, httpapi.Options{}, httpserver.Options{RequestTimeout: 300 * time.Millisecond})
	resp, text := ask(t, url, "application/json")
	require.Equal(t, http.StatusGatewayTimeout, resp.StatusCode, text.String())
	assert.Contains(t, text.String(), `"code":"timeout"`)
	assert.EqualValues(t, 1, g.stopped.Load())

	<-g.began
	time.AfterFunc(600*time.Millisecond, func() { g.end <- nil })
	resp, text = ask(t, url, "text/event-stream")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Contains(t, text.String(), "event: result")
}

// A server that ends lets work finish, whether events are listened to or not.
// What takes too long is stopped, and its clients are told.
func TestServerEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		accept string
		drain  time.Duration
		want   string
	}{
		"events":                  {"text/event-stream", time.Minute, "event: result"},
		"JSON":                    {"application/json", time.Minute, "run 1"},
		"events, and no patience": {"text/event-stream", 10 * time.Millisecond, `"code":"canceled"`},
		"JSON, and no patience":   {"application/json", 10 * time.Millisecond, `"code":"canceled"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGate(generator.ModeEmail)
			url, end := behind(t, g, httpapi.Options{}, httpserver.Options{Drain: tt.drain})
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				<-g.began
				end()
			}()
			finishes := tt.drain > time.Second
			if finishes {
				go func() {
					assert.Eventually(t, func() bool { // it does not listen any more
						conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
						return err != nil || conn.Close() != nil
					}, 10*time.Second, time.Millisecond)
					g.end <- nil
				}()
			}
			_, text := ask(t, url, tt.accept)
			assert.Contains(t, text.String(), tt.want)
			<-ended
			assert.EqualValues(t, map[bool]int{true: 0, false: 1}[finishes], g.stopped.Load())
		})
	}
}
