package httpserver

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options change a [Server]. Nil and the zero value are the defaults.
type Options struct {
	// Logger logs requests (debug), internal errors, start and shutdown; nil is
	// silent.
	Logger *slog.Logger
	// Hosts are the names in Host headers that the server serves, beside
	// localhost and IP addresses, as [KnownHost] reads them.
	Hosts []string
	// Parts are what the server serves, and Dependencies what it works with; see
	// [Readiness]. Without dependencies it is always ready.
	Parts        []string
	Dependencies []Dependency
	// Streams tells which requests last as long as the client listens. They have
	// no time limit, are not counted as concurrent and end when the server does;
	// nil: none.
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
	// Drain is the time requests may take to finish when the server ends; 0: 5 s.
	// After it their contexts end, and they have three seconds to respond to that.
	Drain time.Duration
	// DrainDelay is the time for which the ending server is not ready but still takes
	// requests, so that clients and proxies go elsewhere; 0: not at all.
	DrainDelay time.Duration
	// AccessLog logs each request at level info, instead of debug.
	AccessLog bool
	// Metrics are shown at /metrics beside the server's own and those of the
	// process, without times and sizes, for which there is [Metrics.Serve]; nil:
	// only these.
	Metrics *Metrics
}

// Server serves a handler with the limits, health checks and metrics that the
// servers of this module have in common.
type Server struct {
	opts     Options
	log      *slog.Logger
	handler  http.Handler
	slots    Slots
	metrics  *Metrics
	requests *Counter
	seconds  *Histogram
	refused  *Counter
	open     atomic.Int64
	ready    *Readiness
	leaving  chan struct{} // closed when the server begins to end
	draining chan struct{} // closed when it stops listening
}

// New makes a server of a handler, whose patterns must leave /healthz, /readyz
// and /metrics to the server.
func New(handler http.Handler, opts *Options) *Server {
	s := &Server{log: slog.New(slog.DiscardHandler), leaving: make(chan struct{}), draining: make(chan struct{})}
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
	s.slots = NewSlots(s.opts.MaxConcurrent)
	if s.metrics = s.opts.Metrics; s.metrics == nil {
		s.metrics = NewMetrics()
	}
	s.requests = s.metrics.Counter("http_requests_total", "Requests served.", "route", "method", "code")
	s.seconds = s.metrics.Histogram("http_request_duration_seconds", "Time to respond to requests, without streams.", "route")
	s.refused = s.metrics.Counter("http_requests_refused_total", "Requests refused before they reached a handler.", "reason")
	s.metrics.GaugeFunc("http_requests_open", "Requests in progress, streams included.", func() float64 { return float64(s.open.Load()) })
	s.metrics.GaugeFunc("http_requests_limit", "Requests that are worked on at a time at most, without streams.", func() float64 { return float64(s.opts.MaxConcurrent) })
	s.metrics.Process()
	s.ready = NewReadiness(s.log, s.leaving, slices.Clone(s.opts.Parts), s.opts.Dependencies)
	s.ready.Show(s.metrics)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.Handle("GET /readyz", s.ready)
	mux.Handle("GET /readyz/{part}", s.ready)
	mux.HandleFunc("GET /metrics", s.metrics.ServeCounts)
	mux.Handle("/", s.bounded(handler))
	s.handler = s.outer(mux)
	return s
}

// cancelTimeout is how long requests may take to respond to the cancellation of
// their contexts.
const cancelTimeout = 3 * time.Second

// Serve serves on ln until ctx ends, then stops listening, ends streams and
// waits for other requests, for as long as Options.Drain. It closes ln. A server
// serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	s.log.Info("the server responds", "address", ln.Addr().String())
	watching, stop := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() { s.ready.Watch(watching) })
	defer watched.Wait()
	defer stop()
	return Serve(ctx, ln, &http.Server{
		Handler:     s.handler,
		ReadTimeout: s.opts.RequestTimeout,
		// What is worked out in time may still be written to a slow client.
		WriteTimeout:   s.opts.RequestTimeout + 10*time.Second,
		MaxHeaderBytes: 32 << 10,
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}, Shutdown{
		Delay: s.opts.DrainDelay, Leave: func() { close(s.leaving) },
		Drain: s.opts.Drain, Cancel: cancelTimeout, Begin: func() { close(s.draining) },
		Running: func() int { return int(s.open.Load()) }, Logger: s.log,
	})
}

// streams and long tell requests that have bounds of their own.
func (s *Server) streams(r *http.Request) bool { return s.opts.Streams != nil && s.opts.Streams(r) }
func (s *Server) long(r *http.Request) bool    { return s.opts.Long != nil && s.opts.Long(r) }
