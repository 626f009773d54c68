// Package testsoak looks at programs under load for a long time: what they use, and
// whether it grows.
package testsoak

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Variable says how long a soak takes, such as 2h; a few seconds without it.
const Variable = "ERPHUB_SOAK"

// Length is how long the soak takes: the sample's time, or what [Variable] says.
func Length(t testing.TB, sample time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(Variable)
	if text == "" {
		return sample
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", Variable, err)
	}
	return length
}

// Counts counts what was done. Its zero value is ready.
type Counts struct {
	mu     sync.Mutex // guards counts
	counts map[string]int
}

// Add counts one more.
func (c *Counts) Add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[what]++
}

// Of is how many there were.
func (c *Counts) Of(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[what]
}

// String lists all, and the sum.
func (c *Counts) String() string {
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

// What programs use, as [Figures] name it.
const (
	Memory     = "MiB"
	Live       = "MiB of objects in use"
	Goroutines = "goroutines"
	Files      = "open files"
)

// Figures are numbers by their names.
type Figures map[string]float64

// String lists them.
func (f Figures) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		parts = append(parts, fmt.Sprintf("%.1f %s", f[name], name))
	}
	return strings.Join(parts, ", ")
}

// Metrics reads the figures of a program from its page of metrics, and further ones
// without labels, by the names they have there.
func Metrics(ctx context.Context, url string, further ...string) (Figures, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	values := map[string]float64{}
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		var name string
		var value float64
		if _, err := fmt.Sscan(lines.Text(), &name, &value); err == nil {
			values[name] = value
		}
	}
	f := Figures{Memory: values["process_resident_memory_bytes"] / (1 << 20), Live: values["go_gc_heap_live_bytes"] / (1 << 20),
		Goroutines: values["go_goroutines"], Files: values["process_open_fds"]}
	for _, name := range further {
		f[name] = values[name]
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if f[Goroutines] == 0 {
		return nil, fmt.Errorf("%s has no figures of a program: %s", url, res.Status)
	}
	return f, nil
}

// Sample are figures at a time since the beginning.
type Sample struct {
	At time.Duration
	Figures
}

// Collect looks at the figures until ctx ends.
func Collect(ctx context.Context, every time.Duration, look func() Figures) []Sample {
	start := time.Now()
	var all []Sample
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return all
		case <-tick.C:
		}
		all = append(all, Sample{time.Since(start), look()})
	}
}

// Report logs about ten of the samples.
func Report(t testing.TB, name string, before Figures, samples []Sample) {
	t.Helper()
	t.Logf("%s %8s  %v", name, "before", before)
	step := max(len(samples)/10, 1)
	for i := step - 1; i < len(samples); i += step {
		t.Logf("%s %8v  %v", name, samples[i].At.Round(time.Second), samples[i].Figures)
	}
}

// rule says how a figure is compared.
type rule struct {
	part  float64 // of the samples that are below what is compared
	slack float64 // beyond a tenth more
}

// rules are those of the figures of this package. Memory goes up and down with the
// requests and the garbage collector, so its lower tenth is compared; of the others
// it is the median.
var rules = map[string]rule{Live: {0.1, 3}, Memory: {0.1, 25}, Goroutines: {0.5, 30}, Files: {0.5, 15}}

// Flat compares the time after the warm-up, from a fifth to two fifths, with the last
// fifth: the figures of this package as far as there are any, and further ones, which
// may grow by a tenth and 5.
func Flat(t testing.TB, program string, samples []Sample, further ...string) {
	t.Helper()
	n := len(samples)
	if n < 20 {
		t.Fatalf("%s: %d samples are not enough to compare", program, n)
	}
	early, late := samples[n/5:2*n/5], samples[4*n/5:]
	for _, name := range slices.Sorted(maps.Keys(samples[n-1].Figures)) {
		r, known := rules[name]
		switch {
		case known:
		case slices.Contains(further, name):
			r = rule{0.5, 5}
		default:
			continue
		}
		was, is := quantile(early, name, r.part), quantile(late, name, r.part)
		t.Logf("%s, %s: %.1f after the warm-up, %.1f at the end", program, name, was, is)
		if is > was*1.1+r.slack {
			t.Errorf("%s, %s: they grow from %.1f to %.1f", program, name, was, is)
		}
	}
}

func quantile(samples []Sample, name string, part float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = s.Figures[name]
	}
	slices.Sort(values)
	return values[int(float64(len(values)-1)*part)]
}
