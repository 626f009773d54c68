// Package redisstate keeps in Redis, or Valkey, what the replicas of `erphub server
// api` share: the counts of request limits, Idempotency-Keys with what came of them,
// and what user interfaces publish. Every step is one script or command, and the clock
// is the server's. Keys expire by themselves.
package redisstate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// timeout bounds one step, whatever the caller's context allows.
	timeout = 2 * time.Second
	// pause is how long Redis is not asked after a step failed, so that requests do
	// not each wait for one that is hung.
	pause  = time.Second
	prefix = "erphub:api:"
)

// ErrAway says that Redis did not respond just now.
var ErrAway = errors.New("Redis does not respond")

// Store is the state in one Redis. It is safe for concurrent use.
type Store struct {
	client *redis.Client
	log    *slog.Logger

	mu    sync.Mutex // guards what follows
	until time.Time  // Redis is not asked before
	away  bool
}

// Open makes a store of a URL such as redis://user:password@host:6379/0, or rediss://
// for TLS. It connects when it is first used. A nil logger is silent.
func Open(url string, log *slog.Logger) (*Store, error) {
	opts, err := redis.ParseURL(url)
	if err != nil {
		// The library's message contains the address, and with it a password.
		return nil, errors.New("the address of Redis cannot be used; write it as redis://host:6379/0, or rediss:// for TLS")
	}
	opts.DialTimeout, opts.ReadTimeout, opts.WriteTimeout = timeout, timeout, timeout
	opts.ContextTimeoutEnabled = true
	// A step that may have been done is not retried: it would count twice.
	opts.MaxRetries, opts.DialerRetries = -1, 1
	opts.DisableIdentity = true
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Store{client: redis.NewClient(opts), log: log}, nil
}

// Close ends the connections.
func (s *Store) Close() error { return s.client.Close() }

// Ping reports whether Redis responds.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := s.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return nil
}

// step does one step, unless Redis was away a moment ago. That there is nothing under
// a key is no failure.
func (s *Store) step(ctx context.Context, do func(context.Context) error) error {
	s.mu.Lock()
	wait := time.Now().Before(s.until)
	s.mu.Unlock()
	if wait {
		return ErrAway
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := do(bounded)
	if err == nil || errors.Is(err, redis.Nil) {
		s.present()
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err() // the caller went away, which says nothing about Redis
	}
	s.mu.Lock()
	first := !s.away
	s.away, s.until = true, time.Now().Add(pause)
	s.mu.Unlock()
	if first {
		s.log.Warn("Redis does not respond: limits hold for each process alone, and what needs Redis is refused", "error", err)
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

func (s *Store) present() {
	s.mu.Lock()
	was := s.away
	s.away, s.until = false, time.Time{}
	s.mu.Unlock()
	if was {
		s.log.Info("Redis responds again")
	}
}
