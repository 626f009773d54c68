package erp

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/apiclient"
)

// What errors.Is finds in the errors of this package. The first group goes by
// the status of the server's response.
var (
	ErrValidation       = errors.New("the server refused the values")       // 400, 422
	ErrUnauthorized     = apiclient.ErrUnauthorized                         // 401
	ErrForbidden        = errors.New("the role may not do that")            // 403
	ErrNotFound         = errors.New("not found")                           // 404
	ErrMethodNotAllowed = errors.New("the server does not know the method") // 405, 501
	ErrConflict         = errors.New("conflict")                            // 409
	ErrGone             = errors.New("no longer available")                 // 410
	ErrRateLimited      = errors.New("too many requests")                   // 429
	ErrServer           = errors.New("the server failed")                   // 500 and above
	ErrUnavailable      = errors.New("the server is not available")         // 502, 503, 504

	// ErrExists is in the error of a record, an attachment or a scheduler that
	// already exists: another one has the same unique key, UUID or name. The
	// ERP has no status for it. Recognized are the 500 of a save with "Record
	// already exists" (older releases: "Require unique data") or the database's
	// own words for a violated unique constraint, and the 409 of an attachment
	// and of a scheduler. The ERP translates its message, so that where it is
	// not the database that refuses, a token or WithLocale of another language
	// hides the case: what must not be made twice is looked up as well.
	ErrExists = errors.New("it exists already")

	// ErrUnreachable is in every error for which no response came: unknown host,
	// refused or broken connection, bad certificate, time-out of the client.
	// errors.As with *ConnError tells more.
	ErrUnreachable = errors.New("the server cannot be reached")
	// ErrTimeout is in the error when the server took longer than WithTimeouts
	// allows. When the caller's context ended, it is the context's error.
	ErrTimeout = apiclient.ErrTimeout
	// ErrBadResponse is in the error when a response came that is not what the
	// REST API sends: an HTML page, an empty, truncated or oversized body,
	// another content type, a redirect elsewhere.
	ErrBadResponse = apiclient.ErrBadResponse
	// ErrOutcomeUnknown is in the error of a call that changes something, where the
	// server may have made the change or not: the connection broke, the server was
	// silent or the context ended after the request was sent, the response cannot
	// be read, or a proxy responded with 502 or 504 in the server's place. Look
	// whether the change was made before you make the call again. Errors of calls
	// that only read never match.
	ErrOutcomeUnknown = errors.New("it is not known whether the server made the change")
	// ErrInvalid is in every error about input that was refused before
	// anything was sent.
	ErrInvalid = apiclient.ErrInvalid
	// ErrInexpressible is in the error of a filter that the server's filter
	// language cannot express. Such errors are ErrInvalid too.
	ErrInexpressible = errors.New("the filter language of the server cannot express this")
	// ErrProcessFailed is in the error of a process that ran and failed.
	ErrProcessFailed = errors.New("the process failed")
)

// Error is a response of the server with a status of 400 and above.
//
// Business failures (a duplicate key, a validation rule, a document action)
// are status 500 in this ERP, so read Detail before calling a 500 a defect.
type Error struct {
	Status     int           // HTTP status
	Title      string        // the server's summary; the status text if it sent none
	Detail     string        // the server's explanation in one line, up to 8 KiB; may be empty
	Method     string        // of the request
	Path       string        // of the request, without the query
	RequestID  string        // header X-Request-Id, usually set by a proxy
	RetryAfter time.Duration // header Retry-After, 0 if there is none
	// Page is true when the response was not the JSON error of the REST plugin
	// but a page of the servlet container, a proxy or another server. A 404
	// with Page set says that the path is unknown, not that a record is.
	Page bool
	// lost is set when this attempt or an earlier one may have changed something.
	lost bool
}

// Error says what was tried, the status and the beginning of the server's words.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Method != "" { // a result that was read on its own does not know its request
		fmt.Fprintf(&b, "%s %s: ", e.Method, e.Path)
	}
	fmt.Fprintf(&b, "%d %s", e.Status, cleanText(e.Title, maxErrorText))
	if e.Detail != "" && e.Detail != e.Title {
		b.WriteString(": " + cleanText(e.Detail, maxErrorText))
	}
	if e.RequestID != "" {
		b.WriteString(" (request " + e.RequestID + ")")
	}
	switch {
	case e.outcomeUnknown():
		b.WriteString(mayBeDone)
	case e.Status == http.StatusUnauthorized:
		b.WriteString("; log in again or check the token")
	case e.Status == http.StatusNotFound && e.Page:
		b.WriteString("; the path is unknown there: check the base URL and the server's release")
	case e.Status == http.StatusMethodNotAllowed && e.Method == http.MethodPatch:
		b.WriteString("; use Update, which is a partial update already")
	case e.Status == http.StatusRequestURITooLong || e.Status == http.StatusRequestHeaderFieldsTooLarge:
		b.WriteString("; shorten the query, for example by splitting a long list")
	}
	return b.String()
}

// sentinels are the errors that stand for a status, by the status.
var sentinels = map[int]error{
	http.StatusBadRequest: ErrValidation, http.StatusUnprocessableEntity: ErrValidation,
	http.StatusUnauthorized: ErrUnauthorized, http.StatusForbidden: ErrForbidden, http.StatusNotFound: ErrNotFound,
	http.StatusMethodNotAllowed: ErrMethodNotAllowed, http.StatusNotImplemented: ErrMethodNotAllowed,
	http.StatusConflict: ErrConflict, http.StatusGone: ErrGone, http.StatusTooManyRequests: ErrRateLimited,
	http.StatusBadGateway: ErrUnavailable, http.StatusServiceUnavailable: ErrUnavailable, http.StatusGatewayTimeout: ErrUnavailable,
}

// Is makes errors.Is find the sentinel that belongs to the status.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrExists:
		return e.exists()
	case ErrServer:
		return e.Status >= http.StatusInternalServerError
	case ErrOutcomeUnknown:
		return e.outcomeUnknown()
	}
	return target != nil && sentinels[e.Status] == target
}

// outcomeUnknown reports whether the change may have been made although this is
// the last response: it came from a proxy, or the server turned the repetition of
// a lost request away.
func (e *Error) outcomeUnknown() bool {
	return e.lost && (errors.Is(e, ErrUnavailable) || errors.Is(e, ErrRateLimited))
}

// mayBeDone ends the message of an error that matches ErrOutcomeUnknown.
const mayBeDone = "; the server may have carried out the request"

// duplicateWords are what the ERP (release 12 and later, and before), PostgreSQL
// and Oracle say when a unique key is taken.
var duplicateWords = []string{
	"Record already exists", "Require unique data", "duplicate key value violates unique constraint", "ORA-00001",
}

// exists tells from the server's words whether there is such a thing already.
func (e *Error) exists() bool {
	switch e.Status {
	case http.StatusConflict:
		return e.Title == duplicateFile || e.Title == duplicateScheduler
	case http.StatusInternalServerError:
		return !e.Page && slices.ContainsFunc(duplicateWords, func(words string) bool {
			return strings.Contains(e.Detail, words) || strings.Contains(e.Title, words)
		})
	}
	return false
}

// ConnError is a request that got no response. It matches ErrUnreachable.
type ConnError struct {
	Method, Path string
	// Host is the address that was tried.
	Host string
	// Sent is false when the request demonstrably never reached the server, so
	// that a retry can do no harm. When it is true the server may have
	// carried the request out.
	Sent bool
	Err  error
}

// Error says what was tried and why no response came.
func (e *ConnError) Error() string {
	text := fmt.Sprintf("%s %s: cannot reach %s: %v", e.Method, e.Path, e.Host, e.Err)
	if errors.Is(e, ErrOutcomeUnknown) {
		return text + mayBeDone
	}
	return text
}

// Unwrap returns the cause.
func (e *ConnError) Unwrap() error { return e.Err }

// Is reports whether target is ErrUnreachable, or ErrOutcomeUnknown for a request
// that was sent and changes something.
func (e *ConnError) Is(target error) bool {
	return target == ErrUnreachable || target == ErrOutcomeUnknown && e.Sent && !safe(e.Method)
}

// unknownOutcome makes an error match ErrOutcomeUnknown.
type unknownOutcome struct{ err error }

func (e *unknownOutcome) Error() string        { return e.err.Error() + mayBeDone }
func (e *unknownOutcome) Unwrap() error        { return e.err }
func (e *unknownOutcome) Is(target error) bool { return target == ErrOutcomeUnknown }

// unreadable is the error of a response that cannot be read, which tells nothing
// about a change.
func unreadable(method string, err error) error {
	if err == nil || safe(method) {
		return err
	}
	return &unknownOutcome{err}
}

// invalid makes an error that matches ErrInvalid.
func invalid(format string, args ...any) error {
	return &apiclient.InputError{Text: fmt.Sprintf(format, args...)}
}

// inexpressible makes an error that matches ErrInvalid and ErrInexpressible.
func inexpressible(format string, args ...any) error {
	return &apiclient.InputError{Text: "filter: " + fmt.Sprintf(format, args...), Err: ErrInexpressible}
}
