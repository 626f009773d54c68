package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// full says that there are as many sessions as there may be, and that all of them
// are in use.
type full struct {
	limit string // user or server, in metrics
	most  int
	idle  time.Duration
}

const (
	limitUser   = "user"
	limitServer = "server"
)

func (f *full) Error() string {
	const next = "end one that is not needed with DELETE, try again later, or ask the operator of the server for more"
	if f.limit == limitUser {
		return fmt.Sprintf("this user has as many sessions as one may have (%d), and each was used in the last %v; %s", f.most, f.idle, next)
	}
	return fmt.Sprintf("the server has as many sessions as it may have (%d), and each was used in the last %v; %s", f.most, f.idle, next)
}

// sessions are those of streamable HTTP. With a store any server that shares it
// serves them: what is in memory is a copy, which is made from the store when a
// request needs it and can be dropped at any time.
type sessions struct {
	s         *Server
	most, per int
	timeout   time.Duration
	idle      time.Duration // one not used for so long may end for a new one
	store     SessionStore  // nil: sessions end with this server
	self      string        // this server among those that share the store

	mu      sync.Mutex // guards what follows
	open    map[string]*session
	pending map[string]int // being opened, by user
}

// pendingLocked is how many sessions are being opened.
func (s *sessions) pendingLocked() (n int) {
	for _, of := range s.pending {
		n += of
	}
	return n
}

// session is one that this server can serve.
type session struct {
	id, user  string // user: see binding
	transport *sdk.StreamableServerTransport
	link      *link
	server    *sdk.ServerSession
	switched  switched

	// Guarded by sessions.mu.
	data    []byte // in the store
	used    time.Time
	running int         // requests
	kept    bool        // in the store
	idle    *time.Timer // ends it
}

func newSessions(s *Server) *sessions {
	all := &sessions{
		s: s, most: s.opts.MaxSessions, per: s.opts.MaxUserSessions, timeout: s.opts.SessionTimeout,
		idle: s.opts.SessionIdle, self: newMark(), open: map[string]*session{}, pending: map[string]int{},
	}
	if !s.opts.Stateless {
		all.store = s.opts.Sessions
	}
	return all
}

// admit makes room for one more session of the user, for which connect must be
// called. Only sessions that nobody used for some time end for it.
func (s *sessions) admit(user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := func(*session) bool { return true }
	if s.store == nil {
		own := func(k *session) bool { return k.user == user }
		if err := s.roomLocked(&full{limitUser, s.per, s.idle}, s.pending[user], own); err != nil {
			return err
		}
		if err := s.roomLocked(&full{limitServer, s.most, s.idle}, s.pendingLocked(), all); err != nil {
			return err
		}
	} else if len(s.open)+s.pendingLocked() >= s.most { // the store counts those of a user
		// One that nothing runs in is made again from the store.
		copies := s.idlestLocked(func(k *session) bool { return k.running == 0 })
		if len(copies) == 0 {
			return s.refused(&full{limitServer, s.most, s.idle})
		}
		s.endLocked(copies[0])
	}
	s.pending[user]++
	return nil
}

// roomLocked ends sessions that were not used for long, as many as are too many with
// one more and those that are being opened; or none, and returns limit.
func (s *sessions) roomLocked(limit *full, opening int, which func(*session) bool) error {
	some := s.idlestLocked(which)
	excess := len(some) + opening + 1 - limit.most
	if excess <= 0 {
		return nil
	}
	now := time.Now()
	idle := slices.DeleteFunc(some, func(k *session) bool { return k.running > 0 || now.Sub(k.used) < s.idle })
	if len(idle) < excess {
		return s.refused(limit)
	}
	for _, k := range idle[:excess] {
		s.endLocked(k)
	}
	s.s.opts.Metrics.limited.Add(float64(excess), limit.limit, "ended")
	return nil
}

func (s *sessions) refused(limit *full) error {
	s.s.opts.Metrics.limited.Add(1, limit.limit, "refused")
	return limit
}

// idlestLocked are sessions, the one not used for longest first.
func (s *sessions) idlestLocked(which func(*session) bool) []*session {
	var some []*session
	for _, k := range s.open {
		if which(k) {
			some = append(some, k)
		}
	}
	slices.SortFunc(some, func(a, b *session) int { return a.used.Compare(b.used) })
	return some
}

// connect makes a session, from a state if it had one, for which there is room.
// It begins with a request that runs. When another request made the same one
// meanwhile, that is it.
func (s *sessions) connect(ctx context.Context, id, user string, data []byte, state *sdk.ServerSessionState) (*session, error) {
	k := &session{id: id, user: user, kept: state != nil, transport: &sdk.StreamableServerTransport{SessionID: id}}
	k.refreshLocked(data) // nobody else knows it yet
	k.link = &link{StreamableServerTransport: k.transport, closed: func() { s.forget(k) }}
	if s.store != nil {
		k.link.mark = newMark()
	}
	var err error
	k.server, err = s.s.sdk.Connect(ctx, k.link, &sdk.ServerSessionOptions{State: state})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending[user]--; s.pending[user] == 0 {
		delete(s.pending, user)
	}
	if err != nil {
		return nil, err
	}
	if other := s.open[id]; other != nil {
		go k.server.Close()
		s.beginLocked(other)
		return other, nil
	}
	k.idle = time.AfterFunc(s.timeout, func() { s.expire(k) })
	s.open[id] = k
	s.beginLocked(k)
	return k, nil
}

// find is the user's session of that id, in which a request begins that
// must be ended; nil if there is none. One that another server opened is
// connected here.
func (s *sessions) find(ctx context.Context, id, user string) (*session, error) {
	if len(id) > maxSessionID {
		return nil, nil
	}
	var data []byte
	if s.store != nil {
		var err error
		if data, err = s.store.UseSession(ctx, id, user, s.timeout); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	k := s.open[id]
	switch {
	case k != nil && k.user != user:
		s.mu.Unlock()
		return nil, nil
	case k != nil && s.store != nil && data == nil: // it was ended elsewhere
		s.endLocked(k)
		s.mu.Unlock()
		return nil, nil
	case k != nil:
		if s.store != nil {
			k.refreshLocked(data)
		}
		s.beginLocked(k)
		s.mu.Unlock()
		return k, nil
	}
	s.mu.Unlock()
	if data == nil {
		return nil, nil
	}
	var state stored
	if err := json.Unmarshal(data, &state); err != nil { // its client begins anew
		s.s.opts.Logger.WarnContext(ctx, "what is kept of a session cannot be read, so it ends", "error", err)
		return nil, s.store.EndSession(ctx, id, user)
	}
	if err := s.admit(user); err != nil {
		return nil, err
	}
	return s.connect(ctx, id, user, data, &state.ServerSessionState)
}

func (s *sessions) beginLocked(k *session) {
	k.used = time.Now()
	k.running++
	k.idle.Stop()
}

// end must be called when a request of the session ends.
func (s *sessions) end(k *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.running--; k.running == 0 && s.open[k.id] == k {
		k.used = time.Now()
		k.idle.Reset(s.timeout)
	}
}

// expire ends a session that nobody used for long, here: others may use it.
func (s *sessions) expire(k *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.running == 0 {
		s.endLocked(k)
	}
}

// endLocked ends a session, which waits for what runs there.
func (s *sessions) endLocked(k *session) {
	if s.open[k.id] == k {
		delete(s.open, k.id)
		k.idle.Stop()
		go k.server.Close()
	}
}

// forget forgets a session that ended.
func (s *sessions) forget(k *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[k.id] == k {
		delete(s.open, k.id)
		k.idle.Stop()
	}
}
