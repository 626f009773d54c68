package browserlogin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/erphub/erphub/internal/redisconn"
)

const (
	// stateVersion is the form in which all is kept. Servers of another form do not find
	// it.
	stateVersion = 1
	// lockLife is longer than whoever holds a lock may take: a refresh and its storing.
	lockLife = 90 * time.Second
	lockWait = 250 * time.Millisecond // at most, between two attempts
)

var replaceValue = redisconn.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1
`)

// Sets are sorted by when their members end.
var addMember = redisconn.NewScript(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`)

var unlock = redisconn.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`)

// shared is a store in Redis or Valkey.
type shared struct {
	*redisconn.Pool
	prefix string
}

// OpenRedis makes a store of a URL such as redis://user:password@host:6379/0. It
// connects when it is first used.
func OpenRedis(url string) (Store, error) {
	pool, err := redisconn.Open(url)
	if err != nil {
		return nil, err
	}
	return &shared{pool, fmt.Sprintf("erphub:login:%d:", stateVersion)}, nil
}

func failed(err error) error {
	if err != nil {
		err = fmt.Errorf("keeping logins in Redis: %w", err)
	}
	return err
}

func (s *shared) Get(ctx context.Context, key string) ([]byte, error) {
	value, err := redis.Bytes(s.Do(ctx, "GET", s.prefix+key))
	if errors.Is(err, redis.ErrNil) {
		return nil, nil
	}
	return value, failed(err)
}

func (s *shared) Put(ctx context.Context, key string, value []byte, life time.Duration) error {
	_, err := s.Do(ctx, "SET", s.prefix+key, value, "PX", life.Milliseconds())
	return failed(err)
}

func (s *shared) Replace(ctx context.Context, key string, old, value []byte, life time.Duration) (bool, error) {
	n, err := redis.Int(s.Run(ctx, replaceValue, []string{s.prefix + key}, old, value, life.Milliseconds()))
	return n == 1, failed(err)
}

func (s *shared) Delete(ctx context.Context, keys ...string) error {
	for _, key := range keys { // each in a slot of its own
		if _, err := s.Do(ctx, "DEL", s.prefix+key); err != nil {
			return failed(err)
		}
	}
	return nil
}

func (s *shared) Add(ctx context.Context, set, member string, life time.Duration) error {
	_, err := s.Run(ctx, addMember, []string{s.prefix + set}, member, life.Milliseconds())
	return failed(err)
}

func (s *shared) Remove(ctx context.Context, set, member string) error {
	_, err := s.Do(ctx, "ZREM", s.prefix+set, member)
	return failed(err)
}

func (s *shared) Members(ctx context.Context, set string) ([]string, error) {
	all, err := redis.Strings(s.Do(ctx, "ZRANGE", s.prefix+set, 0, -1))
	return all, failed(err)
}

func (s *shared) Lock(ctx context.Context, name string) (func(), error) {
	key, holder := s.prefix+name, encode(random(idBytes))
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, lockWait) {
		_, err := redis.String(s.Do(ctx, "SET", key, holder, "NX", "PX", lockLife.Milliseconds()))
		if err == nil {
			return func() {
				// Without an answer the lock falls by itself.
				_, _ = s.Run(context.WithoutCancel(ctx), unlock, []string{key}, holder)
			}, nil
		}
		if !errors.Is(err, redis.ErrNil) {
			return nil, failed(err)
		}
		again := time.NewTimer(wait)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return nil, ctx.Err()
		}
	}
}

func (s *shared) Take(ctx context.Context, key string, perMinute, burst int) (time.Duration, error) {
	wait, err := s.Pool.Take(ctx, s.prefix+key, perMinute, burst)
	return wait, failed(err)
}
