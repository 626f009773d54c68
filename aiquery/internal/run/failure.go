package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/erphub/erphub/aiquery/api"
)

// Failure is an error for the caller together with its cause, which is for the
// service's own log alone.
type Failure struct {
	Public *api.Error
	Cause  error  // nil: there is nothing more to say
	State  string // the server's SQLSTATE, "" for none
}

// Error is the part that may be shown.
func (f *Failure) Error() string { return f.Public.Error() }

// Unwrap gives the part that may be shown, and not the cause, whose text may
// quote values.
func (f *Failure) Unwrap() error { return f.Public }

// Fail makes a Failure.
func Fail(code api.Code, cause error, format string, args ...any) *Failure {
	return &Failure{Public: &api.Error{Code: code, Message: fmt.Sprintf(format, args...)}, Cause: cause}
}

// Advise sets the hint.
func (f *Failure) Advise(hint string) *Failure {
	f.Public.Hint = hint
	return f
}

// TimedOut is a statement that took too long.
func TimedOut(cause error) *Failure {
	return Fail(api.CodeTimeout, cause, "it took too long").Advise("narrow the time range, or aggregate less")
}

// Canceled is a caller who went away.
func Canceled(cause error) *Failure {
	return Fail(api.CodeCanceled, cause, "the request was given up")
}

// Internal is a fault of ours, or one that nobody foresaw.
func Internal(cause error) *Failure { return Fail(api.CodeInternal, cause, "internal error") }

// Unavailable is a database that did not respond; a context that has ended stays
// what it is.
func Unavailable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return Fail(api.CodeUnavailable, err, "the database does not respond").Advise("try again later")
}

// ErrNoAudit is an audit whose table is missing or closed.
var ErrNoAudit = Fail(api.CodeUnavailable, nil, "the audit's table is missing or cannot be written").
	Advise("install the table " + AuditTableName + " and grant INSERT, UPDATE and SELECT on it")

// NoAuditColumn is an audit whose table lacks a column.
func NoAuditColumn(name string) *Failure {
	return Fail(api.CodeUnavailable, nil, "the audit's table has no column %s", name).Advise("synchronize the table " + AuditTableName)
}
