package httpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Options change a [Server]. Nil and the zero value are the defaults.
type Options struct {
	// Logger hears of requests (debug), of what failed inside and of start and
	// end; nil is silent.
	Logger *slog.Logger
	// Hosts are the names the server answers to, beside localhost and any IP
	// address. A name that begins with a dot stands for all below it, "*" for
	// all names there are.
	Hosts []string
	// Ready tells whether the server can do its work; nil: always. Its error is
	// logged; whoever asks only learns that there is one.
	Ready func(context.Context) error
	// Streams tells which requests are answered for as long as the client
	// listens. They have no time limit, are not counted as concurrent and end
	// when the server does; nil: none.
	Streams func(*http.Request) bool
	// Long tells which other requests have no time limit and are not counted as
	// concurrent, because something else bounds them. They end by themselves, so
	// that they may finish when the server ends; nil: none.
	Long func(*http.Request) bool
	// MaxConcurrent bounds the requests worked on at a time; further ones are
	// refused with 503. 0: 64.
	MaxConcurrent int
	// MaxBody bounds the body of a request, in bytes; 0: 1 MiB.
	MaxBody int64
	// RequestTimeout bounds the time for one request; 0: 30 s.
	RequestTimeout time.Duration
	// Drain is how long requests may take to finish when the server ends; 0: 5 s.
	// After it their contexts end, and they have three seconds to respond to that.
	Drain time.Duration
	// Metrics are shown at /metrics beside the server's own and those of the
	// process, without times and sizes, for which there is [Metrics.Serve]; nil:
	// only these.
	Metrics *Metrics
}

// Server serves a handler with the manners of this module's servers.
type Server struct {
	opts     Options
	log      *slog.Logger
	handler  http.Handler
	slots    chan struct{}
	metrics  *Metrics
	requests *Counter
	seconds  *Histogram
	refused  *Counter
	open     atomic.Int64
	draining chan struct{} // closed when the server begins to end
}

// New makes a server of a handler, whose patterns must leave /healthz, /readyz
// and /metrics to the server.
func New(handler http.Handler, opts *Options) *Server {
	s := &Server{log: slog.New(slog.DiscardHandler), draining: make(chan struct{})}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Logger != nil {
		s.log = s.opts.Logger
	}
	s.opts.Hosts = slices.Clone(s.opts.Hosts)
	s.opts.MaxConcurrent = cmp.Or(s.opts.MaxConcurrent, 64)
	s.opts.MaxBody = cmp.Or(s.opts.MaxBody, 1<<20)
	s.opts.RequestTimeout = cmp.Or(s.opts.RequestTimeout, 30*time.Second)
	s.opts.Drain = cmp.Or(s.opts.Drain, 5*time.Second)
	s.slots = make(chan struct{}, s.opts.MaxConcurrent)
	if s.metrics = s.opts.Metrics; s.metrics == nil {
		s.metrics = NewMetrics()
	}
	s.requests = s.metrics.Counter("http_requests_total", "Requests answered.", "route", "method", "code")
	s.seconds = s.metrics.Histogram("http_request_duration_seconds", "Time to answer requests, without streams.", "route")
	s.refused = s.metrics.Counter("http_requests_refused_total", "Requests refused before they reached a handler.", "reason")
	s.metrics.Gauge("http_requests_open", "Requests being answered, streams included.", func() float64 { return float64(s.open.Load()) })
	s.metrics.Process()

	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) { MetricsText(w, s.metrics.Counts()) })
	mux.Handle("/", s.bounded(handler))
	s.handler = s.outer(mux)
	return s
}

// Handler is what the server answers with, for tests and other servers.
func (s *Server) Handler() http.Handler { return s.handler }

// Listen listens on a TCP address, such as 127.0.0.1:8080. A port alone means
// loopback; port 0 picks a free one.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address to listen on, %q: %w; write it as 127.0.0.1:8080", address, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; choose another address, port 0 for any free one", address, err)
	}
	return ln, nil
}

// Loopback reports whether only this machine can reach what listens there.
func Loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// URL is where a listener is reached from this machine.
func URL(a net.Addr) string {
	host := a.String()
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
	}
	return "http://" + host
}

// giveUp is how long requests may take to respond to the end of their contexts.
const giveUp = 3 * time.Second

// Serve answers requests on ln until ctx ends, then stops listening, ends
// streams and waits for other requests, for as long as Options.Drain. It
// closes ln. A server serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	requests, stopRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer stopRequests()
	srv := &http.Server{
		Handler:           s.handler,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       s.opts.RequestTimeout,
		// What is worked out in time may still be written to a slow client.
		WriteTimeout:   s.opts.RequestTimeout + 10*time.Second,
		IdleTimeout:    120 * time.Second,
		MaxHeaderBytes: 32 << 10,
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		close(s.draining)
		s.log.Info("the server ends", "open", s.open.Load())
		err := shutdown(srv, s.opts.Drain)
		if errors.Is(err, context.DeadlineExceeded) {
			s.log.Warn("requests are stopped, because they take too long to finish", "open", s.open.Load())
			stopRequests()
			err = shutdown(srv, giveUp)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			s.log.Warn("requests were cut off, because they did not stop", "open", s.open.Load())
			err = srv.Close()
		}
		stopped <- err
	})
	s.log.Info("the server answers", "address", ln.Addr().String())
	err := srv.Serve(ln)
	if !errors.Is(err, http.ErrServerClosed) {
		stop()
		return err
	}
	return <-stopped
}

// shutdown stops listening and waits for requests.
func shutdown(srv *http.Server, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return srv.Shutdown(ctx)
}

// streams and long tell requests that have bounds of their own.
func (s *Server) streams(r *http.Request) bool { return s.opts.Streams != nil && s.opts.Streams(r) }
func (s *Server) long(r *http.Request) bool    { return s.opts.Long != nil && s.opts.Long(r) }

func (s *Server) ending() bool {
	select {
	case <-s.draining:
		return true
	default:
		return false
	}
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	plain(w, http.StatusOK, "ok\n")
}

func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if s.ending() {
		plain(w, http.StatusServiceUnavailable, "ending\n")
		return
	}
	if s.opts.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
		defer cancel()
		if err := s.opts.Ready(ctx); err != nil {
			s.log.Warn("the server is not ready", "error", err)
			plain(w, http.StatusServiceUnavailable, "not ready\n")
			return
		}
	}
	plain(w, http.StatusOK, "ready\n")
}

func plain(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client went away
}

// knows reports whether the server answers to that Host header.
func (s *Server) knows(hostport string) bool { return knows(s.opts.Hosts, hostport) }

// knows reports whether a server of these names answers to that Host header.
func knows(names []string, hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || net.ParseIP(host) != nil { // no name, nothing to point elsewhere
		return true
	}
	return slices.ContainsFunc(names, func(known string) bool {
		known = strings.ToLower(strings.TrimSuffix(known, "."))
		if strings.HasPrefix(known, ".") {
			return strings.HasSuffix(host, known)
		}
		return known == "*" || host == known && host != ""
	})
}
