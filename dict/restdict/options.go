package restdict

import (
	"cmp"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// Options change how a plan runs. Nil and the zero value are the defaults.
type Options struct {
	// ContinueOnError goes on after a step that the server refused, with the
	// steps that do not need it. A server that cannot be reached, or that does
	// not accept the token, ends the run all the same.
	ContinueOnError bool

	// Checkpoint is the file that plan and state of the run are kept in; empty:
	// none. It is replaced as a whole after each step, with mode 600, and removed
	// when the run came to its end. It serves one run at a time. Its folder must
	// exist.
	Checkpoint string
	// Resume goes on from the checkpoint, after finding out what of it is true
	// in this ERP. A file that does not exist counts as one of a run that has not
	// begun.
	Resume bool

	// Begin is called once, when it is known what is there and before anything is
	// changed; nil: nothing is. Its error ends the run.
	Begin func() error

	// BatchSize is the number of records in one request; 0 and 1: each has its
	// own.
	BatchSize int

	// Attempts is the number of times a step is tried when the server gives no clear
	// response, the first included; 0: 3.
	Attempts int
	// RetryWait is the wait before the second attempt, which doubles for each
	// further one; 0: 200 ms, negative: none. A longer wait that the server demands
	// for is kept, up to a minute.
	RetryWait time.Duration

	// Processes says which process serves a purpose, by slug or number; a purpose
	// without entry is found by itself.
	Processes map[dict.Purpose]string
	// ProcessTimeout is the time the server may be silent while a process runs;
	// 0: 5 minutes, negative: without limit.
	ProcessTimeout time.Duration

	// Observe is called with everything that happens, one call at a time, by
	// the goroutine that called Run. It should return quickly.
	Observe func(Event)
}

const (
	defaultAttempts       = 3
	defaultRetryWait      = 200 * time.Millisecond
	defaultProcessTimeout = 5 * time.Minute
	maxRetryAfter         = time.Minute
)

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Attempts <= 0 {
		out.Attempts = defaultAttempts
	}
	out.RetryWait = cmp.Or(out.RetryWait, defaultRetryWait)
	switch {
	case out.ProcessTimeout == 0:
		out.ProcessTimeout = defaultProcessTimeout
	case out.ProcessTimeout < 0:
		out.ProcessTimeout = -1
	}
	return out
}

// EventKind says what happened.
type EventKind string

const (
	// StepStarted is a step that is about to be sent. Steps of one batch start
	// together.
	StepStarted EventKind = "started"
	// StepDone is a step that was carried out.
	StepDone EventKind = "done"
	// StepSkipped is a step with nothing to do: its record is there, or an
	// earlier run did it.
	StepSkipped EventKind = "skipped"
	// StepFailed is a step the server refused or did not respond to.
	StepFailed EventKind = "failed"
	// StepWaiting is a step that was not tried because one it needs failed.
	StepWaiting EventKind = "waiting"
	// Note is news about the run as a whole, in Event.Text.
	Note EventKind = "note"
)

// Event is something that happened during a run.
type Event struct {
	Kind   EventKind
	Step   dict.Step // nil for notes
	Number int       // of the step in the plan, from 1
	Total  int       // steps in the plan
	Result StepResult
	Text   string // for notes
}

// Status is the state of a step, as in a checkpoint.
type Status string

// The states of a step.
const (
	Pending Status = "pending"
	Done    Status = "done"
	Failed  Status = "FAILED"
)

// Outcome says how a step came to be done.
type Outcome string

// The outcomes of a step that is done.
const (
	Created Outcome = "created" // the record was created
	Found   Outcome = "found"   // the record was there
	Changed Outcome = "changed" // the record was updated
	Ran     Outcome = "ran"     // the process ran
)

// StepResult is the outcome of a step.
type StepResult struct {
	Key      dict.Key
	Title    string
	Status   Status
	Outcome  Outcome // empty unless done
	Earlier  bool    // done by an earlier run, as the checkpoint says
	ID       erp.ID  // of the record; zero when it has none or is not there
	Took     time.Duration
	Attempts int    // requests that carried the step, 0 if none
	Message  string // what a process said
	// Differences are columns of a record that was found which the plan gives
	// another value. They were left as they are.
	Differences []Difference
	Err         error // why it failed, or nil
}

// Difference is a column whose value is not what the plan says.
type Difference struct {
	Column string `json:"column"`
	Has    string `json:"has"`
	Wanted string `json:"wanted"`
}

// Result is the outcome of a run.
type Result struct {
	Steps []StepResult // in the plan's order
	Took  time.Duration
}

// Count is the number of steps with that outcome, earlier runs included.
func (r *Result) Count(outcome Outcome) int {
	n := 0
	for _, s := range r.Steps {
		if s.Outcome == outcome {
			n++
		}
	}
	return n
}

// CountStatus is the number of steps in that state.
func (r *Result) CountStatus(status Status) int {
	n := 0
	for _, s := range r.Steps {
		if s.Status == status {
			n++
		}
	}
	return n
}

// Step finds the result of a step.
func (r *Result) Step(key dict.Key) (StepResult, bool) {
	for _, s := range r.Steps {
		if s.Key == key {
			return s, true
		}
	}
	return StepResult{}, false
}
