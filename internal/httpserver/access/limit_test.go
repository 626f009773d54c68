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
	assert.Zero(t, l.Take(who))
	assert.Zero(t, l.Take(who))
	assert.Equal(t, time.Second, l.Take(who))
	assert.Equal(t, time.Second, l.Take(who), "asking in vain costs nothing")
	assert.Zero(t, l.Take(other))
	now = now.Add(500 * time.Millisecond)
	assert.Equal(t, 500*time.Millisecond, l.Take(who))
	now = now.Add(500 * time.Millisecond)
	assert.Zero(t, l.Take(who))
	now = now.Add(-time.Hour)
	assert.Positive(t, l.Take(who), "a clock set back gives nothing")
	for i := range 30_000 { // more than are remembered
		assert.Zero(t, l.Take(UserKey{Client: 12, User: i}))
	}
}
