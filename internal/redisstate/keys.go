package redisstate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/erphub/erphub/generator/httpapi"
)

// claim takes a key for an owner, or returns what is there.
var claim = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'print', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {1, ARGV[2], false}
end
return {0, redis.call('HGET', KEYS[1], 'print'), redis.call('HGET', KEYS[1], 'outcome')}
`)

// keep changes a key of an owner: its life, and its outcome where there is one. A life
// of 0 removes it.
var keep = redis.NewScript(`
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
		found, err := claim.Run(ctx, s.client, []string{prefix + "key:" + key}, owner, print, max(lease.Milliseconds(), 1)).Slice()
		if err != nil {
			return err
		}
		if len(found) != 3 {
			return errors.New("the script returned something else")
		}
		taken, _ := found[0].(int64)
		text, _ := found[1].(string)
		state = httpapi.KeyState{Claimed: taken == 1, Print: []byte(text)}
		if outcome, ok := found[2].(string); ok {
			state.Outcome = []byte(outcome)
		}
		return nil
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
		err := keep.Run(ctx, s.client, []string{prefix + "key:" + key}, owner, millis, outcome).Err()
		if err != nil {
			err = fmt.Errorf("keeping an Idempotency-Key: %w", err)
		}
		return err
	})
}
