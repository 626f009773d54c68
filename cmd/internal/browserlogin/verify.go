package browserlogin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/erphub/erphub/tokens"
)

const (
	maxLive  = 5000
	liveIdle = 10 * time.Minute
)

// live is a grant that is used: its manager refreshes the tokens of the ERP.
type live struct {
	manager *tokens.Manager
	used    time.Time
}

var errEnded = fmt.Errorf("%w: the login has ended, or was never made", tokens.ErrInvalidToken)

// Verify decides about a token of a client. For one of this server it returns the
// ERP's token that it stands for; any other must be one of the ERP.
func (s *Server) Verify(ctx context.Context, token string) (tokens.Claims, string, error) {
	id, secret, ok := readToken(kindAccess, token)
	if !ok {
		c, err := s.verifier.Verify(ctx, token)
		return c, token, err
	}
	g, err := s.find(ctx, id)
	if err != nil {
		return tokens.Claims{}, "", err
	}
	key, ok := g.keyOf(secret, s.now())
	if !ok {
		return tokens.Claims{}, "", errEnded
	}
	m, err := s.manager(id, key)
	if err != nil {
		return tokens.Claims{}, "", err
	}
	for first := true; ; first = false {
		erp, err := s.erpToken(ctx, g, m)
		if err != nil {
			return tokens.Claims{}, "", err
		}
		claims, err := s.verifier.Verify(ctx, erp)
		if first && errors.Is(err, tokens.ErrInvalidToken) {
			if err := m.Invalidate(ctx, erp); err != nil {
				return tokens.Claims{}, "", err
			}
			continue
		}
		if err == nil && userKey(claims) != g.User {
			return tokens.Claims{}, "", errEnded // cannot be: the ERP refreshes a login for its own user
		}
		return claims, erp, err
	}
}

// keyOf returns the key of a grant for the secret of an access token.
func (g *grant) keyOf(secret []byte, now time.Time) ([]byte, bool) {
	if g == nil {
		return nil, false
	}
	for _, t := range g.Access {
		if t.matches(secret) && now.Before(t.Ends) {
			key, err := t.unwrap(kindAccess, g.id, secret)
			return key, err == nil
		}
	}
	return nil, false
}

// erpToken returns a token of the ERP for a grant, and ends the grant where the ERP
// has ended the login.
func (s *Server) erpToken(ctx context.Context, g *grant, m *tokens.Manager) (string, error) {
	token, err := m.Token(ctx)
	if errors.Is(err, tokens.ErrAuthentication) {
		if err := s.end(ctx, g, nil, "the ERP has ended the login"); err != nil {
			return "", err
		}
		return "", errEnded
	}
	return token, err
}

// manager returns what keeps the tokens of the ERP of a grant fresh. Without a key it is
// nil unless the grant is used here.
func (s *Server) manager(id string, key []byte) (*tokens.Manager, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if l := s.live[id]; l != nil {
		l.used = now
		return l.manager, nil
	}
	if key == nil {
		return nil, nil
	}
	for other, l := range s.live {
		if len(s.live) < maxLive {
			break
		}
		if now.Sub(l.used) > liveIdle || len(s.live) > 2*maxLive {
			delete(s.live, other) // what it knows is in the store
		}
	}
	m, err := tokens.NewManager(s.erp, tokens.WithStore(&pairStore{s, id, key}), tokens.WithLogger(s.log))
	if err != nil {
		return nil, err
	}
	s.live[id] = &live{manager: m, used: now}
	return m, nil
}

func (s *Server) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, id)
}
