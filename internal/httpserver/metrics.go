package httpserver

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Metrics are numbers shown in the text format of Prometheus. They are safe
// for concurrent use. Names and labels are written by programmers; label
// values must come from a small set.
type Metrics struct {
	mu      sync.Mutex // guards families and all values in them
	ordered []family
	names   map[string]bool
}

// family is a metric with all its label values.
type family interface {
	write(*bytes.Buffer)
	// amounts reports whether its numbers follow how much data there is: times and
	// sizes, beside mere counts.
	amounts() bool
}

// NewMetrics makes an empty set.
func NewMetrics() *Metrics { return &Metrics{names: map[string]bool{}} }

// add takes a family in. A name that already exists is a mistake in the
// program.
func (m *Metrics) add(name string, f family) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.names[name] {
		panic("httpserver: metric " + name + " already exists")
	}
	m.names[name] = true
	m.ordered = append(m.ordered, f)
}

// Counter is a number that only grows.
type Counter struct {
	m          *Metrics
	name, help string
	labels     []string
	values     map[string]float64 // by rendered labels
	sized      bool
}

// OfSizes says that the counter adds up sizes, so that [Metrics.Counts] leaves it
// out, and returns it.
func (c *Counter) OfSizes() *Counter {
	c.sized = true
	return c
}

func (c *Counter) amounts() bool { return c.sized }

// Counter makes a counter; a name that already exists panics.
func (m *Metrics) Counter(name, help string, labels ...string) *Counter {
	c := &Counter{m: m, name: name, help: help, labels: labels, values: map[string]float64{}}
	if len(labels) == 0 {
		c.values[""] = 0
	}
	m.add(name, c)
	return c
}

// Add adds n for the label values, given in the order of the labels.
func (c *Counter) Add(n float64, values ...string) {
	key := render(c.labels, values)
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	c.values[key] += n
}

func (c *Counter) write(b *bytes.Buffer) {
	head(b, c.name, c.help, "counter")
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		fmt.Fprintf(b, "%s%s %s\n", c.name, braces(key), number(c.values[key]))
	}
}

// figures are numbers that are asked for when somebody looks.
type figures struct {
	name, help, kind string
	values           iter.Seq2[string, float64] // by rendered labels
}

func (f *figures) amounts() bool { return false }

func (f *figures) write(b *bytes.Buffer) {
	head(b, f.name, f.help, f.kind)
	for key, n := range f.values {
		fmt.Fprintf(b, "%s%s %s\n", f.name, braces(key), number(n))
	}
}

// single is one number.
func single(key string, value func() float64) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) { yield(key, value()) }
}

// GaugeFunc shows what value returns whenever somebody looks; a name that is there
// already panics. value must not use the metrics.
func (m *Metrics) GaugeFunc(name, help string, value func() float64) {
	m.add(name, &figures{name, help, "gauge", single("", value)})
}

// CounterFunc is [Metrics.GaugeFunc] for a number that only grows.
func (m *Metrics) CounterFunc(name, help string, value func() float64) {
	m.add(name, &figures{name, help, "counter", single("", value)})
}

// gaugesFunc is [Metrics.GaugeFunc] for numbers that differ in the value of a label.
func (m *Metrics) gaugesFunc(name, help, label string, values iter.Seq2[string, float64]) {
	m.add(name, &figures{name, help, "gauge", func(yield func(string, float64) bool) {
		for value, n := range values {
			if !yield(render([]string{label}, []string{value}), n) {
				return
			}
		}
	}})
}

// Build shows the version of the program, and of Go; it panics when they are shown
// already.
func (m *Metrics) Build(version, goVersion string) {
	const name = "erphub_build_info"
	key := render([]string{"version", "goversion"}, []string{version, goVersion})
	m.add(name, &figures{name, "Version of the program, and of the Go it was built with.", "gauge", single(key, func() float64 { return 1 })})
}

// buckets are the upper bounds of a histogram of seconds.
var buckets = [...]float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// Histogram counts how long things took, in seconds.
type Histogram struct {
	m          *Metrics
	name, help string
	labels     []string
	values     map[string]*histogram
}

type histogram struct {
	counts [len(buckets)]uint64 // of values up to each bound, alone
	count  uint64
	sum    float64
}

// Histogram makes a histogram; a name that already exists panics.
func (m *Metrics) Histogram(name, help string, labels ...string) *Histogram {
	h := &Histogram{m: m, name: name, help: help, labels: labels, values: map[string]*histogram{}}
	m.add(name, h)
	return h
}

// Observe counts a value for the label values.
func (h *Histogram) Observe(seconds float64, values ...string) {
	key := render(h.labels, values)
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	v := h.values[key]
	if v == nil {
		v = &histogram{}
		h.values[key] = v
	}
	v.count++
	v.sum += seconds
	for i, bound := range buckets {
		if seconds <= bound {
			v.counts[i]++
			break
		}
	}
}

func (h *Histogram) amounts() bool { return true }

func (h *Histogram) write(b *bytes.Buffer) {
	head(b, h.name, h.help, "histogram")
	for _, key := range slices.Sorted(maps.Keys(h.values)) {
		v := h.values[key]
		comma := ""
		if key != "" {
			comma = ","
		}
		var below uint64
		for i, bound := range buckets {
			below += v.counts[i]
			fmt.Fprintf(b, "%s_bucket{%s%sle=\"%s\"} %d\n", h.name, key, comma, number(bound), below)
		}
		fmt.Fprintf(b, "%s_bucket{%s%sle=\"+Inf\"} %d\n", h.name, key, comma, v.count)
		fmt.Fprintf(b, "%s_sum%s %s\n%s_count%s %d\n", h.name, braces(key), number(v.sum), h.name, braces(key), v.count)
	}
}

func head(b *bytes.Buffer, name, help, kind string) {
	help = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help)
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// render writes labels as they stand between braces.
func render(labels, values []string) string {
	if len(labels) != len(values) {
		panic(fmt.Sprintf("httpserver: %d values for the labels %v", len(values), labels))
	}
	var b strings.Builder
	for i, label := range labels {
		if i > 0 {
			b.WriteByte(',')
		}
		value := strings.ToValidUTF8(values[i], "\uFFFD")
		if strings.ContainsAny(value, "\\\n\"") {
			value = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(value)
		}
		b.WriteString(label)
		b.WriteString(`="`)
		b.WriteString(value)
		b.WriteByte('"')
	}
	return b.String()
}

func braces(rendered string) string {
	if rendered == "" {
		return ""
	}
	return "{" + rendered + "}"
}

// Text is all of them, as [Metrics.Serve] shows them.
func (m *Metrics) Text() []byte { return m.text(func(family) bool { return true }) }

// Counts is what everybody may see at /metrics: without times and sizes, which
// tell how much data there is, also of others.
func (m *Metrics) Counts() []byte { return m.text(func(f family) bool { return !f.amounts() }) }

func (m *Metrics) text(shown func(family) bool) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b bytes.Buffer
	for _, f := range m.ordered {
		if shown(f) {
			f.write(&b)
		}
	}
	return b.Bytes()
}

// ServeCounts is the handler of /metrics, which shows [Metrics.Counts].
func (m *Metrics) ServeCounts(w http.ResponseWriter, _ *http.Request) { metricsText(w, m.Counts()) }

func metricsText(w http.ResponseWriter, text []byte) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(text) // the client went away
}
