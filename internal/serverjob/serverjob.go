// Package serverjob finds and switches the background jobs of the ERP's server.
package serverjob

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/rest"
	"github.com/erphub/erphub/internal/nearest"
)

// List are the jobs there are.
func List(ctx context.Context, api *rest.ClientWithResponses) ([]rest.ServerJobSummary, error) {
	resp, err := api.ListServerJobsWithResponse(ctx, nil)
	if err != nil {
		return nil, err
	}
	list, err := rest.Decoded("list jobs", resp.JSON200)
	if err != nil {
		return nil, err
	}
	return list.Servers, nil
}

// UnknownError says that there is no such job. It matches [erp.ErrNotFound].
type UnknownError struct {
	Given string
	// Meant is the id or name that comes nearest, "" if none does.
	Meant string
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("there is no job %q", e.Given)
	if e.Meant != "" {
		text += fmt.Sprintf("; did you mean %q?", e.Meant)
	}
	return text
}

// Is reports whether target is [erp.ErrNotFound].
func (e *UnknownError) Is(target error) bool { return target == erp.ErrNotFound }

// Find is the job of an id or a name, in any case. What is not there is an
// [*UnknownError]; a name that several jobs have is an error that lists them.
func Find(ctx context.Context, api *rest.ClientWithResponses, given string) (*rest.ServerJob, error) {
	notFound := error(nil)
	if id := rest.Segment(given); id.Check() == nil {
		job, err := get(ctx, api, given)
		if err == nil || !errors.Is(err, erp.ErrNotFound) {
			return job, err
		}
		notFound = err
	}
	jobs, err := List(ctx, api)
	if err != nil {
		return nil, errors.Join(notFound, err)
	}
	var names, found []string
	for _, j := range jobs {
		names = append(names, j.Id, j.Name)
		if strings.EqualFold(j.Id, given) || strings.EqualFold(j.Name, given) {
			found = append(found, j.Id)
		}
	}
	switch len(found) {
	case 0:
		return nil, &UnknownError{Given: given, Meant: nearest.Name(given, names)}
	case 1:
		return get(ctx, api, found[0])
	}
	return nil, fmt.Errorf("there are several jobs named %q: %s; give the id", given, strings.Join(found, ", "))
}

func get(ctx context.Context, api *rest.ClientWithResponses, id string) (*rest.ServerJob, error) {
	resp, err := api.GetServerJobWithResponse(ctx, rest.Segment(id), nil)
	if err != nil {
		return nil, err
	}
	return rest.Decoded("show job", resp.JSON200)
}

// Set starts or stops a job, unless it is as wanted already, and returns it as
// it is then. The ERP can only toggle: when somebody else does so at the same
// time, the job comes back with an error.
func Set(ctx context.Context, api *rest.ClientWithResponses, job *rest.ServerJob, started bool) (*rest.ServerJob, error) {
	if job.Started == started {
		return job, nil
	}
	resp, err := api.ToggleServerJobWithResponse(ctx, rest.Segment(job.Id), nil)
	if err != nil {
		return nil, err
	}
	now, err := rest.Decoded("change the state of the job", resp.JSON200)
	if err != nil {
		return nil, err
	}
	if now.Started != started {
		return now, fmt.Errorf("job %s is %s, not %s: somebody else changed it at the same time, or it ended at once; its log may tell", job.Id, State(now.Started), State(started))
	}
	return now, nil
}

// State is the word for a job that is started or not.
func State(started bool) string {
	if started {
		return "started"
	}
	return "stopped"
}
