package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// SessionStore keeps the sessions of several servers, so that each of them can
// serve all, and carries messages among the servers. Its methods are safe for
// concurrent use and each is one indivisible step.
type SessionStore interface {
	// OpenSession keeps data as a session of owner until it was not used for as
	// long as life. Where owner has more than most sessions then, those not used for
	// longest end, and their ids are returned; where they were used within idle, none
	// ends and the session is not opened. One that is there is kept anew.
	OpenSession(ctx context.Context, id, owner string, data []byte, life time.Duration, most int, idle time.Duration) (opened bool, ended []string, err error)
	// UseSession returns what is kept of a session, which counts as a use; nil when owner
	// has no such session.
	UseSession(ctx context.Context, id, owner string, life time.Duration) ([]byte, error)
	// EndSession ends a session of owner, if there is one.
	EndSession(ctx context.Context, id, owner string) error
	// Publish sends a message to all servers.
	Publish(ctx context.Context, message []byte) error
	// Receive calls f with every message, those of this server included, one at a
	// time, until ctx ends; wait returns when it is not called any more. It returns
	// when messages are received, or cannot be just now: it goes on trying. Messages
	// sent meanwhile are lost.
	Receive(ctx context.Context, f func(message []byte)) (wait func())
}

const (
	// maxSessionData bounds what is kept of a session, in bytes.
	maxSessionData = 16 << 10
	// maxPassed bounds a message that is passed on to other servers, in bytes.
	maxPassed = 64 << 10
)

const cancelledMethod = "notifications/cancelled"

// keep has other servers know a session that was initialized.
func (s *sessions) keep(ctx context.Context, ss *sdk.ServerSession, version string) error {
	k := s.of(ss)
	if s.store == nil || k == nil {
		return nil
	}
	params := *ss.InitializeParams()
	params.Meta = nil
	data, err := json.Marshal(&stored{ServerSessionState: sdk.ServerSessionState{InitializeParams: &params, NegotiatedProtocolVersion: version}})
	if err != nil {
		return err
	}
	if len(data) > maxSessionData {
		return invalidParams("what the client says about itself is too long; shorten clientInfo and capabilities")
	}
	if err := s.reserve(ctx, k.id, k.user, data); err != nil {
		s.s.opts.Logger.WarnContext(ctx, "a session could not be kept", "error", err)
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "sessions cannot be opened just now; try again"}
	}
	s.mu.Lock()
	k.kept, k.data = true, data
	s.mu.Unlock()
	return nil
}

// reserve keeps a session in the store, for which only others end that nobody used
// for some time.
func (s *sessions) reserve(ctx context.Context, id, user string, data []byte) error {
	opened, ended, err := s.store.OpenSession(ctx, id, user, data, s.timeout, s.per, s.idle)
	if err != nil {
		return err
	}
	if !opened {
		return s.refused(&full{limitUser, s.per, s.idle})
	}
	for _, id := range ended {
		s.drop(user, id)
		s.tellEnded(ctx, user, id)
	}
	if len(ended) > 0 {
		s.s.opts.Metrics.limited.Add(float64(len(ended)), limitUser, "ended")
	}
	return nil
}

// drop ends a session here.
func (s *sessions) drop(user, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.open[id]; k != nil && k.user == user {
		s.endLocked(k)
	}
}

// passed is what servers that share a store tell each other.
type passed struct {
	From    string          `json:"from"`
	Session string          `json:"session"`
	User    string          `json:"user"`
	Ended   bool            `json:"ended,omitempty"`
	Message json.RawMessage `json:"message,omitempty"` // of the client
}

// tellEnded has all servers drop a session. One that does not hear of it drops it
// when it is not used.
func (s *sessions) tellEnded(ctx context.Context, user, id string) {
	if err := s.publish(ctx, passed{Session: id, User: user, Ended: true}); err != nil {
		s.s.opts.Logger.WarnContext(ctx, "other servers were not told that a session ended", "error", err)
	}
}

func (s *sessions) publish(ctx context.Context, p passed) error {
	p.From = s.self
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return s.store.Publish(ctx, body)
}

// pass gives the other servers what may be for one of them: responses to
// questions that are not this server's, and cancellations. It reports whether
// the request is to be served here, too.
func (s *sessions) pass(w http.ResponseWriter, r *http.Request, k *session) bool {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.s.turn(w, "body", http.StatusBadRequest, "the request cannot be read")
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	for _, raw := range messages(body) {
		if !k.elsewhere(raw) {
			continue
		}
		if len(raw) > maxPassed {
			s.s.turn(w, "size", http.StatusRequestEntityTooLarge, "the response to a question is too long")
			return false
		}
		if err := s.publish(r.Context(), passed{Session: k.id, User: k.user, Message: raw}); err != nil {
			s.unavailable(w, r, err)
			return false
		}
	}
	return true
}

// messages are those of a body, none if they cannot be read: the protocol says
// so.
func messages(body []byte) []json.RawMessage {
	if _, batch := batchSize(body); !batch {
		return []json.RawMessage{body}
	}
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) != nil {
		return nil
	}
	return batch
}

// elsewhere reports whether a message may be for another server.
func (k *session) elsewhere(raw json.RawMessage) bool {
	if !bytes.Contains(raw, []byte(`"result"`)) && !bytes.Contains(raw, []byte(`"error"`)) && !bytes.Contains(raw, []byte(cancelledMethod)) {
		return false // most are calls, and long ones at that
	}
	msg, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return false
	}
	switch m := msg.(type) {
	case *jsonrpc.Response:
		_, here := k.link.asked(m.ID)
		return !here && marked(m.ID)
	case *jsonrpc.Request:
		return m.Method == cancelledMethod
	}
	return false
}

// receive takes in what another server passed on.
func (s *sessions) receive(message []byte) {
	var p passed
	if err := json.Unmarshal(message, &p); err != nil || p.From == s.self {
		return
	}
	if p.Ended {
		s.drop(p.User, p.Session)
		return
	}
	s.mu.Lock()
	k := s.open[p.Session]
	s.mu.Unlock()
	if k == nil || k.user != p.User {
		return
	}
	r, err := http.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(p.Message))
	if err != nil {
		s.s.opts.Logger.Error("a message of another server cannot be used", "error", err)
		return
	}
	k.transport.ServeHTTP(unread{http.Header{}}, r)
}

// unread is where the response to a message that was passed on goes: the client
// has one.
type unread struct{ header http.Header }

func (u unread) Header() http.Header         { return u.header }
func (u unread) Write(b []byte) (int, error) { return len(b), nil }
func (u unread) WriteHeader(int)             {}

// share takes part in what servers that share a store do, until ctx ends; wait
// returns when that is over.
func (s *sessions) share(ctx context.Context) (wait func()) {
	if s.store == nil {
		return func() {}
	}
	received := s.store.Receive(ctx, s.receive)
	tended := make(chan struct{})
	go func() { defer close(tended); s.tend(ctx) }()
	return func() { received(); <-tended }
}

// tend keeps sessions whose requests take longer than a session lives unused, or may
// be idle.
func (s *sessions) tend(ctx context.Context) {
	tick := time.NewTicker(max(min(s.timeout, s.idle)/3, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		busy := s.idlestLocked(func(k *session) bool { return k.running > 0 && k.kept })
		s.mu.Unlock()
		for _, k := range busy {
			if _, err := s.store.UseSession(ctx, k.id, k.user, s.timeout); err != nil && !errors.Is(err, context.Canceled) {
				s.s.opts.Logger.WarnContext(ctx, "a session could not be kept", "error", err)
				break // the store does not respond
			}
		}
	}
}
