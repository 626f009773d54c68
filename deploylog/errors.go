package deploylog

import (
	"context"
	"errors"
	"net/http"

	"github.com/erphub/erphub/erp"
)

var (
	// ErrTransition is in the error of a move that the run may not make; see
	// [TransitionError].
	ErrTransition = errors.New("the run may not make that move")
	// ErrInvalid is in every error about input that was refused before anything
	// was sent.
	ErrInvalid = errors.New("invalid input")
	// ErrBusy is in the error of a move that another writer of the same run
	// kept from being made.
	ErrBusy = errors.New("another writer is moving the run")
)

// refused reports whether the server responded that it will not carry the
// request out, whatever the state of the record is.
func refused(err error) bool {
	var e *erp.Error
	if !errors.As(err, &e) {
		return errors.Is(err, erp.ErrInvalid)
	}
	return e.Status < http.StatusInternalServerError
}

// notCreated reports whether a record was certainly not created, or nobody waits.
func notCreated(ctx context.Context, err error) bool {
	return refused(err) || erp.Unsent(err) || ctx.Err() != nil
}
