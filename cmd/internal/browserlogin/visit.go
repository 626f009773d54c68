package browserlogin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// visit is a login under way, of a browser that gave a password the ERP took. It is
// kept encrypted with what the browser's cookie holds.
type visit struct {
	Request string `json:"request"` // query of the client's; empty: to see grants
	First   []byte `json:"first,omitempty"`
	Login   chosen `json:"login"`
	Pair    *pair  `json:"pair,omitempty"`
	User    string `json:"user,omitempty"`
	All     bool   `json:"all,omitempty"` // sees the grants of all

	secret []byte
	sealed []byte
}

// chosen is what a login is to be, without the password.
type chosen struct{ Username, Client, Role, Organization string }

// form lets through what a page of this server sent, from the browser that it was
// shown to.
func (s *Server) form(next func(http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
		err := r.ParseForm()
		cookie := s.cookie(r)
		if err != nil || s.forms.Check(r) != nil || cookie == "" || subtle.ConstantTimeCompare([]byte(r.PostForm.Get("form")), []byte(formToken(cookie))) != 1 {
			s.show(w, r, http.StatusForbidden, &page{Title: "This login cannot go on",
				Problem: "The page was not sent by the browser that it was shown to, or it is old. Begin again at the program that sent you here, and allow cookies for this site."})
			return
		}
		next(w, r)
	}
}

// formToken is what a form must bring from the page of a cookie.
func formToken(cookie string) string {
	sum := sha256.Sum256([]byte("form:" + cookie))
	return encode(sum[:])
}

// cookieName is that of the cookie; over https browsers take it from this very host
// alone.
func (s *Server) cookieName(r *http.Request) string {
	if strings.HasPrefix(s.base(r), "https:") {
		return "__Host-" + cookieName
	}
	return cookieName
}

func (s *Server) cookie(r *http.Request) string {
	c, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie gives the browser a new cookie and returns it. Each step of a login that
// gains something has one of its own, so that none that was planted is worth anything.
func (s *Server) setCookie(w http.ResponseWriter, r *http.Request) string {
	value := encode(random(secretBytes))
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(r), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: strings.HasPrefix(s.base(r), "https:"), MaxAge: int(visitLife / time.Second),
	})
	return value
}

// keep stores a visit under a new cookie.
func (s *Server) keep(ctx context.Context, w http.ResponseWriter, r *http.Request, v *visit) error {
	if v.sealed != nil {
		if err := s.store.Delete(ctx, s.visitKey(v.secret)); err != nil {
			return err
		}
	}
	plain, err := json.Marshal(v)
	if err != nil {
		return err
	}
	v.secret = []byte(s.setCookie(w, r))
	v.sealed = seal(v.secret, "visit", plain)
	return s.store.Put(ctx, s.visitKey(v.secret), v.sealed, visitLife)
}

func (s *Server) visitKey(secret []byte) string {
	sum := sha256.Sum256(secret)
	return s.prefix + "visit:" + encode(sum[:])
}

// visit returns the login under way of the request's browser, nil for none.
func (s *Server) visit(r *http.Request) (*visit, error) {
	secret := []byte(s.cookie(r))
	if len(secret) == 0 {
		return nil, nil
	}
	sealed, err := s.store.Get(r.Context(), s.visitKey(secret))
	if err != nil || sealed == nil {
		return nil, err
	}
	plain, err := unseal(secret, "visit", sealed)
	if err != nil {
		return nil, err
	}
	v := &visit{secret: secret, sealed: sealed}
	return v, json.Unmarshal(plain, v)
}
