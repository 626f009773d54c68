package erp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/erphub/erphub/internal/nearest"
)

// ServerJob is a background job of the ERP's server: a processor, or a scheduler
// that is registered. Times are text in the session's language.
type ServerJob struct {
	Record  Record // all members, as the server sent them
	ID      string // kind and key, such as Scheduler100
	Name    string
	Started bool
	// HostName, NodeID and Port are set in a cluster.
	HostName string
	NodeID   string
	Port     int64
	// The others are empty in what ServerJobs and ReloadServerJobs return.
	Description string
	Info        string
	Statistics  string
	LastRun     string
	NextRun     string
	Sleeping    bool // it waits for its next run
	Interrupted bool
}

// ServerJobLog is a line of the log of a job.
type ServerJobLog struct {
	Record      Record // all members, as the server sent them
	Created     string // in the session's language
	Failed      bool
	Summary     string
	Description string
	Reference   string
	TextMessage string
}

// UnknownServerJobError says that there is no such job. It matches ErrNotFound.
type UnknownServerJobError struct {
	Given string
	// Suggestion is the id or name that resembles Given most, "" if none does.
	Suggestion string
}

func (e *UnknownServerJobError) Error() string {
	text := fmt.Sprintf("there is no job %s", quote(e.Given))
	if e.Suggestion != "" {
		text += fmt.Sprintf("; did you mean %s?", quote(e.Suggestion))
	}
	return text
}

// Is reports whether target is ErrNotFound.
func (e *UnknownServerJobError) Is(target error) bool { return target == ErrNotFound }

// ServerJobs lists the jobs of the server. The role must be an administrator.
func (c *Client) ServerJobs(ctx context.Context) ([]ServerJob, error) {
	return c.serverJobs(ctx, &request{method: http.MethodGet, path: []string{"servers"}})
}

// ReloadServerJobs builds all jobs anew from their definitions and lists them.
func (c *Client) ReloadServerJobs(ctx context.Context) ([]ServerJob, error) {
	return c.serverJobs(ctx, &request{method: http.MethodPost, path: []string{"servers", "reload"}})
}

// ServerJob returns the job with that id.
func (c *Client) ServerJob(ctx context.Context, id string) (*ServerJob, error) {
	return c.serverJob(ctx, &request{method: http.MethodGet, path: []string{"servers", id}})
}

// FindServerJob returns the job with that id, or with that name in any case. What
// is not there is an *UnknownServerJobError; a name that several jobs have is an
// error that lists their ids.
func (c *Client) FindServerJob(ctx context.Context, given string) (*ServerJob, error) {
	job, err := c.ServerJob(ctx, given)
	// A name may hold what cannot be part of a path.
	if err == nil || !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrInvalid) {
		return job, err
	}
	jobs, listErr := c.ServerJobs(ctx)
	if listErr != nil {
		return nil, errors.Join(err, listErr)
	}
	var names, found []string
	for _, j := range jobs {
		names = append(names, j.ID, j.Name)
		if strings.EqualFold(j.ID, given) || strings.EqualFold(j.Name, given) {
			found = append(found, j.ID)
		}
	}
	switch len(found) {
	case 0:
		return nil, &UnknownServerJobError{Given: given, Suggestion: nearest.Name(given, names)}
	case 1:
		return c.ServerJob(ctx, found[0])
	}
	return nil, fmt.Errorf("there are several jobs named %s: %s; give the id", quote(given), strings.Join(found, ", "))
}

// StartServerJob starts the job of an id or a name, unless it is started, and
// returns it as it is then. The ERP can only toggle the state, and it does even
// for roles that it then refuses: when somebody else changes it at the same time,
// the job comes back with an error.
func (c *Client) StartServerJob(ctx context.Context, given string) (*ServerJob, error) {
	return c.setServerJob(ctx, given, true)
}

// StopServerJob stops the job of an id or a name, unless it is stopped. See
// StartServerJob.
func (c *Client) StopServerJob(ctx context.Context, given string) (*ServerJob, error) {
	return c.setServerJob(ctx, given, false)
}

func (c *Client) setServerJob(ctx context.Context, given string, started bool) (*ServerJob, error) {
	job, err := c.FindServerJob(ctx, given)
	if err != nil || job.Started == started {
		return job, err
	}
	now, err := c.serverJob(ctx, &request{method: http.MethodPost, path: []string{"servers", job.ID, "state"}})
	if err == nil && now.Started != started {
		err = fmt.Errorf("job %s is %s, not %s: somebody else changed it at the same time, or it ended at once; its log may tell", job.ID, jobState(now.Started), jobState(started))
	}
	return now, err
}

// RunServerJob runs the job with that id now, and returns it when the run is over;
// the response time-out of the client counts. A run is never sent again once it may
// have begun.
func (c *Client) RunServerJob(ctx context.Context, id string) (*ServerJob, error) {
	return c.serverJob(ctx, &request{method: http.MethodPost, path: []string{"servers", id, "run"}})
}

// ServerJobLogs returns the log of the job with that id, newest line first.
func (c *Client) ServerJobLogs(ctx context.Context, id string) ([]ServerJobLog, error) {
	var out struct {
		Logs *[]ServerJobLog `json:"logs"`
	}
	if err := c.into(ctx, &request{method: http.MethodGet, path: []string{"servers", id, "logs"}}, &out); err != nil {
		return nil, err
	}
	return listed(out.Logs, "logs")
}

// State is "started" or "stopped".
func (j *ServerJob) State() string { return jobState(j.Started) }

func jobState(started bool) string {
	if started {
		return "started"
	}
	return "stopped"
}

func (c *Client) serverJob(ctx context.Context, r *request) (*ServerJob, error) {
	var job ServerJob
	if err := c.into(ctx, r, &job); err != nil {
		return nil, err
	}
	return &job, nil
}

func (c *Client) serverJobs(ctx context.Context, r *request) ([]ServerJob, error) {
	var out struct {
		Servers *[]ServerJob `json:"servers"`
	}
	if err := c.into(ctx, r, &out); err != nil {
		return nil, err
	}
	return listed(out.Servers, "servers")
}

// MarshalJSON returns Record: all that the server sent.
func (j ServerJob) MarshalJSON() ([]byte, error) { return j.Record.MarshalJSON() }

// UnmarshalJSON reads a job as the server sends it. A job without id or state is
// refused: one without state would pass for one that is stopped, and be toggled.
func (j *ServerJob) UnmarshalJSON(data []byte) error {
	var r Record
	if err := r.UnmarshalJSON(data); err != nil {
		return err
	}
	id, hasID := r.Text("id")
	started, hasState := r.Bool("started")
	if !hasID || !hasState {
		return &badResponseError{text: "a job of the server must have id and state"}
	}
	*j = ServerJob{Record: r, ID: id, Started: started}
	j.Name, _ = r.Text("name")
	j.HostName, _ = r.Text("hostName")
	j.NodeID, _ = r.Text("nodeId")
	j.Port, _ = r.Int("port")
	j.Description, _ = r.Text("description")
	j.Info, _ = r.Text("info")
	j.Statistics, _ = r.Text("statistics")
	j.LastRun, _ = r.Text("lastRun")
	j.NextRun, _ = r.Text("nextRun")
	j.Sleeping, _ = r.Bool("sleeping")
	j.Interrupted, _ = r.Bool("interruptd") // spelled as the server spells it
	return nil
}

// MarshalJSON returns Record: all that the server sent.
func (l ServerJobLog) MarshalJSON() ([]byte, error) { return l.Record.MarshalJSON() }

// UnmarshalJSON reads a line as the server sends it.
func (l *ServerJobLog) UnmarshalJSON(data []byte) error {
	var r Record
	if err := r.UnmarshalJSON(data); err != nil {
		return err
	}
	*l = ServerJobLog{Record: r}
	l.Created, _ = r.Text("created")
	l.Failed, _ = r.Bool("error")
	l.Summary, _ = r.Text("summary")
	l.Description, _ = r.Text("description")
	l.Reference, _ = r.Text("reference")
	l.TextMessage, _ = r.Text("textMessage")
	return nil
}
