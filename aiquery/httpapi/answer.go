package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/erphub/erphub/internal/httpserver"
)

// asProblem is what the caller learns of an error.
func (h *Handler) asProblem(ctx context.Context, err error) *httpserver.APIError {
	var p *httpserver.APIError
	if errors.As(err, &p) {
		return p
	}
	if p := engineProblem(err); p != nil {
		return p
	}
	switch {
	case errors.Is(err, ErrStoreFull):
		return &httpserver.APIError{Status: http.StatusTooManyRequests, Code: "rate_limited", Message: "this user has published too many windows and charts",
			Hint: "withdraw some with ttlSeconds 0, or wait until they expire", RetryAfter: time.Second}
	case errors.Is(err, context.Canceled):
		return &httpserver.APIError{Status: http.StatusServiceUnavailable, Code: "canceled", Message: "the request was given up"}
	case errors.Is(err, context.DeadlineExceeded):
		return &httpserver.APIError{Status: http.StatusGatewayTimeout, Code: "timeout", Message: "the request took too long", Hint: "try again"}
	}
	h.log.ErrorContext(ctx, "a request failed", "error", err, "request", httpserver.RequestID(ctx))
	return httpserver.InternalError()
}
