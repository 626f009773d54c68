package board

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A listener that does not keep up is let go, others get everything, and it
// gets what it missed when it is back.
func TestSlowListenersAreLetGo(t *testing.T) {
	t.Parallel()
	h := newHub(10)
	slow, first, err := h.listen("", "a")
	require.NoError(t, err)
	quick, _, err := h.listen("", "a")
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
	_, back, err := h.listen(last, "a")
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
			l, _, err := h.listen("", "a")
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
	_, _, err := h.listen("", "a")
	assert.ErrorIs(t, err, errFull)
}

// One address that holds all slots makes room for others, for as long as it has
// more than they.
func TestNoAddressKeepsOthersOut(t *testing.T) {
	t.Parallel()
	h := newHub(5)
	var greedy []*listener
	for range 5 {
		l, _, err := h.listen("", "10.0.0.1")
		require.NoError(t, err)
		greedy = append(greedy, l)
	}
	_, _, err := h.listen("", "10.0.0.1")
	require.ErrorIs(t, err, errFull, "it has its share and more")
	for i := range 2 {
		_, _, err := h.listen("", "10.0.0.2")
		require.NoError(t, err)
		_, open := <-greedy[4-i].events
		assert.False(t, open, "the newest makes room")
	}
	_, _, err = h.listen("", "10.0.0.2")
	require.ErrorIs(t, err, errFull, "it would have as many")
	_, _, err = h.listen("", "10.0.0.1")
	require.ErrorIs(t, err, errFull)
	_, _, err = h.listen("", "10.0.0.3")
	require.NoError(t, err)
	assert.Equal(t, 5, h.count())

	for remote, want := range map[string]string{
		"10.0.0.1:80": "10.0.0.1", "[::ffff:10.0.0.1]:80": "10.0.0.1", "[2001:db8:1:2:3::4]:80": "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::]:9": "2001:db8:1:2::/64", "[fe80::1%eth0]:80": "fe80::/64", "pipe": "pipe",
	} {
		assert.Equal(t, want, network(remote))
	}
}
