package browserlogin

import (
	"bytes"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Store keeps grants and logins under way. Replicas share one. It is safe for
// concurrent use.
type Store interface {
	// Get returns the value of a key, nil for none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Put sets a key for a time.
	Put(ctx context.Context, key string, value []byte, life time.Duration) error
	// Replace sets a key for a time if it holds old, and reports whether it did. A nil
	// value removes it.
	Replace(ctx context.Context, key string, old, value []byte, life time.Duration) (bool, error)
	// Delete removes keys.
	Delete(ctx context.Context, keys ...string) error
	// Add adds a member to a set that lives at least for a time from now.
	Add(ctx context.Context, set, member string, life time.Duration) error
	// Remove removes a member from a set.
	Remove(ctx context.Context, set, member string) error
	// Members returns the members of a set.
	Members(ctx context.Context, set string) ([]string, error)
	// Lock waits until nobody else holds the lock. It falls when its holder dies.
	Lock(ctx context.Context, name string) (release func(), err error)
	// Take counts one attempt under a key: perMinute in the long run, burst at once.
	// When no attempt is left it returns how long to wait for the next one.
	Take(ctx context.Context, key string, perMinute, burst int) (wait time.Duration, err error)
	// Close ends what the store holds open.
	Close() error
}

// maxEntries bounds what one process keeps in memory. What ends first goes first.
const maxEntries = 20_000

// memory is a store in the memory of one process.
type memory struct {
	mu     sync.Mutex // guards what follows
	values map[string]entry
	sets   map[string]map[string]time.Time
	limits map[string]*rate.Limiter
	locks  map[string]*lock
}

type entry struct {
	value []byte
	ends  time.Time
}

// lock is held by whoever sent to turn.
type lock struct {
	turn  chan struct{}
	users int
}

// NewMemory makes a store in memory. What it keeps ends with the process.
func NewMemory() Store {
	return &memory{values: map[string]entry{}, sets: map[string]map[string]time.Time{}, limits: map[string]*rate.Limiter{}, locks: map[string]*lock{}}
}

func (m *memory) Close() error { return nil }

func (m *memory) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.getLocked(key), nil
}

func (m *memory) getLocked(key string) []byte {
	e, ok := m.values[key]
	if !ok || time.Now().After(e.ends) {
		delete(m.values, key)
		return nil
	}
	return e.value
}

func (m *memory) Put(_ context.Context, key string, value []byte, life time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.putLocked(key, value, life)
	return nil
}

func (m *memory) putLocked(key string, value []byte, life time.Duration) {
	if _, ok := m.values[key]; !ok && len(m.values) >= maxEntries {
		m.roomLocked()
	}
	m.values[key] = entry{bytes.Clone(value), time.Now().Add(life)}
}

// roomLocked removes what has ended, or else what ends first.
func (m *memory) roomLocked() {
	now, first := time.Now(), ""
	for key, e := range m.values {
		if now.After(e.ends) {
			delete(m.values, key)
		} else if first == "" || e.ends.Before(m.values[first].ends) {
			first = key
		}
	}
	if len(m.values) >= maxEntries {
		delete(m.values, first)
	}
}

func (m *memory) Replace(_ context.Context, key string, old, value []byte, life time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.getLocked(key)
	switch {
	case found == nil || !bytes.Equal(found, old):
		return false, nil
	case value == nil:
		delete(m.values, key)
	default:
		m.putLocked(key, value, life)
	}
	return true, nil
}

func (m *memory) Delete(_ context.Context, keys ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range keys {
		delete(m.values, key)
	}
	return nil
}

func (m *memory) Add(_ context.Context, set, member string, life time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for other, ends := range m.sets[set] {
		if now.After(ends) {
			delete(m.sets[set], other)
		}
	}
	if m.sets[set] == nil {
		m.sets[set] = map[string]time.Time{}
	}
	m.sets[set][member] = now.Add(life)
	return nil
}

func (m *memory) Remove(_ context.Context, set, member string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if delete(m.sets[set], member); len(m.sets[set]) == 0 {
		delete(m.sets, set)
	}
	return nil
}

func (m *memory) Members(_ context.Context, set string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for member, ends := range m.sets[set] {
		if time.Now().Before(ends) {
			all = append(all, member)
		}
	}
	return all, nil
}

func (m *memory) Lock(ctx context.Context, name string) (func(), error) {
	m.mu.Lock()
	l := m.locks[name]
	if l == nil {
		l = &lock{turn: make(chan struct{}, 1)}
		m.locks[name] = l
	}
	l.users++
	m.mu.Unlock()
	leave := func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(m.locks, name)
		}
	}
	select {
	case l.turn <- struct{}{}:
		return func() { <-l.turn; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

func (m *memory) Take(_ context.Context, key string, perMinute, burst int) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	l := m.limits[key]
	if l == nil {
		for other, limit := range m.limits {
			if len(m.limits) < maxEntries {
				break
			}
			if limit.TokensAt(now) >= float64(limit.Burst()) || len(m.limits) >= 2*maxEntries {
				delete(m.limits, other)
			}
		}
		l = rate.NewLimiter(rate.Limit(float64(perMinute)/60), burst)
		m.limits[key] = l
	}
	r := l.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait, nil
}
