// Package redisconn is the connection to one Redis, or Valkey, for packages that keep
// shared state there: how long a step may take, that none is done twice, and that no
// error shows the password.
package redisconn

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/erphub/erphub/internal/lazyregexp"
)

const (
	// Timeout bounds one step, whatever the caller's context allows.
	Timeout = 2 * time.Second
	// checkAfter is how long a connection may have been unused to be taken without
	// asking whether it is still there.
	checkAfter  = time.Second
	idleTimeout = 5 * time.Minute
	maxIdle     = 16
	maxActive   = 64
)

// Pool are connections to one Redis. It is safe for concurrent use.
type Pool struct {
	pool *redis.Pool
	url  string
}

var database = lazyregexp.New(`^/?\d*$`)

// Open makes a pool for a URL such as redis://user:password@host:6379/0, or rediss://
// for TLS. It connects when it is first used.
func Open(address string) (*Pool, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Opaque != "" || !database().MatchString(u.Path) {
		// The error of the parser contains the address, and with it a password.
		return nil, errors.New("the address of Redis cannot be used; write it as redis://host:6379/0, or rediss:// for TLS")
	}
	p := &Pool{url: address}
	p.pool = &redis.Pool{
		DialContext: p.dial, MaxIdle: maxIdle, MaxActive: maxActive, Wait: true, IdleTimeout: idleTimeout,
		TestOnBorrowContext: func(ctx context.Context, conn redis.Conn, since time.Time) error {
			if time.Since(since) < checkAfter {
				return nil
			}
			_, err := redis.DoContext(conn, ctx, "PING")
			return err
		},
	}
	return p, nil
}

func (p *Pool) dial(ctx context.Context) (redis.Conn, error) {
	return redis.DialURLContext(ctx, p.url, redis.DialConnectTimeout(Timeout), redis.DialReadTimeout(Timeout), redis.DialWriteTimeout(Timeout),
		redis.DialTLSHandshakeTimeout(Timeout))
}

// Close ends the connections.
func (p *Pool) Close() error { return p.pool.Close() }

// Do runs a command, once: what may have been done is not retried.
func (p *Pool) Do(ctx context.Context, command string, args ...any) (any, error) {
	return p.with(ctx, func(ctx context.Context, conn redis.Conn) (any, error) {
		return redis.DoContext(conn, ctx, command, args...)
	})
}

// Script is a script that runs as one indivisible step.
type Script struct{ script *redis.Script }

// NewScript makes a script from its source.
func NewScript(source string) Script { return Script{redis.NewScript(-1, source)} }

// Run runs a script, once.
func (p *Pool) Run(ctx context.Context, s Script, keys []string, args ...any) (any, error) {
	all := append([]any{len(keys)}, redis.Args{}.AddFlat(keys)...)
	return p.with(ctx, func(ctx context.Context, conn redis.Conn) (any, error) {
		return s.script.DoContext(ctx, conn, append(all, args...)...)
	})
}

func (p *Pool) with(ctx context.Context, do func(context.Context, redis.Conn) (any, error)) (reply any, err error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	conn, err := p.pool.GetContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	defer conn.Close() // back to the pool
	return do(ctx, conn)
}
