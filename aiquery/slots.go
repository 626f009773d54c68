package aiquery

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// errBusy is a queue that is full.
var errBusy = errors.New("too many statements at a time")

// slots bounds how many statements run at a time, in all and of one user, and
// how many wait.
type slots struct {
	running, perUser, queued int

	mu      sync.Mutex // guards the fields below
	active  int
	byUser  map[int]int
	waiting []*waiter
}

type waiter struct {
	user  int
	ready chan struct{} // closed when the slot is the waiter's
}

func newSlots(running, perUser, queued int) *slots {
	return &slots{running: running, perUser: perUser, queued: queued, byUser: map[int]int{}}
}

// acquire waits for a slot and returns what gives it back.
func (s *slots) acquire(ctx context.Context, user int) (release func(), err error) {
	s.mu.Lock()
	if s.freeLocked(user) {
		s.takeLocked(user)
		s.mu.Unlock()
		return s.releaser(user), nil
	}
	// One user may not fill the queue alone.
	mine := 0
	for _, w := range s.waiting {
		if w.user == user {
			mine++
		}
	}
	if len(s.waiting) >= s.queued || mine >= max((s.queued+1)/2, 1) {
		s.mu.Unlock()
		return nil, errBusy
	}
	w := &waiter{user: user, ready: make(chan struct{})}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	select {
	case <-w.ready:
		return s.releaser(user), nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	} else {
		s.giveLocked(user) // it was granted just now
	}
	return nil, ctx.Err()
}

func (s *slots) freeLocked(user int) bool { return s.active < s.running && s.byUser[user] < s.perUser }

func (s *slots) takeLocked(user int) {
	s.active++
	s.byUser[user]++
}

// giveLocked frees a slot and grants what can be granted, the longest waiting
// first.
func (s *slots) giveLocked(user int) {
	s.active--
	if s.byUser[user]--; s.byUser[user] == 0 {
		delete(s.byUser, user)
	}
	for i := 0; i < len(s.waiting) && s.active < s.running; {
		w := s.waiting[i]
		if !s.freeLocked(w.user) {
			i++
			continue
		}
		s.takeLocked(w.user)
		s.waiting = slices.Delete(s.waiting, i, i+1)
		close(w.ready)
	}
}

func (s *slots) releaser(user int) func() {
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.giveLocked(user)
	})
}
