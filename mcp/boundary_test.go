package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testclock"
	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

var (
	reader = mcp.Caller{ID: "11/100", Known: true, ClientID: 11, UserID: 100, RoleID: 102, Session: "s1", Token: tokens.NewSecret("very-secret-token")}
	admin  = mcp.Caller{ID: "0/10", Known: true, UserID: 10, RoleID: 0}
)

// selecting is reader with a request that selects tool sets.
func selecting(sets ...string) mcp.Caller {
	c := reader
	c.Selection = &mcp.Selection{Toolsets: sets}
	return c
}

type echoInput struct {
	Text string `json:"text,omitempty"`
	N    int    `json:"n,omitempty"`
}

func tool(name string, hints mcp.Hints, set string, h func(ctx context.Context, c *mcp.Call, in echoInput) (any, error)) mcp.Tool {
	if h == nil {
		h = func(_ context.Context, _ *mcp.Call, in echoInput) (any, error) { return in, nil }
	}
	return mcp.New(mcp.Tool{Name: name, Description: "Does.", Hints: hints, Confirms: !hints.ReadOnly, Sets: []string{set}}, h)
}

func newBoundary(t *testing.T, o mcp.BoundaryOptions) *mcp.Boundary {
	t.Helper()
	b, err := mcp.NewBoundary(&o)
	require.NoError(t, err)
	return b
}

func code(err error) string {
	if err == nil {
		return ""
	}
	return mcp.ErrorOf(err).Code
}

func TestPermission(t *testing.T) {
	t.Parallel()
	list := tool("listTables", mcp.Hints{ReadOnly: true}, "registry", nil)
	create := tool("createTable", mcp.Hints{}, "table", nil)
	drop := tool("deleteTable", mcp.Hints{Destructive: true}, "table", nil)
	all := mcp.Set{list, create, drop}
	unknown := mcp.Caller{ID: "local"}
	for name, tc := range map[string]struct {
		opts   mcp.BoundaryOptions
		caller mcp.Caller
		want   []string
	}{
		"nothing said":                        {mcp.BoundaryOptions{}, reader, []string{"listTables", "createTable", "deleteTable"}},
		"a tool set":                          {mcp.BoundaryOptions{Toolsets: []string{"table"}}, reader, []string{"createTable", "deleteTable"}},
		"all tool sets":                       {mcp.BoundaryOptions{Toolsets: []string{"query", mcp.AllSets}}, reader, all.Names()},
		"default tool sets":                   {mcp.BoundaryOptions{DefaultToolsets: always("table")}, reader, []string{"createTable", "deleteTable"}},
		"a default that is not enabled":       {mcp.BoundaryOptions{Toolsets: []string{"registry"}, DefaultToolsets: always("table")}, reader, []string{}},
		"selected":                            {mcp.BoundaryOptions{DefaultToolsets: always("table")}, selecting("registry"), []string{"listTables"}},
		"selected but not enabled":            {mcp.BoundaryOptions{Toolsets: []string{"table"}}, selecting("registry"), []string{}},
		"selected, read-only above":           {mcp.BoundaryOptions{ReadOnly: true}, selecting("all"), []string{"listTables"}},
		"read-only":                           {mcp.BoundaryOptions{ReadOnly: true}, admin, []string{"listTables"}},
		"read-only is not lifted":             {mcp.BoundaryOptions{ReadOnly: true, Rules: []mcp.Rule{{Allow: []string{"*"}}}}, admin, []string{"listTables"}},
		"read-only but for one role":          {mcp.BoundaryOptions{Rules: []mcp.Rule{{ReadOnly: true, ExceptRoles: []int{0}}}}, admin, all.Names()},
		"read-only for the others":            {mcp.BoundaryOptions{Rules: []mcp.Rule{{ReadOnly: true, ExceptRoles: []int{0}}}}, reader, []string{"listTables"}},
		"role 0 is not an unknown role":       {mcp.BoundaryOptions{Rules: []mcp.Rule{{ReadOnly: true, ExceptRoles: []int{0}}}}, unknown, []string{"listTables"}},
		"a rule for a role":                   {mcp.BoundaryOptions{Rules: []mcp.Rule{{Roles: []int{102}, Deny: []string{"deleteTable"}}}}, reader, []string{"listTables", "createTable"}},
		"a rule for another role":             {mcp.BoundaryOptions{Rules: []mcp.Rule{{Roles: []int{102}, Deny: []string{"deleteTable"}}}}, admin, all.Names()},
		"a rule for a caller":                 {mcp.BoundaryOptions{Rules: []mcp.Rule{{Callers: []string{"11/*"}, Allow: []string{"list*"}}}}, reader, []string{"listTables"}},
		"a rule for another caller":           {mcp.BoundaryOptions{Rules: []mcp.Rule{{Callers: []string{"12/*"}, Allow: []string{"list*"}}}}, reader, all.Names()},
		"deny wins over allow":                {mcp.BoundaryOptions{Rules: []mcp.Rule{{Allow: []string{"set:table"}, Deny: []string{"delete*"}}}}, reader, []string{"createTable"}},
		"every rule must permit":              {mcp.BoundaryOptions{Rules: []mcp.Rule{{Allow: []string{"set:table"}}, {Allow: []string{"listTables"}}}}, reader, []string{}},
		"a rule that needs a role of no role": {mcp.BoundaryOptions{Rules: []mcp.Rule{{Roles: []int{0}, Deny: []string{"*"}}}}, unknown, all.Names()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBoundary(t, tc.opts)
			assert.Equal(t, tc.want, b.Visible(all, tc.caller).Names())
			for _, tl := range all {
				_, err := b.Call(t.Context(), tl, &mcp.Call{Caller: tc.caller})
				if slicesContains(tc.want, tl.Name) {
					require.NoError(t, err)
				} else {
					require.Equal(t, mcp.CodePermissionDenied, code(err), "%s: %v", tl.Name, err)
				}
			}
		})
	}
	_, err := mcp.NewBoundary(&mcp.BoundaryOptions{Rules: []mcp.Rule{{Allow: []string{"["}}}})
	require.ErrorContains(t, err, `rule 1: a rule has the pattern "["`)
	_, err = mcp.NewBoundary(&mcp.BoundaryOptions{Limits: mcp.Limits{CallsPerMinute: -1}})
	require.ErrorContains(t, err, "negative")
}

func slicesContains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func TestCallsPerMinute(t *testing.T) {
	t.Parallel()
	at := testclock.New(time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC))
	b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{CallsPerMinute: 2}, Now: at.Now})
	echo := tool("echo", mcp.Hints{ReadOnly: true}, "x", nil)
	call := func(c mcp.Caller) error {
		_, err := b.Call(t.Context(), echo, &mcp.Call{Caller: c})
		return err
	}
	require.NoError(t, call(reader))
	at.Advance(20 * time.Second)
	require.NoError(t, call(reader))
	at.Advance(10 * time.Second)
	err := call(reader)
	require.Equal(t, mcp.CodeRateLimitExceeded, code(err))
	assert.Equal(t, 30*time.Second, mcp.ErrorOf(err).RetryAfter, "the first call is 30 s old")
	assert.EqualError(t, err, "more than 2 calls within a minute; wait 30 s, then call again; prefer one larger call to many small ones")
	require.NoError(t, call(admin), "limits are per caller")
	another := reader
	another.Session = "s2"
	require.Equal(t, mcp.CodeRateLimitExceeded, code(call(another)), "another session is no way around it")
	at.Advance(30 * time.Second)
	require.NoError(t, call(reader))
}

func TestCostLimits(t *testing.T) {
	t.Parallel()
	spender := func(n int) mcp.Tool {
		return tool("spend", mcp.Hints{ReadOnly: true}, "x", func(ctx context.Context, _ *mcp.Call, _ echoInput) (any, error) {
			for range n {
				if err := mcp.Spend(ctx, 1); err != nil {
					return nil, fmt.Errorf("asking the ERP: %w", err)
				}
			}
			return map[string]string{"text": strings.Repeat("x", 387)}, nil // 400 bytes with the rest: 100 tokens
		})
	}
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	t.Run("requests a session", func(t *testing.T) {
		t.Parallel()
		b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{Session: mcp.Cost{APICalls: 5}}})
		reply, err := b.Call(t.Context(), spender(3), &mcp.Call{Caller: reader})
		require.NoError(t, err)
		assert.Equal(t, 3, reply.Spent.APICalls)
		_, err = b.Call(t.Context(), spender(3), &mcp.Call{Caller: reader})
		require.Equal(t, mcp.CodeCostLimitExceeded, code(err))
		assert.Equal(t, time.Hour, mcp.ErrorOf(err).RetryAfter)
		_, err = b.Call(t.Context(), spender(3), &mcp.Call{Caller: admin})
		require.NoError(t, err, "another user")
	})
	t.Run("requests of all sessions", func(t *testing.T) {
		t.Parallel()
		at := testclock.New(noon)
		b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{Session: mcp.Cost{APICalls: 5}}, Now: at.Now})
		other := reader
		other.Session = "s2"
		_, err := b.Call(t.Context(), spender(5), &mcp.Call{Caller: reader})
		require.NoError(t, err)
		_, err = b.Call(t.Context(), spender(1), &mcp.Call{Caller: other})
		require.Equal(t, mcp.CodeCostLimitExceeded, code(err), "a new session does not begin anew")
		assert.ErrorContains(t, err, "the limit of 5 requests to the ERP a session, counted over all sessions of this user, is reached")
		assert.Equal(t, time.Hour, mcp.ErrorOf(err).RetryAfter)
		at.Advance(59 * time.Minute)
		_, err = b.Call(t.Context(), spender(1), &mcp.Call{Caller: other})
		require.Equal(t, mcp.CodeCostLimitExceeded, code(err))
		at.Advance(2 * time.Minute)
		_, err = b.Call(t.Context(), spender(1), &mcp.Call{Caller: other})
		require.NoError(t, err, "what was refused does not count")
		_, err = b.Call(t.Context(), spender(1), &mcp.Call{Caller: reader})
		require.Equal(t, mcp.CodeCostLimitExceeded, code(err), "the first session stays used up")
		assert.Zero(t, mcp.ErrorOf(err).RetryAfter, "waiting does not help there")
	})
	t.Run("requests a day", func(t *testing.T) {
		t.Parallel()
		at := testclock.New(noon)
		b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{Day: mcp.Cost{APICalls: 5}}, Now: at.Now})
		_, err := b.Call(t.Context(), spender(5), &mcp.Call{Caller: reader})
		require.NoError(t, err)
		other := reader
		other.Session = "s2"
		_, err = b.Call(t.Context(), spender(1), &mcp.Call{Caller: other})
		require.Equal(t, mcp.CodeCostLimitExceeded, code(err))
		assert.Equal(t, 12*time.Hour, mcp.ErrorOf(err).RetryAfter)
		at.Advance(12 * time.Hour)
		_, err = b.Call(t.Context(), spender(1), &mcp.Call{Caller: reader})
		require.NoError(t, err, "a new day")
	})
	t.Run("tokens", func(t *testing.T) {
		t.Parallel()
		b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{Session: mcp.Cost{Tokens: 200}}})
		for range 2 {
			reply, err := b.Call(t.Context(), spender(0), &mcp.Call{Caller: reader})
			require.NoError(t, err)
			assert.Equal(t, 100, reply.Spent.Tokens)
		}
		_, err := b.Call(t.Context(), spender(0), &mcp.Call{Caller: reader, Arguments: json.RawMessage(`{"n":1}`)})
		require.Equal(t, mcp.CodeCostLimitExceeded, code(err))
		assert.ErrorContains(t, err, "the limit of 200 tokens a session, counted over all sessions of this user, is reached")
	})
	t.Run("a result that crosses the limit of tokens", func(t *testing.T) {
		t.Parallel()
		b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{Session: mcp.Cost{Tokens: 250}}})
		for range 2 {
			_, err := b.Call(t.Context(), spender(0), &mcp.Call{Caller: reader})
			require.NoError(t, err)
		}
		_, err := b.Call(t.Context(), spender(0), &mcp.Call{Caller: reader})
		require.Equal(t, mcp.CodeCostLimitExceeded, code(err))
		assert.ErrorContains(t, err, "the result of spend has about 100 tokens, more than are left: the limit of 250 tokens a session, counted over all sessions of this user, is reached")
		short := tool("short", mcp.Hints{ReadOnly: true}, "x", nil)
		_, err = b.Call(t.Context(), short, &mcp.Call{Caller: reader, Arguments: json.RawMessage(`{"text":"fits"}`)})
		require.NoError(t, err, "what was refused was not counted")

		change := spender(0)
		change.Hints = mcp.Hints{}
		reply, err := b.Call(t.Context(), change, &mcp.Call{Caller: reader})
		require.NoError(t, err, "what was changed is told")
		assert.Equal(t, 100, reply.Spent.Tokens)
		_, err = b.Call(t.Context(), short, &mcp.Call{Caller: reader})
		require.Equal(t, mcp.CodeCostLimitExceeded, code(err), "and counted")
	})
	t.Run("a tool that would not fit is not begun", func(t *testing.T) {
		t.Parallel()
		b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{Day: mcp.Cost{APICalls: 5}}})
		big := spender(0)
		big.Cost = mcp.Cost{APICalls: 6}
		_, err := b.Call(t.Context(), big, &mcp.Call{Caller: reader})
		require.Equal(t, mcp.CodeCostLimitExceeded, code(err))
	})
}

func TestCallsAtTheSameTime(t *testing.T) {
	t.Parallel()
	b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{Concurrent: 2}})
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := tool("slow", mcp.Hints{ReadOnly: true}, "x", func(context.Context, *mcp.Call, echoInput) (any, error) {
		entered <- struct{}{}
		<-leave
		return nil, nil
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			_, err := b.Call(t.Context(), slow, &mcp.Call{Caller: reader})
			assert.NoError(t, err)
		})
		<-entered
	}
	_, err := b.Call(t.Context(), slow, &mcp.Call{Caller: reader})
	require.Equal(t, mcp.CodeRateLimitExceeded, code(err))
	assert.Equal(t, time.Second, mcp.ErrorOf(err).RetryAfter)
	wg.Go(func() {
		_, err := b.Call(t.Context(), slow, &mcp.Call{Caller: admin})
		assert.NoError(t, err, "others are served")
	})
	<-entered
	close(leave)
	wg.Wait()
}

func TestATruncatedResultSaysSo(t *testing.T) {
	t.Parallel()
	b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{ResultTokens: 100}})
	for name, tc := range map[string]struct {
		value   any
		check   func(t *testing.T, r *mcp.Reply)
		refused bool
	}{
		"small": {value: map[string][]int{"rows": {1}}, check: func(t *testing.T, r *mcp.Reply) {
			assert.JSONEq(t, `{"rows":[1]}`, string(r.JSON))
		}},
		"text": {value: mcp.Result{Content: []mcp.Content{mcp.Text(strings.Repeat("ä", 1000)), mcp.Text("more")}}, check: func(t *testing.T, r *mcp.Reply) {
			require.Len(t, r.Content, 1)
			assert.Regexp(t, `^ä+\n\[truncated: \d+ of 2000 bytes of this text are shown; request less to see the rest\]$`, r.Content[0].Text)
		}},
		"an object that cannot be cut": {value: map[string]string{"a": strings.Repeat("x", 1000)}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tl := tool("list", mcp.Hints{ReadOnly: true}, "x", func(context.Context, *mcp.Call, echoInput) (any, error) { return tc.value, nil })
			reply, err := b.Call(t.Context(), tl, &mcp.Call{Caller: reader})
			if tc.refused {
				require.Equal(t, mcp.CodeTooLarge, code(err))
				assert.Contains(t, err.Error(), "more than the 100 a response may have; request less")
				return
			}
			require.NoError(t, err)
			assert.LessOrEqual(t, reply.Tokens(), 100)
			tc.check(t, reply)
		})
	}
}

func TestPanicsAndSurprisesAreCaught(t *testing.T) {
	t.Parallel()
	var log, audit bytes.Buffer
	b := newBoundary(t, mcp.BoundaryOptions{Logger: slog.New(slog.NewTextHandler(&log, nil)), Audit: mcp.AuditTo(&audit)})
	bad := tool("bad", mcp.Hints{ReadOnly: true}, "x", func(context.Context, *mcp.Call, echoInput) (any, error) { panic("boom at 0x1") })
	_, err := b.Call(t.Context(), bad, &mcp.Call{Caller: reader})
	require.Equal(t, mcp.CodeInternal, code(err))
	assert.NotContains(t, err.Error(), "boom")
	worse := tool("worse", mcp.Hints{ReadOnly: true}, "x", func(context.Context, *mcp.Call, echoInput) (any, error) {
		return nil, errors.New("connecting to postgres://u:hunter2@db")
	})
	_, err = b.Call(t.Context(), worse, &mcp.Call{Caller: reader})
	require.Equal(t, mcp.CodeInternal, code(err))
	assert.NotContains(t, err.Error(), "hunter2")
	assert.Contains(t, log.String(), "boom at 0x1")

	lines := strings.Split(strings.TrimSpace(audit.String()), "\n")
	require.Len(t, lines, 2)
	var r struct{ Reference, Outcome string }
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &r))
	assert.Contains(t, err.Error(), r.Reference, "the response names the line of the audit")
	assert.Contains(t, log.String(), r.Reference)
}

func TestATimeLimitHoldsForToolsThatIgnoreIt(t *testing.T) {
	t.Parallel()
	b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{Concurrent: 1}})
	leave := make(chan struct{})
	deaf := tool("deaf", mcp.Hints{ReadOnly: true}, "x", func(context.Context, *mcp.Call, echoInput) (any, error) {
		<-leave
		return nil, nil
	})
	deaf.Timeout = 10 * time.Millisecond
	_, err := b.Call(t.Context(), deaf, &mcp.Call{Caller: reader})
	require.Equal(t, mcp.CodeTimeout, code(err))
	_, err = b.Call(t.Context(), deaf, &mcp.Call{Caller: reader})
	require.Equal(t, mcp.CodeRateLimitExceeded, code(err), "it still counts as running")
	close(leave)
	echo := tool("echo", mcp.Hints{ReadOnly: true}, "x", nil)
	require.Eventually(t, func() bool {
		_, err := b.Call(t.Context(), echo, &mcp.Call{Caller: reader})
		return err == nil
	}, 5*time.Second, time.Millisecond)
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	b := newBoundary(t, mcp.BoundaryOptions{})
	entered := make(chan struct{})
	slow := tool("slow", mcp.Hints{ReadOnly: true}, "x", func(ctx context.Context, _ *mcp.Call, _ echoInput) (any, error) {
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-entered; cancel() }()
	_, err := b.Call(ctx, slow, &mcp.Call{Caller: reader})
	require.Equal(t, mcp.CodeCancelled, code(err))
}

func TestTheStoreIsGone(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	b := newBoundary(t, mcp.BoundaryOptions{Store: openRedis(t, srv.URL()), Limits: mcp.Limits{CallsPerMinute: 10, Day: mcp.Cost{Tokens: 1000}}})
	ran := false
	tl := tool("ran", mcp.Hints{ReadOnly: true}, "x", func(context.Context, *mcp.Call, echoInput) (any, error) { ran = true; return nil, nil })
	srv.Stop()
	_, err := b.Call(t.Context(), tl, &mcp.Call{Caller: reader})
	require.Equal(t, mcp.CodeUnreachable, code(err))
	assert.Positive(t, mcp.ErrorOf(err).RetryAfter)
	assert.False(t, ran, "a limit that cannot be checked counts as reached")
	assert.NotContains(t, err.Error(), srv.Addr)
	require.Error(t, b.Ready(t.Context()))
}

func TestAuditHoldsNamesAndNoValues(t *testing.T) {
	t.Parallel()
	var audit bytes.Buffer
	at := testclock.New(time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC))
	b := newBoundary(t, mcp.BoundaryOptions{Audit: mcp.AuditTo(&audit), Now: at.Now, ReadOnly: true})
	caller := reader
	caller.Program = "client/1\nforged line"
	_, err := b.Call(t.Context(), tool("echo", mcp.Hints{ReadOnly: true}, "x", nil), &mcp.Call{
		Caller: caller, Arguments: json.RawMessage(`{"text":"password is hunter2","n":7}`),
	})
	require.NoError(t, err)
	_, err = b.Call(t.Context(), tool("write", mcp.Hints{}, "x", nil), &mcp.Call{Caller: caller})
	require.Error(t, err)
	lines := strings.Split(strings.TrimSuffix(audit.String(), "\n"), "\n")
	require.Len(t, lines, 2)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &got))
	for key, want := range map[string]any{
		"time": "2026-07-01T10:00:00Z", "tool": "echo", "outcome": "ok", "caller": "11/100", "role": 102.0,
		"program": "client/1 forged line", "arguments": []any{"n", "text"}, "apiCalls": 0.0, "ms": 0.0,
	} {
		assert.Equal(t, want, got[key], key)
	}
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &got))
	assert.Equal(t, mcp.CodePermissionDenied, got["outcome"])
	for _, secret := range []string{"hunter2", "very-secret-token", `"s1"`} {
		assert.NotContains(t, audit.String(), secret)
	}
}

func BenchmarkCall(b *testing.B) {
	limits, err := mcp.NewBoundary(&mcp.BoundaryOptions{Limits: mcp.Limits{CallsPerMinute: 1 << 30, Day: mcp.Cost{Tokens: 1 << 40, APICalls: 1 << 40}}})
	require.NoError(b, err)
	echo := tool("echo", mcp.Hints{ReadOnly: true}, "x", nil)
	c := &mcp.Call{Caller: admin, Arguments: json.RawMessage(`{"text":"a","n":7}`)}
	for b.Loop() {
		if _, err := limits.Call(b.Context(), echo, c); err != nil {
			b.Fatal(err)
		}
	}
}

// always is the default of every caller.
func always(sets ...string) func(mcp.Caller) []string {
	return func(mcp.Caller) []string { return sets }
}
