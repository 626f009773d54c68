package spool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/cmd/internal/outbox"
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
	// Note is kept with the call as it is, for Options.Delivered.
	Note json.RawMessage `json:"note,omitempty"`
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
	case c.Start == nil && runKey(c.ID) == "":
		return fmt.Errorf("%w: a run is named by its number or its UUID", deploylog.ErrInvalid)
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

// runKey is how a run is called in the name of a file, empty for what is not a run.
func runKey(id erp.ID) string {
	if n, ok := id.Int(); ok {
		return strconv.FormatInt(n, 10)
	}
	uuid, _ := id.UUID()
	return strings.ToLower(uuid)
}

// run names the run, by its UUID before the ERP has given it a number.
func (c *Call) run() erp.ID {
	if c.Start != nil {
		return erp.UUID(c.Start.UUID)
	}
	return c.ID
}

// formatVersion is the number of the files' form; others are refused.
const formatVersion = 3

// entry is a call in the folder. Its key is the run's.
type entry struct {
	outbox.Entry
	call  Call
	again bool // it may have been made before this process's turn
}

// newEntry prepares a call: a run gets its UUID now.
func newEntry(c Call, at time.Time) (*entry, error) {
	if c.Start != nil {
		n := *c.Start
		n.UUID = deploylog.RunUUID(&n)
		c.Start = &n
	}
	content, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("keeping the call: %w", err)
	}
	return &entry{Entry: outbox.Entry{Key: runKey(c.run()), ID: string(dict.NewUUID()), At: at, Content: content}, call: c}, nil
}

// callOf reads the call that an entry holds.
func callOf(e *outbox.Entry) (c Call, err error) {
	if err := outbox.Decode(e.Content, &c); err != nil {
		return c, err
	}
	if err := c.check(); err != nil {
		return c, err
	}
	if runKey(c.run()) != e.Key {
		return c, errors.New("it holds a call of another run than its name says")
	}
	return c, nil
}

// read reads a call of the folder.
func (s *Spool) read(e outbox.Entry) (*entry, error) {
	if err := s.queue.Read(&e); err != nil {
		return nil, err
	}
	c, err := callOf(&e)
	return &entry{Entry: e, call: c}, err
}

// deliver makes the call. now means that it is made right now, so that the
// server's clock counts; otherwise it keeps the time it was made at.
func (e *entry) deliver(ctx context.Context, log *deploylog.Log, now bool, resolve func(erp.ID) erp.ID) (deploylog.Run, error) {
	var at time.Time
	id := resolve(e.call.ID)
	if !now {
		at = e.At
		if run, done, err := e.done(ctx, log, id); done || err != nil {
			return run, err
		}
	}
	switch c := e.call; {
	case c.Start != nil:
		n := *c.Start
		n.At = cmp.Or(n.At, at)
		return log.Start(ctx, n)
	case c.Update != nil:
		u := *c.Update
		u.Op, u.At = e.ID, cmp.Or(u.At, at)
		return log.Update(ctx, id, u)
	case c.Complete != nil:
		f := *c.Complete
		f.Op, f.At = e.ID, cmp.Or(f.At, at)
		return log.Complete(ctx, id, f)
	case c.Rollback != nil:
		r := *c.Rollback
		r.Op, r.At = e.ID, cmp.Or(r.At, at)
		return log.Rollback(ctx, id, r)
	}
	return deploylog.Run{}, fmt.Errorf("%w: the call is empty", deploylog.ErrInvalid)
}

// done reports whether a call has been carried out: the run is in the state it
// leads to, or beyond. Package deploylog knows the same of a run that is in that
// very state.
func (e *entry) done(ctx context.Context, log *deploylog.Log, id erp.ID) (deploylog.Run, bool, error) {
	var to deploylog.State
	switch c := e.call; {
	case c.Update != nil && c.Update.Status != "":
		rest := *c.Update
		rest.Status, rest.At, rest.Op = "", time.Time{}, ""
		if says := rest != (deploylog.Update{}); says && !e.again { // more than that
			return deploylog.Run{}, false, nil
		}
		// A run gets beyond DEPLOYING by way of it only.
		run, err := log.Get(ctx, id)
		return run, err == nil && run.Status != deploylog.Deploying && run.ReachedDeployment(), err
	case c.Complete != nil:
		to = c.Complete.Status
	case c.Rollback != nil:
		to = deploylog.RolledBack
	}
	if !e.again || to == "" {
		return deploylog.Run{}, false, nil
	}
	run, err := log.Get(ctx, id)
	return run, err == nil && to.LeadsTo(run.Status), err
}
