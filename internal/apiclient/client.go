// Package apiclient sends requests for the clients of this module: with a
// bearer token that is refreshed when it is refused, a limit on how long the
// server may be silent, a response of bounded size, and retries where they do
// no harm. It keeps track of whether the server may have carried a request out.
//
// What the responses mean, and the errors
// that callers see, are the business of the packages above it.
package apiclient

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/erphub/erphub/internal/tracecontext"
	"github.com/erphub/erphub/internal/waiting"
)

// TokenSource gives the bearer token for a request.
type TokenSource interface {
	Token(ctx context.Context) (string, error)
}

// TokenInvalidator is a TokenSource that is notified when a token was refused.
type TokenInvalidator interface {
	Invalidate(ctx context.Context, token string) error
}

// Client sends requests. Its fields must not change once it is in use; it is
// safe for concurrent use.
type Client struct {
	HTTP      *http.Client // makes the connections and decides about redirects
	Tokens    TokenSource  // nil sends no token
	Server    *url.URL     // its scheme and host are the only ones the token is sent to
	UserAgent []string     // value of the header User-Agent, unless the request has one
	Identity  http.Header  // what goes along with the token
	Trace     string       // header that takes the id of the trace, too; "" for none
	Silence   time.Duration
	MaxBody   int64 // bytes of a response that are read into memory
	Retry     Policy
	Logger    *slog.Logger

	bearer atomic.Pointer[bearer] // header value of the last token
}

type bearer struct {
	token  string
	header []string
}

// Call is one request and what became of it. It is used once.
type Call struct {
	// Request is sent for each attempt with a body of its own from GetBody.
	// Without GetBody it can be sent once.
	Request *http.Request
	Body    Body
	Retry   Retry
	// RetryResponse replaces the rule for which error responses are worth
	// another attempt.
	RetryResponse func(resp *http.Response, body []byte) bool
	NoToken       bool
	Silence       time.Duration // replaces the client's: 0 keeps it, below 0 means no limit

	Attempts int    // requests sent
	Status   int    // of the last response, 0 if the last attempt had none
	Token    string // sent last, to keep it out of errors
	// Lost is set when an attempt ended without a whole response of the server
	// although the server may have carried it out: also when a proxy responded in
	// its place with 502 or 504.
	Lost bool

	opened bool // the request's own body was used
	// source is the error of reading the request's body. It is set by the
	// connection's own goroutine.
	source atomic.Pointer[SourceError]
}

// Body says who reads the body of a response.
type Body int8

// Readers of the body of a response.
const (
	ReadBody      Body = iota // Do reads it, as part of the attempt
	StreamSuccess             // the caller, for a status from 200 to 299
	StreamAlways              // the caller
)

// Do sends the request until there is a response that need not be retried. The
// body is returned apart and the response's is closed, unless the caller reads
// it. The body of an error response may be incomplete.
//
// Without a response the error is the cause, without method and address:
// *TokenError, *BodyError, *RedirectError, *SourceError, ErrSilence, the
// context's error, or that of net/http.
func (c *Client) Do(call *Call) (*http.Response, []byte, error) {
	a := &attempts{client: c, call: call}
	retries := &retryablehttp.Client{
		// Redirects are followed within an attempt.
		HTTPClient: &http.Client{Transport: a, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		RetryMax:   c.Retry.Max, CheckRetry: a.check, Backoff: a.backoff, ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	// The request that goes around has no body: each attempt opens its own.
	resp, err := retries.Do(&retryablehttp.Request{Request: (&http.Request{
		Method: call.Request.Method, URL: call.Request.URL, Header: http.Header{},
	}).WithContext(call.Request.Context())})
	if err != nil {
		return nil, nil, withoutAddress(err)
	}
	return resp, a.body, nil
}

// attempts are the attempts of one call, for the client that retries.
type attempts struct {
	client *Client
	call   *Call

	body    []byte        // of the last response, where it was read
	retries int           // so far
	wait    time.Duration // before the next attempt
}

// RoundTrip makes one attempt.
func (a *attempts) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	resp, a.body, err = a.client.attempt(req.Context(), a.call)
	return resp, err
}

// check decides whether there is another attempt.
func (a *attempts) check(ctx context.Context, resp *http.Response, err error) (again bool, _ error) {
	if err != nil {
		err = withoutAddress(err)
	}
	a.wait, again = next(ctx, a.client.Retry, a.call, a.retries, resp, a.body, err)
	a.retries++
	if again {
		a.client.Logger.LogAttrs(ctx, slog.LevelDebug, "retry", slog.String("method", a.call.Request.Method),
			slog.String("path", a.call.Request.URL.Path), slog.Duration("wait", a.wait))
	}
	return again, nil
}

// backoff is how long to wait for it.
func (a *attempts) backoff(time.Duration, time.Duration, int, *http.Response) time.Duration {
	return a.wait
}

func (c *Client) needsToken(call *Call) bool {
	return c.Tokens != nil && !call.NoToken && c.isServer(call.Request.URL) && len(call.Request.Header["Authorization"]) == 0
}

// attempt gets a token, sends the request, once more if the token is refused
// and there is another, and reads the response.
func (c *Client) attempt(ctx context.Context, call *Call) (*http.Response, []byte, error) {
	var header []string
	if c.needsToken(call) {
		var err error
		if header, call.Token, err = c.authorization(ctx); err != nil {
			call.closeBody()
			return nil, nil, &TokenError{Err: err, Lost: call.Lost}
		}
	}
	resp, err := c.send(ctx, call, header)
	if err == nil && resp.StatusCode == http.StatusUnauthorized && header != nil {
		resp, err = c.refresh(ctx, call, resp)
	}
	if err != nil {
		return nil, nil, err
	}
	if call.Body == StreamAlways || call.Body == StreamSuccess && resp.StatusCode >= 200 && resp.StatusCode < 300 {
		resp.Body.(*responseBody).request = call.Request
		return resp, nil, nil
	}
	end := waiting.Begin(call.Request)
	body, err := readBody(resp, c.MaxBody)
	end()
	resp.Body = http.NoBody
	if err != nil && resp.StatusCode < http.StatusBadRequest {
		call.Lost = true
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, nil, err
	}
	return resp, body, nil
}

// isServer reports whether u leads to the server the token is for.
func (c *Client) isServer(u *url.URL) bool {
	return u.Scheme == c.Server.Scheme && u.Host == c.Server.Host
}

// authorization returns the header value for the current token, nil if the
// source has none.
func (c *Client) authorization(ctx context.Context) ([]string, string, error) {
	token, err := c.Tokens.Token(ctx)
	if err != nil || token == "" {
		return nil, "", err
	}
	if b := c.bearer.Load(); b != nil && b.token == token {
		return b.header, token, nil
	}
	if err := CheckToken(token); err != nil {
		return nil, "", err
	}
	b := &bearer{token: token, header: []string{"Bearer " + token}}
	c.bearer.Store(b)
	return b.header, token, nil
}

// refresh handles a 401: it gets another token and sends the request again,
// whatever its method, because a request refused with 401 was not carried out.
// Without another token, or a body to send again, the 401 is the response.
func (c *Client) refresh(ctx context.Context, call *Call, resp *http.Response) (*http.Response, error) {
	source, ok := c.Tokens.(TokenInvalidator)
	if !ok {
		return resp, nil
	}
	refused := call.Token
	err := source.Invalidate(ctx, refused)
	var header []string
	var token string
	if err == nil {
		header, token, err = c.authorization(ctx)
	}
	if err != nil {
		body, _ := readBody(resp, min(c.MaxBody, maxRefusal))
		resp.Request = nil // it holds the token
		return nil, &TokenError{Err: err, Response: resp, Body: RedactBody(body, refused), Lost: call.Lost}
	}
	if token == refused || token == "" || call.once() {
		return resp, nil
	}
	discard(resp)
	c.Logger.LogAttrs(ctx, slog.LevelDebug, "token refused, sending the request again with another",
		slog.String("method", call.Request.Method), slog.String("path", call.Request.URL.Path))
	call.Token = token
	return c.send(ctx, call, header)
}

// send sends the request once, follows redirects if the HTTP client does, and
// returns the response with its body unread.
func (c *Client) send(ctx context.Context, call *Call, authorization []string) (*http.Response, error) {
	call.Attempts++
	silence := c.Silence
	if call.Silence != 0 {
		silence = max(call.Silence, 0)
	}
	w := watchSilence(ctx, silence)
	req := call.Request.WithContext(w.ctx)
	if err := call.openBody(req, w); err != nil {
		w.stop()
		return nil, err
	}
	req.Header = make(http.Header, len(call.Request.Header)+2)
	maps.Copy(req.Header, call.Request.Header)
	if authorization != nil {
		req.Header["Authorization"] = authorization
		for name, values := range c.Identity {
			req.Header[name] = values
		}
		if id := tracecontext.ID(ctx); id != "" && c.Trace != "" {
			req.Header[c.Trace] = []string{id}
		}
	}
	if _, ok := req.Header["User-Agent"]; !ok {
		req.Header["User-Agent"] = c.UserAgent
	}
	tracecontext.Inject(ctx, req.Header)
	start := time.Now()
	end := waiting.Begin(req)
	resp, err := c.HTTP.Do(req)
	end()
	if err != nil {
		if resp != nil { // a redirect that is not followed
			resp.Body.Close()
		}
		err = call.cause(ctx, w, err)
		w.stop()
		call.Status = 0
		call.Lost = call.Lost || !NotSent(err)
		c.log(ctx, req, call, start, err)
		return nil, err
	}
	call.Status = resp.StatusCode
	call.Lost = call.Lost || resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusGatewayTimeout
	w.response(resp)
	c.log(ctx, req, call, start, nil)
	return resp, nil
}

// cause is why there was no response, without the address that net/http adds.
func (call *Call) cause(ctx context.Context, w *watch, err error) error {
	source := call.source.Load()
	switch {
	case source != nil:
		return source
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return w.explain(withoutAddress(err))
}

// withoutAddress takes off what net/http puts around an error.
func withoutAddress(err error) error {
	var outer *url.Error
	for errors.As(err, &outer) && outer.Err != nil {
		err = outer.Err
	}
	return err
}

func (c *Client) log(ctx context.Context, req *http.Request, call *Call, start time.Time, err error) {
	if !c.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", req.Method), slog.String("path", req.URL.Path),
		slog.Int("attempt", call.Attempts), slog.Duration("took", time.Since(start)),
	}
	if err != nil {
		c.Logger.LogAttrs(ctx, slog.LevelDebug, "no response", append(attrs, slog.String("error", err.Error()))...)
		return
	}
	c.Logger.LogAttrs(ctx, slog.LevelDebug, "response", append(attrs, slog.Int("status", call.Status))...)
}

// openBody gives an attempt a body of its own. The first attempt takes the
// request's, if it has one.
func (call *Call) openBody(req *http.Request, w *watch) error {
	given := call.Request
	if given.GetBody != nil {
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := given.GetBody()
			if err != nil {
				return nil, &SourceError{err}
			}
			return &requestBody{body, call, w}, nil
		}
	}
	switch {
	case given.Body != nil && !call.opened:
		call.opened = true
		if given.Body != http.NoBody {
			req.Body = &requestBody{given.Body, call, w}
		}
	case given.GetBody != nil:
		var err error
		req.Body, err = req.GetBody()
		return err
	}
	return nil
}

// once reports whether the request has a body that can be sent once only.
func (call *Call) once() bool {
	return call.Request.Body != nil && call.Request.Body != http.NoBody && call.Request.GetBody == nil
}

// closeBody closes a body that will not be sent.
func (call *Call) closeBody() {
	if call.Request.Body != nil && !call.opened {
		call.opened = true
		call.Request.Body.Close()
	}
}

// requestBody restarts the clock whenever more of the request is sent, and
// tells failures to read it from those of the connection.
type requestBody struct {
	io.ReadCloser
	call  *Call
	watch *watch
}

func (b *requestBody) Read(p []byte) (int, error) {
	b.watch.sending()
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.call.source.Store(&SourceError{err})
	}
	return n, err
}
