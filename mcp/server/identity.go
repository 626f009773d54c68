package server

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// callerKey is where a TokenInfo carries the caller.
const callerKey = "erphub.caller"

// newCaller is whom a verified token stands for.
func newCaller(c tokens.Claims, token string) mcp.Caller {
	return mcp.Caller{
		ID: fmt.Sprintf("%d/%d", c.ClientID, c.UserID), Token: tokens.NewSecret(token), Known: true,
		UserID: c.UserID, ClientID: c.ClientID, RoleID: c.RoleID, OrgID: c.OrgID,
		// Where the protocol has no sessions, the ERP's stands in.
		Session: "erp:" + strconv.Itoa(c.SessionID),
	}
}

// binding is what a session is bound to. A token of the same user with another
// role or organization needs a session of its own.
func binding(c mcp.Caller) string {
	return fmt.Sprintf("%s/%d/%d", c.ID, c.RoleID, c.OrgID)
}

// tokenInfo is the caller in the form the SDK passes on.
func tokenInfo(caller mcp.Caller, expires time.Time) *auth.TokenInfo {
	return &auth.TokenInfo{UserID: binding(caller), Expiration: expires, Extra: map[string]any{callerKey: caller}}
}

func callerOf(info *auth.TokenInfo) (mcp.Caller, bool) {
	if info == nil {
		return mcp.Caller{}, false
	}
	c, ok := info.Extra[callerKey].(mcp.Caller)
	return c, ok
}

// sseKey is where the context of a connection of /mcp/sse carries who is
// connected: the SDK passes nothing on there.
type sseKey struct{}

// sseIdentity is who uses a connection of /mcp/sse, with the newest token they
// sent. It is always the same user, role and organization.
type sseIdentity struct {
	session string
	caller  atomic.Pointer[mcp.Caller]
}

// caller is who makes a request: whose token came with it, not whose opened
// the session.
func (s *Server) caller(ctx context.Context, ss *sdk.ServerSession, extra *sdk.RequestExtra, program *sdk.Implementation) mcp.Caller {
	c := s.opts.LocalCaller()
	if s.opts.authenticates() {
		c = mcp.Caller{ID: "unknown"} // cannot be: every way in was checked
	}
	session := ""
	if ss != nil {
		session = ss.ID()
	}
	if extra != nil {
		if known, ok := callerOf(extra.TokenInfo); ok {
			c = known
		}
		c.Selection = selectionIn(extra.Header)
	} else if id, ok := ctx.Value(sseKey{}).(*sseIdentity); ok {
		c, session = *id.caller.Load(), id.session
	}
	if session != "" {
		c.Session = session
	}
	if program != nil {
		c.Program = program.Name
		if program.Version != "" {
			c.Program += "/" + program.Version
		}
	}
	return offering(c, s.switchedOf(ctx, ss))
}
