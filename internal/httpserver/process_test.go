package httpserver

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// figure is a number without labels in the text of metrics.
func figure(t *testing.T, text []byte, name string) float64 {
	t.Helper()
	for line := range strings.Lines(string(text)) {
		var f float64
		if _, err := fmt.Sscanf(line, name+" %g", &f); err == nil {
			return f
		}
	}
	t.Fatalf("there is no %s in\n%s", name, text)
	return 0
}

func TestProcessMetrics(t *testing.T) { // not parallel: other tests open files and start goroutines
	m := NewMetrics()
	m.Process()
	before := m.Text()
	assert.Positive(t, figure(t, before, "go_goroutines"))
	runtime.GC() // the figure is of the last one
	assert.Greater(t, figure(t, m.Text(), "go_gc_heap_live_bytes"), 1e4)
	if runtime.GOOS != "linux" {
		assert.NotContains(t, string(before), "process_")
		return
	}
	assert.Greater(t, figure(t, before, "process_resident_memory_bytes"), 1e6)
	assert.Positive(t, figure(t, before, "process_cpu_seconds_total"))
	started := time.Unix(int64(figure(t, before, "process_start_time_seconds")), 0)
	assert.WithinRange(t, started, time.Now().Add(-24*time.Hour), time.Now().Add(time.Minute))

	for _, name := range []string{"go_goroutines", "process_open_fds", "process_start_time_seconds"} {
		figure(t, m.Counts(), name)
	}
	for _, name := range []string{"go_gc_heap_live_bytes", "process_resident_memory_bytes", "process_cpu_seconds_total"} {
		assert.NotContains(t, string(m.Counts()), name, "it tells callers about data that is not theirs")
	}

	var held []*os.File
	for i := range 20 {
		f, err := os.Create(filepath.Join(t.TempDir(), fmt.Sprint(i)))
		require.NoError(t, err)
		defer f.Close()
		held = append(held, f)
	}
	stop := make(chan struct{})
	defer close(stop)
	for range 50 {
		go func() { <-stop }()
	}
	after := m.Text()
	assert.GreaterOrEqual(t, figure(t, after, "process_open_fds"), figure(t, before, "process_open_fds")+float64(len(held)))
	assert.GreaterOrEqual(t, figure(t, after, "go_goroutines"), figure(t, before, "go_goroutines")+50)
}
