package tokens

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// opStored is the operation of errors about what the store holds.
const opStored = "use the stored login"

// saveTimeout bounds the storing of a response.
const saveTimeout = 10 * time.Second

// attempt is what one flight is about.
type attempt struct {
	stale *session // what was current when it was started, may be nil
	force *session // what is to be replaced although it may be good
}

// replaces reports whether what is in the store must not be handed out again:
// the server refused the token, or the pair is to be replaced on request.
func (r attempt) replaces(st Stored) bool {
	return r.refuses(st) || r.force != nil && r.force.mark == markOf(st)
}

// refuses reports whether the server responded with 401 to the stored access token.
func (r attempt) refuses(st Stored) bool {
	return r.stale != nil && r.stale.refused && r.stale.token == st.Access.Reveal()
}

// outdated reports whether a stored pair brings nothing new.
func (r attempt) outdated(st Stored) bool {
	return r.replaces(st) || r.force == nil && r.stale != nil && r.stale.token == st.Access.Reveal()
}

// refusal remembers which refresh the server said no to, so that it is not
// called again while nothing has changed.
type refusal struct {
	of    string
	ids   [2]int
	err   *Error
	until time.Time // then it is called again, in case it was a passing mood
}

// unsaved is a pair that could not be written. Its predecessor is spent, so
// it is kept and written later; until then nobody gets it.
type unsaved struct {
	before Stored // what the store held
	pair   Stored
	sess   *session
}

// obtain brings a valid token: from the store when another process has put one
// there, by refreshing, or by logging in. release ends the hold on the store,
// if there is one; it is called after the result is published, so that a
// logout cannot come in between. It is never nil.
func (m *Manager) obtain(ctx context.Context, r attempt) (s *session, release func(), err error) {
	waiting, giveUp := context.WithTimeout(ctx, m.timeout)
	defer giveUp()
	go func() {
		select {
		case <-m.closing:
			giveUp()
		case <-waiting.Done():
		}
	}()
	// The first look is without the lock, so that a start-up with a good
	// token does not wait for somebody else's refresh.
	st, err := m.load(waiting)
	if err != nil {
		return nil, func() {}, err
	}
	if s := m.adopt(st, r); s != nil {
		return s, func() {}, nil
	}
	st, release, err = m.lock(waiting)
	if err != nil {
		return nil, func() {}, err
	}
	// However long the lock took: a refresh that is sent gets its full time.
	working, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	s, err = m.obtainLocked(working, st, r)
	return s, release, err
}

// obtainLocked is obtain under the store's lock; st is what it holds.
func (m *Manager) obtainLocked(ctx context.Context, st Stored, r attempt) (*session, error) {
	// The process that held the lock before may have refreshed.
	if s := m.adopt(st, r); s != nil {
		m.log.DebugContext(ctx, "took the token another process has stored")
		return s, nil
	}
	if s, err := m.saveLate(ctx, st); s != nil || err != nil {
		return s, err
	}

	mine := st.Server == "" || st.Server == m.wire.base
	if m.creds != nil && !m.belongs(st) {
		mine = false
	}
	switch {
	case mine && st.interrupted():
		return m.afterInterruption(ctx, st, r)
	case mine && !st.Refresh.IsZero():
		s, err := m.refreshLocked(ctx, st)
		if m.creds != nil && (errors.Is(err, ErrAuthentication) || errors.Is(err, ErrInterrupted)) {
			m.log.InfoContext(ctx, "the refresh did not succeed; logging in again", "error", err)
			return m.loginAgain(ctx, st)
		}
		return s, err
	case m.creds != nil:
		return m.loginAgain(ctx, st)
	}
	return nil, m.nothingLeft(st, r)
}

// adopt returns the stored token if it is good and new.
func (m *Manager) adopt(st Stored, r attempt) *session {
	if r.outdated(st) {
		return nil
	}
	return m.usable(st, !st.Refresh.IsZero() || m.creds != nil)
}

// belongs reports whether what is stored is a session of the credentials. A
// token whose claims cannot be read does not tell, so it does not.
func (m *Manager) belongs(st Stored) bool {
	c, err := UnverifiedClaims(st.Access.Reveal())
	return err == nil && m.creds.matches(c)
}

// nothingLeft says what a person has to do.
func (m *Manager) nothingLeft(st Stored, r attempt) *Error {
	e := &Error{Op: opStored, Server: m.wire.base, Kind: ErrAuthentication, Advice: adviceLogin}
	switch {
	case st.IsZero():
		e.Err = errors.New("no token is stored")
	case st.Server != "" && st.Server != m.wire.base:
		e.Err = errors.New("the stored token is for " + st.Server)
	case r.stale != nil && r.stale.refused:
		e.Err, e.Advice = errors.New("the server refused the stored token, and there is no refresh token"), adviceToken
	case r.force != nil:
		e.Err = errors.New("there is no refresh token")
	default:
		e.Err, e.Advice = errors.New("the stored token has expired, and there is no refresh token"), adviceToken
	}
	return e
}

// ids are the client and the user, of the token where they are not stored.
func (st *Stored) ids() (client, user int) {
	client, user = st.ClientID, st.UserID
	if c, err := UnverifiedClaims(st.Access.Reveal()); err == nil && c.Complete {
		client, user = cmp.Or(client, c.ClientID), cmp.Or(user, c.UserID)
	}
	return client, user
}

// refreshLocked spends the stored refresh token. The store's lock is held.
//
// The ERP revokes the whole chain when it sees a refresh token twice, so this
// is written for the case that the process dies, or the response is lost, at
// any point:
//
//  1. A marker with the fingerprint of the token is stored and synced. If
//     that fails (full disk), nothing is sent.
//  2. The token is sent, once.
//  3. The new pair is stored and synced, without the marker. Only then can
//     anybody get it.
//
// A process that finds the marker knows that step 2 may have happened; see
// afterInterruption. When the server has certainly not acted on the request
// (no connection, 400, 503 …) the marker is taken away again.
//
// For a token that was sent before, in a refresh that was interrupted, the
// marker says that this is the last attempt.
func (m *Manager) refreshLocked(ctx context.Context, st Stored) (_ *session, err error) {
	clientID, userID := st.ids()
	ids := [2]int{clientID, userID}
	if m.refused.of == Fingerprint(st.Refresh) && m.refused.ids == ids && m.now().Before(m.refused.until) {
		return nil, m.refused.err
	}
	defer func() { m.refreshes.add(err) }()

	marked, before := st, withoutMarker(st)
	marked.Refreshing = Fingerprint(st.Refresh)
	if st.interrupted() {
		marked.Refreshing += lastAttempt
		before = st
	}
	if err := m.store.Save(ctx, marked); err != nil {
		return nil, &Error{Op: "note that a refresh begins", Err: err,
			Advice: "nothing was sent; make the store writable and try again"}
	}
	a, out, fail := m.wire.refresh(ctx, m.log, st.Refresh, clientID, userID)
	switch {
	case fail == nil:
	case out == refused && st.interrupted():
		// It was spent by the refresh that was interrupted.
		fail.Err = also(fail.Err, ErrInterrupted)
		return nil, fail
	case out != unknown:
		if out == refused {
			m.refused = refusal{marked.Refreshing, ids, fail, m.now().Add(maxLoginHoldOff)}
		}
		if err := m.save(ctx, before); err != nil {
			fail.Err = also(fail.Err, err)
		}
		return nil, fail
	default:
		fail.Err = also(fail.Err, ErrInterrupted)
		fail.Advice = "the refresh is not retried at once, because its token may be spent; " +
			"the stored token is used while it is valid, then " + adviceLogin
		return nil, fail
	}
	if a.Token == "" {
		// The token is spent and nothing came back: the marker stays.
		return nil, &Error{Op: "refresh the token", Server: m.wire.base, Kind: ErrUnreachable,
			Err: also(errors.New("the response contains no token"), ErrInterrupted), Advice: adviceLogin}
	}
	pair := Stored{Access: a.access(), Refresh: a.refresh(), ClientID: clientID, UserID: userID, Server: m.wire.base, Names: st.Names}
	s, err := m.keep(ctx, marked, pair, a)
	if err == nil {
		m.log.DebugContext(ctx, "token refreshed", "refreshAt", s.refreshAt)
	}
	return s, err
}

// afterInterruption goes on where an earlier refresh was cut off. The refresh
// token may be spent or not; sending it again could revoke everything. So,
// in this order: log in again if there are credentials; use the access token
// to its end, for refreshing does not revoke it; send the refresh token one
// last time, when nothing is left that could be revoked; say what a person
// must do.
func (m *Manager) afterInterruption(ctx context.Context, st Stored, r attempt) (*session, error) {
	if m.creds != nil {
		m.log.InfoContext(ctx, "an earlier refresh was cut off; logging in again")
		return m.loginAgain(ctx, st)
	}
	good := m.usable(st, false)
	if good != nil && !good.refreshAt.Before(forever()) {
		good = nil // its end cannot be read
	}
	switch {
	case good != nil && !r.replaces(st):
		m.log.InfoContext(ctx, "an earlier refresh was cut off; using the token while it is valid", "until", good.refreshAt)
		return good, nil
	case !st.exhausted() && (good == nil || r.refuses(st)):
		m.log.InfoContext(ctx, "an earlier refresh was cut off; trying its token one last time")
		return m.refreshLocked(ctx, st)
	}
	return nil, &Error{Op: opStored, Server: m.wire.base, Kind: ErrAuthentication, Advice: adviceLogin,
		Err: ErrInterrupted}
}

// withoutMarker returns st as if no refresh had been begun.
func withoutMarker(st Stored) Stored {
	st.Refreshing = ""
	return st
}

// keep stores a new pair and returns its session. before is what the store
// holds.
func (m *Manager) keep(ctx context.Context, before, pair Stored, a response) (*session, error) {
	m.noteDate(a.date)
	s := m.received(pair, !a.date.IsZero())
	if err := m.save(ctx, pair); err != nil {
		m.unsaved = &unsaved{before, pair, s}
		return nil, unsavedError(err)
	}
	m.unsaved = nil
	return s, nil
}

// saveLate stores the pair that could not be stored before, unless the store
// has changed since. It returns nil and nil when there is nothing to do.
func (m *Manager) saveLate(ctx context.Context, st Stored) (*session, error) {
	u := m.unsaved
	if u == nil {
		return nil, nil
	}
	if !st.Refresh.Equal(u.before.Refresh) || !st.Access.Equal(u.before.Access) {
		m.unsaved = nil // somebody has logged in meanwhile
		return nil, nil
	}
	if err := m.save(ctx, u.pair); err != nil {
		return nil, unsavedError(err)
	}
	m.unsaved = nil
	m.log.InfoContext(ctx, "stored the tokens that could not be stored before")
	if !m.now().Before(u.sess.refreshAt) && !u.pair.Refresh.IsZero() {
		return m.refreshLocked(ctx, u.pair)
	}
	return u.sess, nil
}

// save stores st even when ctx has just ended: what is saved after a response
// came cannot be had again.
func (m *Manager) save(ctx context.Context, st Stored) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	return m.store.Save(ctx, st)
}

func unsavedError(err error) *Error {
	return &Error{Op: "store the new tokens", Err: err,
		Advice: "they are kept by this process until they can be stored; make the store writable"}
}

// also joins two errors on one line; the first may be nil.
func also(err, more error) error {
	if err == nil {
		return more
	}
	return fmt.Errorf("%w; %w", err, more)
}
