package restdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/atomicfile"
)

// checkpointVersion is the format's number; others are refused.
const checkpointVersion = 1

// maxCheckpoint bounds what is read: a plan of a hundred thousand steps fits.
const maxCheckpoint = 64 << 20

// checkpoint is the state of a run as it is kept in a file.
type checkpoint struct {
	Version int              `json:"version"`
	Plan    string           `json:"plan"` // fingerprint
	Name    string           `json:"name"` // what the plan is about, for people
	Server  string           `json:"server"`
	Updated time.Time        `json:"updated"`
	Steps   []checkpointStep `json:"steps"`
}

type checkpointStep struct {
	Key     dict.Key `json:"key"`
	Status  Status   `json:"status"`
	Outcome Outcome  `json:"outcome,omitempty"`
	ID      int64    `json:"id,omitempty"`
	UUID    string   `json:"uuid,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// save writes the state of the run, if it is kept.
func (r *runner) save() error {
	if r.opts.Checkpoint == "" {
		return nil
	}
	cp := checkpoint{Version: checkpointVersion, Plan: r.plan.Fingerprint(), Name: r.plan.Name(), Server: r.client.BaseURL(),
		Updated: time.Now().UTC().Truncate(time.Second), Steps: make([]checkpointStep, len(r.states))}
	for i, st := range r.states {
		cp.Steps[i] = checkpointStep{Key: st.step.StepKey(), Status: st.status, Outcome: st.outcome, ID: st.id, UUID: st.uuid}
		if st.err != nil {
			cp.Steps[i].Error = st.err.Error()
		}
	}
	data, err := json.MarshalIndent(cp, "", " ")
	if err != nil {
		return fmt.Errorf("saving the state of the run: %w", err)
	}
	if err := atomicfile.Write(r.opts.Checkpoint, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("saving the state of the run: %w", err)
	}
	return nil
}

// load takes over the state of an earlier run.
func (r *runner) load() error {
	f, err := os.Open(r.opts.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		r.note("there is no checkpoint at " + r.opts.Checkpoint + ": starting from the beginning")
		return nil
	}
	if err != nil {
		return fmt.Errorf("resuming: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCheckpoint+1))
	if err != nil {
		return fmt.Errorf("resuming: %w", err)
	}
	cp, err := parseCheckpoint(data)
	if err != nil {
		return fmt.Errorf("resuming from %s: %w", r.opts.Checkpoint, err)
	}
	if err := r.takeOver(cp); err != nil {
		return fmt.Errorf("resuming from %s: %w", r.opts.Checkpoint, err)
	}
	return nil
}

func parseCheckpoint(data []byte) (*checkpoint, error) {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s; remove the file and run the plan again, what is done will be found",
			ErrBadCheckpoint, fmt.Sprintf(format, args...))
	}
	if len(data) > maxCheckpoint {
		return nil, bad("it is larger than %d MiB", maxCheckpoint>>20)
	}
	var cp checkpoint
	if err := json.Unmarshal(data, &cp); err != nil {
		return nil, bad("%v", err)
	}
	if cp.Version != checkpointVersion {
		return nil, bad("its version is %d, this program writes %d", cp.Version, checkpointVersion)
	}
	seen := map[dict.Key]bool{}
	for i, s := range cp.Steps {
		if s.Key == "" || seen[s.Key] {
			return nil, bad("entry %d has no key of its own", i+1)
		}
		seen[s.Key] = true
		switch s.Status {
		case Pending, Failed:
		case Done:
			switch s.Outcome {
			case Made, Found, Changed, Ran:
			default:
				return nil, bad("entry %d is done without an outcome", i+1)
			}
		default:
			return nil, bad("entry %d has the unknown status %q", i+1, s.Status)
		}
		if s.ID < 0 {
			return nil, bad("entry %d has the id %d", i+1, s.ID)
		}
	}
	return &cp, nil
}

// takeOver checks that the checkpoint belongs to this run and marks what it
// says is done.
func (r *runner) takeOver(cp *checkpoint) error {
	if cp.Plan != r.plan.Fingerprint() {
		return fmt.Errorf("%w: it was written for %s, whose definition was another; run without it, what is done will be found",
			ErrOtherPlan, clip(cp.Name))
	}
	if !strings.EqualFold(cp.Server, r.client.BaseURL()) {
		return fmt.Errorf("%w: it was written for the server %s, this is %s", ErrOtherPlan, clip(cp.Server), r.client.BaseURL())
	}
	for _, s := range cp.Steps {
		st, ok := r.byKey[s.Key]
		if !ok {
			return fmt.Errorf("%w: it has a step %s that the plan does not have", ErrBadCheckpoint, clip(string(s.Key)))
		}
		if s.Status != Done {
			continue
		}
		if rec, ok := st.step.(*dict.Record); ok && rec.Action != dict.Update && s.ID == 0 && s.UUID == "" {
			return fmt.Errorf("%w: step %s is done without a record", ErrBadCheckpoint, clip(string(s.Key)))
		}
		st.status, st.outcome, st.earlier = Done, s.Outcome, true
		st.id, st.uuid = s.ID, s.UUID
	}
	return nil
}

// clip keeps foreign text in a message short and on one line.
func clip(s string) string {
	const limit = 80
	if runes := []rune(s); len(runes) > limit {
		s = string(runes[:limit]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// recordID is the id of a step's record as the client takes it.
func (st *state) recordID() erp.ID {
	switch {
	case st.id > 0:
		return erp.IntID(st.id)
	case st.uuid != "":
		return erp.UUID(st.uuid)
	}
	return erp.ID{}
}
