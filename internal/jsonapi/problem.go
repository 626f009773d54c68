package jsonapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// Problem is a refusal on its way to the caller. None of its texts may come
// from a database, from another user or from a token.
type Problem struct {
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
func (p *Problem) Error() string { return p.Code + ": " + p.Message }

// ErrorBody is the body of every answer that is a refusal.
type ErrorBody struct {
	Error     any    `json:"error"`
	RequestID string `json:"requestId"`
}

// Detail is the part of the problem that goes into the body.
func (p *Problem) Detail() any {
	if p.Body != nil {
		return p.Body
	}
	return struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	}{p.Code, p.Message, p.Hint}
}

// Internal is a fault of the service, of which the caller learns no more.
func Internal() *Problem {
	return &Problem{Status: http.StatusInternalServerError, Code: "internal", Message: "the service has a fault, which it has logged under the request id"}
}

// Invalid is a request that makes no sense.
func Invalid(message, hint string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Code: "invalid", Message: message, Hint: hint}
}

// NotFound is something there is not.
func NotFound(message, hint string) *Problem {
	return &Problem{Status: http.StatusNotFound, Code: "not_found", Message: message, Hint: hint}
}

// Method is a method that a path does not know; allow lists those it does.
func Method(allow string) *Problem {
	return &Problem{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: "this path does not know that method", Hint: "use " + allow, Allow: allow}
}

// Refuse answers with a problem.
func Refuse(w http.ResponseWriter, r *http.Request, p *Problem, log *slog.Logger) {
	head := w.Header()
	if p.Allow != "" {
		head.Set("Allow", p.Allow)
	}
	if p.Challenge != "" {
		head.Set("WWW-Authenticate", p.Challenge)
	}
	if p.RetryAfter > 0 {
		head.Set("Retry-After", strconv.Itoa(int((p.RetryAfter+time.Second-1)/time.Second)))
	}
	if r.ContentLength != 0 && !bodyRead(r.Context()) {
		// What is left of the body is not waited for: it may be slow or huge.
		head.Set("Connection", "close")
	}
	Answer(w, r, p.Status, ErrorBody{p.Detail(), RequestID(r.Context())}, log)
}

// Answer writes a JSON value. Nothing of it may be kept by anybody between.
func Answer(w http.ResponseWriter, r *http.Request, status int, value any, log *slog.Logger) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		log.ErrorContext(r.Context(), "an answer could not be written as JSON", "error", err, "request", RequestID(r.Context()))
		body.Reset()
		status = http.StatusInternalServerError
		_ = enc.Encode(ErrorBody{Internal().Detail(), RequestID(r.Context())}) // four texts
	}
	head := w.Header()
	head.Set("Content-Type", "application/json")
	head.Set("Cache-Control", "no-store")
	head.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client went away
}
