package aiquery

import (
	"fmt"

	"github.com/erphub/erphub/aiquery/internal/run"
)

// Database is where statements run and where the permissions are read: packages
// postgres and embedded open one. It is safe for concurrent use.
type Database interface {
	// String names the database without user and password.
	fmt.Stringer
	// Close closes what was opened for it.
	Close() error
	// Runner is for this package.
	Runner() run.Runner
}
