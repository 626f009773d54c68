package tokens_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

func validManager(t testing.TB) *tokens.Manager {
	t.Helper()
	m, err := tokens.NewManager("http://localhost:1", tokens.WithStore(tokens.NewMemoryStore(tokens.Stored{Access: tokens.NewSecret(valid), Refresh: tokens.NewSecret("r")})))
	require.NoError(t, err)
	require.NoError(t, m.Ready(t.Context()))
	return m
}

// TestValidPathDoesNotAllocate runs alone: other goroutines would be counted.
func TestValidPathDoesNotAllocate(t *testing.T) {
	m := validManager(t)
	ctx := t.Context()
	n := testing.AllocsPerRun(1000, func() {
		if _, err := m.Token(ctx); err != nil {
			panic(err)
		}
	})
	assert.Zero(t, n)
}

// BenchmarkToken is the valid path beside the least a locked source could do:
// read a string under a mutex.
func BenchmarkToken(b *testing.B) {
	m := validManager(b)
	ctx := b.Context()
	var (
		mu    sync.Mutex
		token = valid
	)
	sources := []struct {
		name string
		get  func() string
	}{
		{"manager", func() string { t, _ := m.Token(ctx); return t }},
		{"mutex", func() string { mu.Lock(); defer mu.Unlock(); return token }},
	}
	for _, goroutines := range []int{1, 2, 4, 8, 16, 32, 64} {
		for _, s := range sources {
			b.Run(fmt.Sprintf("%s/goroutines=%d", s.name, goroutines), func(b *testing.B) {
				b.ReportAllocs()
				var wg sync.WaitGroup
				for g := range goroutines {
					n := b.N / goroutines
					if g == 0 {
						n += b.N % goroutines
					}
					wg.Go(func() {
						for range n {
							if s.get() == "" {
								panic("no token")
							}
						}
					})
				}
				wg.Wait()
			})
		}
	}
}
