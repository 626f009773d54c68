// Package openid lets clients of the tool server in with tokens of an OpenID provider that
// the ERP takes.
//
// The ERP alone decides about a token: it has the provider's keys. This package sends the
// token there, with the headers of its client, and finds out whom the ERP then works for. A
// token never acts with a role that its user does not have. The ERP does not look at that,
// and remembers for an hour what the first request with a token named. So a token that
// comes with another role or organization than its first request is refused, and one that
// must not be let in is logged out at the ERP.
package openid

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

const (
	// remembered is how long the ERP's word on a token counts.
	remembered = 30 * time.Second
	// maxTokens bounds the tokens that are known. None is forgotten before it ends.
	maxTokens = 20_000
	// unsettled is how long a token is known, at most, that the ERP has not decided about.
	// The ERP knows it no longer by then.
	unsettled = 2 * time.Hour
	// logoutTime is how long the ERP may take to log a token out.
	logoutTime = 10 * time.Second
)

// Options make a [Verifier]. ERP and Issuers are needed.
type Options struct {
	ERP       string   // its address
	Issuers   []string // of tokens (iss), as they spell themselves
	Transport http.RoundTripper
	UserAgent string
	Clock     func() time.Time // nil: time.Now
	Logger    *slog.Logger
}

// Verifier is a server.Provider. It is safe for concurrent use.
type Verifier struct {
	opts Options

	mu    sync.Mutex // guards known
	known map[[sha256.Size]byte]*seen
}

// seen is a token that was sent to the ERP.
type seen struct {
	role, organization string    // what its first request named
	ends               time.Time // when it may be forgotten; guarded by the verifier's mu

	turn   chan struct{} // holds a value while somebody uses what follows
	gone   bool          // the ERP knows nothing of it
	asked  mcp.Identity  // what the last question named
	claims tokens.Claims
	err    error
	until  time.Time // the answer counts; zero: there is none
}

// New makes a verifier. It sends nothing.
func New(o Options) (*Verifier, error) {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Clock == nil {
		o.Clock = time.Now
	}
	v := &Verifier{opts: o, known: map[[sha256.Size]byte]*seen{}}
	_, err := v.client("any", mcp.Identity{}) // finds a wrong address
	return v, err
}

// client makes requests with a token and nothing else.
func (v *Verifier) client(token string, identity mcp.Identity) (*erp.Client, error) {
	options := []erp.Option{
		erp.WithTokenSource(erp.StaticToken(token)), erp.WithIdentity(identity.ERP()), erp.WithRetryPolicy(erp.RetryPolicy{}), erp.WithLogger(v.opts.Logger),
		erp.WithUserAgent(cmp.Or(v.opts.UserAgent, "erphub")),
	}
	if v.opts.Transport != nil {
		options = append(options, erp.WithTransport(v.opts.Transport))
	}
	return erp.New(v.opts.ERP, options...)
}

// claims are those of a token that are looked at here. The ERP takes username for name
// where the provider is Amazon Cognito. What an ID token says does not count: the ERP
// remembers whom an access token stands for, and looks at no ID token then.
type claims struct {
	issuer, name, username, email string
	login                         string // of a user, told apart from others
	ends                          time.Time
}

// read reads a token without checking its signature. It fails for one that cannot be one
// of an OpenID provider.
func read(token string) (c claims, err error) {
	known, err := tokens.UnverifiedClaims(token) // the form, in words that show nothing of it
	if err != nil {
		return c, err
	}
	all := jwt.MapClaims{}
	parsed, _, err := jwt.NewParser().ParseUnverified(token, all)
	if err != nil || !slices.Contains([]string{"RS256", "RS384", "RS512"}, parsed.Method.Alg()) {
		return c, errors.New("it is not signed as an OpenID provider does")
	}
	text := func(name string) string { s, _ := all[name].(string); return s }
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", known.Issuer, known.Subject, text("sid")))
	return claims{known.Issuer, text("name"), text("username"), text("email"), hex.EncodeToString(sum[:16]), known.ExpiresAt}, nil
}

// Issued reports whether a token says that it is one of the provider.
func (v *Verifier) Issued(token string) bool {
	c, err := read(token)
	return err == nil && slices.Contains(v.opts.Issuers, c.issuer)
}

// Verify decides about a token of the provider; see server.Provider.
func (v *Verifier) Verify(ctx context.Context, token string, identity mcp.Identity) (tokens.Claims, error) {
	c, err := read(token)
	switch now := v.opts.Clock(); {
	case err != nil:
		return tokens.Claims{}, fmt.Errorf("%w: %w", tokens.ErrInvalidToken, err)
	case c.ends.IsZero():
		return tokens.Claims{}, fmt.Errorf("%w: it has no end", tokens.ErrInvalidToken)
	case !now.Before(c.ends):
		return tokens.Claims{}, fmt.Errorf("%w: %w", tokens.ErrInvalidToken, tokens.ErrTokenExpired)
	}
	for {
		s, err := v.seen(token, c.ends, identity)
		if err != nil {
			return tokens.Claims{}, err
		}
		select {
		case s.turn <- struct{}{}:
		case <-ctx.Done():
			return tokens.Claims{}, ctx.Err()
		}
		if s.gone {
			<-s.turn
			continue
		}
		if !same(s.asked, identity) || !v.opts.Clock().Before(s.until) {
			v.ask(ctx, s, token, c, identity)
		}
		claims, err := s.claims, s.err
		<-s.turn
		return claims, err
	}
}

// same compares identities: secrets by their texts.
func same(a, b mcp.Identity) bool { return a.ERP() == b.ERP() }

// seen is what is known of a token, which the first request binds to a role and an
// organization before anything of it reaches the ERP.
func (v *Verifier) seen(token string, ends time.Time, identity mcp.Identity) (*seen, error) {
	id := sha256.Sum256([]byte(token))
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.known[id]; s != nil {
		if s.role != identity.Role || s.organization != identity.Organization {
			return nil, denied("log in again for another role or organization",
				"the ERP knows this token with another X-ID-Role or X-ID-Organization, which its first request named")
		}
		return s, nil
	}
	if len(v.known) >= maxTokens {
		now := v.opts.Clock()
		for other, s := range v.known {
			if !now.Before(s.ends) {
				delete(v.known, other)
			}
		}
		if len(v.known) >= maxTokens {
			return nil, errors.New("there are too many tokens of OpenID providers")
		}
	}
	s := &seen{role: identity.Role, organization: identity.Organization, ends: ends, turn: make(chan struct{}, 1)}
	if last := v.opts.Clock().Add(unsettled); last.Before(ends) {
		s.ends = last
	}
	v.known[id] = s
	return s, nil
}

// ask forms the answer, with the turn.
func (v *Verifier) ask(ctx context.Context, s *seen, token string, c claims, identity mcp.Identity) {
	s.asked, s.until = identity, time.Time{}
	f := &finder{token: tokens.NewSecret(token)}
	var err error
	if f.client, err = v.client(token, identity); err == nil {
		s.claims, err = f.whois(ctx, c, identity)
	}
	s.err = err
	var refused *mcp.Error
	switch {
	case err == nil, errors.As(err, &refused):
		s.until = v.opts.Clock().Add(remembered) // Verify looks at the end of the token each time
		v.mu.Lock()
		s.ends = c.ends
		v.mu.Unlock()
		if err != nil {
			v.logOut(ctx, f.client, token)
		}
	case f.unknown:
		s.gone = true
		v.mu.Lock()
		delete(v.known, sha256.Sum256([]byte(token)))
		v.mu.Unlock()
	}
}

// logOut has the ERP forget what it took a token for, and refuse it from then on: also at
// other replicas.
func (v *Verifier) logOut(ctx context.Context, client *erp.Client, token string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), logoutTime)
	defer cancel()
	_, err := client.Call(ctx, http.MethodPost, []string{"auth", "logout"}, nil, map[string]string{"token": token})
	if err != nil && !errors.Is(err, erp.ErrUnauthorized) { // what was not known has ended, too
		v.opts.Logger.WarnContext(ctx, "a token of an OpenID provider that was refused could not be logged out at the ERP", "error", err)
	}
}
