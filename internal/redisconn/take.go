package redisconn

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"
)

// take keeps one number: when the requests taken so far would all be paid for. A
// request is taken while that is less than a burst ahead.
var take = NewScript(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local paid = tonumber(redis.call('GET', KEYS[1]) or '0')
if paid < now then paid = now end
local next = paid + interval
local early = next - interval * burst - now
if early > 0 then return math.ceil(early) end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000) + 1)
return 0
`)

// Take takes one request under a key: perMinute in the long run, burst at once. When
// no request is left it takes none and returns how long to wait for the next one.
func (p *Pool) Take(ctx context.Context, key string, perMinute, burst int) (wait time.Duration, err error) {
	interval := float64(time.Minute.Microseconds()) / float64(perMinute)
	micros, err := redis.Int64(p.Run(ctx, take, []string{key}, interval, burst))
	return (time.Duration(micros)*time.Microsecond + time.Millisecond - 1).Truncate(time.Millisecond), err
}
