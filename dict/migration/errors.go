package migration

import (
	"errors"
	"fmt"
	"time"

	"github.com/erphub/erphub/internal/text"
)

// Reasons for which a script is not applied. They are in the errors of [Apply],
// for errors.Is.
var (
	// ErrApplied is a script that the database has as completed.
	ErrApplied = errors.New("the migration script was applied before")
	// ErrRunning is a script that somebody else is applying right now.
	ErrRunning = errors.New("the migration script is being applied by somebody else")
	// ErrNotReady is a database without the tables and functions that scripts
	// need.
	ErrNotReady = errors.New("the database is not ready for migration scripts")
)

// AppliedError is a script that the database has as completed. It matches
// [ErrApplied].
type AppliedError struct {
	Name string
	When time.Time // as the database tells it, without zone
}

// Error says which script, when, and what to do.
func (e *AppliedError) Error() string {
	return fmt.Sprintf("the migration script %s was applied on %s and is not applied again; make a new script for further changes",
		e.Name, e.When.Format("2006-01-02 15:04:05"))
}

// Is reports whether target is [ErrApplied].
func (e *AppliedError) Is(target error) bool { return target == ErrApplied }

// StatementError is a statement that the database refused.
type StatementError struct {
	Script    string
	Number    int // of the statement, from 1
	Line      int // of the script
	Statement string
	// Kept is set where the statements before it stay done, which is so on
	// Oracle.
	Kept bool
	Err  error
}

// Error says which statement failed and how the database is left.
func (e *StatementError) Error() string {
	left := "nothing of the script was kept; fix the cause and apply it again"
	if e.Kept {
		left = "the statements before it stay done; fix the cause and apply it again"
	}
	return fmt.Sprintf("migration script %s, statement %d in line %d (%s): %v; %s", e.Script, e.Number, e.Line, text.Shorten(remark(e.Statement), 80), e.Err, left)
}

// Unwrap returns the error of the database.
func (e *StatementError) Unwrap() error { return e.Err }
