package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/tracecontext"
)

// routes is everything the server serves.
func (s *Server) routes() http.Handler {
	protocol := s.guard(s.authenticated(s.selecting(s.bounded(http.HandlerFunc(s.dual), s.batchRefused))))
	sse := s.guard(s.authenticated(s.selecting(s.bounded(s.sse, func(*http.Request, int) string {
		return "server-sent events take one message at a time; send each in a request of its own"
	}))))
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
	if login := s.opts.Login; login != nil {
		limited := s.limited(login)
		for _, path := range []string{loginMetadataPath, loginMetadataPath + "/mcp", "/oauth/token", "/oauth/register", "/oauth/revoke"} {
			mux.Handle(path, s.guard(limited))
		}
		mux.Handle("/oauth/", s.known(limited)) // pages, to which others send browsers
	}
	mux.Handle("GET /healthz", s.guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		httpserver.JSON(w, http.StatusOK, map[string]string{"status": "up"})
	})))
	mux.Handle("GET /readyz", s.guard(s.ready))
	mux.Handle("GET /readyz/{part}", s.guard(s.ready))
	mux.Handle("GET /metrics", s.guard(http.HandlerFunc(s.opts.Metrics.all.ServeCounts)))
	return s.outer(mux)
}

// Handler handles the server's requests, for tests and other servers. It must
// not be mounted below another path.
func (s *Server) Handler() http.Handler { return s.handler }

// outer is around every request: counting, panics.
func (s *Server) outer(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		out := newStream(w, s.opts.WriteTimeout, s.opts.KeepAlive)
		r = httpserver.WithRequestID(out, r.WithContext(tracecontext.From(r.Context(), r.Header)))
		defer func() { // whatever happened, also where the handler aborts the connection
			out.end()
			s.opts.Metrics.http.Add(1, r.Pattern, strconv.Itoa(max(out.status, http.StatusOK)))
			level := slog.LevelDebug
			if s.opts.AccessLog {
				level = slog.LevelInfo
			}
			httpserver.LogRequest(s.opts.Logger, level, r, cmp.Or(r.Pattern, "none"), max(out.status, http.StatusOK), out.bytes, time.Since(start))
		}()
		defer func() {
			if httpserver.Recovered(r.Context(), recover(), s.opts.Logger, "a handler panicked", "path", r.URL.Path) && out.status == 0 {
				httpserver.Problem(out, http.StatusInternalServerError, httpserver.DetailBug)
			}
		}()
		out.Header().Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(out, r)
	})
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
		if !s.slots.TryAcquire(1) {
			s.busy(w)
			return
		}
		defer s.slots.Release(1)
		body, err := httpserver.ReadBody(w, r, s.opts.MaxBody, s.opts.BodyTimeout)
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
		if err := httpserver.Unambiguous(body); err != nil {
			s.turn(w, "body", http.StatusBadRequest, err.Error())
			return
		}
		if n, batch := batchSize(body); batch {
			if why := refused(r, n); why != "" {
				s.turnBatch(w, why)
				return
			}
			more := max(n-1, 0)
			if !s.slots.TryAcquire(more) {
				s.busy(w)
				return
			}
			defer s.slots.Release(more)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// limited bounds how many requests beside the protocol are worked on.
func (s *Server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.slots.TryAcquire(1) {
			s.busy(w)
			return
		}
		defer s.slots.Release(1)
		next.ServeHTTP(w, r)
	})
}

func (s *Server) busy(w http.ResponseWriter) {
	s.opts.Metrics.turned.Add(1, "busy")
	httpserver.Unavailable(w, httpserver.DetailBusy)
}

// linger is how long streams outlive the last work: its response is written after
// it, and on its way to the client.
const linger = 250 * time.Millisecond

// finished returns when nothing is worked on and the last responses are written,
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

// cancelTime is how long calls that are cancelled at the end have for their responses.
const cancelTime = 3 * time.Second

// Serve serves on ln until ctx ends. Then it is no longer ready, takes no new
// connections, lets what runs finish within Options.Drain, cancels what does not,
// ends streams and sessions, and returns. It closes ln. A server serves once. Close
// the boundary after it, for calls that do not even end when they are cancelled.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	sharing, stop := context.WithCancel(context.WithoutCancel(ctx)) // until the last call ended
	shared := s.sessions.share(sharing)
	var watched sync.WaitGroup
	watched.Go(func() { s.ready.Watch(sharing) })
	defer func() { stop(); shared(); watched.Wait() }()
	err := httpserver.Serve(ctx, ln, &http.Server{ // a request has no time limit here: each tool has its own
		Handler:        s.handler,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(s.opts.Logger.Handler(), slog.LevelDebug),
	}, httpserver.Shutdown{
		// Streams end once nothing runs; the shutdown waits for them and for responses.
		Delay: s.opts.DrainDelay, Leave: func() { close(s.leaving) },
		Drain: s.opts.Drain, Begin: func() { close(s.work.draining) },
		Cancel: cancelTime, Abort: s.opts.Boundary.Cancel,
		Running: s.work.count, Logger: s.opts.Logger,
	})
	for ss := range s.sdk.Sessions() {
		go func() { _ = ss.Close() }() // a tool that does not end must not hold us
	}
	return err
}
