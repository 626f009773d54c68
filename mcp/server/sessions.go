package server

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// errFull means that there are as many sessions as there may be.
var errFull = errors.New("the server has as many sessions as it may have; try again later")

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	// modernVersion is the first revision without sessions.
	modernVersion = "2026-07-28"
)

// streamable makes the handlers of the two eras. The SDK takes the newer one
// only where there are no sessions.
func (s *Server) streamable() (modern, legacy http.Handler) {
	get := func(*http.Request) *sdk.Server { return s.sdk }
	modern = sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: s.opts.MaxBody,
		DisableLocalhostProtection: true, // guard looks at hosts
	})
	if s.opts.Stateless {
		return modern, modern
	}
	return modern, sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		SessionTimeout: s.opts.SessionTimeout, MaxRequestBodyBytes: s.opts.MaxBody, DisableLocalhostProtection: true,
	})
}

// dual serves both eras at one path.
func (s *Server) dual(w http.ResponseWriter, r *http.Request) {
	if s.opts.Stateless || r.Header.Get(versionHeader) >= modernVersion {
		s.modern.ServeHTTP(w, r)
		return
	}
	user := ""
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		user = info.UserID
	}
	if id := r.Header.Get(sessionHeader); id != "" {
		s.sessions.touch(id)
		s.legacy.ServeHTTP(w, r)
		return
	}
	if r.Method != http.MethodPost {
		s.legacy.ServeHTTP(w, r) // it refuses it
		return
	}
	done, err := s.sessions.admit(user)
	if err != nil {
		w.Header().Set("Retry-After", "30")
		s.turn(w, "sessions", http.StatusServiceUnavailable, err.Error())
		return
	}
	defer func() { done(w.Header().Get(sessionHeader)) }()
	s.legacy.ServeHTTP(w, r)
}

// sessions bounds the sessions of streamable HTTP. The SDK keeps them; here is
// whose they are and when they were used.
type sessions struct {
	server    *sdk.Server
	most, per int

	mu      sync.Mutex // guards what follows
	known   map[string]*session
	pending int // being opened
}

type session struct {
	user string
	used time.Time
}

func newSessions(server *sdk.Server, most, per int) *sessions {
	return &sessions{server: server, most: most, per: per, known: map[string]*session{}}
}

func (s *sessions) touch(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.known[id]; k != nil {
		k.used = time.Now()
	}
}

// admit makes room for one more session of the user. done must be called with
// the id of the new session, empty if there is none.
func (s *sessions) admit(user string) (done func(id string), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.ofLocked(user)
	if len(own) >= s.per || len(s.known)+s.pending >= s.most {
		s.forgetLocked()
		own = s.ofLocked(user)
	}
	if len(own) >= s.per {
		// A client that opens sessions without ending them loses its oldest.
		oldest := own[0]
		delete(s.known, oldest)
		go s.end(oldest) // it waits for what runs there
	}
	if len(s.known)+s.pending >= s.most {
		return nil, errFull
	}
	s.pending++
	return func(id string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pending--
		if id != "" {
			s.known[id] = &session{user, time.Now()}
		}
	}, nil
}

// ofLocked are the user's sessions, the one not used for longest first.
func (s *sessions) ofLocked(user string) []string {
	var own []string
	for id, k := range s.known {
		if k.user == user {
			own = append(own, id)
		}
	}
	slices.SortFunc(own, func(a, b string) int { return s.known[a].used.Compare(s.known[b].used) })
	return own
}

// forgetLocked forgets sessions that ended.
func (s *sessions) forgetLocked() {
	live := map[string]bool{}
	for ss := range s.server.Sessions() {
		live[ss.ID()] = true
	}
	for id := range s.known {
		if !live[id] {
			delete(s.known, id)
		}
	}
}

func (s *sessions) end(id string) {
	if ss := s.find(id); ss != nil {
		_ = ss.Close() // it is gone either way
	}
}

// find is the session of that id, nil if there is none.
func (s *sessions) find(id string) *sdk.ServerSession {
	for ss := range s.server.Sessions() {
		if ss.ID() == id {
			return ss
		}
	}
	return nil
}
