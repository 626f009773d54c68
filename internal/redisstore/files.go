package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/erphub/erphub/internal/redisconn"
	"github.com/erphub/erphub/mcp"
)

var _ mcp.FileStore = (*Store)(nil)

// keepFile keeps a file, and drops the oldest of its owner, and of all, that are too
// much. Both are sorted sets by the time of their end, of keys with sizes.
var keepFile = redisconn.NewScript(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local key, owner, mime, data, life, prefix = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[8]
redis.call('HSET', KEYS[1], 'owner', owner, 'mime', mime, 'data', data)
redis.call('PEXPIRE', KEYS[1], life)
for i = 2, 3 do
  local list, most = KEYS[i], tonumber(ARGV[i + 4])
  redis.call('ZREMRANGEBYSCORE', list, '-inf', now)
  redis.call('ZADD', list, now + life * 1000, key .. ' ' .. #data)
  redis.call('PEXPIRE', list, life)
  local sum = 0
  for _, member in ipairs(redis.call('ZREVRANGE', list, 0, -1)) do
    local other, size = string.match(member, '^(%S+) (%d+)$')
    if sum + tonumber(size) > most then
      redis.call('ZREM', KEYS[3], member)
      redis.call('ZREM', ARGV[9] .. (redis.call('HGET', prefix .. other, 'owner') or ''), member)
      redis.call('DEL', prefix .. other)
    else
      sum = sum + tonumber(size)
    end
  end
end
return 1
`)

var findFile = redisconn.NewScript(`
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return false end
return redis.call('HMGET', KEYS[1], 'mime', 'data')
`)

func (s *Store) fileKey(key string) string { return s.prefix + "file:" + key }

// KeepFile implements [mcp.FileStore].
func (s *Store) KeepFile(ctx context.Context, key, owner string, f mcp.File, life time.Duration) error {
	of := s.prefix + "files-of:"
	keys := []string{s.fileKey(key), of + owner, s.prefix + "files"}
	_, err := s.redis.Run(ctx, keepFile, keys, key, owner, f.MIMEType, f.Data, max(life.Milliseconds(), 1), mcp.MaxOwnFiles, mcp.MaxAllFiles, s.fileKey(""), of)
	if err != nil {
		return broken("keeping a file", err)
	}
	return nil
}

// FindFile implements [mcp.FileStore].
func (s *Store) FindFile(ctx context.Context, key, owner string) (mcp.File, bool, error) {
	parts, err := redis.ByteSlices(s.redis.Run(ctx, findFile, []string{s.fileKey(key)}, owner))
	switch {
	case errors.Is(err, redis.ErrNil):
		return mcp.File{}, false, nil
	case err != nil:
		return mcp.File{}, false, broken("looking for a file", err)
	}
	return mcp.File{MIMEType: string(parts[0]), Data: parts[1]}, true, nil
}
