package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/erphub/erphub/internal/redisconn"
)

// openSession keeps a session, and ends those of its owner that are too many, unless
// they were used a short time ago. The owner's sessions are a sorted set by the time of
// their last use.
var openSession = redisconn.NewScript(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local id, owner, data, life, most, prefix, idle = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])
local kind = redis.call('TYPE', KEYS[2]).ok
if kind ~= 'zset' and kind ~= 'none' then redis.call('DEL', KEYS[2]) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - life * 1000)
local ended = {}
local excess = redis.call('ZCARD', KEYS[2]) + 1 - most
if excess > 0 and not redis.call('ZSCORE', KEYS[2], id) then
  local oldest = redis.call('ZRANGE', KEYS[2], 0, excess - 1, 'WITHSCORES')
  if #oldest < 2 * excess or tonumber(oldest[#oldest]) > now - idle then return false end
  for i = 1, #oldest, 2 do
    redis.call('DEL', prefix .. oldest[i])
    redis.call('ZREM', KEYS[2], oldest[i])
    table.insert(ended, oldest[i])
  end
end
redis.call('HSET', KEYS[1], 'owner', owner, 'data', data)
redis.call('PEXPIRE', KEYS[1], life)
redis.call('ZADD', KEYS[2], now, id)
redis.call('PEXPIRE', KEYS[2], life)
return ended
`)

var useSession = redisconn.NewScript(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HGET', KEYS[1], 'owner') ~= ARGV[2] then return false end
local kind = redis.call('TYPE', KEYS[2]).ok
if kind ~= 'zset' and kind ~= 'none' then redis.call('DEL', KEYS[2]) end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return redis.call('HGET', KEYS[1], 'data')
`)

var endSession = redisconn.NewScript(`
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HGET', KEYS[1], 'owner') ~= ARGV[2] then return 0 end
if redis.call('TYPE', KEYS[2]).ok == 'zset' then redis.call('ZREM', KEYS[2], ARGV[1]) end
return redis.call('DEL', KEYS[1])
`)

// sessionKeys are those of a session and of all sessions of its owner.
func (s *Store) sessionKeys(id, owner string) []string {
	return []string{s.sessionKey(id), s.prefix + "http-sessions:" + owner}
}

func (s *Store) sessionKey(id string) string {
	return s.prefix + "http-session:" + id
}

// OpenSession keeps data as a session of owner until it was not used for as long
// as life. Where owner has more than most sessions then, those not used for longest
// end, and their ids are returned; where they were used within idle, none ends and the
// session is not opened. One that is there is kept anew.
func (s *Store) OpenSession(ctx context.Context, id, owner string, data []byte, life time.Duration, most int, idle time.Duration) (opened bool, ended []string, err error) {
	ended, err = redis.Strings(s.redis.Run(ctx, openSession, s.sessionKeys(id, owner), id, owner, data, max(life.Milliseconds(), 1), most, s.sessionKey(""), idle.Microseconds()))
	switch {
	case errors.Is(err, redis.ErrNil):
		return false, nil, nil
	case err != nil:
		return false, nil, broken("keeping a session", err)
	}
	return true, ended, nil
}

// UseSession returns what is kept of a session, which counts as a use; nil when owner
// has no such session, or something else is there in its place.
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
