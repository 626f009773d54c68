package restdict

import (
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
)

var (
	// ErrOtherPlan is in the error when a checkpoint was written for another
	// plan, or for the same plan on another server.
	ErrOtherPlan = errors.New("the checkpoint belongs to another run")
	// ErrBadCheckpoint is in the error when a checkpoint cannot be read.
	ErrBadCheckpoint = errors.New("the checkpoint cannot be read")
	// ErrInactive is in the error of a step whose record exists but is
	// deactivated.
	ErrInactive = errors.New("the record is inactive")
)

// StepError is a step that failed.
type StepError struct {
	Key   dict.Key
	Title string
	Err   error
}

// Error says which step failed and why.
func (e *StepError) Error() string { return fmt.Sprintf("%s: %v", e.Title, e.Err) }

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

// RunError is a run that did not come to its end.
type RunError struct {
	Failed     []*StepError // at least one
	Done       int          // steps done, by earlier runs too
	Changed    bool         // the ERP is, or may be, changed; otherwise there is nothing to resume
	Waiting    int          // steps not done and not failed
	Total      int
	Checkpoint string // file to resume from, empty if there is none
}

// Error names the failed steps, the first five of them, and how to go on.
func (e *RunError) Error() string {
	var b strings.Builder
	if e.Changed {
		fmt.Fprintf(&b, "%d of %d steps done, %d failed, %d waiting: ", e.Done, e.Total, len(e.Failed), e.Waiting)
	} else {
		fmt.Fprintf(&b, "nothing was changed, %d of %d steps failed: ", len(e.Failed), e.Total)
	}
	for i, f := range e.Failed {
		if i == 5 {
			fmt.Fprintf(&b, "; and %d more", len(e.Failed)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.Error())
	}
	switch {
	case e.Checkpoint != "":
		fmt.Fprintf(&b, "; when the cause is gone, resume from %s", e.Checkpoint)
	case e.Changed:
		b.WriteString("; when the cause is gone, run the plan again: what is done will be found")
	}
	return b.String()
}

// Unwrap returns the failed steps.
func (e *RunError) Unwrap() []error {
	errs := make([]error, len(e.Failed))
	for i, f := range e.Failed {
		errs[i] = f
	}
	return errs
}

// Missing is a record that a plan refers to and that the ERP does not have, or
// has more than once.
type Missing struct {
	Table  string   // "AD_Reference"
	What   string   // "Name=_Document Status"
	For    dict.Key // first step that refers to it
	Number int      // how many there are: 0, or more than one
}

// MissingError means that a plan cannot run on this ERP. Nothing was changed.
type MissingError struct {
	Missing []Missing
}

// Error lists what is missing, the first ten of it.
func (e *MissingError) Error() string {
	var b strings.Builder
	b.WriteString("nothing was changed, because the ERP lacks what the plan refers to:")
	for i, m := range e.Missing {
		if i == 10 {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Missing)-i)
			break
		}
		if m.Number > 1 {
			fmt.Fprintf(&b, "\n  there are %d records in %s with %s, needed by %s; make it unique", m.Number, m.Table, m.What, m.For)
			continue
		}
		fmt.Fprintf(&b, "\n  no %s with %s, needed by %s", m.Table, m.What, m.For)
	}
	b.WriteString("\ncorrect the definition, or add it to the ERP, or log in with a role that can see it")
	return b.String()
}

// WrongProcessError is a process that is not what it would be run for. It was
// not run.
type WrongProcessError struct {
	Purpose dict.Purpose
	Given   string // slug or number as configured
	// Found is the process that was found under it; nil when there is none.
	Found *Process
}

// Error says what the process is instead and what to do.
func (e *WrongProcessError) Error() string {
	facts := purposes[e.Purpose]
	if e.Found == nil {
		return fmt.Sprintf("there is no process %q to %s; leave the setting empty to have it found, or name another by slug or AD_Process_ID",
			e.Given, facts.task)
	}
	text := fmt.Sprintf("process %q would be run to %s, but it is %q (%s", e.Given, facts.task, e.Found.Value, e.Found.Name)
	if e.Found.Class != "" {
		text += ", class " + e.Found.Class
	}
	if !e.Found.Active {
		text += ", inactive"
	}
	return text + "); it was not run. Leave the setting empty to have the right one found, or name the process " +
		fmt.Sprintf("whose Value is %q", facts.value)
}

// NoProcessError means that the ERP has no process for a purpose, as far as the
// role logged in can see.
type NoProcessError struct {
	Purpose dict.Purpose
}

// Error says what was looked for.
func (e *NoProcessError) Error() string {
	facts := purposes[e.Purpose]
	return fmt.Sprintf("the ERP has no process to %s that this role can see: neither one whose Value is %q nor one with class %s; "+
		"log in as System, or configure the process by slug or number", facts.task, facts.value, facts.classes[0])
}
