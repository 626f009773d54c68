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

// due reports whether the caller's dictionary has to be read again. Call done
// when it was; until then every question of the caller waits for a reading.
func (ch *changes) due(caller string) (last int, due bool) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.last, ch.last != ch.seen[caller]
}

func (ch *changes) done(caller string, last int) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.seen == nil || len(ch.seen) >= mostSeen {
		ch.seen = map[string]int{} // whoever is forgotten reads once more
	}
	ch.seen[caller] = max(last, ch.seen[caller])
}

// refresh reads the caller's dictionary again when something was changed.
func (b *Toolbox) refresh(ctx context.Context, c *mcp.Call) {
	who := c.Caller
	caller := fmt.Sprintf("%s %d/%d/%d/%d %s", who.ID, who.ClientID, who.UserID, who.RoleID, who.OrgID, who.Session)
	last, due := b.changes.due(caller)
	if !due {
		return
	}
	for _, k := range b.pool.Backends() {
		if r, ok := k.(backend.Refresher); ok {
			if err := r.Refresh(ctx, who); err != nil {
				c.Log.WarnContext(ctx, "the dictionary could not be read again", "backend", k.Name(), "err", err)
				return // another try at the next question
			}
		}
	}
	b.changes.done(caller, last)
}
