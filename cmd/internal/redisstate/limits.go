package redisstate

import (
	"context"
	"time"
)

// Take takes one request under a key: perMinute in the long run, burst at once. When
// no request is left it takes none and returns how long to wait for the next one.
func (s *Store) Take(ctx context.Context, key string, perMinute, burst int) (wait time.Duration, err error) {
	err = s.step(ctx, func(ctx context.Context) error {
		wait, err = s.redis.Take(ctx, prefix+"limit:"+key, perMinute, burst)
		return err
	})
	return wait, err
}
