package tokens_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// What a manager counts is what the server saw, and who took another's token made
// no refresh of its own.
func TestCounts(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	store := &tokens.MemoryStore{}
	a := f.manager(t, tokens.WithStore(store), tokens.WithCredentials(garden), tokens.WithClock(c.Now))
	b := f.manager(t, tokens.WithStore(store), tokens.WithClock(c.Now))
	assert.Zero(t, a.Counts())
	for range 30 {
		first := token(t, a)
		assert.Equal(t, first, token(t, b))
		c.Advance(20 * time.Minute)
	}
	got := a.Counts()
	assert.EqualValues(t, f.counted(loginOK), got.Logins)
	assert.EqualValues(t, f.counted(refreshOK), got.Refreshes)
	assert.Positive(t, got.Refreshes)
	assert.Zero(t, b.Counts(), "b takes what a stored")

	// The ERP is away, then refuses the refresh, and the manager logs in again.
	c.Advance(time.Hour)
	f.setFault(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(503) })
	_, err := a.Token(t.Context())
	require.ErrorIs(t, err, tokens.ErrUnreachable)
	_, err = a.Token(t.Context())
	require.Error(t, err, "the hold-off after it")
	got.RefreshesFailed++
	assert.Equal(t, got, a.Counts())
	f.setFault(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/auth/refresh") {
			w.WriteHeader(401)
			return
		}
		pass()
	})
	c.Advance(time.Minute)
	token(t, a)
	got.RefreshesFailed++
	got.Logins++
	assert.Equal(t, got, a.Counts())

	// A wrong password is a failed login; the same in steps.
	wrong := garden
	wrong.Password = tokens.NewSecret("not this")
	m := f.manager(t)
	require.Error(t, m.Login(t.Context(), wrong))
	require.NoError(t, m.Login(t.Context(), garden))
	require.NoError(t, m.LoginChoosing(t.Context(), garden, nil))
	assert.Equal(t, tokens.Counts{Logins: 2, LoginsFailed: 1}, m.Counts())
}
