package browserlogin

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/erphub/erphub/tokens"
)

// Once has one person log in to an ERP on a page in the browser of this computer, and
// returns the login. The page is good for one login and for 10 minutes; open gets its
// address, which nobody can guess. Once ends when ctx does, or when open fails.
func Once(ctx context.Context, erp string, log *slog.Logger, open func(address string) error) (tokens.Stored, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, visitLife, errors.New("nobody logged in within 10 minutes"))
	defer cancel()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return tokens.Stored{}, err
	}
	// The secret in the path keeps other users of this computer from logging in here,
	// and the person from going on with their login.
	path := "/" + encode(random(secretBytes))
	address := "http://" + listener.Addr().String() + path
	s, err := New(Options{ERP: erp, PublicURL: address, Store: NewMemory(), Logger: log})
	if err != nil {
		return tokens.Stored{}, errors.Join(err, listener.Close())
	}
	came := make(chan tokens.Stored, 1)
	s.deliver = func(st tokens.Stored) bool {
		select {
		case came <- st:
			return true
		default:
			return false // it was the second
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { s.showLogin(w, r, "", nil, "") })
	mux.HandleFunc("POST "+path+pathLogin, s.form(s.login))
	mux.HandleFunc("POST "+path+pathChoose, s.form(s.choose))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: bodyTime}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	defer func() { // the last page is on its way
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
		_ = server.Close()
	}()
	if err := open(address); err != nil {
		return tokens.Stored{}, err
	}
	select {
	case st := <-came:
		return st, nil
	case err := <-failed:
		return tokens.Stored{}, err
	case <-ctx.Done():
		return tokens.Stored{}, context.Cause(ctx)
	}
}

// delivered ends a login of [Once].
func (s *Server) delivered(w http.ResponseWriter, r *http.Request, m *tokens.Manager, st tokens.Stored) {
	p := &page{Title: "You are logged in", Note: "Close this page and go back to the program."}
	if !s.deliver(st) {
		p = &page{Title: "This login cannot go on", Problem: "Somebody has logged in on another page meanwhile."}
		if err := m.Logout(r.Context()); err != nil {
			s.log.WarnContext(r.Context(), "a login could not be ended at the ERP; it ends by itself", "error", err)
		}
	}
	s.show(w, r, http.StatusOK, p)
}
