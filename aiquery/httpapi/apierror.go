package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/httpserver"
)

// apiError is what the caller learns of an error.
func (h *Handler) apiError(ctx context.Context, err error) *httpserver.APIError {
	var p *httpserver.APIError
	if errors.As(err, &p) {
		return p
	}
	if p := engineError(err); p != nil {
		return p
	}
	switch {
	case errors.Is(err, ErrStoreFull):
		return &httpserver.APIError{Status: http.StatusTooManyRequests, Code: "rate_limited", Message: "this user has published too many windows and charts",
			Hint: "withdraw some with ttlSeconds 0, or wait until they expire", RetryAfter: time.Second}
	case errors.Is(err, ErrStoreAway):
		h.log.WarnContext(ctx, "published context could not be reached", "error", err, "request", httpserver.RequestID(ctx))
		return &httpserver.APIError{Status: http.StatusServiceUnavailable, Code: "unavailable", Message: "published context cannot be reached now", Hint: "try again", RetryAfter: time.Second}
	case errors.Is(err, context.Canceled):
		return &httpserver.APIError{Status: http.StatusServiceUnavailable, Code: "canceled", Message: "the request was given up"}
	case errors.Is(err, context.DeadlineExceeded):
		return &httpserver.APIError{Status: http.StatusGatewayTimeout, Code: "timeout", Message: "the request took too long", Hint: "try again"}
	}
	h.log.ErrorContext(ctx, "a request failed", "error", err, "request", httpserver.RequestID(ctx))
	return httpserver.InternalError()
}

// engineError is an error of the engine, which is written as it is, with what
// its status requires; nil for other errors.
func engineError(err error) *httpserver.APIError {
	var e *api.Error
	if !errors.As(err, &e) {
		return nil
	}
	p := &httpserver.APIError{Status: e.Code.Status(), Code: string(e.Code), Message: e.Message, Hint: e.Hint, Body: e, RetryAfter: e.RetryAfter}
	switch p.Status {
	case 0: // a code this package does not know: its words are not for everybody
		return httpserver.InternalError()
	case http.StatusUnauthorized:
		p.Challenge = `Bearer realm="ai"`
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		p.RetryAfter = max(p.RetryAfter, time.Second)
	}
	return p
}
