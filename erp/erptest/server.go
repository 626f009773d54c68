package erptest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/jobs"
	"github.com/erphub/erphub/erp/erptest/internal/engine/packin"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/httpserver"
)

// Options are the knobs of a [Server]. The zero value is a server in memory
// with the demo data.
type Options struct {
	// Path is the database file, which survives restarts; it is created and
	// filled with the demo data when it does not exist. Empty means memory.
	Path string
	// Durable has every write wait until it is on the disk. Without it, what was
	// confirmed survives the end of the process, however it comes, but a power failure
	// or a crash of the system may undo the last writes. It counts with Path.
	Durable bool
	// Twin is the folder of a twin; the server works on a copy of its own. See
	// [FromTwin]. It excludes Path.
	Twin string
	// Recent moves the demo data so that its last order is of today, by Clock: reports
	// over this month and this year are not empty. Without it, they are the same each
	// time, with orders of January 2024 to March 2025, as with a Clock before that. It
	// counts when the database is new.
	Recent bool
	// Clock tells the time the server lives in; nil is [time.Now].
	Clock func() time.Time
	// Location is the zone in which the server writes times, nil is UTC.
	Location *time.Location
	// Logger receives what goes wrong inside; nil discards it.
	Logger *slog.Logger
	// MaxBodyBytes bounds a request's body; 0 means 32 MiB.
	MaxBodyBytes int64
	// RequestTimeout bounds one request from its header to its response; 0 means
	// 120 s, the statement timeout of the real server.
	RequestTimeout time.Duration
	// BodyTimeout is how long a request's body may keep the server waiting: it must
	// be there that long after the header, with one more second for every 64 KiB; 0
	// means 10 s.
	BodyTimeout time.Duration
	// Strict deactivates what the server accepts beyond the real one:
	// refreshToken for refresh_token in POST /auth/refresh, PATCH for PUT on
	// records, an array of AD_Column records in one POST, @<TableName>_ID@ for
	// an AD_Table_ID, columns whose AD_Element_ID is left out, numbers in place
	// of process slugs, report files without their folder in GET /files, log
	// files named in the path, and PUT /auth/tokens with a completed log-in, which
	// changes its role, organization or warehouse. A database made by a strict server has the real
	// processes 291 and 194, a report and an import.
	Strict bool
	// ExposeJWK has GET /auth/jwk tell the signing key, as the AD_SysConfig key
	// IDEMPIERE_REST_EXPOSE_JWK=Y does.
	ExposeJWK bool
	// OpenIDProviders are those whose access tokens are taken, too.
	OpenIDProviders []OpenIDProvider
}

// Server is an ERP in this process. It is an [http.Handler]; [New], [Start] and
// [Server.Serve] put it on the network. It is safe for concurrent use.
type Server struct {
	opts   Options
	log    *slog.Logger
	erp    *engine.ERP
	routes *node
	faults Faults
	health healthCache

	openID     openIDTokens
	resources  resourceCache
	identities identityMemory

	events    *serverLog // what the API shows of log files; log writes to it too
	node      nodeState
	jobs      *jobs.Manager
	processes *process.Manager

	secret []byte // with which tokens are signed; set by Open

	mu  sync.Mutex // guards url
	url string

	stop    func() error // ends what Start began; nil for servers of Open
	discard func() error // gives back what belongs to a twin; nil without one
	closing sync.Once
	closed  error // of the first Close
}

// Open makes a server without listening anywhere, for programs that serve it
// themselves. The caller closes it.
func Open(ctx context.Context, opts Options) (*Server, error) {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Location == nil {
		opts.Location = time.UTC
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	opts.MaxBodyBytes = cmp.Or(opts.MaxBodyBytes, 32<<20)
	if opts.RequestTimeout == 0 {
		opts.RequestTimeout = 120 * time.Second
	}
	opts.BodyTimeout = cmp.Or(opts.BodyTimeout, 10*time.Second)
	db, discard, err := openDatabase(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("starting the embedded ERP: %w", err)
	}
	s := &Server{opts: opts, routes: routes[opts.Strict](), events: newServerLog(opts.Clock, opts.Location), discard: discard}
	s.log = slog.New(teeHandler{s.events.Handler(), opts.Logger.Handler()})
	s.node.started = s.now()
	s.erp = engine.New(db, engine.Options{
		Clock: opts.Clock, Location: opts.Location, Strict: opts.Strict, Log: s.log, Events: s.events.Logger,
		Changed: func(commit uint64, tables map[string]bool) {
			s.resources.changed(commit, tables)
			s.health.changed(commit, tables)
		},
		Represent: func(ctx context.Context, as *engine.Session, tx *store.Tx, t *store.Table, row store.Row, columns []*store.Column) (*wire.Object, error) {
			return (&call{srv: s, session: as}).recordObject(ctx, tx, t, row, columns)
		},
	})
	s.processes = process.New(map[string]process.Program{"PackIn": packin.Import, "PackInProcess": packin.Import})
	s.jobs = jobs.New(s.erp, s.processes)
	err = db.Update(ctx, func(tx *store.Tx) error {
		if err := s.loadSecret(ctx, tx); err != nil {
			return err
		}
		return s.jobs.Reload(ctx, tx)
	})
	if err != nil {
		return nil, errors.Join(err, db.Close(), s.closeTwin())
	}
	s.events.Info("server started")
	return s, nil
}

// Start opens a server that listens on a free loopback port, [Server.URL], and
// serves until it is closed. ctx is for the opening.
func Start(ctx context.Context, opts Options) (*Server, error) {
	s, err := Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the embedded ERP: %w", err), s.Close())
	}
	serving, stop := context.WithCancel(context.Background()) // ends with Close
	done := make(chan error, 1)
	s.stop = func() error {
		stop()
		return <-done
	}
	s.setURL(ln.Addr())
	go func() { done <- s.Serve(serving, ln) }()
	return s, nil
}

// Close stops serving what [Start] and [New] began, lets requests under way finish
// for up to five seconds, and ends background jobs and the server's database; a
// server in memory loses its data. A second call does nothing.
func (s *Server) Close() error {
	s.closing.Do(func() {
		var err error
		if s.stop != nil {
			err = s.stop()
		}
		s.processes.Stop()
		s.closed = errors.Join(err, s.erp.Close(), s.closeTwin())
	})
	return s.closed
}

// TB is what [New] needs of a test; *testing.T and *testing.B are such.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// New starts a server on a free loopback port and stops it when the test
// ends. At most one Options is used; without it the server is in memory with
// the demo data.
func New(t TB, options ...Options) *Server {
	t.Helper()
	var opts Options
	if len(options) > 0 {
		opts = options[0]
	}
	s, err := Start(context.Background(), opts)
	if err != nil {
		t.Fatalf("erptest: %v", err)
		return nil
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Fatalf("erptest: stopping: %v", err)
		}
	})
	return s
}

// URL is the address the server listens at, "http://127.0.0.1:port", or ""
// before it listens. The REST API is below /api/v1.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

func (s *Server) setURL(a net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.url = "http://" + a.String()
}

// Faults is the server's fault switch.
func (s *Server) Faults() *Faults { return &s.faults }

// Serve serves requests on ln until ctx ends, then lets those under way finish
// for up to five seconds. It closes ln.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	s.setURL(ln.Addr())
	return httpserver.Serve(ctx, ln, &http.Server{
		Handler:        s,
		ReadTimeout:    s.opts.RequestTimeout,
		WriteTimeout:   s.opts.RequestTimeout + 10*time.Second,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}, httpserver.Shutdown{Drain: 5 * time.Second})
}

// now is the server's time.
func (s *Server) now() time.Time { return s.opts.Clock() }

// ServeHTTP handles one request: routing first, then the bearer token, then
// the operation, in the order the real server checks.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Clients compare this header with their own clock.
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	s.pace(w, r)
	s.faults.apply(w, r, s.handle)
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), s.opts.RequestTimeout)
	defer cancel()
	s.dispatch(w, r.WithContext(ctx), nil, nil)
}

// dispatch routes a request and runs its handler. A request of a batch has the
// call of the batch and, when the batch is transactional, its transaction.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request, outer *call, tx *store.Tx) {
	defer func() {
		if httpserver.Recovered(r.Context(), recover(), s.log, "panic while handling a request", "method", r.Method, "path", r.URL.Path) {
			s.containerPage(w, r, http.StatusInternalServerError, "Server Error")
		}
	}()
	m := s.routes.match(r)
	if m.status != 0 {
		for _, method := range m.allow {
			w.Header().Add("Allow", method)
		}
		if m.status == http.StatusOK { // OPTIONS
			w.WriteHeader(http.StatusOK)
			return
		}
		s.containerPage(w, r, m.status, http.StatusText(m.status))
		return
	}
	s.events.Debug("request", "method", r.Method, "path", r.URL.Path)
	c := &call{srv: s, w: w, r: r, params: m.params, produced: m.produced, query: parseParams(r.URL.RawQuery), tx: tx, fresh: freshRecords{}}
	if outer != nil && tx != nil {
		c.fresh = outer.fresh
	}
	if err := c.enter(m.route, outer); err != nil {
		c.writeError(err)
		return
	}
	if err := m.route.handle(c); err != nil {
		c.writeError(err)
	}
}

// enter lets the call in: by its bearer token, or, inside the transaction of a
// batch, with the session of the batch.
func (c *call) enter(rt *route, outer *call) error {
	switch {
	case rt.public:
		return nil
	case c.isPresigned():
		return c.authenticatePresigned()
	case outer == nil || c.tx == nil:
		return c.authenticate()
	}
	session := *outer.session
	c.session = &session
	if err := c.setLocale(c.ctx(), c.tx); err != nil {
		return err
	}
	return c.checkResource(c.ctx(), c.tx)
}
