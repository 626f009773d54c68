// Package testopenid is an OpenID provider for tests: a configuration, keys, and tokens
// with any claims.
package testopenid

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// Audience is whom its tokens are for.
const Audience = "erp"

// KeyID names its key.
const KeyID = "key-1"

// Provider listens on loopback until the test ends.
type Provider struct {
	URL string // its address and issuer
	Key *rsa.PrivateKey
}

// New starts a provider.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	p := &Provider{Key: key}
	mux := http.NewServeMux()
	respond := func(path string, document func() any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(document()) // the client may be gone
		})
	}
	respond("/.well-known/openid-configuration", func() any {
		return map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys"}
	})
	respond("/keys", func() any {
		encode := base64.RawURLEncoding.EncodeToString
		return map[string]any{"keys": []map[string]string{{
			"kty": "RSA", "use": "sig", "kid": KeyID,
			"n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
		}}}
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	p.URL = srv.URL
	return p
}

// Claims are those of an access token for a user, good for five minutes from now on.
func (p *Provider) Claims(user string, now time.Time) jwt.MapClaims {
	return jwt.MapClaims{
		"iss": p.URL, "aud": Audience, "sub": "id of " + user, "sid": "session of " + user, "name": user, "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}
}

// Token is a token for a user, with claims that are changed; nil leaves one out.
func (p *Provider) Token(t testing.TB, user string, now time.Time, change jwt.MapClaims) string {
	t.Helper()
	claims := p.Claims(user, now)
	maps.Copy(claims, change)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	return Sign(t, jwt.SigningMethodRS256, KeyID, claims, p.Key)
}

// Sign makes a token of any kind.
func Sign(t testing.TB, method jwt.SigningMethod, keyID string, claims jwt.MapClaims, key any) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	if keyID != "" {
		token.Header["kid"] = keyID
	}
	text, err := token.SignedString(key)
	require.NoError(t, err)
	return text
}
