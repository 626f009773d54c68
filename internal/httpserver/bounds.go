package httpserver

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/erphub/erphub/internal/tracecontext"
)

// outer is around every request: names, headers, counting, panics.
func (s *Server) outer(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		s.open.Add(1)
		defer s.open.Add(-1)
		rec := &recorder{ResponseWriter: w}
		r = r.WithContext(tracecontext.From(r.Context(), r.Header))
		defer func() {
			if Recovered(r.Context(), recover(), s.log, "a handler panicked", "route", cmp.Or(rec.route, r.Pattern, "none")) && rec.status == 0 {
				Problem(rec, http.StatusInternalServerError, DetailBug)
			}
			s.count(r, rec, time.Since(start))
		}()
		r = WithRequestID(rec, r)
		h := rec.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if !KnownHost(s.opts.Hosts, r.Host) {
			s.refused.Add(1, "host")
			Problem(rec, http.StatusMisdirectedRequest, DetailHost)
			return
		}
		mux.ServeHTTP(rec, r)
	})
}

// count counts a request and its response. The route is a pattern, of which
// there are few, not the path, of which there is no end and which can be a
// secret, such as a link to a download.
func (s *Server) count(r *http.Request, rec *recorder, took time.Duration) {
	route := cmp.Or(rec.route, r.Pattern, "none")
	status := cmp.Or(rec.status, http.StatusOK)
	s.requests.Add(1, route, knownMethod(r.Method), strconv.Itoa(status))
	if !s.streams(r) && !s.long(r) {
		s.seconds.Observe(took.Seconds(), route)
	}
	level := slog.LevelDebug
	if s.opts.AccessLog {
		level = slog.LevelInfo
	}
	LogRequest(s.log, level, r, route, status, rec.bytes, took)
}

// LogRequest writes a line of the access log: the route, which is a pattern, instead
// of the path, which can hold a secret.
func LogRequest(log *slog.Logger, level slog.Level, r *http.Request, route string, status int, bytes int64, took time.Duration) {
	ctx := r.Context()
	if !log.Enabled(ctx, level) {
		return
	}
	client, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		client = r.RemoteAddr
	}
	log.LogAttrs(ctx, level, "request", slog.String("method", knownMethod(r.Method)), slog.String("route", route), slog.Int("status", status),
		slog.Duration("took", took), slog.Int64("bytes", bytes), slog.String("request", RequestID(ctx)), slog.String("trace", tracecontext.ID(ctx)),
		slog.String("client", client), slog.String("proto", r.Proto))
}

// bounded is around the handler: how many at a time, how long, how much.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		var cancel context.CancelFunc
		switch {
		case s.streams(r):
			if closed(s.draining) {
				s.busy(w, "ending", "the server ends")
				return
			}
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			go func() { // ends with the request
				select {
				case <-s.draining:
					cancel()
				case <-ctx.Done():
				}
			}()
			endless(w)
		case s.long(r):
			endless(w)
		default:
			if !s.slots.TryAcquire(1) {
				s.busy(w, "busy", DetailBusy)
				return
			}
			defer s.slots.Release(1)
			ctx, cancel = context.WithTimeout(ctx, s.opts.RequestTimeout)
			defer cancel()
		}
		r.Body = http.MaxBytesReader(w, r.Body, s.opts.MaxBody)
		inner := r.WithContext(ctx)
		if rec, ok := w.(*recorder); ok {
			defer func() { rec.route = inner.Pattern }() // the mux sets it on the way
		}
		next.ServeHTTP(w, inner)
	})
}

// endless takes the deadlines of the connection away, which are those of other
// requests.
func endless(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})
}

func (s *Server) busy(w http.ResponseWriter, reason, detail string) {
	s.refused.Add(1, reason)
	Unavailable(w, detail)
}

// recorder remembers the status of the response.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64  // of the body
	route  string // pattern within the handler
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.status = cmp.Or(r.status, http.StatusOK)
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the writer below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// knownMethod keeps made-up methods out of the metrics.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
