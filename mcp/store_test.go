package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/redisstore"
	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/mcp"
)

// stores are all implementations; the suite runs over each.
func stores(t *testing.T) map[string]func(t *testing.T) mcp.LimitStore {
	t.Helper()
	return map[string]func(t *testing.T) mcp.LimitStore{
		"memory": func(*testing.T) mcp.LimitStore { return mcp.NewMemoryStore(nil) },
		"redis":  func(t *testing.T) mcp.LimitStore { return openRedis(t, testredis.Start(t).URL()) },
	}
}

func openRedis(t *testing.T, url string) *redisstore.Store {
	t.Helper()
	s, err := redisstore.Open(url, "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() }) // the server may be gone first
	return s
}

func TestStores(t *testing.T) {
	t.Parallel()
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			require.NoError(t, s.Ping(t.Context()))
			t.Run("uses within a window", func(t *testing.T) { testTake(t, s) })
			t.Run("a window that passes", func(t *testing.T) { testWindowPasses(t, s) })
			t.Run("many at once", func(t *testing.T) { testTakeAtOnce(t, s) })
			t.Run("all or nothing", func(t *testing.T) { testAdd(t, s) })
			t.Run("additions at once", func(t *testing.T) { testAddAtOnce(t, s) })
			t.Run("counts end", func(t *testing.T) { testCountsEnd(t, s) })
			t.Run("secret", func(t *testing.T) {
				a, err := s.Secret(t.Context())
				require.NoError(t, err)
				b, err := s.Secret(t.Context())
				require.NoError(t, err)
				assert.GreaterOrEqual(t, len(a), 32)
				assert.Equal(t, a, b)
			})
		})
	}
}

func testTake(t *testing.T, s mcp.LimitStore) {
	for range 3 {
		wait, err := s.Take(t.Context(), "take", 3, time.Hour)
		require.NoError(t, err)
		require.Zero(t, wait)
	}
	wait, err := s.Take(t.Context(), "take", 3, time.Hour)
	require.NoError(t, err)
	assert.InDelta(t, time.Hour.Seconds(), wait.Seconds(), 30, "until the first of the three is an hour old")
	other, err := s.Take(t.Context(), "another", 3, time.Hour)
	require.NoError(t, err)
	assert.Zero(t, other)
	none, err := s.Take(t.Context(), "none", 0, time.Hour)
	require.NoError(t, err)
	assert.Positive(t, none)
}

func testWindowPasses(t *testing.T, s mcp.LimitStore) {
	wait, err := s.Take(t.Context(), "short", 1, 50*time.Millisecond)
	require.NoError(t, err)
	require.Zero(t, wait)
	require.Eventually(t, func() bool {
		wait, err := s.Take(t.Context(), "short", 1, 50*time.Millisecond)
		return err == nil && wait == 0
	}, 5*time.Second, 5*time.Millisecond)
}

func testTakeAtOnce(t *testing.T, s mcp.LimitStore) {
	var took atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if wait, err := s.Take(t.Context(), "crowd", 50, time.Hour); err == nil && wait == 0 {
					took.Add(1)
				}
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 50, took.Load())
}

func testAdd(t *testing.T, s mcp.LimitStore) {
	add := func(entries ...mcp.LimitEntry) int {
		t.Helper()
		for i := range entries {
			entries[i].TTL = time.Hour
		}
		i, err := s.Add(t.Context(), entries)
		require.NoError(t, err)
		return i
	}
	require.Equal(t, -1, add(mcp.LimitEntry{Key: "a", Amount: 6, Limit: 10}, mcp.LimitEntry{Key: "b", Amount: 1, Limit: 1}))
	require.Equal(t, 1, add(mcp.LimitEntry{Key: "a", Amount: 1, Limit: 10}, mcp.LimitEntry{Key: "b", Amount: 1, Limit: 1}), "b is full")
	require.Equal(t, -1, add(mcp.LimitEntry{Key: "a", Amount: 4, Limit: 10}), "the step before added nothing")
	require.Equal(t, 0, add(mcp.LimitEntry{Key: "a", Amount: 1, Limit: 10}))
	require.Equal(t, -1, add(mcp.LimitEntry{Key: "a", Amount: 5}), "without a limit it is only counted")
	require.Equal(t, -1, add(mcp.LimitEntry{Key: "a", Amount: -6, Limit: 10}))
	require.Equal(t, 0, add(mcp.LimitEntry{Key: "a", Need: 2, Limit: 10}), "9 are there, 2 more are needed")
	require.Equal(t, -1, add(mcp.LimitEntry{Key: "a", Need: 1, Limit: 10}))
	require.Equal(t, -1, add(mcp.LimitEntry{Key: "a", Need: 1, Limit: 10}), "what is needed is not counted")
	require.Equal(t, -1, add())
}

func testAddAtOnce(t *testing.T, s mcp.LimitStore) {
	var added atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				i, err := s.Add(t.Context(), []mcp.LimitEntry{{Key: "sum", Amount: 2, Limit: 101, TTL: time.Hour}})
				if err == nil && i < 0 {
					added.Add(2)
				}
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 100, added.Load())
}

func testCountsEnd(t *testing.T, s mcp.LimitStore) {
	e := []mcp.LimitEntry{{Key: "ends", Amount: 1, Limit: 1, TTL: 30 * time.Millisecond}}
	i, err := s.Add(t.Context(), e)
	require.NoError(t, err)
	require.Equal(t, -1, i)
	require.Eventually(t, func() bool {
		i, err := s.Add(t.Context(), e)
		return err == nil && i == -1
	}, 5*time.Second, 5*time.Millisecond)
}

// Replicas share counts and the key of confirmations.
func TestReplicasShareRedis(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	a, b := openRedis(t, srv.URL()), openRedis(t, srv.URL())
	wait, err := a.Take(t.Context(), "k", 1, time.Hour)
	require.NoError(t, err)
	require.Zero(t, wait)
	wait, err = b.Take(t.Context(), "k", 1, time.Hour)
	require.NoError(t, err)
	require.Positive(t, wait)
	one, err := a.Secret(t.Context())
	require.NoError(t, err)
	two, err := b.Secret(t.Context())
	require.NoError(t, err)
	require.Equal(t, one, two)
}

func TestSessionsInRedis(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	a, b := openRedis(t, srv.URL()), openRedis(t, srv.URL())
	ctx := t.Context()
	openSession := func(id, owner string) []string {
		t.Helper()
		opened, ended, err := a.OpenSession(ctx, id, owner, []byte("of "+id), time.Hour, 2, 0)
		require.NoError(t, err)
		require.True(t, opened)
		return ended
	}
	use := func(id, owner string) string {
		t.Helper()
		data, err := b.UseSession(ctx, id, owner, time.Hour)
		require.NoError(t, err)
		return string(data)
	}
	assert.Empty(t, openSession("one", "alice"))
	assert.Empty(t, openSession("two", "alice"))
	assert.Empty(t, openSession("three", "bob"))
	assert.Equal(t, "of one", use("one", "alice"))
	assert.Equal(t, []string{"two"}, openSession("four", "alice"), "the one not used for longest ends")
	opened, ended, err := a.OpenSession(ctx, "five", "alice", nil, time.Hour, 2, time.Hour)
	require.NoError(t, err)
	assert.False(t, opened, "both are in use")
	assert.Empty(t, ended)
	opened, ended, err = a.OpenSession(ctx, "one", "alice", []byte("of one"), time.Hour, 2, time.Hour)
	require.NoError(t, err)
	assert.True(t, opened, "it is one of them")
	assert.Empty(t, ended)
	for _, tc := range []struct{ id, owner, want string }{
		{"one", "alice", "of one"}, {"two", "alice", ""}, {"three", "bob", "of three"}, {"four", "alice", "of four"},
		{"one", "bob", ""}, {"five", "alice", ""}, {"", "", ""},
	} {
		assert.Equal(t, tc.want, use(tc.id, tc.owner), "%s of %s", tc.id, tc.owner)
	}
	require.NoError(t, b.EndSession(ctx, "one", "bob"))
	assert.NotEmpty(t, use("one", "alice"), "it is not his")
	require.NoError(t, b.EndSession(ctx, "one", "alice"))
	assert.Empty(t, use("one", "alice"))
	assert.Empty(t, openSession("six", "alice"), "there is room again")
	_, err = a.UseSession(ctx, "six", "alice", 30*time.Millisecond)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		data, err := b.UseSession(ctx, "six", "alice", 30*time.Millisecond)
		return err == nil && data == nil
	}, 5*time.Second, 50*time.Millisecond)
}

// Messages reach all who receive, and again after the connection broke.
func TestMessagesInRedis(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	a, b := openRedis(t, srv.URL()), openRedis(t, srv.URL())
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan string, 100)
	waitA := a.Receive(ctx, func(m []byte) { got <- "a:" + string(m) })
	waitB := b.Receive(ctx, func(m []byte) { got <- "b:" + string(m) })
	require.NoError(t, a.Publish(ctx, []byte("first")))
	assert.ElementsMatch(t, []string{"a:first", "b:first"}, []string{<-got, <-got})

	conn, err := net.Dial("tcp", srv.Addr)
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "CLIENT KILL TYPE pubsub\r\n")
	require.NoError(t, err)
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, ":2\r\n", line, "both were cut off")
	seen := map[string]bool{}
	require.Eventually(t, func() bool {
		assert.NoError(t, b.Publish(ctx, []byte("second")))
		for len(got) > 0 {
			seen[<-got] = true
		}
		return seen["a:second"] && seen["b:second"]
	}, 20*time.Second, 10*time.Millisecond)
	cancel()
	waitA()
	waitB()
}

func TestRedisIsGone(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	s := openRedis(t, srv.URL())
	require.NoError(t, s.Ping(t.Context()))
	srv.Stop()
	require.ErrorContains(t, s.Ping(t.Context()), "Redis does not respond as it should")
	_, err := s.Take(t.Context(), "k", 1, time.Minute)
	require.Error(t, err)
	_, err = s.Add(t.Context(), []mcp.LimitEntry{{Key: "k", Amount: 1}})
	require.Error(t, err)
	_, err = s.Secret(t.Context())
	require.Error(t, err)
	_, _, err = s.OpenSession(t.Context(), "id", "owner", nil, time.Hour, 1, 0)
	require.Error(t, err)
	_, err = s.UseSession(t.Context(), "id", "owner", time.Hour)
	require.Error(t, err)
	require.Error(t, s.EndSession(t.Context(), "id", "owner"))
	require.Error(t, s.Publish(t.Context(), nil))
	ctx, cancel := context.WithCancel(t.Context())
	wait := s.Receive(ctx, func([]byte) {})
	cancel()
	wait()
}

func TestAnAddressOfRedisShowsNoPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"redis://u:hunter2@host:notaport/0", "hunter2://x", "redis://:hunter2@h/0/1"} {
		_, err := redisstore.Open(url, "")
		require.Error(t, err, url)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
