package backend

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/mcp"
)

const (
	// firstLook and longestLook are between two looks for an AI API that was not
	// there; the time doubles.
	firstLook, longestLook = 2 * time.Second, 30 * time.Second
	// lookTime bounds one look.
	lookTime = 10 * time.Second
)

// presence is what is known about whether there is an AI API at an address.
type presence struct {
	client *aiclient.Client // sends no token and does not retry
	log    *slog.Logger
	doubts chan struct{} // holds an element when a call did not find what it should
	there  atomic.Bool
}

func newPresence(address string, o *AIOptions) (*presence, error) {
	client, err := aiclient.New(address, aiclient.WithHTTPClient(&http.Client{Transport: o.Transport, Timeout: lookTime}),
		aiclient.WithRetries(0, 0), aiclient.WithUserAgent("erphub-mcp"), aiclient.WithLogger(o.Logger))
	if err != nil {
		return nil, err
	}
	log := o.Logger
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	return &presence{client: client, log: log, doubts: make(chan struct{}, 1)}, nil
}

// Present reports whether an AI API was found; see [Optional]. It was unless
// AIOptions.Optional is set.
func (b *AIBackend) Present() bool { return b.found == nil || b.found.there.Load() }

// Probe checks whether there is an AI API, and reports whether that has changed.
// An API that was found stays found until another server responds in its place: no
// response at all for a while says nothing.
func (b *AIBackend) Probe(ctx context.Context) (changed bool) {
	if b.found == nil {
		return false
	}
	health, err := b.found.client.Health(ctx)
	there := err == nil && health.Status != ""
	var refusal *api.Error
	if errors.As(err, &refusal) && !errors.Is(err, aiclient.ErrForeign) {
		there = true // in the API's own words
	}
	if !there {
		b.found.log.DebugContext(ctx, "no AI API was found", "address", b.found.client.Address(), "error", err)
	}
	if !there && (errors.Is(err, aiclient.ErrUnreachable) || errors.Is(err, aiclient.ErrUnavailable) || ctx.Err() != nil) {
		return false
	}
	return b.found.there.Swap(there) != there
}

// doubt passes on an error of a call, and has Watch look again when it may mean
// that the API is gone.
func (b *AIBackend) doubt(err error) error {
	var e *mcp.Error
	if b.found != nil && errors.As(err, &e) && (e.Code == mcp.CodeUnreachable || e.Code == mcp.CodeNotFound) {
		select {
		case b.found.doubts <- struct{}{}:
		default:
		}
	}
	return err
}

// Watch looks again and again for an AI API that is not there, and for one that
// is when a call did not find it. changed is called when it came or went. Watch
// returns when ctx ends; without AIOptions.Optional at once.
func (b *AIBackend) Watch(ctx context.Context, changed func()) {
	if b.found == nil {
		return
	}
	pause := firstLook
	for {
		timer := time.NewTimer(pause)
		due := timer.C
		if b.Present() {
			due = nil
		}
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-b.found.doubts:
			timer.Stop()
		case <-due:
			pause = min(2*pause, longestLook)
		}
		if b.Probe(ctx) {
			pause = firstLook
			changed()
		}
	}
}
