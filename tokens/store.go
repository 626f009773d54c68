package tokens

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
)

// Stored is the state that is kept between calls and between processes.
type Stored struct {
	// Access is the token sent with each call.
	Access Secret
	// Refresh is spent to get the next pair. Empty for a long-lived API
	// token, which is used until it ends.
	Refresh Secret
	// ClientID and UserID are sent with a refresh, because the ERP requires
	// them. When 0 they are taken from the claims of Access.
	ClientID, UserID int
	// Server is the address the pair was obtained from. A [Manager] for
	// another address does not use it. Empty matches every address.
	Server string
	// Names are for people: what the ids in the token stand for, as far as the
	// login told. They stay the same when the token is refreshed.
	Names Names
	// Refreshing marks a refresh that was begun and not finished: it is the
	// [Fingerprint] of the refresh token that was sent, with "/2" behind it
	// when that was the last attempt. While it is that of Refresh, the token
	// may already be spent.
	Refreshing string
}

// Names are the names of client (tenant), role, organization and warehouse;
// empty where that is not known.
type Names struct {
	Client       string `json:"client,omitempty"`
	Role         string `json:"role,omitempty"`
	Organization string `json:"organization,omitempty"`
	Warehouse    string `json:"warehouse,omitempty"`
}

// IsZero reports whether neither token is there.
func (s Stored) IsZero() bool { return s.Access.IsZero() && s.Refresh.IsZero() }

// lastAttempt is the suffix of the mark of a refresh token that is sent once
// more after an interrupted refresh.
const lastAttempt = "/2"

// interrupted reports whether Refresh may already be spent.
func (s Stored) interrupted() bool {
	return !s.Refresh.IsZero() && strings.TrimSuffix(s.Refreshing, lastAttempt) == Fingerprint(s.Refresh)
}

// exhausted reports whether Refresh was also sent a second time.
func (s Stored) exhausted() bool {
	return s.interrupted() && strings.HasSuffix(s.Refreshing, lastAttempt)
}

// Fingerprint names a secret without giving it away: the first 32 hexadecimal
// digits of its SHA-256, "" for the empty secret.
func Fingerprint(s Secret) string {
	if s.IsZero() {
		return ""
	}
	sum := sha256.Sum256([]byte(s.Reveal()))
	return hex.EncodeToString(sum[:16])
}

// Store keeps one [Stored] value. [MemoryStore] is one, package filestore has
// one in the user's configuration file, and a service may bring its own, in a
// database for example.
//
// Everything that shares refresh tokens must share the store and its lock:
// the ERP takes a refresh token that comes twice for theft and revokes the
// whole chain. All methods are safe for concurrent use.
type Store interface {
	// Lock waits until no one else, in this or another process, holds the
	// lock, or until ctx ends. The lock must fall when its holder dies.
	// release is called exactly once.
	Lock(ctx context.Context) (release func(), err error)
	// Load returns what is stored, the zero value for nothing. It does not
	// wait for the lock and never returns half of a change.
	Load(ctx context.Context) (Stored, error)
	// Save replaces what is stored; the zero value removes it. The caller
	// holds the lock. When Save returns nil the value survives a crash of
	// process and machine (as far as the store survives at all); when it
	// returns an error the old value is still there.
	Save(ctx context.Context, s Stored) error
}

// Replace puts an API token, which was created in the ERP and cannot be
// refreshed, in the place of whatever store holds. server is the address it is
// for; "" lets it be used with any.
func Replace(ctx context.Context, store Store, token Secret, server string) error {
	if err := sendable(token); err != nil {
		return err
	}
	if server != "" {
		var err error
		if server, err = cleanBase(server); err != nil {
			return err
		}
	}
	release, err := store.Lock(ctx)
	if err != nil {
		return &Error{Op: "lock the stored token", Err: err}
	}
	defer release()
	if err := store.Save(ctx, Stored{Access: token, Server: server}); err != nil {
		return &Error{Op: "store the token", Err: err}
	}
	return nil
}

// MemoryStore keeps the tokens of one process for as long as it runs. The
// zero value is empty and ready for use; do not copy it after first use.
type MemoryStore struct {
	mu    sync.Mutex // guards value and turn
	value Stored
	turn  chan struct{} // holds one element while locked
}

// NewMemoryStore returns a store that holds s.
func NewMemoryStore(s Stored) *MemoryStore { return &MemoryStore{value: s} }

// Lock implements [Store].
func (m *MemoryStore) Lock(ctx context.Context) (func(), error) {
	m.mu.Lock()
	if m.turn == nil {
		m.turn = make(chan struct{}, 1)
	}
	turn := m.turn
	m.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Load implements [Store].
func (m *MemoryStore) Load(context.Context) (Stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.value, nil
}

// Save implements [Store].
func (m *MemoryStore) Save(_ context.Context, s Stored) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.value = s
	return nil
}
