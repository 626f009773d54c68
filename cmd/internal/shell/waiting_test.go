package shell

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/tokens"
)

// A server that does not respond, or not in full, is named while it is waited for,
// and one that does is not.
func TestWhenSilent(t *testing.T) {
	t.Parallel()
	said := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := func(method string) { // only when it was said does it go on
			select {
			case got := <-said:
				assert.Equal(t, method+" "+r.Host, got)
			case <-time.After(10 * time.Second):
				assert.Fail(t, "nothing was said", r.URL.Path)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/v1/hung":
			wait("GET")
		case "/api/v1/models/t/1", "/api/v1/half":
			_, _ = io.WriteString(w, `{"id":`)
			w.(http.Flusher).Flush()
			wait("GET")
			_, _ = io.WriteString(w, `1}`)
			return
		case "/api/v1/auth/tokens":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{`)
			w.(http.Flusher).Flush()
			wait("POST")
		}
		_, _ = io.WriteString(w, `{}`)
	}))
	t.Cleanup(srv.Close)
	client, err := erp.New(srv.URL)
	require.NoError(t, err)
	told := func(after time.Duration) context.Context {
		return whenSilent(t.Context(), after, func(method, host string) {
			select {
			case said <- method + " " + host:
			default: // it was said before, and the test is slow
			}
		})
	}
	// get makes a request whose body the caller reads.
	get := func(path string, after time.Duration) error {
		req, err := http.NewRequestWithContext(told(after), http.MethodGet, srv.URL+path+"?token=secret", nil)
		require.NoError(t, err)
		resp, err := client.HTTPClient().Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	for name, request := range map[string]func() error{
		"no response": func() error { return get("/api/v1/hung", time.Millisecond) },
		"half a body": func() error { return get("/api/v1/half", 100*time.Millisecond) },
		"half a record": func() error {
			_, err := client.Get(told(100*time.Millisecond), "t", erp.IntID(1), nil)
			return err
		},
		"half a login": func() error {
			m, err := tokens.NewManager(srv.URL, tokens.WithCredentials(tokens.Login{Username: "a", Password: tokens.NewSecret("b")}))
			require.NoError(t, err)
			require.Error(t, m.Ready(told(100*time.Millisecond)))
			return nil
		},
	} {
		require.NoError(t, request(), name)
	}
	for len(said) > 0 {
		<-said
	}
	require.NoError(t, get("/api/v1/at-once", time.Hour))
	assert.Empty(t, said)
}

// Whoever reads standard error is told, a person sooner than a log; servers write
// logs of their own.
func TestSayWaiting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		said    bool
	}{{"record", true}, {"server", false}, {"sandbox", false}, {"", false}} {
		sh := &Shell{Streams: Streams{Err: &bytes.Buffer{}}}
		var chain []*cli.Command
		if c.command != "" {
			chain = append(chain, &cli.Command{Name: c.command})
		}
		assert.Equal(t, c.said, sh.sayWaiting(t.Context(), chain) != t.Context(), c.command)
	}
}
