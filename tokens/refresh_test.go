package tokens_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// TestHoldOff: a failure is told to all who waited and to those who come
// shortly after, and tried again only then.
func TestHoldOff(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	store := &tokens.MemoryStore{}
	m := f.manager(t, tokens.WithStore(store), tokens.WithClock(c.Now), tokens.WithHoldOff(3*time.Second))
	require.NoError(t, m.Login(t.Context(), garden))
	c.Advance(time.Hour)

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
	c.Advance(2999 * time.Millisecond)
	_, err := m.Token(t.Context())
	assert.Same(t, want, err)

	f.setFault(nil)
	c.Advance(time.Millisecond)
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
	m := f.manager(t, tokens.WithCredentials(wrong), tokens.WithClock(c.Now), tokens.WithHoldOff(time.Second))
	start := c.Now()
	var at []time.Duration
	for c.Now().Sub(start) < 20*time.Minute {
		before := f.counted(loginRefused)
		_, err := m.Token(t.Context())
		require.ErrorIs(t, err, tokens.ErrAuthentication)
		assert.ErrorContains(t, err, "check user name, password")
		assert.NotContains(t, err.Error(), "CANARY")
		if f.counted(loginRefused) > before {
			at = append(at, c.Now().Sub(start))
		}
		c.Advance(time.Second)
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
			opts := []tokens.Option{tokens.WithStore(store), tokens.WithClock(c.Now)}
			if tt.creds {
				opts = append(opts, tokens.WithCredentials(garden))
			}
			m := f.manager(t, opts...)
			require.NoError(t, m.Login(t.Context(), garden))
			c.Advance(25 * time.Hour) // the refresh token lives a day
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
			c.Advance(time.Minute)
			_, err = m.Token(t.Context())
			require.ErrorIs(t, err, tokens.ErrAuthentication)
			assert.Equal(t, 1, f.counted(refreshNo))
			// … and a login elsewhere is noticed without a restart.
			require.NoError(t, f.manager(t, tokens.WithStore(store), tokens.WithClock(c.Now)).Login(t.Context(), garden))
			c.Advance(time.Minute)
			assert.Equal(t, 200, f.works(t, token(t, m)))
		})
	}
}

// TestTimedOutRefresh: the server got the refresh token and responded too
// late. It is not sent again; what happens instead depends on what there is.
func TestTimedOutRefresh(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		after time.Duration // since login, when the refresh is tried
		creds bool
		want  string
	}{
		{"the token is used to its end, then it is tried once more", 56 * time.Minute, false, "first"},
		{"after its end it is tried once more", 61 * time.Minute, false, "error"},
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
			opts := []tokens.Option{tokens.WithClock(c.Now), tokens.WithHTTPClient(client), tokens.WithHoldOff(time.Second)}
			if tt.creds {
				opts = append(opts, tokens.WithCredentials(garden))
			}
			m := f.manager(t, opts...)
			require.NoError(t, m.Login(t.Context(), garden))
			first := token(t, m)
			c.Advance(tt.after)
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
				all, twice := f.spent()
				assert.Equal(t, 1, all)
				assert.Zero(t, twice)
				return
			}
			require.ErrorIs(t, err, tokens.ErrInterrupted)
			assert.ErrorContains(t, err, "not retried at once")
			f.setFault(nil)
			c.Advance(2 * time.Second)
			if tt.want == "first" {
				got, err = m.Token(t.Context())
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
				_, twice := f.spent()
				assert.Zero(t, twice, "sent again while the access token is good")
				c.Advance(10 * time.Minute)
			}
			// It was spent, so the last attempt is refused, and no other is made.
			for range 3 {
				_, err = m.Token(t.Context())
				require.ErrorIs(t, err, tokens.ErrAuthentication)
				require.ErrorIs(t, err, tokens.ErrInterrupted)
				c.Advance(10 * time.Minute)
			}
			all, twice := f.spent()
			assert.Equal(t, 2, all)
			assert.Equal(t, 1, twice)
		})
	}
}

// TestLostRefresh: the refresh was cut off before the ERP saw it. When the
// access token has ended, the refresh token is sent one last time; an ERP that
// cannot be reached then does not count.
func TestLostRefresh(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := newFront(t, c)
	store := &tokens.MemoryStore{}
	require.NoError(t, f.manager(t, tokens.WithStore(store), tokens.WithClock(c.Now)).Login(t.Context(), garden))
	st, err := store.Load(t.Context())
	require.NoError(t, err)
	st.Refreshing = tokens.Fingerprint(st.Refresh)
	require.NoError(t, store.Save(t.Context(), st))
	c.Advance(61 * time.Minute)

	m := f.manager(t, tokens.WithStore(store), tokens.WithClock(c.Now), tokens.WithHoldOff(0))
	f.setFault(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(503) })
	_, err = m.Token(t.Context())
	require.ErrorIs(t, err, tokens.ErrUnreachable)
	f.setFault(nil)
	status, err := m.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tokens.StateDue, status.State)
	assert.Equal(t, 200, f.works(t, token(t, m)))
	assert.Equal(t, 1, f.counted(refreshOK))
	st, err = store.Load(t.Context())
	require.NoError(t, err)
	assert.Empty(t, st.Refreshing)
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
	m := f.manager(t, tokens.WithStore(store), tokens.WithClock(c.Now), tokens.WithHoldOff(time.Second))
	require.NoError(t, m.Login(t.Context(), garden))
	first := token(t, m)
	c.Advance(time.Hour)

	store.set(func(tokens.Stored) bool { return true })
	_, err := m.Token(t.Context())
	require.ErrorIs(t, err, errFull)
	assert.ErrorContains(t, err, "nothing was sent")
	all, _ := f.spent()
	require.Zero(t, all)

	// The disk fills up between mark and pair.
	c.Advance(2 * time.Second)
	store.set(func(s tokens.Stored) bool { return s.Refreshing == "" })
	_, err = m.Token(t.Context())
	require.ErrorIs(t, err, errFull)
	c.Advance(2 * time.Second)
	_, err = m.Token(t.Context())
	require.ErrorIs(t, err, errFull)
	assert.ErrorContains(t, err, "kept by this process")

	store.set(nil)
	c.Advance(2 * time.Second)
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
	c.Advance(time.Hour)
	token(t, m)
}
