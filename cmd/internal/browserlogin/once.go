package browserlogin

import (
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/erphub/erphub/tokens"
)

// Once has one person log in to an ERP on a page in the browser of this computer, and
// returns the login. The page is good for one login, for 10 minutes, and for the browser
// that opens it first; open gets its address, which nobody can guess. Once ends when ctx
// does, or when open fails.
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
	s.once = make(chan tokens.Stored, 1)
	first := s.first(path)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, first(func(w http.ResponseWriter, r *http.Request) { s.showLogin(w, r, "", nil, "") }))
	mux.HandleFunc("POST "+path+pathLogin, first(s.form(s.login)))
	mux.HandleFunc("POST "+path+pathChoose, first(s.form(s.choose)))
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
	case st := <-s.once:
		return st, nil
	case err := <-failed:
		return tokens.Stored{}, err
	case <-ctx.Done():
		return tokens.Stored{}, context.Cause(ctx)
	}
}

// first lets through the browser that opens the page below path first, and no other: a
// list of processes shows the address that a browser is started with.
func (s *Server) first(path string) func(http.HandlerFunc) http.HandlerFunc {
	const name = "erphub-first"
	secret := encode(random(secretBytes))
	var opened atomic.Bool
	return func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			c, err := r.Cookie(name)
			switch {
			case err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(secret)) == 1:
			case r.Method == http.MethodGet && opened.CompareAndSwap(false, true):
				http.SetCookie(w, &http.Cookie{
					Name: name, Value: secret, Path: path, HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(visitLife / time.Second),
				})
			default:
				s.show(w, r, http.StatusForbidden, &page{Title: "This login cannot go on",
					Problem: "Another browser has opened this page, or this one takes no cookies. If that was not you, end the program and begin again."})
				return
			}
			next(w, r)
		}
	}
}

// delivered ends a login of [Once].
func (s *Server) delivered(w http.ResponseWriter, r *http.Request, m *tokens.Manager, st tokens.Stored) {
	p := &page{Title: "You are logged in", Note: "Close this page and go back to the program."}
	select {
	case s.once <- st:
	default: // it is the second
		p = &page{Title: "This login cannot go on", Problem: "You have logged in on another page meanwhile."}
		if err := m.Logout(r.Context()); err != nil {
			s.log.WarnContext(r.Context(), "a login could not be ended at the ERP; it ends by itself", "error", err)
		}
	}
	s.show(w, r, http.StatusOK, p)
}
