package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

const (
	// defaultPatience is how long a server may be silent before it is sent a request for a
	// sign of life, and how long it may take to give one.
	defaultPatience = 4 * time.Second
	// awayPause is how long a server that gave none is left alone.
	awayPause = 2 * time.Second
)

// lifeline tells a server that takes long from one that does not respond at
// all. A request that waits is no reason to give up: a report may take minutes.
// So a small request is sent to the server beside it, and only when that gets
// no response either, all requests that wait end, and further ones fail at once
// until the server gives a sign of life again.
type lifeline struct {
	sign     string // address of which any response will do
	next     http.RoundTripper
	patience time.Duration
	log      *slog.Logger

	mu           sync.Mutex // guards what follows
	lastResponse time.Time  // when the server last responded to anything
	silent       time.Time  // when it last gave no sign of life; zero: it did
	asking       *asking    // under way; nil: none
}

// asking is one request for a sign of life.
type asking struct {
	ended chan struct{}
	alive bool // once ended is closed
}

func newLifeline(sign string, next http.RoundTripper, patience time.Duration, log *slog.Logger) *lifeline {
	l := &lifeline{sign: sign, next: next, patience: cmp.Or(patience, defaultPatience), log: log}
	if next == nil {
		l.next = http.DefaultTransport
	}
	if log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	return l
}

// silence is how a server failed that does not respond. It counts as a time-out
// of the connection, so that nobody makes the same request again at once.
type silence struct{}

func (silence) Error() string        { return "the server does not respond" }
func (silence) Is(target error) bool { return target == erp.ErrTimeout }

// errAway is the error of a request that was not even made.
var errAway = &net.OpError{Op: "dial", Net: "tcp", Err: silence{}}

// guard is ctx until the server is found not to respond. end must be called when
// nothing is waited for any more, free when ctx is not.
func (l *lifeline) guard(ctx context.Context) (_ context.Context, end, free func(), err error) {
	if !l.admits(ctx) {
		return ctx, nil, nil, errAway
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	timer := time.AfterFunc(l.patience, func() {
		for l.alive(ctx) {
			select {
			case <-done:
				return
			case <-time.After(l.patience):
			}
		}
		cancel(silence{})
	})
	var once sync.Once
	return ctx, func() {
		once.Do(func() {
			timer.Stop()
			close(done)
		})
	}, func() { cancel(nil) }, nil
}

// RoundTrip is part of [http.RoundTripper].
func (l *lifeline) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, end, free, err := l.guard(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper closes it on every path
		}
		return nil, err
	}
	defer end() // the body that follows has time limits of its own
	res, err := l.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		if errors.Is(context.Cause(ctx), silence{}) {
			err = silence{}
		}
		if r.Context().Err() == nil { // not for the caller's sake
			l.doubt()
		}
		free()
		return nil, err
	}
	l.noteResponse()
	res.Body = &freeing{res.Body, free}
	return res, nil
}

// freeing frees the context of a request with its body.
type freeing struct {
	io.ReadCloser
	free func()
}

func (f *freeing) Close() error {
	defer f.free()
	return f.ReadCloser.Close()
}

// token gets a token from a source, which may call the server.
func (l *lifeline) token(ctx context.Context, own interface {
	Token(context.Context) (string, error)
}) (string, error) {
	ctx, end, free, err := l.guard(ctx)
	if err == nil {
		defer free()
		defer end()
		var token string
		if token, err = own.Token(ctx); err == nil {
			return token, nil
		}
		if !errors.Is(context.Cause(ctx), silence{}) {
			return "", err
		}
	}
	return "", &mcp.Error{
		Code: mcp.CodeUnreachable, Message: "the login of this program could not be refreshed: the ERP does not respond",
		Hint: "try again later, and check the address of the ERP", Err: err,
	}
}

func (l *lifeline) noteResponse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastResponse, l.silent = time.Now(), time.Time{}
}

// doubt makes the next one who wants to know request a sign of life.
func (l *lifeline) doubt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastResponse = time.Time{}
}

// admits reports whether a request is worth making.
func (l *lifeline) admits(ctx context.Context) bool {
	l.mu.Lock()
	silent := l.silent
	l.mu.Unlock()
	switch {
	case silent.IsZero():
		return true
	case time.Since(silent) < awayPause:
		return false
	}
	return l.ask(ctx)
}

// alive reports whether the server responded to anything lately, or does now.
func (l *lifeline) alive(ctx context.Context) bool {
	l.mu.Lock()
	lately := time.Since(l.lastResponse) < l.patience
	l.mu.Unlock()
	return lately || l.ask(ctx)
}

// ask asks for a sign of life; everybody who wants one at a time shares it.
func (l *lifeline) ask(ctx context.Context) bool {
	l.mu.Lock()
	a := l.asking
	if a == nil {
		a = &asking{ended: make(chan struct{})}
		l.asking = a
		go l.question(context.WithoutCancel(ctx), a) // for all who wait for it
	}
	l.mu.Unlock()
	select {
	case <-a.ended:
		return a.alive
	case <-ctx.Done():
		return true // nothing is known about the server
	}
}

func (l *lifeline) question(ctx context.Context, a *asking) {
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.sign, nil)
	if err == nil {
		var res *http.Response
		if res, err = l.next.RoundTrip(req); err == nil {
			_, _ = io.CopyN(io.Discard, res.Body, 4<<10) // so that the connection is used again
			_ = res.Body.Close()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = nil
	a.alive = err == nil
	if a.alive {
		l.lastResponse, l.silent = time.Now(), time.Time{}
	} else {
		if l.silent.IsZero() {
			l.log.Warn("the server does not respond", "address", l.sign, "error", err)
		}
		l.silent = time.Now()
	}
	close(a.ended)
}

// ping checks whether the server responds; lately is soon enough.
func (l *lifeline) ping(ctx context.Context) error {
	l.mu.Lock()
	silent, lately := l.silent, time.Since(l.lastResponse) < l.patience
	l.mu.Unlock()
	if silent.IsZero() && lately || l.ask(ctx) && ctx.Err() == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("GET %s: %w", l.sign, erp.ErrUnreachable)
}
