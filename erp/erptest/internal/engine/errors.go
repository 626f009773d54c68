package engine

import (
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Texts of the installation's message dictionary.
const (
	msgValidation     = "Validation error"
	MsgFillMandatory  = "Fill mandatory fields: "
	msgFailedDocument = "Failed when processing document"
	MsgAlreadyRunning = "Process is already running"
	MsgDeleted        = "Deleted"
)

// messageKeys are the keys in AD_Message of texts that are shown in the session's
// language.
var messageKeys = map[string]string{msgValidation: "ValidationError", msgFailedDocument: "FailedProcessingDocument", MsgDeleted: "Deleted"}

// ErrorKind says what sort of refusal an [Error] is.
type ErrorKind int

// The kinds of refusals. The zero value is a failure that is nobody's in particular.
const (
	Failed          ErrorKind = iota // the ERP could not do it
	Invalid                          // what was asked for does not fit the dictionary
	Unauthenticated                  // who asks could not be identified, or may not log in so
	Denied                           // the role may not
	NotFound                         // there is no such thing
	Conflict                         // something else is under way
	CrossTenant                      // Invalid, because something is another tenant's
)

// Error is a refusal that the ERP words itself.
type Error struct {
	Kind   ErrorKind
	Title  string
	Detail string // may be ""
}

func (e *Error) Error() string { return e.Title + ": " + e.Detail }

// Refuse is an [Error].
func Refuse(kind ErrorKind, title, detail string) error {
	return &Error{Kind: kind, Title: title, Detail: detail}
}

func refusef(kind ErrorKind, title, format string, args ...any) error {
	return Refuse(kind, title, fmt.Sprintf(format, args...))
}

// Invalidf is a request whose content does not fit the dictionary.
func Invalidf(format string, args ...any) error {
	return refusef(Invalid, msgValidation, format, args...)
}

// AccessDenied is the refusal of an access check, which callers may give words
// of their own.
type AccessDenied struct{ Reason string }

func (e *AccessDenied) Error() string { return e.Reason }

// PublicError is an error whose text may be shown to the caller.
type PublicError string

func (e PublicError) Error() string { return string(e) }

// TextDiskFull is the text that callers get when the disk is full.
const TextDiskFull = "nothing was changed: the disk with the server's data is full; make room there and try again"

// PublicText is what of an unclassified error may leave the server: texts made
// for callers as they are, what is wrong with the server's files in our words,
// anything else (SQL above all) not at all.
func PublicText(err error) string {
	var p PublicError
	if errors.As(err, &p) {
		return string(p)
	}
	switch store.Condition(err) {
	case store.ErrDiskFull:
		return TextDiskFull
	case store.ErrReadOnly:
		return "nothing was changed: the server's data cannot be written; make the files and their folder writable and try again"
	case store.ErrDamaged:
		return "the server's database is damaged; stop the server and put back a copy"
	case store.ErrDisk:
		return "the disk with the server's data cannot be read or written; the server's log has the details"
	}
	return "the server could not do this; its log says why"
}

// WithCause keeps the private cause of a public text for the log.
func WithCause(public PublicError, cause error) error { return errors.Join(public, cause) }
