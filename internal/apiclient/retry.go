package apiclient

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/erphub/erphub/internal/retry"
)

// Policy says how often and when a request is sent again.
type Policy = retry.Policy

// Retry says when a request may be sent again.
type Retry int8

// When a request may be sent again.
const (
	RetryUnsent Retry = iota // only if it never reached the server
	RetryAlways              // it means the same when done twice
	RetryNever               // not even then
)

// retries reports whether the call is repeated after a response or an error.
func (c *Call) retries(resp *http.Response, body []byte, err error) bool {
	switch {
	case err != nil:
		return (c.Retry == RetryAlways || !c.Lost) && passing(err)
	case c.RetryResponse != nil:
		return resp.StatusCode >= http.StatusBadRequest && c.RetryResponse(resp, body)
	}
	return c.Retry == RetryAlways && retry.Busy(resp.StatusCode)
}

// next decides whether an attempt is followed by another, and how long to wait
// before. retries is how many there were.
func next(ctx context.Context, p Policy, call *Call, retries int, resp *http.Response, body []byte, err error) (time.Duration, bool) {
	if retries >= p.Max || call.Retry == RetryNever || call.once() || ctx.Err() != nil {
		return 0, false
	}
	if !call.retries(resp, body, err) {
		return 0, false
	}
	wait := p.Backoff(retries)
	if err == nil {
		if asked, ok := retry.After(resp, time.Now()); ok && retry.TurnedAway(resp.StatusCode) {
			if asked > p.MaxRetryAfter {
				return 0, false
			}
			wait = asked + retry.Jitter(p.MinWait) // a little later, so that not all come at once
		}
	}
	if end, ok := ctx.Deadline(); ok && p.WithinDeadline && time.Until(end) < wait {
		return 0, false
	}
	return wait, true
}

// passing tells failures of the network from failures that come again.
func passing(err error) bool {
	var (
		token    *TokenError
		source   *SourceError
		redirect *RedirectError
		body     *BodyError
	)
	switch {
	case errors.As(err, &token), errors.As(err, &source), errors.As(err, &redirect), errors.Is(err, ErrTimeout), errors.Is(err, ErrInvalid):
		return false
	case errors.As(err, &body):
		return body.Err != nil
	}
	return retry.Network(err)
}
