package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testproxy"
	"github.com/erphub/erphub/internal/testkit/testredis"
)

// Two processes behind a proxy that takes turns: one is killed while it is asked,
// clients of both eras go on with the other, and limits are those of both
// together. With sessions and without.
func TestAKilledReplica(t *testing.T) {
	t.Parallel()
	erp := embeddedERP(t)
	t.Run("sessions", func(t *testing.T) { t.Parallel(); killedReplica(t, erp) })
	t.Run("stateless", func(t *testing.T) { t.Parallel(); killedReplica(t, erp, "--stateless") })
}

func killedReplica(t *testing.T, erp *erptest.Server, flags ...string) {
	redis := testredis.Start(t)
	token, err := erp.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	var replicas []*program
	var targets []*url.URL
	for range 2 {
		p := run(t, []string{"ERP_URL=" + erp.URL(), "ERPHUB_REDIS_URL=" + redis.URL()}, append(flags, "--host", "*", "--calls-per-minute", "12", "--toolsets", "generator")...)
		u, err := url.Parse(p.url)
		require.NoError(t, err)
		replicas, targets = append(replicas, p), append(targets, u)
		require.Eventually(t, func() bool { return strings.Contains(p.log.String(), "any number of it may run side by side") }, 5*time.Second, time.Millisecond)
	}
	balancer := &balancer{targets: targets}
	proxy := httptest.NewServer(testproxy.New(&httputil.ReverseProxy{FlushInterval: -1, Transport: balancer, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(targets[0]) }}))
	t.Cleanup(proxy.Close)
	sessions := []*sdk.ClientSession{connect(t, proxy.URL, token, "2025-11-25"), connect(t, proxy.URL, token, "2026-07-28")}
	for i := range 12 {
		if i == 6 {
			require.Positive(t, balancer.served[0].Load())
			require.Positive(t, balancer.served[1].Load())
			require.NoError(t, replicas[0].cmd.Process.Kill())
		}
		response, failed := call(t, sessions[i%2], "listGenerators", nil)
		require.False(t, failed, "call %d: %s", i, response)
	}
	response, failed := call(t, sessions[0], "listGenerators", nil)
	assert.True(t, failed, "what the dead one served counts, too")
	assert.Contains(t, response, "rate_limit_exceeded")
}

// balancer takes turns, and asks the other one where one cannot be reached.
type balancer struct {
	targets []*url.URL
	turn    atomic.Int64
	served  [2]atomic.Int64
}

func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	var err error
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	first := int(b.turn.Add(1) % 2)
	for _, i := range []int{first, 1 - first} {
		again := r.Clone(r.Context())
		again.URL.Host, again.Body = b.targets[i].Host, io.NopCloser(bytes.NewReader(body))
		var res *http.Response
		if res, err = http.DefaultTransport.RoundTrip(again); err == nil {
			b.served[i].Add(1)
			return res, nil
		}
	}
	return nil, err
}

// A client with a session chooses among three processes. One is killed in the
// middle of a call and one while it asks the user: the session goes on at the
// others, and a response to the question of a dead process changes nothing.
func TestASessionOutlivesItsProcesses(t *testing.T) {
	t.Parallel()
	redis := testredis.Start(t)
	erp := embeddedERP(t)
	token, err := erp.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	var replicas []*program
	for range 3 {
		replicas = append(replicas, run(t, []string{"ERP_URL=" + erp.URL(), "ERPHUB_REDIS_URL=" + redis.URL()}, "--toolsets", "records,query"))
	}
	c := &rawClient{token: token}
	at := func(i int) *rawClient {
		c.url = replicas[i].url
		return c
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	status, _, err := at(0).do(ctx, http.MethodPost, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"raw","version":"1"}}}`))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	session := c.session
	_, err = at(1).post(ctx, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	require.NoError(t, err)
	read := func(i int) string {
		t.Helper()
		var got []json.RawMessage
		require.Eventually(t, func() bool { // each process reads the dictionary
			got, err = at(i).post(ctx, toolCall(2, "getRecord", args{"tableName": "C_BPartner", "id": 118}))
			return err != nil || len(got) != 1 || !strings.Contains(string(got[0]), `\"code\":\"loading\"`)
		}, 2*time.Minute, time.Millisecond)
		require.NoError(t, err)
		require.Equal(t, session, c.session, "it is still the same")
		require.Len(t, got, 1)
		require.NotContains(t, string(got[0]), `"isError":true`)
		return string(got[0])
	}
	for i := range replicas { // each has a dictionary
		read(i)
	}

	// What a tool of one made is read at another.
	made, err := at(0).post(ctx, toolCall(9, "printRecord", args{"table": "C_Order", "id": 100, "format": "html"}))
	require.NoError(t, err)
	uri := regexp.MustCompile(`erp://file/\w+`).FindString(string(made[0]))
	require.NotEmpty(t, uri, "%s", made[0])
	file, err := at(2).post(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":%q}}`, uri))
	require.NoError(t, err)
	require.Contains(t, string(file[0]), `"mimeType":"text/html"`)

	gate := make(chan struct{})
	held := erp.Faults().On(erptest.Match{Method: http.MethodGet, Path: "/models/C_BPartner/*"}, erptest.Hold(gate))
	broken := make(chan error, 1)
	inCall := *at(0)
	go func() {
		_, err := inCall.post(ctx, toolCall(3, "getRecord", args{"tableName": "C_BPartner", "id": 118}))
		broken <- err
	}()
	require.Eventually(t, func() bool { return held.Hits() > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, replicas[0].cmd.Process.Kill())
	require.Error(t, <-broken)
	close(gate)
	held.Remove()
	before := read(1)

	change := func(i, id int, text string) (question json.RawMessage, next func() map[string]json.RawMessage) {
		t.Helper()
		next = at(i).stream(ctx, t, toolCall(id, "updateRecord", args{"table": "C_BPartner", "id": 118, "values": args{"Description": text}}))
		asked := next()
		require.JSONEq(t, `"elicitation/create"`, string(asked["method"]), "%s", asked)
		return asked["id"], next
	}
	agree := func(i int, question json.RawMessage) {
		t.Helper()
		status, _, err := at(i).do(ctx, http.MethodPost, strings.NewReader(
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"confirm":true}}}`, question)))
		require.NoError(t, err)
		require.Equal(t, http.StatusAccepted, status)
	}
	lost, next := change(1, 4, "of a dead process")
	require.NoError(t, replicas[1].cmd.Process.Kill())
	require.Nil(t, next(), "the stream ends")
	agree(2, lost)
	require.Equal(t, before, read(2), "nothing was changed")

	replicas[1] = run(t, []string{"ERP_URL=" + erp.URL(), "ERPHUB_REDIS_URL=" + redis.URL()}, "--toolsets", "records,query")
	question, next := change(2, 5, "of a process that lives")
	agree(2, lost)
	agree(1, question) // a process that was started after the session began
	result := next()
	require.NotNil(t, result)
	require.NotContains(t, string(result["result"]), `"isError":true`)
	require.Contains(t, read(1), "of a process that lives")
}

// stream sends a message and reads what comes back, one message at a time, nil
// at the end.
func (c *rawClient) stream(ctx context.Context, t testing.TB, body string) (next func() map[string]json.RawMessage) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/mcp", strings.NewReader(body))
	require.NoError(t, err)
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Authorization": "Bearer " + c.token, "Mcp-Session-Id": c.session, "Mcp-Protocol-Version": c.protocol(),
	} {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	return func() (m map[string]json.RawMessage) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				require.NoError(t, json.Unmarshal([]byte(data), &m), data)
				return m
			}
		}
		return nil
	}
}
