package auditlog

import (
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp"
)

var (
	// ErrNoTable is in the error when the ERP has no table of audit records.
	ErrNoTable = errors.New("the ERP has no table " + TableName)
	// ErrDenied is in the error when the role may not read the audit records.
	// Such errors are ErrForbidden of package erp, too.
	ErrDenied = errors.New("the role may not read the audit records")
)

// advised is an error with what to do about it.
type advised struct {
	kind   error
	advice string
	cause  error // the ERP's response; nil when it showed no records
}

func (e *advised) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("%v: %s", e.kind, e.advice)
	}
	return fmt.Sprintf("%v: %s (%v)", e.kind, e.advice, e.cause)
}

func (e *advised) Is(target error) bool {
	return target == e.kind || e.kind == ErrDenied && target == erp.ErrForbidden
}

func (e *advised) Unwrap() error { return e.cause }

const (
	installAdvice = "no query was audited there yet. `erphub server api --install` makes it, and so does the AI API of a sandbox with the first query"
	deniedAdvice  = "the ERP shows them to tenant administrators (IsClientAdministrator of the role) and to roles of the System level, " +
		"unless table access rules exclude " + TableName + " for the role; log in with another role, or have the administrator change this one"
)

// explained tells a missing table and a missing permission from other failures of
// reading the table.
func explained(err error) error {
	var response *erp.Error
	switch {
	case err == nil || !errors.As(err, &response):
	case errors.Is(err, erp.ErrNotFound) && !response.Page:
		return &advised{ErrNoTable, installAdvice, err}
	case errors.Is(err, erp.ErrForbidden):
		return &advised{ErrDenied, deniedAdvice, err}
	}
	if err != nil {
		return fmt.Errorf("read the audit records: %w", err)
	}
	return nil
}

// invalidf is input that was refused before anything was sent.
func invalidf(format string, args ...any) error {
	return &advised{kind: erp.ErrInvalid, advice: fmt.Sprintf(format, args...)}
}
