package aiquery

import (
	"fmt"
	"sync"
	"time"

	"github.com/erphub/erphub/aiquery/api"
)

// DefaultFailures is how many statements of one user may fail for a row within
// a minute.
const DefaultFailures = 30

// failureBudget counts the statements of each user that failed for a row. Where a
// plan decides whether one does, each tells a little of what hidden rows make the
// planner think. It is of this process: each replica counts for itself.
type failureBudget struct {
	limit int

	mu     sync.Mutex // guards the fields below
	minute time.Time
	spent  map[int]int // by AD_User_ID
}

// turnLocked begins a new minute.
func (b *failureBudget) turnLocked(now time.Time) {
	if minute := now.Truncate(time.Minute); !minute.Equal(b.minute) {
		b.minute, b.spent = minute, map[int]int{}
	}
}

func (b *failureBudget) add(user int, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turnLocked(now)
	b.spent[user]++
}

// exhausted is why a user's statements that can fail are refused, nil when they
// are not.
func (b *failureBudget) exhausted(user int, now time.Time) *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turnLocked(now)
	if b.spent[user] < b.limit {
		return nil
	}
	return &Error{
		Code: api.CodeRateLimited, Message: fmt.Sprintf("%d of this user's statements failed for a row within a minute", b.limit),
		Hint:       "wait for the next minute, or write what cannot fail: nullif(value, 0) for a divisor, CASE around a conversion",
		RetryAfter: b.minute.Add(time.Minute).Sub(now),
	}
}
