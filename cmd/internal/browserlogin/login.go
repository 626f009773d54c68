package browserlogin

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/tokens"
)

const (
	maxForm     = 32 << 10
	maxPassword = 1 << 10
	cookieName  = "erphub-login"
)

// login takes name and password.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	query := r.PostForm.Get("request")
	var q *request
	if query != "" {
		read, err := s.readRequest(r, query)
		if q = &read; s.refused(w, r, q, err) {
			return
		}
	}
	user, password := strings.TrimSpace(r.PostForm.Get("user")), r.PostForm.Get("password")
	if user == "" || password == "" || len(user)+len(password) > maxPassword {
		s.showLogin(w, r, query, q, "Enter your user name and password.")
		return
	}
	if wait := s.attempt(r, user); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
		s.showLogin(w, r, query, q, "There were too many attempts to log in. Wait a minute and try again.")
		return
	}
	v := &visit{Request: query, Login: chosen{Username: user}}
	if err := s.step(w, r, v, q, tokens.NewSecret(password)); err != nil {
		s.log.InfoContext(r.Context(), "a login in the browser failed", "user", user, "from", address(r), "error", err)
		s.showLogin(w, r, query, q, explain(err))
	}
}

// attempt counts an attempt to log in, and returns how long to wait first.
func (s *Server) attempt(r *http.Request, user string) time.Duration {
	sum := sha256.Sum256([]byte(strings.ToLower(user)))
	for _, limit := range []struct {
		key             string
		perMinute, once int
	}{{"from:" + address(r), loginsPerAddress, loginsPerAddress}, {"login:" + encode(sum[:12]), loginsPerUser, loginsAtOnce}} {
		wait, err := s.store.Take(r.Context(), s.prefix+limit.key, limit.perMinute, limit.once)
		if err != nil {
			s.log.WarnContext(r.Context(), "attempts to log in cannot be counted", "error", err)
			return time.Second
		}
		if wait > 0 {
			return wait
		}
	}
	return 0
}

// explain says to a user why the ERP did not log them in, in its own words where it has
// some.
func explain(err error) string {
	var e *tokens.Error
	switch {
	case errors.As(err, &e) && errors.Is(err, tokens.ErrAuthentication) && e.Detail != "":
		return "The ERP refused the login: " + text.Sentence(e.Detail)
	case errors.As(err, &e) && errors.Is(err, tokens.ErrAuthentication) && e.Err != nil:
		return text.Sentence(e.Err.Error())
	case errors.Is(err, tokens.ErrAuthentication):
		return "The ERP refused the login."
	}
	return "The login cannot be made just now, because something that is needed for it does not respond. Try again."
}

// open asks the user for a part of the login.
type open struct {
	part tokens.Part
	from []tokens.Choice
}

func (o *open) Error() string { return "the " + string(o.part) + " is open" }

// step goes on with a login as far as it can, and shows what comes next. It responds
// unless it returns an error. The password is needed for the first step alone.
func (s *Server) step(w http.ResponseWriter, r *http.Request, v *visit, q *request, password tokens.Secret) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), erpTime)
	defer cancel()
	first := &firstStep{response: v.First, next: erpTransport()}
	defer first.next.CloseIdleConnections()
	kept := tokens.NewMemoryStore(tokens.Stored{})
	m, err := tokens.NewManager(s.erp, tokens.WithStore(kept), tokens.WithLogger(s.log),
		tokens.WithHTTPClient(&http.Client{Transport: first, Timeout: erpTime}))
	if err != nil {
		return err
	}
	l := tokens.Login{Username: v.Login.Username, Password: password, Client: v.Login.Client, Role: v.Login.Role, Organization: v.Login.Organization}
	err = m.LoginChoosing(ctx, l, func(_ context.Context, part tokens.Part, from []tokens.Choice) (int, error) {
		if part == tokens.PartWarehouse {
			return tokens.LeaveToERP, nil
		}
		return 0, &open{part, from}
	})
	v.First = first.response
	var choice *open
	if errors.As(err, &choice) {
		if err := s.keep(ctx, w, r, v); err != nil {
			return err
		}
		s.showChoice(w, r, v, q, choice)
		return nil
	}
	if err != nil {
		return err
	}
	st, err := kept.Load(ctx)
	if err != nil {
		return err
	}
	claims, err := tokens.UnverifiedClaims(st.Access.Reveal()) // it came from the ERP a moment ago
	if err != nil {
		return err
	}
	if s.once != nil {
		s.delivered(w, r, m, st)
		return nil
	}
	v.First, v.User = nil, userKey(claims)
	v.All = claims.ClientID == 0 && claims.RoleID == 0
	if q == nil { // only who it is was needed
		if err := m.Logout(ctx); err != nil {
			s.log.WarnContext(ctx, "a login could not be ended at the ERP; it ends by itself", "error", err)
		}
		if err := s.keep(ctx, w, r, v); err != nil {
			return err
		}
		s.showGrants(w, r, v, "")
		return nil
	}
	p := pairOf(st)
	v.Pair = &p
	if err := s.keep(ctx, w, r, v); err != nil {
		return err
	}
	s.showConsent(w, r, v, q)
	return nil
}

// visiting returns the login under way and what the client requested, or responds.
func (s *Server) visiting(w http.ResponseWriter, r *http.Request) (*visit, *request, bool) {
	v, err := s.visit(r)
	if err != nil || v == nil {
		if err != nil {
			s.log.WarnContext(r.Context(), "a login under way cannot be found", "error", err)
		}
		s.show(w, r, http.StatusForbidden, &page{Title: "This login cannot go on",
			Problem: "It took longer than 10 minutes, or was finished before. Begin again at the program that sent you here."})
		return nil, nil, false
	}
	if v.Request == "" {
		return v, nil, true
	}
	q, err := s.readRequest(r, v.Request)
	return v, &q, !s.refused(w, r, &q, err)
}

// choose takes what was chosen of a part.
func (s *Server) choose(w http.ResponseWriter, r *http.Request) {
	v, q, ok := s.visiting(w, r)
	if !ok {
		return
	}
	id := r.PostForm.Get("id")
	if _, err := strconv.ParseUint(id, 10, 31); err != nil || v.First == nil {
		s.show(w, r, http.StatusBadRequest, &page{Title: "This login cannot go on", Problem: "Nothing was chosen. Go back and choose."})
		return
	}
	for _, part := range []struct {
		name  tokens.Part
		value *string
	}{{tokens.PartClient, &v.Login.Client}, {tokens.PartRole, &v.Login.Role}, {tokens.PartOrganization, &v.Login.Organization}} {
		if string(part.name) == r.PostForm.Get("part") && *part.value == "" {
			*part.value = id
		}
	}
	if err := s.step(w, r, v, q, tokens.NewSecret("-")); err != nil { // never sent
		s.log.InfoContext(r.Context(), "a login in the browser failed", "user", v.Login.Username, "from", address(r), "error", err)
		s.showLogin(w, r, v.Request, q, explain(err))
	}
}

// consent ends a login: with a code for the client, or without.
func (s *Server) consent(w http.ResponseWriter, r *http.Request) {
	v, q, ok := s.visiting(w, r)
	if !ok {
		return
	}
	done, err := s.store.Replace(r.Context(), s.visitKey(v.secret), v.sealed, nil, 0)
	switch {
	case err != nil:
		s.show(w, r, http.StatusServiceUnavailable, &page{Title: "This login cannot go on", Problem: explain(err)})
		return
	case !done || v.Pair == nil || q == nil:
		s.show(w, r, http.StatusForbidden, &page{Title: "This login cannot go on", Problem: "It was finished before. Begin again at the program that sent you here."})
		return
	}
	noStore(w)
	if r.PostForm.Get("answer") != "allow" {
		s.leave(r.Context(), v)
		http.Redirect(w, r, q.back(s.base(r), "error", "access_denied", "error_description", "the user did not allow it"), http.StatusSeeOther)
		return
	}
	g := &grant{Client: clientHash(q.client.ID), Name: q.client.Name, To: destination(q.redirect), User: v.User, Login: v.Login.Username, Names: v.Pair.Names,
		Code: code{Redirect: q.redirect, Challenge: q.challenge}}
	text, err := s.begin(r.Context(), g, v.Pair.stored())
	if err != nil {
		s.log.WarnContext(r.Context(), "a grant could not be stored", "error", err)
		s.leave(r.Context(), v)
		http.Redirect(w, r, q.back(s.base(r), "error", "temporarily_unavailable"), http.StatusSeeOther)
		return
	}
	s.log.InfoContext(r.Context(), "a user let a client act for them", "user", g.Login, "client", g.Name, "to", g.To, "role", g.Names.Role, "from", address(r))
	http.Redirect(w, r, q.back(s.base(r), "code", text), http.StatusSeeOther)
}

// leave ends the login at the ERP of a visit that nothing came of.
func (s *Server) leave(ctx context.Context, v *visit) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), erpTime)
	defer cancel()
	m, err := tokens.NewManager(s.erp, tokens.WithStore(tokens.NewMemoryStore(v.Pair.stored())), tokens.WithLogger(s.log))
	if err == nil {
		err = m.Logout(ctx)
	}
	if err != nil {
		s.log.WarnContext(ctx, "a login could not be ended at the ERP; it ends by itself", "error", err)
	}
}
