package mcp

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// LimitStore keeps the counts of limits and what replicas share. Its methods are
// safe for concurrent use and each is one indivisible step, also among
// replicas.
type LimitStore interface {
	// Take counts one use of key if fewer than limit were counted within the
	// last window, and returns 0. Otherwise it counts nothing and returns how long
	// to wait until one more is allowed.
	Take(ctx context.Context, key string, limit int, window time.Duration) (time.Duration, error)
	// Add adds every amount and returns -1, or, when one of the entries would
	// exceed its limit, adds nothing and returns that entry's index.
	Add(ctx context.Context, entries []LimitEntry) (int, error)
	// Secret returns random bytes that are the same for all who use the store, at
	// least 32.
	Secret(ctx context.Context) ([]byte, error)
	// Ping reports whether the store can be used.
	Ping(ctx context.Context) error
}

// LimitEntry is an addition to a count.
type LimitEntry struct {
	Key string
	// Amount is added; it may be negative or 0.
	Amount int64
	// Need must fit below the limit, too, without being added: what the work is
	// expected to take.
	Need int64
	// Limit is the highest allowed count; 0 means any. An entry that adds and
	// needs nothing is within every limit.
	Limit int64
	// TTL is the time the count is kept after the last addition.
	TTL time.Duration
}

// MemoryStore is a [LimitStore] in this process.
type MemoryStore struct {
	now    func() time.Time
	secret [32]byte

	mu     sync.Mutex // guards what follows
	counts map[string]*count
	uses   map[string]*window
	steps  int // since the last sweep
}

type count struct {
	value   int64
	expires time.Time
}

// window holds the times of uses, oldest first.
type window struct {
	times   []time.Time
	expires time.Time
}

var _ LimitStore = (*MemoryStore)(nil)

// NewMemoryStore makes an empty store for one process. A nil clock is time.Now.
func NewMemoryStore(now func() time.Time) *MemoryStore {
	if now == nil {
		now = time.Now
	}
	m := &MemoryStore{now: now, counts: map[string]*count{}, uses: map[string]*window{}}
	_, _ = rand.Read(m.secret[:]) // it never fails
	return m
}

// Take implements [LimitStore].
func (m *MemoryStore) Take(_ context.Context, key string, limit int, span time.Duration) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.sweepLocked(now)
	w := m.uses[key]
	if w == nil {
		w = &window{}
		m.uses[key] = w
	}
	gone := 0
	for gone < len(w.times) && !w.times[gone].Add(span).After(now) {
		gone++
	}
	w.times = w.times[gone:] // append makes a new list of what is left when this one is full
	w.expires = now.Add(span)
	if len(w.times) >= limit {
		if len(w.times) == 0 {
			return span, nil // a limit of none
		}
		return w.times[len(w.times)-limit].Add(span).Sub(now), nil
	}
	w.times = append(w.times, now)
	return 0, nil
}

// Add implements [LimitStore].
func (m *MemoryStore) Add(_ context.Context, entries []LimitEntry) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.sweepLocked(now)
	for i, e := range entries {
		if e.Limit > 0 && max(e.Amount, e.Need) > 0 && m.valueLocked(e.Key, now)+max(e.Amount, e.Need) > e.Limit {
			return i, nil
		}
	}
	for _, e := range entries {
		value := m.valueLocked(e.Key, now)
		if e.Amount == 0 && value == 0 {
			continue
		}
		m.counts[e.Key] = &count{value + e.Amount, now.Add(e.TTL)}
	}
	return -1, nil
}

func (m *MemoryStore) valueLocked(key string, now time.Time) int64 {
	if c := m.counts[key]; c != nil && now.Before(c.expires) {
		return c.value
	}
	return 0
}

// sweepEvery is how many steps lie between two looks for what is out of date.
const sweepEvery = 4096

func (m *MemoryStore) sweepLocked(now time.Time) {
	if m.steps++; m.steps < sweepEvery {
		return
	}
	m.steps = 0
	for k, c := range m.counts {
		if !now.Before(c.expires) {
			delete(m.counts, k)
		}
	}
	for k, w := range m.uses {
		if !now.Before(w.expires) {
			delete(m.uses, k)
		}
	}
}

// Secret implements [LimitStore].
func (m *MemoryStore) Secret(context.Context) ([]byte, error) { return m.secret[:], nil }

// Ping implements [LimitStore].
func (m *MemoryStore) Ping(context.Context) error { return nil }
