package tokens_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// TestWeek simulates a week in which 200 goroutines, with ERPHUB_PROOF=1 1,000, ask
// for a token all the time: one refresh per token lifetime, each refresh token used
// once, and no token is ever handed out that the ERP would refuse with 401.
//
// Most goroutines check the token the way the ERP does (signature and end, by
// the shared clock); one goroutine asks the ERP itself, with
// each new token and again and again.
func TestWeek(t *testing.T) {
	t.Parallel()
	const step = 4 * time.Minute
	callers := 200
	if os.Getenv("ERPHUB_PROOF") != "" {
		callers = 1000
	}
	length := 7 * 24 * time.Hour
	if testing.Short() {
		length = 12 * time.Hour
	}
	c := newClock()
	f := newFront(t, c)
	verifier, err := tokens.NewSecretVerifier([]byte(f.erp.TokenSecret()), tokens.VerifierClock(c.Now))
	require.NoError(t, err)
	m := f.manager(t, tokens.WithCredentials(garden), tokens.WithClock(c.Now))

	// Callers run freely within a step; the clock moves when each has called
	// at least once, so that nobody sleeps through a token's life.
	steps := int(length / step)
	gates := make([]chan struct{}, steps)
	arrived := make([]sync.WaitGroup, steps)
	for i := range gates {
		gates[i] = make(chan struct{})
		arrived[i].Add(callers)
	}
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			var last string
			for i := range steps {
				<-gates[i]
				got, err := m.Token(t.Context())
				switch {
				case err != nil:
					t.Errorf("step %d: %v", i, err)
				case n == 0 && (got != last || i%10 == 0):
					if status := f.works(t, got); status != 200 {
						t.Errorf("step %d: the ERP responds with %d", i, status)
					}
				case got != last:
					if _, err := verifier.Verify(t.Context(), got); err != nil {
						t.Errorf("step %d: a token that is not good: %v", i, err)
					}
				}
				last = got
				arrived[i].Done()
			}
		})
	}
	seen := map[string]time.Time{} // token and when it was seen first
	for i := range steps {
		close(gates[i])
		arrived[i].Wait()
		got := token(t, m)
		if _, ok := seen[got]; !ok {
			seen[got] = c.Now()
		}
		// Good now, and still until the clock has moved.
		_, err := verifier.Verify(t.Context(), got)
		require.NoError(t, err)
		c.Advance(step)
		_, err = verifier.Verify(t.Context(), got)
		require.NoError(t, err, "step %d", i)
	}
	all.Wait()

	spent, twice := f.spent()
	logins := f.counted(loginOK)
	t.Logf("%d tokens: %d logins, %d refreshes", len(seen), logins, spent)
	assert.Zero(t, twice, "refresh tokens sent twice")
	assert.Equal(t, len(seen), logins+f.counted(refreshOK), "each refresh brought a token that was used")
	assert.Equal(t, f.counted(refreshOK), spent)
	assert.Equal(t, 1, logins)
	// A token of an hour is refreshed in the first step after its 55th minute:
	// 56 minutes after the one before.
	assert.Equal(t, int((length-step)/(56*time.Minute)), spent)
}
