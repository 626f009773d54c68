package tokens_test

import (
	"context"
	"net/http"
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
	m := f.manager(t, tokens.WithStore(store), tokens.WithCredentials(garden), tokens.WithClock(c.Now))

	require.NoError(t, m.Ready(t.Context()))
	first := token(t, m)
	assert.Equal(t, 200, f.works(t, first))
	st, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 11, st.ClientID)
	assert.Positive(t, st.UserID)

	// Valid until five minutes before the end of its hour.
	c.Advance(54 * time.Minute)
	assert.Equal(t, first, token(t, m))
	c.Advance(2 * time.Minute)
	second := token(t, m)
	assert.NotEqual(t, first, second)
	assert.Equal(t, 200, f.works(t, second))
	next, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, second, next.Access.Reveal())
	assert.False(t, next.Refresh.Equal(st.Refresh), "the refresh token changes")
	assert.Empty(t, next.Refreshing)

	// Another manager with the same store starts where this one is.
	assert.Equal(t, second, token(t, f.manager(t, tokens.WithStore(store), tokens.WithClock(c.Now))))
	// Somebody else's credentials do not use it.
	other := garden
	other.Organization = "0"
	m2 := f.manager(t, tokens.WithStore(tokens.NewMemoryStore(next)), tokens.WithCredentials(other), tokens.WithClock(c.Now))
	assert.NotEqual(t, second, token(t, m2))

	assert.Equal(t, 2, f.counted(loginOK))
	assert.Equal(t, 1, f.counted(refreshOK))
}

func TestInvalidate(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(c.Now))
	first := token(t, m)
	c.Advance(time.Minute)
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
	m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(c.Now))
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
	c.Advance(time.Second)
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
	a := f.manager(t, tokens.WithStore(store), tokens.WithCredentials(garden), tokens.WithClock(c.Now))
	b := f.manager(t, tokens.WithStore(store), tokens.WithCredentials(garden), tokens.WithClock(c.Now))
	first := token(t, a)
	require.Equal(t, first, token(t, b))
	c.Advance(time.Minute)
	require.NoError(t, a.Refresh(t.Context()))
	second := token(t, a)
	require.NoError(t, b.Invalidate(t.Context(), first))
	assert.Equal(t, second, token(t, b))
	c.Advance(time.Minute)
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
	m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(c.Now))
	first := token(t, m)
	c.Advance(time.Hour)

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

	// Closed: the valid token still comes, refreshes do not.
	token(t, m)
	c.Advance(time.Hour)
	_, err = m.Token(t.Context())
	require.ErrorIs(t, err, tokens.ErrClosed)
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

func TestStatus(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	m := f.manager(t, tokens.WithClock(c.Now))
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
	assert.InDelta(t, 3600, s.ExpiresIn, 60) // the response's date is the real one, our clock stands
	c.Advance(56 * time.Minute)
	s, err = m.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tokens.StateDue, s.State)
}
