package tokens

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	// keyAsk is the least time between two questions for keys because a
	// signature did not match: strangers must not be able to cause requests.
	keyAsk = 10 * time.Second
	// keyStale is how long keys are used on when the ERP cannot be reached and
	// GraceFor says nothing else.
	keyStale = time.Hour
)

// errNoKey means that no key could be had, which says nothing about a token.
var errNoKey = fmt.Errorf("%w: its signing key", ErrUnreachable)

// NewJWKVerifier returns a verifier that fetches the key from the ERP at
// address (without /api/v1). The ERP only publishes it when its system
// configurator has IDEMPIERE_REST_EXPOSE_JWK = Y; since the key also signs,
// do that only where nobody else can read the response, and use https.
//
// The key is fetched when it is first needed and remembered for 5 minutes
// ([RememberFor]). When a signature does not match, it may have been
// replaced: it is fetched again, but not more than once in 10 seconds. While
// the ERP cannot be reached the last key serves for an hour ([GraceFor]).
func NewJWKVerifier(address string, opts ...VerifierOption) (*Verifier, error) {
	base, err := cleanBase(address)
	if err != nil {
		return nil, fmt.Errorf("setting up the token verifier: %w", err)
	}
	return newVerifier(&jwkChecker{url: base + "/api/v1/auth/jwk", turn: make(chan struct{}, 1)}, 5*time.Minute, opts)
}

type jwkChecker struct {
	url  string
	turn chan struct{} // holds one element while a fetch is under way

	mu      sync.Mutex // guards what follows
	keys    []jwk
	fetched time.Time // when keys came
	asked   time.Time // when they were last requested
	failed  error     // why they did not come then
}

// jwk is one published key.
type jwk struct {
	id  string
	key Secret
}

func (j *jwkChecker) verify(ctx context.Context, v *Verifier, token string) (Claims, error) {
	// Only the signature can depend on the key: a token that is wrong
	// otherwise is refused without a request.
	if _, err := v.unsigned(token); err != nil {
		return Claims{}, err
	}
	keys, err := j.known(ctx, v, false)
	if err != nil {
		return Claims{}, err
	}
	c, err := tryKeys(v, token, keys)
	if !errors.Is(err, errSignature) {
		return c, err
	}
	newer, ferr := j.known(ctx, v, true)
	if ferr != nil || same(keys, newer) {
		return Claims{}, err
	}
	return tryKeys(v, token, newer)
}

// tryKeys verifies with the keys whose id fits.
func tryKeys(v *Verifier, token string, keys []jwk) (Claims, error) {
	return v.parse(token, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		var set jwt.VerificationKeySet
		for _, k := range keys {
			if kid == "" || k.id == "" || k.id == kid {
				set.Keys = append(set.Keys, []byte(k.key.Reveal()))
			}
		}
		if len(set.Keys) == 0 {
			return nil, errors.Join(jwt.ErrTokenSignatureInvalid, errors.New("no key of that id"))
		}
		return set, nil
	})
}

func same(a, b []jwk) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].id != b[i].id || !a[i].key.Equal(b[i].key) {
			return false
		}
	}
	return true
}

// known returns the keys, fetching them when they are missing or old, or when
// newer ones are wanted and it is not too early to request them.
func (j *jwkChecker) known(ctx context.Context, v *Verifier, newer bool) ([]jwk, error) {
	// One fetch at a time; each caller's context bounds its wait.
	if keys, err, ok := j.cached(v, newer); ok {
		return keys, err
	}
	select {
	case j.turn <- struct{}{}:
		defer func() { <-j.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the ERP's signing key: %w", ctx.Err())
	}
	if keys, err, ok := j.cached(v, newer); ok { // somebody has just fetched
		return keys, err
	}
	keys, err := j.fetch(ctx, v)
	if err != nil && ctx.Err() != nil {
		// The caller's impatience says nothing about the ERP.
		return nil, fmt.Errorf("fetching the ERP's signing key: %w", ctx.Err())
	}

	j.mu.Lock()
	defer j.mu.Unlock()
	now := v.now()
	j.asked, j.failed = now, err
	if err == nil {
		j.keys, j.fetched = keys, now
		return keys, nil
	}
	v.log.WarnContext(ctx, "the ERP's signing key could not be fetched", "error", err)
	if len(j.keys) > 0 && now.Sub(j.fetched) < v.graceOr(keyStale) {
		return j.keys, nil
	}
	return nil, err
}

// cached returns what is known when that has to do.
func (j *jwkChecker) cached(v *Verifier, newer bool) ([]jwk, error, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := v.now()
	have := len(j.keys) > 0 && now.Sub(j.fetched) < max(v.graceOr(keyStale), v.remember)
	recent := !j.asked.IsZero() && now.Sub(j.asked) < keyAsk
	switch {
	case have && !newer && now.Sub(j.fetched) < v.remember:
		return j.keys, nil, true
	case recent && have && (newer || j.failed != nil):
		return j.keys, nil, true
	case recent && j.failed != nil:
		return nil, j.failed, true
	}
	return nil, nil, false
}

func (j *jwkChecker) fetch(ctx context.Context, v *Verifier) ([]jwk, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, j.url, nil)
	if err != nil {
		return nil, errNoKey
	}
	req.Header.Set("Accept", "application/json")
	res, err := v.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w: GET %s: %w", errNoKey, j.url, bare(err))
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err != nil {
		return nil, fmt.Errorf("%w: GET %s: %w", errNoKey, j.url, bare(err))
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: GET %s: the server responded with %d", errNoKey, j.url, res.StatusCode)
	}
	keys, err := readKeys(data)
	if err != nil {
		return nil, fmt.Errorf("%w: GET %s: %w", errNoKey, j.url, err)
	}
	return keys, nil
}

// readKeys takes the keys that can have signed a token of the ERP. Others,
// and other algorithms, are left out rather than tried.
func readKeys(data []byte) ([]jwk, error) {
	var set struct {
		Keys []struct {
			Kty string `json:"kty"`
			Alg string `json:"alg"`
			Kid string `json:"kid"`
			K   string `json:"k"`
		} `json:"keys"`
	}
	if json.Unmarshal(data, &set) != nil {
		return nil, errors.New("the response is not a key set")
	}
	var keys []jwk
	for _, k := range set.Keys {
		if k.Kty != "oct" || k.Alg != algorithm {
			continue
		}
		key, err := decodeKey(k.K)
		if err != nil || len(key) < minSecret {
			continue
		}
		keys = append(keys, jwk{k.Kid, NewSecret(string(key))})
	}
	switch {
	case len(set.Keys) == 0:
		return nil, errors.New("the ERP does not publish its key; set IDEMPIERE_REST_EXPOSE_JWK to Y there, or verify by secret or introspection")
	case len(keys) == 0:
		return nil, errors.New("none of the published keys is for " + algorithm)
	}
	return keys, nil
}

// decodeKey reads base64 in the standard alphabet, as the ERP writes it, or
// in the one for URLs, as the standard for key sets has it.
func decodeKey(k string) ([]byte, error) {
	k = strings.TrimRight(k, "=")
	if strings.ContainsAny(k, "-_") {
		return base64.RawURLEncoding.DecodeString(k)
	}
	return base64.RawStdEncoding.DecodeString(k)
}
