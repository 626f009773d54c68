package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/erphub/erphub/internal/text"
)

// AuditEvent is the event of an [AuditRecord].
type AuditEvent string

const (
	// AuditBegun: the tool is about to change something. The record is kept before it
	// does; when it cannot be kept, nothing is changed. A record of this kind without
	// one of AuditEnded with the same reference is that of a call that still runs, or of a
	// process that was killed: whether the change was made has to be looked up.
	AuditBegun AuditEvent = "begun"
	// AuditEnded: the call ended. Calls that changed nothing have this record alone.
	AuditEnded AuditEvent = "ended"
)

// OutcomeCutOff is the outcome of a call that had begun to change something when the
// server ended, and did not end in the time it had then.
const OutcomeCutOff = "cut_off"

// AuditRecord is the record of one call. It holds names and digests, never a
// value of an argument, a token or a result.
type AuditRecord struct {
	// Time is the time when the call came.
	Time  time.Time  `json:"time"`
	Event AuditEvent `json:"event"`
	// Reference names the call in responses about internal errors, in the log and in
	// the other record of the call.
	Reference string `json:"reference"`
	Tool      string `json:"tool"`
	// Outcome is "ok", "failed", the code of the error or [OutcomeCutOff]; empty for AuditBegun.
	Outcome string `json:"outcome,omitempty"`
	Caller  string `json:"caller,omitempty"`
	// Role is nil where it is not known.
	Role *int `json:"role,omitempty"`
	// Session is a digest of the session's id, which could be used to join it.
	Session string `json:"session,omitempty"`
	Program string `json:"program,omitempty"`
	// Arguments are the names of the arguments, sorted; Digest reports whether two
	// calls had the same values.
	Arguments []string `json:"arguments,omitempty"`
	Digest    string   `json:"digest,omitempty"`
	// What follows is 0 for AuditBegun.
	Took     time.Duration `json:"-"`
	APICalls int           `json:"apiCalls"`
	Tokens   int           `json:"tokens"`
}

// MarshalJSON adds the duration in milliseconds.
func (r AuditRecord) MarshalJSON() ([]byte, error) {
	type plain AuditRecord
	return json.Marshal(struct {
		plain
		Milliseconds float64 `json:"ms"`
	}{plain(r), float64(r.Took.Microseconds()) / 1000})
}

// Audit writes records as lines of JSON. It is safe for concurrent use. Several
// processes may append to one file.
type Audit struct {
	path string // empty: it is not opened here

	mu     sync.Mutex // guards what follows
	w      io.Writer
	sync   func() error // nil: what is written is kept by whoever reads it
	close  func() error
	part   bool  // the last line was written in part
	broken error // why the last record was not kept; nil: it was
}

// AuditTo writes to a stream, such as standard error.
func AuditTo(w io.Writer) *Audit {
	return &Audit{w: w, close: func() error { return nil }}
}

// OpenAudit appends to a file, which is made with mode 600 when it is not there. A
// record of the kind [AuditBegun] is on the disk when it counts as kept.
func OpenAudit(path string) (*Audit, error) {
	a := &Audit{path: path, close: func() error { return nil }}
	return a, a.Reopen()
}

// Reopen opens the file again by its name: after it was renamed, records go to a new
// one. When that fails they go on to the old one. For a stream it does nothing.
func (a *Audit) Reopen() error {
	if a.path == "" {
		return nil
	}
	f, err := os.OpenFile(a.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the audit: %w", err)
	}
	st, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("opening the audit: %w", err), f.Close())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	err = a.close()
	a.w, a.close, a.sync, a.part = f, f.Close, nil, false
	if st.Mode().IsRegular() {
		a.sync = f.Sync
	}
	return err
}

// Write keeps a record. An error says that it is not kept, or not whole.
func (a *Audit) Write(r AuditRecord) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("writing the audit: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.writeLocked(append(line, '\n')); err != nil {
		return err
	}
	if a.sync != nil && r.Event == AuditBegun {
		if err := a.sync(); err != nil {
			a.broken = fmt.Errorf("writing the audit: %w", err)
		}
	}
	return a.broken
}

func (a *Audit) writeLocked(line []byte) error {
	if a.part {
		line = append([]byte{'\n'}, line...)
	}
	n, err := a.w.Write(line)
	if n > 0 {
		a.part = line[n-1] != '\n'
	}
	if a.broken = nil; err != nil {
		a.broken = fmt.Errorf("writing the audit: %w", err)
	}
	return a.broken
}

// Ready is nil when the last record was kept. Otherwise it tries to write an empty
// line, and is nil when that works.
func (a *Audit) Ready() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken == nil {
		return nil
	}
	a.part = false // this ends the line as well
	err := a.writeLocked([]byte{'\n'})
	if err == nil && a.sync != nil {
		err = a.sync()
		a.broken = err
	}
	return err
}

// Close closes the file. What is written afterwards is not kept, and an error.
func (a *Audit) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.close()
	a.w, a.sync, a.close = closed{}, nil, func() error { return nil }
	return err
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, os.ErrClosed }

const (
	maxAuditNames = 20
	maxAuditName  = 40
	maxProgram    = 80
)

// record is what is known of a call before it runs.
func record(tool string, c *Call, now time.Time, reference string) AuditRecord {
	r := AuditRecord{
		Time: now.UTC(), Reference: reference, Tool: tool, Caller: c.Caller.ID,
		Program: text.Shorten(text.OneLine(c.Caller.Program), maxProgram),
	}
	if c.Caller.Known {
		role := c.Caller.RoleID
		r.Role = &role
	}
	if c.Caller.Session != "" {
		r.Session = auditDigest(c.Caller.Session)
	}
	if len(c.Arguments) > 0 {
		r.Digest = auditDigest(string(c.Arguments))
		var args map[string]json.RawMessage
		if json.Unmarshal(c.Arguments, &args) == nil {
			names := slices.Sorted(maps.Keys(args))
			for _, name := range names[:min(len(names), maxAuditNames)] {
				r.Arguments = append(r.Arguments, text.Shorten(text.OneLine(name), maxAuditName))
			}
		}
	}
	return r
}
