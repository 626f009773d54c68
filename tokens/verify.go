package tokens

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// DefaultIssuer is the issuer the ERP writes into its tokens.
const DefaultIssuer = "idempiere.org"

// algorithm is the only signature algorithm the ERP uses. Everything else,
// "none" above all, is refused before a key is looked for.
const algorithm = "HS512"

// What is wrong with a token a [Verifier] refused; all are wrapped by errors
// of [Verifier.Verify] together with ErrInvalidToken.
var (
	// ErrInvalidToken: the token must not be trusted. The caller responds with 401.
	ErrInvalidToken = errors.New("invalid token")
	// ErrTokenExpired: its end has passed.
	ErrTokenExpired = errors.New("the token has expired")
)

// Verifier decides whether a token that somebody presents was issued by the
// ERP and is still good. Use it in services that are called with the ERP's
// tokens.
//
// There are three ways, each with its constructor: the shared secret
// ([NewSecretVerifier]), the key the ERP publishes ([NewJWKVerifier]), and
// calling the ERP ([NewIntrospectionVerifier]). Only the last one notices a
// logout or a revoked token before it expires.
//
// A Verifier is safe for concurrent use.
type Verifier struct {
	check    checker
	issuer   string
	leeway   time.Duration
	now      func() time.Time
	noExpiry bool
	http     *http.Client
	log      *slog.Logger
	remember time.Duration
	grace    *time.Duration // nil: the default of the way to check
	erpAlone bool           // nothing of the token is looked at here
}

// checker decides about the signature of a token of the right form.
type checker interface {
	// verify fills claims and returns an ErrInvalidToken, or another error
	// when it could not find out.
	verify(ctx context.Context, v *Verifier, token string) (Claims, error)
}

// VerifierOption configures a [Verifier].
type VerifierOption func(*Verifier) error

// ExpectIssuer replaces [DefaultIssuer].
func ExpectIssuer(issuer string) VerifierOption {
	return func(v *Verifier) error {
		if issuer == "" {
			return errors.New("the expected issuer must not be empty")
		}
		v.issuer = issuer
		return nil
	}
}

// Leeway accepts a token for that much longer than its end, for clocks that
// differ; 0 without the option, at most 15 minutes.
func Leeway(d time.Duration) VerifierOption {
	return func(v *Verifier) error {
		if d < 0 || d > 15*time.Minute {
			return fmt.Errorf("the leeway must be between 0 and 15 minutes, not %v", d)
		}
		v.leeway = d
		return nil
	}
}

// AcceptNoExpiry accepts tokens without an end, as the ERP makes them for
// other servers when told so. Without the option they are refused.
func AcceptNoExpiry() VerifierOption {
	return func(v *Verifier) error { v.noExpiry = true; return nil }
}

// VerifierClock replaces time.Now.
func VerifierClock(now func() time.Time) VerifierOption {
	return func(v *Verifier) error {
		if now == nil {
			return errors.New("the clock must not be nil")
		}
		v.now = now
		return nil
	}
}

// VerifierHTTPClient sets the client that calls the ERP. The client is copied;
// redirects are never followed. Without the option: 5 s to connect, 30 s for
// the response.
func VerifierHTTPClient(c *http.Client) VerifierOption {
	return func(v *Verifier) error {
		if c == nil {
			return errors.New("the HTTP client must not be nil")
		}
		v.setClient(c)
		return nil
	}
}

// VerifierLogger sets where the verifier reports trouble with the ERP; nil is
// silent, like no option.
func VerifierLogger(l *slog.Logger) VerifierOption {
	return func(v *Verifier) error {
		if l != nil {
			v.log = l
		}
		return nil
	}
}

// RememberFor sets how long a response of the ERP is used again: 5 minutes for
// its keys and 30 seconds for its word on a token without the option. 0 asks
// every time. For introspection this is how long a revoked token lives on.
func RememberFor(d time.Duration) VerifierOption {
	return func(v *Verifier) error {
		if d < 0 || d > 24*time.Hour {
			return fmt.Errorf("responses can be remembered for 0 to 24 hours, not %v", d)
		}
		v.remember = d
		return nil
	}
}

// GraceFor sets how long after its last word the ERP's yes counts when the ERP
// cannot be reached: it does not respond, or something in its place does. A token
// the ERP never accepted, or refused since, is not let in, and none beyond its
// end. Without the option it is 0, never, for introspection, and an hour for
// published keys; a shared secret needs none.
func GraceFor(d time.Duration) VerifierOption {
	return func(v *Verifier) error {
		if d < 0 || d > 24*time.Hour {
			return fmt.Errorf("the ERP's word can count for 0 to 24 hours when it cannot be reached, not %v", d)
		}
		v.grace = &d
		return nil
	}
}

// ERPAlone leaves the whole decision to the ERP: form, issuer, signature and end of
// the token are not looked at before. It is for a program's own token, which need not
// be distrusted, and whose form is the ERP's affair; with introspection only. Claims
// are what the token says, and may be incomplete.
func ERPAlone() VerifierOption {
	return func(v *Verifier) error {
		if _, ok := v.check.(*introspector); !ok {
			return errors.New("only introspection leaves the decision to the ERP")
		}
		v.erpAlone = true
		return nil
	}
}

// graceOr is the grace, or what it is without the option.
func (v *Verifier) graceOr(otherwise time.Duration) time.Duration {
	if v.grace == nil {
		return otherwise
	}
	return *v.grace
}

func (v *Verifier) setClient(c *http.Client) {
	var w wire
	w.setClient(c)
	v.http = w.http
}

func newVerifier(check checker, remember time.Duration, opts []VerifierOption) (*Verifier, error) {
	v := &Verifier{
		check: check, issuer: DefaultIssuer, now: time.Now, remember: remember,
		log: slog.New(slog.DiscardHandler),
	}
	c := newHTTPClient()
	c.Transport.(*http.Transport).DisableKeepAlives = false // these calls may be retried
	v.setClient(c)
	for _, o := range opts {
		if err := o(v); err != nil {
			return nil, fmt.Errorf("setting up the token verifier: %w", err)
		}
	}
	return v, nil
}

// minSecret is the least length of a shared secret. The ERP generates longer
// ones; HS512 requires 64, but an installation's choice is not ours to refuse.
const minSecret = 16

// NewSecretVerifier returns a verifier with the ERP's secret (its REST token
// secret). It calls nobody. A secret shorter than 16 bytes is refused. The
// slice is copied.
func NewSecretVerifier(secret []byte, opts ...VerifierOption) (*Verifier, error) {
	if len(secret) < minSecret {
		return nil, fmt.Errorf("setting up the token verifier: the secret must have at least %d bytes", minSecret)
	}
	return newVerifier(&secretChecker{NewSecret(string(secret))}, 0, opts)
}

// Verify returns the claims of a token that is genuine, not expired, from the
// expected issuer, and complete: it names client, user, role and organization
// (a token of an unfinished login and a refresh token do not). token is the
// bare token, without the word Bearer.
//
// A token that must not be trusted is an [ErrInvalidToken], with
// [ErrTokenExpired] when its end has passed. Any other error
// means that the ERP could not be reached; it is an [ErrUnreachable], and the
// caller must not let the request through either.
func (v *Verifier) Verify(ctx context.Context, token string) (Claims, error) {
	if err := checkForm(token); err != nil && !v.erpAlone {
		return Claims{}, fmt.Errorf("%w: %w", ErrInvalidToken, err)
	}
	c, err := v.check.verify(ctx, v, token)
	if err != nil {
		return Claims{}, err
	}
	if !c.Complete && !v.erpAlone {
		return Claims{}, fmt.Errorf("%w: it does not name client, user, role and organization", ErrInvalidToken)
	}
	return c, nil
}

// Format writes the word tokens.Verifier whatever the verb.
func (v *Verifier) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "tokens.Verifier") }

// parse checks header, period of validity and issuer, and the signature with
// keyFor.
func (v *Verifier) parse(token string, keyFor jwt.Keyfunc) (Claims, error) {
	opts := []jwt.ParserOption{
		jwt.WithValidMethods([]string{algorithm}),
		jwt.WithIssuer(v.issuer),
		jwt.WithTimeFunc(v.now),
		jwt.WithLeeway(v.leeway),
	}
	if !v.noExpiry {
		opts = append(opts, jwt.WithExpirationRequired())
	}
	var c jwtClaims
	checked := func(t *jwt.Token) (any, error) {
		if err := checkHeader(t.Header); err != nil {
			return nil, err
		}
		return keyFor(t)
	}
	if _, err := jwt.NewParser(opts...).ParseWithClaims(token, &c, checked); err != nil {
		return Claims{}, invalid(err, c.err)
	}
	if !c.decoded {
		return Claims{}, fmt.Errorf("%w: it has no claims", ErrInvalidToken)
	}
	return c.Claims, nil
}

// headerError names the member of a token's header that is not supported.
type headerError string

func (e headerError) Error() string { return "its header requires what is not supported: " + string(e) }

// checkHeader refuses a header that changes how a token is to be read: names
// of extensions in crit, of which none is known here (RFC 7515, section
// 4.1.11), and a payload that is not encoded (RFC 7797).
func checkHeader(header map[string]any) error {
	if _, ok := header["crit"]; ok {
		return headerError("crit")
	}
	if b64, ok := header["b64"]; ok && b64 != true {
		return headerError("b64")
	}
	return nil
}

// errSignature tells a wrong signature from everything else inside the
// package: the key may have been replaced.
var errSignature = errors.New("the signature does not match")

// invalid puts the library's finding into words that contain nothing of the
// token.
func invalid(err, claims error) error {
	var header headerError
	switch {
	case errors.Is(err, jwt.ErrTokenExpired) && !errors.Is(err, jwt.ErrTokenInvalidIssuer):
		return fmt.Errorf("%w: %w", ErrInvalidToken, ErrTokenExpired)
	case claims != nil:
		return fmt.Errorf("%w: %w", ErrInvalidToken, claims)
	case errors.As(err, &header):
		return fmt.Errorf("%w: %w", ErrInvalidToken, header)
	case errors.Is(err, jwt.ErrTokenInvalidIssuer):
		return fmt.Errorf("%w: it is from another issuer", ErrInvalidToken)
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return fmt.Errorf("%w: it is not valid yet (claim nbf)", ErrInvalidToken)
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return fmt.Errorf("%w: it has no end", ErrInvalidToken)
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		// The library says the same about an algorithm that is not allowed;
		// errSignature only makes the caller look for a newer key.
		return fmt.Errorf("%w: %w, or the algorithm is not %s", ErrInvalidToken, errSignature, algorithm)
	}
	return fmt.Errorf("%w: it cannot be decoded", ErrInvalidToken)
}

// unsigned checks everything but the signature.
func (v *Verifier) unsigned(token string) (Claims, error) {
	var c jwtClaims
	t, _, err := jwt.NewParser().ParseUnverified(token, &c)
	switch {
	case err != nil:
		return Claims{}, invalid(err, c.err)
	case t.Method.Alg() != algorithm:
		return Claims{}, fmt.Errorf("%w: its algorithm is not %s", ErrInvalidToken, algorithm)
	case checkHeader(t.Header) != nil:
		return Claims{}, fmt.Errorf("%w: %w", ErrInvalidToken, checkHeader(t.Header))
	case !c.decoded:
		return Claims{}, fmt.Errorf("%w: it has no claims", ErrInvalidToken)
	}
	opts := []jwt.ParserOption{jwt.WithIssuer(v.issuer), jwt.WithTimeFunc(v.now), jwt.WithLeeway(v.leeway)}
	if !v.noExpiry {
		opts = append(opts, jwt.WithExpirationRequired())
	}
	if err := jwt.NewValidator(opts...).Validate(&c); err != nil {
		return Claims{}, invalid(err, nil)
	}
	return c.Claims, nil
}

// secretChecker knows the key.
type secretChecker struct{ key Secret }

func (s *secretChecker) verify(_ context.Context, v *Verifier, token string) (Claims, error) {
	return v.parse(token, func(*jwt.Token) (any, error) { return []byte(s.key.Reveal()), nil })
}

// digest names a token in memory without keeping it.
func digest(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }
