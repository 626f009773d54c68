package board

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A listener that does not keep up is let go, others hear everything, and it
// gets what it missed when it is back.
func TestSlowListenersAreLetGo(t *testing.T) {
	t.Parallel()
	h := newHub(10)
	slow, first, err := h.listen("")
	require.NoError(t, err)
	quick, _, err := h.listen("")
	require.NoError(t, err)
	for i := range backlog + 10 {
		h.publish("run", i)
		e := <-quick.events
		assert.Equal(t, fmt.Sprint(i), string(e.data))
	}
	assert.Equal(t, 1, h.count())
	last := first.id
	for e := range slow.events { // what was there, then the end
		last = h.id(e.seq)
	}
	_, back, err := h.listen(last)
	require.NoError(t, err)
	assert.True(t, back.complete)
	require.Len(t, back.missed, 10)
	assert.Equal(t, fmt.Sprint(backlog), string(back.missed[0].data))
	h.leave(slow) // again, does no harm
	assert.Equal(t, 2, h.count())
}

// What is kept is bounded; who was away longer reads everything again.
func TestKeptEventsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHub(1)
	old := h.id(0)
	h.publish("run", 0)
	for i := range 10 * kept {
		h.publish("run", i)
	}
	assert.LessOrEqual(t, len(h.ring), 2*kept)
	_, complete := h.sinceLocked(old)
	assert.False(t, complete)
	missed, complete := h.sinceLocked(h.id(h.seq - kept + 1))
	assert.True(t, complete)
	assert.Len(t, missed, kept-1)
	for want := h.seq - kept + 2; len(missed) > 0; want++ {
		require.Equal(t, want, missed[0].seq)
		missed = missed[1:]
	}
	missed, complete = h.sinceLocked(h.id(h.seq))
	assert.True(t, complete)
	assert.Empty(t, missed)
}

func TestHubManyAtATime(t *testing.T) {
	t.Parallel()
	h := newHub(1000)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			l, _, err := h.listen("")
			if err != nil {
				return
			}
			for range i {
				<-l.events
			}
			h.leave(l)
		})
	}
	wg.Go(func() {
		for i := range 2000 {
			h.publish("run", i)
		}
		h.close()
	})
	wg.Wait()
	assert.Zero(t, h.count())
	_, _, err := h.listen("")
	assert.ErrorIs(t, err, errFull)
}
