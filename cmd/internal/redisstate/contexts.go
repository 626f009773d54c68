package redisstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/internal/redisconn"
)

// maxUserContexts is how many windows and charts a user can have published at a time.
const maxUserContexts = 64

// put keeps a context, unless its user has enough. Those of a user are a sorted set by
// the time of their end.
var put = redisconn.NewScript(`
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local life = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if not redis.call('ZSCORE', KEYS[2], KEYS[1]) and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', life)
redis.call('ZADD', KEYS[2], now + life, KEYS[1])
if redis.call('PTTL', KEYS[2]) < life then redis.call('PEXPIRE', KEYS[2], life) end
return 1
`)

// drop removes a context, also from the list of its user's.
var drop = redisconn.NewScript(`
redis.call('DEL', KEYS[1])
return redis.call('ZREM', KEYS[2], KEYS[1])
`)

// Contexts are the published contexts in a store.
type Contexts struct{ store *Store }

// Contexts returns the published contexts in the store.
func (s *Store) Contexts() *Contexts { return &Contexts{s} }

var _ httpapi.ContextStore = (*Contexts)(nil)

// contextKeys are the key of a context and that of the list of its user's. The braces
// keep both in one slot of a cluster.
func contextKeys(key httpapi.ContextKey) []string {
	user := fmt.Sprintf("%scontext:{%d/%d}", prefix, key.ClientID, key.UserID)
	return []string{fmt.Sprintf("%s:%s:%d", user, key.Kind, key.Number), user}
}

// Put implements [httpapi.ContextStore]. A user can have 64 contexts at a time.
func (c *Contexts) Put(ctx context.Context, key httpapi.ContextKey, stored httpapi.StoredContext) error {
	text, err := json.Marshal(stored)
	if err != nil {
		return fmt.Errorf("keeping a context: %w", err)
	}
	life := time.Until(stored.Expires)
	if life <= 0 {
		return c.Delete(ctx, key)
	}
	kept := 0
	err = c.step(ctx, func(ctx context.Context) (err error) {
		kept, err = redis.Int(c.store.redis.Run(ctx, put, contextKeys(key), text, max(life.Milliseconds(), 1), maxUserContexts))
		return err
	})
	if err == nil && kept == 0 {
		err = fmt.Errorf("%w: a user can have %d windows and charts", httpapi.ErrStoreFull, maxUserContexts)
	}
	return err
}

// Get implements [httpapi.ContextStore].
func (c *Contexts) Get(ctx context.Context, key httpapi.ContextKey) (stored httpapi.StoredContext, found bool, err error) {
	var text []byte
	err = c.step(ctx, func(ctx context.Context) (err error) {
		text, err = redis.Bytes(c.store.redis.Do(ctx, "GET", contextKeys(key)[0]))
		return err
	})
	if errors.Is(err, redis.ErrNil) {
		return stored, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &stored)
	}
	return stored, err == nil, err
}

// Delete implements [httpapi.ContextStore].
func (c *Contexts) Delete(ctx context.Context, key httpapi.ContextKey) error {
	return c.step(ctx, func(ctx context.Context) error {
		_, err := c.store.redis.Run(ctx, drop, contextKeys(key))
		return err
	})
}

// step is a step of the store, whose error says that the store is away.
func (c *Contexts) step(ctx context.Context, do func(context.Context) error) error {
	err := c.store.step(ctx, do)
	if errors.Is(err, ErrAway) {
		err = fmt.Errorf("%w: %w", httpapi.ErrStoreAway, err)
	}
	return err
}
