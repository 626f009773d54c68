package tokens_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// A token that was accepted lives on while the ERP cannot be reached, as long as
// the operator says; the ERP's no and the token's end are final.
func TestGrace(t *testing.T) {
	t.Parallel()
	yes, no := say(200, `{"models":[]}`), say(401, `{"title":"Token is revoked"}`)
	away, page := say(503, ``), say(200, `<html>we are sorry`)
	cut := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	type step struct {
		after    time.Duration // since the step before
		response http.HandlerFunc
		is       error // nil: let in
	}
	for _, c := range []struct {
		name  string
		grace time.Duration
		life  time.Duration
		steps []step
	}{
		{"away after a yes", 10 * time.Minute, time.Hour, []step{{0, yes, nil}, {time.Minute, away, nil}, {8 * time.Minute, cut, nil}, {2 * time.Minute, away, tokens.ErrUnreachable}}},
		{"a page in its place", 10 * time.Minute, time.Hour, []step{{0, yes, nil}, {time.Minute, page, nil}}},
		{"never without the option", 0, time.Hour, []step{{0, yes, nil}, {time.Minute, away, tokens.ErrUnreachable}}},
		{"never accepted", 10 * time.Minute, time.Hour, []step{{0, away, tokens.ErrUnreachable}, {time.Second, cut, tokens.ErrUnreachable}}},
		{"refused in between", 10 * time.Minute, time.Hour, []step{{0, yes, nil}, {time.Minute, no, tokens.ErrInvalidToken}, {time.Minute, away, tokens.ErrUnreachable}}},
		{"refused when it is back", 10 * time.Minute, time.Hour, []step{{0, yes, nil}, {time.Minute, away, nil}, {time.Minute, no, tokens.ErrInvalidToken}}},
		{"back and away again", 10 * time.Minute, time.Hour, []step{{0, yes, nil}, {time.Minute, away, nil}, {time.Minute, yes, nil}, {9 * time.Minute, away, nil}}},
		{"not beyond its end", 10 * time.Minute, 3 * time.Minute, []step{{0, yes, nil}, {2 * time.Minute, away, nil}, {2 * time.Minute, away, tokens.ErrInvalidToken}}},
		{"a clear other response", 10 * time.Minute, time.Hour, []step{{0, yes, nil}, {time.Minute, say(403, ``), tokens.ErrUnreachable}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock := newClock()
			var now atomic.Pointer[http.HandlerFunc]
			srv := newScript(t, func(w http.ResponseWriter, r *http.Request) { (*now.Load())(w, r) })
			v, err := tokens.NewIntrospectionVerifier(srv.URL, tokens.VerifierClock(clock.Now), tokens.GraceFor(c.grace))
			require.NoError(t, err)
			text := sign(t, jwt.SigningMethodHS512, secretB, jwt.MapClaims{"exp": clock.Now().Add(c.life).Unix()})
			for i, s := range c.steps {
				clock.Advance(s.after)
				now.Store(&s.response)
				claims, err := v.Verify(t.Context(), text)
				if s.is != nil {
					require.ErrorIs(t, err, s.is, "step %d", i)
					continue
				}
				require.NoError(t, err, "step %d", i)
				assert.True(t, claims.Complete)
			}
		})
	}
	_, err := tokens.NewIntrospectionVerifier("http://127.0.0.1:1", tokens.GraceFor(-time.Second))
	require.ErrorContains(t, err, "0 to 24 hours")
}

// While the ERP does not respond, callers do not wait for it each time.
func TestGraceAsksNowAndThen(t *testing.T) {
	t.Parallel()
	clock := newClock()
	yes, away := say(200, `{"models":[]}`), say(502, ``)
	var now atomic.Pointer[http.HandlerFunc]
	now.Store(&yes)
	srv := newScript(t, func(w http.ResponseWriter, r *http.Request) { (*now.Load())(w, r) })
	v, err := tokens.NewIntrospectionVerifier(srv.URL, tokens.VerifierClock(clock.Now), tokens.GraceFor(time.Minute))
	require.NoError(t, err)
	text := sign(t, jwt.SigningMethodHS512, secretB, jwt.MapClaims{"exp": clock.Now().Add(time.Hour).Unix()})
	_, err = v.Verify(t.Context(), text)
	require.NoError(t, err)
	clock.Advance(31 * time.Second)
	now.Store(&away)
	for range 20 {
		_, err = v.Verify(t.Context(), text)
		require.NoError(t, err)
	}
	assert.Len(t, srv.requests(), 2)
}
