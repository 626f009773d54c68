package shell

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/urfave/cli/v2"
)

// patience is how long a response may take before a person is told what is waited for.
const patience = 5 * time.Second

// sayWaiting is a context whose requests say, at a terminal, that a server has not
// responded for some time. Servers have a log instead.
func (sh *Shell) sayWaiting(ctx context.Context, chain []*cli.Command) context.Context {
	serves := len(chain) > 0 && (chain[0].Name == "server" || chain[0].Name == "sandbox" && len(chain) == 1)
	if serves || len(chain) == 0 || !Terminal(sh.Streams.Err) {
		return ctx
	}
	return whenSilent(ctx, patience, func(server string) {
		if sh.bars.Load() == 0 { // a bar shows that something is done
			sh.Note("waiting for %s, which has not responded for %s; Ctrl-C ends the command", server, patience)
		}
	})
}

// whenSilent is a context whose requests call say when a server has not begun to
// respond for some time. Of requests at the same time the last one counts.
func whenSilent(ctx context.Context, after time.Duration, say func(server string)) context.Context {
	var mu sync.Mutex // guards what follows
	var timer *time.Timer
	stop := func() {
		mu.Lock()
		defer mu.Unlock()
		if timer != nil {
			timer.Stop()
			timer = nil
		}
	}
	context.AfterFunc(ctx, stop)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(server string) {
			stop()
			mu.Lock()
			defer mu.Unlock()
			timer = time.AfterFunc(after, func() { say(server) })
		},
		GotFirstResponseByte: stop,
	})
}
