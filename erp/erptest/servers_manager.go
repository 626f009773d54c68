package erptest

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

// localeDateTime is how dates with times are written for people.
const localeDateTime = "01/02/2006 03:04:05 PM"

// serverJob is a processor of the server manager: a scheduler, or one of the
// server's own.
type serverJob struct {
	id                string // such as Scheduler100
	name, description string
	scheduler         int64                                                      // AD_Scheduler_ID, 0 for the server's own
	client            int64                                                      // AD_Client_ID
	work              func(context.Context, *session, *store.Tx) (string, error) // of the server's own

	started, interrupted, running bool
	runs                          int
	lastRun, nextRun              time.Time // zero for none
	took                          time.Duration
	summary                       string
	logs                          []jobLog // of the server's own, newest last
}

// jobLog is a line of a job's log.
type jobLog struct {
	created                               time.Time
	summary, description, reference, text string
	failed                                bool
}

// serverManager has the processors. They run when they are told to, not by the
// clock, so that tests see the same at all times.
type serverManager struct {
	mu   sync.Mutex // guards the jobs and what is in them
	jobs []*serverJob
}

func schedulerJobID(scheduler int64) string { return fmt.Sprintf("Scheduler%d", scheduler) }

// ownJobs are the processors that are no schedulers.
func ownJobs() []*serverJob {
	return []*serverJob{
		{id: "RequestProcessor100", name: "Request Processor", description: "Looks for requests that are overdue", started: true, work: overdueRequests},
		{id: "WorkflowProcessor100", name: "Workflow Processor", description: "Looks for activities that wait for somebody", started: true, work: waitingActivities},
	}
}

func overdueRequests(ctx context.Context, s *session, tx *store.Tx) (string, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM R_Request WHERE IsActive='Y' AND Processed='N' AND DateNextAction<?`, s.storedNow()).Scan(&n)
	return fmt.Sprintf("%d requests are overdue", n), err
}

func waitingActivities(ctx context.Context, _ *session, tx *store.Tx) (string, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM AD_WF_Activity WHERE IsActive='Y' AND Processed='N' AND WFState='OS'`).Scan(&n)
	return fmt.Sprintf("%d activities wait", n), err
}

// reloadJobs builds the processors anew: the server's own and one for every
// active scheduler, all of them started.
func (e *system) reloadJobs(ctx context.Context, tx *store.Tx) error {
	rows, err := rowsWhere(ctx, tx, "AD_Scheduler", "AD_Scheduler_ID", "IsActive='Y'")
	if err != nil {
		return fmt.Errorf("reading the schedulers: %w", err)
	}
	jobs := ownJobs()
	for _, row := range rows {
		job, err := e.schedulerJob(ctx, tx, row)
		if err != nil {
			return err
		}
		jobs = append(jobs, job)
	}
	e.jobs.mu.Lock()
	defer e.jobs.mu.Unlock()
	e.jobs.jobs = jobs
	return nil
}

// schedulerJob is the processor of a scheduler.
func (e *system) schedulerJob(ctx context.Context, tx *store.Tx, row store.Row) (*serverJob, error) {
	id := row.Int("AD_Scheduler_ID")
	job := &serverJob{
		id: schedulerJobID(id), scheduler: id, client: row.Int("AD_Client_ID"), name: row.String("Name"),
		description: row.String("Description"), started: true,
		lastRun: storedTimeOf(row.String("DateLastRun")), nextRun: storedTimeOf(row.String("DateNextRun")),
	}
	if job.nextRun.IsZero() {
		schedule, err := oneRow(ctx, tx, "AD_Schedule", row.Int("AD_Schedule_ID"))
		if err != nil {
			return nil, err
		}
		job.nextRun, _ = nextRun(schedule, e.now().In(e.opts.Location))
	}
	return job, nil
}

// storedTimeOf is a moment as a column keeps it, zero for none.
func storedTimeOf(text string) time.Time {
	t, err := time.Parse(time.DateTime, text) // takes fractions too
	if err != nil {
		return time.Time{}
	}
	return t
}

// find is the processor with the id, nil when there is none. The caller holds
// the lock.
func (m *serverManager) find(id string) *serverJob {
	i := slices.IndexFunc(m.jobs, func(j *serverJob) bool { return j.id == id })
	if i < 0 {
		return nil
	}
	return m.jobs[i]
}

// look is a copy of the processor with the id.
func (m *serverManager) look(id string) (serverJob, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.find(id)
	if job == nil {
		return serverJob{}, false
	}
	out := *job
	out.logs = slices.Clone(job.logs)
	return out, true
}

// all are copies of the processors.
func (m *serverManager) all() []serverJob {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]serverJob, 0, len(m.jobs))
	for _, job := range m.jobs {
		out = append(out, *job)
	}
	return out
}

// toggle starts a stopped processor and stops a started one; false when there
// is none of that id.
func (m *serverManager) toggle(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.find(id)
	if job == nil {
		return false
	}
	job.started = !job.started
	job.interrupted = !job.started
	return true
}

// add registers a processor, false when it is registered already.
func (m *serverManager) add(job *serverJob) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find(job.id) != nil {
		return false
	}
	m.jobs = append(m.jobs, job)
	return true
}

// remove takes a processor off the list.
func (m *serverManager) remove(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs = slices.DeleteFunc(m.jobs, func(j *serverJob) bool { return j.id == id })
}

// begin marks a processor as running, false when it does already.
func (m *serverManager) begin(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.find(id)
	if job == nil || job.running {
		return false
	}
	job.running = true
	return true
}

// end notes the outcome of a run. A zero next keeps the time that was known.
func (m *serverManager) end(id string, log jobLog, took time.Duration, next time.Time) (run int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.find(id)
	if job == nil { // removed meanwhile
		return 0
	}
	job.running = false
	job.runs++
	job.lastRun, job.took, job.summary = log.created, took, log.summary
	if !next.IsZero() {
		job.nextRun = next
	}
	if job.scheduler == 0 {
		log.reference = fmt.Sprintf("#%d", job.runs)
		job.logs = append(job.logs, log)
		job.logs = job.logs[max(0, len(job.logs)-maxJobLogs):]
	}
	return job.runs
}

// info and statistics are what the manager shows of a processor.
func (j serverJob) info() string {
	return strings.TrimSpace(fmt.Sprintf("#%d %s", j.runs, j.summary))
}

func (j serverJob) statistics() string {
	return fmt.Sprintf("Run #%d - Last=%d ms", j.runs, j.took.Milliseconds())
}
