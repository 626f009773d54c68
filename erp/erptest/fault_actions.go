package erptest

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Action is what a fault does to a request. The functions [Fail], [HTML],
// [Delay], [Hold], [CutBefore], [CutAfter], [CutMiddle] and [Duplicate] make
// one; the zero value handles the request as if there were no fault.
type Action struct {
	name string
	do   func(w http.ResponseWriter, r *http.Request, next http.HandlerFunc)
}

// FailOption adds to the response of [Fail].
type FailOption func(http.Header) (contentType, body string)

// RetryAfter adds a Retry-After header in whole seconds, rounded up.
func RetryAfter(d time.Duration) FailOption {
	return func(h http.Header) (string, string) {
		h.Set("Retry-After", strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10))
		return "", ""
	}
}

// Body gives the response a body.
func Body(contentType, body string) FailOption {
	return func(http.Header) (string, string) { return contentType, body }
}

// Fail responds with the status and does not handle the request. Without
// [Body] the response is an error object as the REST plugin writes it.
func Fail(status int, options ...FailOption) Action {
	return Action{name: "fail " + strconv.Itoa(status), do: func(w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) {
		contentType := "application/json"
		body := `{"title":"Injected fault","status":` + strconv.Itoa(status) + `}`
		for _, option := range options {
			if ct, b := option(w.Header()); ct != "" || b != "" {
				contentType, body = ct, b
			}
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}}
}

// HTML responds with the status and an HTML page, as a proxy in front of the
// server would, and does not handle the request.
func HTML(status int) Action {
	a := Fail(status, Body("text/html;charset=utf-8", "<!DOCTYPE html>\n<html><head><title>"+http.StatusText(status)+
		"</title></head><body><h1>"+http.StatusText(status)+"</h1></body></html>\n"))
	a.name = "html " + strconv.Itoa(status)
	return a
}

// Delay handles the request after d, or cuts it when the client leaves before.
func Delay(d time.Duration) Action {
	return Action{name: "delay", do: func(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		t := time.NewTimer(d)
		defer t.Stop()
		wait(w, r, next, t.C)
	}}
}

// Hold handles the request once until is closed or yields, or cuts it when the
// client leaves before.
func Hold(until <-chan struct{}) Action {
	return Action{name: "hold", do: func(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		wait(w, r, next, until)
	}}
}

func wait[T any](w http.ResponseWriter, r *http.Request, next http.HandlerFunc, until <-chan T) {
	// The server notices that the client is gone only when the body is read.
	body, ok := readAll(w, r)
	if !ok {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	select {
	case <-until:
		next(w, r)
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

// CutBefore resets the connection without handling the request.
func CutBefore() Action {
	return Action{name: "cut before", do: func(w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) { cut(w) }}
}

// CutAfter handles the request and resets the connection instead of
// responding.
func CutAfter() Action {
	return Action{name: "cut after", do: func(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		next(newMemoryWriter(), r)
		cut(w)
	}}
}

// CutMiddle handles the request and breaks the connection off in the middle of
// the response's body: its header promises more than what comes.
func CutMiddle() Action {
	return Action{name: "cut middle", do: func(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		m := newMemoryWriter()
		next(m, r)
		body := m.body.Bytes()
		if len(body) < 2 {
			cut(w)
		}
		m.header.Set("Content-Length", strconv.Itoa(len(body)))
		m.sendHeader(w)
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush() // what cannot be flushed is lost all the same
		panic(http.ErrAbortHandler)
	}}
}

// Duplicate handles the request twice and sends what came of the second
// time, as when a proxy retries it.
func Duplicate() Action {
	return Action{name: "duplicate", do: func(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		body, ok := readAll(w, r)
		if !ok {
			return
		}
		first := r.Clone(r.Context())
		first.Body = io.NopCloser(bytes.NewReader(body))
		next(newMemoryWriter(), first)
		r.Body = io.NopCloser(bytes.NewReader(body))
		next(w, r)
	}}
}

// readAll reads the body of a request that is to be held or sent twice.
func readAll(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
	if err != nil {
		http.Error(w, "reading the request", http.StatusBadRequest)
		return nil, false
	}
	return body, true
}

// cut resets the connection, so that the client sees no orderly end. Where the
// connection cannot be had (HTTP/2, say) the response is aborted.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // close then resets
	}
	_ = conn.Close()
	panic(http.ErrAbortHandler)
}
