package httpapi

import (
	"context"
	"fmt"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/failure"
)

// Deliveries chooses how an artifact is delivered: output is the mode, empty for
// the configured one, and email the recipient of the mode email. It validates
// both and everything else that the delivery needs, without connecting anywhere.
// The Deliveries of package generator/delivery are one, [Only] makes another.
type Deliveries interface {
	Choose(ctx context.Context, output, email string) (generator.Mode, generator.Delivery, error)
}

// Only delivers in one way: a request may leave its output out or name this mode,
// and is refused as invalid when it names another. A recipient is ignored. It is for
// programs that want no settings, and not the clients of object stores, forges and
// mail servers that package generator/delivery links.
func Only(mode generator.Mode, delivery generator.Delivery) Deliveries {
	return only{mode, delivery}
}

type only struct {
	mode     generator.Mode
	delivery generator.Delivery
}

func (o only) Choose(_ context.Context, output, _ string) (generator.Mode, generator.Delivery, error) {
	if output != "" && output != string(o.mode) {
		return "", nil, &failure.Error{Kind: failure.Invalid, Doing: "choosing the output",
			Why:  fmt.Sprintf("this service does not deliver by %q, only by %q", failure.Words(output), o.mode),
			Next: "leave the output out"}
	}
	return o.mode, o.delivery, nil
}
