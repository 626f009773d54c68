package contracttest

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// maxReported bounds what a failing test prints.
const maxReported = 20

// Validator checks the traffic that passes through it. It is safe for concurrent
// use.
type Validator struct {
	routes *routes

	mu         sync.Mutex // guards what follows
	violations []error
	covered    map[string]bool
}

// NewValidator returns a validator that fails the test at its end for every
// violation of the contract it saw. Make it before the server is started, so that the
// server is closed, and its last response judged, before the test is. The contract is
// read once per test binary.
func NewValidator(t testing.TB) *Validator {
	t.Helper()
	v := newValidator(t)
	t.Cleanup(func() {
		all := v.Violations()
		for i, err := range all {
			if i == maxReported {
				t.Errorf("contract: %d more violations", len(all)-i)
				break
			}
			t.Errorf("contract: %v", err)
		}
	})
	return v
}

// NewRecorder returns a validator that leaves it to the test to look at
// [Validator.Violations].
func NewRecorder(t testing.TB) *Validator {
	t.Helper()
	return newValidator(t)
}

func newValidator(t testing.TB) *Validator {
	t.Helper()
	r, err := current()
	if err != nil {
		t.Fatalf("contract: %v", err)
	}
	return &Validator{routes: r, covered: map[string]bool{}}
}

// Violations returns what broke the contract so far, each with method, path and
// status.
func (v *Validator) Violations() []error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.violations)
}

// Covered returns the operations the server accepted so far as "METHOD path",
// sorted. Together with [Operations] it shows what no test uses.
func (v *Validator) Covered() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(maps.Keys(v.covered))
}

func (v *Validator) judge(x *exchange) {
	op, violations := v.routes.check(x)
	v.mu.Lock()
	defer v.mu.Unlock()
	if op != "" {
		v.covered[op] = true
	}
	for _, err := range violations {
		// The query is left out of the message: it may carry a signature.
		v.violations = append(v.violations, fmt.Errorf("%s %s%s: %w", x.method, basePath, x.path, err))
	}
}

// checked reports whether a request is subject to the contract, and its path below
// the API.
func checked(r *http.Request) (path string, ok bool) {
	if r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return "", false
	}
	// A server may be mounted below a prefix of a proxy.
	_, path, ok = strings.Cut(r.URL.EscapedPath(), basePath)
	return path, ok
}

// Wrap returns a handler that serves through h and checks each request and response.
func (v *Validator) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := checked(r)
		if !ok {
			h.ServeHTTP(w, r)
			return
		}
		x := &exchange{method: r.Method, path: path, rawQuery: r.URL.RawQuery, header: r.Header.Clone()}
		x.body.keep = isJSON(r.Header)
		body := bodyReader{http.NoBody, &x.body}
		if r.Body != nil {
			body.ReadCloser = r.Body
		}
		x.body.complete = body.ReadCloser == http.NoBody
		r = r.WithContext(r.Context()) // a copy: the body of the caller's stays
		r.Body = body
		rec := &responseWriter{ResponseWriter: w, capture: &x.respBody}
		h.ServeHTTP(rec, r)
		body.rest()
		x.respBody.complete = true
		x.status, x.respHeader = rec.status, rec.header
		if x.status == 0 {
			x.status, x.respHeader = http.StatusOK, w.Header().Clone()
		}
		v.judge(x)
	})
}

// Transport returns a round tripper that sends through base, or the default
// transport when base is nil, and checks each request and response. JSON responses are
// read completely before they are handed on.
func (v *Validator) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{v: v, base: base}
}

type transport struct {
	v    *Validator
	base http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	path, ok := checked(r)
	if !ok {
		return t.base.RoundTrip(r)
	}
	x := &exchange{method: r.Method, path: path, rawQuery: r.URL.RawQuery, header: r.Header.Clone()}
	switch {
	case r.Body == nil || r.Body == http.NoBody:
		x.body.complete = true
	case isJSON(r.Header):
		data, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		x.body.keep, x.body.complete = true, true
		x.body.add(data)
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(data))
	}
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	x.status, x.respHeader = resp.StatusCode, resp.Header
	if isJSON(resp.Header) {
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil { // a broken response stays as broken as it came
			resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(data), failing{err}))
			return resp, nil
		}
		resp.Body = io.NopCloser(bytes.NewReader(data))
		x.respBody.keep, x.respBody.complete = true, true
		x.respBody.add(data)
	} else if resp.ContentLength != 0 {
		x.respBody.size = 1 // something, which is all that is asked of it
	}
	t.v.judge(x)
	return resp, nil
}

// failing is a reader that only has an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
