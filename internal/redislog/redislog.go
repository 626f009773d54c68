// Package redislog brings what the Redis client has to say into a log.
package redislog

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"
)

type quiet struct{ log *slog.Logger }

func (q quiet) Printf(ctx context.Context, format string, v ...any) {
	q.log.DebugContext(ctx, "redis: "+fmt.Sprintf(format, v...))
}

// To sends the messages of the Redis client, which it would write to standard error,
// to a log at level debug, for the whole process.
func To(log *slog.Logger) { redis.SetLogger(quiet{log}) }
