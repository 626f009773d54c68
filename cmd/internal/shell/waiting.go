package shell

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/waiting"
)

// How long a response may take before standard error says what is waited for: at a
// terminal, and in a log, where the work of a busy machine stays silent.
const (
	patience    = 5 * time.Second
	logPatience = 10 * time.Second
)

// sayWaiting is a context whose requests say on standard error that a response has
// not come in full for some time. Servers have a log instead.
func (sh *Shell) sayWaiting(ctx context.Context, chain []*cli.Command) context.Context {
	if len(chain) == 0 || chain[0].Name == "server" || chain[0].Name == "sandbox" && len(chain) == 1 {
		return ctx
	}
	after, stop, terminal := logPatience, "SIGINT or SIGTERM", Terminal(sh.Streams.Err)
	if terminal {
		after, stop = patience, "Ctrl-C"
	}
	return whenSilent(ctx, after, func(method, host string) {
		if !terminal || sh.bars.Load() == 0 { // a bar shows that something is done
			sh.Note("waiting for %s, which has not responded in full to a %s for %s; %s ends the command", host, method, after, stop)
		}
	})
}

// whenSilent is a context whose requests call say when they have waited for some time
// in which none began to wait or ended it. Of requests at the same time the last one
// counts. More of an address may have secrets in it.
func whenSilent(ctx context.Context, after time.Duration, say func(method, host string)) context.Context {
	var mu sync.Mutex // guards what follows
	var waits []*http.Request
	timer := time.AfterFunc(after, func() {
		mu.Lock()
		now := slices.Clone(waits)
		mu.Unlock()
		if n := len(now); n > 0 && ctx.Err() == nil {
			say(cmp.Or(now[n-1].Method, http.MethodGet), now[n-1].URL.Host)
		}
	})
	change := func(req *http.Request, begins bool) {
		mu.Lock()
		defer mu.Unlock()
		waits = slices.DeleteFunc(waits, func(other *http.Request) bool { return other == req })
		if begins {
			waits = append(waits, req)
		}
		timer.Reset(after)
	}
	return waiting.Observe(ctx, func(req *http.Request) func() {
		change(req, true)
		return func() { change(req, false) }
	})
}
