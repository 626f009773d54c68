package httpserver

import (
	"context"
	"net/http"
	"time"
)

// The states of [Readiness].
const (
	StateReady    = "ready"
	StateNotReady = "not ready"
	StateEnding   = "ending"
)

// readyTimeout limits the check of a server's readiness.
const readyTimeout = 5 * time.Second

// Readiness is the state of a server for /readyz: ending once draining is
// closed, not ready with the error of the check, or ready. The check has five
// seconds; nil is always ready.
func Readiness(ctx context.Context, draining <-chan struct{}, check func(context.Context) error) (state string, err error) {
	if closed(draining) {
		return StateEnding, nil
	}
	if check == nil {
		return StateReady, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if err := check(ctx); err != nil {
		return StateNotReady, err
	}
	return StateReady, nil
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	plain(w, http.StatusOK, "ok")
}

func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	state, err := Readiness(r.Context(), s.leaving, s.opts.Ready)
	if err != nil {
		s.log.Warn("the server is not ready", "error", err)
	}
	status := http.StatusOK
	if state != StateReady {
		status = http.StatusServiceUnavailable
	}
	plain(w, status, state)
}

func plain(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // the client went away
}
