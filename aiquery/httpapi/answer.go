package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// problem is a refusal on its way to the caller. None of its texts comes from
// a database, from another user or from a token.
type problem struct {
	status     int
	code       string
	message    string
	hint       string
	position   int           // in the statement, in characters, from 1; 0: none
	retryAfter time.Duration // 0: none
	allow      string        // header Allow
	challenge  string        // header WWW-Authenticate
}

func (p *problem) Error() string { return p.code + ": " + p.message }

// errorBody is the body of every answer that is a refusal.
type errorBody struct {
	Error     errorDetail `json:"error"`
	RequestID string      `json:"requestId"`
}

type errorDetail struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Position int    `json:"position,omitempty"`
}

func (p *problem) detail() errorDetail {
	return errorDetail{p.code, p.message, p.hint, p.position}
}

// refuse answers with a problem.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, p *problem) {
	head := w.Header()
	if p.allow != "" {
		head.Set("Allow", p.allow)
	}
	if p.challenge != "" {
		head.Set("WWW-Authenticate", p.challenge)
	}
	if p.retryAfter > 0 {
		head.Set("Retry-After", strconv.Itoa(int((p.retryAfter+time.Second-1)/time.Second)))
	}
	if r.ContentLength != 0 && !bodyRead(r.Context()) {
		// What is left of the body is not waited for: it may be slow or huge.
		head.Set("Connection", "close")
	}
	h.answer(w, r, p.status, errorBody{p.detail(), requestID(r.Context())})
}

// answer writes a JSON value. Nothing of it may be kept by anybody between.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, status int, value any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		h.log.ErrorContext(r.Context(), "an answer could not be written as JSON", "error", err, "request", requestID(r.Context()))
		body.Reset()
		status = http.StatusInternalServerError
		_ = enc.Encode(errorBody{internalError().detail(), requestID(r.Context())}) // four texts
	}
	head := w.Header()
	head.Set("Content-Type", "application/json")
	head.Set("Cache-Control", "no-store")
	head.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client went away
}

func internalError() *problem {
	return &problem{status: http.StatusInternalServerError, code: "internal", message: "the service has a fault, which it has logged under the request id"}
}

func invalid(message, hint string) *problem {
	return &problem{status: http.StatusBadRequest, code: "invalid", message: message, hint: hint}
}

func notFound(message, hint string) *problem {
	return &problem{status: http.StatusNotFound, code: "not_found", message: message, hint: hint}
}

// asProblem is what the caller learns of an error.
func (h *Handler) asProblem(ctx context.Context, err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	if p := engineProblem(err); p != nil {
		return p
	}
	switch {
	case errors.Is(err, ErrStoreFull):
		return &problem{status: http.StatusTooManyRequests, code: "rate_limited", message: "this user has published too many windows and charts",
			hint: "withdraw some with ttlSeconds 0, or wait until they expire", retryAfter: time.Second}
	case errors.Is(err, context.Canceled):
		return &problem{status: http.StatusServiceUnavailable, code: "canceled", message: "the request was given up"}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{status: http.StatusGatewayTimeout, code: "timeout", message: "the request took too long", hint: "try again"}
	}
	h.log.ErrorContext(ctx, "a request failed", "error", err, "request", requestID(ctx))
	return internalError()
}
