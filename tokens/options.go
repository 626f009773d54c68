package tokens

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Option configures a [Manager].
type Option func(*Manager) error

// WithStore sets where tokens are kept; an empty [MemoryStore] otherwise.
func WithStore(s Store) Option {
	return func(m *Manager) error {
		if s == nil {
			return errors.New("the token store must not be nil")
		}
		m.store = s
		return nil
	}
}

// WithCredentials lets the manager log in by itself when it has no token, or
// none that can be refreshed. A stored token is used first if it belongs to the
// same user, client, role and organization.
func WithCredentials(l Login) Option {
	return func(m *Manager) error {
		if err := l.check(); err != nil {
			return err
		}
		m.creds = &l
		return nil
	}
}

// WithHTTPClient sets the client for login, refresh and logout, for a proxy
// or a private certificate authority. Its transport must neither call the
// manager for a token nor retry a POST by itself. The client is copied;
// redirects are never followed. Without the option: 5 s to connect, 30 s for
// the response, no connection is used twice.
func WithHTTPClient(c *http.Client) Option {
	return func(m *Manager) error {
		if c == nil {
			return errors.New("the HTTP client must not be nil")
		}
		m.wire.setClient(c)
		return nil
	}
}

// WithLogger sets where the manager reports what it does, at level debug and
// info, never with a token. nil is silent, like no option.
func WithLogger(l *slog.Logger) Option {
	return func(m *Manager) error {
		if l != nil {
			m.log = l
		}
		return nil
	}
}

// WithClock replaces time.Now for everything about expiry and hold-off.
// Network timeouts keep real time. now must be safe for concurrent use.
func WithClock(now func() time.Time) Option {
	return func(m *Manager) error {
		if now == nil {
			return errors.New("the clock must not be nil")
		}
		m.now = now
		return nil
	}
}

// WithRefreshBuffer sets how long before its end a token is refreshed; 5
// minutes without the option. For tokens that live less than twice the buffer
// half their life is used, so that a new token is never due at once.
func WithRefreshBuffer(d time.Duration) Option {
	return positive("refresh buffer", d, 0, func(m *Manager) { m.buffer = d })
}

// WithTokenLifetime sets the life of tokens that do not say when they end; 1
// hour without the option.
func WithTokenLifetime(d time.Duration) Option {
	return positive("token lifetime", d, 1, func(m *Manager) { m.lifetime = d })
}

// WithHoldOff sets for how long after a failed refresh callers get the same
// error without anything being tried; 2 seconds without the option, 0 for
// none. After a refused login the same credentials are tried again only after
// twice the time, then four times and so on up to 5 minutes, because the ERP
// locks accounts; an explicit [Manager.Login] does not wait.
func WithHoldOff(d time.Duration) Option {
	return positive("hold-off", d, 0, func(m *Manager) { m.holdOff = d })
}

// WithRefreshTimeout bounds how long a refresh waits for other processes that
// hold the store, and then how long the calls to the server may take together;
// 60 seconds each without the option. It has nothing to do with how long a
// caller waits: that is its own context's business.
func WithRefreshTimeout(d time.Duration) Option {
	return positive("refresh timeout", d, 1, func(m *Manager) { m.timeout = d })
}

func positive(what string, d, least time.Duration, set func(*Manager)) Option {
	return func(m *Manager) error {
		if d < least {
			return fmt.Errorf("the %s must not be %v", what, d)
		}
		set(m)
		return nil
	}
}
