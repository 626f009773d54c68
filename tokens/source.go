package tokens

import (
	"context"
	"errors"
)

// Source returns the token to send with the next call. A service declares its
// own interface of this shape (as the ERP client does); this one is here for
// functions that return one of several sources.
//
// Token is safe for concurrent use, returns a token that is valid at that
// moment as far as can be known, and stops when ctx ends. A source that can
// do something about a token the server refused also has
// Invalidate(ctx context.Context, token string) error, see
// [Manager.Invalidate].
type Source interface {
	Token(ctx context.Context) (string, error)
}

var (
	_ Source = (*Manager)(nil)
	_ Source = (*StaticSource)(nil)
)

// StaticSource always returns the same token, whether it is still valid or
// not. It has no Invalidate: a refused token is the caller's to handle.
type StaticSource struct{ token Secret }

// Static returns a source for one token, such as an API token created in the
// ERP. An empty token, or one that could not be sent in a header, is an error.
func Static(token Secret) (*StaticSource, error) {
	if err := sendable(token); err != nil {
		return nil, err
	}
	return &StaticSource{token}, nil
}

// sendable refuses what is not a token, most often because of a line break that
// was copied along.
func sendable(token Secret) error {
	text := token.Reveal()
	if text == "" {
		return errors.New("the token must not be empty; set ERP_TOKEN or log in")
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return errors.New("the token contains a blank, line break or other character that no token has; copy it again")
		}
	}
	return nil
}

// Token returns the token. It never waits.
func (s *StaticSource) Token(context.Context) (string, error) { return s.token.Reveal(), nil }
