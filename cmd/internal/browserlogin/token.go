package browserlogin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

// oauthError is an error in the words of OAuth.
type oauthError struct {
	status            int
	code, description string
}

func (e *oauthError) Error() string { return e.code + ": " + e.description }

func invalidGrant(description string) error {
	return &oauthError{http.StatusBadRequest, "invalid_grant", description}
}

var (
	errCode    = invalidGrant("the code is wrong, was used or has ended; log in again")
	errRefresh = invalidGrant("the refresh token is wrong, was used or has ended; log in again")
)

// parameters reads the form of a client's request, in which each name comes once.
func parameters(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	body, err := httpserver.ReadBody(w, r, maxMachineReq, bodyTime)
	form, wrong := url.ParseQuery(string(body))
	if err != nil || wrong != nil || repeated(form) {
		refuse(w, http.StatusBadRequest, "invalid_request", "the request must be a form of at most 16 KiB in which no name comes twice")
		return nil, false
	}
	if id, _, ok := r.BasicAuth(); ok && form.Get("client_id") == "" { // some clients send it this way alone
		if plain, err := url.QueryUnescape(id); err == nil {
			form.Set("client_id", plain)
		}
	}
	return form, true
}

func repeated(form url.Values) bool {
	for _, values := range form {
		if len(values) > 1 {
			return true
		}
	}
	return false
}

// token turns a code or a refresh token into tokens.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	form, ok := parameters(w, r)
	if !ok {
		return
	}
	if resource := form.Get("resource"); resource != "" && !s.isResource(r, resource) {
		refuse(w, http.StatusBadRequest, "invalid_target", "tokens are for "+s.base(r)+pathResource+" alone")
		return
	}
	var access, refresh string
	var err error
	switch form.Get("grant_type") {
	case "authorization_code":
		access, refresh, err = s.redeem(r.Context(), form)
	case "refresh_token":
		access, refresh, err = s.rotate(r.Context(), form)
	default:
		err = &oauthError{http.StatusBadRequest, "unsupported_grant_type", "the grant_type must be authorization_code or refresh_token"}
	}
	var known *oauthError
	switch {
	case errors.As(err, &known):
		refuse(w, known.status, known.code, known.description)
	case err != nil:
		s.log.WarnContext(r.Context(), "tokens could not be issued", "error", err)
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "temporarily_unavailable", "the login cannot be checked just now; try again")
	default:
		noStore(w)
		httpserver.JSON(w, http.StatusOK, map[string]any{
			"access_token": access, "token_type": "Bearer", "expires_in": int(accessLife / time.Second), "refresh_token": refresh,
		})
	}
}

// redeem turns a code into tokens, once. A code that comes again, or from somebody who
// cannot prove to have requested it, ends its grant.
func (s *Server) redeem(ctx context.Context, form url.Values) (access, refresh string, err error) {
	id, secret, ok := readToken(kindCode, form.Get("code"))
	if !ok {
		return "", "", errCode
	}
	for {
		g, err := s.find(ctx, id)
		if err != nil {
			return "", "", err
		}
		if g == nil || !g.Code.matches(secret) {
			return "", "", errCode
		}
		key, why := g.redeemable(form, secret, s.now())
		if why != "" {
			if err := s.end(ctx, g, key, why); err != nil {
				return "", "", err
			}
			return "", "", errCode
		}
		if access, refresh, ok, err = s.issue(ctx, g, key); ok || err != nil {
			return access, refresh, err
		}
	}
}

// redeemable returns the key of a grant, and why its code is refused.
func (g *grant) redeemable(form url.Values, secret []byte, now time.Time) (key []byte, why string) {
	if g.Code.Used {
		return nil, "its code was used twice"
	}
	key, err := g.Code.unwrap(kindCode, g.id, secret)
	redirect := form.Get("redirect_uri")
	switch {
	case err != nil:
		return nil, "its code cannot be read"
	case now.After(g.Code.Ends):
		return key, "its code came late"
	case subtle.ConstantTimeCompare(g.Client, clientHash(form.Get("client_id"))) != 1:
		return key, "its code came from another client"
	case redirect != "" && redirect != g.Code.Redirect:
		return key, "its code came with another redirect_uri"
	case !proves(form.Get("code_verifier"), g.Code.Challenge):
		return key, "its code came without the right code_verifier"
	}
	return key, ""
}

// proves reports whether a verifier is the one of a challenge (RFC 7636, S256).
func proves(verifier, challenge string) bool {
	if len(verifier) < 43 || len(verifier) > 128 {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(encode(sum[:])), []byte(challenge)) == 1
}

// rotate turns a refresh token into new tokens. One that comes again ends the grant.
func (s *Server) rotate(ctx context.Context, form url.Values) (access, refresh string, err error) {
	id, secret, ok := readToken(kindRefresh, form.Get("refresh_token"))
	if !ok {
		return "", "", errRefresh
	}
	for {
		g, err := s.find(ctx, id)
		if err != nil {
			return "", "", err
		}
		switch {
		case g == nil || subtle.ConstantTimeCompare(g.Client, clientHash(form.Get("client_id"))) != 1:
			return "", "", errRefresh
		case !g.Refresh.matches(secret) || s.now().After(g.Refresh.Ends):
			if err := s.end(ctx, g, nil, "a refresh token came twice"); err != nil {
				return "", "", err
			}
			return "", "", errRefresh
		}
		key, err := g.Refresh.unwrap(kindRefresh, g.id, secret)
		if err != nil {
			return "", "", err
		}
		m, err := s.manager(g.id, key)
		if err != nil {
			return "", "", err
		}
		if _, err := s.erpToken(ctx, g, m); errors.Is(err, tokens.ErrInvalidToken) {
			return "", "", errRefresh
		} else if err != nil {
			return "", "", err
		}
		if access, refresh, ok, err = s.issue(ctx, g, key); ok || err != nil {
			return access, refresh, err
		}
	}
}

// revoke ends the grant of a token (RFC 7009). Whether there was one is not said.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	form, ok := parameters(w, r)
	if !ok {
		return
	}
	for _, k := range []kind{kindAccess, kindRefresh} {
		id, secret, ok := readToken(k, form.Get("token"))
		if !ok {
			continue
		}
		g, err := s.find(r.Context(), id)
		if err == nil && g != nil {
			var key []byte
			if k == kindAccess {
				key, ok = g.keyOf(secret, s.now())
			} else if ok = g.Refresh.matches(secret); ok {
				key, err = g.Refresh.unwrap(k, id, secret)
			}
			if ok && err == nil {
				err = s.end(r.Context(), g, key, "its client revoked it")
			}
		}
		if err != nil {
			s.log.WarnContext(r.Context(), "a grant could not be revoked", "error", err)
			w.Header().Set("Retry-After", "5")
			refuse(w, http.StatusServiceUnavailable, "temporarily_unavailable", "the grant cannot be revoked just now; try again")
			return
		}
	}
	noStore(w)
	w.WriteHeader(http.StatusOK)
}

// isResource reports whether a resource is this server.
func (s *Server) isResource(r *http.Request, resource string) bool {
	base := s.base(r)
	return resource == base+pathResource || resource == base+pathResource+"/" || resource == base || resource == base+"/"
}
