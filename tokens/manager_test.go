package tokens_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

func TestLifecycle(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	store := &tokens.MemoryStore{}
	m := f.manager(t, tokens.WithStore(store), tokens.WithCredentials(garden), tokens.WithClock(c.now))

	require.NoError(t, m.Ready(t.Context()))
	first := token(t, m)
	assert.Equal(t, 200, f.works(t, first))
	st, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 11, st.ClientID)
	assert.Positive(t, st.UserID)

	// Valid until five minutes before the end of its hour.
	c.advance(54 * time.Minute)
	assert.Equal(t, first, token(t, m))
	c.advance(2 * time.Minute)
	second := token(t, m)
	assert.NotEqual(t, first, second)
	assert.Equal(t, 200, f.works(t, second))
	next, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, second, next.Access.Reveal())
	assert.False(t, next.Refresh.Equal(st.Refresh), "the refresh token changes")
	assert.Empty(t, next.Refreshing)

	// Another manager with the same store starts where this one is.
	assert.Equal(t, second, token(t, f.manager(t, tokens.WithStore(store), tokens.WithClock(c.now))))
	// Somebody else's credentials do not use it.
	other := garden
	other.Organization = "0"
	m2 := f.manager(t, tokens.WithStore(tokens.NewMemoryStore(next)), tokens.WithCredentials(other), tokens.WithClock(c.now))
	assert.NotEqual(t, second, token(t, m2))

	assert.Equal(t, 2, f.counted(loginOK))
	assert.Equal(t, 1, f.counted(refreshOK))
}

func TestInvalidate(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(c.now))
	first := token(t, m)
	c.advance(time.Minute)
	// 100 callers got a 401 for the same token: one refresh.
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			assert.NoError(t, m.Invalidate(t.Context(), first))
			got, err := m.Token(t.Context())
			assert.NoError(t, err)
			assert.False(t, got == first, "the refused token again")
		})
	}
	wg.Wait()
	assert.Equal(t, 1, f.counted(refreshOK))
	// A late 401 for the old token changes nothing.
	second := token(t, m)
	require.NoError(t, m.Invalidate(t.Context(), first))
	require.NoError(t, m.Invalidate(t.Context(), "unknown"))
	assert.True(t, second == token(t, m))
	assert.Equal(t, 1, f.counted(refreshOK))
}

// TestInvalidateWithinASecond: the ERP's tokens of one second are the same
// text, so a refresh may bring the refused token once more. That must not
// become a refresh for each of many callers.
func TestInvalidateWithinASecond(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(c.now))
	first := token(t, m)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			assert.NoError(t, m.Invalidate(t.Context(), first))
			_, err := m.Token(t.Context())
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	require.True(t, first == token(t, m), "the ERP writes something new into its tokens")
	assert.Equal(t, 1, f.counted(refreshOK))
	c.advance(time.Second)
	require.NoError(t, m.Invalidate(t.Context(), first))
	assert.False(t, first == token(t, m))
	assert.Equal(t, 2, f.counted(refreshOK))
	// A refresh on request is one refresh, whatever the text.
	require.NoError(t, m.Refresh(t.Context()))
	require.NoError(t, m.Refresh(t.Context()))
	assert.Equal(t, 4, f.counted(refreshOK))
}

// TestInvalidateTakesWhatAnotherStored: the store has a newer pair already.
func TestInvalidateTakesWhatAnotherStored(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	store := &tokens.MemoryStore{}
	a := f.manager(t, tokens.WithStore(store), tokens.WithCredentials(garden), tokens.WithClock(c.now))
	b := f.manager(t, tokens.WithStore(store), tokens.WithCredentials(garden), tokens.WithClock(c.now))
	first := token(t, a)
	require.Equal(t, first, token(t, b))
	c.advance(time.Minute)
	require.NoError(t, a.Refresh(t.Context()))
	second := token(t, a)
	require.NoError(t, b.Invalidate(t.Context(), first))
	assert.Equal(t, second, token(t, b))
	c.advance(time.Minute)
	// A forced refresh also takes the newer one.
	require.NoError(t, b.Refresh(t.Context()))
	third := token(t, b)
	require.NotEqual(t, second, third)
	require.NoError(t, a.Refresh(t.Context()))
	assert.Equal(t, third, token(t, a))
	assert.Equal(t, 2, f.counted(refreshOK))
}

// TestOneRefreshForAll: callers share it, one that leaves does not end it.
func TestOneRefreshForAll(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(c.now))
	first := token(t, m)
	c.advance(time.Hour)

	arrived, goOn := make(chan struct{}), make(chan struct{})
	f.setFault(func(_ http.ResponseWriter, _ *http.Request, pass func()) {
		close(arrived)
		<-goOn
		pass()
	})
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { _, err := m.Token(ctx); left <- err }()
	<-arrived
	// The caller who started it goes away.
	cancel()
	err := <-left
	require.ErrorIs(t, err, context.Canceled)

	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			got, err := m.Token(t.Context())
			assert.NoError(t, err)
			assert.NotEqual(t, first, got)
		})
	}
	short, cancel2 := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel2()
	_, err = m.Token(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	closing, cancel3 := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel3()
	require.ErrorIs(t, m.Close(closing), context.DeadlineExceeded, "Close waits for the refresh")
	close(goOn)
	wg.Wait()
	require.NoError(t, m.Close(t.Context()))
	assert.Equal(t, 1, f.counted(refreshOK))

	// Closed: the valid token still comes, renewals do not.
	token(t, m)
	c.advance(time.Hour)
	_, err = m.Token(t.Context())
	require.ErrorIs(t, err, tokens.ErrClosed)
}

// TestHoldOff: a failure is told to all who waited and to those who come
// shortly after, and tried again only then.
func TestHoldOff(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	store := &tokens.MemoryStore{}
	m := f.manager(t, tokens.WithStore(store), tokens.WithClock(c.now), tokens.WithHoldOff(3*time.Second))
	require.NoError(t, m.Login(t.Context(), garden))
	c.advance(time.Hour)

	f.setFault(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(503) })
	_, want := m.Token(t.Context())
	require.ErrorIs(t, want, tokens.ErrUnreachable)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			_, err := m.Token(t.Context())
			assert.Same(t, want, err)
		})
	}
	wg.Wait()
	all, _ := f.spent()
	assert.Equal(t, 1, all)
	c.advance(2999 * time.Millisecond)
	_, err := m.Token(t.Context())
	assert.Same(t, want, err)

	f.setFault(nil)
	c.advance(time.Millisecond)
	token(t, m)
	all, _ = f.spent()
	assert.Equal(t, 2, all)
	assert.Equal(t, 1, f.counted(refreshOK))
}

// TestRefusedLogin: the pauses between logins with wrong credentials grow, so
// that the ERP does not lock the account.
func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	wrong := garden
	wrong.Password = tokens.NewSecret("CANARYwrong")
	m := f.manager(t, tokens.WithCredentials(wrong), tokens.WithClock(c.now), tokens.WithHoldOff(time.Second))
	start := c.now()
	var at []time.Duration
	for c.now().Sub(start) < 20*time.Minute {
		before := f.counted(loginRefused)
		_, err := m.Token(t.Context())
		require.ErrorIs(t, err, tokens.ErrAuthentication)
		assert.ErrorContains(t, err, "check user name, password")
		assert.NotContains(t, err.Error(), "CANARY")
		if f.counted(loginRefused) > before {
			at = append(at, c.now().Sub(start))
		}
		c.advance(time.Second)
	}
	assert.Equal(t, []time.Duration{0, 2 * time.Second, 6 * time.Second, 14 * time.Second, 30 * time.Second, 62 * time.Second,
		126 * time.Second, 254 * time.Second, 510 * time.Second, 810 * time.Second, 1110 * time.Second}, at)
	// An explicit login does not wait, and its session is used.
	require.NoError(t, m.Login(t.Context(), garden))
	token(t, m)
}

func TestRefusedRefresh(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		creds bool
	}{{"with credentials it logs in again", true}, {"without it says what to do", false}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			f := newFront(t, c)
			store := &tokens.MemoryStore{}
			opts := []tokens.Option{tokens.WithStore(store), tokens.WithClock(c.now)}
			if tt.creds {
				opts = append(opts, tokens.WithCredentials(garden))
			}
			m := f.manager(t, opts...)
			require.NoError(t, m.Login(t.Context(), garden))
			c.advance(25 * time.Hour) // the refresh token lives a day
			got, err := m.Token(t.Context())
			assert.Equal(t, 1, f.counted(refreshNo))
			if tt.creds {
				require.NoError(t, err)
				assert.Equal(t, 200, f.works(t, got))
				return
			}
			require.ErrorIs(t, err, tokens.ErrAuthentication)
			assert.ErrorContains(t, err, "log in with `erphub auth login`")
			// The dead token is not sent over and over …
			c.advance(time.Minute)
			_, err = m.Token(t.Context())
			require.ErrorIs(t, err, tokens.ErrAuthentication)
			assert.Equal(t, 1, f.counted(refreshNo))
			// … and a login elsewhere is noticed without a restart.
			require.NoError(t, f.manager(t, tokens.WithStore(store), tokens.WithClock(c.now)).Login(t.Context(), garden))
			c.advance(time.Minute)
			assert.Equal(t, 200, f.works(t, token(t, m)))
		})
	}
}

// TestTimedOutRefresh: the server got the refresh token and answered too
// late. It is not sent again; what happens instead depends on what there is.
func TestTimedOutRefresh(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		after time.Duration // since login, when the refresh is tried
		creds bool
		want  string
	}{
		{"the token is used to its end", 56 * time.Minute, false, "first"},
		{"after its end a person must log in", 61 * time.Minute, false, "error"},
		{"with credentials it logs in", 61 * time.Minute, true, "new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			f := newFront(t, c)
			// The client gives up on a refresh at the moment the ERP has made it.
			made := make(chan struct{}, 1)
			client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path != "/api/v1/auth/refresh" {
					return http.DefaultTransport.RoundTrip(r)
				}
				ctx, cancel := context.WithCancel(r.Context())
				go func() { <-made; cancel() }()
				return http.DefaultTransport.RoundTrip(r.WithContext(ctx))
			})}
			opts := []tokens.Option{tokens.WithClock(c.now), tokens.WithHTTPClient(client), tokens.WithHoldOff(time.Second)}
			if tt.creds {
				opts = append(opts, tokens.WithCredentials(garden))
			}
			m := f.manager(t, opts...)
			require.NoError(t, m.Login(t.Context(), garden))
			first := token(t, m)
			c.advance(tt.after)
			f.setFault(func(w http.ResponseWriter, r *http.Request, pass func()) {
				pass()
				if r.URL.Path == "/api/v1/auth/refresh" {
					made <- struct{}{}
					<-r.Context().Done()
				}
			})
			got, err := m.Token(t.Context())
			if tt.want == "new" {
				require.NoError(t, err)
				assert.NotEqual(t, first, got)
			} else {
				require.ErrorIs(t, err, tokens.ErrInterrupted)
				assert.ErrorContains(t, err, "not repeated")
				c.advance(2 * time.Second)
				got, err = m.Token(t.Context())
				if tt.want == "error" {
					require.ErrorIs(t, err, tokens.ErrAuthentication)
					require.ErrorIs(t, err, tokens.ErrInterrupted)
				} else {
					require.NoError(t, err)
					assert.Equal(t, first, got)
					assert.Equal(t, 200, f.works(t, got))
					status, err := m.Status(t.Context())
					require.NoError(t, err)
					assert.True(t, status.Interrupted)
					assert.False(t, status.Refreshable)
					assert.Equal(t, tokens.StateValid, status.State)
					// A forced refresh does not pretend.
					require.ErrorIs(t, m.Refresh(t.Context()), tokens.ErrInterrupted)
					c.advance(10 * time.Minute)
					_, err = m.Token(t.Context())
					require.ErrorIs(t, err, tokens.ErrAuthentication)
				}
			}
			all, twice := f.spent()
			assert.Equal(t, 1, all)
			assert.Zero(t, twice)
		})
	}
}

// TestClockSkew: the server's clock is ten minutes off, either way.
func TestClockSkew(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{-10 * time.Minute, 10 * time.Minute, -70 * time.Minute} {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			ours, theirs := newClock(), newClock()
			theirs.advance(skew)
			f := newFront(t, theirs)
			// The real server's date follows its clock.
			f.setFault(func(w http.ResponseWriter, _ *http.Request, pass func()) {
				w.Header().Set("Date", theirs.now().UTC().Format(http.TimeFormat))
				pass()
			})
			m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(ours.now))
			for range 40 { // 200 minutes
				assert.Equal(t, 200, f.works(t, token(t, m)))
				ours.advance(5 * time.Minute)
				theirs.advance(5 * time.Minute)
			}
			assert.Equal(t, 1, f.counted(loginOK))
			assert.LessOrEqual(t, f.counted(refreshOK), 5)
			assert.GreaterOrEqual(t, f.counted(refreshOK), 3)
		})
	}
	// Without a date in the answer, the configured lifetime bounds what a
	// server ahead of us says.
	t.Run("no date", func(t *testing.T) {
		t.Parallel()
		ours, theirs := newClock(), newClock()
		theirs.advance(10 * time.Minute)
		f := newFront(t, theirs)
		f.setFault(func(w http.ResponseWriter, _ *http.Request, pass func()) {
			w.Header()["Date"] = nil
			pass()
		})
		m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(ours.now))
		for range 40 {
			assert.Equal(t, 200, f.works(t, token(t, m)))
			ours.advance(5 * time.Minute)
			theirs.advance(5 * time.Minute)
		}
		assert.LessOrEqual(t, f.counted(refreshOK), 4)
	})
}

// TestSkewedStart: the first token comes from the store, so the server's
// clock is not known, and a 401 is what tells.
func TestSkewedStart(t *testing.T) {
	t.Parallel()
	ours, theirs := newClock(), newClock()
	theirs.advance(10 * time.Minute)
	f := newFront(t, theirs)
	store := &tokens.MemoryStore{}
	require.NoError(t, f.manager(t, tokens.WithStore(store), tokens.WithClock(theirs.now)).Login(t.Context(), garden))
	theirs.advance(61 * time.Minute)
	ours.advance(61 * time.Minute)
	m := f.manager(t, tokens.WithStore(store), tokens.WithClock(ours.now))
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
			m, err := tokens.NewManager(srv.URL, tokens.WithStore(tokens.NewMemoryStore(stored)), tokens.WithClock(c.now), tokens.WithTokenLifetime(30*time.Minute))
			require.NoError(t, err)
			// Refreshed on first use, then again after the assumed lifetime.
			token(t, m)
			require.Len(t, srv.requests(), 1)
			c.advance(24 * time.Minute)
			token(t, m)
			require.Len(t, srv.requests(), 1)
			c.advance(2 * time.Minute)
			token(t, m)
			require.Len(t, srv.requests(), 2)

			// Without a refresh token it is an API token, used as it is …
			m, err = tokens.NewManager(srv.URL, tokens.WithStore(tokens.NewMemoryStore(tokens.Stored{Access: tokens.NewSecret(tt.access)})), tokens.WithClock(c.now))
			require.NoError(t, err)
			assert.Equal(t, tt.access, token(t, m))
			c.advance(1000 * time.Hour)
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

func TestNothingStored(t *testing.T) {
	t.Parallel()
	f := newFront(t, nil)
	tests := []struct {
		name   string
		stored tokens.Stored
		want   string
	}{
		{"nothing", tokens.Stored{}, "no token is stored"},
		{"for another server", tokens.Stored{Access: tokens.NewSecret(valid), Server: "https://other.example.com"}, "the stored token is for https://other.example.com"},
		{"expired", tokens.Stored{Access: tokens.NewSecret(compact(head, `{"exp":1000}`))}, "expired"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := f.manager(t, tokens.WithStore(tokens.NewMemoryStore(tt.stored)))
			_, err := m.Token(t.Context())
			require.ErrorIs(t, err, tokens.ErrAuthentication)
			assert.ErrorContains(t, err, tt.want)
			assert.ErrorContains(t, err, "auth login")
			require.ErrorIs(t, m.Refresh(t.Context()), tokens.ErrAuthentication)
		})
	}
}

// TestShortTokens: a token that lives shorter than the buffer is used, too.
func TestShortTokens(t *testing.T) {
	t.Parallel()
	c := newClock()
	srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
		exp := c.now().Add(2 * time.Minute).Unix()
		say(200, `{"token":"`+compact(head, `{"exp":`+itoa(exp)+`}`)+`","refresh_token":"r`+itoa(exp)+`"}`)(w, r)
	})
	m, err := tokens.NewManager(srv.URL, tokens.WithCredentials(user), tokens.WithClock(c.now))
	require.NoError(t, err)
	for range 10 {
		token(t, m)
	}
	assert.Len(t, srv.requests(), 1)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func TestLogout(t *testing.T) {
	t.Parallel()
	f := newFront(t, nil)
	store := &tokens.MemoryStore{}
	m := f.manager(t, tokens.WithStore(store))
	require.NoError(t, m.Logout(t.Context()), "nothing to do")
	require.NoError(t, m.Login(t.Context(), garden))
	first := token(t, m)
	require.Equal(t, 200, f.works(t, first))
	require.NoError(t, m.Logout(t.Context()))
	assert.Equal(t, 401, f.works(t, first), "the server was told")
	assert.Equal(t, 1, f.counted(logoutOK))
	st, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tokens.Stored{}, st)
	_, err = m.Token(t.Context())
	require.ErrorIs(t, err, tokens.ErrAuthentication)

	// The server cannot be told: the token goes all the same.
	require.NoError(t, m.Login(t.Context(), garden))
	f.setFault(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(500) })
	require.ErrorContains(t, m.Logout(t.Context()), "the token was removed here")
	st, err = store.Load(t.Context())
	require.NoError(t, err)
	assert.True(t, st.IsZero())
}

// brokenStore is a store whose writes fail while full is set.
type brokenStore struct {
	tokens.MemoryStore
	mu   sync.Mutex
	full func(tokens.Stored) bool
}

var errFull = errors.New("no space left on device")

func (b *brokenStore) Save(ctx context.Context, s tokens.Stored) error {
	b.mu.Lock()
	full := b.full
	b.mu.Unlock()
	if full != nil && full(s) {
		return errFull
	}
	return b.MemoryStore.Save(ctx, s)
}

func (b *brokenStore) set(full func(tokens.Stored) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.full = full
}

// TestFullDisk: nothing is spent when the mark cannot be written, and a pair
// that cannot be written is neither handed out nor lost.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	store := &brokenStore{}
	m := f.manager(t, tokens.WithStore(store), tokens.WithClock(c.now), tokens.WithHoldOff(time.Second))
	require.NoError(t, m.Login(t.Context(), garden))
	first := token(t, m)
	c.advance(time.Hour)

	store.set(func(tokens.Stored) bool { return true })
	_, err := m.Token(t.Context())
	require.ErrorIs(t, err, errFull)
	assert.ErrorContains(t, err, "nothing was sent")
	all, _ := f.spent()
	require.Zero(t, all)

	// The disk fills up between mark and pair.
	c.advance(2 * time.Second)
	store.set(func(s tokens.Stored) bool { return s.Refreshing == "" })
	_, err = m.Token(t.Context())
	require.ErrorIs(t, err, errFull)
	c.advance(2 * time.Second)
	_, err = m.Token(t.Context())
	require.ErrorIs(t, err, errFull)
	assert.ErrorContains(t, err, "kept by this process")

	store.set(nil)
	c.advance(2 * time.Second)
	got := token(t, m)
	assert.NotEqual(t, first, got)
	assert.Equal(t, 200, f.works(t, got))
	st, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, got, st.Access.Reveal())
	assert.Empty(t, st.Refreshing)
	all, twice := f.spent()
	assert.Equal(t, 1, all)
	assert.Zero(t, twice)
	c.advance(time.Hour)
	token(t, m)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	m := f.manager(t, tokens.WithClock(c.now))
	s, err := m.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tokens.Status{State: tokens.StateNone, Server: f.URL}, s)

	require.NoError(t, m.Login(t.Context(), garden))
	s, err = m.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tokens.StateValid, s.State)
	assert.Equal(t, "GardenAdmin", s.User)
	assert.Equal(t, 11, *s.ClientID)
	assert.Equal(t, 102, *s.RoleID)
	assert.Equal(t, 11, *s.OrgID)
	assert.True(t, s.Refreshable)
	assert.InDelta(t, 3600, s.ExpiresIn, 60) // the answer's date is the real one, our clock stands
	c.advance(56 * time.Minute)
	s, err = m.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tokens.StateDue, s.State)
}
