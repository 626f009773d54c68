package failure

import (
	"context"
	"errors"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// Kind is a kind of failure. It is an error itself, for errors.Is.
type Kind string

// The kinds.
const (
	NotConfigured Kind = "not configured"             // a setting or a credential is missing or wrong
	Invalid       Kind = "invalid"                    // what was asked for is impossible: an address, a name
	NotAuthorized Kind = "not authorized"             // the credential is wrong, or may not do this
	NotFound      Kind = "not found"                  // the bucket, organization or artifact does not exist
	Exists        Kind = "exists"                     // the name is taken
	Expired       Kind = "expired"                    // it was there, and its time is over
	Refused       Kind = "refused"                    // the other side does not want it
	TooLarge      Kind = "too large"                  // more than one side takes
	Full          Kind = "no room"                    // disk or store is full
	Unreachable   Kind = "unreachable"                // no connection, no response, or an untrusted certificate
	Unexpected    Kind = "unexpected response"        // a response that makes no sense
	Unknown       Kind = "it is unknown how it ended" // it may have been delivered
)

// Error returns the kind's name.
func (k Kind) Error() string { return string(k) }

// Error is a delivery that failed.
type Error struct {
	Kind  Kind
	Doing string // what was tried: "sending com.example.demo.zip"
	Why   string // what was wrong
	Next  string // what to do
	Err   error  // the cause, may be nil; not part of the text
}

// Error says what was tried, what was wrong and what to do.
func (e *Error) Error() string {
	text := e.Doing + ": " + e.Why
	if e.Next != "" {
		text += "; " + e.Next
	}
	return text
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// KindOf returns the kind of an error, "" when it has none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// Canceled is a delivery whose context was canceled.
type Canceled struct {
	Doing string
	Left  string // what is left behind, "" for nothing
	Err   error
}

// Error says that it was canceled, and what is left.
func (e *Canceled) Error() string {
	text := e.Doing + ": canceled"
	if e.Left != "" {
		text += "; " + e.Left
	}
	return text
}

// Unwrap returns the cause.
func (e *Canceled) Unwrap() []error { return []error{context.Canceled, e.Err} }

// Words cleans what another server said so that it can be part of an error: on
// one line, without control characters, at most 200 characters, and without the
// secrets.
func Words(said string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			said = strings.ReplaceAll(said, s, "[redacted]")
		}
	}
	return text.Shorten(text.OneLine(said), 200)
}
