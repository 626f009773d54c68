package tokens

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// maxLoginHoldOff is the longest pause between logins with credentials that
// the server refuses.
const maxLoginHoldOff = 5 * time.Minute

// Manager is a token source that logs in, refreshes before expiry and keeps the
// pair of tokens in a [Store]. It is what services and commands use that run
// longer than one token lives.
//
// All methods are safe for concurrent use. One refresh runs at a time, shared
// by all callers; see the package comment for what happens when it fails or
// is cut off.
type Manager struct {
	wire  wire
	store Store
	creds *Login // nil: do not log in by oneself
	log   *slog.Logger
	now   func() time.Time

	buffer, lifetime, holdOff, timeout time.Duration

	// current is the only thing the valid path of Token looks at. It never
	// holds a token that is not in the store.
	current atomic.Pointer[session]
	// offset is the server's clock minus ours in nanoseconds, as the last
	// response showed it; noOffset until then.
	offset atomic.Int64

	refreshes, logins outcomes // see Counts

	mu        sync.Mutex // guards what follows
	flight    *flight    // the refresh under way, nil for none
	holdErr   error      // result of the last refresh until holdUntil
	holdUntil time.Time
	closed    bool
	closing   chan struct{} // closed with the first Close

	// What follows belongs to whoever holds the store's lock.
	refused   refusal // the refresh token the server said no to
	unsaved   *unsaved
	loginErr  *Error // why the credentials were refused last
	loginWait time.Duration
	loginNext time.Time
}

// session is a token and how long it is handed out. It never changes.
//
// The text of the token does not tell one session from the next: the ERP
// writes no serial number and only whole seconds into it, so two tokens of
// the same second are the same text. The refresh tokens differ, so mark does.
type session struct {
	token     string
	mark      string    // of the stored pair, see markOf
	refreshAt time.Time // zero: refresh before handing it out again
	refused   bool      // the server responded with 401 to it
	// twinUntil is set when the refresh after a 401 brought the same text
	// once more: until then another 401 leads nowhere and is ignored.
	twinUntil time.Time
}

// markOf tells stored pairs apart.
func markOf(st Stored) string { return Fingerprint(st.Access) + Fingerprint(st.Refresh) }

// flight is one refresh that callers wait for.
type flight struct {
	done chan struct{} // closed when one of the others is set
	sess *session
	err  error
}

// NewManager returns a manager for the ERP at address (without /api/v1; a
// path prefix is kept). It reads nothing and calls nobody: the first Token,
// or [Manager.Ready], does.
func NewManager(address string, opts ...Option) (*Manager, error) {
	base, err := cleanBase(address)
	if err != nil {
		return nil, err
	}
	m := &Manager{
		wire:     wire{base: base, again: retries()},
		store:    NewMemoryStore(Stored{}),
		log:      slog.New(slog.DiscardHandler),
		now:      time.Now,
		buffer:   DefaultRefreshBuffer,
		lifetime: DefaultTokenLifetime,
		holdOff:  2 * time.Second,
		timeout:  time.Minute,
		closing:  make(chan struct{}),
	}
	m.wire.setClient(newHTTPClient())
	m.offset.Store(noOffset)
	for _, o := range opts {
		if err := o(m); err != nil {
			return nil, fmt.Errorf("setting up tokens for %s: %w", base, err)
		}
	}
	return m, nil
}

// Token returns a token that is valid for at least the refresh buffer, as far
// as can be known. While it has one it returns at once, without looking at
// ctx. Otherwise it joins the refresh under way or starts one, and waits for
// it or for the end of ctx; a caller that leaves does not end the refresh for
// the others.
//
// A refresh that failed is reported to everyone who waited for it, and to
// everyone who calls during the hold-off after it. Errors are *[Error]; branch
// with [ErrAuthentication] (a person must act) and [ErrUnreachable].
func (m *Manager) Token(ctx context.Context) (string, error) {
	if s := m.current.Load(); s != nil && m.now().Before(s.refreshAt) {
		return s.token, nil
	}
	s, err := m.fresh(ctx, nil)
	if err != nil {
		return "", err
	}
	return s.token, nil
}

// Ready loads the stored tokens and makes sure that there is a valid one,
// logging in or refreshing where needed. A service calls it before it serves
// so that a wrong password shows at start-up; calling it is not required.
func (m *Manager) Ready(ctx context.Context) error {
	_, err := m.Token(ctx)
	return err
}

// Invalidate says that the server responded with 401 to token, so that the next
// Token refreshes. It does nothing when token is no longer the current one:
// then somebody else has noticed before, and the refresh has been made or is
// under way. It always returns nil and never waits.
func (m *Manager) Invalidate(_ context.Context, token string) error {
	s := m.current.Load()
	if s != nil && s.token == token && !s.refused && !m.now().Before(s.twinUntil) {
		m.current.CompareAndSwap(s, &session{token: token, mark: s.mark, refused: true})
	}
	return nil
}

// Refresh replaces the token now, although it may still be valid. When another
// process has refreshed it since this one looked, that token is taken instead.
func (m *Manager) Refresh(ctx context.Context) error {
	s := m.current.Load()
	if s == nil {
		// Know what is to be replaced before replacing it.
		st, err := m.load(ctx)
		if err != nil {
			return err
		}
		s = &session{token: st.Access.Reveal(), mark: markOf(st)}
	}
	for {
		newer, err := m.fresh(ctx, s)
		// A refresh that was under way before may have found the token good.
		if err != nil || newer.mark != s.mark {
			return err
		}
	}
}

// Close waits until a refresh under way has ended, so that a program that
// exits does not cut it off, and refuses later ones. A refresh that still waits
// for other processes that hold the store is given up. The wait is bounded by
// the refresh timeout and by ctx; after an error Close can be called again. A
// token that is still valid is handed out after Close, too.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	if !m.closed {
		m.closed = true
		close(m.closing)
	}
	f := m.flight
	m.mu.Unlock()
	if f == nil {
		return nil
	}
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for a token refresh to end: %w", ctx.Err())
	}
}

// String names the manager by its server's address, and Format does so for
// every verb: printing the fields would race with those who change them.
func (m *Manager) String() string { return "tokens.Manager(" + m.wire.base + ")" }

// Format writes [Manager.String] whatever the verb.
func (m *Manager) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, m.String()) }

// fresh joins or starts a refresh and waits for it. force, when not nil, is
// a session that shall be replaced even if it is still good.
func (m *Manager) fresh(ctx context.Context, force *session) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("getting a token: %w", err)
	}
	m.mu.Lock()
	s := m.current.Load()
	now := m.now()
	switch {
	// Somebody finished a refresh on the way here.
	case s != nil && now.Before(s.refreshAt) && (force == nil || force.mark != s.mark):
		m.mu.Unlock()
		return s, nil
	case m.flight == nil && m.closed:
		m.mu.Unlock()
		return nil, &Error{Op: "refresh the token", Err: ErrClosed}
	case m.flight == nil && m.holdErr != nil && now.Before(m.holdUntil) && force == nil:
		err := m.holdErr
		m.mu.Unlock()
		return nil, err
	}
	f := m.flight
	if f == nil {
		f = &flight{done: make(chan struct{})}
		m.flight = f
		// The refresh outlives the caller that happened to start it, because
		// others wait too and a refresh must not be cut off: its own context,
		// bounded in obtain. Close waits for this goroutine.
		go m.fly(context.WithoutCancel(ctx), f, attempt{stale: s, force: force})
	}
	m.mu.Unlock()

	select {
	case <-f.done:
		return f.sess, f.err
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a token: %w", ctx.Err())
	}
}

// fly carries out one refresh and tells everyone.
func (m *Manager) fly(ctx context.Context, f *flight, r attempt) {
	s, release, err := m.obtain(ctx, r)
	defer release()
	if err != nil {
		m.log.DebugContext(ctx, "no token", "error", err)
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	m.flight = nil
	m.holdErr, m.holdUntil = err, m.now().Add(m.holdOff)
	if err == nil {
		if r.stale != nil && r.stale.refused && r.stale.token == s.token {
			twin := *s
			twin.twinUntil = m.now().Add(time.Second)
			s = &twin
		}
		m.current.Store(s)
	}
	f.sess, f.err = s, err
	close(f.done)
}

// settle makes s current after an explicit login or logout.
func (m *Manager) settle(s *session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holdErr = nil
	m.current.Store(s)
}

func (m *Manager) load(ctx context.Context) (Stored, error) {
	st, err := m.store.Load(ctx)
	if err != nil {
		return Stored{}, &Error{Op: "read the stored token", Err: err}
	}
	return st, nil
}

// lock takes the store's lock and reads the store under it.
func (m *Manager) lock(ctx context.Context) (Stored, func(), error) {
	release, err := m.store.Lock(ctx)
	if err != nil {
		e := &Error{Op: "lock the stored token", Err: err}
		if errors.Is(err, context.DeadlineExceeded) {
			e.Advice = "another process is refreshing the token; try again when it is done"
		}
		return Stored{}, nil, e
	}
	st, err := m.load(ctx)
	if err != nil {
		release()
		return Stored{}, nil, err
	}
	return st, release, nil
}
