package server

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/redisstore"
	"github.com/erphub/erphub/internal/testkit/testproxy"
	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/mcp"
)

// Two replicas behind a proxy that takes turns: limits hold for both together,
// a confirmation of one is good at the other, and either may end.
func TestReplicas(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	var replicas []*instance
	for range 2 {
		in := start(t, func(o *Options, b *mcp.BoundaryOptions) {
			store, err := redisstore.Open(srv.URL(), "")
			require.NoError(t, err)
			t.Cleanup(func() { _ = store.Close() })
			o.Stateless, o.Hosts = true, []string{"*"}
			b.Store, b.Limits.CallsPerMinute = store, 9
		})
		replicas = append(replicas, in)
	}
	proxy := inTurns(t, replicas)
	connect := func(how string) *sdk.ClientSession {
		cs, err := dial(t.Context(), proxy.url, how, &bearer{token: alice.token(t)}, &sdk.ClientOptions{
			ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{confirmKey: true}}, nil
			},
		})
		require.NoError(t, err)
		t.Cleanup(func() { _ = cs.Close() }) // a replica may be gone
		return cs
	}
	modern, legacy := connect(modernHTTP), connect(legacyHTTP)
	for _, cs := range []*sdk.ClientSession{modern, legacy, modern, legacy} {
		_, failed := call(t, cs, "whoami", nil)
		require.Nil(t, failed)
	}
	before := proxy.turn.Load()
	_, failed := call(t, modern, "drop", map[string]any{"table": "XX_A"})
	require.Nil(t, failed, "the other replica knows the key")
	require.Equal(t, before+2, proxy.turn.Load(), "the question came from one, the answer went to the other")

	proxy.gone.Store(0)
	require.NoError(t, replicas[0].stop())
	for _, cs := range []*sdk.ClientSession{modern, legacy, modern} {
		_, failed := call(t, cs, "whoami", nil)
		require.Nil(t, failed)
	}
	_, failed = call(t, legacy, "whoami", nil)
	require.NotNil(t, failed, "nine calls altogether")
	assert.Equal(t, mcp.CodeRateLimitExceeded, failed.Code)

	res := send(t, http.MethodGet, replicas[1].url+"/mcp/sse", nil, accepting(alice.token(t)))
	assert.Equal(t, http.StatusNotFound, res.StatusCode, "there are no sessions")
	srv.Stop()
	res = send(t, http.MethodGet, replicas[1].url+"/readyz", nil, nil)
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
}

// proxied is a proxy in front of two servers that takes turns.
type proxied struct {
	url    string
	turn   atomic.Int64
	gone   atomic.Int64 // server that is left out
	served [2]atomic.Int64
}

func inTurns(t testing.TB, replicas []*instance) *proxied {
	t.Helper()
	p := &proxied{}
	p.gone.Store(-1)
	var targets []*url.URL
	for _, in := range replicas {
		u, err := url.Parse(in.url)
		require.NoError(t, err)
		targets = append(targets, u)
	}
	srv := httptest.NewServer(testproxy.New(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			i := p.turn.Add(1) % 2
			if i == p.gone.Load() {
				i = 1 - i
			}
			p.served[i].Add(1)
			r.SetURL(targets[i])
		},
	}))
	t.Cleanup(srv.Close)
	p.url = srv.URL
	return p
}

func TestStandardInputAndOutput(t *testing.T) {
	t.Parallel()
	limits, err := mcp.NewBoundary(nil)
	require.NoError(t, err)
	s, err := New(Options{Catalog: testCatalog(), Boundary: limits, Local: mcp.Caller{ID: "local"}})
	require.NoError(t, err)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.ServeStdio(ctx, in, out); _ = out.Close() }()
	lines := bufio.NewScanner(fromServer)
	for _, exchange := range []struct{ message, want string }{
		{initialize, `"protocolVersion":"2025-11-25"`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami"}}`, `"id":"local"`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"panic"}}`, `"isError":true`},
	} {
		_, err := io.WriteString(toServer, exchange.message+"\n")
		require.NoError(t, err)
		if exchange.want != "" {
			require.True(t, lines.Scan())
			assert.True(t, strings.HasPrefix(lines.Text(), `{"jsonrpc":"2.0"`), "nothing else is on it: %s", lines.Text())
			assert.Contains(t, lines.Text(), exchange.want)
		}
	}
	cancel()
	require.NoError(t, toServer.Close())
	require.NoError(t, <-served)
}
