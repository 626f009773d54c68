package aiclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/internal/testkit/aitest/aiengine"
)

// sentinels are all kinds of errors.
var sentinels = []error{
	aiclient.ErrRefused, aiclient.ErrUnauthorized, aiclient.ErrDenied, aiclient.ErrNotFound, aiclient.ErrTimeout, aiclient.ErrRateLimited,
	aiclient.ErrUnavailable, aiclient.ErrUnreachable, aiclient.ErrBadResponse, aiclient.ErrInvalid,
}

// is requires that an error is of these kinds and no others.
func is(t testing.TB, err error, want ...error) {
	t.Helper()
	require.Error(t, err)
	for _, s := range sentinels {
		expected := false
		for _, w := range want {
			expected = expected || w == s //nolint:errorlint // the same sentinel
		}
		assert.Equal(t, expected, errors.Is(err, s), "%v in %v", s, err)
	}
}

// Each kind of error, as the real service has them, and as what stands before
// it.
func TestErrors(t *testing.T) {
	t.Parallel()
	s := newService(t, &aiquery.Options{StatementTimeout: 50 * time.Millisecond}, &httpapi.Options{PerMinute: 60, Burst: 40})
	c, ctx := s.client(t, aiclient.WithRetries(0, 0)), t.Context()
	ask := func(sql string) error {
		_, err := c.Query(ctx, aiclient.Query{SQL: sql})
		return err
	}
	err := ask("SELECT name FORM c_bpartner")
	is(t, err, aiclient.ErrRefused)
	var refused *api.Error
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, err.Error(), "POST /api/ai/query: 400 ")
	assert.Equal(t, api.CodeSyntax, refused.Code)
	assert.Positive(t, refused.Position)
	assert.NotEmpty(t, refused.RequestID)
	assert.Contains(t, err.Error(), refused.RequestID)
	is(t, ask("SELECT * FROM ad_table"), aiclient.ErrDenied)
	require.ErrorAs(t, ask("SELECT * FROM c_bpartnr"), &refused)
	assert.Equal(t, api.Object{Kind: api.TableObject, Name: "c_bpartnr", Similar: []string{"C_BPartner", "I_BPartner", "RV_BPartner"}}, refused.Object)
	assert.Equal(t, "did you mean C_BPartner, I_BPartner or RV_BPartner?", refused.Hint)
	_, err = c.WindowContext(ctx, 1)
	is(t, err, aiclient.ErrNotFound)
	is(t, ask("SELECT count(*) FROM generate_series(1, 3000) a, generate_series(1, 3000) b, generate_series(1, 3000) c"), aiclient.ErrTimeout)
	_, err = s.client(t, aiclient.WithToken(tokenOf(t, aiengine.User, -time.Minute))).Roles(ctx)
	is(t, err, aiclient.ErrUnauthorized)
	is(t, ask(strings.Repeat("x", 2<<20)), aiclient.ErrRefused)
	for range 100 {
		if _, err = c.Roles(ctx); err != nil {
			break
		}
	}
	is(t, err, aiclient.ErrRateLimited)
	require.ErrorAs(t, err, &refused)
	assert.Positive(t, refused.RetryAfter)

	for _, tt := range []struct {
		name  string
		fault func(w http.ResponseWriter)
		want  error
	}{
		{"a proxy without the service", func(w http.ResponseWriter) { http.Error(w, "<html>Bad Gateway CANARY</html>", http.StatusBadGateway) }, aiclient.ErrUnavailable},
		{"another server", func(w http.ResponseWriter) { http.NotFound(w, nil) }, aiclient.ErrNotFound},
		{"a page", func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>welcome</html>")) }, aiclient.ErrBadResponse},
		{"half a value", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"columns":[`))
		}, aiclient.ErrBadResponse},
		{"rows that are too short", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"columns":[{"name":"a","type":"text"}],"rows":[[]]}`))
		}, aiclient.ErrBadResponse},
		{"more than anybody asked for", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			for chunk := []byte(strings.Repeat(" ", 1<<20)); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, aiclient.ErrBadResponse},
		{"less than was announced", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"columns":[`))
		}, aiclient.ErrUnreachable},
		{"no response", cut, aiclient.ErrUnreachable},
		{"unavailable", refusing(503, "unavailable", ""), aiclient.ErrUnavailable},
		{"too late", refusing(504, "timeout", ""), aiclient.ErrTimeout},
		{"given up", refusing(408, "canceled", ""), aiclient.ErrTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.faulty(first(1000, tt.fault))
			err := ask("SELECT 1")
			is(t, err, tt.want)
			assert.Equal(t, tt.name == "a proxy without the service" || tt.name == "another server", errors.Is(err, aiclient.ErrForeign))
			assert.NotContains(t, err.Error(), "CANARY")
			assert.Equal(t, 1, s.came())
		})
	}
	s.faulty(first(1, refusing(500, "internal", "")))
	is(t, ask("SELECT 1")) // of no kind
}

// A time-out of the client is told from one of the service.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(release)
	c, err := aiclient.New(server.URL, aiclient.WithRole(1), aiclient.WithHTTPClient(&http.Client{Timeout: 20 * time.Millisecond}))
	require.NoError(t, err)
	_, err = c.Query(t.Context(), aiclient.Query{SQL: "SELECT 1"})
	is(t, err, aiclient.ErrUnreachable, aiclient.ErrTimeout)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Roles(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, aiclient.ErrUnreachable, "nobody waits for a response")
}

// What is sent again, and how often; a query whose response was lost never is.
func TestRetries(t *testing.T) {
	t.Parallel()
	s := newService(t, nil, nil)
	// A kept connection that ends is replaced by the transport itself.
	c, ctx := s.client(t, aiclient.WithHTTPClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}})), t.Context()
	query := func() error {
		_, err := c.Query(ctx, aiclient.Query{SQL: "SELECT 1"})
		return err
	}
	roles := func() error {
		_, err := c.Roles(ctx)
		return err
	}
	for _, tt := range []struct {
		name  string
		call  func() error
		fault func(http.ResponseWriter)
		times int // that the fault happens
		came  int
		want  error
	}{
		{"reading, response lost", roles, cut, 1, 2, nil},
		{"reading, response lost again and again", roles, cut, 9, 3, aiclient.ErrUnreachable},
		{"query, response lost", query, cut, 1, 1, aiclient.ErrUnreachable},
		{"query, turned away", query, refusing(503, "unavailable", "0"), 1, 1, aiclient.ErrUnavailable},
		{"query, turned away for a second", query, refusing(429, "busy", "1"), 1, 2, nil},
		{"query, tried by a database in need", query, refusing(503, "resources", "1"), 1, 1, aiclient.ErrUnavailable},
		{"reading, turned away for too long", roles, refusing(429, "rate_limited", "3600"), 9, 1, aiclient.ErrRateLimited},
		{"reading, behind a proxy without the service", roles, refusing(502, "", ""), 2, 3, nil},
		{"query, behind a proxy without the service", query, refusing(502, "", ""), 1, 1, aiclient.ErrUnavailable},
		{"query, an error of the service", query, refusing(500, "internal", ""), 1, 1, nil},
		{"query, too late", query, refusing(504, "timeout", ""), 1, 1, aiclient.ErrTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.faulty(first(tt.times, tt.fault))
			err := tt.call()
			switch {
			case tt.want != nil:
				is(t, err, tt.want)
			case tt.came > 1:
				require.NoError(t, err)
			}
			assert.Equal(t, tt.came, s.came())
		})
	}

	// A query that ran, and whose response got lost, ran once.
	s.faulty(func(_ http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	})
	before := len(aiengine.Records(t, s.srv))
	is(t, query(), aiclient.ErrUnreachable)
	assert.Len(t, aiengine.Records(t, s.srv), before+1)

	// Nobody waits longer than the caller does.
	s.faulty(first(9, refusing(429, "busy", "5")))
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := c.Roles(short)
	is(t, err, aiclient.ErrRateLimited)
	assert.NoError(t, short.Err(), "it did not wait for nothing")

	t.Run("not connected", func(t *testing.T) { notConnected(t, s) })
	t.Run("refresh", func(t *testing.T) { refresh(t, s) })
}

// dialing is a transport that fails to connect so many times.
type dialing struct {
	left int
	next http.RoundTripper
}

func (d *dialing) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.left--; d.left >= 0 {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	return d.next.RoundTrip(r)
}

// A request that never left is sent again, also a query.
func notConnected(t *testing.T, s *service) {
	s.faulty(nil)
	for failures, want := range map[int]error{1: nil, 2: nil, 3: aiclient.ErrUnreachable} {
		c := s.client(t, aiclient.WithHTTPClient(&http.Client{Transport: &dialing{left: failures, next: http.DefaultTransport}}))
		_, err := c.Query(t.Context(), aiclient.Query{SQL: "SELECT 1"})
		if want == nil {
			require.NoError(t, err)
			continue
		}
		is(t, err, want)
		var conn *aiclient.ConnError
		require.ErrorAs(t, err, &conn)
		assert.False(t, conn.Sent)
	}
}

// A service whose certificate is not trusted, or that has no name, did not get
// the request.
func TestNotSent(t *testing.T) {
	t.Parallel()
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	for _, address := range []string{untrusted.URL, "http://ai.invalid"} {
		c, err := aiclient.New(address, aiclient.WithRole(1), aiclient.WithRetries(0, 0))
		require.NoError(t, err)
		_, err = c.Query(t.Context(), aiclient.Query{SQL: "SELECT 1"})
		is(t, err, aiclient.ErrUnreachable)
		var conn *aiclient.ConnError
		require.ErrorAs(t, err, &conn)
		assert.False(t, conn.Sent, address)
	}
}

// A redirect is not followed: the token would go along.
func TestRedirects(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Header.Get("Authorization") }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, status) }))
		for _, opts := range [][]aiclient.Option{nil, {aiclient.WithHTTPClient(&http.Client{})}} {
			c, err := aiclient.New(server.URL, append(opts, aiclient.WithToken("Kanarienvogel"), aiclient.WithRole(1))...)
			require.NoError(t, err)
			_, err = c.Query(t.Context(), aiclient.Query{SQL: "SELECT 1"})
			is(t, err, aiclient.ErrBadResponse)
			_, err = c.Roles(t.Context())
			is(t, err, aiclient.ErrBadResponse)
		}
		server.Close()
	}
	assert.Empty(t, asked)
}

// A token that is refused is refreshed once; no error shows one, whatever the
// response says.
func refresh(t *testing.T, s *service) {
	old, good := tokenOf(t, aiengine.User, -time.Minute), tokenOf(t, aiengine.User, time.Hour)
	older := tokenOf(t, aiengine.User, -time.Hour)
	for _, tt := range []struct {
		name      string
		source    *rotating
		came      int
		refreshed int
		want      error
	}{
		{"refreshed", &rotating{list: []string{old, good}}, 2, 1, nil},
		{"not needed", &rotating{list: []string{good}}, 1, 0, nil},
		{"the newer one is not good either", &rotating{list: []string{older, old, good}}, 2, 1, aiclient.ErrUnauthorized},
		{"there is no other", &rotating{list: []string{old}}, 1, 1, aiclient.ErrUnauthorized},
		{"refreshing fails", &rotating{list: []string{old, good}, err: errors.New("no login")}, 1, 1, aiclient.ErrUnauthorized},
		{"one that cannot stand in a header", &rotating{list: []string{"a\nb"}}, 0, 0, aiclient.ErrInvalid},
	} {
		s.faulty(nil)
		c := s.client(t, aiclient.WithTokenSource(tt.source))
		_, err := c.Query(t.Context(), aiclient.Query{SQL: "SELECT 1"})
		if tt.want == nil {
			require.NoError(t, err, tt.name)
		} else {
			is(t, err, tt.want)
		}
		assert.Equal(t, tt.came, s.came(), tt.name)
		assert.Equal(t, tt.refreshed, tt.source.refreshed, tt.name)
	}

	s.faulty(func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(401)
		fmt.Fprintf(w, `{"error":{"code":%[1]q,"message":"no %[2]s","hint":%[1]q,"object":{"kind":%[1]q,"name":%[1]q,"similar":[%[1]q]}},"requestId":%[1]q}`, token, token)
	})
	_, err := s.client(t).Roles(t.Context())
	is(t, err, aiclient.ErrUnauthorized)
	var refused *api.Error
	require.ErrorAs(t, err, &refused)
	all := fmt.Sprintf("%v %+v %#v", err, refused, *refused)
	assert.Contains(t, all, "[token]")
	assert.NotContains(t, all, "eyJ", "tokens begin so")
}
