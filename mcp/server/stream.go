package server

import (
	"cmp"
	"net/http"
	"strings"
	"sync"
	"time"
)

// stream is a response that is written for as long as the client listens. Each
// piece has a deadline, so that a client that does not read is cut off; between
// pieces signs of life are sent, so that nothing on the way cuts it off.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
	every   time.Duration

	mu     sync.Mutex // guards the writer below and what follows
	status int
	bytes  int64
	alive  *time.Timer // sends the next sign of life; nil: there are none
	ended  bool
}

func newStream(w http.ResponseWriter, limit, every time.Duration) *stream {
	return &stream{ResponseWriter: w, control: http.NewResponseController(w), limit: limit, every: every}
}

func (s *stream) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.headerLocked(status)
}

func (s *stream) headerLocked(status int) {
	if s.status == 0 && status >= 200 {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write writes one piece. Events of the protocol come whole.
func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, http.ErrHandlerTimeout
	}
	s.status = cmp.Or(s.status, http.StatusOK)
	s.deadlineLocked()
	n, err := s.ResponseWriter.Write(b)
	s.bytes += int64(n)
	if err == nil && s.alive == nil && strings.HasPrefix(s.Header().Get("Content-Type"), "text/event-stream") {
		s.alive = time.AfterFunc(s.every, s.sign) // most responses end before it is due
	}
	return n, err
}

// FlushError is the method by which http.ResponseController flushes.
func (s *stream) FlushError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return http.ErrHandlerTimeout
	}
	s.deadlineLocked()
	return s.control.Flush()
}

func (s *stream) deadlineLocked() {
	// Where the connection has no deadlines, as in tests without one, none is set.
	_ = s.control.SetWriteDeadline(time.Now().Add(s.limit))
}

// sign sends a comment, which clients skip, and does so again when it is due.
func (s *stream) sign() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.deadlineLocked()
	_, err := s.ResponseWriter.Write([]byte(": still here\n\n"))
	if err == nil {
		err = s.control.Flush()
	}
	if err == nil { // else the request's context ends, too
		s.alive.Reset(s.every)
	}
}

// end must be called before the handler returns.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.alive != nil {
		s.alive.Stop()
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }
