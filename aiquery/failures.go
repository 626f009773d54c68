package aiquery

import (
	"fmt"
	"sync"
	"time"

	"github.com/erphub/erphub/aiquery/api"
)

// DefaultFailures is the number of statements of one user that may fail for a row within
// a minute.
const DefaultFailures = 30

// failureWindow is the time in which failures are counted together, whenever it
// begins.
const failureWindow = time.Minute

// failureBudget counts the statements of each user that failed for a row. Where a
// plan decides whether one does, each tells a little of what hidden rows make the
// planner think. It is of this process: each replica counts for itself.
type failureBudget struct {
	limit int

	mu    sync.Mutex // guards the fields below
	swept time.Time
	spent map[int][]time.Time // when, by AD_User_ID, the last limit of them
}

// sweepLocked forgets users whose failures are all over.
func (b *failureBudget) sweepLocked(now time.Time) {
	if now.Sub(b.swept) < failureWindow {
		return
	}
	b.swept = now
	for user, times := range b.spent {
		if now.Sub(times[len(times)-1]) >= failureWindow {
			delete(b.spent, user)
		}
	}
}

func (b *failureBudget) add(user int, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweepLocked(now)
	if b.spent == nil {
		b.spent = map[int][]time.Time{}
	}
	times := append(b.spent[user], now)
	b.spent[user] = times[max(len(times)-b.limit, 0):]
}

// exhausted is why a user's statements that can fail are refused, nil when they
// are not.
func (b *failureBudget) exhausted(user int, now time.Time) *api.Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	times := b.spent[user]
	if len(times) < b.limit {
		return nil
	}
	left := failureWindow - now.Sub(times[0])
	if left <= 0 {
		return nil
	}
	return &api.Error{
		Code: api.CodeRateLimited, Message: fmt.Sprintf("%d of this user's statements failed for a row within a minute", b.limit),
		Hint:       "wait, or write what cannot fail: nullif(value, 0) for a divisor, CASE around a conversion",
		RetryAfter: left,
	}
}
