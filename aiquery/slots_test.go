package aiquery

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waits begins to wait for a slot and returns when it is in the queue.
func waits(t *testing.T, ctx context.Context, s *slots, user int, got func(func(), error)) { //nolint:revive // as a test helper
	t.Helper()
	s.mu.Lock()
	before := len(s.waiting)
	s.mu.Unlock()
	go func() { got(s.acquire(ctx, user)) }()
	for {
		s.mu.Lock()
		n := len(s.waiting)
		s.mu.Unlock()
		if n > before {
			return
		}
		require.NoError(t, t.Context().Err())
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	must := func(t *testing.T, s *slots, user int) func() {
		t.Helper()
		release, err := s.acquire(t.Context(), user)
		require.NoError(t, err)
		return release
	}
	t.Run("one user waits while another runs", func(t *testing.T) {
		t.Parallel()
		s := newSlots(3, 2, 4)
		one, two := must(t, s, 1), must(t, s, 1)
		granted := make(chan func(), 1)
		waits(t, t.Context(), s, 1, func(release func(), err error) {
			assert.NoError(t, err)
			granted <- release
		})
		other := must(t, s, 2) // past the one that waits for its own limit
		other()
		one()
		one() // twice is once
		third := <-granted
		two()
		third()
		assert.Zero(t, s.active)
		assert.Empty(t, s.byUser)
	})
	t.Run("first come, first served", func(t *testing.T) {
		t.Parallel()
		s := newSlots(1, 1, 8)
		release := must(t, s, 1)
		order := make(chan int, 3)
		for user := 2; user <= 4; user++ {
			waits(t, t.Context(), s, user, func(release func(), err error) {
				assert.NoError(t, err)
				order <- user
				release()
			})
		}
		release()
		assert.Equal(t, []int{2, 3, 4}, []int{<-order, <-order, <-order})
	})
	t.Run("the queue is bounded, and no user fills it", func(t *testing.T) {
		t.Parallel()
		s := newSlots(1, 1, 4)
		release := must(t, s, 1)
		defer release()
		ctx, cancel := context.WithCancel(t.Context())
		var gone sync.WaitGroup
		queue := func(user int) {
			gone.Add(1)
			waits(t, ctx, s, user, func(_ func(), err error) {
				defer gone.Done()
				assert.ErrorIs(t, err, context.Canceled)
			})
		}
		busy := func(user int) {
			t.Helper()
			_, err := s.acquire(t.Context(), user)
			require.ErrorIs(t, err, errBusy)
		}
		queue(1)
		queue(1)
		busy(1)
		queue(2)
		queue(3)
		busy(4)
		cancel()
		gone.Wait()
		assert.Empty(t, s.waiting)
		assert.Equal(t, 1, s.active)
	})
	t.Run("never too many", func(t *testing.T) {
		t.Parallel()
		s := newSlots(4, 2, 1000)
		var running, served atomic.Int32
		var perUser [5]atomic.Int32
		var group sync.WaitGroup
		for i := range 400 {
			group.Go(func() {
				user := i % len(perUser)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if i%7 == 0 {
					go cancel() // at any moment
				}
				release, err := s.acquire(ctx, user)
				if err != nil {
					assert.ErrorIs(t, err, context.Canceled)
					return
				}
				assert.LessOrEqual(t, running.Add(1), int32(4))
				assert.LessOrEqual(t, perUser[user].Add(1), int32(2))
				served.Add(1)
				perUser[user].Add(-1)
				running.Add(-1)
				release()
			})
		}
		group.Wait()
		assert.GreaterOrEqual(t, served.Load(), int32(400-400/7-1))
		assert.Zero(t, s.active)
		assert.Empty(t, s.byUser)
		assert.Empty(t, s.waiting)
	})
}
