package shell

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
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
				case sig == os.Interrupt && s.held.Load() > 0:
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
	mu   sync.Mutex // guards last
	last func()

	held atomic.Int32 // how many programs are in front that SIGINT is for
}

// holdInterrupts leaves SIGINT to a program that runs in front of this one, such as
// a pager, until release is called. A terminal sends it to both.
func holdInterrupts(ctx context.Context) (release func()) {
	s, ok := ctx.Value(interruptsKey{}).(*interrupts)
	if !ok {
		return func() {}
	}
	s.held.Add(1)
	return func() { s.held.Add(-1) }
}

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
