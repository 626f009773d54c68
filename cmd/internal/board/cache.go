package board

import (
	"context"
	"sync"
	"time"
)

// cache keeps responses for a while, and lets those who request the same at the
// same time share one load. Errors are not kept.
type cache[K comparable, V any] struct {
	keep time.Duration
	// limit bounds one load, which goes on when the one who requested it leaves, because
	// others may wait for the same.
	limit time.Duration
	size  int

	mu      sync.Mutex // guards entries and what they hold before done is closed
	entries map[K]*entry[V]
}

type entry[V any] struct {
	done  chan struct{}
	value V
	err   error
	until time.Time // zero while loading
}

func newCache[K comparable, V any](keep, limit time.Duration, size int) *cache[K, V] {
	return &cache[K, V]{keep: keep, limit: limit, size: size, entries: map[K]*entry[V]{}}
}

func (c *cache[K, V]) get(ctx context.Context, key K, load func(context.Context) (V, error)) (V, error) {
	c.mu.Lock()
	e := c.entries[key]
	if e == nil || !e.until.IsZero() && time.Now().After(e.until) {
		e = &entry[V]{done: make(chan struct{})}
		c.makeRoomLocked()
		c.entries[key] = e
		go c.load(context.WithoutCancel(ctx), key, e, load) // ends by itself in time
	}
	c.mu.Unlock()
	select {
	case <-e.done:
		return e.value, e.err
	case <-ctx.Done():
		var zero V
		return zero, context.Cause(ctx)
	}
}

func (c *cache[K, V]) load(ctx context.Context, key K, e *entry[V], load func(context.Context) (V, error)) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	value, err := load(ctx)
	c.mu.Lock()
	e.value, e.err, e.until = value, err, time.Now().Add(c.keep)
	if err != nil && c.entries[key] == e {
		delete(c.entries, key)
	}
	c.mu.Unlock()
	close(e.done)
}

// makeRoomLocked keeps the number of entries bounded; those being loaded are
// bounded by the number of requests.
func (c *cache[K, V]) makeRoomLocked() {
	if len(c.entries) < c.size {
		return
	}
	for key, e := range c.entries {
		if !e.until.IsZero() {
			delete(c.entries, key)
		}
	}
}

// clear forgets everything, also what is being loaded: it may be old already.
func (c *cache[K, V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
}
