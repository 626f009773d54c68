package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testproc"
	"github.com/erphub/erphub/internal/testkit/testsoak"
)

// The program under mixed load: sessions that come and go, queries, dictionary,
// and everything hostile a client can send. It responds to each as it should, and
// neither memory nor goroutines nor open files grow. From a minute on the time
// after the warm-up is compared with the end; always what is left when all
// clients are gone with what was there before them.
func TestSoak(t *testing.T) {
	if os.Getenv("ERPHUB_SOAK") == "" {
		t.Skip("it takes long: make proof runs it, or set ERPHUB_SOAK, such as ERPHUB_SOAK=20m")
	}
	t.Parallel()
	length := testsoak.Length(t, 4*time.Second)
	p := overPostgres(t, testproc.Program(t, "erphub-mcp"), "--audit", os.DevNull)
	queries(t, p) // the dictionary is read, and the database connected to
	queries(t, p)
	http.DefaultClient.CloseIdleConnections()
	before := p.figures(t)

	seed := rand.Uint64()
	t.Logf("seed %d, %v", seed, length)
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	var done testsoak.Counts
	var workers sync.WaitGroup
	for i, work := range soakWorkers() {
		workers.Go(func() {
			s := newSoaker(t, p, i, rand.New(rand.NewPCG(seed, uint64(i))), &done)
			defer s.close()
			pace := time.NewTicker(soakPace)
			defer pace.Stop()
			for ctx.Err() == nil {
				if err := work(ctx, s); err != nil && ctx.Err() == nil {
					t.Errorf("worker %d: %v", i, err)
					stop()
					return
				}
				select {
				case <-pace.C:
				case <-ctx.Done():
				}
			}
		})
	}
	samples := testsoak.Collect(ctx, max(length/120, 100*time.Millisecond), func() testsoak.Figures { return p.figures(t) })
	workers.Wait()
	require.False(t, t.Failed(), "%s", p.lastWords())
	t.Logf("requests: %s", &done)
	testsoak.Report(t, "tool server", before, samples)

	if length >= time.Minute {
		testsoak.Flat(t, "tool server", samples)
	}
	peak := 0.0
	for _, s := range samples {
		peak = max(peak, s.Figures[testsoak.Memory])
	}
	assert.Less(t, peak, 400.0, "MiB at most")
	var after testsoak.Figures
	assert.Eventually(t, func() bool { // requests that were broken off end by themselves
		http.DefaultClient.CloseIdleConnections()
		after = p.figures(t)
		return after[testsoak.Goroutines] <= before[testsoak.Goroutines]+20 && after[testsoak.Files] <= before[testsoak.Files]+20
	}, 2*time.Minute, 50*time.Millisecond, "something is left when the clients are gone")
	t.Logf("when the clients are gone: %v", after)
	queries(t, p)
	assert.False(t, strings.Contains(p.log.String(), "panicked"), "a handler or a tool panicked")
}

// lastWords are the end of what the program wrote.
func (p *program) lastWords() string {
	text := p.log.String()
	return text[max(len(text)-4096, 0):]
}

// soakPace is the shortest time between two things a worker does.
const soakPace = 40 * time.Millisecond

func (p *program) figures(t testing.TB) testsoak.Figures {
	t.Helper()
	f, err := testsoak.Metrics(context.WithoutCancel(t.Context()), p.metrics, "mcp_sessions_open")
	require.NoError(t, err, "the program does not respond: %s", p.lastWords())
	return f
}
