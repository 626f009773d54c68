package access

import (
	"math"
	"sync"
	"time"

	"github.com/erphub/erphub/tokens"
)

// maxBuckets bounds how many users' buckets are kept. Full buckets are
// forgotten first: a user nobody remembers has a full one.
const maxBuckets = 10_000

// Limiter gives each user so many requests a second, with some in reserve. It
// is safe for concurrent use.
type Limiter struct {
	rate  float64 // per second
	burst float64
	now   func() time.Time

	mu      sync.Mutex // guards buckets
	buckets map[UserKey]*bucket
}

type bucket struct {
	left float64
	at   time.Time // when left was right
}

// UserKey is a user as limits know them.
type UserKey struct{ Client, User int }

// KeyOf is the user of a token.
func KeyOf(c tokens.Claims) UserKey { return UserKey{c.ClientID, c.UserID} }

// NewLimiter gives every user perMinute requests a minute in the long run, and
// burst at once. Both are above zero.
func NewLimiter(perMinute, burst int, now func() time.Time) *Limiter {
	return &Limiter{rate: float64(perMinute) / 60, burst: float64(burst), now: now, buckets: map[UserKey]*bucket{}}
}

// Take takes one request of the user's. When there is none left it returns how
// long to wait for the next one.
func (l *Limiter) Take(who UserKey) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	b := l.buckets[who]
	if b == nil {
		if len(l.buckets) >= maxBuckets {
			l.forgetLocked(now)
		}
		b = &bucket{left: l.burst, at: now}
		l.buckets[who] = b
	}
	b.left = l.leftLocked(b, now)
	b.at = now
	if b.left < 1 {
		return time.Duration(math.Ceil((1-b.left)/l.rate*1000)) * time.Millisecond
	}
	b.left--
	return 0
}

func (l *Limiter) leftLocked(b *bucket, now time.Time) float64 {
	return min(l.burst, b.left+max(0, now.Sub(b.at).Seconds())*l.rate)
}

// forgetLocked makes room: first buckets that are full again, then whatever
// comes, because memory is bounded whoever calls.
func (l *Limiter) forgetLocked(now time.Time) {
	for who, b := range l.buckets {
		if l.leftLocked(b, now) >= l.burst {
			delete(l.buckets, who)
		}
	}
	for who := range l.buckets {
		if len(l.buckets) < maxBuckets*9/10 {
			return
		}
		delete(l.buckets, who)
	}
}
