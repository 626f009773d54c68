package tokens_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// TestClockSkew: the server's clock is ten minutes off, either way.
func TestClockSkew(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{-10 * time.Minute, 10 * time.Minute, -70 * time.Minute} {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			ours, theirs := newClock(), newClock()
			theirs.Advance(skew)
			f := newFront(t, theirs)
			// The real server's date follows its clock.
			f.setFault(func(w http.ResponseWriter, _ *http.Request, pass func()) {
				w.Header().Set("Date", theirs.Now().UTC().Format(http.TimeFormat))
				pass()
			})
			m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(ours.Now))
			for range 40 { // 200 minutes
				assert.Equal(t, 200, f.works(t, token(t, m)))
				ours.Advance(5 * time.Minute)
				theirs.Advance(5 * time.Minute)
			}
			assert.Equal(t, 1, f.counted(loginOK))
			assert.LessOrEqual(t, f.counted(refreshOK), 5)
			assert.GreaterOrEqual(t, f.counted(refreshOK), 3)
		})
	}
	// Without a date in the response, the configured lifetime bounds what a
	// server ahead of us says.
	t.Run("no date", func(t *testing.T) {
		t.Parallel()
		ours, theirs := newClock(), newClock()
		theirs.Advance(10 * time.Minute)
		f := newFront(t, theirs)
		f.setFault(func(w http.ResponseWriter, _ *http.Request, pass func()) {
			w.Header()["Date"] = nil
			pass()
		})
		m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(ours.Now))
		for range 40 {
			assert.Equal(t, 200, f.works(t, token(t, m)))
			ours.Advance(5 * time.Minute)
			theirs.Advance(5 * time.Minute)
		}
		assert.LessOrEqual(t, f.counted(refreshOK), 4)
	})
}

// TestSkewedStart: the first token comes from the store, so the server's
// clock is not known, and a 401 is what tells.
func TestSkewedStart(t *testing.T) {
	t.Parallel()
	ours, theirs := newClock(), newClock()
	theirs.Advance(10 * time.Minute)
	f := newFront(t, theirs)
	store := &tokens.MemoryStore{}
	require.NoError(t, f.manager(t, tokens.WithStore(store), tokens.WithClock(theirs.Now)).Login(t.Context(), garden))
	theirs.Advance(61 * time.Minute)
	ours.Advance(61 * time.Minute)
	m := f.manager(t, tokens.WithStore(store), tokens.WithClock(ours.Now))
	got := token(t, m)
	require.Equal(t, 401, f.works(t, got))
	require.NoError(t, m.Invalidate(t.Context(), got))
	assert.Equal(t, 200, f.works(t, token(t, m)))
}

func TestTokensWithoutExpiry(t *testing.T) {
	t.Parallel()
	noExp := compact(head, `{"sub":"GardenAdmin","AD_Client_ID":11,"AD_User_ID":101,"AD_Role_ID":102,"AD_Org_ID":11}`)
	tests := []struct {
		name, access string
	}{{"no exp", noExp}, {"garbage", "garbage"}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			n := 0
			srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
				n++ // one request at a time
				say(200, `{"token":"`+tt.access+`","refresh_token":"r`+string(rune('0'+n))+`"}`)(w, r)
			})
			stored := tokens.Stored{Access: tokens.NewSecret(tt.access), Refresh: tokens.NewSecret("r")}
			m, err := tokens.NewManager(srv.URL, tokens.WithStore(tokens.NewMemoryStore(stored)), tokens.WithClock(c.Now), tokens.WithTokenLifetime(30*time.Minute))
			require.NoError(t, err)
			// Refreshed on first use, then again after the assumed lifetime.
			token(t, m)
			require.Len(t, srv.requests(), 1)
			c.Advance(24 * time.Minute)
			token(t, m)
			require.Len(t, srv.requests(), 1)
			c.Advance(2 * time.Minute)
			token(t, m)
			require.Len(t, srv.requests(), 2)

			// Without a refresh token it is an API token, used as it is …
			m, err = tokens.NewManager(srv.URL, tokens.WithStore(tokens.NewMemoryStore(tokens.Stored{Access: tokens.NewSecret(tt.access)})), tokens.WithClock(c.Now))
			require.NoError(t, err)
			assert.Equal(t, tt.access, token(t, m))
			c.Advance(1000 * time.Hour)
			assert.Equal(t, tt.access, token(t, m))
			// … until the server refuses it.
			require.NoError(t, m.Invalidate(t.Context(), tt.access))
			_, err = m.Token(t.Context())
			require.ErrorIs(t, err, tokens.ErrAuthentication)
			assert.ErrorContains(t, err, "create a new API token")
			assert.NotContains(t, err.Error(), tt.access)
			require.Len(t, srv.requests(), 2)
		})
	}
}

// TestShortTokens: a token that lives shorter than the buffer is used, too.
func TestShortTokens(t *testing.T) {
	t.Parallel()
	c := newClock()
	srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
		exp := c.Now().Add(2 * time.Minute).Unix()
		say(200, `{"token":"`+compact(head, `{"exp":`+itoa(exp)+`}`)+`","refresh_token":"r`+itoa(exp)+`"}`)(w, r)
	})
	m, err := tokens.NewManager(srv.URL, tokens.WithCredentials(user), tokens.WithClock(c.Now))
	require.NoError(t, err)
	for range 10 {
		token(t, m)
	}
	assert.Len(t, srv.requests(), 1)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
