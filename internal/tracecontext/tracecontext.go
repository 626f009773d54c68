// Package tracecontext carries the W3C trace context (headers traceparent and
// tracestate) from a request to the requests that are made for it, so that they are
// found under one trace id. It makes no spans.
package tracecontext

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
)

const (
	parentHeader = "Traceparent"
	stateHeader  = "Tracestate"
	maxState     = 512 // bytes that have to be passed on; longer ones are left out
)

// trace is the context of a request. parent has the form of version 00.
type trace struct{ id, parent, state string }

type key struct{}

// From puts the trace of a request into a context, with an id of its own for the
// requests that are made for it. A request without a valid traceparent begins a trace
// that is not sampled.
func From(ctx context.Context, h http.Header) context.Context {
	id, flags, state := "", "00", ""
	if parents := h.Values(parentHeader); len(parents) == 1 {
		id, flags = parse(parents[0])
	}
	if id == "" {
		id, flags = random(16), "00"
	} else if s := strings.Join(h.Values(stateHeader), ","); len(s) <= maxState && printable(s) {
		state = s
	}
	return With(ctx, id, random(8), flags, state)
}

// With puts a trace into a context whose ids are known, in lower-case hexadecimal.
func With(ctx context.Context, traceID, spanID, flags, state string) context.Context {
	return context.WithValue(ctx, key{}, trace{traceID, "00-" + traceID + "-" + spanID + "-" + flags, state})
}

// ID is the trace id of a context, "" for none.
func ID(ctx context.Context) string {
	t, _ := ctx.Value(key{}).(trace)
	return t.id
}

// Inject writes the trace of a context into the headers of a request, unless they
// have one.
func Inject(ctx context.Context, h http.Header) {
	t, ok := ctx.Value(key{}).(trace)
	if !ok || len(h[parentHeader]) > 0 {
		return
	}
	h[parentHeader] = []string{t.parent}
	if t.state != "" {
		h[stateHeader] = []string{t.state}
	}
}

// parse reads a traceparent: version, trace id, parent id, flags. Of later versions
// the first four parts are read, as the recommendation has it. An empty id: not valid.
func parse(header string) (id, flags string) {
	const length = 55
	if len(header) < length || len(header) > length && (header[:2] == "00" || header[length] != '-') {
		return "", ""
	}
	parts := strings.Split(header[:length], "-")
	if len(parts) != 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 || len(parts[3]) != 2 || parts[0] == "ff" {
		return "", ""
	}
	for _, p := range parts {
		if strings.Trim(p, "0123456789abcdef") != "" {
			return "", ""
		}
	}
	if strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return "", ""
	}
	bits, _ := hex.DecodeString(parts[3]) // they are hexadecimal
	return parts[1], hex.EncodeToString([]byte{bits[0] & 1})
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' })
}

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}
