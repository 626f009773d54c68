package restclient_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/restclient"
)

// Refusals of the generated client are those of package erp, with the server's
// reason in one printable line.
func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		status     int
		is         error
		says       string
	}{
		{"plugin", `{"title":"Access denied","status":403,"detail":"Access denied for caches request"}`, 403, erp.ErrForbidden, "403 Access denied: Access denied for caches request"},
		{"no title", `{"title":null,"status":404,"detail":"gone"}`, 404, erp.ErrNotFound, "404 Not Found: gone"},
		{"container page", `<html><head><title>Error 401 Unauthorized</title></head></html>`, 401, erp.ErrUnauthorized, `an HTML page saying "Error 401 Unauthorized"`},
		{"terminal codes", "{\"title\":\"a\\u001b[2Jb\",\"status\":500}", 500, erp.ErrServer, "500 a [2Jb"},
		{"not modified", "", 304, nil, "304 Not Modified"},
		{"plain text", "no such thing", 400, erp.ErrValidation, "no such thing"},
		{"endless", strings.Repeat("x", 1<<20), 500, erp.ErrServer, "xxx…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			defer srv.Close()
			conn, err := erp.New(srv.URL, erp.WithRetryPolicy(erp.RetryPolicy{}))
			require.NoError(t, err)
			c, err := restclient.New(conn, "")
			require.NoError(t, err)
			_, err = c.ListCachesWithResponse(t.Context(), nil)
			var refused *erp.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, tt.status, refused.Status)
			assert.Contains(t, err.Error(), tt.says)
			assert.Less(t, len(err.Error()), 1000)
			if tt.is != nil {
				assert.ErrorIs(t, err, tt.is)
			}
		})
	}
}

// A server that echoes requests, be it in a text that is cut off, does not get
// the token into an error.
func TestEchoedToken(t *testing.T) {
	t.Parallel()
	const token = "secret.Kanarienvogel.token"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", r.Header.Get("Authorization"))
		w.WriteHeader(400)
		_, _ = w.Write([]byte(`{"title":"` + r.Header.Get("Authorization") + `","detail":"` + strings.Repeat("x", 580) + r.Header.Get("Authorization") + `"}`))
	}))
	defer srv.Close()
	conn, err := erp.New(srv.URL, erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	c, err := restclient.New(conn, "")
	require.NoError(t, err)
	_, err = c.ListCachesWithResponse(t.Context(), nil)
	require.ErrorContains(t, err, "[token]")
	assert.NotContains(t, err.Error(), "secret")
	_, err = conn.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.ErrorContains(t, err, "[token]")
	assert.NotContains(t, err.Error(), "secret")
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	conn, err := erp.New("http://127.0.0.1:1", erp.WithRetryPolicy(erp.RetryPolicy{}))
	require.NoError(t, err)
	c, err := restclient.New(conn, "")
	require.NoError(t, err)
	_, err = c.ListNodesWithResponse(t.Context(), nil)
	require.ErrorIs(t, err, erp.ErrUnreachable)
	assert.Equal(t, 1, strings.Count(err.Error(), "/nodes"), "the address is named once: %v", err)
}

// What is no JSON is no answer of the API, and the language is asked for.
func TestAnswerAndLocale(t *testing.T) {
	t.Parallel()
	locale := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		locale <- r.URL.Query().Get("locale")
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>"))
	}))
	defer srv.Close()
	conn, err := erp.New(srv.URL)
	require.NoError(t, err)
	c, err := restclient.New(conn, "es_CO")
	require.NoError(t, err)
	resp, err := c.ListCachesWithResponse(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "es_CO", <-locale)
	_, err = restclient.Answer("list caches", resp.JSON200)
	require.ErrorIs(t, err, erp.ErrBadResponse)
}
