package redisconn

import (
	"context"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	// pingEvery is how often a subscription that hears nothing asks whether Redis is
	// still there, and silence is how long it waits for that.
	pingEvery = 10 * time.Second
	silence   = 2 * pingEvery
	// reconnectAfter and reconnectMost bound the pause before a lost subscription is
	// made again.
	reconnectAfter = 50 * time.Millisecond
	reconnectMost  = 2 * time.Second
)

// Subscribe calls f with every message of a channel, one at a time, until ctx ends;
// wait returns when it is not called any more. Subscribe returns when messages are
// received, or cannot be just now: a connection that is lost is made again, and
// messages sent meanwhile are lost.
func (p *Pool) Subscribe(ctx context.Context, channel string, f func(message []byte)) (wait func()) {
	tried, ended := make(chan struct{}), make(chan struct{})
	settled := sync.OnceFunc(func() { close(tried) })
	go func() {
		defer close(ended)
		pause := reconnectAfter
		for ctx.Err() == nil {
			if p.receive(ctx, channel, f, settled) {
				pause = reconnectAfter
			}
			settled()
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
			pause = min(2*pause, reconnectMost)
		}
		settled()
	}()
	<-tried
	return func() { <-ended }
}

// receive receives until the connection is lost or ctx ends. It reports whether it
// was subscribed.
func (p *Pool) receive(ctx context.Context, channel string, f func([]byte), subscribed func()) (was bool) {
	bounded, cancel := context.WithTimeout(ctx, Timeout)
	conn, err := p.dial(bounded)
	cancel()
	if err != nil {
		return false
	}
	sub := redis.PubSubConn{Conn: conn}
	var pinging sync.WaitGroup
	done := make(chan struct{})
	defer func() {
		close(done)
		pinging.Wait()
		_ = sub.Close()
	}()
	if sub.Subscribe(channel) != nil {
		return false
	}
	pinging.Go(func() {
		tick := time.NewTicker(pingEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if sub.Ping("") != nil {
					return // the receiver learns of it, too
				}
			case <-done:
				return
			}
		}
	})
	for limit := Timeout; ; {
		waiting, cancel := context.WithTimeout(ctx, limit)
		received := sub.ReceiveContext(waiting)
		cancel()
		switch m := received.(type) {
		case redis.Subscription:
			was, limit = true, silence
			subscribed()
		case redis.Message:
			f(m.Data)
		case error:
			return was
		}
	}
}
