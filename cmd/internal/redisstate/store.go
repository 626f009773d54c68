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

	"github.com/gomodule/redigo/redis"

	"github.com/erphub/erphub/internal/redisconn"
)

const (
	// pause is how long Redis is not asked after a step failed, so that requests do
	// not each wait for one that is hung.
	pause = time.Second
	// stateVersion is the form in which all is kept. Servers of another form do not
	// find it, as if it were not there.
	stateVersion = 1
)

var prefix = fmt.Sprintf("erphub:api:%d:", stateVersion)

// ErrAway says that Redis did not respond just now.
var ErrAway = errors.New("Redis does not respond")

// Store is the state in one Redis. It is safe for concurrent use.
type Store struct {
	redis *redisconn.Pool
	log   *slog.Logger

	mu    sync.Mutex // guards what follows
	until time.Time  // Redis is not asked before
	away  bool
}

// Open makes a store of a URL such as redis://user:password@host:6379/0, or rediss://
// for TLS. It connects when it is first used. A nil logger is silent.
func Open(url string, log *slog.Logger) (*Store, error) {
	pool, err := redisconn.Open(url)
	if err != nil {
		return nil, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Store{redis: pool, log: log}, nil
}

// Close ends the connections.
func (s *Store) Close() error { return s.redis.Close() }

// Ping reports whether Redis responds.
func (s *Store) Ping(ctx context.Context) error {
	if _, err := s.redis.Do(ctx, "PING"); err != nil {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return nil
}

// step does one step, unless Redis was away a moment ago. That there is nothing under
// a key is not a failure.
func (s *Store) step(ctx context.Context, do func(context.Context) error) error {
	s.mu.Lock()
	wait := time.Now().Before(s.until)
	s.mu.Unlock()
	if wait {
		return ErrAway
	}
	err := do(ctx)
	if err == nil || errors.Is(err, redis.ErrNil) {
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
