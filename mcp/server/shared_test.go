package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/redisstore"
	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/mcp"
)

// sharing are servers that share a Redis, and keep sessions.
func sharing(t testing.TB, redis *testredis.Server, n int, change func(*Options, *mcp.BoundaryOptions)) []*instance {
	t.Helper()
	var all []*instance
	for range n {
		all = append(all, start(t, func(o *Options, b *mcp.BoundaryOptions) {
			store, err := redisstore.Open(redis.URL(), "")
			require.NoError(t, err)
			t.Cleanup(func() { _ = store.Close() }) // Redis may be gone first
			o.Sessions, o.Hosts, b.Store = store, []string{"*"}, store
			if change != nil {
				change(o, b)
			}
		}))
	}
	return all
}

// rawSession is a session of a client written by hand, which chooses the server
// of every request.
type rawSession struct {
	token, id string
}

const initializeAsking = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"raw","version":"7"}}}`

func open(t testing.TB, in *instance, u user) *rawSession {
	t.Helper()
	s := &rawSession{token: u.token(t)}
	res := s.post(t, in, initializeAsking)
	require.Equal(t, http.StatusOK, res.StatusCode)
	s.id = res.Header.Get(sessionHeader)
	require.NotEmpty(t, s.id)
	require.Contains(t, text(t, res), `"protocolVersion":"2025-11-25"`)
	return s
}

func (s *rawSession) post(t testing.TB, in *instance, body string) *http.Response {
	t.Helper()
	return s.do(t, http.MethodPost, in, body)
}

func (s *rawSession) do(t testing.TB, method string, in *instance, body string) *http.Response {
	t.Helper()
	header := accepting(s.token)
	if s.id != "" {
		header[sessionHeader] = s.id
	}
	return send(t, method, in.url+"/mcp", strings.NewReader(body), header)
}

// later sends a message and gives the response when it is whole; "" if it breaks.
func (s *rawSession) later(t testing.TB, in *instance, body string) <-chan string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.url+"/mcp", strings.NewReader(body))
	require.NoError(t, err)
	for k, v := range accepting(s.token, sessionHeader, s.id) {
		req.Header.Set(k, v)
	}
	got := make(chan string, 1)
	go func() {
		defer close(got)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return
		}
		defer res.Body.Close()
		if body, err := io.ReadAll(res.Body); err == nil {
			got <- string(body)
		}
	}()
	return got
}

// wire is a message of the server.
type wire struct {
	ID     json.RawMessage
	Method string
	Result *struct {
		Content []struct{ Text string }
		IsError bool
	}
}

// events reads the messages of a stream.
func events(res *http.Response) func(t testing.TB) wire {
	lines := bufio.NewScanner(res.Body)
	return func(t testing.TB) (m wire) {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				require.NoError(t, json.Unmarshal([]byte(data), &m), data)
				return m
			}
		}
		t.Fatal("the stream ended")
		return m
	}
}

func callOf(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// agreement is the response of a user who agrees to a question.
func agreement(id json.RawMessage) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"confirm":true}}}`, id)
}

// A client of the SDK goes on with whichever server the proxy takes, is asked by
// one and responds at another, and goes on when one is gone.
func TestSessionsOverReplicas(t *testing.T) {
	t.Parallel()
	replicas := sharing(t, testredis.Start(t), 2, func(_ *Options, b *mcp.BoundaryOptions) { b.Limits.Session = mcp.Cost{Tokens: 1_000_000} })
	proxy := inTurns(t, replicas)
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "go-test", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{confirmKey: strings.HasPrefix(r.Params.Message, "Drop XX_Yes")}}, nil
		},
	}).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: proxy.url + "/mcp", HTTPClient: &http.Client{Transport: &bearer{token: alice.token(t)}},
	}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close() })
	session := ""
	for i := range 4 {
		var who whoami
		said, failed := call(t, cs, "whoami", nil)
		require.Nil(t, failed, "call %d", i)
		require.NoError(t, json.Unmarshal([]byte(said), &who))
		assert.Equal(t, "go-test/1", who.Program, "what the client said at the first server is known at the other")
		if session == "" {
			session = who.Session
		}
		assert.Equal(t, session, who.Session)
	}
	for i, in := range replicas {
		require.Positive(t, proxy.served[i].Load())
		assert.Len(t, in.sessions.open, 1)
	}
	type outcome struct {
		table  string
		failed bool
		err    error
	}
	outcomes := make(chan outcome)
	for i := range 12 { // questions of both at a time, whose ids must not be mistaken
		table := fmt.Sprintf("XX_%s%d", []string{"Yes", "No"}[i%2], i)
		go func() {
			res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "drop", Arguments: map[string]any{"table": table}})
			outcomes <- outcome{table, res != nil && res.IsError, err}
		}()
	}
	for range 12 {
		o := <-outcomes
		require.NoError(t, o.err, o.table)
		assert.Equal(t, strings.HasPrefix(o.table, "XX_No"), o.failed, o.table)
	}
	proxy.gone.Store(0)
	require.NoError(t, replicas[0].stop())
	for range 3 {
		_, failed := call(t, cs, "drop", map[string]any{"table": "XX_Yes"})
		require.Nil(t, failed)
	}
}

// A response counts for the one question it is to, whichever server gets it, and
// nobody else's does.
func TestAResponseIsForOneQuestion(t *testing.T) {
	t.Parallel()
	replicas := sharing(t, testredis.Start(t), 2, nil)
	asks, other := replicas[0], replicas[1]
	mine, second, theirs := open(t, asks, alice), open(t, other, alice), open(t, other, bob)
	ask := func(id int) (question wire, next func(testing.TB) wire) {
		t.Helper()
		next = events(mine.post(t, asks, callOf(id, "drop", `{"table":"XX_A"}`)))
		question = next(t)
		require.Equal(t, "elicitation/create", question.Method)
		return question, next
	}
	first, next := ask(10)
	another, nextOther := ask(11)
	require.NotEqual(t, first.ID, another.ID)
	madeUp := `"` + strings.Repeat("A", 26) + `.1"`
	for _, forged := range []struct {
		name string
		by   *rawSession
		id   string
	}{
		{"another user", theirs, string(first.ID)},
		{"another session of the user", second, string(first.ID)},
		{"a number", mine, "1"},
		{"a made-up id", mine, madeUp},
		{"a question that was not asked", mine, strings.TrimSuffix(string(first.ID), `1"`) + `77"`},
	} {
		for _, in := range replicas {
			res := forged.by.post(t, in, agreement(json.RawMessage(forged.id)))
			assert.Equal(t, http.StatusAccepted, res.StatusCode, forged.name)
		}
	}
	stolen := *theirs
	stolen.id = mine.id
	for _, in := range replicas {
		assert.Equal(t, http.StatusNotFound, stolen.post(t, in, agreement(first.ID)).StatusCode)
	}
	// What the store carries is looked at, too.
	raw, err := json.Marshal(passed{From: "another", Session: mine.id, User: "11/200/103/11", Message: json.RawMessage(agreement(first.ID))})
	require.NoError(t, err)
	asks.sessions.receive(raw)
	asks.sessions.receive([]byte("{"))
	// Were one of those believed, this would come too late.
	decline := strings.Replace(agreement(first.ID), `"accept"`, `"decline"`, 1)
	require.Equal(t, http.StatusAccepted, mine.post(t, other, decline).StatusCode)
	got := next(t)
	require.NotNil(t, got.Result)
	assert.Contains(t, got.Result.Content[0].Text, mcp.CodeDeclined)
	for _, in := range replicas { // a second one for the same question is for no question
		require.Equal(t, http.StatusAccepted, mine.post(t, in, agreement(first.ID)).StatusCode)
	}
	require.Equal(t, http.StatusAccepted, mine.post(t, other, agreement(another.ID)).StatusCode)
	got = nextOther(t)
	require.NotNil(t, got.Result)
	assert.JSONEq(t, `{"dropped":"XX_A"}`, got.Result.Content[0].Text)

	long := strings.Replace(agreement(first.ID), `true`, `true,"x":"`+strings.Repeat("x", maxPassed)+`"`, 1)
	assert.Equal(t, http.StatusRequestEntityTooLarge, mine.post(t, other, long).StatusCode)
}

// What a user agreed to is done once, by whichever server is told first.
func TestAConfirmationIsUsedOnceOverReplicas(t *testing.T) {
	t.Parallel()
	replicas := sharing(t, testredis.Start(t), 2, nil)
	opts := &sdk.ClientOptions{
		Capabilities:       &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}},
		MultiRoundTrip:     &sdk.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) { panic("nobody asks") },
	}
	drop := func(in *instance, state string) *sdk.CallToolResult {
		t.Helper()
		p := &sdk.CallToolParams{Name: "drop", Arguments: map[string]any{"table": "XX_A"}, RequestState: state}
		if state != "" {
			p.InputResponses = sdk.InputResponseMap{confirmKey: &sdk.ElicitResult{Action: "accept", Content: map[string]any{confirmKey: true}}}
		}
		res, err := in.connect(t, modernHTTP, alice.token(t), opts).CallTool(t.Context(), p)
		require.NoError(t, err)
		return res
	}
	question := drop(replicas[0], "")
	require.True(t, question.NeedsInput())
	assert.False(t, drop(replicas[1], question.RequestState).IsError)
	for _, in := range replicas {
		assert.True(t, drop(in, question.RequestState).IsError)
	}
}

// A cancellation reaches the server that works on the call.
func TestCancellationAtAnotherReplica(t *testing.T) {
	t.Parallel()
	var entered chan struct{}
	replicas := sharing(t, testredis.Start(t), 2, func(o *Options, _ *mcp.BoundaryOptions) {
		if entered == nil {
			entered, _ = holding(o)
		} else {
			holding(o)
		}
	})
	mine, theirs := open(t, replicas[0], alice), open(t, replicas[1], bob)
	mine.later(t, replicas[0], callOf(10, "hold", `{}`))
	<-entered
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10}}`
	require.Equal(t, http.StatusAccepted, theirs.post(t, replicas[1], cancel).StatusCode)
	require.Equal(t, 1, replicas[0].work.count(), "the number is that of another session")
	require.Equal(t, http.StatusAccepted, mine.post(t, replicas[1], cancel).StatusCode)
	require.Eventually(t, func() bool { return replicas[0].work.count() == 0 }, 10*time.Second, time.Millisecond)
}

// A session belongs to its user at every server, ends at all of them, and is one
// of the user's wherever it was opened.
func TestSharedSessionsHaveAnOwnerAndAnEnd(t *testing.T) {
	t.Parallel()
	redis := testredis.Start(t)
	replicas := sharing(t, redis, 2, func(o *Options, _ *mcp.BoundaryOptions) {
		o.MaxUserSessions, o.MaxSessions, o.SessionIdle = 3, 4, 1
	})
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	s := open(t, replicas[0], alice)
	otherRole := alice
	otherRole.role = 103
	for _, thief := range []user{bob, otherRole} {
		stolen := rawSession{thief.token(t), s.id}
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			for i, in := range replicas {
				res := stolen.do(t, method, in, ping)
				got := text(t, res)
				unknown := rawSession{thief.token(t), strings.Repeat("A", 26)}
				assert.Equal(t, http.StatusNotFound, res.StatusCode, "%s at %d", method, i)
				assert.Equal(t, text(t, unknown.do(t, method, in, ping)), got, "it looks like one that does not exist")
			}
		}
	}
	for _, in := range replicas {
		require.Equal(t, http.StatusOK, s.post(t, in, ping).StatusCode, "hers goes on")
	}
	batch := s.post(t, replicas[1], "["+ping+"]")
	assert.Equal(t, http.StatusBadRequest, batch.StatusCode, "the revision has no batches, at the other server either")

	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, replicas[1], "").StatusCode)
	for _, in := range replicas {
		assert.Equal(t, http.StatusNotFound, s.post(t, in, ping).StatusCode)
		require.Eventually(t, func() bool { return openSessions(in) == 0 }, 10*time.Second, time.Millisecond, "nothing of it is left in memory")
	}

	s = open(t, replicas[0], alice)
	require.NoError(t, replicas[1].opts.Sessions.EndSession(t.Context(), s.id, replicas[0].sessions.open[s.id].user))
	assert.Equal(t, http.StatusNotFound, s.post(t, replicas[0], ping).StatusCode, "it ended while no message told so")

	var all []*rawSession
	for i := range 4 {
		all = append(all, open(t, replicas[i%2], alice))
	}
	for i, s := range all {
		want := http.StatusOK
		if i == 0 {
			want = http.StatusNotFound // she has one too many
		}
		assert.Equal(t, want, s.post(t, replicas[1], ping).StatusCode, "session %d", i)
	}
	for id := range 3 { // more than fit into a server's memory
		u := bob
		u.id += id
		all = append(all, open(t, replicas[1], u))
	}
	for i, s := range all[1:] {
		assert.Equal(t, http.StatusOK, s.post(t, replicas[1], ping).StatusCode, "session %d", i)
		assert.LessOrEqual(t, openSessions(replicas[1]), 4)
	}

	redis.Stop()
	res := all[1].post(t, replicas[0], ping)
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	assert.NotEmpty(t, res.Header.Get("Retry-After"))
	res = (&rawSession{token: bob.token(t)}).post(t, replicas[0], initialize)
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode, "a balancer sees it, too")
	assert.NotContains(t, replicas[0].log.String(), redis.URL())
}

func openSessions(in *instance) int {
	in.sessions.mu.Lock()
	defer in.sessions.mu.Unlock()
	return len(in.sessions.open)
}

// A call that takes longer than a session lives unused keeps it at all servers.
func TestALongCallKeepsItsSession(t *testing.T) {
	t.Parallel()
	uses := &countedUses{}
	var entered, release chan struct{}
	redis := testredis.Start(t)
	in := sharing(t, redis, 1, func(o *Options, _ *mcp.BoundaryOptions) {
		entered, release = holding(o)
		uses.SessionStore, o.Sessions = o.Sessions, uses
		o.SessionTimeout = 3 * time.Second
	})[0]
	s := open(t, in, alice)
	response := s.later(t, in, callOf(10, "hold", `{}`))
	<-entered
	before := uses.n.Load()
	require.Eventually(t, func() bool { return uses.n.Load() >= before+2 }, 30*time.Second, time.Millisecond)
	close(release)
	assert.Contains(t, <-response, `{"finished":true}`)
	assert.Equal(t, http.StatusOK, s.post(t, in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`).StatusCode)
}

type countedUses struct {
	SessionStore
	n atomic.Int64
}

func (c *countedUses) UseSession(ctx context.Context, id, owner string, life time.Duration) ([]byte, error) {
	c.n.Add(1)
	return c.SessionStore.UseSession(ctx, id, owner, life)
}

// What is kept of a client is bounded.
func TestALongIntroductionIsRefused(t *testing.T) {
	t.Parallel()
	in := sharing(t, testredis.Start(t), 1, nil)[0]
	long := strings.Replace(initialize, `"name":"raw"`, `"name":"`+strings.Repeat("x", maxSessionData)+`"`, 1)
	res := (&rawSession{token: alice.token(t)}).post(t, in, long)
	assert.Contains(t, text(t, res), "too long")
	assert.Zero(t, openSessions(in))
}

// Ids of questions are those of one server's question only.
func TestIdsOfQuestions(t *testing.T) {
	t.Parallel()
	a, b := &link{mark: newMark()}, &link{mark: newMark()}
	for _, n := range []int64{1, 4711} {
		own := idOf(t, fmt.Sprint(n))
		shown, err := a.shown(own)
		require.NoError(t, err)
		back, mine := a.asked(shown)
		assert.True(t, mine)
		assert.Equal(t, own, back)
		_, theirs := b.asked(shown)
		assert.False(t, theirs)
		assert.True(t, marked(shown))
	}
	for _, raw := range []string{"1", `""`, `"."`, `"1.1"`, `"` + a.mark + `"`, `"` + a.mark + `.x"`, `"` + a.mark + `.-1"`, `"` + a.mark + `.99999999999"`, "null"} {
		id := idOf(t, raw)
		_, mine := a.asked(id)
		assert.False(t, mine, raw)
		assert.False(t, marked(id), raw)
	}
	params, err := a.cancelled([]byte(`{"requestId":3,"reason":"late"}`))
	require.NoError(t, err)
	assert.JSONEq(t, `{"requestId":"`+a.mark+`.3","reason":"late"}`, string(bytes.TrimSpace(params)))
}

func idOf(t *testing.T, raw string) jsonrpc.ID {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(raw), &v))
	id, err := jsonrpc.MakeID(v)
	require.NoError(t, err)
	return id
}
