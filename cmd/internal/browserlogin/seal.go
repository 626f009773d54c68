package browserlogin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"strings"
	"time"
)

// kind is what a token of this server is for. It is the beginning of its text, by which
// scanners for secrets find it.
type kind string

const (
	kindCode    kind = "erphub-code_"
	kindAccess  kind = "erphub-access_"
	kindRefresh kind = "erphub-refresh_"
)

const (
	idBytes     = 16
	secretBytes = 32
)

// random returns n random bytes.
func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// encode writes bytes as they stand in tokens, cookies and keys of the store.
func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// newToken makes a token of a grant, and what is kept of it: key opens the grant's
// tokens of the ERP.
func newToken(k kind, id string, key []byte, ends time.Time) (string, ticket) {
	secret := random(secretBytes)
	sum := sha256.Sum256(secret)
	return string(k) + id + encode(secret), ticket{Hash: sum[:], Wrapped: seal(secret, string(k)+id, key), Ends: ends}
}

// readToken returns the grant and the secret of a token.
func readToken(k kind, token string) (id string, secret []byte, ok bool) {
	rest, ok := strings.CutPrefix(token, string(k))
	n := base64.RawURLEncoding.EncodedLen(idBytes)
	if !ok || len(rest) != n+base64.RawURLEncoding.EncodedLen(secretBytes) {
		return "", nil, false
	}
	secret, err := base64.RawURLEncoding.Strict().DecodeString(rest[n:])
	return rest[:n], secret, err == nil
}

// ticket is what is kept of a token: it says whether a token is that one, and gives the
// grant's key to whoever has the token.
type ticket struct {
	Hash    []byte    `json:"hash"`
	Wrapped []byte    `json:"key,omitempty"`
	Ends    time.Time `json:"ends"`
}

// matches reports whether the ticket is that of a token with the secret.
func (t ticket) matches(secret []byte) bool {
	sum := sha256.Sum256(secret)
	return subtle.ConstantTimeCompare(t.Hash, sum[:]) == 1
}

// unwrap returns the grant's key.
func (t ticket) unwrap(k kind, id string, secret []byte) ([]byte, error) {
	return unseal(secret, string(k)+id, t.Wrapped)
}

// seal encrypts a text with a key that derives from a secret, for one purpose.
func seal(secret []byte, purpose string, plain []byte) []byte {
	return aead(secret, purpose).Seal(nil, nil, plain, []byte(purpose))
}

// unseal is the reverse of [seal].
func unseal(secret []byte, purpose string, sealed []byte) ([]byte, error) {
	plain, err := aead(secret, purpose).Open(nil, nil, sealed, []byte(purpose))
	if err != nil {
		return nil, errors.New("what is stored of a login cannot be decrypted")
	}
	return plain, nil
}

func aead(secret []byte, purpose string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
	if err != nil {
		panic(err) // only for keys longer than HKDF can make
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // only for keys of another length
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // only for other ciphers
	}
	return gcm
}
