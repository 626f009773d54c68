package tokens

import (
	"cmp"
	"context"
	"time"
)

// State says what a stored token is good for.
type State string

const (
	// StateNone: nothing is stored.
	StateNone State = "no token"
	// StateValid: it is handed out.
	StateValid State = "valid"
	// StateDue: the next call refreshes it first.
	StateDue State = "needs refresh"
	// StateExpired: it has ended and cannot be refreshed.
	StateExpired State = "expired"
	// StateOtherServer: it belongs to another server than the configured one.
	StateOtherServer State = "for another server"
)

// Status describes the stored session. It contains no secret and is fit for
// output as JSON. User and ids come from the claims of the token, unverified.
type Status struct {
	State  State  `json:"state"`
	Server string `json:"server"`
	User   string `json:"user,omitempty"`
	// The ids are null when the token does not name them.
	ClientID *int   `json:"clientId"`
	UserID   *int   `json:"userId"`
	RoleID   *int   `json:"roleId"`
	OrgID    *int   `json:"organizationId"`
	Language string `json:"language,omitempty"`
	// Names say what the ids stand for, as far as the login told.
	Names Names `json:"names"`
	// WarehouseID is nil when the token does not name one.
	WarehouseID *int `json:"warehouseId"`
	// ExpiresAt is nil when there is no end, or none that can be read.
	ExpiresAt *time.Time `json:"expiresAt"`
	// ExpiresIn is in whole seconds, 0 when ExpiresAt is nil or past.
	ExpiresIn int64 `json:"expiresIn"`
	// Refreshable: there is a refresh token that was not sent yet. Whether the
	// server still takes it only a refresh can tell.
	Refreshable bool `json:"refreshable"`
	// Interrupted: a refresh was cut off, see [ErrInterrupted].
	Interrupted bool `json:"interrupted"`
	// StoredIn is the place where the tokens are kept, if the store says so by a
	// method Location() string.
	StoredIn string `json:"storedIn,omitempty"`
}

// Status reads the store and says what is there. It changes nothing and asks
// no server.
func (m *Manager) Status(ctx context.Context) (Status, error) {
	s := Status{State: StateNone, Server: m.wire.base}
	if l, ok := m.store.(interface{ Location() string }); ok {
		s.StoredIn = l.Location()
	}
	st, err := m.load(ctx)
	if err != nil || st.IsZero() {
		return s, err
	}
	s.Server = cmp.Or(st.Server, s.Server)
	s.Interrupted = st.interrupted()
	s.Refreshable = !st.Refresh.IsZero() && !s.Interrupted

	s.Names = st.Names
	now := m.now()
	c, claimsErr := UnverifiedClaims(st.Access.Reveal())
	if claimsErr == nil {
		s.User, s.Language = c.Subject, c.Language
		if c.Complete {
			s.ClientID, s.UserID, s.RoleID, s.OrgID = &c.ClientID, &c.UserID, &c.RoleID, &c.OrgID
		}
		if c.WarehouseID != 0 {
			s.WarehouseID = &c.WarehouseID
		}
		if !c.ExpiresAt.IsZero() {
			s.ExpiresAt = &c.ExpiresAt
			s.ExpiresIn = int64(m.remaining(c.ExpiresAt, now) / time.Second)
		}
	}
	s.State = m.stateOf(st, &s)
	return s, nil
}

func (m *Manager) stateOf(st Stored, s *Status) State {
	onlyToken := Stored{Access: st.Access, Server: st.Server}
	switch {
	case st.Server != "" && st.Server != m.wire.base:
		return StateOtherServer
	case m.usable(st, s.Refreshable || m.creds != nil) != nil:
		return StateValid
	case s.Refreshable, m.creds != nil:
		return StateDue
	case s.ExpiresAt != nil && m.usable(onlyToken, false) != nil:
		return StateValid
	case s.Interrupted && !st.exhausted():
		return StateDue // one last attempt
	}
	return StateExpired
}
