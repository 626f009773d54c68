package redisstate_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/cmd/internal/redisstate"
	"github.com/erphub/erphub/internal/testkit/testredis"
)

func open(t *testing.T, srv *testredis.Server) *redisstate.Store {
	t.Helper()
	s, err := redisstate.Open(srv.URL(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// Two stores on one Redis are two replicas.
func TestSharedByReplicas(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	one, two := open(t, srv), open(t, srv)

	t.Run("limit", func(t *testing.T) {
		t.Parallel()
		const burst = 20
		var taken atomic.Int64
		var all sync.WaitGroup
		for i := range 8 {
			s := []*redisstate.Store{one, two}[i%2]
			all.Go(func() {
				for range 10 {
					wait, err := s.Take(t.Context(), "limit", 1, burst)
					assert.NoError(t, err)
					if wait == 0 {
						taken.Add(1)
					} else {
						assert.LessOrEqual(t, wait, time.Minute)
					}
				}
			})
		}
		all.Wait()
		assert.EqualValues(t, burst, taken.Load())
		wait, err := one.Take(t.Context(), "another", 1, burst)
		assert.NoError(t, err)
		assert.Zero(t, wait)
		for _, want := range []bool{true, false} { // who waits as long as told is served
			wait, err := two.Take(t.Context(), "quick", 6000, 1)
			assert.NoError(t, err)
			if assert.Equal(t, want, wait == 0); wait > 0 {
				require.Eventually(t, func() bool { wait, err := one.Take(t.Context(), "quick", 6000, 1); return err == nil && wait == 0 }, 10*time.Second, wait)
			}
		}
	})

	t.Run("key", func(t *testing.T) {
		t.Parallel()
		ctx := t.Context()
		state, err := one.Claim(ctx, "k", "a", []byte("print"), time.Minute)
		require.NoError(t, err)
		assert.True(t, state.Claimed)
		state, err = two.Claim(ctx, "k", "b", []byte("other"), time.Minute)
		require.NoError(t, err)
		assert.False(t, state.Claimed)
		assert.Equal(t, "print", string(state.Print))
		assert.Nil(t, state.Outcome, "it is being worked on")
		require.NoError(t, two.Release(ctx, "k", "b"), "of another owner: changes nothing")
		require.NoError(t, two.Finish(ctx, "k", "b", []byte("wrong"), time.Minute))
		require.NoError(t, one.Extend(ctx, "k", "a", time.Minute))
		require.NoError(t, one.Finish(ctx, "k", "a", []byte("done"), time.Minute))
		state, err = two.Claim(ctx, "k", "b", []byte("other"), time.Minute)
		require.NoError(t, err)
		assert.Equal(t, "done", string(state.Outcome))
		require.NoError(t, one.Release(ctx, "k", "a"))
		state, err = two.Claim(ctx, "k", "b", []byte("other"), time.Millisecond)
		require.NoError(t, err)
		assert.True(t, state.Claimed)
		require.Eventually(t, func() bool { // the lease of one that died ends
			state, err := one.Claim(ctx, "k", "c", []byte("print"), time.Minute)
			return err == nil && state.Claimed
		}, 10*time.Second, 5*time.Millisecond)
	})

	t.Run("contexts", func(t *testing.T) {
		t.Parallel()
		ctx, a, b := t.Context(), one.Contexts(), two.Contexts()
		key := httpapi.ContextKey{ClientID: 11, UserID: 1, Kind: httpapi.WindowContext, Number: 1}
		stored := httpapi.StoredContext{Content: json.RawMessage(`{"a":1}`), RoleID: 102, Published: time.Now().UTC(), Expires: time.Now().Add(time.Minute).UTC()}
		_, found, err := b.Get(ctx, key)
		require.NoError(t, err)
		assert.False(t, found)
		require.NoError(t, a.Put(ctx, key, stored))
		got, found, err := b.Get(ctx, key)
		require.NoError(t, err)
		assert.True(t, found)
		assert.Equal(t, stored.Content, got.Content)
		assert.True(t, stored.Expires.Equal(got.Expires))
		other := key
		other.UserID = 2
		_, found, err = a.Get(ctx, other)
		require.NoError(t, err)
		assert.False(t, found, "of another user")
		require.NoError(t, b.Delete(ctx, key))
		_, found, err = a.Get(ctx, key)
		require.NoError(t, err)
		assert.False(t, found)
		for n := range 64 {
			key.Number = n
			require.NoError(t, a.Put(ctx, key, stored))
		}
		key.Number = 64
		assert.ErrorIs(t, b.Put(ctx, key, stored), httpapi.ErrStoreFull)
		key.Number = 3
		assert.NoError(t, b.Put(ctx, key, stored), "in place of one")
		require.NoError(t, a.Delete(ctx, key))
		key.Number = 64
		assert.NoError(t, b.Put(ctx, key, stored))
	})
}

// A Redis that is away is told as such, once, without its address; later requests do
// not wait for it.
func TestRedisIsAway(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	s := open(t, srv)
	require.NoError(t, s.Ping(t.Context()))
	srv.Stop()
	_, err := s.Take(t.Context(), "k", 60, 10)
	assert.ErrorIs(t, err, redisstate.ErrAway)
	_, err = s.Claim(t.Context(), "k", "a", []byte("p"), time.Minute)
	assert.ErrorIs(t, err, redisstate.ErrAway)
	_, _, err = s.Contexts().Get(t.Context(), httpapi.ContextKey{})
	assert.ErrorIs(t, err, redisstate.ErrAway)
	assert.ErrorIs(t, s.Ping(t.Context()), redisstate.ErrAway)

	_, err = redisstate.Open("redis://:Kanarienvogel@host:port", nil)
	assert.ErrorContains(t, err, "redis://host:6379/0")
	assert.NotContains(t, fmt.Sprint(err), "Kanarienvogel")
}
