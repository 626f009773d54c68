package erptest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

func health(t testing.TB, srv *erptest.Server) (response, error) {
	t.Helper()
	return request{method: "GET", path: "/health"}.try(t, srv)
}

func TestFaultMatching(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		match erptest.Match
		want  string // one letter per request below: F failed, . not
	}{
		{"all", erptest.Match{}, "FFFFFF"},
		{"third of all", erptest.Match{N: 3}, "..F..."},
		{"two from the second on", erptest.Match{N: 2, Times: 2}, ".FF..."},
		{"by method", erptest.Match{Method: "POST"}, ".F...F"},
		{"second of a method", erptest.Match{Method: "post", N: 2}, ".....F"},
		{"by path in any case", erptest.Match{Path: "/MODELS/ad_column"}, "FF...."},
		{"the path itself is not below it", erptest.Match{Path: "/models/AD_Column/..."}, "FFF..."},
		{"one segment", erptest.Match{Path: "/models/*"}, "FF.F.."},
		{"part of a segment", erptest.Match{Path: "/models/AD_*/..."}, "FFFF.."},
		{"method and path", erptest.Match{Method: "POST", Path: "/models/AD_Column", N: 1}, ".F...."},
		{"no path", erptest.Match{Path: "/nowhere"}, "......"},
		{"no pattern", erptest.Match{Path: "/models/["}, "......"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t)
			fault := srv.Faults().On(tc.match, erptest.Fail(http.StatusTeapot))
			got := ""
			for _, q := range []request{
				{method: "GET", path: "/models/AD_Column"},
				{method: "POST", path: "/models/AD_Column", body: "{}"},
				{method: "GET", path: "/models/AD_Column/100"},
				{method: "GET", path: "/models/AD_Table"},
				{method: "GET", path: "/health"},
				{method: "POST", path: "/processes/x", body: "{}"},
			} {
				if q.do(t, srv).status == http.StatusTeapot {
					got += "F"
				} else {
					got += "."
				}
			}
			assert.Equal(t, tc.want, got)
			assert.Equal(t, strings.Count(tc.want, "F"), fault.Hits())
		})
	}
}

func TestFaultResponses(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	f := srv.Faults()
	f.On(erptest.Match{N: 1}, erptest.Fail(http.StatusServiceUnavailable, erptest.RetryAfter(1500*time.Millisecond)))
	f.On(erptest.Match{N: 2}, erptest.Fail(http.StatusTooManyRequests, erptest.Body("text/plain", "slow down")))
	f.On(erptest.Match{N: 3}, erptest.HTML(http.StatusBadGateway))

	a, err := health(t, srv)
	require.NoError(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, a.status)
	assert.Equal(t, "2", a.header.Get("Retry-After"))
	assert.Equal(t, `{"title":"Injected fault","status":503}`, a.body)
	a, err = health(t, srv)
	require.NoError(t, err)
	assert.Equal(t, "slow down", a.body)
	a, err = health(t, srv)
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, a.status)
	assert.Contains(t, a.body, "<html>")
	a, err = health(t, srv)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, a.status)

	assert.Equal(t, []erptest.RequestInfo{
		{Number: 1, Method: "GET", Path: "/api/v1/health", Status: 503, Fault: "fail 503"},
		{Number: 2, Method: "GET", Path: "/api/v1/health", Status: 429, Fault: "fail 429"},
		{Number: 3, Method: "GET", Path: "/api/v1/health", Status: 502, Fault: "html 502"},
		{Number: 4, Method: "GET", Path: "/api/v1/health", Status: 200},
	}, f.Requests())
	assert.Equal(t, 4, f.Count(erptest.Match{Path: "/health"}))
	f.Reset()
	assert.Empty(t, f.Requests())
}

// What is cut before was not done, what is cut after was.
func TestFaultCuts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		action erptest.Action
		done   int // times the request was handled
		fails  bool
		reset  bool
	}{
		{"before", erptest.CutBefore(), 0, true, true},
		{"after", erptest.CutAfter(), 1, true, true},
		{"middle", erptest.CutMiddle(), 1, true, false},
		{"duplicate", erptest.Duplicate(), 2, false, false},
		{"none", erptest.Action{}, 1, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t)
			fault := srv.Faults().On(erptest.Match{Method: "POST", Path: "/auth/tokens", N: 1}, tc.action)
			a, err := request{method: "POST", path: "/auth/tokens", body: asGardenUser}.try(t, srv)
			assert.Equal(t, tc.fails, err != nil, "%v", err)
			if tc.reset {
				assert.True(t, errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF), "%v", err)
			}
			if tc.name == "middle" {
				assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
				assert.Equal(t, http.StatusOK, a.status, "the header came through")
			}
			assert.Equal(t, 1, fault.Hits())
			states, err := srv.RefreshTokens(t.Context())
			require.NoError(t, err)
			assert.Len(t, states, tc.done)
			logIn(t, srv, asGardenUser)
		})
	}
}

func TestFaultHold(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	gate := make(chan struct{})
	fault := srv.Faults().On(erptest.Match{Path: "/auth/tokens", N: 1}, erptest.Hold(gate))
	handled := make(chan response, 1)
	go func() {
		a, _ := request{method: "POST", path: "/auth/tokens", body: asGardenUser}.try(t, srv)
		handled <- a
	}()
	for fault.Hits() == 0 { // until it has arrived
		_, err := health(t, srv)
		require.NoError(t, err)
	}
	select {
	case a := <-handled:
		t.Fatalf("handled while held: %v", a)
	default:
	}
	close(gate)
	assert.Equal(t, http.StatusOK, (<-handled).status)

	t.Run("the client leaves", func(t *testing.T) {
		held := srv.Faults().On(erptest.Match{Path: "/health", N: 1}, erptest.Hold(make(chan struct{})))
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL()+"/api/v1/health", nil)
		require.NoError(t, err)
		done := make(chan error, 1)
		go func() {
			resp, err := http.DefaultClient.Do(r)
			if err == nil {
				err = resp.Body.Close()
			}
			done <- err
		}()
		for held.Hits() == 0 {
			logIn(t, srv, asGardenUser)
		}
		cancel()
		assert.ErrorIs(t, <-done, context.Canceled)
	})
	t.Run("delay", func(t *testing.T) {
		srv.Faults().Reset()
		delayed := srv.Faults().On(erptest.Match{Path: "/health"}, erptest.Delay(time.Millisecond))
		a, err := health(t, srv)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, a.status)
		assert.Equal(t, 1, delayed.Hits())
		delayed.Remove()
		_, err = health(t, srv)
		require.NoError(t, err)
		assert.Equal(t, 1, delayed.Hits())
	})
}

func TestRequestLogKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, refreshToken := logIn(t, srv, asGardenAdmin)
	probe(t, srv, token)
	refresh(t, srv, refreshBody(refreshToken, 11, 101))
	for _, r := range srv.Faults().Requests() {
		text := asJSON(t, r)
		assert.NotContains(t, text, token)
		assert.NotContains(t, text, refreshToken)
		assert.NotContains(t, text, "Bearer")
	}
}

func TestFaultsConcurrently(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				rule := srv.Faults().On(erptest.Match{Path: "/health", N: 1}, erptest.Fail(500))
				_, _ = health(t, srv)
				rule.Remove()
				srv.Faults().Requests()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 40, srv.Faults().Count(erptest.Match{Path: "/health"}))
}
