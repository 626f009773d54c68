package erp

import (
	"context"
	"errors"
	"net/http"
)

// Scheduler is a scheduler (AD_Scheduler) and its state in the server manager.
type Scheduler struct {
	Record   Record // the AD_Scheduler record
	ServerID string // id among the server jobs, such as Scheduler100
	State    string // text in the session's language
	// NodeID, NodeHost and NodePort are set in a cluster.
	NodeID   string
	NodeHost string
	NodePort int64
}

// ID returns the AD_Scheduler_ID.
func (s *Scheduler) ID() ID { return s.Record.ID() }

// Name returns the name of the scheduler.
func (s *Scheduler) Name() string {
	name, _ := s.Record.Text("Name")
	return name
}

// Scheduler returns a scheduler with its state.
func (c *Client) Scheduler(ctx context.Context, id int64) (*Scheduler, error) {
	return c.scheduler(ctx, http.MethodGet, id)
}

// AddScheduler registers a scheduler with the server manager. When it is
// registered already, it is returned together with an error that matches
// ErrConflict and ErrExists.
func (c *Client) AddScheduler(ctx context.Context, id int64) (*Scheduler, error) {
	return c.scheduler(ctx, http.MethodPost, id)
}

// RemoveScheduler takes a scheduler out of the server manager. Its record
// stays.
func (c *Client) RemoveScheduler(ctx context.Context, id int64) (*Scheduler, error) {
	return c.scheduler(ctx, http.MethodDelete, id)
}

// duplicateScheduler stands for the 409 of AddScheduler, which has no title.
const duplicateScheduler = "the scheduler is registered already"

func (c *Client) scheduler(ctx context.Context, method string, id int64) (*Scheduler, error) {
	if id <= 0 {
		return nil, invalid("%d is not the id of a scheduler", id)
	}
	r := &request{method: method, path: []string{"servers", "schedulers", IntID(id).String()}}
	a, err := c.json(ctx, r)
	var conflict *Error
	if errors.As(err, &conflict) && conflict.Status == http.StatusConflict {
		// The response is the scheduler, not an error object.
		if record, parseErr := ParseRecord(a.body); parseErr == nil && record.Has("server-id") {
			conflict.Title, conflict.Detail, conflict.Page = duplicateScheduler, "", false
			return newScheduler(record), conflict
		}
	}
	if err != nil {
		return nil, err
	}
	record, err := ParseRecord(a.body)
	if err != nil {
		return nil, c.badResponse(r, err)
	}
	return newScheduler(record), nil
}

func newScheduler(record Record) *Scheduler {
	s := &Scheduler{Record: record}
	s.ServerID, _ = record.Text("server-id")
	s.State, _ = record.Text("scheduler-state")
	s.NodeID, _ = record.Text("node-id")
	s.NodeHost, _ = record.Text("node-host-name")
	s.NodePort, _ = record.Int("node-port")
	return s
}
