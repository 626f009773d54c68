package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// batchOf is a batch of n calls of a tool.
func batchOf(n int, tool string) string {
	calls := make([]string, n)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, i+1, tool)
	}
	return "[" + strings.Join(calls, ",") + "]"
}

// opened is a session of a revision of the protocol.
func (in *instance) opened(t *testing.T, token, version string) string {
	t.Helper()
	res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(strings.Replace(initialize, "2025-11-25", version, 1)), accepting(token))
	require.Equal(t, http.StatusOK, res.StatusCode)
	_ = text(t, res)
	id := res.Header.Get(sessionHeader)
	require.NotEmpty(t, id)
	res = send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), accepting(token, sessionHeader, id))
	require.Equal(t, http.StatusAccepted, res.StatusCode)
	return id
}

// countingTool counts how often it was called, and says so.
func countingTool(calls *atomic.Int64) mcp.Tool {
	return mcp.New(mcp.Tool{Name: "counted", Description: "Counts its calls.", Hints: mcp.Hints{ReadOnly: true}},
		func(context.Context, *mcp.Call, struct{}) (map[string]int64, error) {
			return map[string]int64{"calls": calls.Add(1)}, nil
		})
}

func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	in := start(t, func(o *Options, l *mcp.BoundaryOptions) {
		o.Catalog.Tools = append(o.Catalog.Tools, countingTool(&calls))
		l.Limits.Concurrent = 2 * maxBatch
	})
	token := alice.token(t)
	old := in.opened(t, token, "2025-03-26")
	for name, tc := range map[string]struct {
		session, header, body string
		want                  string // in the error; empty: it is done
		calls                 int64
	}{
		"as many as allowed":             {old, "", batchOf(maxBatch, "counted"), "", maxBatch},
		"with the revision in a header":  {old, "2025-03-26", batchOf(2, "counted"), "", 2},
		"one too many":                   {old, "", batchOf(maxBatch+1, "counted"), "at most 32 messages", 0},
		"5,000":                          {old, "", batchOf(5000, "counted"), "at most 32 messages", 0},
		"many, after space":              {old, "", " \n\t" + batchOf(33, "counted"), "at most 32 messages", 0},
		"many that are nothing":          {old, "", "[" + strings.Repeat("1,", 40) + "1]", "at most 32 messages", 0},
		"many that do not end":           {old, "", strings.TrimSuffix(batchOf(33, "counted"), "]"), "at most 32 messages", 0},
		"a later revision in the header": {old, "2025-06-18", batchOf(2, "counted"), "has no batches", 0},
		"a session of 2025-06-18":        {in.opened(t, token, "2025-06-18"), "", batchOf(2, "counted"), "has no batches", 0},
		"a session of 2025-11-25":        {in.opened(t, token, "2025-11-25"), "", batchOf(2, "counted"), "has no batches", 0},
		"a session of no revision":       {in.opened(t, token, "1999-01-01"), "", batchOf(2, "counted"), "has no batches", 0},
		"the era without sessions":       {"", modernVersion, batchOf(2, "counted"), "has no batches", 0},
		"without a session":              {"", "", batchOf(2, "counted"), "needs a session", 0},
		"with initialize":                {"", "", "[" + initialize + "]", "needs a session", 0},
	} {
		t.Run(name, func(t *testing.T) { // one after the other: calls are counted
			calls.Store(0)
			h := accepting(token)
			for k, v := range map[string]string{sessionHeader: tc.session, versionHeader: tc.header} {
				if v != "" {
					h[k] = v
				}
			}
			res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(tc.body), h)
			response := text(t, res)
			assert.Equal(t, tc.calls, calls.Load(), response)
			if tc.want == "" {
				assert.Equal(t, http.StatusOK, res.StatusCode, response)
				assert.Equal(t, int(tc.calls), strings.Count(response, `"jsonrpc"`))
				return
			}
			assert.Equal(t, http.StatusBadRequest, res.StatusCode)
			assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
			var failed struct {
				ID    *int
				Error struct {
					Code    int
					Message string
				}
			}
			require.NoError(t, json.Unmarshal([]byte(response), &failed), response)
			assert.Contains(t, response, `"id":null`)
			assert.Equal(t, -32600, failed.Error.Code)
			assert.Contains(t, failed.Error.Message, tc.want)
		})
	}
	assert.Contains(t, string(in.opts.Metrics.Text()), `mcp_http_refused_total{reason="batch"}`)
}

// Server-sent events take one message at a time.
func TestServerSentEventsTakeNoBatches(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	token := alice.token(t)
	res := send(t, http.MethodPost, in.url+"/mcp/sse?sessionid=x", strings.NewReader(batchOf(2, "echo")), accepting(token))
	assert.Equal(t, http.StatusBadRequest, res.StatusCode)
	assert.Contains(t, text(t, res), "one message at a time")
}

// Every call of a batch counts as if it had come alone.
func TestCallsOfABatchCount(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	in := start(t, func(o *Options, l *mcp.BoundaryOptions) {
		o.Catalog.Tools = append(o.Catalog.Tools, countingTool(&calls))
		l.Limits.CallsPerMinute = 20
	})
	session := in.opened(t, alice.token(t), "2025-03-26")
	for range 3 {
		res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(batchOf(15, "counted")), accepting(alice.token(t), sessionHeader, session))
		require.Equal(t, http.StatusOK, res.StatusCode)
		_ = text(t, res)
	}
	assert.EqualValues(t, 20, calls.Load(), "of 45 in three batches")
}

// The messages of a batch take as many slots as requests of their own would.
func TestMessagesOfABatchTakePlaces(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	open := sync.OnceFunc(func() { close(leave) })
	t.Cleanup(open)
	hold := mcp.New(mcp.Tool{Name: "hold", Description: "Waits.", Hints: mcp.Hints{ReadOnly: true}},
		func(ctx context.Context, _ *mcp.Call, _ struct{}) (map[string]bool, error) {
			inside <- struct{}{}
			select {
			case <-leave:
			case <-ctx.Done():
			}
			return map[string]bool{"left": true}, nil
		})
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) {
		o.Catalog.Tools = append(o.Catalog.Tools, hold)
		o.MaxConcurrent = 4
	})
	token := alice.token(t)
	session := in.opened(t, token, "2025-03-26")
	post := func(body string) (int, string) {
		res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(body), accepting(token, sessionHeader, session))
		return res.StatusCode, text(t, res)
	}
	status, response := post(batchOf(5, "hold"))
	assert.Equal(t, http.StatusServiceUnavailable, status, "there are four slots: %s", response)
	done := make(chan int, 1)
	go func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.url+"/mcp", strings.NewReader(batchOf(3, "hold")))
		if err != nil {
			done <- 0
			return
		}
		for k, v := range accepting(token, sessionHeader, session) {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			done <- 0
			return
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body) // what is in it does not matter
		done <- res.StatusCode
	}()
	for range 3 {
		<-inside
	}
	status, _ = post(strings.ReplaceAll(batchOf(2, "echo"), `"id":`, `"id":10`))
	assert.Equal(t, http.StatusServiceUnavailable, status, "one slot is left")
	status, response = post(`{"jsonrpc":"2.0","id":99,"method":"ping"}`)
	assert.Equal(t, http.StatusOK, status, response)
	open()
	select {
	case status := <-done:
		assert.Equal(t, http.StatusOK, status)
	case <-time.After(time.Minute):
		t.Fatal("the batch does not end")
	}
	require.Eventually(t, func() bool { return len(in.slots) == 0 }, time.Minute, time.Millisecond, "every slot is free again")
}

func TestBatchSize(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body  string
		n     int
		batch bool
	}{
		"a message":             {`{"a":[1,2,3]}`, 1, false},
		"nothing":               {``, 1, false},
		"space":                 {" \n", 1, false},
		"an empty batch":        {` [ ] `, 0, true},
		"one":                   {`[{}]`, 1, true},
		"three":                 {`[{"a":[1,2]},"x,y",[1,[2,3]]]`, 3, true},
		"brackets in a text":    {`["]],[[\"]",2]`, 2, true},
		"a backslash at an end": {`["a\\",2]`, 2, true},
		"not ended":             {`[1,2`, 2, true},
		"ended too early":       {`[1],2,3`, 1, true},
		"many":                  {"[" + strings.Repeat("0,", 100) + "0]", maxBatch + 1, true},
		"deep":                  {"[" + strings.Repeat("[", 100000), 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, batch := batchSize([]byte(tc.body))
			assert.Equal(t, tc.n, n)
			assert.Equal(t, tc.batch, batch)
		})
	}
}

// A message that two programs may read differently reaches no tool.
func TestAmbiguousMessages(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	token := alice.token(t)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, tc := range map[string]struct{ body, says string }{
		"two messages": {call + call, "something behind"},
		"two methods":  {`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`, "member Method twice"},
		"arguments":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","text":"b"}}}`, "member text twice"},
		"in a batch":   {`[{"jsonrpc":"2.0","id":1,"method":"ping","id":2}]`, "member id twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(tc.body), accepting(token))
			assert.Equal(t, http.StatusBadRequest, res.StatusCode)
			assert.Contains(t, text(t, res), tc.says)
		})
	}
}
