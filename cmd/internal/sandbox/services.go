package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/cmd/internal/services"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/generator/delivery"

	genapi "github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

const (
	// sandboxTimeout bounds one request to a sandbox; the ERP's own bound comes
	// before.
	sandboxTimeout = 125 * time.Second
)

// sandboxHandler serves the embedded ERP and the services beside it. It
// looks at paths itself: a mux would redirect those that the ERP has to refuse.
type sandboxHandler struct {
	erp    http.Handler
	beside *sandboxServices
}

func (h *sandboxHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !httpserver.KnownHost(h.beside.hosts, r.Host) { // a page in a browser on this machine, by a name of its own
		httpserver.Problem(w, http.StatusMisdirectedRequest, httpserver.DetailHost)
		return
	}
	if r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		h.beside.page.ServeHTTP(w, r)
		return
	}
	for _, prefix := range []string{httpapi.Prefix, genapi.GeneratePrefix, genapi.ArtifactsPrefix} {
		if strings.HasPrefix(r.URL.Path, prefix+"/") {
			h.beside.ServeHTTP(w, r)
			return
		}
	}
	h.erp.ServeHTTP(w, r)
}

// sandboxServices are the AI API and the generator of a sandbox, made at the
// first request: few use them, and everybody would wait for their
// dictionary.
type sandboxServices struct {
	erp  *erptest.Server
	url  string
	data string // folder for generated plugins; "": one of their own, which goes with the sandbox
	log  *slog.Logger
	page http.Handler // at its address, for browsers
	// hosts are the Host names it is reached by, beside localhost and addresses.
	hosts []string

	postgres *sandboxPostgres // runs the statements; nil: the embedded database does

	mu     sync.Mutex // guards what follows
	ai     *services.AI
	gen    *services.Generator
	mux    *http.ServeMux
	own    string // a folder to be removed
	end    func() // ends what goes on besides, and waits for it
	looked uint64 // the state of the ERP that the dictionary was last compared with
}

func (s *sandboxServices) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mux, err := s.open(r.Context())
	if r.Context().Err() != nil {
		return // nobody is there to be told
	}
	if err != nil {
		s.log.ErrorContext(r.Context(), "the AI API and the generator could not be started", "error", err)
		httpserver.Problem(w, http.StatusServiceUnavailable, "this could not be started; the reason is in the log of the sandbox, on its standard error")
		return
	}
	mux.ServeHTTP(w, r)
}

// open returns the services, with the ERP's dictionary as it is now.
func (s *sandboxServices) open(ctx context.Context) (*http.ServeMux, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mux == nil {
		// Whoever requested it first may not wait for it; the next one finds it done.
		if err := s.startLocked(context.WithoutCancel(ctx)); err != nil {
			return nil, errors.Join(err, s.stopLocked(ctx))
		}
	}
	if state, dictionary, structure := s.changedLocked(); dictionary {
		changed, err := s.ai.Cache.Refresh(ctx)
		if err != nil {
			return nil, err
		}
		if len(changed) > 0 || structure {
			s.ai.Engine.Invalidate()
		}
		s.looked = state
	}
	return s.mux, nil
}

// dictionaryTables are those that a dictionary is read from, in upper case.
var dictionaryTables = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, t := range registry.SourceTables() {
		names[strings.ToUpper(t.Name)] = true
	}
	return names
})

// changedLocked reports whether the ERP's dictionary may have changed since it was
// last compared, and whether the database's tables may have, too, with the state
// that the ERP has now.
func (s *sandboxServices) changedLocked() (state uint64, dictionary, structure bool) {
	state, tables, all := s.erp.Changed(s.looked)
	return state, all || slices.ContainsFunc(tables, func(t string) bool { return dictionaryTables()[t] }), all
}

func (s *sandboxServices) startLocked(ctx context.Context) error {
	// The ERP itself knows which tokens were revoked.
	verifier, err := tokens.NewIntrospectionVerifier(s.url, tokens.VerifierLogger(s.log))
	if err != nil {
		return err
	}
	if s.ai, err = openSandboxAI(ctx, s.erp, s.url, s.postgres, verifier, s.log); err != nil {
		return err
	}
	dir := s.data
	if dir == "" {
		if dir, err = os.MkdirTemp("", "erphub-sandbox-"); err != nil {
			return fmt.Errorf("making a folder for generated plugins: %w", err)
		}
		s.own = dir
	}
	// The environment is left out: everybody knows the sandbox's passwords, and
	// what is in it may be good for more than the sandbox.
	where := delivery.Options{Directory: filepath.Join(dir, "generated"), ArtifactsDirectory: filepath.Join(dir, "artifacts"), BaseURL: s.url}
	if s.gen, err = services.OpenGenerator(where, verifier, s.ai.Cache, s.log, nil); err != nil {
		return err
	}
	background, cancel := context.WithCancel(context.WithoutCancel(ctx)) // outlives the request
	var cleaning sync.WaitGroup
	gen := s.gen
	cleaning.Go(func() { gen.Run(background) })
	s.end = func() {
		cancel()
		cleaning.Wait()
	}
	s.mux = http.NewServeMux()
	s.mux.Handle(httpapi.Prefix+"/", s.ai.Handler)
	s.gen.Mount(s.mux)
	return nil
}

// stop closes what was opened; there must be no requests any more.
func (s *sandboxServices) stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopLocked(ctx)
}

func (s *sandboxServices) stopLocked(ctx context.Context) error {
	var errs []error
	if s.end != nil {
		s.end()
	}
	if s.ai != nil {
		errs = append(errs, s.ai.Close(ctx))
	}
	if s.own != "" {
		errs = append(errs, os.RemoveAll(s.own))
	}
	s.ai, s.gen, s.mux, s.own, s.end = nil, nil, nil, "", nil
	return errors.Join(errs...)
}

// openSandboxAI makes the AI API of an embedded ERP, which responds at url, on its
// database.
func openSandboxAI(ctx context.Context, srv *erptest.Server, url string, pg *sandboxPostgres, verifier httpapi.Verifier, log *slog.Logger) (_ *services.AI, err error) {
	s := &services.AI{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(ctx))
		}
	}()
	read := srv.Database()
	s.Source = read
	source, err := dbdict.New(read, dbdict.SQLite, nil)
	if err != nil {
		return nil, err
	}
	s.Cache = registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true, Logger: log})
	if err := s.Cache.Load(ctx); err != nil {
		return nil, err
	}
	if s.DB, err = pg.database(ctx, srv); err != nil {
		return nil, err
	}
	if s.Engine, err = aiquery.New(s.DB, s.Cache, &aiquery.Options{Logger: log}); err != nil {
		return nil, err
	}
	if err := installSandboxAudit(ctx, srv, url, s); err != nil {
		return nil, err
	}
	if _, err := services.Audited(ctx, s.Engine, s.DB, false, false); err != nil {
		return nil, err
	}
	s.Handler, err = httpapi.New(s.Engine, verifier, &httpapi.Options{Logger: log})
	return s, err
}

// serveSandbox serves on ln until ctx ends, then lets requests under way finish
// for up to five seconds.
func serveSandbox(ctx context.Context, ln net.Listener, srv *erptest.Server, beside *sandboxServices) error {
	err := httpserver.Serve(ctx, ln, &http.Server{
		Handler:      &sandboxHandler{srv, beside},
		ReadTimeout:  sandboxTimeout,
		WriteTimeout: sandboxTimeout + 10*time.Second,
		ErrorLog:     slog.NewLogLogger(beside.log.Handler(), slog.LevelWarn),
	}, httpserver.Shutdown{Drain: 5 * time.Second})
	if err != nil {
		err = fmt.Errorf("serving the sandbox: %w", err)
	}
	return errors.Join(err, beside.stop(ctx))
}
