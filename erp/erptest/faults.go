package erptest

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
)

// maxRequestLog bounds the log of [Faults.Requests]; older entries go first.
const maxRequestLog = 100_000

// Match says which requests a fault is for. The zero value means all of them.
type Match struct {
	// Method is the HTTP method, "" any.
	Method string
	// Path is the path below /api/v1, such as "/models/AD_Column", in any case
	// of letters; "*" stands for one segment or a part of it, as in [path.Match],
	// and "/..." at the end for anything below. "" is any path.
	Path string
	// N is the number of the request, counted from 1 among those that fit
	// Method and Path since the fault was set; 0 means every one.
	N int
	// Times is how many requests from the Nth on are meant; 0 is one. Without N
	// it has no meaning.
	Times int
}

func (m Match) fits(method, urlPath string) bool {
	if m.Method != "" && !strings.EqualFold(m.Method, method) {
		return false
	}
	if m.Path == "" {
		return true
	}
	given := strings.ToLower(strings.TrimPrefix(urlPath, "/api/v1"))
	want := strings.ToLower(m.Path)
	if below, ok := strings.CutSuffix(want, "/..."); ok {
		segments := strings.Count(below, "/") + 1
		parts := strings.Split(given, "/")
		if len(parts) < segments {
			return false
		}
		given, want = strings.Join(parts[:segments], "/"), below
	}
	ok, err := path.Match(want, given)
	return ok && err == nil
}

func (m Match) due(n int) bool {
	return m.N == 0 || n >= m.N && n < m.N+max(m.Times, 1)
}

// RequestInfo is one request the server received.
type RequestInfo struct {
	Number int // counted from 1
	Method string
	Path   string // without the query
	// Status is the status of the response; 0 when the connection was cut before
	// one was sent, or none was sent yet.
	Status int
	// Fault names what was done to the request, "" for nothing.
	Fault string
}

// Faults is the fault switch of a [Server]: rules that make chosen requests
// fail, wait, break off or run twice, and a log of all requests. It is safe
// for concurrent use.
type Faults struct {
	mu    sync.Mutex // guards the fields below
	rules []*Fault
	log   []RequestInfo
	total int
}

// Fault is one rule of a fault switch.
type Fault struct {
	faults *Faults
	match  Match
	action Action
	seen   int // requests that fit Method and Path
	hits   int // requests the action was done to
}

// Hits is how many requests the fault was done to so far.
func (f *Fault) Hits() int {
	f.faults.mu.Lock()
	defer f.faults.mu.Unlock()
	return f.hits
}

// Remove ends the rule; a request it holds already stays held.
func (f *Fault) Remove() {
	f.faults.mu.Lock()
	defer f.faults.mu.Unlock()
	f.faults.rules = slices.DeleteFunc(f.faults.rules, func(r *Fault) bool { return r == f })
}

// On sets a rule. Of several rules that are due for a request the one set
// first is used; the others count the request nevertheless.
func (f *Faults) On(m Match, a Action) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	rule := &Fault{faults: f, match: m, action: a}
	f.rules = append(f.rules, rule)
	return rule
}

// Reset removes all rules and forgets the log. Requests that are held go on
// only when what holds them does.
func (f *Faults) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules, f.log, f.total = nil, nil, 0
}

// Requests are the requests received since the server began or [Faults.Reset],
// in the order of their arrival, at most the last 100,000. Neither headers nor
// bodies are kept.
func (f *Faults) Requests() []RequestInfo {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

// Count is how many of [Faults.Requests] fit the method and path of m.
func (f *Faults) Count(m Match) int {
	n := 0
	for _, r := range f.Requests() {
		if m.fits(r.Method, r.Path) {
			n++
		}
	}
	return n
}

// arrive logs a request and finds the rule that is due for it.
func (f *Faults) arrive(r *http.Request) (number int, action Action) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total++
	var due *Fault
	for _, rule := range f.rules {
		if !rule.match.fits(r.Method, r.URL.Path) {
			continue
		}
		rule.seen++
		if due == nil && rule.match.due(rule.seen) {
			due = rule
		}
	}
	info := RequestInfo{Number: f.total, Method: r.Method, Path: r.URL.Path}
	if due != nil {
		due.hits++
		action, info.Fault = due.action, due.action.name
	}
	if len(f.log) >= maxRequestLog {
		f.log = append(f.log[:0], f.log[maxRequestLog/10:]...)
	}
	f.log = append(f.log, info)
	return f.total, action
}

func (f *Faults) sent(number, status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.log) == 0 {
		return
	}
	if i := number - f.log[0].Number; i >= 0 && i < len(f.log) && f.log[i].Number == number {
		f.log[i].Status = status
	}
}

// apply handles a request by next, with the fault that is due for it.
func (f *Faults) apply(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	number, action := f.arrive(r)
	sw := &statusWriter{ResponseWriter: w, sent: func(status int) { f.sent(number, status) }}
	if action.do == nil {
		next(sw, r)
		return
	}
	action.do(sw, r, next)
}

// statusWriter notes the status of a response as it is sent.
type statusWriter struct {
	http.ResponseWriter
	sent func(status int)
	done bool
}

// Unwrap is for [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) WriteHeader(status int) {
	if !w.done && status >= 200 {
		w.done = true
		w.sent(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	if !w.done {
		w.done = true
		w.sent(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}
