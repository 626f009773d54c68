package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/aitest"
	"github.com/erphub/erphub/internal/testkit/testproc"
)

// What the program may hold in memory, as users build it, in MiB: at rest, with
// 1,000 sessions that listed the tools, and beyond rest after these are gone. At
// rest it is about 60, nearly all of it pages of the program's file, of which the
// system keeps 3 more or less at hand.
const (
	restMemory     = 64.0
	sessionsMemory = 130.0
	leftMemory     = 20.0
)

// The program itself, built as users build it, outlives what they do with it. The
// second way to build it compiles every package once more, C included, and is
// tried with ERPHUB_PROOF=1.
func TestRealProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs that are not built for the race detector")
	}
	t.Parallel()
	for name, flags := range map[string][]string{
		"default build":                nil,
		"position-independent program": {"-buildmode=pie"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(flags) > 0 && (runtime.GOOS != "linux" || os.Getenv("ERPHUB_PROOF") == "") {
				t.Skip("the build mode is not everywhere, and takes minutes to compile")
			}
			p := overPostgres(t, testproc.Program(t, "erphub-mcp", flags...))
			queries(t, p)
			batch(t, p)
			manySessions(t, p)
			loginsAnew(t, p)
			queries(t, p)
		})
	}
}

// At rest, under 1,000 sessions and after them the program holds what operators
// are told to expect.
func TestMemoryOfRealProgram(t *testing.T) { // not parallel: tests that build programs evict its pages
	if testing.Short() {
		t.Skip("runs programs that are not built for the race detector")
	}
	p := measured(t, testproc.Program(t, "erphub-mcp"), []string{"ERP_URL=http://127.0.0.1:1", "ERP_TOKEN_SECRET=" + tokenSecret}, "--toolsets", "all")
	resident := func() float64 {
		bytes, _ := p.figure(t.Context(), "process_resident_memory_bytes")
		return bytes / (1 << 20)
	}
	rest := resident()
	if rest == 0 {
		t.Skip("the system does not tell how much memory a process uses")
	}
	used := 0.0
	manySessions(t, p, func() { used = resident() })
	// The garbage collector runs when there is something to do.
	working := &rawClient{url: p.url, token: signed(t, aitest.User, aitest.Whole)}
	require.NoError(t, working.open(t.Context()))
	left := used
	require.Eventually(t, func() bool {
		assert.NoError(t, listTools(t.Context(), working))
		left = resident()
		return left <= rest+leftMemory
	}, 5*time.Minute, time.Millisecond, "it does not go back to what it was")
	t.Logf("MiB at rest %.1f, with 1,000 sessions %.1f, without them again %.1f", rest, used, left)
	assert.LessOrEqual(t, rest, restMemory, "at rest")
	assert.LessOrEqual(t, used, sessionsMemory, "with 1,000 sessions")
}

// manySessions opens 1,000 sessions that list the tools, and drops them. While
// they are open it calls the functions given.
func manySessions(t *testing.T, p *program, meanwhile ...func()) {
	t.Helper()
	const users, each = 20, 50 // a user may have 100
	sessions := make([]*rawClient, 0, users*each)
	for u := range users {
		token := signed(t, 1000+u, aitest.Whole)
		for range each {
			sessions = append(sessions, &rawClient{url: p.url, token: token})
		}
	}
	all := func(do func(context.Context, *rawClient) error) {
		t.Helper()
		var group sync.WaitGroup
		work := make(chan *rawClient)
		for range 4 {
			group.Go(func() {
				for c := range work {
					assert.NoError(t, do(t.Context(), c))
				}
			})
		}
		for _, c := range sessions {
			work <- c
		}
		close(work)
		group.Wait()
		require.False(t, t.Failed(), "%s", p.log)
	}
	all(func(ctx context.Context, c *rawClient) error { return c.open(ctx) })
	all(listTools)
	open, _ := p.figure(t.Context(), "mcp_sessions_open")
	require.GreaterOrEqual(t, open, float64(len(sessions)))
	for _, f := range meanwhile {
		f()
	}
	all(func(ctx context.Context, c *rawClient) error { return c.drop(ctx) })
}

func listTools(ctx context.Context, c *rawClient) error {
	messages, err := c.post(ctx, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if err == nil && (len(messages) != 1 || !strings.Contains(string(messages[0]), `"listTables"`)) {
		err = fmt.Errorf("the list of tools is %.200s", messages)
	}
	return err
}

// queries asks the database.
func queries(t *testing.T, p *program) {
	t.Helper()
	c := &rawClient{url: p.url, token: signed(t, aitest.User, aitest.Whole)}
	require.NoError(t, c.open(t.Context()))
	for i := range 3 {
		messages, err := c.post(t.Context(), toolCall(i, "executeQuery", args{"sql": "SELECT count(*) AS n FROM c_order"}))
		require.NoError(t, err, "%s", p.log)
		require.Len(t, messages, 1)
		assert.NotContains(t, string(messages[0]), `"isError":true`)
	}
	messages, err := c.post(t.Context(), toolCall(9, "describeTable", args{"table": "C_Order"}))
	require.NoError(t, err, "%s", p.log)
	assert.Contains(t, string(messages[0]), "DocumentNo")
}

// batch sends several calls at once, as the protocol had it in 2025-03-26.
func batch(t *testing.T, p *program) {
	t.Helper()
	c := &rawClient{url: p.url, token: signed(t, aitest.User, aitest.Whole), version: "2025-03-26"}
	require.NoError(t, c.open(t.Context()))
	calls := make([]string, 10)
	for i := range calls {
		calls[i] = toolCall(i, "executeQuery", args{"sql": "SELECT count(*) AS n FROM c_bpartner"})
	}
	messages, err := c.post(t.Context(), "["+strings.Join(calls, ",")+"]")
	require.NoError(t, err, "%s", p.log)
	assert.Len(t, messages, len(calls))
	assert.NotContains(t, fmt.Sprintf("%s", messages), `"isError":true`)
}

// loginsAnew has four clients log in again and again, and use what they get.
func loginsAnew(t *testing.T, p *program) {
	t.Helper()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 25 {
				c := &rawClient{url: p.url, token: signed(t, aitest.User, aitest.Whole)}
				err := c.open(t.Context())
				if err == nil {
					_, err = c.post(t.Context(), toolCall(i, "listTables", args{"pattern": "C_Order%"}))
				}
				if err == nil {
					err = c.drop(t.Context())
				}
				if !assert.NoError(t, err) {
					return
				}
			}
		})
	}
	group.Wait()
	require.False(t, t.Failed(), "%s", p.log)
}
