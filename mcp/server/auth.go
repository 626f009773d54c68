package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

const (
	metadataPath      = "/.well-known/oauth-protected-resource"
	loginMetadataPath = "/.well-known/oauth-authorization-server"
)

// maxToken bounds what is looked at as a token.
const maxToken = 16 << 10

type verifiedKey struct{}

// authenticated lets requests through whose token is good, and passes on whom
// it stands for.
func (s *Server) authenticated(next http.Handler) http.Handler {
	if !s.opts.authenticates() {
		return next
	}
	// The SDK reads the identity from its own place in the context, which only
	// its own middleware can fill; the token was checked before it.
	inner := auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		if info, ok := ctx.Value(verifiedKey{}).(*auth.TokenInfo); ok {
			return info, nil
		}
		return nil, auth.ErrInvalidToken
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, err := s.verify(r)
		var refused *mcp.Error
		switch {
		case err == nil:
			inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), verifiedKey{}, info)))
		case errors.Is(err, tokens.ErrInvalidToken):
			advice := "; send the header Authorization: Bearer TOKEN with a token of the ERP"
			if s.opts.Login != nil {
				advice += ", or log in with a browser as the metadata says"
			}
			if s.opts.Provider != nil {
				advice += ", or a token of the OpenID provider, with " + roleHeader + " and " + organizationHeader + " where its user has several roles or organizations"
			}
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer error=%q, resource_metadata=%q", "invalid_token", s.base(r)+metadataPath+"/mcp"))
			s.turn(w, "token", http.StatusUnauthorized, err.Error()+advice)
		case errors.As(err, &refused):
			status := http.StatusForbidden
			if refused.Code == mcp.CodeInvalidArguments {
				status = http.StatusBadRequest
			}
			s.turn(w, "identity", status, refused.Error())
		case r.Context().Err() != nil:
			return // nobody is there any more
		default:
			s.opts.Logger.WarnContext(r.Context(), "a token could not be checked", "error", err)
			w.Header().Set("Retry-After", "5")
			s.turn(w, "verifier", http.StatusServiceUnavailable, "the token cannot be checked just now, because the ERP does not respond; try again")
		}
	})
}

// verify is whom the request's token stands for.
func (s *Server) verify(r *http.Request) (*auth.TokenInfo, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return nil, fmt.Errorf("%w: there is none", tokens.ErrInvalidToken)
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	token = strings.TrimSpace(token)
	if len(headers) > 1 || !ok || !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxToken || strings.ContainsAny(token, " \t") {
		return nil, fmt.Errorf("%w: the Authorization header holds no bearer token", tokens.ErrInvalidToken)
	}
	if s.opts.Provider != nil && s.opts.Provider.Issued(token) {
		return s.verifyProvided(r, token)
	}
	if s.opts.Login != nil {
		claims, erp, err := s.opts.Login.Verify(r.Context(), token)
		if err != nil {
			return nil, err
		}
		return tokenInfo(newCaller(claims, erp), claims.ExpiresAt), nil
	}
	if s.opts.Verifier == nil {
		return nil, fmt.Errorf("%w: it is none of the OpenID provider", tokens.ErrInvalidToken)
	}
	claims, err := s.opts.Verifier.Verify(r.Context(), token)
	if err != nil {
		return nil, err
	}
	return tokenInfo(newCaller(claims, token), claims.ExpiresAt), nil
}

// base is where the client reaches this server.
func (s *Server) base(r *http.Request) string { return httpserver.BaseURL(r, s.opts.URL) }

// metadata says how to be let in (RFC 9728).
func (s *Server) metadata(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*") // it is the same for everybody
	servers := s.opts.AuthorizationServers
	if s.opts.Login != nil {
		servers = append([]string{s.base(r)}, servers...)
	}
	httpserver.JSON(w, http.StatusOK, &oauthex.ProtectedResourceMetadata{
		Resource: s.base(r) + "/mcp", ResourceName: s.opts.Title,
		AuthorizationServers: servers, BearerMethodsSupported: []string{"header"},
	})
}
