package toolserver

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

const (
	// ownLoginTime is how long a program waits at its start to learn who it is.
	ownLoginTime = 10 * time.Second
	// ownLoginPause is between two attempts to learn it later.
	ownLoginPause = 5 * time.Second
	// probeTime is how long a command waits for an AI API. A server waits for
	// serverProbeTime: it goes on looking for one that comes up slowly, and tells its
	// clients.
	probeTime       = 10 * time.Second
	serverProbeTime = 2 * time.Second
)

// ownCaller is the caller where clients are not authenticated: the user of the
// program's own login, once that is known.
type ownCaller struct {
	login tokens.Source // nil: nobody is logged in
	log   *slog.Logger
	named bool // call them by their ids, for an audit that has only those

	learned chan struct{} // closed when it is known who is logged in

	mu     sync.Mutex // guards what follows
	known  mcp.Caller
	claims tokens.Claims // of the login; Complete once known
	asking bool
	asked  time.Time
}

// caller is the user that calls, as far as is known. Where it is not, that is found out
// meanwhile.
func (o *ownCaller) caller() mcp.Caller {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.known.Known && o.login != nil && !o.asking && !o.asked.IsZero() && time.Since(o.asked) > ownLoginPause {
		o.asking = true
		go func() { // ends with the time it has
			ctx, cancel := context.WithTimeout(context.Background(), ownLoginTime)
			defer cancel()
			if err := o.learn(ctx); err != nil {
				o.log.Debug("the login of this program does not tell user and role", "error", err)
			}
		}()
	}
	return o.known
}

// loggedIn is what the token of the program's own login names, as far as is known.
func (o *ownCaller) loggedIn() tokens.Claims {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.claims
}

// learn requests a token and reads who its user is.
func (o *ownCaller) learn(ctx context.Context) error {
	if o.login == nil {
		return nil
	}
	token, err := o.login.Token(ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asking, o.asked = false, time.Now()
	if err != nil {
		return err
	}
	claims, err := tokens.UnverifiedClaims(token) // it is our own
	if err != nil || !claims.Complete {
		return fmt.Errorf("the token of this program does not name tenant, user, role and organization: %w", err)
	}
	o.claims = claims
	k := &o.known
	if !k.Known {
		close(o.learned)
	}
	k.Known, k.ClientID, k.UserID, k.RoleID, k.OrgID = true, claims.ClientID, claims.UserID, claims.RoleID, claims.OrgID
	if o.named {
		k.ID = fmt.Sprintf("%d/%d", claims.ClientID, claims.UserID)
	}
	return nil
}

// meet finds out what the tools have to work with: who is logged in, and whether
// there is an AI API, for which it waits so long. The error is that of the login.
func (b *toolbox) meet(ctx context.Context, patience time.Duration) error {
	var looking sync.WaitGroup
	defer looking.Wait()
	if b.ai != nil {
		looking.Go(func() {
			probe, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			b.ai.Probe(probe)
		})
	}
	login, cancel := context.WithTimeout(ctx, ownLoginTime)
	defer cancel()
	return b.own.learn(login)
}
