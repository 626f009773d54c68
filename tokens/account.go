package tokens

import (
	"context"
	"errors"
	"fmt"
)

// Login logs in and replaces what is stored. It does not need
// [WithCredentials], and what it is given is not kept beyond the call. The
// former session is not ended; call [Manager.Logout] first for that.
//
// A refused login is an [ErrAuthentication].
func (m *Manager) Login(ctx context.Context, l Login) error {
	if err := l.check(); err != nil {
		return err
	}
	// An unreadable store is found before the password is sent.
	st, release, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	s, err := m.login(ctx, st, l)
	if err != nil {
		return err
	}
	m.settle(s)
	return nil
}

// loginAgain logs in with the configured credentials. The lock is held. After
// a refusal it waits longer and longer, for the ERP counts failed logins and
// locks accounts.
func (m *Manager) loginAgain(ctx context.Context, st Stored) (*session, error) {
	if m.loginErr != nil && m.now().Before(m.loginNext) {
		return nil, m.loginErr
	}
	s, err := m.login(ctx, st, *m.creds)
	if e := (*Error)(nil); errors.As(err, &e) && e.Kind == ErrAuthentication {
		m.loginErr = e
		m.loginWait = min(max(2*m.loginWait, 2*m.holdOff), maxLoginHoldOff)
		m.loginNext = m.now().Add(m.loginWait)
		return nil, err
	}
	m.loginErr, m.loginWait = nil, 0
	return s, err
}

// login logs in and stores the pair. st is what the store holds.
func (m *Manager) login(ctx context.Context, st Stored, l Login) (_ *session, err error) {
	defer func() { m.logins.add(err) }()
	a, _, fail := m.wire.login(ctx, m.log, l)
	if fail != nil {
		if fail.Kind == ErrAuthentication {
			fail.Advice = adviceCreds
		}
		return nil, fail
	}
	return m.accept(ctx, st, a, l, Names{})
}

// accept stores the pair of a response to a login.
func (m *Manager) accept(ctx context.Context, st Stored, a response, l Login, names Names) (*session, error) {
	if a.Token == "" || a.refresh().IsZero() {
		// A token without refresh token is that of a login that waits for
		// its second step; it opens nothing.
		e := &Error{Op: "log in", Server: m.wire.base, Kind: ErrAuthentication,
			Err:    errors.New("the ERP wants to know client, role and organization"),
			Advice: "give their ids (ERP_CLIENT_ID, ERP_ROLE_ID, ERP_ORG_ID)"}
		if list := a.choices(); list != "" {
			e.Advice += "; clients of this user: " + list
		}
		return nil, e
	}
	pair := Stored{Access: a.access(), Refresh: a.refresh(), Server: m.wire.base, Names: names}
	pair.ClientID, pair.UserID = a.ids(l)
	s, err := m.keep(ctx, st, pair, a)
	if err == nil {
		m.log.InfoContext(ctx, "logged in", "user", l.Username, "client", pair.ClientID, "refreshAt", s.refreshAt)
	}
	return s, err
}

// ids returns what a refresh has to name. The response has an id only when
// the server found it by name or by default, so the claims and what was sent
// fill in.
func (a response) ids(l Login) (client, user int) {
	if c, err := UnverifiedClaims(a.Token); err == nil && c.Complete {
		return c.ClientID, c.UserID
	}
	client, _ = numeric(l.Client)
	if id, ok := numeric(string(a.ClientID)); ok {
		client = id
	}
	user, _ = numeric(string(a.UserID))
	return client, user
}

// Logout tells the server to end the session and removes the tokens from the
// store. They are removed even when the server cannot be told; then the error
// says so, and the session lives on there until it expires. With nothing
// stored it does nothing.
func (m *Manager) Logout(ctx context.Context) error {
	st, release, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if u := m.unsaved; u != nil {
		st = u.pair
	}
	if st.IsZero() {
		m.settle(nil)
		return nil
	}
	var told error
	switch {
	case st.Access.IsZero():
	case st.Server != "" && st.Server != m.wire.base:
		told = fmt.Errorf("log out: the token is for %s, not for %s, so no server was told", st.Server, m.wire.base)
	default:
		// 401 and 404 mean that there is no such session any more.
		if _, fail := m.wire.logout(ctx, m.log, st.Access); fail != nil && fail.Status != 401 && fail.Status != 404 {
			fail.Advice = "the token was removed here; the session on the server ends when it expires"
			told = fail
		}
	}
	if err := m.save(ctx, Stored{}); err != nil {
		return errors.Join(told, &Error{Op: "remove the stored token", Err: err})
	}
	m.unsaved = nil
	m.settle(nil)
	return told
}
