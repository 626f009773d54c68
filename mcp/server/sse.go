package server

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/mcp"
)

// sseSessions are the connections of /mcp/sse. The SDK's own handler lets
// whoever knows a session's id act as its owner; here each belongs to the user
// who opened it.
type sseSessions struct {
	s         *Server
	most, per int

	mu    sync.Mutex // guards what follows
	open  map[string]*sseSession
	users map[string]int
}

type sseSession struct {
	transport *sdk.SSEServerTransport
	identity  *sseIdentity
	selection *mcp.Selection // of the request that opened it
	user      string         // see binding
}

func newSSESessions(s *Server, most, per int) *sseSessions {
	return &sseSessions{s: s, most: most, per: per, open: map[string]*sseSession{}, users: map[string]int{}}
}

// ServeHTTP opens a connection with GET and takes messages for one with POST.
func (h *sseSessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	caller := h.s.opts.LocalCaller()
	user := ""
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		user = info.UserID
		caller, _ = callerOf(info)
	}
	caller.Selection = selectionIn(r.Header)
	switch r.Method {
	case http.MethodGet:
		h.connect(w, r, user, caller)
	case http.MethodPost:
		h.message(w, r, user, caller)
	default:
		w.Header().Set("Allow", "GET, POST")
		httpserver.Problem(w, http.StatusMethodNotAllowed, "open the stream with GET, send messages with POST")
	}
}

// message takes a message in. That there is no such session and that it is
// somebody else's look the same.
func (h *sseSessions) message(w http.ResponseWriter, r *http.Request, user string, caller mcp.Caller) {
	if !isJSON(r.Header) {
		httpserver.Problem(w, http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
		return
	}
	h.mu.Lock()
	session := h.open[r.URL.Query().Get("sessionid")]
	h.mu.Unlock()
	if session == nil || session.user != user {
		httpserver.Problem(w, http.StatusNotFound, "there is no such session; open the stream with GET first")
		return
	}
	if caller.Selection == nil { // the address of messages is the server's: what the connection selected
		caller.Selection = session.selection
	}
	session.identity.caller.Store(&caller) // with a token that may be newer
	session.transport.ServeHTTP(w, r)
}

func (h *sseSessions) connect(w http.ResponseWriter, r *http.Request, user string, caller mcp.Caller) {
	id := rand.Text()
	path := r.URL.Path
	if u, err := url.Parse(h.s.opts.URL); err == nil && h.s.opts.URL != "" {
		path = u.Path + path // a proxy may take it off
	}
	identity := &sseIdentity{session: id}
	identity.caller.Store(&caller)
	session := &sseSession{user: user, identity: identity, selection: caller.Selection, transport: &sdk.SSEServerTransport{
		Endpoint: path + "?sessionid=" + id, Response: w, MaxRequestBodyBytes: h.s.opts.MaxBody,
	}}
	if limit := h.add(id, session); limit != "" {
		h.s.opts.Metrics.limited.Add(1, limit, "refused")
		w.Header().Set("Retry-After", "30")
		h.s.turn(w, "sessions", http.StatusServiceUnavailable, "there are as many connections as there may be; end some, try again later, or ask the operator of the server for more")
		return
	}
	defer h.remove(id, session)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	// Requests that run when the client goes are cancelled with the context,
	// those that run when the server ends are waited for.
	ctx := context.WithValue(context.WithoutCancel(r.Context()), sseKey{}, identity)
	ctx, cancel := context.WithCancel(context.WithValue(ctx, switchedKey{}, &switched{}))
	defer cancel()
	ss, err := h.s.sdk.Connect(ctx, session.transport, nil)
	if err != nil {
		h.s.opts.Logger.DebugContext(ctx, "a connection could not be opened", "error", err)
		return // the client is gone
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = ss.Wait() // how it ended is the client's affair
	}()
	select {
	case <-r.Context().Done():
		cancel()
	case <-closed:
	}
	_ = ss.Close()
	<-closed
}

// add counts a connection, unless a limit is reached, which it returns.
func (h *sseSessions) add(id string, s *sseSession) (limit string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.users[s.user] >= h.per:
		return limitUser
	case len(h.open) >= h.most:
		return limitServer
	}
	h.open[id] = s
	h.users[s.user]++
	return ""
}

func (h *sseSessions) remove(id string, s *sseSession) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, id)
	if h.users[s.user]--; h.users[s.user] <= 0 {
		delete(h.users, s.user)
	}
}
