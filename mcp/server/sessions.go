package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// errFull means that there are as many sessions as there may be.
var errFull = errors.New("the server has as many sessions as it may have; try again later")

// sessions are those of streamable HTTP. With a store any server that shares it
// serves them: what is in memory is a copy, which is made from the store when a
// request needs it and can be dropped at any time.
type sessions struct {
	s         *Server
	most, per int
	timeout   time.Duration
	store     SessionStore // nil: sessions end with this server
	self      string       // this server among those that share the store

	mu      sync.Mutex // guards what follows
	open    map[string]*session
	pending int // being opened
}

// session is one that this server can serve.
type session struct {
	id, user  string // user: see binding
	transport *sdk.StreamableServerTransport
	link      *link
	server    *sdk.ServerSession

	// Guarded by sessions.mu.
	used    time.Time
	running int         // requests
	kept    bool        // in the store
	idle    *time.Timer // ends it
}

func newSessions(s *Server) *sessions {
	all := &sessions{
		s: s, most: s.opts.MaxSessions, per: s.opts.MaxUserSessions, timeout: s.opts.SessionTimeout,
		self: newMark(), open: map[string]*session{},
	}
	if !s.opts.Stateless {
		all.store = s.opts.Sessions
	}
	return all
}

// admit makes room for one more session of the user, for which connect must be
// called.
func (s *sessions) admit(user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil { // else the store counts them, see keep
		// A client that opens sessions without ending them loses its oldest.
		if own := s.idlestLocked(func(k *session) bool { return k.user == user }); len(own) >= s.per {
			s.endLocked(own[0])
		}
	} else if len(s.open)+s.pending >= s.most {
		// One that nothing runs in is made again from the store.
		if copies := s.idlestLocked(func(k *session) bool { return k.running == 0 }); len(copies) > 0 {
			s.endLocked(copies[0])
		}
	}
	if len(s.open)+s.pending >= s.most {
		return errFull
	}
	s.pending++
	return nil
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
func (s *sessions) connect(ctx context.Context, id, user string, state *sdk.ServerSessionState) (*session, error) {
	k := &session{id: id, user: user, kept: state != nil, transport: &sdk.StreamableServerTransport{SessionID: id}}
	k.link = &link{StreamableServerTransport: k.transport, closed: func() { s.forget(k) }}
	if s.store != nil {
		k.link.mark = newMark()
	}
	var err error
	k.server, err = s.s.sdk.Connect(ctx, k.link, &sdk.ServerSessionOptions{State: state})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
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
		s.beginLocked(k)
		s.mu.Unlock()
		return k, nil
	}
	s.mu.Unlock()
	if data == nil {
		return nil, nil
	}
	var state sdk.ServerSessionState
	if err := json.Unmarshal(data, &state); err != nil {
		return nil, fmt.Errorf("reading what is kept of a session: %w", err)
	}
	if err := s.admit(user); err != nil {
		return nil, err
	}
	return s.connect(ctx, id, user, &state)
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
