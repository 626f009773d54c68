package httpapi

import (
	"context"
	"errors"

	"github.com/erphub/erphub/tokens"
)

// Verifier decides whether a bearer token is genuine and still good, and tells
// whose it is. A token that is not is a [tokens.ErrInvalidToken]; any other
// error means that it could not be found out, and lets nobody in either.
//
// [*tokens.Verifier] is one, made in three ways: with the secret the ERP signs
// with ([tokens.NewSecretVerifier]), with the key it publishes
// ([tokens.NewJWKVerifier]) and by calling it
// ([tokens.NewIntrospectionVerifier]). [FirstThatKnows] joins several.
type Verifier interface {
	Verify(ctx context.Context, token string) (tokens.Claims, error)
}

// FirstThatKnows tries the verifiers in turn until one can decide: one that says
// no has decided, one that cannot be reached has not. Put the ERP's published key
// before the ERP itself, which is called where it does not publish a key.
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
