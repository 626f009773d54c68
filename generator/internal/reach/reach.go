// Package reach says why a server of a delivery cannot be reached.
package reach

import (
	"context"
	"errors"

	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/netguard"
)

// Failure makes an error of one about reaching a server, which is named by where.
// It returns nil when err is about something else. An end of the context that the
// caller asked for keeps its cause and is of no other kind than that.
func Failure(ctx context.Context, doing, where string, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(ctx.Err(), context.Canceled) {
		return &failure.Canceled{Doing: doing, Err: cause}
	}
	why, next, ok := netguard.Explain(err)
	if !ok {
		return nil
	}
	return &failure.Error{Kind: failure.Unreachable, Doing: doing, Why: where + " cannot be reached: " + why, Next: next, Err: err}
}
