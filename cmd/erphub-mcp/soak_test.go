package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testproc"
)

// soakVariable is how long the soak takes, such as 2h; a few seconds without it.
const soakVariable = "ERPHUB_SOAK"

// The program under mixed load: sessions that come and go, queries, dictionary,
// and everything hostile a client can send. It responds to each as it should, and
// neither memory nor goroutines nor open files grow. From a minute on the time
// after the warm-up is compared with the end; always what is left when all
// clients are gone with what was there before them.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs that are not built for the race detector")
	}
	t.Parallel()
	length := 4 * time.Second
	if text := os.Getenv(soakVariable); text != "" {
		var err error
		length, err = time.ParseDuration(text)
		require.NoError(t, err, soakVariable)
	}
	p := overPostgres(t, testproc.Program(t, "erphub-mcp"), "--audit", os.DevNull)
	queries(t, p) // the dictionary is read, and the database connected to
	queries(t, p)
	http.DefaultClient.CloseIdleConnections()
	before := p.figures(t)

	seed := rand.Uint64()
	t.Logf("seed %d, %v", seed, length)
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	done := &soakCounts{counts: map[string]int{}}
	var workers sync.WaitGroup
	for i, work := range soakWorkers() {
		workers.Go(func() {
			s := newSoaker(t, p, i, rand.New(rand.NewPCG(seed, uint64(i))), done)
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
	samples := p.sample(ctx, t, max(length/120, 100*time.Millisecond))
	workers.Wait()
	require.False(t, t.Failed(), "%s", p.lastWords())
	t.Logf("requests: %s", done)
	report(t, before, samples)

	if length >= time.Minute {
		flat(t, samples)
	}
	peak := 0.0
	for _, s := range samples {
		peak = max(peak, s.memory)
	}
	assert.Less(t, peak, 400.0, "MiB at most")
	var after figures
	assert.Eventually(t, func() bool { // requests that were broken off end by themselves
		http.DefaultClient.CloseIdleConnections()
		after = p.figures(t)
		return after.goroutines <= before.goroutines+20 && after.files <= before.files+20
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

// soakCounts counts what was done.
type soakCounts struct {
	mu     sync.Mutex // guards counts
	counts map[string]int
}

func (c *soakCounts) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

func (c *soakCounts) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	all := 0
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		fmt.Fprintf(&b, "%s %d, ", what, c.counts[what])
		all += c.counts[what]
	}
	return fmt.Sprintf("%sall %d", &b, all)
}

// figures are those of the running program.
type figures struct {
	at                          time.Duration
	memory, live                float64 // MiB in RAM, and of objects in use
	goroutines, files, sessions float64
}

func (f figures) String() string {
	return fmt.Sprintf("%.1f MiB, %.1f of them objects in use, %.0f goroutines, %.0f open files, %.0f sessions",
		f.memory, f.live, f.goroutines, f.files, f.sessions)
}

func (p *program) figures(t testing.TB) (f figures) {
	t.Helper()
	var known bool
	f.goroutines, known = p.figure(context.WithoutCancel(t.Context()), "go_goroutines")
	require.True(t, known, "the program does not respond: %s", p.lastWords())
	f.memory, _ = p.figure(context.WithoutCancel(t.Context()), "process_resident_memory_bytes")
	f.live, _ = p.figure(context.WithoutCancel(t.Context()), "go_gc_heap_live_bytes")
	f.memory, f.live = f.memory/(1<<20), f.live/(1<<20)
	f.files, _ = p.figure(context.WithoutCancel(t.Context()), "process_open_fds")
	f.sessions, _ = p.figure(context.WithoutCancel(t.Context()), "mcp_sessions_open")
	return f
}

// sample looks at the figures until ctx ends.
func (p *program) sample(ctx context.Context, t testing.TB, every time.Duration) []figures {
	t.Helper()
	start := time.Now()
	var all []figures
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return all
		case <-tick.C:
		}
		f := p.figures(t)
		f.at = time.Since(start)
		all = append(all, f)
	}
}

// report shows about ten of the samples.
func report(t testing.TB, before figures, samples []figures) {
	t.Helper()
	t.Logf("%8s  %v", "before", before)
	step := max(len(samples)/10, 1)
	for i := step - 1; i < len(samples); i += step {
		t.Logf("%8v  %v", samples[i].at.Round(time.Second), samples[i])
	}
}

// flat compares the time after the warm-up, from a fifth to two fifths, with the
// last fifth. Memory goes up and down with the requests and the garbage
// collector, so its lower tenth is compared; of the others it is the median.
func flat(t testing.TB, samples []figures) {
	t.Helper()
	n := len(samples)
	require.GreaterOrEqual(t, n, 20)
	early, late := samples[n/5:2*n/5], samples[4*n/5:]
	for _, tc := range []struct {
		name  string
		of    func(figures) float64
		part  float64 // of the samples that are below
		slack float64 // beyond a tenth more
	}{
		{"MiB of objects in use", func(f figures) float64 { return f.live }, 0.1, 3},
		{"MiB", func(f figures) float64 { return f.memory }, 0.1, 25},
		{"goroutines", func(f figures) float64 { return f.goroutines }, 0.5, 30},
		{"open files", func(f figures) float64 { return f.files }, 0.5, 15},
	} {
		was, is := quantile(early, tc.of, tc.part), quantile(late, tc.of, tc.part)
		t.Logf("%s: %.1f after the warm-up, %.1f at the end", tc.name, was, is)
		assert.LessOrEqual(t, is, was*1.1+tc.slack, "%s grow", tc.name)
	}
}

func quantile(samples []figures, of func(figures) float64, part float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[int(float64(len(values)-1)*part)]
}
