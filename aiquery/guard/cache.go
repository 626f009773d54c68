package guard

import (
	"container/list"
	"sync"
)

// cacheKey is what a kept value was made from.
type cacheKey struct {
	kind    keptKind
	text    string
	version string // of the policy
	params  int
	limit   int
}

type keptKind int

const (
	keptPlan keptKind = iota
	keptTree
	keptPiece
)

// cache keeps the values used last, up to a number of bytes.
type cache struct {
	max int

	mu    sync.Mutex // guards what follows
	size  int
	order *list.List // of *cached, last used first
	byKey map[cacheKey]*list.Element
}

type cached struct {
	key   cacheKey
	value any
	size  int
}

func newCache(size int) *cache {
	return &cache{max: size, order: list.New(), byKey: map[cacheKey]*list.Element{}}
}

func (c *cache) get(k cacheKey) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[k]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).value, true
}

// put keeps a value of about that many bytes, its key not counted. Values that
// would drive out much of the rest are not kept.
func (c *cache) put(k cacheKey, value any, size int) {
	size += len(k.text) + 512
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[k]; ok || size > c.max/8 {
		return
	}
	for c.size+size > c.max {
		last := c.order.Back()
		old := last.Value.(*cached)
		c.order.Remove(last)
		delete(c.byKey, old.key)
		c.size -= old.size
	}
	c.size += size
	c.byKey[k] = c.order.PushFront(&cached{k, value, size})
}
