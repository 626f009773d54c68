package httpserver

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// APIError is an error response of a JSON API, as an error. None of its texts
// may come from a database, from another user or from a token.
type APIError struct {
	Status     int
	Code       string
	Message    string
	Hint       string
	Body       any           // stands for code, message and hint in the response; nil: they do
	RetryAfter time.Duration // 0: none
	Allow      string        // header Allow
	Challenge  string        // header WWW-Authenticate
}

// Error is the code and the message.
func (e *APIError) Error() string { return e.Code + ": " + e.Message }

// ErrorBody is the body of every error response of a JSON API.
type ErrorBody struct {
	Error     any    `json:"error"`
	RequestID string `json:"requestId"`
}

// Detail is the part of the error that goes into the body.
func (e *APIError) Detail() any {
	if e.Body != nil {
		return e.Body
	}
	return struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	}{e.Code, e.Message, e.Hint}
}

// InternalError is a fault of the service, of which the caller learns no more.
func InternalError() *APIError {
	return &APIError{Status: http.StatusInternalServerError, Code: "internal", Message: "the service has a fault, which it has logged under the request id"}
}

// InvalidRequest is a request that makes no sense.
func InvalidRequest(message, hint string) *APIError {
	return &APIError{Status: http.StatusBadRequest, Code: "invalid", Message: message, Hint: hint}
}

// NotFound is something that does not exist.
func NotFound(message, hint string) *APIError {
	return &APIError{Status: http.StatusNotFound, Code: "not_found", Message: message, Hint: hint}
}

// MethodNotAllowed is a method that a path does not support; allow lists those it
// does.
func MethodNotAllowed(allow string) *APIError {
	return &APIError{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: "this path does not know that method", Hint: "use " + allow, Allow: allow}
}

// RespondError writes an error response.
func RespondError(w http.ResponseWriter, r *http.Request, e *APIError, log *slog.Logger) {
	head := w.Header()
	if e.Allow != "" {
		head.Set("Allow", e.Allow)
	}
	if e.Challenge != "" {
		head.Set("WWW-Authenticate", e.Challenge)
	}
	if e.RetryAfter > 0 {
		head.Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	if r.ContentLength != 0 && !bodyRead(r.Context()) {
		// What is left of the body is not waited for: it may be slow or huge.
		head.Set("Connection", "close")
	}
	Respond(w, r, e.Status, ErrorBody{e.Detail(), RequestID(r.Context())}, log)
}

// Respond writes a JSON response, which nobody between may cache. A value that
// cannot be written is logged and becomes an internal error.
func Respond(w http.ResponseWriter, r *http.Request, status int, value any, log *slog.Logger) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		log.ErrorContext(r.Context(), "a response could not be written as JSON", "error", err, "request", RequestID(r.Context()))
		body.Reset()
		status = http.StatusInternalServerError
		_ = enc.Encode(ErrorBody{InternalError().Detail(), RequestID(r.Context())}) // four texts
	}
	head := w.Header()
	head.Set("Content-Type", "application/json")
	head.Set("Cache-Control", "no-store")
	head.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client went away
}
