package erp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// Job is a process running in the background.
type Job struct {
	ID         int64  `json:"id"` // AD_PInstance_ID
	Client     string `json:"client"`
	User       string `json:"user"`
	Process    string `json:"process"` // slug
	Since      string `json:"since"`   // in the server's locale
	Processing bool   `json:"processing"`
}

// Jobs lists the background jobs that are running in the tenant.
func (c *Client) Jobs(ctx context.Context) ([]Job, error) {
	var out struct {
		Jobs *[]Job `json:"jobs"`
	}
	if err := c.into(ctx, &request{method: http.MethodGet, path: []string{"processes", "jobs"}}, &out); err != nil {
		return nil, err
	}
	return listed(out.Jobs, "jobs")
}

// Job returns a background job.
func (c *Client) Job(ctx context.Context, id int64) (*Job, error) {
	var job Job
	path := []string{"processes", "jobs", strconv.FormatInt(id, 10)}
	if err := c.into(ctx, &request{method: http.MethodGet, path: path}, &job); err != nil {
		return nil, err
	}
	return &job, nil
}

// StartJob runs a process in the background; it starts about a second later.
// The result itself reaches the user only, by notice or mail; see
// ProcessParams.Notify.
func (c *Client) StartJob(ctx context.Context, slug string, params *ProcessParams) (*Job, error) {
	if params != nil && params.Notify != "" {
		switch params.Notify {
		case NotifyBoth, NotifyEMail, NotifyNotice:
		default:
			return nil, invalid("start job %s: %s is not a notification; use NotifyBoth, NotifyEMail or NotifyNotice", quote(slug), quote(string(params.Notify)))
		}
		withNotify := *params
		withNotify.Values = map[string]any{"notification-type": string(params.Notify)}
		maps.Copy(withNotify.Values, params.Values)
		params = &withNotify
	}
	r, err := processRequest(params, "processes", "jobs", slug)
	if err != nil {
		return nil, fmt.Errorf("start job %s: %w", quote(slug), err)
	}
	var job Job
	if err := c.into(ctx, r, &job); err != nil {
		return nil, err
	}
	return &job, nil
}

// WaitJob requests a job again and again (every 2 seconds if every is 0, at most ten times a
// second) until it is no longer running or ctx ends.
func (c *Client) WaitJob(ctx context.Context, id int64, every time.Duration) (*Job, error) {
	every = cmp.Or(every, 2*time.Second)
	ticker := time.NewTicker(max(every, 100*time.Millisecond))
	defer ticker.Stop()
	for {
		job, err := c.Job(ctx, id)
		if err != nil || !job.Processing {
			return job, err
		}
		select {
		case <-ctx.Done():
			return job, fmt.Errorf("wait for job %d: %w", id, ctx.Err())
		case <-ticker.C:
		}
	}
}
