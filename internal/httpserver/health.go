package httpserver

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// The states in what /readyz says.
const (
	StateReady    = "ready"
	StateDegraded = "degraded"
	StateNotReady = "not ready"
	StateEnding   = "ending"
)

const (
	// checkTimeout limits the check of a dependency.
	checkTimeout = 5 * time.Second
	// checkPatience is how long a response waits for a check whose last outcome is
	// known: probes give up sooner than a check of something that hangs.
	checkPatience = time.Second
	// checkEvery is the time between two checks that nobody asked for.
	checkEvery = 10 * time.Second
)

// Dependency is something that a server works with.
type Dependency struct {
	// Name is its name in metrics, such as redis.
	Name string
	// Missing says what is missing while Check fails, in words that anybody may read.
	Missing string
	// Check reports whether it is there. It must return when its context ends. Its
	// error is logged.
	Check func(context.Context) error
	// Needed are the parts of the server that cannot be served without it, Used those
	// that can do less without it.
	Needed, Used []string
	// Own says that only this replica lacks it: without it the whole server is not
	// ready. Without what replicas share, it is ready as long as a part can be served.
	Own bool
}

// Readiness knows what a server and each of its parts can do.
type Readiness struct {
	log     *slog.Logger
	leaving <-chan struct{}
	parts   []string
	on      []*dependency
}

// dependency is a Dependency with what is known about it.
type dependency struct {
	Dependency
	log *slog.Logger

	mu      sync.Mutex    // guards what follows
	known   bool          // a check ended
	err     error         // of the last check that ended
	running chan struct{} // closed when the check that runs ends; nil: none runs
}

// NewReadiness makes the readiness of a server, which ends when leaving is closed.
// The parts are those that dependencies name. Without dependencies it is ready.
func NewReadiness(log *slog.Logger, leaving <-chan struct{}, parts []string, on []Dependency) *Readiness {
	r := &Readiness{log: log, leaving: leaving, parts: parts}
	for _, d := range on {
		r.on = append(r.on, &dependency{Dependency: d, log: log})
	}
	return r
}

// readinessBody is a response of /readyz.
type readinessBody struct {
	Status  string            `json:"status"`
	Missing []string          `json:"missing,omitempty"`
	Parts   map[string]string `json:"parts,omitempty"`
}

// ServeHTTP responds to GET /readyz, and to GET /readyz/{part} for one part: with
// 200 when it can be served, else 503.
func (r *Readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	part := req.PathValue("part")
	if part != "" && !slices.Contains(r.parts, part) {
		detail := "this server has no parts"
		if len(r.parts) > 0 {
			detail = "this server has no such part; it has: " + strings.Join(r.parts, ", ")
		}
		Problem(w, http.StatusNotFound, detail)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	var body readinessBody
	if closed(r.leaving) {
		body.Status = StateEnding
	} else {
		body = r.look(req.Context(), part)
	}
	status := http.StatusOK
	if body.Status != StateReady && body.Status != StateDegraded {
		status = http.StatusServiceUnavailable
	}
	JSON(w, status, body)
}

// look checks what a part needs and uses, or everything when part is empty.
func (r *Readiness) look(ctx context.Context, part string) readinessBody {
	var on []*dependency
	for _, d := range r.on {
		if part == "" || slices.Contains(d.Needed, part) || slices.Contains(d.Used, part) {
			on = append(on, d)
		}
	}
	away := make([]bool, len(on))
	var all sync.WaitGroup
	for i, d := range on {
		all.Go(func() { away[i] = d.look(ctx) != nil })
	}
	all.Wait()
	var body readinessBody
	var lacks []*dependency
	for i, d := range on {
		if away[i] {
			lacks = append(lacks, d)
			body.Missing = append(body.Missing, d.Missing)
		}
	}
	if part != "" {
		body.Status = partState(part, lacks)
		return body
	}
	body.Status, body.Parts = r.state(lacks)
	return body
}

// state is the state of the whole server and of its parts.
func (r *Readiness) state(lacks []*dependency) (whole string, parts map[string]string) {
	whole, served := StateReady, len(r.parts) == 0
	for _, part := range r.parts {
		if parts == nil {
			parts = map[string]string{}
		}
		parts[part] = partState(part, lacks)
		served = served || parts[part] != StateNotReady
	}
	if len(lacks) > 0 {
		whole = StateDegraded
	}
	if !served || slices.ContainsFunc(lacks, func(d *dependency) bool { return d.Own }) {
		whole = StateNotReady
	}
	return whole, parts
}

func partState(part string, lacks []*dependency) string {
	state := StateReady
	for _, d := range lacks {
		switch {
		case slices.Contains(d.Needed, part):
			return StateNotReady
		case slices.Contains(d.Used, part):
			state = StateDegraded
		}
	}
	return state
}

// look checks the dependency, together with whoever checks it just now. While a
// check hangs, the outcome of the one before counts.
func (d *dependency) look(ctx context.Context) error {
	d.mu.Lock()
	if d.running == nil {
		d.running = make(chan struct{})
		go d.check(context.WithoutCancel(ctx), d.running)
	}
	running, known := d.running, d.known
	d.mu.Unlock()
	if known {
		patience := time.NewTimer(checkPatience)
		defer patience.Stop()
		select {
		case <-running:
		case <-patience.C:
		}
	} else {
		<-running // within checkTimeout
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// check asks once and logs when the outcome is another than before.
func (d *dependency) check(ctx context.Context, running chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err := d.Check(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case err != nil && d.err == nil:
		d.log.Warn("the server lacks something", "dependency", d.Name, "missing", d.Missing, "error", err)
	case err == nil && d.err != nil:
		d.log.Info("what the server lacked is there again", "dependency", d.Name)
	}
	d.known, d.err, d.running = true, err, nil
	close(running)
}

// Watch checks all dependencies from time to time until ctx ends, so that metrics
// and log tell what nobody asks for.
func (r *Readiness) Watch(ctx context.Context) {
	if len(r.on) == 0 {
		return
	}
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		r.look(ctx, "")
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Show shows the outcome of the last checks in metrics.
func (r *Readiness) Show(m *Metrics) {
	one := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	lacks := func() (away []*dependency) {
		for _, d := range r.on {
			d.mu.Lock()
			if d.err != nil {
				away = append(away, d)
			}
			d.mu.Unlock()
		}
		return away
	}
	m.GaugeFunc("server_ready", "Whether /readyz is 200: 1 or 0.", func() float64 {
		whole, _ := r.state(lacks())
		return one(!closed(r.leaving) && whole != StateNotReady)
	})
	if len(r.parts) > 0 {
		m.gaugesFunc("server_part_ready", "Whether /readyz of a part is 200: 1 or 0.", "part", func(yield func(string, float64) bool) {
			away := lacks()
			for _, part := range r.parts {
				if !yield(part, one(!closed(r.leaving) && partState(part, away) != StateNotReady)) {
					return
				}
			}
		})
	}
	if len(r.on) > 0 {
		m.gaugesFunc("server_dependency_up", "Whether what the server works with was there at the last check: 1 or 0.", "dependency", func(yield func(string, float64) bool) {
			for _, d := range r.on {
				d.mu.Lock()
				known, up := d.known, d.err == nil
				d.mu.Unlock()
				if known && !yield(d.Name, one(up)) {
					return
				}
			}
		})
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte("ok\n")) // the client went away
}
