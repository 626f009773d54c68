package erptest

import (
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Texts of the installation's message dictionary.
const (
	msgValidation     = "Validation error"
	msgFillMandatory  = "Fill mandatory fields: "
	msgFailedDocument = "Failed when processing document"
	msgAlreadyRunning = "Process is already running"
)

// errorKind says what sort of refusal an [erpError] is.
type errorKind int

// The kinds of refusals. The zero value is a failure that is nobody's in particular.
const (
	errFailed          errorKind = iota // the ERP could not do it
	errInvalid                          // what was asked for does not fit the dictionary
	errUnauthenticated                  // who asks could not be identified, or may not log in so
	errDenied                           // the role may not
	errNotFound                         // there is no such thing
	errConflict                         // something else is under way
)

// erpError is a refusal that the ERP words itself.
type erpError struct {
	kind   errorKind
	title  string
	detail string // may be ""
}

func (e *erpError) Error() string { return e.title + ": " + e.detail }

func refuse(kind errorKind, title, detail string) error {
	return &erpError{kind: kind, title: title, detail: detail}
}

func refusef(kind errorKind, title, format string, args ...any) error {
	return refuse(kind, title, fmt.Sprintf(format, args...))
}

// invalid is a request whose content does not fit the dictionary.
func invalid(format string, args ...any) error {
	return refusef(errInvalid, msgValidation, format, args...)
}

// accessDenied is the refusal of an access check. Unless the handler gives it
// another title it is answered as 403 Access denied.
type accessDenied struct{ reason string }

func (e *accessDenied) Error() string { return e.reason }

// plainError is an error whose text may be shown to the caller.
type plainError string

func (e plainError) Error() string { return string(e) }

const textDiskFull = "nothing was changed: the disk with the server's data is full; make room there and try again"

// publicText is what of an unclassified error may leave the server: texts made
// for callers as they are, what is wrong with the server's files in our words,
// anything else (SQL above all) not at all.
func publicText(err error) string {
	var p plainError
	if errors.As(err, &p) {
		return string(p)
	}
	switch store.Condition(err) {
	case store.ErrDiskFull:
		return textDiskFull
	case store.ErrReadOnly:
		return "nothing was changed: the server's data cannot be written; make the files and their folder writable and try again"
	case store.ErrDamaged:
		return "the server's database is damaged; stop the server and put back a copy"
	case store.ErrDisk:
		return "the disk with the server's data cannot be read or written; the server's log has the details"
	}
	return "the server could not do this; its log says why"
}

// withCause keeps the private cause of a public text for the log.
func withCause(public plainError, cause error) error { return errors.Join(public, cause) }

// authError is the refusal of the auth endpoints.
func authError(detail string) error {
	return refuse(errUnauthenticated, "Authenticate error", detail)
}
