package api

import (
	"errors"
	"time"
)

// Code says of which kind a refusal or failure is.
type Code string

// The codes. Each stands for one status of the HTTP API, which is named with it.
const (
	// CodeInvalid is a statement, a parameter or a number that cannot be used (400).
	CodeInvalid Code = "invalid"
	// CodeSyntax is a statement that is not SQL (400).
	CodeSyntax Code = "syntax"
	// CodeNotSelect is anything but one SELECT (400).
	CodeNotSelect Code = "not_select"
	// CodeUnsupported is SQL that is not offered here (400).
	CodeUnsupported Code = "unsupported"
	// CodeData is a value that could not be converted or computed (400).
	CodeData Code = "data"
	// CodeTooLarge is a statement or parameter above a limit (413).
	CodeTooLarge Code = "too_large"
	// CodeTooComplex is a statement within the limits of length that requests
	// more than is given (400).
	CodeTooComplex Code = "too_complex"
	// CodeUnauthenticated is a caller nobody vouches for (401).
	CodeUnauthenticated Code = "unauthenticated"
	// CodeDenied is a role, table, column or function the caller may not use (403).
	CodeDenied Code = "permission_denied"
	// CodeNotFound is a table or window that is not there for the role (404).
	CodeNotFound Code = "not_found"
	// CodeCanceled is a request whose caller went away (408).
	CodeCanceled Code = "canceled"
	// CodeTimeout is a statement that took too long (504).
	CodeTimeout Code = "timeout"
	// CodeBusy is a limit of concurrency (429). RetryAfter says when to come back.
	CodeBusy Code = "busy"
	// CodeRateLimited is a limit over time that is used up: statements in a minute,
	// bytes of the audit in a day (429). RetryAfter says when there is more.
	CodeRateLimited Code = "rate_limited"
	// CodeResources is a database that has run out of something (503).
	CodeResources Code = "resources"
	// CodeUnavailable is a database that does not respond, or an audit that
	// cannot be written (503).
	CodeUnavailable Code = "unavailable"
	// CodeInternal is everything else (500).
	CodeInternal Code = "internal"
)

// Error is why there is no result. What it says may be shown to the caller: it
// holds no value, row or name that the role may not see.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do; may be empty
	// Position is the place in the statement, in characters counted from 1; 0 unknown.
	Position int `json:"position,omitempty"`
	// Object is the object that is not available; the zero value: the error is about something else.
	Object Object `json:"object,omitzero"`

	// RetryAfter is in the header Retry-After, in whole seconds; 0 unknown.
	RetryAfter time.Duration `json:"-"`
	// RequestID is the key to the service's log and audit. In JSON it is beside the
	// error.
	RequestID string `json:"-"`
}

// ObjectKind says what an [Object] is.
type ObjectKind string

// The kinds of objects.
const (
	TableObject    ObjectKind = "table"
	ColumnObject   ObjectKind = "column"
	FunctionObject ObjectKind = "function"
)

// Object is something a statement names and the role may not use, whether or not
// it exists.
type Object struct {
	Kind ObjectKind `json:"kind"`
	Name string     `json:"name"` // as the statement has it, with what stands before it
	// Similar are names that may have been meant, the nearest first, as they can be
	// written in the statement. The role may use them all.
	Similar []string `json:"similar,omitempty"`
}

// Error is message and hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// Is reports whether target is an *Error with the same code and nothing else,
// so that errors.Is(err, &Error{Code: CodeDenied}) compares the kind.
func (e *Error) Is(target error) bool {
	var t *Error
	return errors.As(target, &t) && t.Code == e.Code && t.Message == ""
}
