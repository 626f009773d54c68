package erp

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// transport is one attempt of a request: it adds token and user agent, renews
// a refused token once, and ends attempts in which the server is silent for
// too long.
type transport struct {
	base         http.RoundTripper
	tokens       TokenSource
	scheme, host string
	agent        []string
	response     time.Duration
	logger       *slog.Logger
	// bearer remembers the header value of the last token.
	bearer atomic.Pointer[bearer]
}

type bearer struct {
	token  string
	header []string
}

// call travels with a request through the layers. Attempts of one request
// follow each other, so it needs no lock.
type call struct {
	repeat   repeat
	public   bool          // send no token
	silence  time.Duration // replaces the response time-out: 0 keeps it, below 0 removes it
	attempts int
	status   int    // of the last answer, 0 if there was none
	unsure   bool   // an attempt ended without an answer although it may have been carried out
	token    string // sent last, to keep it out of errors
	// source is the error of reading what is to be sent. It is set by the
	// connection's own goroutine.
	source atomic.Pointer[sourceError]
}

// sourceError is a failure to read the body of a request.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return "read what is to be sent: " + e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// sourceReader notes failures to read the body of a request.
type sourceReader struct {
	io.ReadCloser
	call *call
}

func (r *sourceReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		r.call.source.Store(&sourceError{err})
	}
	return n, err
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// RoundTrip makes one attempt.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	c := callFrom(ctx)
	if c == nil {
		c = &call{repeat: repeatability(req)}
	}
	c.attempts++
	if t.tokens == nil || c.public || !t.ours(req.URL) || len(req.Header["Authorization"]) > 0 {
		return t.send(req, c, nil)
	}
	header, token, err := t.authorization(ctx)
	if err != nil {
		closeBody(req)
		return nil, &tokenError{err: err}
	}
	c.token = token
	resp, err := t.send(req, c, header)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || token == "" {
		return resp, err
	}
	source, ok := t.tokens.(TokenInvalidator)
	if !ok {
		return resp, nil
	}
	return t.renew(req, resp, c, source, token)
}

// renew answers a 401: it gets another token and repeats the request, if there
// is one and the body can be sent again.
func (t *transport) renew(req *http.Request, resp *http.Response, c *call, source TokenInvalidator, refused string) (*http.Response, error) {
	ctx := req.Context()
	if err := source.Invalidate(ctx, refused); err != nil {
		resp.Body.Close()
		return nil, &tokenError{err: err, refused: true}
	}
	header, token, err := t.authorization(ctx)
	if err != nil {
		resp.Body.Close()
		return nil, &tokenError{err: err, refused: true}
	}
	if token == refused || token == "" {
		return resp, nil
	}
	again := req
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return resp, nil
		}
		body, err := req.GetBody()
		if err != nil {
			return resp, nil
		}
		again = req.WithContext(ctx)
		again.Body = body
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection is used again
	resp.Body.Close()
	t.logger.LogAttrs(ctx, slog.LevelDebug, "token refused, repeating with a new one",
		slog.String("method", req.Method), slog.String("path", req.URL.Path))
	c.token = token
	c.attempts++
	return t.send(again, c, header)
}

// authorization returns the header value for the current token; nil if the
// source has none.
func (t *transport) authorization(ctx context.Context) ([]string, string, error) {
	token, err := t.tokens.Token(ctx)
	if err != nil || token == "" {
		return nil, "", err
	}
	if b := t.bearer.Load(); b != nil && b.token == token {
		return b.header, token, nil
	}
	if err := checkToken(token); err != nil {
		return nil, "", err
	}
	b := &bearer{token: token, header: []string{"Bearer " + token}}
	t.bearer.Store(b)
	return b.header, token, nil
}

// ours reports whether u leads to the server the token is for.
func (t *transport) ours(u *url.URL) bool { return u.Scheme == t.scheme && u.Host == t.host }

// send passes the request on with its headers and under the clock.
func (t *transport) send(req *http.Request, c *call, authorization []string) (*http.Response, error) {
	ctx := req.Context()
	silence := t.response
	if c.silence != 0 {
		silence = max(c.silence, 0)
	}
	var w *watch
	if silence > 0 {
		w = newWatch(ctx, silence)
		req = req.WithContext(w.ctx)
	} else {
		req = req.WithContext(ctx)
	}
	header := make(http.Header, len(req.Header)+2)
	for name, values := range req.Header {
		header[name] = values
	}
	if authorization != nil {
		header["Authorization"] = authorization
	}
	if _, ok := header["User-Agent"]; !ok {
		header["User-Agent"] = t.agent
	}
	req.Header = header
	if w != nil && req.Body != nil && req.Body != http.NoBody {
		req.Body = &watchedRequest{ReadCloser: req.Body, watch: w}
	}
	start := time.Now()
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		if w != nil {
			err = w.explain(err)
			w.stop()
		}
		c.status = 0
		c.unsure = c.unsure || !neverSent(err)
		t.log(ctx, req, c, 0, start, err)
		return nil, err
	}
	c.status = resp.StatusCode
	t.log(ctx, req, c, resp.StatusCode, start, nil)
	if w != nil {
		w.answered.Store(true)
		w.pause()
		resp.Body = &watchedResponse{ReadCloser: resp.Body, watch: w}
	}
	return resp, nil
}

func (t *transport) log(ctx context.Context, req *http.Request, c *call, status int, start time.Time, err error) {
	if !t.logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", req.Method), slog.String("path", req.URL.Path),
		slog.Int("attempt", c.attempts), slog.Duration("took", time.Since(start)),
	}
	if err != nil {
		t.logger.LogAttrs(ctx, slog.LevelDebug, "no answer", append(attrs, slog.String("error", err.Error()))...)
		return
	}
	t.logger.LogAttrs(ctx, slog.LevelDebug, "answer", append(attrs, slog.Int("status", status))...)
}

// CloseIdleConnections passes the wish on to the connection.
func (t *transport) CloseIdleConnections() {
	if closer, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// errSilence is the cause of a context that a watch has ended.
var errSilence = &silenceError{}

type silenceError struct{}

func (*silenceError) Error() string        { return ErrTimeout.Error() }
func (*silenceError) Timeout() bool        { return true }
func (*silenceError) Is(target error) bool { return target == ErrTimeout }

// watch ends a request when the server is silent for too long. It runs while
// something is expected from the server, not while the caller takes its time
// with what has come.
type watch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	silence time.Duration
	// answered stops the sending side, which may go on after an early answer,
	// from starting the clock again.
	answered atomic.Bool
}

func newWatch(ctx context.Context, silence time.Duration) *watch {
	w := &watch{silence: silence}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(silence, func() { w.cancel(errSilence) })
	return w
}

func (w *watch) restart() { w.timer.Reset(w.silence) }
func (w *watch) pause()   { w.timer.Stop() }

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// explain puts the watch's own error in the place of "context canceled".
func (w *watch) explain(err error) error {
	if context.Cause(w.ctx) == errSilence {
		return errSilence
	}
	return err
}

// watchedRequest restarts the clock whenever more of the body is sent.
type watchedRequest struct {
	io.ReadCloser
	watch *watch
}

func (b *watchedRequest) Read(p []byte) (int, error) {
	if !b.watch.answered.Load() {
		b.watch.restart()
	}
	return b.ReadCloser.Read(p)
}

// watchedResponse runs the clock while more of the body is awaited.
type watchedResponse struct {
	io.ReadCloser
	watch *watch
}

func (b *watchedResponse) Read(p []byte) (int, error) {
	b.watch.restart()
	n, err := b.ReadCloser.Read(p)
	b.watch.pause()
	if err != nil && err != io.EOF {
		err = b.watch.explain(err)
	}
	return n, err
}

func (b *watchedResponse) Close() error {
	err := b.ReadCloser.Close()
	b.watch.stop()
	return err
}
