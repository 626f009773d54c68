package redisstate

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/internal/redisconn"
)

// claim takes a key for an owner, or returns what is there.
var claim = redisconn.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'print', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {1, ARGV[2], false}
end
return {0, redis.call('HGET', KEYS[1], 'print'), redis.call('HGET', KEYS[1], 'outcome')}
`)

// keep changes a key of an owner: its life, and its outcome where there is one. A life
// of 0 removes it.
var keep = redisconn.NewScript(`
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
  return 1
end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'outcome', ARGV[3]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`)

var _ httpapi.KeyStore = (*Store)(nil)

// Claim implements [httpapi.KeyStore].
func (s *Store) Claim(ctx context.Context, key, owner string, print []byte, lease time.Duration) (state httpapi.KeyState, err error) {
	err = s.step(ctx, func(ctx context.Context) error {
		found, err := redis.Values(s.redis.Run(ctx, claim, []string{prefix + "key:" + key}, owner, print, max(lease.Milliseconds(), 1)))
		if err != nil {
			return err
		}
		_, err = redis.Scan(found, &state.Claimed, &state.Print, &state.Outcome)
		return err
	})
	return state, err
}

// Extend implements [httpapi.KeyStore].
func (s *Store) Extend(ctx context.Context, key, owner string, lease time.Duration) error {
	return s.keep(ctx, key, owner, max(lease.Milliseconds(), 1), nil)
}

// Finish implements [httpapi.KeyStore].
func (s *Store) Finish(ctx context.Context, key, owner string, outcome []byte, life time.Duration) error {
	return s.keep(ctx, key, owner, max(life.Milliseconds(), 1), outcome)
}

// Release implements [httpapi.KeyStore].
func (s *Store) Release(ctx context.Context, key, owner string) error {
	return s.keep(ctx, key, owner, 0, nil)
}

func (s *Store) keep(ctx context.Context, key, owner string, millis int64, outcome []byte) error {
	return s.step(ctx, func(ctx context.Context) error {
		_, err := s.redis.Run(ctx, keep, []string{prefix + "key:" + key}, owner, millis, outcome)
		if err != nil {
			err = fmt.Errorf("keeping an Idempotency-Key: %w", err)
		}
		return err
	})
}
