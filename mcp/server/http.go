package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/erphub/erphub/internal/httpserver"
)

// routes is everything the server answers.
func (s *Server) routes() http.Handler {
	protocol := s.guard(s.authenticated(s.bounded(http.HandlerFunc(s.dual), s.batchRefused)))
	sse := s.guard(s.authenticated(s.bounded(s.sse, func(*http.Request, int) string {
		return "server-sent events take one message at a time; send each in a request of its own"
	})))
	if s.opts.Stateless {
		sse = s.guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			httpserver.Problem(w, http.StatusNotFound, "this server keeps no sessions, which /mcp/sse needs; use /mcp")
		}))
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", protocol)
	mux.Handle("/mcp/{$}", protocol)
	mux.Handle("/mcp/sse", sse)
	mux.Handle("GET "+metadataPath, s.guard(http.HandlerFunc(s.metadata)))
	mux.Handle("GET "+metadataPath+"/mcp", s.guard(http.HandlerFunc(s.metadata)))
	mux.Handle("GET /healthz", s.guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		httpserver.JSON(w, http.StatusOK, map[string]string{"status": "up"})
	})))
	mux.Handle("GET /readyz", s.guard(http.HandlerFunc(s.readyz)))
	mux.Handle("GET /metrics", s.guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		httpserver.MetricsText(w, s.opts.Metrics.all.Counts())
	})))
	return s.outer(mux)
}

// Handler is what the server answers with, for tests and other servers. It must
// not be mounted below another path.
func (s *Server) Handler() http.Handler { return s.handler }

// outer is around every request: counting, panics.
func (s *Server) outer(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := newStream(w, s.opts.WriteTimeout, s.opts.KeepAlive)
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler { //nolint:errorlint // it is panicked as it is
				s.opts.Logger.Error("a handler panicked", "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if out.status == 0 {
					httpserver.Problem(out, http.StatusInternalServerError, "the server has a bug here, which it has logged")
				}
			}
			out.end()
			s.opts.Metrics.http.Add(1, r.Pattern, strconv.Itoa(max(out.status, http.StatusOK)))
			if p == http.ErrAbortHandler { //nolint:errorlint // see above
				panic(p)
			}
		}()
		out.Header().Set("X-Content-Type-Options", "nosniff")
		out.Header().Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(out, r)
	})
}

func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.work.draining:
		httpserver.JSON(w, http.StatusServiceUnavailable, map[string]string{"status": "ending"})
		return
	default:
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	type state struct {
		Status  string   `json:"status"`
		Missing []string `json:"missing,omitempty"`
	}
	if err := s.opts.Ready(ctx); err != nil {
		var lacks *NotReady
		if !errors.As(err, &lacks) {
			lacks = &NotReady{}
		}
		if lacks.Serves {
			httpserver.JSON(w, http.StatusOK, state{"ready", lacks.Missing})
			return
		}
		s.opts.Logger.Warn("the server is not ready", "error", err)
		httpserver.JSON(w, http.StatusServiceUnavailable, state{"not ready", lacks.Missing})
		return
	}
	httpserver.JSON(w, http.StatusOK, state{Status: "ready"})
}

// bounded reads the body of a request, within its time and size, before the
// protocol sees it, and bounds how many are worked on: each message of a batch
// counts. refused is why a batch of so many messages cannot be taken, "" when it
// can. Streams, which GET opens, are bounded by sessions and end when the server
// does.
func (s *Server) bounded(next http.Handler, refused func(r *http.Request, batch int) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			released := make(chan struct{})
			defer close(released)
			go func() { // ends with the request
				select {
				case <-s.work.draining:
					s.finished(ctx)
					cancel()
				case <-released:
				}
			}()
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		if !s.takeSlots(1) {
			s.busy(w)
			return
		}
		defer s.freeSlots(1)
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(s.opts.BodyTimeout))
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opts.MaxBody))
		var long *http.MaxBytesError
		switch {
		case errors.As(err, &long):
			s.turn(w, "size", http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is longer than %d bytes", long.Limit))
			return
		case err != nil:
			w.Header().Set("Connection", "close")
			s.turn(w, "body", http.StatusRequestTimeout, "the request did not arrive whole in time")
			return
		}
		_ = control.SetReadDeadline(time.Time{}) // or it would end the work on it
		if n, batch := batchSize(body); batch {
			if why := refused(r, n); why != "" {
				s.turnBatch(w, why)
				return
			}
			more := max(n-1, 0)
			if !s.takeSlots(more) {
				s.busy(w)
				return
			}
			defer s.freeSlots(more)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func (s *Server) busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	s.turn(w, "busy", http.StatusServiceUnavailable, "too many requests at a time; try again")
}

// linger is how long streams outlive the last work: its answer is written after
// it, and on its way to the client.
const linger = 250 * time.Millisecond

// finished returns when nothing is worked on and the last answers are written,
// or with ctx.
func (s *Server) finished(ctx context.Context) {
	quiet := time.NewTimer(linger)
	defer quiet.Stop()
	for {
		s.work.wait(ctx)
		quiet.Reset(linger)
		select {
		case <-quiet.C:
		case <-ctx.Done():
			return
		}
		if s.work.count() == 0 {
			return
		}
	}
}

// Serve answers on ln until ctx ends. Then it is no longer ready, takes no new
// connections, lets what runs finish within Options.Drain, ends streams and
// sessions, and returns. It closes ln. A server serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.opts.Logger.Handler(), slog.LevelDebug),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- s.drain(context.WithoutCancel(ctx), srv) })
	err := srv.Serve(ln)
	if !errors.Is(err, http.ErrServerClosed) {
		stop()
		return err
	}
	return <-stopped
}

func (s *Server) drain(ctx context.Context, srv *http.Server) error {
	s.opts.Logger.Info("the server ends", "running", s.work.count())
	close(s.work.draining)
	ctx, cancel := context.WithTimeout(ctx, s.opts.Drain)
	defer cancel()
	// Streams end once nothing runs; Shutdown waits for them and for answers.
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.opts.Logger.Warn("requests were cut off, because they took too long to finish", "running", s.work.count())
		err = srv.Close()
	}
	for ss := range s.sdk.Sessions() {
		go func() { _ = ss.Close() }() // a tool that does not end must not hold us
	}
	return err
}
