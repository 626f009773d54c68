package httpserver

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/metrics"
)

// processFigures are what the operating system says about this process.
type processFigures struct {
	resident   float64 // bytes of memory
	cpuSeconds float64 // user and system
	openFiles  float64
	started    float64 // Unix seconds
}

// Process adds the figures of this process under the names Prometheus clients
// give them: go_* everywhere, process_* on Linux. They are read whenever somebody
// looks. Memory and CPU time follow how much data there is: [Metrics.Counts]
// leaves them out.
func (m *Metrics) Process() {
	system := func(figure func(*processFigures) float64) func() (float64, error) {
		return func() (float64, error) {
			f, err := readProcess()
			if err != nil {
				return 0, err
			}
			return figure(f), nil
		}
	}
	for _, p := range []processMetric{
		{"go_goroutines", "Goroutines of this process.", "gauge", false, func() (float64, error) { return float64(runtime.NumGoroutine()), nil }},
		{"go_gc_heap_live_bytes", "Memory of objects that were in use when the garbage collector last looked.", "gauge", true, liveHeap},
		{"process_resident_memory_bytes", "Memory of this process that is in RAM.", "gauge", true, system(func(f *processFigures) float64 { return f.resident })},
		{"process_open_fds", "Open file descriptors of this process.", "gauge", false, system(func(f *processFigures) float64 { return f.openFiles })},
		{"process_start_time_seconds", "When this process started, in Unix seconds.", "gauge", false, system(func(f *processFigures) float64 { return f.started })},
		{"process_cpu_seconds_total", "CPU time this process used, in user and system mode.", "counter", true, system(func(f *processFigures) float64 { return f.cpuSeconds })},
	} {
		m.add(p.name, p)
	}
}

// processMetric is left out of the text where its figure cannot be read.
type processMetric struct {
	name, help, kind string
	sized            bool // see amounts
	value            func() (float64, error)
}

func (p processMetric) amounts() bool { return p.sized }

func (p processMetric) write(b *bytes.Buffer) {
	value, err := p.value()
	if err != nil {
		return
	}
	head(b, p.name, p.help, p.kind)
	fmt.Fprintf(b, "%s %s\n", p.name, number(value))
}

func liveHeap() (float64, error) {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0, fmt.Errorf("the runtime does not tell %s", sample[0].Name)
	}
	return float64(sample[0].Value.Uint64()), nil
}
