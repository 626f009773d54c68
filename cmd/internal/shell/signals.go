package shell

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// WithSignals returns a context that ends with the first signal that asks the
// program to end (SIGINT, SIGTERM, and SIGHUP where that exists and is not
// ignored, as nohup does, nor the program a server that is not at a terminal).
// [Run] returns soon after.
//
// A second signal ends the process at once, with the exit code of an
// interrupt; only a token refresh under way is waited for, as long as Run
// would wait for it. stop gives the signals back to the runtime.
func WithSignals(parent context.Context) (ctx context.Context, stop func()) {
	s := &interrupts{}
	ctx, cancel := context.WithCancel(context.WithValue(parent, interruptsKey{}, s))
	received := make(chan os.Signal, 2)
	signal.Notify(received, os.Interrupt, syscall.SIGTERM)
	if hangUp != nil && !signal.Ignored(hangUp) {
		signal.Notify(received, hangUp)
	}
	done := make(chan struct{})
	go func() {
		for ended := false; ; {
			select {
			case sig := <-received:
				switch {
				case sig == os.Interrupt && s.toFront():
				case !ended:
					ended = true
					cancel()
				default:
					s.finish()
					os.Exit(exitInterrupted)
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(received)
		close(done)
		cancel()
	})
}

type interruptsKey struct{}

// interrupts is what a second signal may not cut off.
type interrupts struct {
	mu   sync.Mutex // guards what follows
	last func()
	// front are the parts of the program that an interrupt is for, innermost last.
	front []*func()
}

// toFront gives an interrupt to the part that is in front, if there is one.
func (s *interrupts) toFront() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.front) == 0 {
		return false
	}
	(*s.front[len(s.front)-1])()
	return true
}

// inFront has SIGINT call a function and do nothing else, until release is called.
func inFront(ctx context.Context, interrupted func()) (release func()) {
	s, ok := ctx.Value(interruptsKey{}).(*interrupts)
	if !ok {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.front = append(s.front, &interrupted)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.front = slices.DeleteFunc(s.front, func(f *func()) bool { return f == &interrupted })
	}
}

// Interruptible is a context for a part of the program, such as a statement in a
// shell: until stop is called, SIGINT ends that context and nothing else.
func Interruptible(ctx context.Context) (part context.Context, stop func()) {
	part, cancel := context.WithCancel(ctx)
	release := inFront(ctx, cancel)
	return part, func() {
		release()
		cancel()
	}
}

// holdInterrupts leaves SIGINT to a program that runs in front of this one, such as
// a pager, until release is called. A terminal sends it to both.
func holdInterrupts(ctx context.Context) (release func()) { return inFront(ctx, func() {}) }

// beforeExit sets what is done before a second signal ends the process, where
// the context is one of WithSignals.
func beforeExit(ctx context.Context, last func()) {
	if s, ok := ctx.Value(interruptsKey{}).(*interrupts); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.last = last
	}
}

func (s *interrupts) finish() {
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	if last != nil {
		last()
	}
}
