package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// maxJobLogs bounds the log of a job that has no table for it.
const maxJobLogs = 100

// Job is a processor of the server manager: a scheduler, or one of the
// server's own.
type Job struct {
	ID                string // such as Scheduler100
	Name, Description string
	Scheduler         int64                                                             // AD_Scheduler_ID, 0 for the server's own
	Client, Org       int64                                                             // AD_Client_ID, AD_Org_ID
	work              func(context.Context, *engine.Session, *store.Tx) (string, error) // of the server's own

	Started, Interrupted, Running bool
	runs                          int
	LastRun, NextRun              time.Time // zero for none
	took                          time.Duration
	summary                       string
	Logs                          []LogLine // of the server's own, newest last
}

// LogLine is a line of a job's log.
type LogLine struct {
	Created                               time.Time
	Summary, Description, Reference, Text string
	Failed                                bool
}

// Manager has the processors. They run when a caller runs them, not by the
// clock, so that tests see the same at all times.
type Manager struct {
	erp       *engine.ERP
	processes *process.Manager

	mu   sync.Mutex // guards the jobs and what is in them
	jobs []*Job
}

// New has no processors until [Manager.Reload]. Schedulers run their
// processes among the given ones.
func New(erp *engine.ERP, processes *process.Manager) *Manager {
	return &Manager{erp: erp, processes: processes}
}

// SchedulerID is the id of the processor of an AD_Scheduler.
func SchedulerID(scheduler int64) string { return fmt.Sprintf("Scheduler%d", scheduler) }

// ownJobs are the processors that are not schedulers.
func ownJobs() []*Job {
	return []*Job{
		{ID: "RequestProcessor100", Name: "Request Processor", Description: "Looks for requests that are overdue", Started: true, work: overdueRequests},
		{ID: "WorkflowProcessor100", Name: "Workflow Processor", Description: "Looks for activities that wait for somebody", Started: true, work: waitingActivities},
	}
}

func overdueRequests(ctx context.Context, s *engine.Session, tx *store.Tx) (string, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM R_Request WHERE IsActive='Y' AND Processed='N' AND DateNextAction<?`, s.StoredNow()).Scan(&n)
	return fmt.Sprintf("%d requests are overdue", n), err
}

func waitingActivities(ctx context.Context, _ *engine.Session, tx *store.Tx) (string, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM AD_WF_Activity WHERE IsActive='Y' AND Processed='N' AND WFState='OS'`).Scan(&n)
	return fmt.Sprintf("%d activities wait", n), err
}

// Reload builds the processors anew: the server's own and one for every
// active scheduler, all of them started.
func (m *Manager) Reload(ctx context.Context, tx *store.Tx) error {
	rows, err := engine.RowsWhere(ctx, tx, "AD_Scheduler", "AD_Scheduler_ID", "IsActive='Y'")
	if err != nil {
		return fmt.Errorf("reading the schedulers: %w", err)
	}
	jobs := ownJobs()
	for _, row := range rows {
		job, err := m.Scheduler(ctx, tx, row)
		if err != nil {
			return err
		}
		jobs = append(jobs, job)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs = jobs
	return nil
}

// Scheduler is the processor of a scheduler.
func (m *Manager) Scheduler(ctx context.Context, tx *store.Tx, row store.Row) (*Job, error) {
	id := row.Int("AD_Scheduler_ID")
	job := &Job{
		ID: SchedulerID(id), Scheduler: id, Client: row.Int("AD_Client_ID"), Org: row.Int("AD_Org_ID"), Name: row.String("Name"),
		Description: row.String("Description"), Started: true,
		LastRun: engine.StoredTimeOf(row.String("DateLastRun")), NextRun: engine.StoredTimeOf(row.String("DateNextRun")),
	}
	if job.NextRun.IsZero() {
		schedule, err := engine.OneRow(ctx, tx, "AD_Schedule", row.Int("AD_Schedule_ID"))
		if err != nil {
			return nil, err
		}
		job.NextRun, _ = nextRun(schedule, m.erp.Now().In(m.erp.Options.Location))
	}
	return job, nil
}

// find is the processor with the id, nil when there is none. The caller holds
// the lock.
func (m *Manager) find(id string) *Job {
	i := slices.IndexFunc(m.jobs, func(j *Job) bool { return j.ID == id })
	if i < 0 {
		return nil
	}
	return m.jobs[i]
}

// Find is a copy of the processor with the id.
func (m *Manager) Find(id string) (Job, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.find(id)
	if job == nil {
		return Job{}, false
	}
	out := *job
	out.Logs = slices.Clone(job.Logs)
	return out, true
}

// All are copies of the processors.
func (m *Manager) All() []Job {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Job, 0, len(m.jobs))
	for _, job := range m.jobs {
		out = append(out, *job)
	}
	return out
}

// Toggle starts a stopped processor and stops a started one; false when no
// processor has that id.
func (m *Manager) Toggle(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.find(id)
	if job == nil {
		return false
	}
	job.Started = !job.Started
	job.Interrupted = !job.Started
	return true
}

// Add registers a processor, false when it is registered already.
func (m *Manager) Add(job *Job) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find(job.ID) != nil {
		return false
	}
	m.jobs = append(m.jobs, job)
	return true
}

// Remove takes a processor off the list.
func (m *Manager) Remove(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs = slices.DeleteFunc(m.jobs, func(j *Job) bool { return j.ID == id })
}

// begin marks a processor as running, false when it does already.
func (m *Manager) begin(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.find(id)
	if job == nil || job.Running {
		return false
	}
	job.Running = true
	return true
}

// end notes the outcome of a run. A zero next keeps the time that was known.
func (m *Manager) end(id string, log LogLine, took time.Duration, next time.Time) (run int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.find(id)
	if job == nil { // removed meanwhile
		return 0
	}
	job.Running = false
	job.runs++
	job.LastRun, job.took, job.summary = log.Created, took, log.Summary
	if !next.IsZero() {
		job.NextRun = next
	}
	if job.Scheduler == 0 {
		log.Reference = fmt.Sprintf("#%d", job.runs)
		job.Logs = append(job.Logs, log)
		job.Logs = job.Logs[max(0, len(job.Logs)-maxJobLogs):]
	}
	return job.runs
}

// Info tells how often the processor ran and what the last run reported.
func (j Job) Info() string {
	return strings.TrimSpace(fmt.Sprintf("#%d %s", j.runs, j.summary))
}

// Statistics tells how often the processor ran and how long the last run took.
func (j Job) Statistics() string {
	return fmt.Sprintf("Run #%d - Last=%d ms", j.runs, j.took.Milliseconds())
}
