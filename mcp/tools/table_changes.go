package tools

import (
	"context"
	"fmt"
	"sync"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// mostSeen bounds how many callers are remembered.
const mostSeen = 1000

// changes remembers that the dictionary was changed, so that the next question
// of every caller has it read again, and only then.
type changes struct {
	mu   sync.Mutex
	last int            // changes so far
	seen map[string]int // last when the caller's dictionary was read again
}

// note says that something was changed, or may have been.
func (ch *changes) note() {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.last++
}

// due reports whether the caller's dictionary has to be read again, and counts
// it as done.
func (ch *changes) due(c mcp.Caller) bool {
	caller := fmt.Sprintf("%s %d/%d/%d/%d %s", c.ID, c.ClientID, c.UserID, c.RoleID, c.OrgID, c.Session)
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.last == ch.seen[caller] {
		return false
	}
	if ch.seen == nil || len(ch.seen) >= mostSeen {
		ch.seen = map[string]int{} // whoever is forgotten reads once more
	}
	ch.seen[caller] = ch.last
	return true
}

// refresh reads the caller's dictionary again when something was changed.
func (b *Toolbox) refresh(ctx context.Context, c *mcp.Call) {
	if !b.changes.due(c.Caller) {
		return
	}
	for _, k := range b.pool.Backends() {
		if r, ok := k.(backend.Refresher); ok {
			if err := r.Refresh(ctx, c.Caller); err != nil {
				b.changes.note() // another try at the next question
				c.Log.WarnContext(ctx, "the dictionary could not be read again", "backend", k.Name(), "err", err)
			}
		}
	}
}
