package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/erphub/erphub/tokens"
)

// Verifier decides whether a bearer token is genuine and still good, and tells
// whose it is. A token that is not is a [tokens.ErrInvalidToken]; any other
// error means that it could not be found out, and lets nobody in either.
//
// [*tokens.Verifier] is one, made in three ways: with the secret the ERP signs
// with ([tokens.NewSecretVerifier]), with the key it publishes
// ([tokens.NewJWKVerifier]) and by asking it
// ([tokens.NewIntrospectionVerifier]). [FirstThatKnows] joins several.
type Verifier interface {
	Verify(ctx context.Context, token string) (tokens.Claims, error)
}

// FirstThatKnows asks the verifiers in turn until one can decide: one that says
// no has decided, one that cannot be asked has not. Put the ERP's published key
// before asking the ERP itself: an ERP that does not publish it is asked.
func FirstThatKnows(verifiers ...Verifier) Verifier { return firstThatKnows(verifiers) }

type firstThatKnows []Verifier

func (f firstThatKnows) Verify(ctx context.Context, token string) (tokens.Claims, error) {
	last := errors.New("no way to check tokens is set up")
	for _, v := range f {
		c, err := v.Verify(ctx, token)
		if err == nil || errors.Is(err, tokens.ErrInvalidToken) || ctx.Err() != nil {
			return c, err
		}
		last = err
	}
	return tokens.Claims{}, last
}

// userKey is a user as limits and contexts know them.
type userKey struct{ client, user int }

// bearer is the token of a request: exactly one header with the scheme Bearer.
func bearer(r *http.Request) (string, bool) {
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	token = strings.Trim(token, " ")
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != ""
}

// authenticate returns whose token a request carries.
func (h *Handler) authenticate(r *http.Request) (tokens.Claims, *problem) {
	token, ok := bearer(r)
	if !ok {
		return tokens.Claims{}, &problem{status: http.StatusUnauthorized, code: "unauthenticated",
			message: "the request carries no bearer token", hint: "send the ERP's access token as Authorization: Bearer TOKEN", challenge: `Bearer realm="ai"`}
	}
	claims, err := h.verifier.Verify(r.Context(), token)
	switch {
	case err == nil:
		return claims, nil
	case errors.Is(err, tokens.ErrTokenExpired):
		return tokens.Claims{}, refusedToken("the token has expired", "log in again, or refresh the token")
	case errors.Is(err, tokens.ErrInvalidToken):
		return tokens.Claims{}, refusedToken("the token is not valid here", "use an access token of a completed login at the ERP this service belongs to")
	}
	h.log.WarnContext(r.Context(), "a token could not be checked", "error", err)
	return tokens.Claims{}, &problem{status: http.StatusServiceUnavailable, code: "unavailable",
		message: "the token cannot be checked now", hint: "try again", retryAfter: tokenRetry}
}

func refusedToken(message, hint string) *problem {
	return &problem{status: http.StatusUnauthorized, code: "unauthenticated", message: message, hint: hint,
		challenge: `Bearer realm="ai", error="invalid_token"`}
}
