package erp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// RetryPolicy says how often and when a failed request is repeated.
//
// A repeat must not do harm. A request that demonstrably never reached the
// server (the connection was not established) is repeated whatever its method.
// After a broken connection, and on 429, 502, 503 and 504, only idempotent
// requests are: GET, HEAD and OPTIONS, and PUT and DELETE as far as they mean
// the same when done twice. An update that carries child rows or a document
// action does not; neither do the actions of workflows, windows and log-in.
// POST never does. A 500 is a business failure in this ERP and is not repeated.
// A server that is silent until the time-out is not asked again. The caller's
// context ends any wait at once.
type RetryPolicy struct {
	Max     int           // repeats after the first attempt; 0 turns repeating off
	MinWait time.Duration // wait before the first repeat; it doubles for each further one, less a random part of up to a half
	MaxWait time.Duration // bound of that wait
	// MaxRetryAfter is how long a server may ask to wait through the header
	// Retry-After, on 429 and 503. If it asks for more, the request fails with
	// the wish in Error.RetryAfter.
	MaxRetryAfter time.Duration
}

// DefaultRetryPolicy repeats three times, after about 0.2, 0.4 and 0.8
// seconds, and obeys Retry-After up to a minute.
func DefaultRetryPolicy() RetryPolicy {
	return RetryPolicy{Max: 3, MinWait: 200 * time.Millisecond, MaxWait: 5 * time.Second, MaxRetryAfter: time.Minute}
}

// repeat says when a request may be repeated.
type repeat int8

const (
	repeatUnsent repeat = iota // only if it never reached the server
	repeatAlways               // it means the same when done twice
	repeatNever                // not even then
)

// safe reports whether a method reads only.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// repeatability judges a request that was not built by this package.
func repeatability(req *http.Request) repeat {
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return repeatNever
	}
	switch {
	case safe(req.Method) || req.Method == "":
		return repeatAlways
	case req.Method == http.MethodDelete:
		return repeatAlways
	case req.Method == http.MethodPut:
		// Chunks of an upload may be sent again. Records may carry child rows
		// and actions, which is not looked into here; the rest of the groups
		// have PUT for actions.
		if strings.Contains(req.URL.Path, apiPath+"/uploads/") {
			return repeatAlways
		}
	}
	return repeatUnsent
}

// newRetryClient makes the repeating part of a connection.
func newRetryClient(policy RetryPolicy, t *transport) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: keepIdle{t}, CheckRedirect: checkRedirect},
		RetryWaitMin: policy.MinWait,
		RetryWaitMax: policy.MaxWait,
		RetryMax:     policy.Max,
		CheckRetry:   policy.check,
		Backoff:      policy.wait,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// keepIdle hides CloseIdleConnections: the repeating client would call it
// after each failure and cut off the idle connections of all other callers.
type keepIdle struct{ next http.RoundTripper }

func (k keepIdle) RoundTrip(req *http.Request) (*http.Response, error) { return k.next.RoundTrip(req) }

// check decides whether an attempt is repeated.
func (p RetryPolicy) check(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	c := callFrom(ctx)
	if c == nil || c.repeat == repeatNever {
		return false, nil
	}
	if err != nil {
		return c.source.Load() == nil && worthRepeating(err) && (c.repeat == repeatAlways || !c.unsure), nil
	}
	if c.repeat != repeatAlways {
		return false, nil
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		wish, _ := retryAfter(resp.Header, time.Now())
		return wish <= p.MaxRetryAfter, nil
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return true, nil
	}
	return false, nil
}

// wait returns how long to wait before repeat number attempt+1.
func (p RetryPolicy) wait(least, most time.Duration, attempt int, resp *http.Response) time.Duration {
	wait := min(least<<min(attempt, 20), most)
	if wait < 0 {
		wait = most
	}
	wait -= jitter(wait / 2)
	if resp != nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable) {
		if wish, ok := retryAfter(resp.Header, time.Now()); ok {
			// A little later than asked for, so that not all come at once.
			return wish + jitter(least)
		}
	}
	return wait
}

func jitter(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return rand.N(limit)
}

// worthRepeating tells failures of the network from failures that come again.
func worthRepeating(err error) bool {
	var (
		token    *tokenError
		redirect *redirectError
		unknown  *net.DNSError
		cert     *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		bad      *badResponseError
		netErr   net.Error
		opErr    *net.OpError
	)
	switch {
	case errors.As(err, &token), errors.As(err, &redirect), errors.Is(err, ErrTimeout), errors.Is(err, ErrInvalid):
		return false
	case errors.As(err, &unknown):
		return !unknown.IsNotFound
	case errors.As(err, &cert), isX509(err), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return false
	case errors.As(err, &bad):
		return bad.truncated
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &opErr):
		return true
	case errors.As(err, &netErr):
		// *url.Error is a net.Error as well; look at what it holds.
		var outer *url.Error
		if errors.As(err, &outer) && outer.Err != nil && !errors.As(outer.Err, &netErr) {
			return worthRepeatingText(outer.Err)
		}
		return true
	}
	return worthRepeatingText(err)
}

// worthRepeatingText recognises errors of net/http that have no type.
func worthRepeatingText(err error) bool {
	text := err.Error()
	return strings.Contains(text, "server closed idle connection") ||
		strings.Contains(text, "connection broken") || strings.Contains(text, "client connection lost") ||
		strings.Contains(text, "server sent GOAWAY")
}

func isX509(err error) bool {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// neverSent reports whether a failed attempt demonstrably did not reach the
// server: no connection was established, or there was no token to send.
func neverSent(err error) bool {
	var (
		op      *net.OpError
		unknown *net.DNSError
		token   *tokenError
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		return true
	case errors.As(err, &unknown), errors.As(err, &cert), isX509(err), errors.As(err, &record):
		return true
	case errors.As(err, &token):
		return !token.refused
	}
	return false
}

// redirectError is a redirect that is not followed.
type redirectError struct{ text string }

func (e *redirectError) Error() string        { return e.text }
func (e *redirectError) Is(target error) bool { return target == ErrBadResponse }

// checkRedirect follows redirects of reading requests within the server only.
// Elsewhere the token has no business, and a redirected write may turn into a
// read without anybody noticing.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host:
		return &redirectError{fmt.Sprintf("the server redirects to %s://%s; if that is right, use it as the base URL",
			cleanText(req.URL.Scheme, 10), cleanText(req.URL.Host, 100))}
	case !safe(first.Method):
		return &redirectError{"the server redirects a " + first.Method + ", which is not followed; check the base URL"}
	case len(via) >= 5:
		return &redirectError{"the server redirects in circles; check the base URL"}
	}
	return nil
}

// retryTransport gives retries to callers that bring their own requests. Unlike
// the round tripper of retryablehttp it never reads a body into memory: a
// request is repeated only if it can give its body again.
type retryTransport struct {
	client    *retryablehttp.Client
	transport *transport
}

// RoundTrip performs the request, repeated as the policy says.
func (t *retryTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	c := callFrom(req.Context())
	if c == nil {
		c = &call{repeat: repeatability(req)}
	}
	ctx := context.WithValue(req.Context(), callKey{}, c)
	wrapped := &retryablehttp.Request{Request: req.WithContext(ctx)}
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return unwrapURLError(t.client.HTTPClient.Do(wrapped.Request))
		}
		first := req.Body
		err := wrapped.SetBody(retryablehttp.ReaderFunc(func() (io.Reader, error) { return req.GetBody() }))
		first.Close()
		if err != nil {
			return nil, err
		}
		wrapped.ContentLength, wrapped.GetBody = req.ContentLength, req.GetBody
	}
	return unwrapURLError(t.client.Do(wrapped))
}

// CloseIdleConnections makes http.Client's method of that name work.
func (t *retryTransport) CloseIdleConnections() { t.transport.CloseIdleConnections() }

// unwrapURLError removes the layer the inner client put around an error,
// because the outer one puts its own, and keeps the rule that there is either
// an answer or an error.
func unwrapURLError(resp *http.Response, err error) (*http.Response, error) {
	if err == nil {
		return resp, nil
	}
	if resp != nil {
		resp.Body.Close()
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return nil, err
}
