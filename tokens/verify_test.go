package tokens_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

var (
	secretA = []byte("0123456789abcdef0123456789abcdef-A")
	secretB = []byte("0123456789abcdef0123456789abcdef-B")
)

// sign makes a token as the ERP does, with other claims or method if wanted.
func sign(t testing.TB, method jwt.SigningMethod, key any, change jwt.MapClaims) string {
	t.Helper()
	claims := jwt.MapClaims{"iss": "idempiere.org", "sub": "GardenAdmin", "exp": testTime.Add(time.Hour).Unix(),
		"AD_Client_ID": 11, "AD_User_ID": 101, "AD_Role_ID": 102, "AD_Org_ID": 11, "AD_Session_ID": 5}
	for k, v := range change {
		if v == nil {
			delete(claims, k)
		} else {
			claims[k] = v
		}
	}
	tok := jwt.NewWithClaims(method, claims)
	tok.Header["kid"] = "idempiere"
	out, err := tok.SignedString(key)
	require.NoError(t, err)
	return out
}

// withHeader makes a genuine token with further members in its header.
func withHeader(t testing.TB, more map[string]any) string {
	t.Helper()
	tok := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{"iss": "idempiere.org", "sub": "GardenAdmin", "exp": testTime.Add(time.Hour).Unix(),
		"AD_Client_ID": 11, "AD_User_ID": 101, "AD_Role_ID": 102, "AD_Org_ID": 11, "AD_Session_ID": 5})
	for name, value := range more {
		tok.Header[name] = value
	}
	out, err := tok.SignedString(secretA)
	require.NoError(t, err)
	return out
}

// keySet is the response of reference section 3.9.
func keySet(keys ...[]byte) string {
	var list []string
	for _, k := range keys {
		list = append(list, `{"alg":"HS512","k":"`+base64.StdEncoding.EncodeToString(k)+`","kid":"idempiere","kty":"oct"}`)
	}
	return `{"keys":[` + strings.Join(list, ",") + `]}`
}

// TestVerify runs the same tokens through all three ways. The introspecting
// one asks a server that checks signatures with the secret.
func TestVerify(t *testing.T) {
	t.Parallel()
	jwkServer := newScript(t, say(200, keySet(secretA)))
	erp := newScript(t, func(w http.ResponseWriter, r *http.Request) {
		text := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		_, err := jwt.Parse(text, func(*jwt.Token) (any, error) { return secretA, nil }, jwt.WithoutClaimsValidation())
		if err != nil {
			say(401, `{"title":"The Token's Signature resulted invalid: `+text+`","status":401}`)(w, r)
			return
		}
		say(200, `{"models":[]}`)(w, r)
	})
	make3 := func(opts ...tokens.VerifierOption) map[string]*tokens.Verifier {
		opts = append([]tokens.VerifierOption{tokens.VerifierClock(fixed), tokens.VerifierLogger(testLog)}, opts...)
		bySecret, err := tokens.NewSecretVerifier(secretA, opts...)
		require.NoError(t, err)
		byJWK, err := tokens.NewJWKVerifier(jwkServer.URL, opts...)
		require.NoError(t, err)
		byAsking, err := tokens.NewIntrospectionVerifier(erp.URL, opts...)
		require.NoError(t, err)
		return map[string]*tokens.Verifier{"secret": bySecret, "jwk": byJWK, "introspection": byAsking}
	}
	strict := make3()
	lenient := make3(tokens.AcceptNoExpiry(), tokens.Leeway(5*time.Minute), tokens.ExpectIssuer("erp.example.com"))

	good := sign(t, jwt.SigningMethodHS512, secretA, nil)
	parts := strings.Split(good, ".")
	from := func(at any) string { return sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"nbf": at}) }
	tests := []struct {
		name  string
		token string
		by    map[string]*tokens.Verifier
		is    error // nil: accepted
		want  string
	}{
		{"good", good, strict, nil, ""},
		{"other secret", sign(t, jwt.SigningMethodHS512, secretB, nil), strict, tokens.ErrInvalidToken, "ignature"},
		{"changed claims", parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(fullClaims, "1767225600", "4102444800", 1))) + "." + parts[2], strict, tokens.ErrInvalidToken, "ignature"},
		{"no signature", parts[0] + "." + parts[1] + ".", strict, tokens.ErrInvalidToken, ""},
		{"alg none", sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil), strict, tokens.ErrInvalidToken, "algorithm is not HS512"},
		{"alg None in capitals", compact(`{"alg":"NONE"}`, fullClaims), strict, tokens.ErrInvalidToken, ""},
		{"HS256 with the right secret", sign(t, jwt.SigningMethodHS256, secretA, nil), strict, tokens.ErrInvalidToken, "algorithm is not HS512"},
		{"HS384 with the right secret", sign(t, jwt.SigningMethodHS384, secretA, nil), strict, tokens.ErrInvalidToken, "algorithm is not HS512"},
		{"RS256 header", compact(`{"alg":"RS256","kid":"idempiere"}`, fullClaims), strict, tokens.ErrInvalidToken, ""},
		{"expired", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"exp": testTime.Add(-time.Second).Unix()}), strict, tokens.ErrTokenExpired, "expired"},
		{"ends now", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"exp": testTime.Unix()}), strict, tokens.ErrTokenExpired, "expired"},
		{"no exp", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"exp": nil}), strict, tokens.ErrInvalidToken, "it has no end"},
		{"exp 0 is not no exp", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"exp": 0}), lenient, tokens.ErrInvalidToken, "exp is not a point in time"},
		{"other issuer", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"iss": "evil.example.com"}), strict, tokens.ErrInvalidToken, "another issuer"},
		{"no issuer", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"iss": nil}), strict, tokens.ErrInvalidToken, ""},
		{"unfinished login", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"AD_Client_ID": nil, "AD_User_ID": nil, "AD_Role_ID": nil, "AD_Org_ID": nil, "Clients": "11,12"}), strict, tokens.ErrInvalidToken, "does not name"},
		{"no role", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"AD_Role_ID": nil}), strict, tokens.ErrInvalidToken, "does not name"},
		{"role as text", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"AD_Role_ID": "102"}), strict, tokens.ErrInvalidToken, "AD_Role_ID is not an id"},
		{"a second word", good + " x", strict, tokens.ErrInvalidToken, "unexpected character"},
		{"line break", good + "\n", strict, tokens.ErrInvalidToken, "unexpected character"},
		{"empty", "", strict, tokens.ErrInvalidToken, "empty"},
		{"huge", strings.Repeat("a", 1<<20), strict, tokens.ErrInvalidToken, "longer"},
		{"not valid yet", from(testTime.Add(time.Minute).Unix()), strict, tokens.ErrInvalidToken, "not valid yet"},
		{"valid in half a second", from(float64(testTime.Unix()) + 0.5), strict, tokens.ErrInvalidToken, "not valid yet"},
		{"valid from now", from(testTime.Unix()), strict, nil, ""},
		{"valid from a text", from("CANARY"), strict, tokens.ErrInvalidToken, "nbf is not a point in time"},
		{"valid from beyond the calendar", from(1e300), strict, tokens.ErrInvalidToken, "nbf is not a point in time"},
		{"crit with a name nobody knows", withHeader(t, map[string]any{"crit": []string{"x"}, "x": 1}), strict, tokens.ErrInvalidToken, "crit"},
		{"crit without a name", withHeader(t, map[string]any{"crit": []string{}}), strict, tokens.ErrInvalidToken, "crit"},
		{"crit null", withHeader(t, map[string]any{"crit": nil}), strict, tokens.ErrInvalidToken, "crit"},
		{"b64 false", withHeader(t, map[string]any{"b64": false}), strict, tokens.ErrInvalidToken, "b64"},
		{"b64 false, announced", withHeader(t, map[string]any{"b64": false, "crit": []string{"b64"}}), strict, tokens.ErrInvalidToken, ""},
		{"b64 as a text", withHeader(t, map[string]any{"b64": "true"}), strict, tokens.ErrInvalidToken, "b64"},
		{"b64 true is the default", withHeader(t, map[string]any{"b64": true}), strict, nil, ""},
		{"a header nobody knows", withHeader(t, map[string]any{"x": 1}), strict, nil, ""},
		{"lenient: valid in four minutes", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"nbf": testTime.Add(4 * time.Minute).Unix(), "iss": "erp.example.com"}), lenient, nil, ""},
		{"lenient: no exp, other issuer", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"exp": nil, "iss": "erp.example.com"}), lenient, nil, ""},
		{"lenient: four minutes late", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"exp": testTime.Add(-4 * time.Minute).Unix(), "iss": "erp.example.com"}), lenient, nil, ""},
		{"lenient: six minutes late", sign(t, jwt.SigningMethodHS512, secretA, jwt.MapClaims{"exp": testTime.Add(-6 * time.Minute).Unix(), "iss": "erp.example.com"}), lenient, tokens.ErrTokenExpired, ""},
		{"lenient: the default issuer", good, lenient, tokens.ErrInvalidToken, "another issuer"},
	}
	for _, tt := range tests {
		for way, v := range tt.by {
			t.Run(tt.name+" by "+way, func(t *testing.T) {
				t.Parallel()
				c, err := v.Verify(t.Context(), tt.token)
				if tt.is == nil {
					require.NoError(t, err)
					assert.Equal(t, []int{11, 101, 102, 11, 5}, []int{c.ClientID, c.UserID, c.RoleID, c.OrgID, c.SessionID})
					assert.Equal(t, "GardenAdmin", c.Subject)
					return
				}
				require.ErrorIs(t, err, tt.is)
				require.ErrorIs(t, err, tokens.ErrInvalidToken)
				assert.ErrorContains(t, err, tt.want)
				assert.Equal(t, tokens.Claims{}, c)
				if len(tt.token) > 20 {
					assert.NotContains(t, err.Error(), tt.token)
				}
			})
		}
	}
}

func TestVerifierRefusesSetup(t *testing.T) {
	t.Parallel()
	_, err := tokens.NewSecretVerifier([]byte("short"))
	require.ErrorContains(t, err, "at least 16 bytes")
	_, err = tokens.NewJWKVerifier("erp")
	require.ErrorContains(t, err, "must look like")
	_, err = tokens.NewIntrospectionVerifier("")
	require.ErrorContains(t, err, "ERP_URL")
	for _, o := range []tokens.VerifierOption{tokens.Leeway(-1), tokens.Leeway(time.Hour), tokens.ExpectIssuer(""), tokens.VerifierClock(nil),
		tokens.VerifierHTTPClient(nil), tokens.RememberFor(-1), tokens.RememberFor(48 * time.Hour)} {
		_, err := tokens.NewSecretVerifier(secretA, o)
		require.Error(t, err)
	}
}

// TestKeyRotation: the key is fetched once, again when a signature does not
// match, but strangers cannot make us ask all the time.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	c := newClock()
	var key atomic.Pointer[[]byte]
	key.Store(&secretA)
	var down atomic.Bool
	srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(503)
			return
		}
		say(200, keySet(*key.Load()))(w, r)
	})
	v, err := tokens.NewJWKVerifier(srv.URL, tokens.VerifierClock(c.Now))
	require.NoError(t, err)
	with := func(secret []byte) string {
		return sign(t, jwt.SigningMethodHS512, secret, jwt.MapClaims{"exp": c.Now().Add(100 * time.Hour).Unix()})
	}
	check := func(secret []byte, is error, requests int) {
		t.Helper()
		_, err := v.Verify(t.Context(), with(secret))
		if is == nil {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, is)
		}
		require.Len(t, srv.requests(), requests)
	}
	check(secretA, nil, 1)
	check(secretA, nil, 1)
	check(secretB, tokens.ErrInvalidToken, 1) // asked a moment ago
	c.Advance(11 * time.Second)
	for range 20 {
		check(secretB, tokens.ErrInvalidToken, 2) // one question, then none for 10 s
	}
	key.Store(&secretB)
	c.Advance(11 * time.Second)
	check(secretB, nil, 3)
	check(secretA, tokens.ErrInvalidToken, 3) // the old key is gone
	c.Advance(6 * time.Minute)
	check(secretB, nil, 4) // too old: fetched again

	// The ERP is down: the last key serves for an hour.
	down.Store(true)
	c.Advance(6 * time.Minute)
	check(secretB, nil, 5)
	check(secretB, nil, 5)
	c.Advance(56 * time.Minute)
	check(secretB, tokens.ErrUnreachable, 6)
	check(secretB, tokens.ErrUnreachable, 6)
	down.Store(false)
	c.Advance(11 * time.Second)
	check(secretB, nil, 7)
}

func TestKeySets(t *testing.T) {
	t.Parallel()
	std := base64.StdEncoding.EncodeToString
	key := []byte{0xfb, 0xff, 0xfe, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16} // has + and / in base64
	tests := []struct {
		name, response string
		status         int
		want           string
	}{
		{"standard base64", keySet(key), 200, ""},
		{"base64 for URLs", strings.ReplaceAll(keySet(key), std(key), base64.RawURLEncoding.EncodeToString(key)), 200, ""},
		{"old key beside the new", keySet(secretB, key), 200, ""},
		{"no kid", strings.ReplaceAll(keySet(key), `"kid":"idempiere",`, ""), 200, ""},
		{"not published", `{}`, 200, "IDEMPIERE_REST_EXPOSE_JWK"},
		{"other kid", strings.ReplaceAll(keySet(key), "idempiere", "other"), 200, "signature does not match"},
		{"other algorithm", strings.ReplaceAll(keySet(key), "HS512", "HS256"), 200, "none of the published keys"},
		{"none", strings.ReplaceAll(keySet(key), "HS512", "none"), 200, "none of the published keys"},
		{"a public key", `{"keys":[{"kty":"RSA","alg":"RS256","n":"x","e":"AQAB"}]}`, 200, "none of the published keys"},
		{"empty key", `{"keys":[{"alg":"HS512","k":"","kid":"idempiere","kty":"oct"}]}`, 200, "none of the published keys"},
		{"garbage key", `{"keys":[{"alg":"HS512","k":"***","kid":"idempiere","kty":"oct"}]}`, 200, "none of the published keys"},
		{"garbage", `<html>`, 200, "not a key set"},
		{"404", `{}`, 404, "responded with 404"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := newScript(t, say(tt.status, tt.response))
			v, err := tokens.NewJWKVerifier(srv.URL, tokens.VerifierClock(fixed))
			require.NoError(t, err)
			_, err = v.Verify(t.Context(), sign(t, jwt.SigningMethodHS512, key, nil))
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), std(key))
			// A token that is wrong anyway is not a reason to ask again.
			n := len(srv.requests())
			_, err = v.Verify(t.Context(), sign(t, jwt.SigningMethodHS256, key, nil))
			require.ErrorIs(t, err, tokens.ErrInvalidToken)
			assert.Len(t, srv.requests(), n)
		})
	}
}

func TestIntrospection(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		response http.HandlerFunc
		is       error
		want     string
	}{
		{"accepted", say(200, `{"models":[]}`), nil, ""},
		{"revoked", say(401, `{"title":"Token is revoked","status":401}`), tokens.ErrInvalidToken, "Token is revoked"},
		{"401 page", say(401, `<html>`), tokens.ErrInvalidToken, "refused it"},
		{"a page that says yes to everything", say(200, `<html>welcome`), tokens.ErrUnreachable, "check the address"},
		{"JSON that says yes to everything", say(200, `{}`), tokens.ErrUnreachable, "check the address"},
		{"models null", say(200, `{"models":null}`), tokens.ErrUnreachable, "check the address"},
		{"403", say(403, `{"models":[]}`), tokens.ErrUnreachable, "responded with 403"},
		{"404", say(404, ``), tokens.ErrUnreachable, "responded with 404"},
		{"500", say(500, ``), tokens.ErrUnreachable, "responded with 500"},
		{"redirect to a login page", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }, tokens.ErrUnreachable, "responded with 302"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			srv := newScript(t, tt.response)
			v, err := tokens.NewIntrospectionVerifier(srv.URL, tokens.VerifierClock(c.Now))
			require.NoError(t, err)
			text := sign(t, jwt.SigningMethodHS512, secretB, jwt.MapClaims{"exp": c.Now().Add(time.Hour).Unix()})
			for range 3 {
				_, err = v.Verify(t.Context(), text)
				if tt.is == nil {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, tt.is)
					assert.ErrorContains(t, err, tt.want)
				}
			}
			// A clear word is remembered, anything else asked again.
			asked := 1
			if errors.Is(tt.is, tokens.ErrUnreachable) {
				asked = 3
			}
			assert.Len(t, srv.requests(), asked)
			assert.Equal(t, "Bearer "+text, srv.header[0].Get("Authorization"))
			c.Advance(31 * time.Second)
			_, _ = v.Verify(t.Context(), text)
			assert.Len(t, srv.requests(), asked+1)
			// Remembered or not: what has ended has ended.
			c.Advance(time.Hour)
			_, err = v.Verify(t.Context(), text)
			require.ErrorIs(t, err, tokens.ErrTokenExpired)
			assert.Len(t, srv.requests(), asked+1)
		})
	}
}

// TestIntrospectionIsShared: many callers with one token are one question,
// and the one who asks may go away.
func TestIntrospectionIsShared(t *testing.T) {
	t.Parallel()
	arrived, goOn := make(chan struct{}, 10), make(chan struct{})
	srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, `{"models":[]}`)
	})
	v, err := tokens.NewIntrospectionVerifier(srv.URL, tokens.VerifierClock(fixed))
	require.NoError(t, err)
	text := sign(t, jwt.SigningMethodHS512, secretA, nil)

	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() { _, err := v.Verify(ctx, text); first <- err }()
	<-arrived
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := v.Verify(t.Context(), text)
			assert.NoError(t, err)
		})
	}
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	<-arrived // one of the others asks again
	close(goOn)
	wg.Wait()
	assert.Len(t, srv.requests(), 2)
}

// TestVerifyAgainstERP: all three ways accept what the embedded ERP issues,
// and only introspection notices a logout.
func TestVerifyAgainstERP(t *testing.T) {
	t.Parallel()
	f := newFront(t, nil)
	m := f.manager(t)
	require.NoError(t, m.Login(t.Context(), garden))
	text := token(t, m)
	bySecret, err := tokens.NewSecretVerifier([]byte(f.erp.TokenSecret()))
	require.NoError(t, err)
	byAsking, err := tokens.NewIntrospectionVerifier(f.URL, tokens.RememberFor(0))
	require.NoError(t, err)
	for name, v := range map[string]*tokens.Verifier{"secret": bySecret, "introspection": byAsking} {
		c, err := v.Verify(t.Context(), text)
		require.NoError(t, err, name)
		assert.Equal(t, 11, c.ClientID)
		assert.Equal(t, 102, c.RoleID)
		assert.Equal(t, "GardenAdmin", c.Subject)
	}
	require.NoError(t, m.Logout(t.Context()))
	_, err = bySecret.Verify(t.Context(), text)
	require.NoError(t, err)
	_, err = byAsking.Verify(t.Context(), text)
	require.ErrorIs(t, err, tokens.ErrInvalidToken)

	byJWK, err := tokens.NewJWKVerifier(f.URL)
	require.NoError(t, err)
	_, err = byJWK.Verify(t.Context(), text)
	require.ErrorContains(t, err, "does not publish its key")
}

// TestVerifyByPublishedKey: where the ERP exposes its key, a service needs no
// shared secret.
func TestVerifyByPublishedKey(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t, erptest.Options{ExposeJWK: true})
	m, err := tokens.NewManager(srv.URL())
	require.NoError(t, err)
	require.NoError(t, m.Login(t.Context(), garden))
	text := token(t, m)
	v, err := tokens.NewJWKVerifier(srv.URL())
	require.NoError(t, err)
	for range 3 {
		c, err := v.Verify(t.Context(), text)
		require.NoError(t, err)
		assert.Equal(t, 11, c.ClientID)
		assert.Equal(t, "GardenAdmin", c.Subject)
	}
	asked := srv.Faults().Count(erptest.Match{Path: "/auth/jwk"})
	assert.Equal(t, 1, asked, "the key is remembered")

	end := strings.LastIndex(text, ".") + 1
	forged := text[:end] + strings.Repeat("A", len(text)-end)
	_, err = v.Verify(t.Context(), forged)
	require.ErrorIs(t, err, tokens.ErrInvalidToken)
	other := erptest.New(t, erptest.Options{ExposeJWK: true})
	m, err = tokens.NewManager(other.URL())
	require.NoError(t, err)
	require.NoError(t, m.Login(t.Context(), garden))
	_, err = v.Verify(t.Context(), token(t, m))
	require.ErrorIs(t, err, tokens.ErrInvalidToken, "another server's key")
}
