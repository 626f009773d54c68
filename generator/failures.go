package generator

import "github.com/erphub/erphub/internal/failure"

// DeliveryError is a delivery that failed: what was being done, what was wrong, what
// to do next, and of which kind it is.
//
//	receipt, err := d.Deliver(ctx, artifact, nil)
//	switch {
//	case errors.Is(err, generator.FailureNotAuthorized):
//		// ask for another token
//	case errors.Is(err, generator.FailureUnreachable):
//		// try again later
//	}
//
// Its text never holds a token, a password or a signed link.
type DeliveryError = failure.Error

// DeliveryCanceled is a delivery whose context was canceled.
type DeliveryCanceled = failure.Canceled

// FailureKind is a kind of [DeliveryError]. It is an error itself, for errors.Is.
type FailureKind = failure.Kind

// The kinds of failures.
const (
	FailureNotConfigured = failure.NotConfigured // a setting or a credential is missing or wrong
	FailureInvalid       = failure.Invalid       // what was asked for is impossible: an address, a name
	FailureNotAuthorized = failure.NotAuthorized // the credential is wrong, or may not do this
	FailureNotFound      = failure.NotFound      // the bucket, organization or artifact does not exist
	FailureExists        = failure.Exists        // the name is taken
	FailureExpired       = failure.Expired       // it was there, and its time is over
	FailureRefused       = failure.Refused       // the other side does not want it
	FailureTooLarge      = failure.TooLarge      // more than one side takes
	FailureFull          = failure.Full          // disk or store is full
	FailureUnreachable   = failure.Unreachable   // no connection, no response, or an untrusted certificate
	FailureUnexpected    = failure.Unexpected    // a response that makes no sense
	FailureUnknown       = failure.Unknown       // it may have been delivered
)
