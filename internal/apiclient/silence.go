package apiclient

import (
	"context"
	"io"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/erphub/erphub/internal/waiting"
)

// watch ends an attempt in which the server is silent for too long: before its
// response starts, redirects included, and between two pieces of the response
// or of what it reads of the request. It runs while something is expected from
// the server, not while the caller takes its time with what has come.
type watch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	silence time.Duration
	// responded stops the sending side, which may go on after an early response,
	// from starting the clock again.
	responded atomic.Bool
}

func watchSilence(ctx context.Context, silence time.Duration) *watch {
	if silence <= 0 { // no limit
		silence = math.MaxInt64
	}
	ctx, cancel := context.WithCancelCause(ctx)
	return &watch{ctx: ctx, cancel: cancel, silence: silence, timer: time.AfterFunc(silence, func() { cancel(ErrSilence) })}
}

// sending restarts the clock while the request is being sent.
func (w *watch) sending() {
	if !w.responded.Load() {
		w.timer.Reset(w.silence)
	}
}

// response stops the clock until the body is read.
func (w *watch) response(resp *http.Response) {
	w.responded.Store(true)
	w.timer.Stop()
	resp.Body = &responseBody{resp.Body, w, nil}
}

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// explain puts ErrSilence in the place of "context canceled".
func (w *watch) explain(err error) error {
	if context.Cause(w.ctx) == ErrSilence { //nolint:errorlint // the value that was given
		return ErrSilence
	}
	return err
}

// responseBody runs the clock while more of the response is awaited.
type responseBody struct {
	io.ReadCloser
	watch   *watch
	request *http.Request // nil: whoever reads it says that it waits
}

func (b *responseBody) Read(p []byte) (int, error) {
	if b.request != nil {
		defer waiting.Begin(b.request)()
	}
	b.watch.timer.Reset(b.watch.silence)
	n, err := b.ReadCloser.Read(p)
	b.watch.timer.Stop()
	if err != nil && err != io.EOF {
		err = b.watch.explain(err)
	}
	return n, err
}

func (b *responseBody) Close() error {
	err := b.ReadCloser.Close()
	b.watch.stop()
	return err
}
