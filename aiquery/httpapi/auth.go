package httpapi

import (
	"context"

	"github.com/erphub/erphub/tokens"
)

// Verifier decides whether a bearer token is genuine and still good, and tells
// whose it is. A token that is not is a [tokens.ErrInvalidToken]; any other
// error means that it could not be found out, and lets nobody in either.
//
// [*tokens.Verifier] is one, made in three ways: with the secret the ERP signs
// with ([tokens.NewSecretVerifier]), with the key it publishes
// ([tokens.NewJWKVerifier]) and by calling it ([tokens.NewIntrospectionVerifier]),
// which alone notices a token that was revoked.
type Verifier interface {
	Verify(ctx context.Context, token string) (tokens.Claims, error)
}
