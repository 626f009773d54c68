package tools

import (
	"sync"
	"time"
)

// mostRemembered bounds a memory. One that is full forgets all.
const mostRemembered = 2000

// memory remembers values for a time.
type memory[K comparable, V any] struct {
	mu   sync.Mutex
	kept map[K]remembered[V]
}

type remembered[V any] struct {
	value V
	until time.Time
}

func (m *memory[K, V]) get(key K, now time.Time) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.kept[key]
	return known.value, ok && now.Before(known.until)
}

func (m *memory[K, V]) keep(key K, value V, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || len(m.kept) >= mostRemembered {
		m.kept = map[K]remembered[V]{}
	}
	m.kept[key] = remembered[V]{value, until}
}

func (m *memory[K, V]) forget(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.kept, key)
}
