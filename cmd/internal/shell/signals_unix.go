//go:build unix

package shell

import (
	"os"
	"syscall"
)

// hangUp is the signal for a terminal that is gone.
var hangUp os.Signal = syscall.SIGHUP
