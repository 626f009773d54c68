package aiclient

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
)

// What errors.Is finds in the errors of this package. The first group goes by
// the status of the response; what the service said is an [*api.Error] behind it.
var (
	ErrRefused      = errors.New("the service refuses that")                       // 400, 413, 415, 422
	ErrUnauthorized = errors.New("no token, or one that is not valid there")       // 401
	ErrDenied       = errors.New("the role may not do that, or is not the user's") // 403
	ErrNotFound     = errors.New("not found")                                      // 404
	ErrTimeout      = errors.New("it took too long")                               // 408, 504
	ErrRateLimited  = errors.New("too many requests")                              // 429
	ErrUnavailable  = errors.New("the service is not available now")               // 502, 503

	// ErrForeign is in the error of a refusal that is not in the API's own words,
	// such as a proxy's: its code goes by the status.
	ErrForeign = errors.New("the refusal is not in the words of the AI API")
	// ErrUnreachable is in every error for which no response came, or not all of
	// it, and ErrTimeout too when that was because of a time-out of this client.
	ErrUnreachable = errors.New("the AI API cannot be reached")
	// ErrBadResponse is in the error of a response that is not the API's: a page,
	// a redirect, an oversized body.
	ErrBadResponse = errors.New("the response is not that of the AI API")
	// ErrInvalid is in every error about input that was refused before anything
	// was sent.
	ErrInvalid = errors.New("invalid input")
)

// refusal is a response that is a refusal: what was requested, and the [api.Error] that
// errors.As finds in it.
type refusal struct {
	method, path string
	status       int  // HTTP status
	foreign      bool // it is not the API's own
	why          *api.Error
}

// Error says what was tried, the status and the service's words.
func (e *refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %d %s", e.method, e.path, e.status, e.why.Message)
	if e.why.Position > 0 {
		fmt.Fprintf(&b, " (at character %d)", e.why.Position)
	}
	if e.why.Hint != "" {
		b.WriteString("; " + e.why.Hint)
	}
	if e.why.RequestID != "" {
		b.WriteString(" (request " + e.why.RequestID + ")")
	}
	return b.String()
}

// Unwrap gives the error of the service.
func (e *refusal) Unwrap() error { return e.why }

// Is makes errors.Is find the sentinel that belongs to the status.
func (e *refusal) Is(target error) bool {
	switch target {
	case ErrForeign:
		return e.foreign
	case ErrRefused:
		return e.status == http.StatusBadRequest || e.status == http.StatusRequestEntityTooLarge ||
			e.status == http.StatusUnsupportedMediaType || e.status == http.StatusUnprocessableEntity
	case ErrUnauthorized:
		return e.status == http.StatusUnauthorized
	case ErrDenied:
		return e.status == http.StatusForbidden
	case ErrNotFound:
		return e.status == http.StatusNotFound
	case ErrTimeout:
		return e.status == http.StatusRequestTimeout || e.status == http.StatusGatewayTimeout
	case ErrRateLimited:
		return e.status == http.StatusTooManyRequests
	case ErrUnavailable:
		return e.status == http.StatusBadGateway || e.status == http.StatusServiceUnavailable
	}
	return false
}

// ConnError is a request that got no response. It matches ErrUnreachable.
type ConnError struct {
	Method, Path, Host string
	// Sent is false when the request demonstrably never reached the service.
	Sent    bool
	Timeout bool // a time-out of this client's
	Err     error
}

// Error says what was tried and why no response came.
func (e *ConnError) Error() string {
	return fmt.Sprintf("%s %s: cannot reach %s: %v", e.Method, e.Path, e.Host, e.Err)
}

// Unwrap returns the cause.
func (e *ConnError) Unwrap() error { return e.Err }

// Is reports whether target is ErrUnreachable, or ErrTimeout for a time-out.
func (e *ConnError) Is(target error) bool {
	return target == ErrUnreachable || target == ErrTimeout && e.Timeout
}

// inputError is input that was refused before anything was sent.
type inputError struct{ error }

func (e *inputError) Is(target error) bool { return target == ErrInvalid }
func (e *inputError) Unwrap() error        { return e.error }
