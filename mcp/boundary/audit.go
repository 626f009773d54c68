package boundary

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/mcp"
)

// Record is what is kept of one call. It holds names and digests, never a
// value of an argument, a token or a result.
type Record struct {
	Time time.Time `json:"time"`
	// Reference names the call in responses about internal errors and in the log.
	Reference string `json:"reference"`
	Tool      string `json:"tool"`
	// Outcome is "ok" or the code of the error.
	Outcome string `json:"outcome"`
	Caller  string `json:"caller,omitempty"`
	// Role is nil where it is not known.
	Role *int `json:"role,omitempty"`
	// Session is a digest of the session's id, which could be used to join it.
	Session string `json:"session,omitempty"`
	Program string `json:"program,omitempty"`
	// Arguments are the names of the arguments, sorted; Digest tells whether two
	// calls had the same values.
	Arguments []string      `json:"arguments,omitempty"`
	Digest    string        `json:"digest,omitempty"`
	Took      time.Duration `json:"-"`
	APICalls  int           `json:"apiCalls"`
	Tokens    int           `json:"tokens"`
}

// MarshalJSON adds the duration in milliseconds.
func (r Record) MarshalJSON() ([]byte, error) {
	type plain Record
	return json.Marshal(struct {
		plain
		Milliseconds float64 `json:"ms"`
	}{plain(r), float64(r.Took.Microseconds()) / 1000})
}

// AuditTo writes each record as one line of JSON. Write errors go to failed,
// which may be nil; calls are not held up by them.
func AuditTo(w io.Writer, failed func(error)) func(context.Context, Record) {
	var mu sync.Mutex // one line at a time
	return func(_ context.Context, r Record) {
		line, err := json.Marshal(r)
		if err == nil {
			mu.Lock()
			_, err = w.Write(append(line, '\n'))
			mu.Unlock()
		}
		if err != nil && failed != nil {
			failed(fmt.Errorf("writing the audit: %w", err))
		}
	}
}

const (
	maxAuditNames = 20
	maxAuditName  = 40
	maxProgram    = 80
)

// record is what is known of a call before it runs.
func record(tool string, c *mcp.Call, now time.Time, reference string) Record {
	r := Record{
		Time: now.UTC(), Reference: reference, Tool: tool, Caller: c.Caller.ID,
		Program: text.Shorten(text.OneLine(c.Caller.Program), maxProgram),
	}
	if c.Caller.Known {
		role := c.Caller.RoleID
		r.Role = &role
	}
	if c.Caller.Session != "" {
		r.Session = digest(c.Caller.Session)
	}
	if len(c.Arguments) > 0 {
		r.Digest = digest(string(c.Arguments))
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
