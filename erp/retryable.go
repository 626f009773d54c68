package erp

import (
	"errors"

	"github.com/erphub/erphub/internal/apiclient"
)

// Unsent reports whether err says for certain that the server never got the
// request, so that nothing has happened there and the same call may be made
// again whatever it does. That is so when
//
//   - the input was refused before anything was sent (ErrInvalid),
//   - no token could be obtained to send it with, or
//   - no connection was made: the name of the host is unknown, the connection
//     was refused, the certificate is not trusted (a *ConnError whose Sent is
//     false),
//
// and no earlier attempt of the same call may have reached the server. It is
// false for nil, for responses of the server, for time-outs and contexts that
// ended, and for errors that do not tell. Of calls that make several requests,
// such as UploadFile or Records, it speaks of the last. An error that joins
// several is unsent when one of them is and none of the others got further.
func Unsent(err error) bool {
	unsent, sent := outcome(err)
	return unsent && !sent
}

// outcome walks through what an error wraps, and stops where a request is
// described: below it may be the errors of other requests, such as a login.
func outcome(err error) (unsent, sent bool) {
	switch e := err.(type) { //nolint:errorlint // each error of the tree is looked at
	case *ConnError:
		return !e.Sent, e.Sent
	case *apiclient.TokenError:
		unsent = apiclient.NotSent(e)
		return unsent, !unsent
	case *apiclient.InputError:
		return true, false
	case *Error, *ProcessError, *badResponseError, *apiclient.BodyError, *apiclient.RedirectError, *apiclient.SourceError:
		return false, true
	case interface{ Unwrap() error }:
		return outcome(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			u, s := outcome(one)
			unsent, sent = unsent || u, sent || s
		}
	}
	return unsent, sent
}

// Retryable reports whether the same call may succeed later without any change
// to it: the server could not be reached or was silent (ErrUnreachable,
// ErrTimeout), it turned the request away (ErrRateLimited, see
// Error.RetryAfter), it or what it needs is not available (ErrUnavailable), or
// something else came than a whole response of the REST API (ErrBadResponse).
// A wrong base URL looks the same as a server that is away, so bound the
// number of attempts. The client has retried already as its RetryPolicy says.
//
// It does not say that making the call again does no harm: unless Unsent is
// true as well, or the server turned the request away, the request may have
// been carried out. Before retrying one that must not happen twice, look
// whether it was. It is false for nil, for all other responses of the server
// (a 500 is a business failure in this ERP), for invalid input, and for
// contexts that ended.
func Retryable(err error) bool {
	return !errors.Is(err, ErrInvalid) && (errors.Is(err, ErrUnreachable) || errors.Is(err, ErrTimeout) ||
		errors.Is(err, ErrRateLimited) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrBadResponse))
}
