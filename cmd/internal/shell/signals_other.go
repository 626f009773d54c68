//go:build !unix

package shell

import "os"

// hangUp is the signal for a terminal that is gone; there is none here.
var hangUp os.Signal
