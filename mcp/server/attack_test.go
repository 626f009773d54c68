package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

func TestEveryRequestNeedsAGoodToken(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	good := alice.token(t)
	for name, header := range map[string]string{
		"none":            "",
		"another scheme":  "Basic " + good,
		"only the scheme": "Bearer",
		"no token":        "Bearer not-a-token",
		"changed":         "Bearer " + good[:len(good)-4] + "AAAA",
		"expired":         "Bearer " + alice.tokenUntil(t, time.Now().Add(-time.Minute)),
		"two in one":      "Bearer " + good + " " + good,
	} {
		for _, path := range []string{"/mcp", "/mcp/", "/mcp/sse"} {
			h := accepting("")
			if header != "" {
				h["Authorization"] = header
			}
			res := send(t, http.MethodPost, in.url+path, strings.NewReader(initialize), h)
			assert.Equal(t, http.StatusUnauthorized, res.StatusCode, "%s %s", name, path)
			assert.Equal(t, `Bearer error="invalid_token", resource_metadata="`+in.url+`/.well-known/oauth-protected-resource/mcp"`, res.Header.Get("WWW-Authenticate"), name)
			assert.NotContains(t, text(t, res), good)
		}
	}
	assert.NotContains(t, in.log.String(), good)
	res := send(t, http.MethodGet, in.url+metadataPath+"/mcp", nil, nil)
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.JSONEq(t, `{"resource":"`+in.url+`/mcp","resource_name":"test","bearer_methods_supported":["header"]}`, text(t, res))
}

type unreachable struct{}

func (unreachable) Verify(context.Context, string) (tokens.Claims, error) {
	return tokens.Claims{}, errors.Join(tokens.ErrUnreachable, errors.New("dialing erp.internal"))
}

// That the ERP cannot be asked lets nobody in, and is no 500.
func TestATokenThatCannotBeChecked(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { o.Verifier = unreachable{} })
	res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(initialize), accepting(alice.token(t)))
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	assert.Equal(t, "5", res.Header.Get("Retry-After"))
	assert.NotContains(t, text(t, res), "erp.internal")
}

func TestNobodyElseUsesASession(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	otherRole := alice
	otherRole.role = 103
	t.Run("streamable", func(t *testing.T) {
		res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(initialize), accepting(alice.token(t)))
		require.Equal(t, http.StatusOK, res.StatusCode)
		id := res.Header.Get(sessionHeader)
		require.NotEmpty(t, id)
		_ = text(t, res)
		for _, thief := range []user{bob, otherRole} {
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
				res := send(t, method, in.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"ping"}`), accepting(thief.token(t), sessionHeader, id))
				assert.Equal(t, http.StatusNotFound, res.StatusCode, method)
			}
		}
		res = send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"ping"}`), accepting(alice.token(t), sessionHeader, id))
		assert.Equal(t, http.StatusOK, res.StatusCode, "hers goes on")
	})
	t.Run("server-sent events", func(t *testing.T) {
		res := send(t, http.MethodGet, in.url+"/mcp/sse", nil, accepting(alice.token(t)))
		require.Equal(t, http.StatusOK, res.StatusCode)
		endpoint := ""
		for lines := bufio.NewScanner(res.Body); endpoint == "" && lines.Scan(); {
			endpoint, _ = strings.CutPrefix(lines.Text(), "data: ")
			if !strings.HasPrefix(endpoint, "/") {
				endpoint = ""
			}
		}
		require.Contains(t, endpoint, "/mcp/sse?sessionid=")
		for _, thief := range []user{bob, otherRole} {
			res := send(t, http.MethodPost, in.url+endpoint, strings.NewReader(initialize), accepting(thief.token(t)))
			assert.Equal(t, http.StatusNotFound, res.StatusCode)
		}
		res = send(t, http.MethodPost, in.url+endpoint, strings.NewReader(initialize), accepting(alice.token(t)))
		assert.Equal(t, http.StatusAccepted, res.StatusCode)
	})
}

func TestBrowsersCannotBeUsed(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) {
		o.Origins, o.Hosts = []string{"https://app.example.com"}, []string{"tools.example.com", ".erp.example.com"}
	})
	for name, tc := range map[string]struct {
		header []string
		want   int
	}{
		"a name that points here":   {[]string{"Host", "evil.example.net"}, 403},
		"a name like localhost":     {[]string{"Host", "localhost.evil.net"}, 403},
		"a page elsewhere":          {[]string{"Origin", "http://evil.example.net"}, 403},
		"a page without an origin":  {[]string{"Origin", "null"}, 403},
		"a page on another port":    {[]string{"Origin", "http://127.0.0.1:1"}, 403},
		"a page that hides itself":  {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"a configured name":         {[]string{"Host", "tools.example.com"}, 200},
		"below a configured name":   {[]string{"Host", "a.erp.example.com"}, 200},
		"a configured page":         {[]string{"Origin", "https://app.example.com"}, 200},
		"a page of this server":     {[]string{"Origin", in.url}, 200},
		"no browser":                {nil, 200},
		"localhost as its own name": {[]string{"Host", "localhost"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(initialize), accepting(alice.token(t), tc.header...))
			assert.Equal(t, tc.want, res.StatusCode)
		})
	}
	res := send(t, http.MethodOptions, in.url+"/mcp", nil, map[string]string{"Origin": "https://app.example.com", "Access-Control-Request-Method": "POST"})
	assert.Equal(t, http.StatusNoContent, res.StatusCode)
	assert.Contains(t, res.Header.Get("Access-Control-Allow-Headers"), "Mcp-Session-Id")
	assert.Contains(t, res.Header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate")
}

// endless is a body that never stops.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.left -= n
	return n, nil
}

func TestHugeArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	for _, path := range []string{"/mcp", "/mcp/sse?sessionid=x"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.url+path, &endless{50 << 20})
		require.NoError(t, err)
		for k, v := range accepting(alice.token(t)) {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err == nil { // else the connection was closed on the sender
			assert.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode)
			require.NoError(t, res.Body.Close())
		}
	}
	_, failed := call(t, in.connect(t, legacyHTTP, alice.token(t), nil), "whoami", nil)
	assert.Nil(t, failed, "others are served")
}

func TestASlowSenderIsCutOff(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { o.BodyTimeout = 50 * time.Millisecond })
	conn, err := net.Dial("tcp", strings.TrimPrefix(in.url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "+alice.token(t)+"\r\nContent-Length: 100\r\n\r\n{")
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, "408")
}

// Sessions that are opened and dropped end for new ones once they are idle, and never
// one that is at work.
func TestSessionsOpenedAndDroppedAreBounded(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { o.MaxUserSessions, o.SessionIdle = 10, 1 })
	token := alice.token(t)
	var first, second string
	for i := range 1000 {
		res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(initialize), accepting(token))
		require.Equal(t, http.StatusOK, res.StatusCode)
		_ = text(t, res)
		switch i {
		case 0:
			first = res.Header.Get(sessionHeader)
			in.sessions.mu.Lock()
			in.sessions.beginLocked(in.sessions.open[first])
			in.sessions.mu.Unlock()
		case 1:
			second = res.Header.Get(sessionHeader)
		}
	}
	require.Eventually(t, func() bool {
		n := 0
		for range in.sdk.Sessions() {
			n++
		}
		return n <= 10
	}, 10*time.Second, 10*time.Millisecond)
	ping := func(id string) int {
		return send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"ping"}`), accepting(token, sessionHeader, id)).StatusCode
	}
	assert.Equal(t, http.StatusOK, ping(first), "a request of it was running")
	assert.Equal(t, http.StatusNotFound, ping(second), "the oldest of the others was ended")
	_, failed := call(t, in.connect(t, legacyHTTP, bob.token(t), nil), "whoami", nil)
	assert.Nil(t, failed, "others are served")
	assert.Contains(t, string(in.opts.Metrics.Text()), `mcp_sessions_limited_total{limit="user",outcome="ended"} 990`)
}

// A session too many is refused, with words, as long as all others are in use: of one
// server, and of several that share sessions.
func TestALimitOfSessionsEndsNobodyWhoWorks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		servers  int
		most     int
		status   int
		says     string
		limit    string
		newcomer user
	}{
		{"a user's, of one server", 1, 9, http.StatusTooManyRequests, "this user has as many sessions as one may have (3)", "user", alice},
		{"a user's, shared", 2, 9, http.StatusTooManyRequests, "this user has as many sessions as one may have (3)", "user", alice},
		{"all, of one server", 1, 3, http.StatusServiceUnavailable, "the server has as many sessions as it may have (3)", "server", bob},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bounds := func(o *Options, _ *mcp.BoundaryOptions) { o.MaxUserSessions, o.MaxSessions = 3, tt.most }
			servers := []*instance{start(t, bounds)}
			if tt.servers > 1 {
				servers = sharing(t, testredis.Start(t), tt.servers, bounds)
			}
			const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
			var all []*rawSession
			for i := range 3 {
				all = append(all, open(t, servers[i%tt.servers], alice))
			}
			for _, in := range servers {
				res := (&rawSession{token: tt.newcomer.token(t)}).post(t, in, initialize)
				assert.Equal(t, tt.status, res.StatusCode)
				assert.NotEmpty(t, res.Header.Get("Retry-After"))
				said := text(t, res)
				assert.Contains(t, said, tt.says)
				assert.Contains(t, said, "DELETE")
				assert.Contains(t, string(in.opts.Metrics.Text()), `mcp_sessions_limited_total{limit="`+tt.limit+`",outcome="refused"} 1`)
			}
			for i, s := range all {
				assert.Equal(t, http.StatusOK, s.post(t, servers[(i+1)%tt.servers], ping).StatusCode)
			}
			last := servers[len(servers)-1]
			require.Equal(t, http.StatusNoContent, all[0].do(t, http.MethodDelete, last, "").StatusCode)
			open(t, last, tt.newcomer)
		})
	}
}

func TestTheServerEndsInOrder(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	for _, how := range []string{modernHTTP, legacyHTTP, legacySSE} {
		_, failed := call(t, in.connect(t, how, alice.token(t), nil), "whoami", nil)
		require.Nil(t, failed)
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		res := send(t, http.MethodGet, in.url+path, nil, nil)
		require.Equal(t, http.StatusOK, res.StatusCode, path)
		if path == "/metrics" {
			assert.Contains(t, text(t, res), `mcp_tool_calls_total{tool="whoami",outcome="ok"} 3`)
		}
	}
	began := time.Now()
	require.NoError(t, in.stop(), "open streams do not hold it")
	assert.Less(t, time.Since(began), in.opts.Drain)
}
