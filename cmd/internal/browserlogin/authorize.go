package browserlogin

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

const (
	maxState     = 2 << 10
	maxChallenge = 43 // the length of every SHA-256 in this form
	maxRequest   = 12 << 10
)

// request is what a client requests of a user.
type request struct {
	client                     client
	redirect, state, challenge string
}

// readRequest reads the query of a request for authorization. Its error is for the
// user as long as the client and where to send them is not certain, and an
// [*oauthError] for the client from then on.
func (s *Server) readRequest(r *http.Request, query string) (request, error) {
	var q request
	form, err := url.ParseQuery(query)
	if err != nil || len(query) > maxRequest || repeated(form) {
		return q, errors.New("the address of this page is not one that a program makes")
	}
	if q.client, err = s.client(r, form.Get("client_id")); err != nil {
		return q, err
	}
	uri := form.Get("redirect_uri")
	if uri == "" && len(q.client.Redirects) == 1 {
		uri = q.client.Redirects[0]
	}
	if !q.client.allows(uri) {
		return q, errors.New("the program wants you to be sent to an address that is not its own")
	}
	q.redirect = uri
	state := form.Get("state")
	if len(state) <= maxState {
		q.state = state
	}
	bad := func(code, description string) (request, error) {
		return q, &oauthError{code: code, description: description}
	}
	challenge, resource := form.Get("code_challenge"), form.Get("resource")
	switch {
	case len(state) > maxState:
		return bad("invalid_request", "the state is longer than 2 KiB")
	case form.Get("response_type") != "code":
		return bad("unsupported_response_type", "the response_type must be code")
	case form.Get("code_challenge_method") != "S256" || len(challenge) != maxChallenge:
		return bad("invalid_request", "a code_challenge with the code_challenge_method S256 is needed")
	case resource != "" && !s.isResource(r, resource):
		return bad("invalid_target", "the resource must be "+s.base(r)+pathResource)
	}
	q.challenge = challenge
	return q, nil
}

// back is the address that returns a user to the client, with a code or an error and
// by whom it was issued (RFC 9207).
func (q *request) back(issuer string, values ...string) string {
	u, err := url.Parse(q.redirect)
	if err != nil {
		return issuer // cannot be: it was parsed before
	}
	form := u.Query()
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	form.Set("iss", issuer)
	if q.state != "" {
		form.Set("state", q.state)
	}
	u.RawQuery = form.Encode()
	return u.String()
}

// source is where forms may lead in the end, for the page's policy.
func (q *request) source() string {
	u, err := url.Parse(q.redirect)
	switch {
	case err != nil:
		return ""
	case u.Scheme != "https" && u.Scheme != "http" || strings.Contains(u.Host, "["): // a policy names no IPv6 address
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

// authorize shows the login page to whom a client has sent here.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.RawQuery
	q, err := s.readRequest(r, query)
	if s.refused(w, r, &q, err) {
		return
	}
	s.showLogin(w, r, query, &q, "")
}

// refused responds where a request cannot be served.
func (s *Server) refused(w http.ResponseWriter, r *http.Request, q *request, err error) bool {
	var known *oauthError
	switch {
	case err == nil:
		return false
	case errors.As(err, &known):
		back := q.back(s.base(r), "error", known.code, "error_description", known.description)
		if strings.HasPrefix(back, "https:") { // anybody may have registered it: who follows a link to here is not sent on unasked
			s.show(w, r, http.StatusBadRequest, &page{Title: "This login cannot be made", Problem: text.Sentence(known.description), Request: shown(q), Back: back})
			return true
		}
		noStore(w)
		http.Redirect(w, r, back, http.StatusSeeOther)
	default:
		s.show(w, r, http.StatusBadRequest, &page{Title: "This login cannot be made", Problem: text.Sentence(err.Error())})
	}
	return true
}
