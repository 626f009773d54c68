package shell

import (
	"context"
	"sync"
	"time"

	"github.com/erphub/erphub/tokens"
)

const (
	// refreshWait is how long the end of the program waits for a token refresh
	// under way. Cut off, it would cost the stored login: the ERP may have
	// spent the refresh token, and the new one would be lost.
	refreshWait = 10 * time.Second
	// refreshNote is the wait after which the program says what it waits for.
	refreshNote = time.Second
)

// refreshes are the token managers of one run.
type refreshes struct {
	mu       sync.Mutex // guards managers
	managers []*tokens.Manager
}

// Keep has the end of the run wait for a refresh of the source.
func (sh *Shell) Keep(source tokens.Source) { sh.refreshes.keep(source) }

// keep remembers a manager, so that its refresh is waited for. Other sources
// refresh nothing.
func (r *refreshes) keep(source tokens.Source) {
	if m, ok := source.(*tokens.Manager); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.managers = append(r.managers, m)
	}
}

// counts adds up those of all managers.
func (r *refreshes) counts() (all tokens.Counts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.managers {
		n := m.Counts()
		all.Refreshes += n.Refreshes
		all.RefreshesFailed += n.RefreshesFailed
		all.Logins += n.Logins
		all.LoginsFailed += n.LoginsFailed
	}
	return all
}

// finish waits until no refresh is under way and lets no other begin.
func (r *refreshes) finish(note func(format string, args ...any)) {
	r.mu.Lock()
	managers := r.managers
	r.mu.Unlock()
	if closeAll(managers, refreshNote) {
		return
	}
	note("waiting up to %v for a token refresh to finish, so that the stored login is not lost", refreshWait)
	if !closeAll(managers, refreshWait-refreshNote) {
		note("the token refresh did not finish within %v; if the next command is not authenticated, log in with `erphub auth login`", refreshWait)
	}
}

func closeAll(managers []*tokens.Manager, wait time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), wait) // the run's own has ended
	defer cancel()
	all := true
	for _, m := range managers {
		all = m.Close(ctx) == nil && all
	}
	return all
}
