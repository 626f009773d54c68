package redisconn_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/redisconn"
	"github.com/erphub/erphub/internal/testkit/testredis"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		address string
		good    bool
	}{
		{"redis://host", true},
		{"redis://user:Kanarienvogel@host:6379/3", true},
		{"rediss://:Kanarienvogel@host:6380", true},
		{"redis://[::1]:6379/", true},
		{"redis://:Kanarienvogel@host:port", false},
		{"redis://:Kanarienvogel@host/sessions", false},
		{"http://:Kanarienvogel@host", false},
		{"host:6379", false},
		{"", false},
	} {
		p, err := redisconn.Open(tt.address)
		if tt.good {
			require.NoError(t, err, tt.address)
			require.NoError(t, p.Close())
			continue
		}
		assert.ErrorContains(t, err, "redis://host:6379/0", tt.address)
		assert.NotContains(t, fmt.Sprint(err), "Kanarienvogel")
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	p, err := redisconn.Open(srv.URL())
	require.NoError(t, err)
	defer p.Close()
	sum := redisconn.NewScript(`return {#KEYS, KEYS[2], ARGV[1], false}`)
	for range 2 { // the second time the server knows the script
		got, err := redis.Values(p.Run(t.Context(), sum, []string{"a", "b"}, 7))
		require.NoError(t, err)
		assert.Equal(t, []any{int64(2), []byte("b"), []byte("7"), nil}, got)
	}
	_, err = redis.Bytes(p.Do(t.Context(), "GET", "nothing"))
	assert.ErrorIs(t, err, redis.ErrNil)
	_, err = p.Do(t.Context(), "NOSUCHCOMMAND")
	assert.ErrorContains(t, err, "unknown command")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Do(ended, "PING")
	assert.ErrorIs(t, err, context.Canceled)
}

// A server that hangs does not hold a step for longer than Timeout, or the caller's
// own deadline.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	p, err := redisconn.Open(srv.URL())
	require.NoError(t, err)
	defer p.Close()
	_, err = p.Do(t.Context(), "PING")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = p.Do(ctx, "BLPOP", "nothing", 0)
	assert.Error(t, err)
	require.NoError(t, t.Context().Err())
	_, err = p.Do(t.Context(), "PING")
	assert.NoError(t, err, "the broken connection is not used again")
}

// A subscription that loses its connection is made again, and ends with its context.
func TestSubscriptionIsMadeAgain(t *testing.T) {
	t.Parallel()
	srv := testredis.Start(t)
	p, err := redisconn.Open(srv.URL())
	require.NoError(t, err)
	defer p.Close()
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan string, 1000)
	wait := p.Subscribe(ctx, "news", func(m []byte) { got <- string(m) })
	listeners, err := redis.Int(p.Do(t.Context(), "PUBLISH", "news", "first"))
	require.NoError(t, err)
	assert.Equal(t, 1, listeners, "it is subscribed when Subscribe returns")
	assert.Equal(t, "first", <-got)
	_, err = p.Do(t.Context(), "CLIENT", "KILL", "TYPE", "pubsub")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		n, err := redis.Int(p.Do(t.Context(), "PUBLISH", "news", "again"))
		return err == nil && n == 1
	}, 10*time.Second, 5*time.Millisecond)
	assert.Equal(t, "again", <-got)
	cancel()
	wait()
	away, err := redisconn.Open("redis://127.0.0.1:1")
	require.NoError(t, err)
	defer away.Close()
	ended, cancel := context.WithCancel(t.Context())
	wait = away.Subscribe(ended, "news", func([]byte) { t.Error("a message of nobody") })
	cancel()
	wait()
}
