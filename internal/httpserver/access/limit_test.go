package access

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	now := time.Now()
	l := NewLimiter(60, 2, func() time.Time { return now })
	who, other := UserKey{Client: 11, User: 1}, UserKey{Client: 11, User: 2}
	assert.Zero(t, l.Take(t.Context(), who))
	assert.Zero(t, l.Take(t.Context(), who))
	assert.Equal(t, time.Second, l.Take(t.Context(), who))
	assert.Equal(t, time.Second, l.Take(t.Context(), who), "a refused request costs nothing")
	assert.Zero(t, l.Take(t.Context(), other))
	now = now.Add(500 * time.Millisecond)
	assert.Equal(t, 500*time.Millisecond, l.Take(t.Context(), who))
	now = now.Add(500 * time.Millisecond)
	assert.Zero(t, l.Take(t.Context(), who))
	now = now.Add(-time.Hour)
	assert.Equal(t, time.Second, l.Take(t.Context(), who), "a clock set back gives nothing and locks nobody out")
	now = now.Add(time.Second)
	assert.Zero(t, l.Take(t.Context(), who))
}

// A user who waits as long as they are told is served.
func TestLimiterWaitIsEnough(t *testing.T) {
	t.Parallel()
	for _, perMinute := range []int{1, 7, 60, 240, 6000} {
		now := time.Unix(1_700_000_000, 0)
		l := NewLimiter(perMinute, 3, func() time.Time { return now })
		who := UserKey{User: 1}
		for range 500 {
			if wait := l.Take(t.Context(), who); wait > 0 {
				now = now.Add(wait)
				assert.Zero(t, l.Take(t.Context(), who), "%d a minute, after %v", perMinute, wait)
			}
		}
	}
}

// Users beyond those that are remembered are served, and those who wait for
// nothing are dropped before those who have used up their requests.
func TestLimiterForgets(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	l := NewLimiter(1, 1, func() time.Time { return now })
	for i := range maxLimiters - 1 {
		assert.Zero(t, l.Take(t.Context(), UserKey{Client: 12, User: i}))
	}
	now = now.Add(time.Minute)
	busy := UserKey{Client: 11, User: 1}
	assert.Zero(t, l.Take(t.Context(), busy))
	assert.Zero(t, l.Take(t.Context(), UserKey{Client: 11, User: 2}), "makes room")
	assert.Len(t, l.users, 2)
	assert.Positive(t, l.Take(t.Context(), busy), "who has used up their requests is not dropped")
	for i := range 3 * maxLimiters {
		assert.Zero(t, l.Take(t.Context(), UserKey{Client: 13, User: i}))
		assert.LessOrEqual(t, len(l.users), maxLimiters)
	}
}
