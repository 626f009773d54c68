package apiclient

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Policy says how often and when a request is sent again.
type Policy struct {
	Max           int           // retries after the first attempt
	MinWait       time.Duration // before the first retry; it doubles for each further one, less a random part of up to a half
	MaxWait       time.Duration // bound of that wait
	MaxRetryAfter time.Duration // the longest wait a server may demand
	// WithinDeadline returns what came when the context ends before the wait
	// does, instead of waiting in vain.
	WithinDeadline bool
}

// Retry says when a request may be sent again.
type Retry int8

// When a request may be sent again.
const (
	RetryUnsent Retry = iota // only if it never reached the server
	RetryAlways              // it means the same when done twice
	RetryNever               // not even then
)

// next decides whether an attempt is followed by another, and how long to wait
// before. retries is how many there were.
func (p Policy) next(ctx context.Context, call *Call, retries int, resp *http.Response, body []byte, err error) (time.Duration, bool) {
	if retries >= p.Max || call.Retry == RetryNever || call.once() || ctx.Err() != nil {
		return 0, false
	}
	wait := p.backoff(retries)
	if err != nil {
		if call.Retry != RetryAlways && call.Lost || !passing(err) {
			return 0, false
		}
	} else {
		again := call.Retry == RetryAlways && busy(resp.StatusCode)
		if call.RetryResponse != nil {
			again = resp.StatusCode >= http.StatusBadRequest && call.RetryResponse(resp, body)
		}
		if !again {
			return 0, false
		}
		if asked, ok := RetryAfter(resp, time.Now()); ok && turnedAway(resp.StatusCode) {
			if asked > p.MaxRetryAfter {
				return 0, false
			}
			wait = asked + jitter(p.MinWait) // a little later, so that not all come at once
		}
	}
	if end, ok := ctx.Deadline(); ok && p.WithinDeadline && time.Until(end) < wait {
		return 0, false
	}
	return wait, true
}

// backoff is how long to wait before retry number retries+1.
func (p Policy) backoff(retries int) time.Duration {
	wait := p.MinWait << min(retries, 20)
	if wait < 0 || wait > p.MaxWait {
		wait = p.MaxWait
	}
	return wait - jitter(wait/2)
}

func jitter(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return rand.N(limit)
}

// turnedAway reports whether a status says to come back later, and may say when.
func turnedAway(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// busy reports whether a later attempt may succeed.
func busy(status int) bool {
	return turnedAway(status) || status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// RetryAfter reads the header Retry-After, seconds or a date; false when there
// is none that can be read.
func RetryAfter(resp *http.Response, now time.Time) (time.Duration, bool) {
	value := resp.Header.Get("Retry-After")
	if value == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), 1<<31)) * time.Second, seconds >= 0
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(at.Sub(now), 0), true
}

// passing tells failures of the network from failures that come again. A server
// that was silent until the limit is not called again.
func passing(err error) bool {
	var (
		token    *TokenError
		source   *SourceError
		redirect *RedirectError
		body     *BodyError
		unknown  *net.DNSError
		record   tls.RecordHeaderError
		netErr   net.Error
		opErr    *net.OpError
	)
	switch {
	case errors.As(err, &token), errors.As(err, &source), errors.As(err, &redirect), errors.Is(err, ErrTimeout), errors.Is(err, ErrInvalid):
		return false
	case errors.As(err, &unknown):
		return !unknown.IsNotFound
	case isCertificate(err), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return false
	case errors.As(err, &body):
		return body.Err != nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &opErr):
		return true
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled): // a time-out of the HTTP client
		return false
	case errors.As(err, &netErr):
		return true
	}
	// Errors of net/http that have no type.
	text := err.Error()
	return strings.Contains(text, "server closed idle connection") ||
		strings.Contains(text, "connection broken") || strings.Contains(text, "client connection lost") ||
		strings.Contains(text, "server sent GOAWAY")
}
