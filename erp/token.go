package erp

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/erphub/erphub/internal/apiclient"
)

// TokenSource gives the bearer token for a request. Token is called for every
// attempt of every request, by many goroutines at once, so it should be cheap
// while the token is valid. An empty token sends the request without
// authorization.
type TokenSource interface {
	Token(ctx context.Context) (string, error)
}

// TokenInvalidator may be implemented by a TokenSource. When the server
// responds 401, the client calls Invalidate with the token it had sent, asks for
// a token again and, if that differs, sends the request again once, whatever its
// method: a request refused with 401 was not executed.
type TokenInvalidator interface {
	Invalidate(ctx context.Context, token string) error
}

// StaticToken is a source that always gives the same token, such as a
// long-lived API token. New refuses it when the token is empty or holds a line
// break, a blank or another character that may not stand in a header. Printing
// the source never shows the token.
func StaticToken(token string) TokenSource { return &staticToken{token: token} }

type staticToken struct {
	token string
}

// Token returns the token.
func (s *staticToken) Token(context.Context) (string, error) {
	if s.token == "" {
		return "", invalid("the token is empty")
	}
	return s.token, apiclient.CheckToken(s.token)
}

// String hides the token.
func (*staticToken) String() string { return "erp.StaticToken(hidden)" }

// GoString hides the token.
func (s *staticToken) GoString() string { return s.String() }

// Format hides the token under every verb.
func (s *staticToken) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// LogValue hides the token from structured logs.
func (s *staticToken) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the token from encoders.
func (s *staticToken) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
