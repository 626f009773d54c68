package board

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

// Options change a [Board]. Nil and the zero value are the defaults.
type Options struct {
	// Logger gets the errors that the page shows only in outline; nil is silent.
	Logger *slog.Logger
	// Every and Quiet are the times between two looks into the log while
	// something happens and while nothing does; 0: 1 s and 10 s.
	Every, Quiet time.Duration
	// MaxListeners bounds the listeners to events; 0: 200. When there are so many,
	// one of the address that has most of them makes room for a listener of an
	// address that has fewer, so that no client keeps others out.
	MaxListeners int
	// Timeout bounds how long a request of the page waits for the ERP; 0: 5 s. An
	// ERP that does not respond to the simplest request then, either, is taken to be
	// away. Measures may take longer, as long as the ERP responds.
	Timeout time.Duration
}

// Board shows a deployment log. It is safe for concurrent use.
type Board struct {
	client *erp.Client
	runs   *deploylog.Log
	log    *slog.Logger
	opts   Options
	hub    *hub

	status   *cache[statusKey, []environmentStatus]
	measures *cache[measuresKey, measuresResponse]
	versions *versionsCache
	tenants  *cache[struct{}, []tenant]
	probes   *cache[struct{}, struct{}]

	wake chan struct{} // tells Run that the log can be read again

	mu    sync.Mutex // guards state
	state state
}

// New makes a board that reads with the client's login. It does not connect;
// [Board.Run] does.
func New(client *erp.Client, opts *Options) *Board {
	b := &Board{client: client, log: slog.New(slog.DiscardHandler)}
	if opts != nil {
		b.opts = *opts
	}
	if b.opts.Logger != nil {
		b.log = b.opts.Logger
	}
	b.opts.Every = cmp.Or(b.opts.Every, time.Second)
	b.opts.Quiet = max(cmp.Or(b.opts.Quiet, 10*time.Second), b.opts.Every)
	b.runs = deploylog.New(client, &deploylog.Options{Logger: b.log})
	b.hub = newHub(cmp.Or(b.opts.MaxListeners, 200))
	b.opts.Timeout = cmp.Or(b.opts.Timeout, 5*time.Second)
	b.status = newCache[statusKey, []environmentStatus](15*time.Second, b.opts.Timeout, 256)
	b.measures = newCache[measuresKey, measuresResponse](time.Minute, measureTimeout, 256)
	b.versions = newCache[erp.ID, versionsResponse](time.Minute, measureTimeout, 64)
	b.tenants = newCache[struct{}, []tenant](time.Minute, b.opts.Timeout, 1)
	b.probes = newCache[struct{}, struct{}](2*time.Second, b.opts.Timeout, 1)
	b.wake = make(chan struct{}, 1)
	b.state = state{Reason: reasonUnknown, Problem: "the ERP was not checked yet"}
	return b
}

// state is whether the log can be read.
type state struct {
	OK      bool   `json:"ok"`
	Reason  string `json:"reason,omitempty"`  // one of the reasons, empty when OK
	Problem string `json:"problem,omitempty"` // for people, empty when OK
}

// Why the log cannot be read.
const (
	reasonUnknown = "unknown" // not checked yet, or the server's log says why
	reasonAway    = "away"    // the ERP does not respond
	reasonAccess  = "access"  // the login or its role is refused
	reasonMissing = "missing" // the log is not installed
)

// Ready returns nil when the log can be read: the ERP responds, the login is
// good, the table is there. It checks at most every two seconds.
func (b *Board) Ready(ctx context.Context) error {
	_, err := b.probes.get(ctx, struct{}{}, func(ctx context.Context) (struct{}, error) { return struct{}{}, b.probe(ctx) })
	return err
}

// probe requests next to nothing of the ERP.
func (b *Board) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, b.opts.Timeout)
	defer cancel()
	_, err := b.client.Query(ctx, deploylog.TableName, &erp.Query{
		Filter: erp.Eq("Status", deploylog.Building.Code()).And(erp.IsNull("DateCompleted")), Select: []string{"Status"}, Top: 1,
	})
	return err
}

// Run follows the log for all listeners until ctx ends, whose error it returns.
// An ERP that is away, refuses the login or lacks the table is checked again, and
// listeners get its state.
func (b *Board) Run(ctx context.Context) error {
	defer b.hub.close()
	wait, before := b.opts.Every, ""
	for {
		err := b.Ready(ctx)
		if err == nil {
			before = ""
			b.setState(state{OK: true})
			err = b.follow(ctx)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		why := explain(err)
		level := slog.LevelWarn
		if why.Reason == before && before != reasonUnknown { // that was said
			level = slog.LevelDebug
		}
		b.log.Log(ctx, level, "the deployment log cannot be read", "error", err)
		b.setState(why)
		b.probes.clear() // a response from before says nothing
		if why.Reason != before || why.Reason == reasonMissing {
			// Another reason begins anew. A log that is missing is looked for all the
			// time: somebody who installs it is looking at the page, and the ERP responds.
			wait, before = b.opts.Every, why.Reason
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-b.wake:
			before = ""
		case <-time.After(wait):
			wait = min(wait*2, b.opts.Quiet)
		}
	}
}

// readable notes that the log was read just now. A state that says otherwise is
// out of date, and Run looks at once.
func (b *Board) readable() {
	if b.currentState().OK {
		return
	}
	b.setState(state{OK: true})
	select {
	case b.wake <- struct{}{}:
	default: // a wake-up is waiting already
	}
}

// follow passes changes on until the log cannot be read.
func (b *Board) follow(ctx context.Context) error {
	changes := b.runs.Watch(ctx, deploylog.WatchQuery{
		Every: b.opts.Every, Quiet: b.opts.Quiet, Patience: time.Nanosecond, // away twice is away
	})
	for change, err := range changes {
		if err != nil {
			return err
		}
		// The runs that were there are passed on, too: what happened since a page
		// read its status would be lost otherwise.
		b.status.clear()
		if change.Previous == nil || change.Previous.Status != change.Run.Status {
			b.measures.clear()
			b.versions.clear()
		}
		b.hub.publish("run", summary(change.Run))
	}
	return errors.New("watching the log ended")
}

func (b *Board) setState(s state) {
	b.mu.Lock()
	was := b.state
	b.state = s
	b.mu.Unlock()
	if was == s {
		return
	}
	b.status.clear()
	b.measures.clear()
	b.versions.clear()
	b.hub.publish("state", s)
	if s.OK {
		b.hub.publish("reset", struct{}{}) // changes may have gone unseen
	}
}

func (b *Board) currentState() state {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

// Streams tells which requests last as long as the client listens; it is for
// the server's bounds.
func Streams(r *http.Request) bool { return r.URL.Path == eventsPath }

// Listeners is how many listen to events.
func (b *Board) Listeners() int { return b.hub.count() }

// explain says for viewers of the page why the log cannot be read, without the
// details that are for the log of the server.
func explain(err error) state {
	switch {
	case errors.Is(err, erp.ErrUnauthorized):
		return state{Reason: reasonAccess, Problem: "the ERP does not accept the login this server reads with"}
	case errors.Is(err, erp.ErrForbidden):
		return state{Reason: reasonAccess, Problem: "the role this server reads with may not read the deployment log"}
	case errors.Is(err, erp.ErrNotFound):
		return state{Reason: reasonMissing, Problem: "the ERP has no deployment log that this server may read; `erphub env deploy install` makes one"}
	case errors.Is(err, erp.ErrUnreachable), errors.Is(err, erp.ErrUnavailable), errors.Is(err, erp.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return state{Reason: reasonAway, Problem: "the ERP does not respond"}
	case errors.Is(err, erp.ErrRateLimited):
		return state{Reason: reasonAway, Problem: "the ERP refuses requests for a moment because there were too many"}
	}
	return state{Reason: reasonUnknown, Problem: "the ERP could not be read; the log of this server says why"}
}
