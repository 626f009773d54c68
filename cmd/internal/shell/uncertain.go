package shell

import (
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp"
)

// Uncertain completes the error of a change of which nobody knows whether it was
// made. next says how to find out, or what to do. Other errors stay as they are.
func Uncertain(err error, next string) error {
	if !errors.Is(err, erp.ErrOutcomeUnknown) {
		return err
	}
	return fmt.Errorf("%w: %s", err, next)
}
