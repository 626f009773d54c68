package server

import (
	"context"
	"crypto/rand"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	// modernVersion is the first revision without sessions.
	modernVersion = "2026-07-28"
	// maxSessionID bounds what is looked at as the id of a session.
	maxSessionID = 64
)

const (
	mediaJSON   = "application/json"
	mediaEvents = "text/event-stream"
)

// modernHandler serves revisions without sessions, with Options.Stateless all.
func (s *Server) modernHandler() http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: s.opts.MaxBody,
		DisableLocalhostProtection: true, // guard looks at hosts
	})
}

// dual serves both eras at one path.
func (s *Server) dual(w http.ResponseWriter, r *http.Request) {
	if s.opts.Stateless || r.Header.Get(versionHeader) >= modernVersion {
		s.modern.ServeHTTP(w, r)
		return
	}
	s.sessions.ServeHTTP(w, r)
}

// userOf is whom sessions of the request's caller are bound to.
func userOf(ctx context.Context) string {
	if info := auth.TokenInfoFromContext(ctx); info != nil {
		return info.UserID
	}
	return ""
}

// ServeHTTP serves the revisions with sessions. The SDK's handler for them keeps
// sessions to itself, so that no other server could go on with one.
func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	version, known := r.Header.Get(versionHeader), sdk.SupportedProtocolVersions()
	id := r.Header.Get(sessionHeader)
	events, both := accepts(r.Header, mediaEvents), accepts(r.Header, mediaEvents) && accepts(r.Header, mediaJSON)
	refuse := func(status int, detail string) { s.s.turn(w, "protocol", status, detail) }
	switch {
	case version != "" && !slices.Contains(known, version):
		refuse(http.StatusBadRequest, "this revision of the protocol is not supported; these are: "+strings.Join(known, ", "))
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodDelete}, r.Method):
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(http.StatusMethodNotAllowed, "send messages with POST, open the stream with GET, end the session with DELETE")
	case r.Method == http.MethodPost && !isJSON(r.Header):
		refuse(http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
	case r.Method == http.MethodPost && !both:
		refuse(http.StatusBadRequest, "the header Accept must name both application/json and text/event-stream")
	case r.Method == http.MethodGet && !events:
		refuse(http.StatusBadRequest, "the header Accept must name text/event-stream")
	case id == "" && r.Method != http.MethodPost:
		refuse(http.StatusBadRequest, "the header Mcp-Session-Id must name a session; begin one with initialize")
	case id == "":
		s.begin(w, r)
	default:
		s.message(w, r, id)
	}
}

// begin opens a session, for as long as the request runs unless it was
// initialize.
func (s *sessions) begin(w http.ResponseWriter, r *http.Request) {
	user, id, kept := userOf(r.Context()), rand.Text(), false
	if s.store != nil { // clients and balancers see by the status that there is no room
		if err := s.reserve(r.Context(), id, user, nil); err != nil {
			s.unavailable(w, r, err)
			return
		}
		defer func() {
			if kept {
				return
			}
			if err := s.store.EndSession(context.WithoutCancel(r.Context()), id, user); err != nil {
				s.s.opts.Logger.WarnContext(r.Context(), "a session that did not begin could not be ended", "error", err)
			}
		}()
	}
	if err := s.admit(user); err != nil {
		s.unavailable(w, r, err)
		return
	}
	k, err := s.connect(r.Context(), id, user, nil, nil)
	if err != nil {
		s.unavailable(w, r, err)
		return
	}
	defer func() {
		s.end(k)
		s.mu.Lock()
		defer s.mu.Unlock()
		if kept = k.kept; k.server.InitializeParams() == nil || s.store != nil && !kept {
			s.endLocked(k)
		}
	}()
	k.transport.ServeHTTP(w, r)
}

// message serves a request in a session. That there is no such session and that
// it is somebody else's look the same.
func (s *sessions) message(w http.ResponseWriter, r *http.Request, id string) {
	k, err := s.find(r.Context(), id, userOf(r.Context()))
	switch {
	case err != nil:
		s.unavailable(w, r, err)
		return
	case k == nil:
		s.s.turn(w, "session", http.StatusNotFound, "there is no such session; begin one with initialize")
		return
	}
	switch r.Method {
	case http.MethodGet:
		s.end(k) // an open stream alone does not keep a session
		k.transport.ServeHTTP(w, r)
	case http.MethodDelete:
		defer s.end(k)
		s.close(w, r, k)
	default:
		defer s.end(k)
		if s.store == nil || s.pass(w, r, k) {
			k.transport.ServeHTTP(w, r)
		}
	}
}

// close ends a session for all servers.
func (s *sessions) close(w http.ResponseWriter, r *http.Request, k *session) {
	if s.store != nil {
		if err := s.store.EndSession(r.Context(), k.id, k.user); err != nil {
			s.unavailable(w, r, err)
			return
		}
		s.tellEnded(r.Context(), k.user, k.id)
	}
	_ = k.server.Close() // it is gone either way
	w.WriteHeader(http.StatusNoContent)
}

func (s *sessions) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	var limit *full
	if errors.As(err, &limit) {
		status := http.StatusServiceUnavailable
		if limit.limit == limitUser {
			status = http.StatusTooManyRequests
		}
		w.Header().Set("Retry-After", "30")
		s.s.turn(w, "sessions", status, err.Error())
		return
	}
	s.s.opts.Logger.WarnContext(r.Context(), "a session could not be used", "error", err)
	w.Header().Set("Retry-After", "5")
	s.s.turn(w, "store", http.StatusServiceUnavailable, "sessions cannot be used just now; try again")
}

func isJSON(h http.Header) bool {
	mediaType, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && mediaType == mediaJSON
}

// accepts reports whether a client takes responses of the media type.
func accepts(h http.Header, mediaType string) bool {
	group, _, _ := strings.Cut(mediaType, "/")
	for _, list := range h.Values("Accept") {
		for item := range strings.SplitSeq(list, ",") {
			base, _, _ := strings.Cut(item, ";")
			switch strings.ToLower(strings.TrimSpace(base)) {
			case mediaType, group + "/*", "*/*":
				return true
			}
		}
	}
	return false
}
