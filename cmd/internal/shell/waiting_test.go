package shell

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server that does not respond is named while it is waited for, and one that does is
// not.
func TestWhenSilent(t *testing.T) {
	t.Parallel()
	said := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hung" {
			server := <-said // only then does it respond
			assert.True(t, strings.HasSuffix("http://"+r.Host, server), server)
		}
	}))
	t.Cleanup(srv.Close)
	get := func(path string, after time.Duration) {
		req, err := http.NewRequestWithContext(whenSilent(t.Context(), after, func(server string) { said <- server }), http.MethodGet, srv.URL+path, nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	get("/hung", time.Millisecond)
	get("/at-once", time.Hour)
	assert.Empty(t, said)
}
