package server

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/mcp"
)

// switched are the tool sets that a session switched on beside its default.
type switched struct {
	alone    bool       // there is no other client
	changing sync.Mutex // held while one is switched on
	sets     atomic.Pointer[[]string]
}

// switchedKey is where the context of a connection that lasts carries them: one of
// standard input and output, and of /mcp/sse.
type switchedKey struct{}

func (w *switched) names() []string {
	if sets := w.sets.Load(); sets != nil {
		return *sets
	}
	return nil
}

// switchedOf returns what the session of a request switched on; nil: it has no session.
func (s *Server) switchedOf(ctx context.Context, ss *sdk.ServerSession) *switched {
	if w, ok := ctx.Value(switchedKey{}).(*switched); ok {
		return w
	}
	if k := s.sessions.of(ss); k != nil {
		return &k.switched
	}
	return nil
}

// offering adds to a caller's selection what the session switched on.
func offering(c mcp.Caller, w *switched) mcp.Caller {
	if w == nil || len(w.names()) == 0 {
		return c
	}
	selection := mcp.Selection{}
	if c.Selection != nil {
		selection = *c.Selection
	}
	selection.Switched = w.names()
	c.Selection = &selection
	return c
}

// allows reports whether the caller may have a tool, whatever is selected.
func (s *Server) allows(c mcp.Caller) func(tool string) bool {
	every := mcp.Selection{Toolsets: []string{mcp.AllSets}}
	if c.Selection != nil {
		every.ReadOnly = c.Selection.ReadOnly
	}
	c.Selection = &every
	return s.offers(c)
}

// switchOn returns the function by which a call switches on a tool set for its session.
// It adds nothing to what the operator allows, which the boundary checks whatever is
// selected.
func (s *Server) switchOn(c mcp.Caller, req *sdk.CallToolRequest) func(ctx context.Context, set string) error {
	return func(ctx context.Context, set string) error {
		if err := s.opts.Catalog.Tools.CheckSets([]string{set}); err != nil {
			return err
		}
		const how = "its user selects tool sets with the header X-MCP-Toolsets, or ?toolsets= at the end of the address"
		if _, byDefault := s.opts.Boundary.Selects(c); !byDefault {
			return &mcp.Error{Code: mcp.CodePermissionDenied, Message: "this client's tool sets are chosen already, so none can be switched on", Hint: how}
		}
		w := s.switchedOf(ctx, req.Session)
		if w == nil {
			return &mcp.Error{Code: mcp.CodeUnsupported, Message: "this client has no session, so no tool set can be switched on", Hint: how}
		}
		w.changing.Lock()
		defer w.changing.Unlock()
		sets := w.names()
		if slices.Contains(sets, set) {
			return nil
		}
		sets = append(slices.Clip(sets), set)
		if err := s.sessions.keepSets(ctx, req.Session, sets); err != nil {
			return err
		}
		w.sets.Store(&sets)
		s.tellChanged(ctx, w, req.Session)
		return nil
	}
}

const toolsChanged = "notifications/tools/list_changed"

// tellChanged tells one client that its list of tools has changed. It goes with the
// response to the client's call, so that no other stream is needed.
func (s *Server) tellChanged(ctx context.Context, w *switched, ss *sdk.ServerSession) {
	if w.alone { // the SDK knows whether it listens
		s.ToolsChanged()
		return
	}
	// The client may be gone; the call finds out by itself.
	_, _ = s.send(ctx, toolsChanged, &sdk.ServerRequest[*sdk.ToolListChangedParams]{Session: ss, Params: &sdk.ToolListChangedParams{}})
}

// stored is what is kept of a session for other servers.
type stored struct {
	sdk.ServerSessionState
	Toolsets []string `json:"toolsets,omitempty"` // switched on
}

// of is the session of the SDK's; nil: it is not one that lasts.
func (s *sessions) of(ss *sdk.ServerSession) *session {
	if ss == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.open[ss.ID()]; k != nil && k.server == ss {
		return k
	}
	return nil
}

// keepSets has other servers know what a session switched on.
func (s *sessions) keepSets(ctx context.Context, ss *sdk.ServerSession, sets []string) error {
	k := s.of(ss)
	if s.store == nil || k == nil {
		return nil
	}
	s.mu.Lock()
	data := k.data
	s.mu.Unlock()
	var state stored
	if err := json.Unmarshal(data, &state); err != nil {
		return err
	}
	state.Toolsets = sets
	data, err := json.Marshal(&state)
	if err != nil {
		return err
	}
	if err := s.reserve(ctx, k.id, k.user, data); err != nil {
		return err
	}
	s.mu.Lock()
	k.data = data
	s.mu.Unlock()
	return nil
}

// refreshLocked takes over what another server kept of a session. What cannot be read
// changes nothing: the session goes on here.
func (k *session) refreshLocked(data []byte) {
	if string(k.data) == string(data) {
		return
	}
	var state stored
	if json.Unmarshal(data, &state) == nil {
		k.data = data
		k.switched.sets.Store(&state.Toolsets)
	}
}
