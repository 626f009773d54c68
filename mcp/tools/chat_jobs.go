package tools

import (
	"context"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

type listServerJobsIn struct {
	turning
}

type listServerJobsOut struct {
	Jobs []backend.Job `json:"jobs"`
	paged
}

func (b *Toolbox) listServerJobs() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listServerJobs", Title: "List server jobs", Sets: []string{SetChat}, Hints: readOnly,
		Description: "Lists the background jobs of the ERP's server, and whether each is started. Needs a role of the System level.",
		Cost:        mcp.Cost{APICalls: 1},
	}, func(ctx context.Context, c *mcp.Call, in listServerJobsIn) (*listServerJobsOut, error) {
		p, err := pagerOf(c, &in)
		if err != nil {
			return nil, err
		}
		jobs, _, err := backend.Read(ctx, b.pool, "list server jobs", func(ctx context.Context, k backend.Jobber) ([]backend.Job, error) {
			return k.Jobs(ctx, c.Caller)
		})
		if err != nil {
			return nil, err
		}
		out := &listServerJobsOut{}
		out.Jobs, out.paged = part(p, jobs, tidyJob)
		return out, nil
	})
}

func tidyJob(j *backend.Job) backend.Job {
	tidy := *j
	tidy.Name, tidy.Description = clip(j.Name, 200), clip(j.Description, 1000)
	return tidy
}

type getServerJobIn struct {
	JobID string `json:"jobId" jsonschema:"id or name of a job, as listServerJobs shows it"`
}

type serverJobOut struct {
	Job     backend.Job `json:"job"`
	Changed bool        `json:"changed,omitempty" jsonschema:"whether this call changed it"`
}

func (b *Toolbox) serverJob(ctx context.Context, c *mcp.Call, id string) (backend.Job, error) {
	j, _, err := backend.Read(ctx, b.pool, "look at server jobs", func(ctx context.Context, k backend.Jobber) (*backend.Job, error) {
		return k.Job(ctx, c.Caller, id)
	})
	if err != nil {
		return backend.Job{}, err
	}
	return tidyJob(j), nil
}

func (b *Toolbox) getServerJob() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "getServerJob", Title: "Show a server job", Sets: []string{SetChat}, Hints: readOnly,
		Description: "Shows one background job of the ERP's server: its state, last and next run.",
		Input:       input[getServerJobIn](shorter(200, "jobId")), Cost: mcp.Cost{APICalls: 1},
	}, func(ctx context.Context, c *mcp.Call, in getServerJobIn) (*serverJobOut, error) {
		j, err := b.serverJob(ctx, c, in.JobID)
		if err != nil {
			return nil, err
		}
		return &serverJobOut{Job: j}, nil
	})
}

type toggleServerJobIn struct {
	JobID   string `json:"jobId" jsonschema:"id or name of a job, as listServerJobs shows it"`
	Enabled bool   `json:"enabled" jsonschema:"true starts the job, false stops it"`
}

func (b *Toolbox) toggleServerJob() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "toggleServerJob", Title: "Start or stop a server job", Sets: []string{SetChat}, Hints: mcp.Hints{Destructive: true, Idempotent: true}, Confirms: true,
		Description: "Starts or stops a background job of the ERP's server, after asking the user. A job that is so already stays as it is.",
		Input:       input[toggleServerJobIn](shorter(200, "jobId")), Cost: mcp.Cost{APICalls: 4},
	}, func(ctx context.Context, c *mcp.Call, in toggleServerJobIn) (*serverJobOut, error) {
		j, err := b.serverJob(ctx, c, in.JobID)
		if err != nil {
			return nil, err
		}
		if j.Enabled == in.Enabled {
			return &serverJobOut{Job: j}, nil
		}
		question := "Stop the server job %s?"
		if in.Enabled {
			question = "Start the server job %s?"
		}
		if err := c.Confirmed(ctx, mcp.Ask(question, mcp.Ref{ID: mcp.Name(j.ID), Name: j.Name})); err != nil {
			return nil, err
		}
		now, _, err := backend.Change(ctx, b.pool, "enable or disable server jobs", func(ctx context.Context, k backend.Jobber) (*backend.Job, error) {
			return k.SetJob(ctx, c.Caller, j.ID, in.Enabled)
		})
		if err != nil {
			return nil, err
		}
		return &serverJobOut{Job: tidyJob(now), Changed: true}, nil
	})
}
