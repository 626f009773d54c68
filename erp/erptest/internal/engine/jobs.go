package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// maxJobLogs bounds the log of a job that has no table for it.
const maxJobLogs = 100

// ServerJob is a processor of the server manager: a scheduler, or one of the
// server's own.
type ServerJob struct {
	ID                string // such as Scheduler100
	Name, Description string
	Scheduler         int64                                                      // AD_Scheduler_ID, 0 for the server's own
	Client            int64                                                      // AD_Client_ID
	work              func(context.Context, *Session, *store.Tx) (string, error) // of the server's own

	Started, Interrupted, Running bool
	runs                          int
	LastRun, NextRun              time.Time // zero for none
	took                          time.Duration
	summary                       string
	Logs                          []JobLog // of the server's own, newest last
}

// JobLog is a line of a job's log.
type JobLog struct {
	Created                               time.Time
	Summary, Description, Reference, Text string
	Failed                                bool
}

// ServerManager has the processors. They run when they are told to, not by the
// clock, so that tests see the same at all times.
type ServerManager struct {
	erp       *ERP
	processes *ProcessTable

	mu   sync.Mutex // guards the jobs and what is in them
	jobs []*ServerJob
}

// NewServerManager has no processors until [ServerManager.Reload]. Schedulers run their
// processes among the given ones.
func NewServerManager(erp *ERP, processes *ProcessTable) *ServerManager {
	return &ServerManager{erp: erp, processes: processes}
}

func SchedulerJobID(scheduler int64) string { return fmt.Sprintf("Scheduler%d", scheduler) }

// ownJobs are the processors that are no schedulers.
func ownJobs() []*ServerJob {
	return []*ServerJob{
		{ID: "RequestProcessor100", Name: "Request Processor", Description: "Looks for requests that are overdue", Started: true, work: overdueRequests},
		{ID: "WorkflowProcessor100", Name: "Workflow Processor", Description: "Looks for activities that wait for somebody", Started: true, work: waitingActivities},
	}
}

func overdueRequests(ctx context.Context, s *Session, tx *store.Tx) (string, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM R_Request WHERE IsActive='Y' AND Processed='N' AND DateNextAction<?`, s.StoredNow()).Scan(&n)
	return fmt.Sprintf("%d requests are overdue", n), err
}

func waitingActivities(ctx context.Context, _ *Session, tx *store.Tx) (string, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM AD_WF_Activity WHERE IsActive='Y' AND Processed='N' AND WFState='OS'`).Scan(&n)
	return fmt.Sprintf("%d activities wait", n), err
}

// Reload builds the processors anew: the server's own and one for every
// active scheduler, all of them started.
func (m *ServerManager) Reload(ctx context.Context, tx *store.Tx) error {
	rows, err := RowsWhere(ctx, tx, "AD_Scheduler", "AD_Scheduler_ID", "IsActive='Y'")
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
func (m *ServerManager) Scheduler(ctx context.Context, tx *store.Tx, row store.Row) (*ServerJob, error) {
	id := row.Int("AD_Scheduler_ID")
	job := &ServerJob{
		ID: SchedulerJobID(id), Scheduler: id, Client: row.Int("AD_Client_ID"), Name: row.String("Name"),
		Description: row.String("Description"), Started: true,
		LastRun: StoredTimeOf(row.String("DateLastRun")), NextRun: StoredTimeOf(row.String("DateNextRun")),
	}
	if job.NextRun.IsZero() {
		schedule, err := OneRow(ctx, tx, "AD_Schedule", row.Int("AD_Schedule_ID"))
		if err != nil {
			return nil, err
		}
		job.NextRun, _ = nextRun(schedule, m.erp.Now().In(m.erp.Options.Location))
	}
	return job, nil
}

// find is the processor with the id, nil when there is none. The caller holds
// the lock.
func (m *ServerManager) find(id string) *ServerJob {
	i := slices.IndexFunc(m.jobs, func(j *ServerJob) bool { return j.ID == id })
	if i < 0 {
		return nil
	}
	return m.jobs[i]
}

// Look is a copy of the processor with the id.
func (m *ServerManager) Look(id string) (ServerJob, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.find(id)
	if job == nil {
		return ServerJob{}, false
	}
	out := *job
	out.Logs = slices.Clone(job.Logs)
	return out, true
}

// All are copies of the processors.
func (m *ServerManager) All() []ServerJob {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]ServerJob, 0, len(m.jobs))
	for _, job := range m.jobs {
		out = append(out, *job)
	}
	return out
}

// Toggle starts a stopped processor and stops a started one; false when there
// is none of that id.
func (m *ServerManager) Toggle(id string) bool {
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
func (m *ServerManager) Add(job *ServerJob) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find(job.ID) != nil {
		return false
	}
	m.jobs = append(m.jobs, job)
	return true
}

// Remove takes a processor off the list.
func (m *ServerManager) Remove(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs = slices.DeleteFunc(m.jobs, func(j *ServerJob) bool { return j.ID == id })
}

// begin marks a processor as running, false when it does already.
func (m *ServerManager) begin(id string) bool {
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
func (m *ServerManager) end(id string, log JobLog, took time.Duration, next time.Time) (run int) {
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

// Info and statistics are what the manager shows of a processor.
func (j ServerJob) Info() string {
	return strings.TrimSpace(fmt.Sprintf("#%d %s", j.runs, j.summary))
}

func (j ServerJob) Statistics() string {
	return fmt.Sprintf("Run #%d - Last=%d ms", j.runs, j.took.Milliseconds())
}
