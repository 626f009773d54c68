package spool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
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

// runKey is how a run is called in the name of a file, empty for what is no run.
func runKey(id erp.ID) string {
	if n, ok := id.Int(); ok {
		return strconv.FormatInt(n, 10)
	}
	uuid, _ := id.UUID()
	return strings.ToLower(uuid)
}

// formatVersion is the number of the files' form; others are refused.
const formatVersion = 2

// entry is a call in the folder.
type entry struct {
	Version int       `json:"version"`
	Op      string    `json:"op"` // names the call
	At      time.Time `json:"at"` // when it was made
	Call    Call      `json:"call"`
	Reason  string    `json:"reason,omitempty"` // why it was refused

	file file
}

// newEntry prepares a call: a run gets its UUID now.
func newEntry(c Call, at time.Time) *entry {
	if c.Start != nil {
		n := *c.Start
		n.UUID = deploylog.RunUUID(&n)
		c.Start = &n
	}
	return &entry{Version: formatVersion, Op: string(dict.NewUUID()), At: at, Call: c}
}

// name is how the run is called before the ERP has given it a number.
func (e *entry) name() erp.ID {
	if e.Call.Start != nil {
		return erp.UUID(e.Call.Start.UUID)
	}
	return e.Call.ID
}

// runKey is how the run is called in names of files.
func (e *entry) runKey() string { return runKey(e.name()) }

// deliver makes the call. now means that it is made right now, so that the
// server's clock counts; otherwise it keeps the time it was made at. again means
// that it may have been made before.
func (e *entry) deliver(ctx context.Context, log *deploylog.Log, now, again bool, resolve func(erp.ID) erp.ID) (deploylog.Run, error) {
	var at time.Time
	if !now {
		at = e.At
	}
	id := resolve(e.Call.ID)
	if !now {
		if run, done, err := e.done(ctx, log, id, again); done || err != nil {
			return run, err
		}
	}
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
		return log.Update(ctx, id, u)
	case c.Complete != nil:
		f := *c.Complete
		f.Op = e.Op
		if f.At.IsZero() {
			f.At = at
		}
		return log.Complete(ctx, id, f)
	case c.Rollback != nil:
		r := *c.Rollback
		r.Op = e.Op
		if r.At.IsZero() {
			r.At = at
		}
		return log.Rollback(ctx, id, r)
	}
	return deploylog.Run{}, fmt.Errorf("%w: the call is empty", deploylog.ErrInvalid)
}

// done reports whether a call has been carried out: the run is in the state it
// leads to, or beyond. Package deploylog knows the same of a run that is in that
// very state.
func (e *entry) done(ctx context.Context, log *deploylog.Log, id erp.ID, again bool) (deploylog.Run, bool, error) {
	var to deploylog.State
	switch c := e.Call; {
	case c.Update != nil && c.Update.Status != "":
		rest := *c.Update
		rest.Status, rest.At, rest.Op = "", time.Time{}, ""
		if says := rest != (deploylog.Update{}); says && !again { // more than that
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
	if !again || to == "" {
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

// errVersion is that of a file of another form.
var errVersion = errors.New("another version of erphub wrote it")

var opName = regexp.MustCompile(`^[0-9a-f-]{1,64}$`)

// decode reads a file. One that holds anything unknown is not understood: what
// is dropped could be what matters.
func decode(text []byte) (*entry, error) {
	var v struct {
		Version *int `json:"version"`
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty")
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	switch {
	case v.Version == nil:
		return nil, errors.New("it carries no number of its form")
	case *v.Version != formatVersion:
		return nil, fmt.Errorf("%w: it has form %d, and this erphub reads form %d alone; deliver it with the one that wrote it, or discard it", errVersion, *v.Version, formatVersion)
	}
	e := entry{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the call")
	}
	if !opName.MatchString(e.Op) { // it becomes part of names of files
		return nil, errors.New("it does not name the call")
	}
	if e.Call.Start != nil && runKey(erp.UUID(e.Call.Start.UUID)) == "" {
		return nil, errors.New("the run has no UUID")
	}
	return &e, e.Call.check()
}
