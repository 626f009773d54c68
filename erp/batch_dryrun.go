package erp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/uuid"
)

// dryRun ends a batch with a request that fails, so that the server undoes all of it.
// That request goes alone at first: a server that keeps what is before a failure says
// that it undid nothing, and then nothing else is sent.
func (c *Client) dryRun(ctx context.Context, requests []BatchRequest, opts BatchOptions) ([]BatchResult, error) {
	if opts.PerRequest {
		return nil, invalid("a batch that keeps each request on its own has no dry run")
	}
	end := BatchDelete("C_Currency", UUID(uuid.V7(time.Now()))) // there is no such record
	var failed *BatchError
	_, undone, err := c.sendBatch(ctx, []BatchRequest{end}, opts)
	switch {
	case err == nil, errors.As(err, &failed) && !undone:
		return nil, errors.New("dry run: the server does not undo a batch that fails, so nothing was tried")
	case errors.Is(err, ErrNotFound) && !errors.As(err, &failed):
		return nil, fmt.Errorf("dry run: the server's REST plugin is too old to undo what it tries: %w", err)
	case !errors.As(err, &failed):
		return nil, fmt.Errorf("dry run: %w", &undoneError{err})
	}
	results, undone, err := c.sendBatch(ctx, append(slices.Clone(requests), end), opts)
	if errors.As(err, &failed) && undone && failed.Index == len(requests) {
		return results[:len(requests)], nil
	}
	if err == nil {
		err = fmt.Errorf("the server deleted a record that is not there: %w", ErrBadResponse)
	}
	return results, fmt.Errorf("dry run: %w", &undoneError{err})
}

// undoneError is the failure of a request whose outcome is known: the server undid it.
// So it never matches ErrOutcomeUnknown, and has no Unwrap that would.
type undoneError struct{ err error }

func (e *undoneError) Error() string    { return strings.TrimSuffix(e.err.Error(), mayBeDone) }
func (e *undoneError) As(to any) bool   { return errors.As(e.err, to) }
func (e *undoneError) Is(to error) bool { return to != ErrOutcomeUnknown && errors.Is(e.err, to) }
