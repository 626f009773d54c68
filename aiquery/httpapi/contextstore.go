package httpapi

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/erphub/erphub/internal/httpserver/access"
)

// ContextKind is the kind of a published context.
type ContextKind string

// The kinds of context a user interface publishes.
const (
	WindowContext ContextKind = "window"
	ChartContext  ContextKind = "chart"
)

// ContextKey names a published context. Only the user who published it reads
// it: tenant and user come from the token of each request, never from its body.
type ContextKey struct {
	ClientID, UserID int
	Kind             ContextKind
	Number           int // of the window in the user interface, or of the chart
}

// StoredContext is the context that a user interface published.
type StoredContext struct {
	// Content is the published object, redacted.
	Content json.RawMessage
	// RoleID is the role of the token it was published with.
	RoleID int
	// Published and Expires bound its life.
	Published, Expires time.Time
}

// ContextStore keeps what live user interfaces publish until it expires.
// Implementations are safe for concurrent use. [NewMemoryStore] makes the one
// that is used when none is given; several servers side by side need one that
// they share.
type ContextStore interface {
	// Put keeps a context until it expires, in place of one of the same key. An
	// error that is ErrStoreFull means that the user has published too much; one
	// that is ErrStoreAway, as for the other methods, that a retry may succeed.
	Put(ctx context.Context, key ContextKey, c StoredContext) error
	// Get returns a context that has not expired; false when there is none.
	Get(ctx context.Context, key ContextKey) (StoredContext, bool, error)
	// Delete withdraws a context; a missing one is not an error.
	Delete(ctx context.Context, key ContextKey) error
}

// ErrStoreFull is in the error of a user who has published too much at a time.
var ErrStoreFull = errors.New("too much context published at a time")

// ErrStoreAway is in the error of a store that cannot be reached just now.
var ErrStoreAway = errors.New("the store of published context cannot be reached")

// Bounds of the store in memory.
const (
	maxUserContexts = 64        // of one user
	maxStoreBytes   = 128 << 20 // of all users together
)

// MemoryStore keeps contexts in this process. When all users together have
// published more than 128 MiB, the oldest is dropped: a live publisher
// publishes again.
type MemoryStore struct {
	now   func() time.Time
	limit int

	mu    sync.Mutex // guards the rest
	all   map[ContextKey]*list.Element
	users map[access.UserKey]map[ContextKey]bool
	order *list.List // of *entry, the oldest first
	bytes int
}

type entry struct {
	key ContextKey
	c   StoredContext
}

// NewMemoryStore makes an empty store.
func NewMemoryStore() *MemoryStore { return newMemoryStore(time.Now, maxStoreBytes) }

func newMemoryStore(now func() time.Time, limit int) *MemoryStore {
	return &MemoryStore{now: now, limit: limit, all: map[ContextKey]*list.Element{}, users: map[access.UserKey]map[ContextKey]bool{}, order: list.New()}
}

func (k ContextKey) user() access.UserKey {
	return access.UserKey{Client: k.ClientID, User: k.UserID}
}

// Put keeps a context. A user can have 64 at a time.
func (m *MemoryStore) Put(_ context.Context, key ContextKey, c StoredContext) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropLocked(key)
	now := m.now()
	if len(m.users[key.user()]) >= maxUserContexts {
		for k := range m.users[key.user()] {
			if !now.Before(m.all[k].Value.(*entry).c.Expires) {
				m.dropLocked(k)
			}
		}
		if len(m.users[key.user()]) >= maxUserContexts {
			return fmt.Errorf("%w: a user can have %d windows and charts", ErrStoreFull, maxUserContexts)
		}
	}
	for m.bytes+len(c.Content) > m.limit && m.order.Len() > 0 {
		m.dropLocked(m.order.Front().Value.(*entry).key)
	}
	m.all[key] = m.order.PushBack(&entry{key, c})
	m.bytes += len(c.Content)
	if m.users[key.user()] == nil {
		m.users[key.user()] = map[ContextKey]bool{}
	}
	m.users[key.user()][key] = true
	return nil
}

// Get returns a context that has not expired.
func (m *MemoryStore) Get(_ context.Context, key ContextKey) (StoredContext, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.all[key]
	if e == nil {
		return StoredContext{}, false, nil
	}
	if c := e.Value.(*entry).c; m.now().Before(c.Expires) {
		return c, true, nil
	}
	m.dropLocked(key)
	return StoredContext{}, false, nil
}

// Delete withdraws a context.
func (m *MemoryStore) Delete(_ context.Context, key ContextKey) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropLocked(key)
	return nil
}

func (m *MemoryStore) dropLocked(key ContextKey) {
	e := m.all[key]
	if e == nil {
		return
	}
	m.order.Remove(e)
	m.bytes -= len(e.Value.(*entry).c.Content)
	delete(m.all, key)
	delete(m.users[key.user()], key)
	if len(m.users[key.user()]) == 0 {
		delete(m.users, key.user())
	}
}
