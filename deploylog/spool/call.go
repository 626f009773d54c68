package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// Call is one call to the deployment log; exactly one of Start, Update,
// Complete and Rollback is set.
type Call struct {
	// ID is the run, by number or UUID; for all but Start.
	ID       erp.ID                `json:"id,omitzero"`
	Start    *deploylog.NewRun     `json:"start,omitempty"`
	Update   *deploylog.Update     `json:"update,omitempty"`
	Complete *deploylog.Completion `json:"complete,omitempty"`
	Rollback *deploylog.Rollback   `json:"rollback,omitempty"`
}

func (c *Call) check() error {
	n := 0
	for _, set := range []bool{c.Start != nil, c.Update != nil, c.Complete != nil, c.Rollback != nil} {
		if set {
			n++
		}
	}
	switch {
	case n != 1:
		return fmt.Errorf("%w: a call starts, updates, completes or rolls back a run", deploylog.ErrInvalid)
	case c.Start == nil && c.ID.IsZero():
		return fmt.Errorf("%w: no run was named", deploylog.ErrInvalid)
	}
	return nil
}

// String says what the call does.
func (c *Call) String() string {
	switch {
	case c.Start != nil:
		return fmt.Sprintf("start of a run in %s", c.Start.Environment)
	case c.Update != nil:
		return "update of run " + c.ID.String()
	case c.Complete != nil:
		return "completion of run " + c.ID.String()
	case c.Rollback != nil:
		return "rollback of run " + c.ID.String()
	}
	return "empty call"
}

// entry is a call in the folder.
type entry struct {
	Op   string    `json:"op"` // names the call
	At   time.Time `json:"at"` // when it was made
	Call Call      `json:"call"`

	number int
	tried  bool // it may have been sent before
	path   string
}

// newEntry prepares a call: a run gets its UUID now.
func newEntry(c Call, at time.Time) *entry {
	if c.Start != nil {
		n := *c.Start
		n.UUID = deploylog.RunUUID(&n)
		c.Start = &n
	}
	return &entry{Op: string(dict.NewUUID()), At: at, Call: c}
}

// name is how the run is called before the ERP has given it a number.
func (e *entry) name() erp.ID {
	if e.Call.Start != nil {
		return erp.UUID(e.Call.Start.UUID)
	}
	return e.Call.ID
}

// deliver makes the call. fresh means that it is made right now, so that the
// server's clock counts; otherwise it keeps the time it was made at.
func (e *entry) deliver(ctx context.Context, log *deploylog.Log, fresh bool, resolve func(erp.ID) erp.ID) (deploylog.Run, error) {
	var at time.Time
	if !fresh {
		at = e.At
	}
	id := resolve(e.Call.ID)
	switch c := e.Call; {
	case c.Start != nil:
		n := *c.Start
		if n.At.IsZero() {
			n.At = at
		}
		return log.Start(ctx, n)
	case c.Update != nil:
		u := *c.Update
		u.Op = e.Op
		if u.At.IsZero() {
			u.At = at
		}
		if run, done, err := e.done(ctx, log, id, u.Status); done || err != nil {
			return run, err
		}
		return log.Update(ctx, id, u)
	case c.Complete != nil:
		f := *c.Complete
		f.Op = e.Op
		if f.At.IsZero() {
			f.At = at
		}
		if run, done, err := e.done(ctx, log, id, f.Status); done || err != nil {
			return run, err
		}
		return log.Complete(ctx, id, f)
	case c.Rollback != nil:
		r := *c.Rollback
		r.Op = e.Op
		if r.At.IsZero() {
			r.At = at
		}
		if run, done, err := e.done(ctx, log, id, deploylog.RolledBack); done || err != nil {
			return run, err
		}
		return log.Rollback(ctx, id, r)
	}
	return deploylog.Run{}, fmt.Errorf("%w: the call is empty", deploylog.ErrInvalid)
}

// done reports whether a call that may have been sent before has been carried
// out: the run is in the state it leads to, or beyond.
func (e *entry) done(ctx context.Context, log *deploylog.Log, id erp.ID, to deploylog.State) (deploylog.Run, bool, error) {
	if !e.tried || to == "" {
		return deploylog.Run{}, false, nil
	}
	run, err := log.Get(ctx, id)
	return run, err == nil && to.LeadsTo(run.Status), err
}

func (e *entry) encode() ([]byte, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("keeping the call: %w", err)
	}
	return append(text, '\n'), nil
}

func decode(text []byte) (*entry, error) {
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	if e.Op == "" {
		return nil, errors.New("it has no name")
	}
	return &e, e.Call.check()
}
