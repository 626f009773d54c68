package process

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Program is what stands behind the class of a process.
type Program func(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error)

// Manager runs processes and knows those that run.
type Manager struct {
	programs map[string]Program // by the last part of the class name

	mu      sync.Mutex           // guards the rest
	running map[int64]claimed    // by AD_PInstance_ID
	stopped bool                 // no more jobs are taken
	cancel  []context.CancelFunc // of jobs
	wg      sync.WaitGroup       // jobs
}

// New runs what this package has programs for, and more of them, by
// the last part of their class name.
func New(more map[string]Program) *Manager { return &Manager{programs: more} }

// claimed is what a running process excludes.
type claimed struct {
	process, client, record int64
	parameters              string
	job                     bool
}

// claim enters a run, or refuses because the process is running already:
// with the same parameters and record for AllowMultipleExecution P, at all
// for N.
func (t *Manager) claim(run *Run, client int64, job bool) bool {
	mine := claimed{
		process: run.Process.Int("AD_Process_ID"), client: client, record: run.RecordID, parameters: run.signature(), job: job,
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	rule := run.Process.String("AllowMultipleExecution")
	for _, other := range t.running {
		if other.process != mine.process || other.client != mine.client {
			continue
		}
		if rule == "N" || rule == "P" && other.record == mine.record && other.parameters == mine.parameters {
			return false
		}
	}
	if t.running == nil {
		t.running = map[int64]claimed{}
	}
	t.running[run.InstanceID] = mine
	return true
}

// Done ends what [Manager.Begin] claimed.
func (t *Manager) Done(instance int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, instance)
}

// Jobs are the instances of a tenant's jobs that have not ended yet, oldest
// first. One that has ended has left its outcome and its notice, and excludes
// nothing any more.
func (t *Manager) Jobs(client int64) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	var jobs []int64
	for instance, c := range t.running {
		if c.job && c.client == client {
			jobs = append(jobs, instance)
		}
	}
	slices.Sort(jobs)
	return jobs
}

// Go runs job in the background until the server closes.
func (t *Manager) Go(job func(context.Context)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return false
	}
	ctx, cancel := context.WithCancel(context.Background()) // a job outlives its request; stop ends it
	t.cancel = append(t.cancel, cancel)
	t.wg.Go(func() {
		defer cancel()
		job(ctx)
	})
	return true
}

// Stop ends the jobs and waits for them.
func (t *Manager) Stop() {
	t.mu.Lock()
	t.stopped = true
	for _, cancel := range t.cancel {
		cancel()
	}
	t.mu.Unlock()
	t.wg.Wait()
}

// signature is the parameters as one text.
func (r *Run) signature() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		p := r.Params[name]
		fmt.Fprintf(&b, "%s=%q..%q/%x;", name, fmt.Sprint(p.Value), fmt.Sprint(p.To), p.File)
	}
	return b.String()
}
