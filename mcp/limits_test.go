package mcp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testclock"
	"github.com/erphub/erphub/mcp"
)

// However a user's calls are spread over sessions, and however many come at
// once, no more pass than one session may make. Of fewer, none is refused.
func TestSessionsShareTheLimitOfTheirUser(t *testing.T) {
	t.Parallel()
	var made atomic.Int64
	ask := tool("ask", mcp.Hints{ReadOnly: true}, "x", func(ctx context.Context, _ *mcp.Call, _ echoInput) (any, error) {
		if err := mcp.Spend(ctx, 1); err != nil {
			return nil, err
		}
		made.Add(1)
		return map[string]bool{"ok": true}, nil
	})
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			seed := uint64(time.Now().UnixNano())
			random := rand.New(rand.NewPCG(seed, 0))
			t.Logf("seed %d", seed)
			for trial := range 15 {
				limit, calls, sessions := 1+random.IntN(40), 1+random.IntN(60), 1+random.IntN(8)
				if trial == 0 { // as it was seen
					limit, calls, sessions = 400, 600, 6
				}
				limits := mcp.Limits{Session: mcp.Cost{APICalls: limit}, Concurrent: 8}
				// Two replicas, which share the store.
				replicas := []*mcp.Boundary{
					newBoundary(t, mcp.BoundaryOptions{Limits: limits, Store: store}), newBoundary(t, mcp.BoundaryOptions{Limits: limits, Store: store}),
				}
				made.Store(0)
				work := make(chan int)
				var group sync.WaitGroup
				for range 4 {
					group.Go(func() {
						for i := range work {
							caller := mcp.Caller{ID: fmt.Sprintf("11/%d", trial), Session: fmt.Sprint("s", i%sessions)}
							if _, err := replicas[i%2].Call(t.Context(), ask, &mcp.Call{Caller: caller}); err != nil {
								assert.Equal(t, mcp.CodeCostLimitExceeded, code(err), "%v", err)
							}
						}
					})
				}
				for i := range calls {
					work <- i
				}
				close(work)
				group.Wait()
				require.EqualValues(t, min(limit, calls), made.Load(), "limit %d, %d calls in %d sessions", limit, calls, sessions)
			}
		})
	}
}

// A model of the counts, against which random calls at random times are held.
func TestSessionLimitsAgreeWithAModel(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	type count struct {
		n    int
		last time.Time
	}
	spend := tool("spend", mcp.Hints{ReadOnly: true}, "x", func(ctx context.Context, _ *mcp.Call, in echoInput) (any, error) {
		return map[string]bool{"ok": true}, mcp.Spend(ctx, in.N)
	})
	for range 20 {
		at := testclock.New(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC))
		limit := 5 + random.IntN(30)
		b := newBoundary(t, mcp.BoundaryOptions{Limits: mcp.Limits{Session: mcp.Cost{APICalls: limit}}, Now: at.Now})
		counts := map[string]*count{}
		of := func(key string, kept time.Duration) *count {
			c := counts[key]
			if c == nil || !at.Now().Before(c.last.Add(kept)) {
				c = &count{}
				counts[key] = c
			}
			return c
		}
		for step := range 200 {
			at.Advance(time.Duration(random.IntN(1500)) * time.Second)
			user := fmt.Sprint("u", random.IntN(3))
			session := fmt.Sprint("s", random.IntN(4))
			n := 1 + random.IntN(5)
			all, one := of(user, time.Hour), of(user+session, 24*time.Hour)
			want := all.n+n <= limit && one.n+n <= limit
			_, err := b.Call(t.Context(), spend, &mcp.Call{Caller: mcp.Caller{ID: user, Session: session}, Arguments: fmt.Appendf(nil, `{"n":%d}`, n)})
			require.Equal(t, want, err == nil, "step %d: %s of %s wants %d of %d, used in all sessions %d, in this %d: %v", step, session, user, n, limit, all.n, one.n, err)
			if want {
				all.n, one.n, all.last, one.last = all.n+n, one.n+n, at.Now(), at.Now()
			}
		}
	}
}
