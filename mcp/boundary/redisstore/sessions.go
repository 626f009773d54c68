package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/erphub/erphub/internal/redisconn"
)

// openSession keeps a session, and ends those of its owner that are too many.
// The owner's sessions are a sorted set by the time of their last use.
var openSession = redisconn.NewScript(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local id, owner, data, life, most, prefix = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - life * 1000)
redis.call('HSET', KEYS[1], 'owner', owner, 'data', data)
redis.call('PEXPIRE', KEYS[1], life)
redis.call('ZADD', KEYS[2], now, id)
redis.call('PEXPIRE', KEYS[2], life)
local ended = {}
for _, other in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1 - most)) do
  redis.call('DEL', prefix .. other)
  redis.call('ZREM', KEYS[2], other)
  table.insert(ended, other)
end
return ended
`)

var useSession = redisconn.NewScript(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[2] then return false end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return redis.call('HGET', KEYS[1], 'data')
`)

var endSession = redisconn.NewScript(`
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])
`)

// sessionKeys are those of a session and of all sessions of its owner.
func (s *Store) sessionKeys(id, owner string) []string {
	return []string{s.prefix + "http-session:" + id, s.prefix + "http-sessions:" + owner}
}

// OpenSession keeps data as a session of owner until it was not used for as long
// as life. When owner has more than most sessions then, those not used for
// longest end: their ids are returned.
func (s *Store) OpenSession(ctx context.Context, id, owner string, data []byte, life time.Duration, most int) ([]string, error) {
	ended, err := redis.Strings(s.redis.Run(ctx, openSession, s.sessionKeys(id, owner), id, owner, data, max(life.Milliseconds(), 1), most, s.prefix+"http-session:"))
	if err != nil {
		return nil, broken("keeping a session", err)
	}
	return ended, nil
}

// UseSession is what is kept of a session, which counts as a use; nil when owner
// has no such session.
func (s *Store) UseSession(ctx context.Context, id, owner string, life time.Duration) ([]byte, error) {
	data, err := redis.Bytes(s.redis.Run(ctx, useSession, s.sessionKeys(id, owner), id, owner, max(life.Milliseconds(), 1)))
	switch {
	case errors.Is(err, redis.ErrNil):
		return nil, nil
	case err != nil:
		return nil, broken("looking for a session", err)
	}
	return data, nil
}

// EndSession ends a session of owner, if there is one.
func (s *Store) EndSession(ctx context.Context, id, owner string) error {
	if _, err := s.redis.Run(ctx, endSession, s.sessionKeys(id, owner), id, owner); err != nil {
		return broken("ending a session", err)
	}
	return nil
}

func (s *Store) channel() string { return s.prefix + "messages" }

// Publish sends a message to all who receive.
func (s *Store) Publish(ctx context.Context, message []byte) error {
	if _, err := s.redis.Do(ctx, "PUBLISH", s.channel(), message); err != nil {
		return broken("sending a message to other servers", err)
	}
	return nil
}

// Receive calls f with every message, also those of this process, one at a time,
// until ctx ends; wait returns when it is not called any more. It returns when
// messages are received, or cannot be just now: a connection that is lost is
// made again, and messages sent meanwhile are lost.
func (s *Store) Receive(ctx context.Context, f func(message []byte)) (wait func()) {
	return s.redis.Subscribe(ctx, s.channel(), f)
}
