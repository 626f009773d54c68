package deploylog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// State is the state of a run. People and the command line use its name, the
// ERP's record keeps its code.
type State string

// The states of a run.
const (
	Building   State = "BUILDING"    // artifacts are being built
	Deploying  State = "DEPLOYING"   // deployment to the server is running
	Success    State = "SUCCESS"     // completed successfully
	Failed     State = "FAILED"      // something went wrong
	RolledBack State = "ROLLED_BACK" // reverted to another version
)

// stateCodes are the states in the order of a run's life, with their codes.
var stateCodes = [...]struct {
	state State
	code  string
}{{Building, "B"}, {Deploying, "D"}, {Success, "S"}, {Failed, "F"}, {RolledBack, "R"}}

// States are all states, in the order of a run's life.
func States() []State {
	states := make([]State, len(stateCodes))
	for i, s := range stateCodes {
		states[i] = s.state
	}
	return states
}

// Code is the code in the record: B, D, S, F or R; empty for anything that is not
// a state.
func (s State) Code() string {
	for _, c := range stateCodes {
		if c.state == s {
			return c.code
		}
	}
	return ""
}

// InProgress reports whether a run in that state has not ended.
func (s State) InProgress() bool { return s == Building || s == Deploying }

// ParseState reads a state by its name or its code, in any case of letters.
func ParseState(name string) (State, error) {
	word := strings.ReplaceAll(strings.ToUpper(strings.TrimSpace(name)), "-", "_")
	for _, c := range stateCodes {
		if word == string(c.state) || word == c.code {
			return c.state, nil
		}
	}
	return "", fmt.Errorf("%w: there is no status %s; the statuses are %s", ErrInvalid, text.Quote(name), joinStates(States(), ", "))
}

// moves is the transition table: what a run may become. Whether a failed run
// may be rolled back depends on where it failed, see Run.MayBecome.
func moves(from State) []State {
	switch from {
	case "": // no run yet
		return []State{Building}
	case Building:
		return []State{Deploying, Failed}
	case Deploying:
		return []State{Success, Failed}
	case Success, Failed:
		return []State{RolledBack}
	}
	return nil
}

// LeadsTo reports whether a run that was in state s may be in the other state
// later, or still.
func (s State) LeadsTo(later State) bool {
	return s == later || slices.ContainsFunc(moves(s), func(next State) bool { return next.LeadsTo(later) })
}

// MayBecome lists the states the run may move to. A run whose build failed has
// none: nothing had been deployed that could be rolled back.
func (r *Run) MayBecome() []State {
	if r.Status == Failed && !r.ReachedDeployment() {
		return nil
	}
	return moves(r.Status)
}

// ReachedDeployment reports whether the run got as far as DEPLOYING. A failed
// run tells by VersionPrevious, which is written when the deployment begins, or
// by CurrentStep when nothing ran before: a run whose build failed has neither.
func (r *Run) ReachedDeployment() bool {
	switch r.Status {
	case Deploying, Success, RolledBack:
		return true
	case Failed:
		return r.VersionPrevious != "" || strings.HasPrefix(r.CurrentStep, deployFailed)
	}
	return false
}

// TransitionError is a move that a run may not make. Nothing was changed.
type TransitionError struct {
	ID      erp.ID  // of the run
	From    State   // the state it is in
	To      State   // the state it was to move to; empty: its progress was to change
	Allowed []State // the states it may move to
}

// Error names the allowed moves.
func (e *TransitionError) Error() string {
	what := "and cannot become " + string(e.To)
	switch e.To {
	case "":
		what = "and has ended, so that its progress cannot change"
	case e.From:
		what = "already, recorded with other words or another version"
	}
	text := fmt.Sprintf("run %s is %s %s; ", e.ID, e.From, what)
	switch {
	case len(e.Allowed) > 0:
		return text + "allowed: " + joinStates(e.Allowed, " or ")
	case e.From == Failed:
		return text + "its build failed before anything was deployed, so no move is allowed: start a new run"
	default:
		return text + "no move is allowed any more: start a new run"
	}
}

// Is reports whether target is ErrTransition.
func (e *TransitionError) Is(target error) bool { return target == ErrTransition }

// checkMove compares a move with the transition table.
func checkMove(r *Run, to State) error {
	allowed := r.MayBecome()
	if slices.Contains(allowed, to) {
		return nil
	}
	return &TransitionError{ID: r.ID, From: r.Status, To: to, Allowed: allowed}
}

func joinStates(states []State, separator string) string {
	words := make([]string, len(states))
	for i, s := range states {
		words[i] = string(s)
	}
	return strings.Join(words, separator)
}
