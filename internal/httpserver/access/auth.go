package access

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

// tokenRetry is when to retry after a token could not be checked.
const tokenRetry = 5 * time.Second

// Verifier decides whether a bearer token is genuine and still good, and tells
// whose it is. A token that is not is a [tokens.ErrInvalidToken]; any other
// error means that it could not be found out, and lets nobody in either.
type Verifier interface {
	Verify(ctx context.Context, token string) (tokens.Claims, error)
}

// Bearer is the token of a request: exactly one header with the scheme Bearer.
func Bearer(r *http.Request) (string, bool) {
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	token = strings.Trim(token, " ")
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != ""
}

// Authenticate returns whose token a request carries. The realm is for the
// challenge and needs no escape.
func Authenticate(r *http.Request, v Verifier, realm string, log *slog.Logger) (tokens.Claims, *httpserver.APIError) {
	refused := func(message, hint, more string) *httpserver.APIError {
		return &httpserver.APIError{Status: http.StatusUnauthorized, Code: "unauthenticated", Message: message, Hint: hint, Challenge: `Bearer realm="` + realm + `"` + more}
	}
	token, ok := Bearer(r)
	if !ok {
		return tokens.Claims{}, refused("the request carries no bearer token", "send the ERP's access token as Authorization: Bearer TOKEN", "")
	}
	claims, err := v.Verify(r.Context(), token)
	switch {
	case err == nil:
		return claims, nil
	case errors.Is(err, tokens.ErrTokenExpired):
		return tokens.Claims{}, refused("the token has expired", "log in again, or refresh the token", `, error="invalid_token"`)
	case errors.Is(err, tokens.ErrInvalidToken):
		log.DebugContext(r.Context(), "a token was refused", "error", err)
		return tokens.Claims{}, refused("the token is not valid here", "use an access token of a completed login at the ERP this service belongs to", `, error="invalid_token"`)
	}
	log.WarnContext(r.Context(), "a token could not be checked", "error", err)
	return tokens.Claims{}, &httpserver.APIError{Status: http.StatusServiceUnavailable, Code: "unavailable",
		Message: "the token cannot be checked now", Hint: "try again", RetryAfter: tokenRetry}
}
