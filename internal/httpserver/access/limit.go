package access

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/erphub/erphub/tokens"
)

// maxLimiters bounds how many users' limiters are kept. Those that were not used
// for long are dropped first: a new one is the same.
const maxLimiters = 10_000

// Limiter limits the requests of each user. It is safe for concurrent use.
type Limiter struct {
	rate  rate.Limit
	burst int

	perMinute int
	name      string
	shared    Shared // nil: this process counts alone
	now       func() time.Time

	mu    sync.Mutex // guards users and the limiters in it
	users map[UserKey]*rate.Limiter
}

// UserKey is a user as limits know them.
type UserKey struct{ Client, User int }

// KeyOf is the user of a token.
func KeyOf(c tokens.Claims) UserKey { return UserKey{c.ClientID, c.UserID} }

// NewLimiter gives every user perMinute requests a minute in the long run, and
// burst at once. Both are above zero.
func NewLimiter(perMinute, burst int, now func() time.Time) *Limiter {
	return &Limiter{rate: rate.Limit(float64(perMinute) / 60), perMinute: perMinute, burst: burst, now: now, users: map[UserKey]*rate.Limiter{}}
}

// Shared counts requests for several servers together. It is safe for concurrent use.
type Shared interface {
	// Take takes one request under a key: perMinute in the long run, burst at once.
	// When no request is left it takes none and returns how long to wait.
	Take(ctx context.Context, key string, perMinute, burst int) (wait time.Duration, err error)
}

// Share counts for several servers under a name; nil changes nothing. It is called
// before the limiter is used.
func (l *Limiter) Share(name string, with Shared) { l.name, l.shared = name, with }

// Take takes one request of the user's. When no request is left it takes none
// and returns how long to wait for the next one. While the shared counts cannot be
// reached this process counts alone.
func (l *Limiter) Take(ctx context.Context, who UserKey) (wait time.Duration) {
	if l.shared != nil {
		wait, err := l.shared.Take(ctx, fmt.Sprintf("%s:%d/%d", l.name, who.Client, who.User), l.perMinute, l.burst)
		if err == nil {
			return wait
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	user := l.users[who]
	if user == nil {
		if len(l.users) >= maxLimiters {
			l.dropLocked(now)
		}
		user = rate.NewLimiter(l.rate, l.burst)
		l.users[who] = user
	}
	r := user.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		wait = (wait + time.Millisecond - 1).Truncate(time.Millisecond)
	}
	return wait
}

// dropLocked makes room: first limiters that have their whole burst again, then
// any, because memory is bounded whoever calls.
func (l *Limiter) dropLocked(now time.Time) {
	for who, user := range l.users {
		if user.TokensAt(now) >= float64(l.burst) {
			delete(l.users, who)
		}
	}
	for who := range l.users {
		if len(l.users) < maxLimiters*9/10 {
			return
		}
		delete(l.users, who)
	}
}
