package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

const (
	// sandboxFresh is for how long the sandbox's AI API takes its dictionary for
	// the ERP's without looking.
	sandboxFresh = time.Second
	// sandboxTimeout bounds one request to a sandbox; the ERP's own bound comes
	// before.
	sandboxTimeout = 125 * time.Second
)

// sandboxHandler answers for the embedded ERP and for the AI API beside it. It
// looks at paths itself: a mux would redirect those that the ERP has to refuse.
type sandboxHandler struct {
	erp *erptest.Server
	ai  *sandboxAI
}

func (h *sandboxHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, httpapi.Prefix+"/") {
		h.ai.ServeHTTP(w, r)
		return
	}
	h.erp.ServeHTTP(w, r)
}

// sandboxAI is the AI API of a sandbox, made at the first request: few ask it,
// and everybody would wait for its dictionary.
type sandboxAI struct {
	erp *erptest.Server
	log *slog.Logger

	mu      sync.Mutex // guards what follows
	service *aiService
	looked  time.Time // when the dictionary was last compared
}

func (s *sandboxAI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	service, err := s.open(r.Context())
	if err != nil {
		s.log.ErrorContext(r.Context(), "the AI API could not be started", "error", err)
		httpserver.Problem(w, http.StatusServiceUnavailable, "the AI API could not be started; the reason is in the log of the sandbox (--debug)")
		return
	}
	service.handler.ServeHTTP(w, r)
}

// open returns the service, with the ERP's dictionary as it is now.
func (s *sandboxAI) open(ctx context.Context) (*aiService, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.service == nil {
		service, err := openSandboxAI(ctx, s.erp, s.log)
		if err != nil {
			return nil, err
		}
		s.service, s.looked = service, time.Now()
	}
	if time.Since(s.looked) >= sandboxFresh {
		changed, err := s.service.cache.Refresh(ctx)
		if err != nil {
			return nil, err
		}
		if len(changed) > 0 {
			s.service.engine.Invalidate()
		}
		s.looked = time.Now()
	}
	return s.service, nil
}

// close closes what was opened; there must be no requests any more.
func (s *sandboxAI) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.service == nil {
		return nil
	}
	return s.service.close(ctx)
}

// openSandboxAI makes the AI API of an embedded ERP: its database, its secret.
func openSandboxAI(ctx context.Context, srv *erptest.Server, log *slog.Logger) (_ *aiService, err error) {
	s := &aiService{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	read := srv.Database()
	s.source = read
	source, err := dbdict.New(read, dbdict.SQLite, nil)
	if err != nil {
		return nil, err
	}
	s.cache = dict.NewCache(source, &dict.CacheOptions{FailOnMissing: true, Logger: log})
	if err := s.cache.Load(ctx); err != nil {
		return nil, err
	}
	if s.db, err = aiquery.NewEmbedded(aiquery.EmbeddedDatabase{Read: srv.Database(), Write: srv.Write}); err != nil {
		return nil, err
	}
	if s.engine, err = aiquery.New(s.db, s.cache, &aiquery.Options{Logger: log}); err != nil {
		return nil, err
	}
	if _, err := audited(ctx, s.engine, s.db, true, false); err != nil {
		return nil, err
	}
	verifier, err := tokens.NewSecretVerifier([]byte(srv.TokenSecret()), tokens.VerifierLogger(log))
	if err != nil {
		return nil, err
	}
	s.handler, err = httpapi.New(s.engine, verifier, &httpapi.Options{Logger: log})
	return s, err
}

// serveSandbox answers on ln until ctx ends, then lets requests under way finish
// for up to five seconds.
func serveSandbox(ctx context.Context, ln net.Listener, srv *erptest.Server, log *slog.Logger) error {
	ai := &sandboxAI{erp: srv, log: log}
	server := &http.Server{
		Handler:           &sandboxHandler{srv, ai},
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       sandboxTimeout,
		WriteTimeout:      sandboxTimeout + 10*time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err := server.Shutdown(drain)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
		ended <- err
	})
	err := server.Serve(ln)
	if errors.Is(err, http.ErrServerClosed) {
		err = <-ended
	} else {
		stop()
		err = fmt.Errorf("serving the sandbox: %w", err)
	}
	return errors.Join(err, ai.close(ctx))
}
