package aiclient

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// What errors.Is finds in the errors of this package. The first group goes by
// the status of the answer.
var (
	ErrRefused      = errors.New("the service refuses that")                       // 400, 413, 415, 422
	ErrUnauthorized = errors.New("no token, or one that is not valid there")       // 401
	ErrDenied       = errors.New("the role may not do that, or is not the user's") // 403
	ErrNotFound     = errors.New("not found")                                      // 404
	ErrTimeout      = errors.New("it took too long")                               // 408, 504
	ErrRateLimited  = errors.New("too many requests")                              // 429
	ErrUnavailable  = errors.New("the service cannot answer now")                  // 502, 503

	// ErrUnreachable is in every error for which no answer came, and ErrTimeout
	// too when that was because of a time-out of this client.
	ErrUnreachable = errors.New("the AI API cannot be reached")
	// ErrBadResponse is in the error of an answer that is not the API's: a page,
	// a redirect, a cut-off or oversized body.
	ErrBadResponse = errors.New("the answer is not that of the AI API")
	// ErrInvalid is in every error about input that was refused before anything
	// was sent.
	ErrInvalid = errors.New("invalid input")
)

// Error is an answer that is a refusal.
type Error struct {
	Status     int    // HTTP status
	Code       string // of the service, such as "permission_denied"
	Message    string
	Hint       string        // what to do; may be empty
	Position   int           // in the statement, in characters from 1; 0: none
	RequestID  string        // key to the service's log and audit
	RetryAfter time.Duration // 0: none
	Method     string
	Path       string
}

// Error says what was tried, the status and the service's words.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %d %s", e.Method, e.Path, e.Status, e.Message)
	if e.Position > 0 {
		fmt.Fprintf(&b, " (at character %d)", e.Position)
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	if e.RequestID != "" {
		b.WriteString(" (request " + e.RequestID + ")")
	}
	return b.String()
}

// Is makes errors.Is find the sentinel that belongs to the status.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrRefused:
		return e.Status == http.StatusBadRequest || e.Status == http.StatusRequestEntityTooLarge ||
			e.Status == http.StatusUnsupportedMediaType || e.Status == http.StatusUnprocessableEntity
	case ErrUnauthorized:
		return e.Status == http.StatusUnauthorized
	case ErrDenied:
		return e.Status == http.StatusForbidden
	case ErrNotFound:
		return e.Status == http.StatusNotFound
	case ErrTimeout:
		return e.Status == http.StatusRequestTimeout || e.Status == http.StatusGatewayTimeout
	case ErrRateLimited:
		return e.Status == http.StatusTooManyRequests
	case ErrUnavailable:
		return e.Status == http.StatusBadGateway || e.Status == http.StatusServiceUnavailable
	}
	return false
}

// ConnError is a request that got no answer. It matches ErrUnreachable.
type ConnError struct {
	Method, Path, Host string
	// Sent is false when the request demonstrably never reached the service.
	Sent    bool
	Timeout bool // a time-out of this client's
	Err     error
}

// Error says what was tried and why no answer came.
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
