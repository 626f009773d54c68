// Package failure holds the error of deliveries that need another server or
// a store: what was being done, what was wrong, what to do next, and of which
// kind it is.
//
//	receipt, err := d.Deliver(ctx, artifact, nil)
//	switch {
//	case errors.Is(err, failure.NotAuthorized):
//		// ask for another token
//	case errors.Is(err, failure.Unreachable):
//		// try again later
//	}
//
// The text of an [Error] never holds a token, a password or a signed link.
package failure
