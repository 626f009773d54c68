package erp_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/erphub/erphub/erp/erptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/rest"
)

// Refusals of the generated client are those of package erp, with the server's
// reason in one printable line.
func TestDoerRefusals(t *testing.T) {
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
			c := generated(t, conn)
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
func TestDoerEchoedToken(t *testing.T) {
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
	c := generated(t, conn)
	_, err = c.ListCachesWithResponse(t.Context(), nil)
	require.ErrorContains(t, err, "[token]")
	assert.NotContains(t, err.Error(), "secret")
	_, err = conn.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.ErrorContains(t, err, "[token]")
	assert.NotContains(t, err.Error(), "secret")
}

func TestDoerUnreachable(t *testing.T) {
	t.Parallel()
	conn, err := erp.New("http://127.0.0.1:1", erp.WithRetryPolicy(erp.RetryPolicy{}))
	require.NoError(t, err)
	c := generated(t, conn)
	_, err = c.ListNodesWithResponse(t.Context(), nil)
	require.ErrorIs(t, err, erp.ErrUnreachable)
	assert.Equal(t, 1, strings.Count(err.Error(), "/nodes"), "the address is named once: %v", err)
}

// What is no JSON is not a response of the API, and the language is requested.
func TestDoerLocale(t *testing.T) {
	t.Parallel()
	locale := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		locale <- r.URL.Query().Get("locale")
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>"))
	}))
	defer srv.Close()
	conn, err := erp.New(srv.URL, erp.WithLocale("es_CO"))
	require.NoError(t, err)
	c := generated(t, conn)
	resp, err := c.ListCachesWithResponse(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "es_CO", <-locale)
	_, err = rest.Decoded("list caches", resp.JSON200)
	require.ErrorIs(t, err, erp.ErrBadResponse)
}

// generated is the generated client over a connection.
func generated(t *testing.T, conn *erp.Client) *rest.ClientWithResponses {
	t.Helper()
	api, err := rest.New(conn.BaseURL(), conn.Doer())
	require.NoError(t, err)
	return api
}

// TestDoerFaults: the generated client meets the same faults with the same
// errors, and is retried as often.
func TestDoerFaults(t *testing.T) {
	t.Parallel()
	ptr := func(s string) *string { return &s }
	for _, tt := range []struct {
		name  string
		fault erptest.Action
		times int
		came  int
		is    error
		after time.Duration
	}{
		{"cut", erptest.CutBefore(), 2, 3, nil, 0},
		{"the response breaks off", erptest.CutMiddle(), 2, 3, nil, 0},
		{"the response always breaks off", erptest.CutMiddle(), 9, 4, erp.ErrBadResponse, 0},
		{"not available", erptest.Fail(503), 1, 2, nil, 0},
		{"not available for long", erptest.Fail(503, erptest.RetryAfter(time.Hour)), 9, 1, erp.ErrUnavailable, time.Hour},
		{"a business failure", erptest.Fail(500), 9, 1, erp.ErrServer, 0},
		{"a page of a proxy", erptest.HTML(403), 9, 1, erp.ErrForbidden, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv, conn := embedded(t)
			match := erptest.Match{Method: http.MethodGet, Path: "/models/C_BPartner"}
			srv.Faults().On(erptest.Match{Method: match.Method, Path: match.Path, N: 1, Times: tt.times}, tt.fault)
			resp, err := generated(t, conn).QueryRecordsWithResponse(t.Context(), "C_BPartner", &rest.QueryRecordsParams{Filter: ptr("IsActive eq true")})
			assert.Equal(t, tt.came, srv.Faults().Count(match))
			if tt.is == nil {
				require.NoError(t, err)
				page, err := rest.Decoded("list partners", resp.JSON200)
				require.NoError(t, err)
				assert.NotEmpty(t, page.Records)
				return
			}
			require.ErrorIs(t, err, tt.is)
			assert.False(t, erp.Unsent(err))
			var refused *erp.Error
			if errors.As(err, &refused) {
				assert.Equal(t, tt.after, refused.RetryAfter)
			}
		})
	}
	t.Run("exists", func(t *testing.T) {
		t.Parallel()
		_, conn := embedded(t)
		body := rest.RecordInput{"Value": "doer", "Name": "Doer", "C_BP_Group_ID": 103}
		_, err := generated(t, conn).CreateRecordWithResponse(t.Context(), "C_BPartner", nil, body)
		require.NoError(t, err)
		_, err = generated(t, conn).CreateRecordWithResponse(t.Context(), "C_BPartner", nil, body)
		require.ErrorIs(t, err, erp.ErrExists)
	})
	t.Run("certificate", func(t *testing.T) {
		t.Parallel()
		untrusted := httptest.NewTLSServer(always(200, `{}`))
		t.Cleanup(untrusted.Close)
		conn, err := erp.New(untrusted.URL, quick())
		require.NoError(t, err)
		_, err = generated(t, conn).ResetCachesWithResponse(t.Context(), nil)
		require.ErrorIs(t, err, erp.ErrUnreachable)
		assert.True(t, erp.Unsent(err))
	})
	t.Run("Retry-After as a date", func(t *testing.T) {
		t.Parallel()
		_, conn := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat))
			respond(w, 503, `{"title":"Busy","status":503}`)
		})
		_, err := generated(t, conn).ListNodesWithResponse(t.Context(), nil)
		var refused *erp.Error
		require.ErrorAs(t, err, &refused)
		assert.InDelta(t, 2*time.Hour, refused.RetryAfter, float64(time.Minute))
	})
}

// TestDoerBodies: a response is bounded, and one that is streamed is not.
func TestDoerBodies(t *testing.T) {
	t.Parallel()
	_, conn := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(make([]byte, 5000))
	}, erp.WithMaxResponseBytes(1000))
	api := generated(t, conn)
	_, err := api.DownloadNodeLog(t.Context(), "n1", nil)
	require.ErrorIs(t, err, erp.ErrBadResponse)
	require.ErrorContains(t, err, "WithMaxResponseBytes")
	resp, err := api.DownloadNodeLog(erp.StreamResponse(t.Context()), "n1", nil)
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Len(t, data, 5000)

	// A request that names a language keeps it.
	rec, conn := serve(t, always(200, `{}`), erp.WithLocale("es_CO"))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, conn.BaseURL()+"/caches?locale=de_DE", nil)
	require.NoError(t, err)
	resp, err = conn.Doer().Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, "/api/v1/caches?locale=de_DE", rec.last(t).URI)
	assert.Equal(t, "locale=de_DE", req.URL.RawQuery, "a request is not changed")
}
