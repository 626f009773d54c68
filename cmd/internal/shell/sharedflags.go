package shell

import (
	"flag"
	"sync"

	"github.com/urfave/cli/v2"
)

// shareFlags makes the library's own flags, such as --version, safe for several
// runs of the program in one process: every command has the same ones, and
// parsing writes to them.
var shareFlags = sync.OnceFunc(func() {
	for _, f := range []*cli.Flag{&cli.VersionFlag, &cli.BashCompletionFlag} {
		if b, ok := (*f).(*cli.BoolFlag); ok {
			*f = sharedFlag{b}
		}
	}
})

// sharedFlag is a flag that parsing leaves as it is.
type sharedFlag struct{ *cli.BoolFlag }

// Apply works on a copy.
func (f sharedFlag) Apply(set *flag.FlagSet) error {
	c := *f.BoolFlag
	return c.Apply(set)
}
