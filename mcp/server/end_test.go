package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// holding adds a tool that works until it is let go, or told to stop.
func holding(o *Options) (entered chan struct{}, release chan struct{}) {
	entered, release = make(chan struct{}, 10), make(chan struct{})
	o.Catalog.Tools = append(o.Catalog.Tools, mcp.New(mcp.Tool{Name: "hold", Description: "Holds.", Hints: mcp.Hints{ReadOnly: true}},
		func(ctx context.Context, _ *mcp.Call, _ struct{}) (any, error) {
			entered <- struct{}{}
			select {
			case <-release:
				return map[string]bool{"finished": true}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}))
	return entered, release
}

// What runs when the server is told to end is finished and its response sent, over every
// transport; nothing new is taken.
func TestRunningCallsAreFinished(t *testing.T) {
	t.Parallel()
	var entered, release chan struct{}
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { entered, release = holding(o) })
	type response struct {
		how string
		res *sdk.CallToolResult
		err error
	}
	responses := make(chan response, 3)
	ways := []string{modernHTTP, legacyHTTP, legacySSE}
	for _, how := range ways {
		cs := in.connect(t, how, alice.token(t), nil)
		go func() {
			res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "hold"})
			responses <- response{how, res, err}
		}()
		<-entered
	}
	ended := make(chan error, 1)
	go func() { ended <- in.stop() }()
	<-in.work.draining
	require.Eventually(t, func() bool { // the listener is closed
		conn, err := net.Dial("tcp", strings.TrimPrefix(in.url, "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, 5*time.Second, time.Millisecond)
	select {
	case err := <-ended:
		t.Fatalf("the server ended while calls ran: %v", err)
	default:
	}
	close(release)
	for range ways {
		a := <-responses
		require.NoError(t, a.err, a.how)
		assert.False(t, a.res.IsError, a.how)
	}
	require.NoError(t, <-ended)
}

// A call that does not finish in time does not hold the end: it is cancelled, also one
// that does not care, and its client is told, over every transport.
func TestTheEndDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	var entered, deaf chan struct{}
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) {
		entered, _ = holding(o)
		deaf = make(chan struct{})
		o.Catalog.Tools = append(o.Catalog.Tools, mcp.New(mcp.Tool{Name: "deaf", Description: "Does not care.", Hints: mcp.Hints{ReadOnly: true}},
			func(context.Context, *mcp.Call, struct{}) (any, error) {
				entered <- struct{}{}
				<-deaf
				return nil, nil
			}))
		o.Drain = 50 * time.Millisecond
	})
	t.Cleanup(func() { close(deaf) })
	type ended struct {
		how string
		res *sdk.CallToolResult
		err error
	}
	all := make(chan ended, 6)
	for _, how := range []string{modernHTTP, legacyHTTP, legacySSE} {
		for _, tool := range []string{"hold", "deaf"} {
			cs := in.connect(t, how, alice.token(t), nil)
			go func() {
				res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: tool})
				all <- ended{how + " " + tool, res, err}
			}()
			<-entered
		}
	}
	require.NoError(t, in.stop())
	for range 6 {
		e := <-all
		require.NoError(t, e.err, e.how)
		require.True(t, e.res.IsError, e.how)
		assert.Contains(t, e.res.Content[0].(*sdk.TextContent).Text, `"code":"cancelled","message":"the server is ending"`, e.how)
	}
	assert.Contains(t, in.log.String(), "they take too long to finish")
	assert.NotContains(t, in.log.String(), "cut off")
}

// Signs of life are sent on streams on which nothing happens.
func TestStreamsAreKeptAlive(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { o.KeepAlive = 10 * time.Millisecond })
	token := alice.token(t)
	alive := func(t *testing.T, body io.Reader) {
		t.Helper()
		lines, seen := bufio.NewScanner(body), 0
		for seen < 3 && lines.Scan() {
			if strings.HasPrefix(lines.Text(), ": ") {
				seen++
			}
		}
		assert.Equal(t, 3, seen)
	}
	t.Run("server-sent events", func(t *testing.T) {
		alive(t, send(t, http.MethodGet, in.url+"/mcp/sse", nil, accepting(token)).Body)
	})
	t.Run("a session's stream", func(t *testing.T) {
		res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(initialize), accepting(token))
		_ = text(t, res)
		session := res.Header.Get(sessionHeader)
		alive(t, send(t, http.MethodGet, in.url+"/mcp", nil, accepting(token, sessionHeader, session, "Accept", "text/event-stream")).Body)
	})
}

// A client that does not read its responses is cut off; others are served
// meanwhile.
func TestASlowReaderIsCutOff(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { o.WriteTimeout = 100 * time.Millisecond })
	conn, err := net.Dial("tcp", strings.TrimPrefix(in.url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":%q},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"slow","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		strings.Repeat("x", 30_000), modernVersion)
	request := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Mcp-Protocol-Version: %s\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", modernVersion, alice.token(t), len(body), body)
	require.NoError(t, conn.SetWriteDeadline(time.Now().Add(20*time.Second)))
	sent := 0
	for ; sent < 2000; sent++ { // one after the other on one connection, none of whose responses is read
		if _, err = io.WriteString(conn, request); err != nil {
			break
		}
	}
	var timeout net.Error
	require.Error(t, err, "%d requests were taken without a response being read", sent)
	require.False(t, errors.As(err, &timeout) && timeout.Timeout(), "the server held the connection: %v", err)
	assert.Positive(t, sent)
	_, failed := call(t, in.connect(t, modernHTTP, bob.token(t), nil), "whoami", nil)
	assert.Nil(t, failed, "others are served")
	require.Eventually(t, func() bool { return len(in.slots) == 0 && in.work.count() == 0 }, 5*time.Second, time.Millisecond, "nothing is held for it")
}
