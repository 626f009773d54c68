// Package redisstore keeps the counts of a [mcp.Boundary] and the sessions of
// package server in Redis or Valkey, so that limits hold for all replicas of a
// server together, and each of them can serve every client.
//
// Every step is one script, and the clock is the server's: replicas need not
// agree about the time. Keys begin with a prefix and expire by themselves,
// except the secret replicas share.
package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/erphub/erphub/internal/redisconn"
	"github.com/erphub/erphub/mcp"
)

// Store is a [mcp.LimitStore] in Redis. It is safe for concurrent use.
type Store struct {
	redis  *redisconn.Pool
	prefix string

	mu     sync.Mutex // guards secret
	secret []byte
}

var _ mcp.LimitStore = (*Store)(nil)

// stateVersion is the form in which all is kept. Servers of another form do not find
// it, as if it were not there.
const stateVersion = 2

// Open makes a store of a URL such as redis://user:password@host:6379/0 or
// rediss://… for TLS. It connects when it is first used. Keys begin with
// prefix, empty means "erphub:mcp:", and the number of their form.
func Open(url, prefix string) (*Store, error) {
	pool, err := redisconn.Open(url)
	if err != nil {
		return nil, err
	}
	prefix = cmp.Or(prefix, "erphub:mcp:")
	return &Store{redis: pool, prefix: fmt.Sprintf("%s%d:", prefix, stateVersion)}, nil
}

// Close ends the connections.
func (s *Store) Close() error { return s.redis.Close() }

// take counts in a sorted set of uses by time in microseconds. Members must
// differ, so they carry a counter.
var take = redisconn.NewScript(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local n = redis.call('ZCARD', KEYS[1])
if n < limit then
  redis.call('ZADD', KEYS[1], now, ARGV[3])
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  return 0
end
if n == 0 then return window end
local first = redis.call('ZRANGE', KEYS[1], n - limit, n - limit, 'WITHSCORES')
return math.max(1, tonumber(first[2]) + window - now)
`)

// add looks at all limits before it adds anything.
var add = redisconn.NewScript(`
for i, key in ipairs(KEYS) do
  local amount, need, limit = tonumber(ARGV[i*4-3]), tonumber(ARGV[i*4-2]), tonumber(ARGV[i*4-1])
  local more = math.max(amount, need)
  if limit > 0 and more > 0 and tonumber(redis.call('GET', key) or '0') + more > limit then
    return i - 1
  end
end
for i, key in ipairs(KEYS) do
  local amount = ARGV[i*4-3]
  if tonumber(amount) ~= 0 then
    redis.call('INCRBY', key, amount)
    redis.call('PEXPIRE', key, ARGV[i*4])
  end
end
return -1
`)

// Take implements [mcp.LimitStore].
func (s *Store) Take(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, error) {
	wait, err := redis.Int64(s.redis.Run(ctx, take, []string{s.prefix + key}, limit, window.Microseconds(), rand.Text()))
	if err != nil {
		return 0, broken("counting a call", err)
	}
	return time.Duration(wait) * time.Microsecond, nil
}

// Add implements [mcp.LimitStore].
func (s *Store) Add(ctx context.Context, entries []mcp.LimitEntry) (int, error) {
	if len(entries) == 0 {
		return -1, nil
	}
	keys := make([]string, len(entries))
	args := make([]any, 0, 4*len(entries))
	for i, e := range entries {
		keys[i] = s.prefix + e.Key
		args = append(args, e.Amount, e.Need, e.Limit, max(e.TTL.Milliseconds(), 1))
	}
	exceeded, err := redis.Int(s.redis.Run(ctx, add, keys, args...))
	if err != nil {
		return 0, broken("counting cost", err)
	}
	return exceeded, nil
}

// Secret implements [mcp.LimitStore]. The first replica makes it.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secret != nil {
		return s.secret, nil
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // it never fails
	key := s.prefix + "secret"
	if _, err := s.redis.Do(ctx, "SET", key, fresh, "NX"); err != nil {
		return nil, broken("sharing the key of confirmations", err)
	}
	secret, err := redis.Bytes(s.redis.Do(ctx, "GET", key))
	if err != nil {
		return nil, broken("reading the key of confirmations", err)
	}
	if len(secret) < 32 {
		return nil, fmt.Errorf("the key of confirmations in Redis is too short; delete %s there", key)
	}
	s.secret = secret
	return secret, nil
}

// Ping implements [mcp.LimitStore].
func (s *Store) Ping(ctx context.Context) error {
	if _, err := s.redis.Do(ctx, "PING"); err != nil {
		return broken("connecting to Redis", err)
	}
	return nil
}

func broken(what string, err error) error {
	return fmt.Errorf("%s: Redis does not respond as it should: %w", what, err)
}
