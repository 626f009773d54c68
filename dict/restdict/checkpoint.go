package restdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/text"
)

// checkpointVersion is the format's number; others are refused.
const checkpointVersion = 3

// maxCheckpoint bounds what is read: a plan of a hundred thousand steps fits.
const maxCheckpoint = 64 << 20

// Checkpoint is the state of a run as its file keeps it.
type Checkpoint struct {
	// Plan is the plan that was run.
	Plan *dict.Plan
	// Server is the base URL of the ERP it was run on.
	Server string
	// Updated is the time when the state was last written.
	Updated time.Time
	// Done and Failed count steps. The other steps are pending.
	Done, Failed int
}

// ReadCheckpoint reads the file that [Options.Checkpoint] names. To go on with
// the run, give its plan to [Run] with [Options.Resume]. A file that is not there
// is [fs.ErrNotExist], one that cannot be understood [ErrBadCheckpoint].
func ReadCheckpoint(path string) (*Checkpoint, error) {
	cp, err := readCheckpoint(path)
	if err != nil {
		return nil, err
	}
	out := &Checkpoint{Plan: cp.plan, Server: cp.Server, Updated: cp.Updated}
	for _, s := range cp.Steps {
		switch s.Status {
		case Done:
			out.Done++
		case Failed:
			out.Failed++
		}
	}
	return out, nil
}

// checkpoint is the content of the file. It is whole: nothing else is needed to
// go on with the run.
type checkpoint struct {
	Version int              `json:"version"`
	Server  string           `json:"server"`
	Updated time.Time        `json:"updated"`
	Steps   []checkpointStep `json:"steps"`
	Plan    json.RawMessage  `json:"plan"`

	plan *dict.Plan // Plan as it was read
}

type checkpointStep struct {
	Key     dict.Key `json:"key"`
	Status  Status   `json:"status"`
	Outcome Outcome  `json:"outcome,omitempty"`
	ID      int64    `json:"id,omitempty"`
	UUID    string   `json:"uuid,omitempty"`
	Created string   `json:"created,omitempty"` // as the ERP says it
	Error   string   `json:"error,omitempty"`
}

// save writes the state of the run, if it is kept.
func (r *runner) save() error {
	if r.opts.Checkpoint == "" {
		return nil
	}
	if err := r.writeCheckpoint(); err != nil {
		return fmt.Errorf("saving the state of the run: %w", err)
	}
	return nil
}

func (r *runner) writeCheckpoint() error {
	if r.planJSON == nil {
		text, err := json.Marshal(r.plan)
		if err != nil {
			return err
		}
		r.planJSON = text
	}
	cp := checkpoint{Version: checkpointVersion, Server: r.client.BaseURL(), Updated: time.Now().UTC().Truncate(time.Second),
		Steps: make([]checkpointStep, len(r.states)), Plan: r.planJSON}
	for i, st := range r.states {
		cp.Steps[i] = checkpointStep{Key: st.step.StepKey(), Status: st.status, Outcome: st.outcome, ID: st.id, UUID: st.uuid, Created: st.created}
		if st.err != nil {
			cp.Steps[i].Error = st.err.Error()
		}
	}
	text, err := json.Marshal(cp)
	if err != nil {
		return err
	}
	return atomicfile.Write(r.opts.Checkpoint, append(text, '\n'), 0o600)
}

// clear removes the checkpoint of a run that came to its end, and what killed
// runs left beside it.
func (r *runner) clear() error {
	if r.opts.Checkpoint == "" {
		return nil
	}
	err := os.Remove(r.opts.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = errors.Join(err, atomicfile.RemoveLeftovers(r.opts.Checkpoint)); err != nil {
		return fmt.Errorf("nothing is left to resume, but the checkpoint cannot be removed: %w", err)
	}
	return nil
}

// load reads what an earlier run did.
func (r *runner) load() error {
	cp, err := readCheckpoint(r.opts.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		r.note("there is no checkpoint at " + r.opts.Checkpoint + ": starting from the beginning")
		return nil
	}
	if err != nil {
		return fmt.Errorf("resuming: %w", err)
	}
	r.resumed = true
	if err := r.claim(cp); err != nil {
		return fmt.Errorf("resuming from %s: %w", r.opts.Checkpoint, err)
	}
	return nil
}

func readCheckpoint(path string) (*checkpoint, error) {
	data, err := atomicfile.ReadAtMost(path, maxCheckpoint)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	cp, err := parseCheckpoint(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cp, nil
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
		return nil, bad("it has form %d, and this erphub reads form %d alone", cp.Version, checkpointVersion)
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
			case Created, Found, Changed, Ran:
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
	if len(cp.Plan) == 0 || string(cp.Plan) == "null" {
		return nil, bad("it holds no plan")
	}
	cp.plan = new(dict.Plan)
	if err := json.Unmarshal(cp.Plan, cp.plan); err != nil {
		return nil, bad("%v", err)
	}
	return &cp, nil
}

// claim checks that the checkpoint belongs to this run and notes what it says is
// done. Whether it is so is found out by verify.
func (r *runner) claim(cp *checkpoint) error {
	if cp.plan.Fingerprint() != r.plan.Fingerprint() {
		return fmt.Errorf("%w: it was written for %s, whose definition was another; run without it, what is done will be found",
			ErrOtherPlan, quote(cp.plan.Name()))
	}
	if !strings.EqualFold(cp.Server, r.client.BaseURL()) {
		return fmt.Errorf("%w: it was written for the server %s, this is %s", ErrOtherPlan, quote(cp.Server), r.client.BaseURL())
	}
	for i, s := range cp.Steps {
		st, ok := r.byKey[s.Key]
		if !ok {
			return fmt.Errorf("%w: it has a step %s that the plan does not have", ErrBadCheckpoint, quote(string(s.Key)))
		}
		if s.Status == Done {
			st.claim = &cp.Steps[i]
		}
	}
	return nil
}

// quote shows a name in a message.
func quote(s string) string { return text.Quote(s) }

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
