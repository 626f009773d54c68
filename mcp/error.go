package mcp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/tokens"
)

// The codes of an [Error]. Callers branch on them; they do not change.
const (
	CodeInvalidArguments     = "invalid_arguments"     // fix the arguments and call again
	CodeUnknownTool          = "unknown_tool"          // there is no such tool
	CodeNotFound             = "not_found"             // what was named does not exist
	CodeConflict             = "conflict"              // it exists, or changed meanwhile
	CodeRefused              = "refused"               // the ERP refused the work, such as by a validation rule
	CodeUnauthorized         = "unauthorized"          // log in again
	CodePermissionDenied     = "permission_denied"     // not allowed for this caller
	CodeRateLimitExceeded    = "rate_limit_exceeded"   // too many calls a minute: wait
	CodeCostLimitExceeded    = "cost_limit_exceeded"   // the budget of the session or the day is used up
	CodeConfirmationRequired = "confirmation_required" // the user has to agree, and was not asked
	CodeDeclined             = "declined"              // the user said no
	CodeTimeout              = "timeout"               // it took too long
	CodeCancelled            = "cancelled"             // the caller gave up
	CodeUnreachable          = "unreachable"           // the ERP or a service did not respond
	CodeOutcomeUnknown       = "outcome_unknown"       // the change was made or not: look before calling again
	CodeUnsupported          = "unsupported"           // no backend in use can do this
	CodeLoading              = "loading"               // the dictionary is still being read: call again later
	CodeTooLarge             = "too_large"             // the result is too long for an assistant: request less
	CodeInternal             = "internal"              // a mistake in this program
)

// Error is the failure of a tool: what happened, and what to do next. It is encoded
// as {"code", "message", "hint", "retryAfterSeconds"}, the last two where there
// is something to say. It holds no secret.
type Error struct {
	// Code is one of the Code constants.
	Code string
	// Message says what was tried and what was wrong.
	Message string
	// Hint says what to do next; may be empty.
	Hint string
	// RetryAfter is the time to wait before the same call can succeed; 0 means
	// that waiting does not help.
	RetryAfter time.Duration
	// Err is the cause, for errors.Is and for logs. It is not encoded.
	Err error
}

func (e *Error) Error() string {
	text := e.Message
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// MarshalJSON encodes the error for a caller. Seconds are rounded up.
func (e *Error) MarshalJSON() ([]byte, error) {
	return encodePlain(struct {
		Code       string `json:"code"`
		Message    string `json:"message"`
		Hint       string `json:"hint,omitempty"`
		RetryAfter int    `json:"retryAfterSeconds,omitempty"`
	}{e.Code, e.Message, e.Hint, int(math.Ceil(e.RetryAfter.Seconds()))})
}

// LogInAgain is the hint of errors with [CodeUnauthorized]: what the assistant
// cannot do, and its user can.
const LogInAgain = "the login has ended or was revoked, and you cannot renew it: ask your user to log in again. Over stdio that is `erphub auth login` " +
	"in a terminal, or a new ERP_TOKEN and a restart of the tool server; over HTTP a new token in the client"

// Declined is the error of a tool whose question the user answered with no.
func Declined(tool string) *Error {
	return &Error{
		Code: CodeDeclined, Message: "the user did not agree: " + tool + " changed nothing",
		Hint: "do not try again unless the user asks for it",
	}
}

// OutcomeUnknown is the error of a tool whose change was made or not, and nobody
// knows which.
func OutcomeUnknown(message string, err error) *Error {
	return &Error{
		Code: CodeOutcomeUnknown, Message: message, Err: err,
		Hint: "do not simply call again, which may do it twice: read what was to be changed first, and call again only if it was not done",
	}
}

// Unavailable is the error for a tool that cannot work now; see Tool.Available.
func Unavailable(tool string) *Error {
	return &Error{
		Code: CodeUnsupported, Message: tool + " cannot work now: nothing this server is connected to can do that",
		Hint: "use one of the tools that are listed", Err: errors.ErrUnsupported,
	}
}

// ErrorOf is the Error in the chain of err, or one made of it. Errors of
// package erp get the code that fits and keep their text; an error nobody
// foresaw is CodeInternal, with a message that shows nothing of it, because its
// text may come from anywhere. nil gives nil.
func ErrorOf(err error) *Error {
	var e *Error
	var confirm *ConfirmationRequired
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.As(err, &confirm):
		return &Error{Code: CodeConfirmationRequired, Message: confirm.Message, Hint: "ask the user first", Err: err}
	case errors.Is(err, erp.ErrOutcomeUnknown):
		return OutcomeUnknown(err.Error(), err)
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeTimeout, Message: "the call took too long", Hint: "request less, or try again", Err: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeCancelled, Message: "the call was cancelled", Err: err}
	}
	if e := ofERP(err); e != nil {
		return e
	}
	return &Error{
		Code: CodeInternal, Message: "the tool failed for a reason it did not foresee",
		Hint: "try again; if it persists, tell the operator, whose log has the details", Err: err,
	}
}

// ofERP is the Error for an error of package erp, nil for others.
func ofERP(err error) *Error {
	var refusal *erp.Error
	errors.As(err, &refusal)
	made := func(code, hint string) *Error {
		e := &Error{Code: code, Message: err.Error(), Hint: hint, Err: err}
		if refusal != nil {
			e.RetryAfter = refusal.RetryAfter
		}
		return e
	}
	switch {
	case errors.Is(err, erp.ErrUnauthorized):
		return made(CodeUnauthorized, LogInAgain)
	case errors.Is(err, erp.ErrForbidden):
		return made(CodePermissionDenied, "the role may not do this in the ERP: use another role, or ask an administrator")
	case errors.Is(err, erp.ErrNotFound):
		return made(CodeNotFound, "check the name or the id")
	case errors.Is(err, tokens.ErrAuthentication):
		return made(CodeUnauthorized, LogInAgain)
	case errors.Is(err, erp.ErrUnreachable), errors.Is(err, tokens.ErrUnreachable):
		return made(CodeUnreachable, "the ERP does not respond: try again later, and check its address")
	case errors.Is(err, erp.ErrInvalid):
		return made(CodeInvalidArguments, "")
	case refusal != nil:
		return made(CodeRefused, "the ERP's own words say why")
	}
	return nil
}

// tidy turns the error of a tool into one for the caller, with the limit or the
// cancellation that caused it. changing says that the tool had begun to change
// something: when it was stopped then, the change may be made, or a part of it.
func tidy(ctx context.Context, err error, changing bool) error {
	var confirm *ConfirmationRequired
	if errors.As(err, &confirm) {
		return confirm
	}
	var own *Error
	switch {
	case errors.As(err, &own):
	case ctx.Err() == nil:
		own = ErrorOf(err)
	case errors.As(context.Cause(ctx), &own):
		own = &Error{Code: own.Code, Message: own.Message, Hint: own.Hint, RetryAfter: own.RetryAfter, Err: err}
	default:
		own = ErrorOf(fmt.Errorf("%w: %w", ctx.Err(), err))
	}
	if stopped := own.Code == CodeTimeout || own.Code == CodeCancelled; stopped && changing {
		return OutcomeUnknown(own.Message+", after the change had begun", err)
	}
	return own
}
