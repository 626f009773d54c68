package browserlogin

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/tokens"
)

//go:embed login.html
var loginHTML string

var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("login").Parse(loginHTML)) })

// page is what is shown: some of its parts.
type page struct {
	Title, Problem, Note string
	Action, Form         string // where its form goes, and what proves that it came from here
	Query                string
	Request              *shownRequest
	Login                bool
	Choice               *shownChoice
	Consent              *shownConsent
	Grants               *shownGrants
	Back                 string // where the program waits for what came of its request

	leads string // where its form may lead beside this server
}

// shownRequest is who wants what. All of it was chosen by the client.
type shownRequest struct{ Name, To, From string }

type shownChoice struct {
	Part  tokens.Part
	Label string
	From  []tokens.Choice
}

type shownConsent struct {
	User, Grants string
	Names        tokens.Names
}

type shownGrants struct {
	All  bool
	List []shownGrant
}

type shownGrant struct {
	ID, Name, To, Login, User string
	Names                     tokens.Names
	Begun, Renewed            string
}

// page is the path of a page of this server, as forms name it.
func (s *Server) page(r *http.Request, path string) string {
	u, err := url.Parse(s.base(r) + path)
	if err != nil {
		return path
	}
	return u.EscapedPath()
}

func shown(q *request) *shownRequest {
	if q == nil {
		return nil
	}
	out := &shownRequest{Name: q.client.Name, To: destination(q.redirect)}
	if isDocument(q.client.ID) {
		if u, err := url.Parse(q.client.ID); err == nil {
			out.From = u.Hostname()
		}
	}
	return out
}

// policy lets a page use its own style, and its forms lead here and to the client.
var policy = sync.OnceValue(func() string {
	_, style, _ := strings.Cut(loginHTML, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
})

// show sends a page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, status int, p *page) {
	var body bytes.Buffer
	if err := pageTemplate().Execute(&body, p); err != nil {
		s.log.ErrorContext(r.Context(), "a page could not be made", "error", err)
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", strings.TrimSpace(policy()+" "+p.leads))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // no-referrer would take the origin off forms
	noStore(w)
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client went away
}

// showLogin asks for name and password, in a browser that gets a new cookie.
func (s *Server) showLogin(w http.ResponseWriter, r *http.Request, query string, q *request, problem string) {
	status := http.StatusOK
	if problem != "" {
		status = http.StatusUnauthorized
	}
	s.show(w, r, status, &page{Title: "Log in to the ERP", Problem: problem, Action: s.page(r, pathLogin), Form: formToken(s.setCookie(w, r)),
		Query: query, Request: shown(q), Login: true})
}

func (s *Server) showChoice(w http.ResponseWriter, r *http.Request, v *visit, q *request, o *open) {
	label := map[tokens.Part]string{tokens.PartClient: "Tenant", tokens.PartRole: "Role", tokens.PartOrganization: "Organization"}[o.part]
	s.show(w, r, http.StatusOK, &page{Title: "Choose: " + strings.ToLower(label), Action: s.page(r, pathChoose), Form: formToken(string(v.secret)),
		Request: shown(q), Choice: &shownChoice{Part: o.part, Label: label, From: o.from}})
}

func (s *Server) showConsent(w http.ResponseWriter, r *http.Request, v *visit, q *request) {
	s.show(w, r, http.StatusOK, &page{Title: "Let this program act for you?", Action: s.page(r, pathConsent), Form: formToken(string(v.secret)), leads: q.source(),
		Request: shown(q), Consent: &shownConsent{User: v.Login.Username, Names: v.Pair.Names, Grants: s.base(r) + pathGrants}})
}

// grants shows whom the user lets act for them, after a login.
func (s *Server) grants(w http.ResponseWriter, r *http.Request) {
	v, err := s.visit(r)
	if err != nil || v == nil || v.Request != "" || v.User == "" {
		s.showLogin(w, r, "", nil, "")
		return
	}
	s.showGrants(w, r, v, "")
}

func (s *Server) showGrants(w http.ResponseWriter, r *http.Request, v *visit, problem string) {
	found, err := s.granted(r, v)
	if err != nil {
		s.log.WarnContext(r.Context(), "grants cannot be listed", "error", err)
		problem = "The programs cannot be listed just now. Try again."
	}
	list := &shownGrants{All: v.All}
	when := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
	for _, g := range found {
		list.List = append(list.List, shownGrant{ID: g.id, Name: g.Name, To: g.To, Login: g.Login, User: g.User, Names: g.Names, Begun: when(g.Begun), Renewed: when(g.Renewed)})
	}
	title := "Programs that act for you"
	if v.All {
		title = "Programs that act for users"
	}
	s.show(w, r, http.StatusOK, &page{Title: title, Problem: problem, Action: s.page(r, pathGrants), Form: formToken(string(v.secret)), Grants: list})
}

// granted returns the grants that a visit may see, the newest first.
func (s *Server) granted(r *http.Request, v *visit) ([]*grant, error) {
	set := s.sets(v.User)[0]
	if v.All {
		set = s.everybody()
	}
	ids, err := s.store.Members(r.Context(), set)
	if err != nil {
		return nil, err
	}
	var found []*grant
	for _, id := range ids {
		g, err := s.find(r.Context(), id)
		switch {
		case err != nil:
			return nil, err
		case g != nil && g.Code.Used:
			found = append(found, g)
		case g == nil:
			if err := s.store.Remove(r.Context(), set, id); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(found, func(a, b *grant) int { return b.Begun.Compare(a.Begun) })
	return found, nil
}

// changeGrants ends a grant that the visit may see.
func (s *Server) changeGrants(w http.ResponseWriter, r *http.Request) {
	v, err := s.visit(r)
	if err != nil || v == nil || v.Request != "" || v.User == "" {
		s.showLogin(w, r, "", nil, "Log in again.")
		return
	}
	problem := ""
	g, err := s.find(r.Context(), r.PostForm.Get("end"))
	if err == nil && g != nil && (v.All || g.User == v.User) {
		err = s.end(r.Context(), g, nil, v.Login.Username+" ended it")
	}
	if err != nil {
		s.log.WarnContext(r.Context(), "a grant could not be ended", "error", err)
		problem = "It could not be ended just now. Try again."
	}
	s.showGrants(w, r, v, problem)
}
