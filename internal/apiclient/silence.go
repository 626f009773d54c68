package apiclient

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// watch ends an attempt in which the server is silent for too long: before its
// response starts, redirects included, and between two pieces of the response
// or of what it reads of the request. It runs while something is expected from
// the server, not while the caller takes its time with what has come. Without a
// limit it does nothing.
type watch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer // nil without a limit
	silence time.Duration
	// responded stops the sending side, which may go on after an early response,
	// from starting the clock again.
	responded atomic.Bool
}

func watchSilence(ctx context.Context, silence time.Duration) *watch {
	w := &watch{ctx: ctx, silence: silence}
	if silence > 0 {
		w.ctx, w.cancel = context.WithCancelCause(ctx)
		w.timer = time.AfterFunc(silence, func() { w.cancel(ErrSilence) })
	}
	return w
}

// sending restarts the clock while the request is being sent.
func (w *watch) sending() {
	if w.timer != nil && !w.responded.Load() {
		w.timer.Reset(w.silence)
	}
}

// response stops the clock until the body is read.
func (w *watch) response(resp *http.Response) {
	if w.timer == nil {
		return
	}
	w.responded.Store(true)
	w.timer.Stop()
	resp.Body = &responseBody{ReadCloser: resp.Body, watch: w}
}

func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
		w.cancel(nil)
	}
}

// explain puts ErrSilence in the place of "context canceled".
func (w *watch) explain(err error) error {
	if w.timer != nil && context.Cause(w.ctx) == ErrSilence { //nolint:errorlint // the value that was given
		return ErrSilence
	}
	return err
}

// responseBody runs the clock while more of the response is awaited.
type responseBody struct {
	io.ReadCloser
	watch *watch
}

func (b *responseBody) Read(p []byte) (int, error) {
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
