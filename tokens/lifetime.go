package tokens

import (
	"math"
	"time"
)

// noOffset is what Manager.offset holds before the server's clock was seen.
const noOffset = math.MinInt64

// forever is when a token that never ends is refreshed.
func forever() time.Time { return time.Unix(lastExpiry, 0) }

// noteDate remembers how far the server's clock is from ours.
func (m *Manager) noteDate(date time.Time) {
	if !date.IsZero() {
		m.offset.Store(int64(date.Sub(m.now())))
	}
}

// remaining is how long a token that ends at exp by the server's clock can
// still be used, seen from now by ours. The two clocks may differ: when the
// server's is known, the smaller of both views counts, unless a view says
// that the token has ended and the other one disagrees. 0 means ended.
func (m *Manager) remaining(exp, now time.Time) time.Duration {
	left := exp.Sub(now)
	if off := m.offset.Load(); off != noOffset {
		theirs := exp.Sub(now.Add(time.Duration(off)))
		if left <= 0 || theirs > 0 && theirs < left {
			left = theirs
		}
	}
	return max(left, 0)
}

// received is the session for a pair the server has just handed out. Its
// whole life lies ahead, which the claim may not show: there may be none, or
// the clocks differ and the response carried no date to see by how much.
func (m *Manager) received(pair Stored, dated bool) *session {
	now := m.now()
	life := m.lifetime
	if c, err := UnverifiedClaims(pair.Access.Reveal()); err == nil && !c.ExpiresAt.IsZero() {
		if left := m.remaining(c.ExpiresAt, now); left > 0 && (dated || left < life) {
			life = left
		}
	}
	// A token that lives shorter than the buffer is not due at once.
	return session{refreshAt: now.Add(life - min(m.buffer, life/2))}.of(pair)
}

// usable returns the session for a token found in the store, or nil when it
// has to be refreshed first. refreshable reports whether it can be.
func (m *Manager) usable(st Stored, refreshable bool) *session {
	if st.Access.IsZero() || st.Server != "" && st.Server != m.wire.base {
		return nil
	}
	c, err := UnverifiedClaims(st.Access.Reveal())
	if m.creds != nil && err == nil && !m.creds.matches(c) {
		return nil // somebody else's
	}
	now := m.now()
	if err != nil || c.ExpiresAt.IsZero() {
		// No end that could be read: refreshed on first use if that is
		// possible, otherwise an API token that is used as it is.
		if refreshable {
			return nil
		}
		return session{refreshAt: forever()}.of(st)
	}
	left := m.remaining(c.ExpiresAt, now)
	if refreshable {
		left -= min(m.buffer, m.lifetime/2)
	}
	if left <= 0 {
		return nil
	}
	return session{refreshAt: now.Add(left)}.of(st)
}

// of returns the session for a stored pair.
func (s session) of(st Stored) *session {
	s.token, s.mark = st.Access.Reveal(), markOf(st)
	return &s
}
